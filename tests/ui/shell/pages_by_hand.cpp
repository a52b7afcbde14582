// What a person does on the pages beside Explore, and with files, on real widgets.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/lectures/lecture_dialog.h"
#include "ui/panels/compare_panel.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/plan_chip.h"
#include "ui/sweep/sweep_page.h"
#include "ui/sweep/sweep_plot.h"
#include "ui/sweep/sweep_results_view.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTimer>

#include <algorithm>

namespace ui_shell_pages_by_hand {

using namespace stagelens;
using namespace Qt::StringLiterals;

class ShellPagesByHand : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void plansAreAddedToCompareAndOrdered();
    void aSweepIsSetUp();
    void aLectureIsSavedAndOpened();
    void anExampleIsOpenedAndPinned();
    void thisComputerIsMeasuredFromItsChip();

private:
    /// Clicks a button with a menu, then its entry.
    void choose(QPushButton *button, const QString &entry)
    {
        QVERIFY(button && button->isVisible() && button->isEnabled());
        QTimer::singleShot(0, this, [button, entry] {
            test::WindowFixture::choose(button->menu(), entry);
        }); // a menu may have a loop of its own
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(!button->menu() || !button->menu()->isVisible());
    }
    void choose(const QString &combo, const QString &words)
    {
        auto *box = m_fixture->find<QComboBox>(combo);
        QVERIFY(box->isVisible());
        QTest::mouseClick(box, Qt::LeftButton);
        const QModelIndex item = box->model()->index(box->findText(words), 0);
        QVERIFY2(item.isValid(), qPrintable(words));
        box->view()->scrollTo(item);
        QTest::mouseMove(box->view()->viewport(), box->view()->visualRect(item).center());
        QTest::mouseClick(box->view()->viewport(), Qt::LeftButton, {}, box->view()->visualRect(item).center());
        QCOMPARE(box->currentText(), words);
    }
    void type(const QString &line, const QString &text)
    {
        auto *edit = m_fixture->find<QLineEdit>(line);
        QVERIFY(edit->isVisible());
        QTest::mouseClick(edit, Qt::LeftButton);
        QTest::keyClick(edit, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(edit, text);
    }
    /// Types a name into the dialog of files that a click opens, and confirms it.
    void clickAndName(const QString &button, const QString &file)
    {
        QTimer::singleShot(0, this, [file] { // the dialog has an event loop of its own
            QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            dialog->findChild<QLineEdit *>(u"fileNameEdit"_s)->setText(file); // keys would open its list of files
            for (auto *confirm : dialog->findChildren<QPushButton *>())
                if (confirm->isDefault())
                    QTest::mouseClick(confirm, Qt::LeftButton);
            if (dialog->isVisible()) {
                dialog->reject();
                QFAIL("the dialog did not accept the file");
            }
        });
        m_fixture->click(button);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void ShellPagesByHand::plansAreAddedToCompareAndOrdered()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().isCurrent());
    auto &panel = window.comparePanel();
    const auto chip = [&panel](const QString &letter) { return panel.findChild<QPushButton *>(u"compare.chip."_s + letter); };
    const auto add = [&] {
        m_fixture->click(u"mode.compare"_s);
        choose(m_fixture->find<QPushButton>(u"compare.add"_s), u"The current prediction"_s);
    };
    add();
    QTRY_COMPARE(panel.items().size(), std::size_t{1});
    const QString first = panel.items()[0].name;
    m_fixture->click(u"mode.explore"_s);
    m_fixture->click(u"headline.action"_s);
    QTRY_VERIFY(window.forecast().isCurrent() &&
                window.document().experiment().schedule.vocabulary == model::VocabularyMethod::Vocab2);
    add();
    QTRY_COMPARE(panel.items().size(), std::size_t{2});
    const QString second = panel.items()[1].name;
    QVERIFY(first != second);
    QTRY_VERIFY(chip(u"B"_s));
    choose(chip(u"B"_s), u"Make it A"_s);
    QTRY_COMPARE(panel.items()[0].name, second);
    QTRY_VERIFY(chip(u"B"_s) && chip(u"A"_s)->text().contains(u"baseline"_s));
    choose(chip(u"B"_s), u"Remove"_s);
    QTRY_COMPARE(panel.items().size(), std::size_t{1});
    QCOMPARE(panel.items()[0].name, second);
}

void ShellPagesByHand::aSweepIsSetUp()
{
    auto &window = m_fixture->open();
    m_fixture->click(u"mode.sweep"_s);
    choose(u"sweep.first"_s, u"Microbatches"_s);
    type(u"sweep.firstValues"_s, u"4 8"_s);
    choose(u"sweep.second"_s, u"Vocabulary size"_s);
    type(u"sweep.secondValues"_s, u"8k 32k"_s);
    if (QTest::currentTestFailed())
        return;
    // Only one method.
    auto *one = m_fixture->find<QCheckBox>(u"sweep.method.%1"_s.arg(static_cast<int>(model::VocabularyMethod::Vocab2)));
    for (auto *box : window.sweepPage().findChildren<QCheckBox *>(QRegularExpression(u"^sweep\\.method\\."_s)))
        if (box->isChecked() != (box == one))
            QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    auto *amount = m_fixture->find<QLabel>(u"sweep.amount"_s);
    auto *start = m_fixture->find<QPushButton>(u"sweep.start"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.sweepPage().isUpToDate() || start->isVisible(), test::kPatience);
    if (start->isVisible()) {
        QVERIFY2(amount->text().startsWith(u"4 predictions"_s), qPrintable(amount->text()));
        QTest::mouseClick(start, Qt::LeftButton);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!window.sweepPage().isRunning() && window.sweepPage().isUpToDate(), test::kPatience);
    const auto &plots = window.sweepPage().results()->metricPlots();
    QCOMPARE(plots.size(), std::size_t{2}); // one for each size
    QVERIFY(plots[0]->placeOf(0) && plots[0]->placeOf(1) && !plots[0]->placeOf(4));
    choose(u"sweep.metric"_s, u"Peak memory"_s);
    if (QTest::currentTestFailed())
        return;
    QTRY_VERIFY2(plots[0]->accessibleName().contains(u"eak memory"_s), qPrintable(plots[0]->accessibleName()));
}

void ShellPagesByHand::aLectureIsSavedAndOpened()
{
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    auto *editor = window.findChild<ui::LectureDialog *>();
    QVERIFY(editor && editor->isVisible());
    m_fixture->click(u"lecture.add"_s);
    const QString file = m_fixture->path(u"talk.lecture.json"_s);
    clickAndName(u"lecture.save"_s, file);
    QTRY_COMPARE(editor->file(), file);
    QVERIFY(QFile::exists(file));
    m_fixture->click(u"lecture.remove"_s); // written to it at once
    const QString other = m_fixture->path(u"other.lecture.json"_s);
    QVERIFY(ui::writeLecture({u"Other"_s, {{u"The wall"_s, {}, {}}}}, other).ok());
    clickAndName(u"lecture.open"_s, other);
    QTRY_COMPARE(editor->lecture().title, u"Other"_s);
    QCOMPARE(m_fixture->find<QListWidget>(u"lecture.list"_s)->count(), 1);
    clickAndName(u"lecture.open"_s, file);
    QTRY_COMPARE(editor->file(), file);
    QVERIFY(editor->lecture().scenes.empty());
}

void ShellPagesByHand::anExampleIsOpenedAndPinned()
{
    auto &window = m_fixture->open();
    m_fixture->walkMenus({u"File"_s, u"Examples"_s, u"4B GPT"_s});
    if (QTest::currentTestFailed())
        return;
    QTRY_COMPARE(window.document().title(), u"4B GPT on 8 A100, vocabulary 256k"_s);
    QTRY_VERIFY(window.forecast().isCurrent());
    QVERIFY(!window.forecast().isPinned());
    window.explorePage().timeline()->setFocus();
    QTest::keyClick(window.explorePage().timeline(), Qt::Key_B, Qt::ControlModifier);
    QTRY_VERIFY(window.forecast().isPinned());
    QTRY_VERIFY(window.forecast().baseline() &&
                window.forecast().baseline()->experiment == window.forecast().plan()->experiment);
    QTest::keyClick(window.explorePage().timeline(), Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(!window.forecast().isPinned());
}

void ShellPagesByHand::thisComputerIsMeasuredFromItsChip()
{
    auto &window = m_fixture->open();
    auto *chip = m_fixture->find<ui::PlanChip>(u"strip.chip.hardware"_s);
    QTest::mouseClick(chip, Qt::LeftButton, {}, QPoint(chip->width() - 12, chip->height() / 2));
    test::WindowFixture::choose(m_fixture->find<ui::ChoiceMenu>(u"strip.cost.hardware"_s), u"Measure this computer"_s);
    if (QTest::currentTestFailed())
        return;
    QVERIFY(!window.actions().calibrate->isEnabled()); // it is measuring; closing the window ends that
}

STAGELENS_TEST(ShellPagesByHand)

} // namespace ui_shell_pages_by_hand

#include "shell/pages_by_hand.moc"
