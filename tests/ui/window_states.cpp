// What the window shows while it waits, where a plan does not fit, and where it cannot be trained here.
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/compare_controller.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/runs/import_controller.h"
#include "ui/controls/computing_sign.h"
#include "ui/controls/detail_combo.h"
#include "ui/controls/message_bar.h"
#include "ui/learn/page_browser.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/compare_table.h"
#include "ui/panels/headline_bar.h"
#include "ui/state/experiment_document.h"
#include "ui/state/run_database.h"
#include "ui/words/words.h"

#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QScopeGuard>
#include <QStatusBar>
#include <QTableWidget>
#include <QTextDocument>
#include <QToolButton>
#include <QToolTip>

#include <atomic>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ui_window_states {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowStates : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void aScaledCopyStandsWhereThePlanCannotRun();
    void largePlansAreCheckedBeforeTraining();
    void aLongPredictionSaysSoAndCanBeCancelled();
    void listsShowWhatEachChoiceWouldGive();
    void tooLittleMemoryIsSaidAtTheLaneAndInTheHeadline();
    void messagesNeverPushThePicture();
    void namesAreShownAsTheyAre();
    void dialogsOfQtShowNamesAsTheyAre();
    void pagesReadNothingButTheirOwnPictures();

private:
    /// Far too large for any workstation.
    static model::Experiment hugePlan()
    {
        model::Experiment plan;
        plan.model = test::gptOf(128, 16384, 128, 2048, 256'000, model::DataType::Fp16);
        plan.cost.source = model::HardwarePreset{"a100-80gb"};
        return plan;
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowStates::aScaledCopyStandsWhereThePlanCannotRun()
{
    auto &window = m_fixture->open();
    auto *button = m_fixture->find<QToolButton>(u"strip.train"_s);
    QCOMPARE(button->defaultAction(), window.actions().train);
    window.document().start(hugePlan(), {}, u"Huge"_s);
    QVERIFY(!window.actions().train->isEnabled());
    QCOMPARE(button->defaultAction(), window.actions().trainCopy);
    QCOMPARE(button->text(), u"Train a copy…"_s);
    QVERIFY2(button->toolTip().startsWith(u"The run needs "_s), qPrintable(button->toolTip()));
    // So it does after an invalid value.
    model::Experiment invalid = window.document().experiment();
    invalid.model.sequence = 80'000'000;
    window.document().edit(u"model.sequence"_s, u"Sequence length"_s, invalid);
    QTRY_VERIFY(!window.forecast().isComputing() && !window.forecast().problems().empty());
    window.document().edit(u"model.sequence"_s, u"Sequence length"_s, hugePlan());
    QTRY_VERIFY(!window.forecast().isComputing() && window.forecast().problems().empty());
    QTRY_COMPARE(button->defaultAction(), window.actions().trainCopy);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY(m_fixture->find<QDialog>(u"scaled-copy"_s)); // the copy is sought off the GUI thread
    auto *dialog = m_fixture->find<QDialog>(u"scaled-copy"_s);
    QVERIFY(dialog->isVisible());
    const auto *table = dialog->findChild<QTableWidget *>(u"scaled-copy.table"_s);
    const auto hidden = table->findItems(u"Hidden width"_s, Qt::MatchExactly);
    QCOMPARE(hidden.size(), 1);
    QCOMPARE(table->item(hidden[0]->row(), 1)->text(), u"16384"_s);
    QTest::mouseClick(dialog->findChild<QAbstractButton *>(u"scaled-copy.open"_s), Qt::LeftButton);
    const model::Experiment &copy = window.document().experiment();
    QCOMPARE(QString::number(copy.model.hidden), table->item(hidden[0]->row(), 2)->text());
    QVERIFY(copy.cost.source == model::CostChoice{}.source);
    QVERIFY(window.actions().train->isEnabled());
    QCOMPARE(button->defaultAction(), window.actions().train);
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().model.hidden, 16384);
}

/// Until it is known whether this computer can run a large plan, Train is disabled and says why.
void WindowStates::largePlansAreCheckedBeforeTraining()
{
    auto &window = m_fixture->open();
    model::Experiment plan = window.document().experiment();
    plan.parallel.microbatches = 4096;
    window.document().start(plan, {}, u"Large"_s);
    QVERIFY(!window.actions().train->isEnabled());
    QVERIFY2(window.actions().train->toolTip().startsWith(u"Stagelens checks"_s),
             qPrintable(window.actions().train->toolTip()));
    QTRY_VERIFY(!window.actions().train->toolTip().startsWith(u"Stagelens checks"_s));
    QVERIFY(window.actions().train->isEnabled() || window.actions().trainCopy->isEnabled());
}

void WindowStates::aLongPredictionSaysSoAndCanBeCancelled()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    auto *sign = window.explorePage().findChild<ui::ComputingSign *>();
    auto *cancel = m_fixture->find<QAbstractButton>(u"computing.cancel"_s);
    auto *iteration = m_fixture->find<QLabel>(u"metrics.iteration"_s);
    const QString before = iteration->text();
    model::Experiment plan = window.document().experiment();
    plan.schedule.family = model::kAutomaticFamily; // hundreds of predictions: seconds on any machine
    plan.model.layers = 64;
    plan.parallel.devices = 32;
    plan.parallel.microbatches = 1000;
    window.document().start(plan, {}, u"Long"_s);
    QVERIFY(!sign->isVisible()); // a short wait is not worth a word
    QVERIFY(iteration->isEnabled());
    QTRY_VERIFY(sign->isVisible());
    QVERIFY(!cancel->isVisible());
    QVERIFY(!iteration->isEnabled());
    QVERIFY(m_fixture->content().stale);
    QTRY_VERIFY(cancel->isVisible());
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!sign->isVisible());
    QCOMPARE(iteration->text(), before);
    QVERIFY(!iteration->isEnabled());
    QVERIFY2(window.problemBar().text().startsWith(u"The prediction was cancelled"_s), qPrintable(window.problemBar().text()));
    plan.schedule.family = "1f1b";
    plan.parallel.devices = 4;
    plan.parallel.microbatches = 8;
    window.document().start(plan, {}, u"Short"_s);
    QVERIFY(iteration->isEnabled());
    QVERIFY(!window.problemBar().isVisible());
}

void WindowStates::listsShowWhatEachChoiceWouldGive()
{
    auto &window = m_fixture->open();
    const auto detail = [this](const QString &list, const QString &choice) {
        const auto *combo = m_fixture->find<ui::DetailCombo>(list);
        return combo->itemData(combo->findData(choice), ui::DetailCombo::kDetailRole).toString();
    };
    QTRY_VERIFY(!detail(u"schedule.family"_s, u"1f1b"_s).isEmpty());
    const auto &metrics = window.forecast().plan()->metrics;
    const QString now = ui::durationText(metrics.iteration) + u" · "_s +
                        ui::bytesText(*std::max_element(metrics.peakMemory.begin(), metrics.peakMemory.end()));
    QCOMPARE(detail(u"schedule.family"_s, u"1f1b"_s), now);
    QCOMPARE(detail(u"schedule.vocabulary"_s, u"none"_s), now);
    QVERIFY(detail(u"schedule.family"_s, u"gpipe"_s) != now);
    // What can train here, and what cannot.
    QTRY_VERIFY2(detail(u"training.backend"_s, u"cpu"_s).contains(u" cores, "_s),
                 qPrintable(detail(u"training.backend"_s, u"cpu"_s)));
    QVERIFY(detail(u"training.backend"_s, u"cuda"_s).startsWith(u"not available: "_s));
}

void WindowStates::tooLittleMemoryIsSaidAtTheLaneAndInTheHeadline()
{
    QCOMPARE(ui::needsText(base::Bytes{91} << 30, base::Bytes{80} << 30), u"needs 91 of 80 GiB"_s);
    QCOMPARE(ui::needsText((base::Bytes{80} << 30) + (200LL << 20), base::Bytes{80} << 30), u"needs 80.2 of 80.0 GiB"_s);
    auto &window = m_fixture->open();
    model::Experiment plan = hugePlan();
    plan.model = *model::modelPreset("gpt-21b");
    window.document().start(plan, {}, u"21B on 4 devices"_s);
    QTRY_VERIFY(window.forecast().advice());
    const QString headline = window.explorePage().headline()->headline().text;
    QVERIFY2(QRegularExpression(u"^Device \\d needs \\d+ of 80 GiB\\."_s).match(headline).hasMatch(), qPrintable(headline));
    const auto &group = m_fixture->content().groups[0];
    QVERIFY(group.metrics.peakMemory[0] > group.capacity);
    // No method makes it fit: the nearest change that does is looked for, and more devices come last.
    QTRY_VERIFY(window.forecast().fix());
    QTRY_VERIFY(window.forecast().familyOptions().isSettled());
    const QString fixed = window.explorePage().headline()->headline().text;
    QVERIFY2(fixed.contains(u"With %1 it would fit: "_s.arg(window.forecast().fix()->words)), qPrintable(fixed));
    m_fixture->click(u"headline.action"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 8);
    QVERIFY(window.document().experiment().parallel.stageLayers.empty());
    QTRY_VERIFY(window.forecast().advice());
    QVERIFY(!window.explorePage().headline()->headline().text.contains(u"needs"_s));
}

namespace {

/// A pipe that says whether anything opened it. Whoever does so is let go at once, so that a test fails instead of hanging.
class Trap {
public:
    explicit Trap(const QString &file) : m_file(file.toStdString())
    {
        if (::mkfifo(m_file.c_str(), 0600) != 0)
            return;
        m_guard = std::jthread([this](const std::stop_token &stop) {
            while (!stop.stop_requested()) {
                // Without a reader this fails; with one, that one reads the end of the file.
                if (const int pipe = ::open(m_file.c_str(), O_WRONLY | O_NONBLOCK); pipe >= 0) {
                    m_opened = true;
                    ::close(pipe);
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
    }
    [[nodiscard]] bool wasOpened() const { return m_opened; }

private:
    std::string m_file;
    std::atomic<bool> m_opened = false;
    std::jthread m_guard;
};

/// Of every cell of a model.
QStringList tipsOf(const QAbstractItemModel &model)
{
    QStringList tips;
    for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column)
            tips << model.index(row, column).data(Qt::ToolTipRole).toString();
    return tips;
}

} // namespace

void WindowStates::messagesNeverPushThePicture()
{
    auto &window = m_fixture->open();
    const auto place = [](const QWidget *widget) { return QRect(widget->mapToGlobal(QPoint()), widget->size()); };
    const QRect before = place(window.explorePage().timeline());
    auto *status = m_fixture->find<QStatusBar>(u"status"_s);
    QCOMPARE(status->height(), 24);
    // A note, a problem and a state that lasts.
    window.controllers().notice->warn(u"Something went wrong, and what to do against it."_s);
    model::Experiment illegal = window.document().experiment();
    illegal.parallel.devices = 100'000;
    window.document().edit(u"parallel.devices"_s, u"Devices"_s, illegal);
    auto *problem = &window.problemBar();
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QTRY_VERIFY(problem->isVisible() && notice->isVisible());
    auto *store = m_fixture->find<ui::MessageBar>(u"bar.store"_s);
    store->say(ui::MessageBar::Tone::Warning, u"Runs will not be saved: "_s + QString(300, u'x'), {{u"Choose"_s, [] {}}});
    QTest::qWait(1);
    QCOMPARE(place(window.explorePage().timeline()), before);
    QCOMPARE(status->height(), 24);
    QVERIFY(place(status).contains(place(store)));
    QVERIFY(place(status).contains(place(store->findChild<QPushButton *>())));
    // They lie over the page, whole and apart, and leave the rest of it to the mouse.
    const QRect page = place(&window.explorePage());
    QVERIFY(page.contains(place(problem)) && page.contains(place(notice)) && !place(problem).intersects(place(notice)));
    QVERIFY(problem->height() >= 48 && notice->height() >= 48);
    QVERIFY(!place(problem->parentWidget()).contains(page.center()));
    notice->clear();
    window.document().undoStack().undo();
    QTRY_VERIFY(!problem->isVisible());
    QVERIFY(!problem->parentWidget()->isVisible());
}

void WindowStates::namesAreShownAsTheyAre()
{
    const Trap trap(m_fixture->path(u"pipe"_s));
    const QString bad = u"<img src=\"%1\">&<b>x</b>"_s.arg(m_fixture->path(u"pipe"_s));
    auto &window = m_fixture->open();
    // A run with such a name, tags and note; shown, compared and deleted.
    m_fixture->usePlanForTraining(2);
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled() && !window.runDatabase().runs().ids.empty(), test::kPatience);
    const auto id = window.runDatabase().runs().ids.front();
    window.runDatabase().rename(id, bad);
    window.runDatabase().setTags(id, {bad});
    window.runDatabase().setNote(id, bad);
    window.runsPanel().setColumns({u"Tags"_s, u"Note"_s, u"Kind"_s, u"Differs from baseline"_s});
    window.controllers().compare->compareRuns({id, id});
    QTRY_VERIFY(window.findChild<QWidget *>(u"compare.chip.B"_s));
    window.actions().explore->trigger();
    // A plan with such a title, preset, hardware and files.
    model::Experiment plan = window.document().experiment();
    plan.model.preset = ui::utf8(bad);
    window.document().start(plan, {}, bad);
    plan.cost.source = model::HardwarePreset{ui::utf8(bad)};
    window.document().start(plan, {}, bad);
    window.forecast().pinBaseline();
    plan.cost.source = model::DurationsFile{ui::utf8(bad)};
    window.document().start(plan, {}, bad);
    plan.cost.source = model::HardwarePreset{"cpu-local"};
    plan.schedule.family = model::kCustomFamily;
    plan.schedule.file = ui::utf8(bad);
    window.document().start(plan, {}, bad);
    window.controllers().imports->importFiles({bad});
    QTRY_VERIFY(m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->text().startsWith(u"Nothing was imported."_s));
    window.document().edit(u"model.preset"_s, bad, window.document().experiment());
    window.actions().about->trigger();
    for (QAction *mode : {window.actions().compare, window.actions().sweep, window.actions().learn, window.actions().explore})
        mode->trigger();
    // Everything is painted once, and every label is told not to look for markup.
    window.runsPanel().setFolded(false);
    QTRY_VERIFY(m_fixture->isSettled());
    QVERIFY(!window.grab().isNull());
    for (const QLabel *label : window.findChildren<QLabel *>())
        QVERIFY2(label->textFormat() != Qt::AutoText && !(label->textFormat() == Qt::RichText && label->text().contains(bad)),
                 qPrintable(label->objectName() + u": "_s + label->text()));
    // Tooltips show what they are given, also those of rows, lists and menus.
    QStringList tips;
    for (const QWidget *widget : window.findChildren<QWidget *>())
        tips << widget->toolTip();
    for (const QAction *action : window.findChildren<QAction *>())
        tips << action->toolTip();
    for (const QComboBox *combo : window.findChildren<QComboBox *>())
        tips << tipsOf(*combo->model());
    tips << tipsOf(*window.runsPanel().model()) << tipsOf(*window.comparePanel().table()->model());
    tips.removeDuplicates();
    qsizetype hostile = 0;
    for (const QString &tip : std::as_const(tips)) {
        if (!tip.contains(u"img src"_s))
            continue;
        ++hostile;
        QToolTip::showText(window.mapToGlobal(QPoint(5, 5)), tip, &window);
        QVERIFY2(!tip.contains(u"<img"_s) || !Qt::mightBeRichText(tip), qPrintable(tip));
    }
    QVERIFY(hostile >= 2); // of the run's tags and note, and of a chip
    QToolTip::hideText();
    QVERIFY(!trap.wasOpened());
}

void WindowStates::dialogsOfQtShowNamesAsTheyAre()
{
    const Trap trap(m_fixture->path(u"pipe"_s));
    m_fixture->open();
    // Relative, for a name holds no slash.
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(m_fixture->path({})));
    const auto back = qScopeGuard([&before] { QDir::setCurrent(before); });
    const QString bad = u"<img src='pipe'>.json"_s;
    QFile file(bad);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QFileDialog dialog(&m_fixture->window(), u"Save the experiment"_s, m_fixture->path({}));
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.selectFile(bad);
    dialog.show();
    // It asks whether the file is to be replaced.
    QString asked;
    Qt::TextFormat format = Qt::AutoText;
    QTimer::singleShot(0, &dialog, [&] {
        auto *box = qobject_cast<QDialog *>(QApplication::activeModalWidget());
        if (!box)
            return;
        const auto *label = box->findChild<QLabel *>(u"qt_msgbox_label"_s);
        asked = label->text();
        format = label->textFormat();
        (void)box->grab();
        box->reject();
    });
    QMetaObject::invokeMethod(&dialog, "accept");
    QVERIFY2(asked.contains(bad), qPrintable(asked));
    QCOMPARE(format, Qt::PlainText);
    for (const auto *view : dialog.findChildren<QAbstractItemView *>())
        for (const QString &tip : tipsOf(*view->model()))
            QVERIFY2(!Qt::mightBeRichText(tip), qPrintable(tip));
    QVERIFY(!trap.wasOpened());
}

void WindowStates::pagesReadNothingButTheirOwnPictures()
{
    const Trap trap(m_fixture->path(u"pipe"_s));
    const QUrl pipe = QUrl::fromLocalFile(m_fixture->path(u"pipe"_s));
    struct Browser : ui::PageBrowser {
        using PageBrowser::loadResource;
    } browser;
    browser.resize(600, 400);
    browser.show();
    const QString docs = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/docs"_s;
    browser.showPage(u"tutorials/first-steps.md"_s, true);
    QVERIFY(!browser.document()
                 ->resource(QTextDocument::ImageResource, QUrl::fromLocalFile(docs + u"/images/first-start.png"_s))
                 .value<QImage>()
                 .isNull());
    browser.showText(u"![a](%1) <img src=\"%2\">"_s.arg(pipe.toString(), pipe.toLocalFile()));
    QVERIFY(!browser.grab().isNull());
    for (const auto type : {QTextDocument::StyleSheetResource, QTextDocument::HtmlResource})
        QVERIFY(!browser.loadResource(type, pipe).isValid());
    for (const QUrl &foreign :
         {pipe, QUrl::fromLocalFile(docs + u"/../icons/stagelens.svg"_s), QUrl(u"http://localhost/a.png"_s)})
        QCOMPARE(browser.loadResource(QTextDocument::ImageResource, foreign).value<QImage>().size(), QSize(1, 1));
    QVERIFY(!trap.wasOpened());
}

STAGELENS_TEST(WindowStates)

} // namespace ui_window_states

#include "window_states.moc"
