// How many clicks a person needs who has nothing but the window and does what it says.
#include "tests/ui/window_fixture.h"

#include "engine/base/file.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "ui/controllers/schedule_controller.h"
#include "ui/controllers/schedule_file_controller.h"
#include "ui/learn/card_list.h"
#include "ui/pages/learn_page.h"
#include "ui/panels/compare_panel.h"
#include "ui/sweep/sweep_page.h"
#include "ui/sweep/sweep_plot.h"
#include "ui/sweep/sweep_results_view.h"
#include "ui/words/words.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QTimer>

namespace ui_window_clicks {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowClicks : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        m_clicks = 0;
    }
    void cleanup() { m_fixture.reset(); }
    void whyTheLastDeviceIsSlowAndItsRemedy();
    void leastMemoryThatIsFastEnough();
    void fivePlansSideBySide();
    void fiveFiguresOfALecture();
    void aBrokenScheduleIsRepaired();

private:
    /// Clicks what a person sees: fails if it is hidden or disabled.
    void click(QWidget *widget, QPoint at = {})
    {
        QVERIFY(widget);
        QTRY_VERIFY2(widget->isVisible() && widget->isEnabled(), qPrintable(widget->objectName()));
        QTest::mouseClick(widget, Qt::LeftButton, {}, at);
        ++m_clicks;
    }
    void click(const QString &name) { click(m_fixture->find<QWidget>(name)); }
    void choose(const QString &combo, const QString &words)
    {
        auto *box = m_fixture->find<QComboBox>(combo);
        click(box);
        const QModelIndex item = box->model()->index(box->findText(words), 0);
        QVERIFY(item.isValid());
        box->view()->scrollTo(item);
        click(box->view()->viewport(), box->view()->visualRect(item).center());
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
    int m_clicks = 0;
};

void WindowClicks::whyTheLastDeviceIsSlowAndItsRemedy()
{
    ui::MainWindow &window = m_fixture->open();
    auto *why = m_fixture->find<QLabel>(u"headline.text"_s);
    QTRY_VERIFY(why->accessibleName().startsWith(u"Device 3 holds the others up"_s));
    const base::Nanos before = window.forecast().plan()->metrics.iteration;
    click(u"headline.action"_s);
    QTRY_VERIFY(window.forecast().plan()->metrics.iteration * 3 < before * 2);
    QVERIFY(m_clicks <= 2);
}

void WindowClicks::leastMemoryThatIsFastEnough()
{
    ui::MainWindow &window =
        m_fixture->open(ui::qtText((base::resourceFolder() / "examples" / "gpt-4b-8xa100-256k.stagelens.json").string()));
    click(u"mode.sweep"_s);
    choose(u"sweep.first"_s, u"Schedule"_s);
    click(u"sweep.goal"_s);
    if (test::kIsSanitized) // too slow there to follow the controls by itself
        m_fixture->find<QPushButton>(u"sweep.start"_s)->click();
    const auto *plot = window.sweepPage().results()->metricPlots().front();
    QTRY_VERIFY_WITH_TIMEOUT(!window.sweepPage().isRunning() && plot->highlighted() >= 0, 200000);
    const int marked = plot->highlighted();
    QVERIFY(plot->placeOf(marked));
    QVERIFY2(m_clicks <= 4, qPrintable(QString::number(m_clicks)));
}

void WindowClicks::fivePlansSideBySide()
{
    ui::MainWindow &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().plan() && window.forecast().comparableBaseline());
    click(u"mode.compare"_s);
    click(u"compare.methods"_s);
    QTRY_COMPARE_WITH_TIMEOUT(window.comparePanel().items().size(), std::size_t{5}, 20000);
    QVERIFY(m_clicks <= 8);
}

void WindowClicks::fiveFiguresOfALecture()
{
    ui::MainWindow &window = m_fixture->open();
    click(u"mode.learn"_s);
    auto *cards = window.learnPage().findChild<ui::CardList *>();
    const auto found = cards->findItems(u"The vocabulary bottleneck"_s, Qt::MatchContains);
    QListWidgetItem *card = found.isEmpty() ? nullptr : found.front();
    for (int row = 0; card == nullptr && row < cards->count(); ++row)
        if (cards->item(row)->data(Qt::AccessibleTextRole).toString().contains(u"The vocabulary bottleneck"_s))
            card = cards->item(row);
    QVERIFY(card);
    cards->scrollToItem(card);
    click(cards->viewport(), cards->visualItemRect(card).center());
    const QString file = m_fixture->path(u"lecture.pdf"_s);
    QTimer::singleShot(0, this, [this, file] { // the dialog has an event loop of its own
        QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
        auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
        dialog->findChild<QLineEdit *>(u"fileNameEdit"_s)->setText(file);
        for (auto *button : dialog->findChildren<QPushButton *>())
            if (button->isDefault())
                click(button);
    });
    click(u"learn.slides"_s);
    QTRY_VERIFY(QFile::exists(file)); // the plans are jobs
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray pdf = written.readAll();
    QVERIFY(pdf.startsWith("%PDF"));
    QVERIFY2(pdf.count("/Type /Page\n") >= 5, qPrintable(QString::number(pdf.count("/Type /Page"))));
    QVERIFY(m_clicks <= 10);
}

void WindowClicks::aBrokenScheduleIsRepaired()
{
    const QString file = m_fixture->path(u"broken.txt"_s);
    QFile text(file);
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("schedule mine devices 2 microbatches 3 vocabulary none\n0: F0 F1 B0 B1 B2\n1: F0 B0 F1 F1 B1 F2 B2\n");
    text.close();
    ui::MainWindow &window = m_fixture->open();
    window.controllers().scheduleFiles->open(file);
    click(u"schedule.repair"_s);
    QTRY_VERIFY(!m_fixture->find<QWidget>(u"schedule.faults"_s)->isVisible());
    QTRY_VERIFY(window.forecast().plan() && !window.forecast().isStale());
    QCOMPARE(window.forecast().plan()->schedule->passCount(), std::size_t{12});
    QVERIFY(m_clicks <= 3);
}

STAGELENS_TEST(WindowClicks)

} // namespace ui_window_clicks

#include "window_clicks.moc"
