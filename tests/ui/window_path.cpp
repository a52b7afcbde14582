// The path of a person who never saw the window: why is the last device slow with a 256k vocabulary, what helps, and is it
// true? Only through what can be seen, clicked and typed.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/figures/metrics_panel.h"
#include "ui/panels/headline_bar.h"
#include "ui/strip/method_picker.h"
#include "ui/words/words.h"

#include <QDialog>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

namespace ui_window_path {

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {
constexpr int kLastDevice = 7;
} // namespace

class WindowPath : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init() { test::failOnWarnings(); }
    void cleanupTestCase() { m_fixture.reset(); }

    // Each goes on where the one before ended.
    void theExampleOpensFromTheMenu();
    void theHeadlineNamesTheLastDevice();
    void theVocabularyIsHatchedOnTheLastLane();
    void aGapIsExplained();
    void theSelectionSaysWhatNext();
    void vocab2IsShorterOnTheUnchangedAxis();
    void aScaledCopyIsOpened();
    void measuredStandsBesidePredicted();
    void escapeStopsNothing();
    void anEditMakesTheMeasuredLanesDiffer();
    void theRunIsStopped();

private:
    ui::TimelineView *timeline() { return m_fixture->window().explorePage().timeline(); }
    base::Nanos axisEnd() { return m_fixture->find<ui::ViewState>({})->end(); }
    QString text(const QString &label) { return m_fixture->find<QLabel>(label)->text(); }
    /// Opens the chip's list with the mouse and clicks an entry.
    void choose(const QString &chip, const QString &list, const QString &value);
    void clickInMenu(QMenu *menu, const QString &caption);
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowPath::initTestCase()
{
    m_fixture = std::make_unique<test::WindowFixture>();
    m_fixture->open();
}

void WindowPath::choose(const QString &chip, const QString &list, const QString &value)
{
    QTest::mouseClick(m_fixture->find<QWidget>(chip), Qt::LeftButton);
    auto *picker = m_fixture->find<ui::MethodPicker>(list);
    QTRY_VERIFY(picker->isVisible());
    const QRect place = picker->table()->visualItemRect(picker->row(value));
    QVERIFY2(place.isValid(), qPrintable(value));
    QTest::mouseMove(picker->table()->viewport(), place.center());
    QTest::mouseClick(picker->table()->viewport(), Qt::LeftButton, {}, place.center());
    QTRY_VERIFY(!picker->isVisible());
}

void WindowPath::clickInMenu(QMenu *menu, const QString &caption)
{
    QTRY_VERIFY(menu->isVisible());
    for (QAction *action : menu->actions()) {
        if (action->text().remove(u'&') != caption)
            continue;
        QTest::mouseMove(menu, menu->actionGeometry(action).center());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        return;
    }
    QFAIL(qPrintable(u"no entry "_s + caption));
}

void WindowPath::theExampleOpensFromTheMenu()
{
    auto &window = m_fixture->window();
    auto *bar = window.findChild<QMenuBar *>();
    QAction *file = bar->actions().constFirst();
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(file).center());
    clickInMenu(file->menu(), u"Examples"_s);
    clickInMenu(window.actions().examples, u"4B GPT on 8 A100, vocabulary 256k"_s);
    QTRY_VERIFY2(window.windowTitle().startsWith(u"4B GPT on 8 A100, vocabulary 256k"_s), qPrintable(window.windowTitle()));
    QCOMPARE(m_fixture->find<QSpinBox>(u"strip.model.vocabulary_size"_s)->text(), u"256,000"_s);
    auto *microbatches = m_fixture->find<QSpinBox>(u"strip.parallel.microbatches"_s);
    microbatches->setFocus();
    microbatches->selectAll();
    QTest::keyClicks(microbatches, u"16"_s);
    QTest::keyClick(microbatches, Qt::Key_Return);
    QCOMPARE(window.document().experiment().parallel.microbatches, 16);
}

void WindowPath::theHeadlineNamesTheLastDevice()
{
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->find<QPushButton>(u"headline.action"_s)->isVisible(), test::kPatience);
    const QString headline = m_fixture->window().explorePage().headline()->headline().text;
    QVERIFY2(headline.startsWith(u"Device 7 holds the others up: "_s), qPrintable(headline));
    QVERIFY2(headline.contains(u"of its work is the output layer"_s), qPrintable(headline));
}

void WindowPath::theVocabularyIsHatchedOnTheLastLane()
{
    const auto yellow = [this](int device) {
        const QRect pass = timeline()->placeOf(0, {device, 0});
        const QImage picture = timeline()->grab(pass.adjusted(1, 1, -1, -1)).toImage();
        int found = 0;
        for (int x = 0; x < picture.width(); ++x) {
            const QColor colour = picture.pixelColor(x, picture.height() / 2);
            found += colour.red() > 180 && colour.green() > 160 && colour.blue() < 140;
        }
        return found;
    };
    QVERIFY(yellow(kLastDevice) > 2);
    QCOMPARE(yellow(kLastDevice - 1), 0);
    const QString words = timeline()->describe(timeline()->placeOf(0, {kLastDevice, 0}).center());
    QVERIFY2(words.contains(u"Vocabulary layers: "_s), qPrintable(words));
}

void WindowPath::aGapIsExplained()
{
    // Before the first backward pass of device 3 there is the wait for the slow device.
    const auto &lane = m_fixture->content().groups[0].timeline->lanes[3];
    std::size_t widest = 1;
    for (std::size_t i = 1; i < lane.size(); ++i)
        if (lane.begin[i] - lane.end[i - 1] > lane.begin[widest] - lane.end[widest - 1])
            widest = i;
    const QRect after = timeline()->placeOf(0, {3, static_cast<std::uint32_t>(widest)});
    QTest::mouseClick(timeline(), Qt::LeftButton, {}, {after.left() - 4, after.center().y()});
    const QString words = text(u"inspector.text"_s);
    QVERIFY2(words.startsWith(u"Device 3 waits"_s), qPrintable(words));
}

void WindowPath::theSelectionSaysWhatNext()
{
    // The wait is for the device with the output layer, which the fix of the verdict changes.
    auto *next = m_fixture->find<QPushButton>(u"inspector.next"_s);
    QVERIFY(next->isVisible());
    QCOMPARE(next->text(), m_fixture->window().explorePage().headline()->headline().actionCaption);
    const auto fix = m_fixture->window().explorePage().headline()->headline().change->method;
    const auto vocabulary = [this] { return m_fixture->window().document().experiment().schedule.vocabulary; };
    const auto before = vocabulary();
    QVERIFY(fix && *fix != before);
    QTest::mouseClick(next, Qt::LeftButton);
    QCOMPARE(vocabulary(), *fix);
    QTest::keyClick(&m_fixture->window(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(vocabulary(), before);
    const auto &verdict = m_fixture->window().explorePage().headline()->headline();
    QTRY_VERIFY(verdict.change && verdict.change->method == fix);
    // F of microbatch 1 on device 2 waits for no vocabulary layer: the way back leads to what it waited for.
    const auto &lanes = m_fixture->content().groups[0].timeline->lanes;
    const auto slice = timeline::findSlice(*m_fixture->content().groups[0].timeline, lanes[2].pass[1], 2);
    QTest::mouseClick(timeline(), Qt::LeftButton, {}, timeline()->placeOf(0, *slice).center());
    QTRY_COMPARE(next->text(), u"Go to F 1 on device 1"_s);
    QTest::mouseClick(next, Qt::LeftButton);
    QTRY_COMPARE(next->text(), u"Go to F 1 on device 0"_s);
    next->setFocus(Qt::TabFocusReason);
    QTest::keyClick(next, Qt::Key_Space);
    // Nothing comes before that pass.
    QTRY_COMPARE(next->text(), u"Show the critical path"_s);
    QTest::keyClick(next, Qt::Key_Space);
    QVERIFY(m_fixture->window().actions().criticalPath->isChecked());
    QVERIFY(!next->isVisible());
    QTest::keyClick(timeline(), Qt::Key_C);
    QVERIFY(!m_fixture->window().actions().criticalPath->isChecked());
    QVERIFY(next->isVisible());
    QTest::keyClick(timeline(), Qt::Key_Escape);
    QVERIFY(!next->isVisible());
}

void WindowPath::vocab2IsShorterOnTheUnchangedAxis()
{
    const auto endOfPicture = [this] {
        int right = 0;
        const auto &lanes = m_fixture->content().groups[0].timeline->lanes;
        for (std::size_t device = 0; device < lanes.size(); ++device) {
            const auto last = static_cast<std::uint32_t>(lanes[device].size() - 1);
            right = std::max(right, timeline()->placeOf(0, {static_cast<int>(device), last}).right());
        }
        return right;
    };
    const base::Nanos axis = axisEnd();
    const int before = endOfPicture();
    QVERIFY(before > timeline()->width() / 2);
    choose(u"strip.chip.vocabulary"_s, u"picker.schedule.vocabulary"_s, u"vocab-2"_s);
    if (QTest::currentTestFailed())
        return;
    QCOMPARE(axisEnd(), axis);
    QVERIFY(!text(u"inspector.text"_s).startsWith(u"Device 3 waits"_s)); // that gap is gone
    QVERIFY2(endOfPicture() < before * 4 / 5, qPrintable(u"%1 of %2"_s.arg(endOfPicture()).arg(before)));
    const QString flag = m_fixture->content().baseline->text;
    QVERIFY2(flag.startsWith(u"baseline "_s) && flag.contains(u"−"_s), qPrintable(flag));
    QVERIFY(text(u"metrics.iteration.change"_s).startsWith(u"−"_s));
}

void WindowPath::aScaledCopyIsOpened()
{
    auto &window = m_fixture->window();
    QTRY_COMPARE(m_fixture->find<QToolButton>(u"strip.train"_s)->text(), u"Train a copy…"_s);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY(m_fixture->find<QDialog>(u"scaled-copy"_s)); // the copy is sought off the GUI thread
    auto *dialog = m_fixture->find<QDialog>(u"scaled-copy"_s);
    QVERIFY(dialog->isVisible());
    QTest::keyClick(dialog, Qt::Key_Return);
    QApplication::setActiveWindow(&window); // the offscreen platform does not return to it from a dialog
    QTRY_VERIFY(window.windowTitle().startsWith(u"Scaled copy of 4B GPT"_s));
    QVERIFY(window.document().experiment().schedule.vocabulary == model::VocabularyMethod::Vocab2);
    QTRY_VERIFY(m_fixture->find<QToolButton>(u"strip.train"_s)->text().startsWith(u"Train 50 steps"_s));
}

void WindowPath::measuredStandsBesidePredicted()
{
    QTest::keyClick(&m_fixture->window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->content().groups.size() == 2, test::kPatience);
    const auto &groups = m_fixture->content().groups;
    QCOMPARE(groups[0].caption, u"Predicted"_s);
    QVERIFY2(groups[1].caption.startsWith(u"Virtual clock · run 1"_s) ||
                 groups[1].caption.startsWith(u"Measured live · run 1"_s),
             qPrintable(groups[1].caption));
    QVERIFY(!groups[1].faded);
    for (const int group : {0, 1})
        QVERIFY(timeline()->placeOf(group, {kLastDevice, 0}).isValid());
    QVERIFY(m_fixture->find<QLabel>(u"metrics.iteration.measured"_s)->isVisible());
    QVERIFY2(text(u"metrics.iteration.measured"_s).contains(u'%'), qPrintable(text(u"metrics.iteration.measured"_s)));
}

void WindowPath::escapeStopsNothing()
{
    auto &window = m_fixture->window();
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(&window, Qt::Key_Escape);
        QTest::keyClick(timeline(), Qt::Key_Escape);
    }
    QVERIFY(window.runController().isTraining());
    QVERIFY(!window.runController().isStopping());
}

void WindowPath::anEditMakesTheMeasuredLanesDiffer()
{
    choose(u"strip.chip.vocabulary"_s, u"picker.schedule.vocabulary"_s, u"vocab-1"_s);
    if (QTest::currentTestFailed())
        return;
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"From run 1, which differs: Vocabulary layers: VOCAB-2 → VOCAB-1"_s),
             qPrintable(bar->text()));
    QVERIFY(m_fixture->content().groups.at(1).faded);
    QVERIFY(!text(u"metrics.iteration.measured"_s).contains(u'%'));
    QVERIFY(m_fixture->window().runController().isTraining());
    m_fixture->click(u"bar.provenance.Show its plan"_s);
    QTRY_VERIFY(!bar->isVisible());
    QVERIFY(!m_fixture->content().groups.at(1).faded);
}

void WindowPath::theRunIsStopped()
{
    auto &window = m_fixture->window();
    QApplication::setActiveWindow(&window); // the offscreen platform does not return to it from a popup
    QTest::keyClick(&window, Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(window.runController().isStopping() || !window.runController().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run && run->status == store::RunStatus::Cancelled);
}

STAGELENS_TEST(WindowPath)

} // namespace ui_window_path

#include "window_path.moc"
