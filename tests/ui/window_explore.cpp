// The window before anything was trained: first start, live prediction, illegal input, undo, baseline, memory of the session.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/colours.h"
#include "ui/controllers/compare_controller.h"
#include "ui/controllers/plan_controller.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/field_editor.h"
#include "ui/panels/figures/metrics_panel.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/inspector_panel.h"
#include "ui/plots/plots.h"
#include "ui/words/words.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>
#include <cstdlib>

namespace ui_window_explore {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowExplore : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void firstStartShowsTheDemoPredicted();
    void tryingTheAdviceShortensThePictureOnAnUnchangedAxis();
    void filesAreAddedToTheComparison();
    void largePlansAreExplainedElsewhere();
    void hoveringTheActionRaisesAGhost();
    void illegalDevicesKeepThePictureAndUndoRestores();
    void typingInOneFieldIsOneStepOfUndo();
    void theAxisStandsStillWhileAFieldIsEdited();
    void wordsThatAreNoNumberAreRefused();
    void pinnedBaselineIsNamedBesideTheDifference();
    void aBaselineOfOtherWorkIsNotCompared();
    void groupsThatGrowAreTold();
    void undoOfAProblemGoesBackToASoundPlan();
    void aGapIsExplained();
    void smallWindowsMovePanes();
    void theWindowFitsASmallScreen();
    void theVerdictIsACardThatDoesNotMove();
    void theStripShowsWhatMattersToThePlan();
    void theEmptyComparisonOffersOne();
    void checkedButtonsAreLegible_data();
    void checkedButtonsAreLegible();
    void laterStartReopensTheLastExperiment();
    void unreadableFileLeavesTheDemoAndSaysWhy();
    void everyControlHasAName();

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowExplore::firstStartShowsTheDemoPredicted()
{
    auto &window = m_fixture->open();
    QVERIFY(window.windowTitle().startsWith(u"Demo: the slow last device"_s));
    const auto &content = m_fixture->content();
    QCOMPARE(content.groups.size(), std::size_t{1});
    QCOMPARE(content.groups[0].caption, u"Predicted"_s);
    QCOMPARE(content.groups[0].timeline->devices(), 4);
    QCOMPARE(content.groups[0].timeline->sliceCount(), std::size_t{4 * 16 * 2});
    QVERIFY(content.baseline.has_value());
    QVERIFY2(!content.baseline->text.contains(u"now"_s), qPrintable(content.baseline->text)); // the plan is the baseline
    QTRY_VERIFY(window.forecast().advice());
    const auto &headline = window.explorePage().headline()->headline();
    QVERIFY2(headline.text.startsWith(u"Device 3 holds the others up"_s), qPrintable(headline.text));
    QVERIFY2(headline.text.contains(u"of its work is the output layer"_s), qPrintable(headline.text));
    QVERIFY(headline.change.has_value());
    QVERIFY(m_fixture->find<QPushButton>(u"headline.action"_s)->isVisible());
    QVERIFY(!m_fixture->find<QLabel>(u"metrics.iteration"_s)->text().isEmpty());
    QVERIFY(window.actions().train->isEnabled());
    QVERIFY2(window.actions().train->toolTip().contains(u"CPU, "_s), qPrintable(window.actions().train->toolTip()));
    QVERIFY(window.runsPanel().isFolded());
}

void WindowExplore::tryingTheAdviceShortensThePictureOnAnUnchangedAxis()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    auto *view = window.findChild<ui::ViewState *>();
    const auto spanBefore = view->span();
    const auto before = m_fixture->content().groups[0].timeline->iteration();
    const auto method = *window.explorePage().headline()->headline().change->method;
    const double promised = window.forecast().advice()->speedup;
    m_fixture->click(u"headline.action"_s);
    QVERIFY(window.document().experiment().schedule.vocabulary == method);
    const auto after = m_fixture->content().groups[0].timeline->iteration();
    QVERIFY(after < before);
    QVERIFY(std::abs(static_cast<double>(before) / static_cast<double>(after) - promised) < 0.01 * promised);
    QCOMPARE(view->span(), spanBefore);
    const QString words =
        u"baseline %1, now %2, %3"_s.arg(ui::durationText(before), ui::durationText(after),
                                         ui::changeText(static_cast<double>(after), static_cast<double>(before)));
    QCOMPARE(m_fixture->content().baseline->text, words);
    QVERIFY(m_fixture->find<QLabel>(u"metrics.iteration.change"_s)->text().startsWith(u"−"_s));
    QVERIFY(
        m_fixture->find<QLabel>(u"metrics.bubble.change"_s)->text().endsWith(u" points"_s)); // of a share, not percent of it
    QTRY_VERIFY(window.forecast().advice());
    window.actions().undo->trigger();
    QCOMPARE(m_fixture->content().groups[0].timeline->iteration(), before);
}

void WindowExplore::theVerdictIsACardThatDoesNotMove()
{
    auto &window = m_fixture->open();
    auto *card = window.explorePage().headline();
    auto *button = m_fixture->find<QPushButton>(u"headline.action"_s);
    auto *words = m_fixture->find<QLabel>(u"headline.text"_s);
    const QRect place = card->geometry();
    const QRect text = words->geometry();
    QTRY_VERIFY(button->isVisible()); // the fix has arrived
    QTRY_VERIFY(window.forecast().familyOptions().state == ui::FamilyOptions::State::Tried);
    QCOMPARE(card->geometry(), place);
    QCOMPARE(words->geometry(), text);
    QVERIFY(words->heightForWidth(words->width()) <= words->height()); // two lines
    QVERIFY2(card->headline().second.startsWith(u"Against VOCAB-2: "_s), qPrintable(card->headline().second));
    // The device's name leads to its lane.
    window.explorePage().timeline()->clearFocus();
    QVERIFY(words->text().contains(u"href='3'"_s));
    emit words->linkActivated(u"3"_s);
    QVERIFY(window.explorePage().timeline()->hasFocus());
}

void WindowExplore::theStripShowsWhatMattersToThePlan()
{
    m_fixture->open();
    auto *size = m_fixture->find<QWidget>(u"strip.model.vocabulary_size"_s);
    QVERIFY(size->isVisible());
    m_fixture->open(qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/textbook-1f1b.stagelens.json"_s);
    size = m_fixture->find<QWidget>(u"strip.model.vocabulary_size"_s);
    QVERIFY(!size->isVisible()); // a teaching example has no model
    m_fixture->window().document().start(model::Experiment{}, {}, u"Demo"_s);
    QVERIFY(size->isVisible());
}

void WindowExplore::theEmptyComparisonOffersOne()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
    auto *offer = m_fixture->window().findChild<QPushButton *>(u"compare.propose"_s);
    QVERIFY(offer->isVisible());
    QCOMPARE(offer->text(), u"Compare this plan with VOCAB-2"_s);
    QTest::mouseClick(offer, Qt::LeftButton);
    const auto &items = window.comparePanel().items();
    QVERIFY(items.empty()); // the prediction is a job
    QTRY_COMPARE(items.size(), std::size_t{2});
    QVERIFY(items[0].experiment.schedule.vocabulary == model::VocabularyMethod::None);
    QVERIFY(items[1].experiment.schedule.vocabulary == model::VocabularyMethod::Vocab2);
    QVERIFY(!offer->isVisible());
    // A plan that is no baseline stands beside the baseline.
    window.comparePanel().setItems({});
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab1);
    QCOMPARE(offer->text(), u"Compare this plan with the baseline"_s);
    QTest::mouseClick(offer, Qt::LeftButton);
    QTRY_COMPARE(items.size(), std::size_t{2});
    QVERIFY(items[0].experiment.schedule.vocabulary == model::VocabularyMethod::None);
    QVERIFY(items[1].experiment.schedule.vocabulary == model::VocabularyMethod::Vocab1);
}

void WindowExplore::filesAreAddedToTheComparison()
{
    auto &window = m_fixture->open();
    const QString examples = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/"_s;
    window.controllers().compare->addFiles({examples + u"textbook-1f1b.stagelens.json"_s, m_fixture->path(u"missing.json"_s)});
    window.controllers().compare->addFiles({examples + u"demo-slow-last-device.stagelens.json"_s});
    const auto &items = window.comparePanel().items();
    QVERIFY(items.empty()); // the predictions are jobs
    QTRY_COMPARE(items.size(), std::size_t{2});
    QCOMPARE(items[0].name, u"textbook-1f1b.stagelens.json"_s);
    QCOMPARE(items[1].name, u"demo-slow-last-device.stagelens.json"_s);
    const QString notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->text();
    QVERIFY2(notice.startsWith(u"missing.json was not added. "_s), qPrintable(notice));
}

void WindowExplore::largePlansAreExplainedElsewhere()
{
    auto &window = m_fixture->open();
    model::Experiment plan = window.document().experiment();
    plan.parallel.microbatches = 4096;
    window.document().start(plan, {}, u"Large"_s);
    QTRY_VERIFY(!window.forecast().isStale() && window.forecast().plan()->experiment.parallel.microbatches == 4096);
    QVERIFY(window.forecast().plan()->timeline->sliceCount() > ui::Explanations::kSlicesAtOnce);
    window.actions().criticalPath->trigger();
    QVERIFY(!m_fixture->content().groups[0].why); // the picture does not wait
    QTRY_VERIFY(m_fixture->content().groups[0].why);
    // A plan that is gone needs no explanation.
    plan.parallel.microbatches = 8192;
    window.document().start(plan, {}, u"Larger"_s);
    plan.parallel.microbatches = 16;
    window.document().start(plan, {}, u"Small"_s);
    QVERIFY(m_fixture->content().groups[0].why);
    QCOMPARE(m_fixture->content().groups[0].timeline, window.forecast().plan()->timeline);
}

void WindowExplore::hoveringTheActionRaisesAGhost()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    auto *button = m_fixture->find<QPushButton>(u"headline.action"_s);
    QEvent enter(QEvent::Enter);
    QApplication::sendEvent(button, &enter);
    QVERIFY(m_fixture->content().ghost.has_value());
    QVERIFY(m_fixture->content().ghost->end < m_fixture->content().groups[0].timeline->iteration());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(button, &leave);
    QVERIFY(!m_fixture->content().ghost.has_value());
}

void WindowExplore::illegalDevicesKeepThePictureAndUndoRestores()
{
    auto &window = m_fixture->open();
    auto *memory = window.findChild<ui::MemoryPlot *>();
    const auto held = [memory] { // within what the parameters take, at the bottom of the plot
        return memory->grab().toImage().pixelColor(memory->width() / 2, memory->height() - 12).lightness();
    };
    const int whole = held();
    auto *devices = m_fixture->find<QSpinBox>(u"strip.parallel.devices"_s);
    devices->setFocus();
    devices->selectAll();
    QTest::keyClicks(devices, u"9"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 9);
    QVERIFY(m_fixture->content().stale);
    const int paper = ui::coloursFor(window.palette()).background.lightness();
    QVERIFY(std::abs(whole - paper) > 60);
    QVERIFY(std::abs(held() - (whole + paper) / 2) <= 2); // as faded as the timeline
    QCOMPARE(m_fixture->content().groups[0].timeline->devices(), 4);
    QVERIFY(!window.actions().train->isEnabled());
    QVERIFY2(window.actions().train->toolTip().contains(u"9"_s), qPrintable(window.actions().train->toolTip()));
    QTest::keyClick(devices, Qt::Key_Return);
    auto *bar = &window.problemBar();
    QTRY_VERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"Showing the last valid plan: 4 devices."_s), qPrintable(bar->text()));
    const QAction *exports = window.actions().exports->menuAction();
    QVERIFY(!exports->isEnabled() && !window.actions().exportPng->isEnabled() && !window.actions().copyPicture->isEnabled());
    QVERIFY2(exports->toolTip().contains(u"last valid plan"_s), qPrintable(exports->toolTip()));
    QVERIFY(!devices->property("problem").toString().isEmpty());
    m_fixture->click(u"bar.problem.Undo"_s);
    QTRY_COMPARE(window.document().experiment().parallel.devices, 4);
    QCOMPARE(devices->value(), 4);
    QVERIFY(!bar->isVisible());
    QVERIFY(!m_fixture->content().stale);
    QTRY_COMPARE(held(), whole);
    QVERIFY(window.actions().train->isEnabled());
    QVERIFY(exports->isEnabled() && window.actions().exportPng->isEnabled());
    window.actions().learn->trigger();
    QVERIFY(!exports->isEnabled());
    window.actions().compare->trigger();
    QVERIFY(exports->isEnabled());
}

void WindowExplore::typingInOneFieldIsOneStepOfUndo()
{
    auto &window = m_fixture->open();
    auto *field = m_fixture->find<QSpinBox>(u"strip.parallel.microbatches"_s);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, u"123"_s);
    QCOMPARE(window.document().experiment().parallel.microbatches, 123);
    QCOMPARE(window.document().undoStack().count(), 1);
    QTest::keyClick(field, Qt::Key_Return);
    field->selectAll();
    QTest::keyClicks(field, u"8"_s);
    QCOMPARE(window.document().undoStack().count(), 2);
    QTest::keyClick(field, Qt::Key_Escape); // reverts what is being typed
    QCOMPARE(window.document().experiment().parallel.microbatches, 123);
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().parallel.microbatches, 16);
    QCOMPARE(field->value(), 16);
}

void WindowExplore::theAxisStandsStillWhileAFieldIsEdited()
{
    auto &window = m_fixture->open();
    auto *view = window.findChild<ui::ViewState *>();
    auto *field = m_fixture->find<QSpinBox>(u"strip.parallel.microbatches"_s);
    const auto before = view->end();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, u"6"_s);
    QCOMPARE(window.document().experiment().parallel.microbatches, 6);
    QCOMPARE(view->end(), before);
    QTest::keyClicks(field, u"4"_s);
    QVERIFY(view->span() > before); // the plan is longer than the axis, which is held
    QCOMPARE(view->end(), before);
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(view->end() > view->span());
    const auto longer = view->end();
    QTest::keyClick(field, Qt::Key_Down);
    QCOMPARE(view->end(), longer);
    m_fixture->find<QSpinBox>(u"strip.parallel.devices"_s)->setFocus(); // leaving the field ends the edit
    QVERIFY(view->end() < longer);
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Up);
    QVERIFY(view->end() < longer);
    QTRY_COMPARE(view->end(), longer); // and so does a pause
}

void WindowExplore::wordsThatAreNoNumberAreRefused()
{
    auto &window = m_fixture->open();
    auto *combo = m_fixture->find<QComboBox>(u"model.vocabulary_size"_s);
    QCOMPARE(combo->currentText(), u"8,192"_s);
    combo->lineEdit()->selectAll();
    QTest::keyClicks(combo->lineEdit(), u"lots"_s);
    QVERIFY(!window.forecast().problems().empty());
    QVERIFY(!window.actions().train->isEnabled());
    combo->lineEdit()->selectAll();
    QTest::keyClicks(combo->lineEdit(), u"32768"_s);
    QCOMPARE(window.document().experiment().model.vocabularySize, 32768);
    QVERIFY(window.forecast().problems().empty());
    QTest::keyClick(combo->lineEdit(), Qt::Key_Return);
    QCOMPARE(combo->currentText(), u"32,768"_s);
    QCOMPARE(window.document().undoStack().count(), 1);
}

void WindowExplore::pinnedBaselineIsNamedBesideTheDifference()
{
    auto &window = m_fixture->open();
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab1);
    window.actions().pinBaseline->trigger();
    QCOMPARE(m_fixture->find<QLabel>(u"metrics.baseline"_s)->text(), u"This plan is the baseline."_s);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::None);
    QVERIFY2(m_fixture->find<QLabel>(u"metrics.baseline"_s)->text().contains(u"VOCAB-1"_s),
             qPrintable(m_fixture->find<QLabel>(u"metrics.baseline"_s)->text()));
    QVERIFY(m_fixture->find<QLabel>(u"metrics.iteration.change"_s)->text().startsWith(u"+"_s));
    window.actions().unpinBaseline->trigger();
    QCOMPARE(m_fixture->find<QLabel>(u"metrics.baseline"_s)->text(), u"This plan is the baseline."_s);
}

void WindowExplore::aBaselineOfOtherWorkIsNotCompared()
{
    auto &window = m_fixture->open();
    const auto *change = m_fixture->find<QLabel>(u"metrics.iteration.change"_s);
    const auto *baseline = m_fixture->find<QLabel>(u"metrics.baseline"_s);
    const auto flag = [this] { return m_fixture->content().baseline ? m_fixture->content().baseline->text : QString(); };
    window.actions().pinBaseline->trigger();
    model::Experiment twice = window.document().experiment();
    twice.parallel.microbatches *= 2;
    window.document().edit(u"parallel.microbatches"_s, {}, twice);
    QVERIFY2(!change->isVisible(), qPrintable(change->text()));
    QVERIFY2(baseline->text().contains(u"is other work, so nothing is compared: they train different numbers of tokens"_s),
             qPrintable(baseline->text()));
    QVERIFY2(flag().endsWith(u" of other work"_s), qPrintable(flag()));
    twice.parallel.microbatchSize = 1;
    twice.parallel.microbatches /= 2;
    twice.schedule.vocabulary = model::VocabularyMethod::Redis;
    window.document().edit(u"parallel.microbatches"_s, {}, twice);
    QVERIFY(change->isVisible() && flag().contains(u", now "_s));
    // Teaching units of each stage: two chunks are twice the work of 1F1B; of a device's share they are as much.
    window.actions().unpinBaseline->trigger();
    model::Experiment teaching;
    teaching.hasModel = false;
    teaching.parallel.microbatches = 8;
    teaching.schedule.family = "interleaved-1f1b";
    for (const auto per : {model::UniformPer::Stage, model::UniformPer::Device}) {
        teaching.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, per};
        window.document().start(teaching, {}, u"Chunks"_s);
        const bool isEqual = per == model::UniformPer::Device;
        QCOMPARE(change->isVisible(), isEqual);
        QCOMPARE(flag().contains(u", now "_s), isEqual);
        QCOMPARE(baseline->text().contains(u"F and B of a microbatch take 12 and 24 units"_s), !isEqual);
    }
}

void WindowExplore::groupsThatGrowAreTold()
{
    auto &window = m_fixture->open();
    const auto *note = m_fixture->find<QLabel>(u"metrics.note"_s);
    QVERIFY(note && !note->isVisible());
    model::Experiment plan = window.document().experiment();
    plan.schedule.family = "interleaved-1f1b";
    plan.parallel.microbatches = 10; // on four devices: two groups of five and not 4, 4 and 2
    window.document().edit(u"schedule.family"_s, {}, plan);
    QVERIFY(note->isVisible());
    QCOMPARE(note->text(), u"Groups of up to 5 microbatches: the rest would not fill the pipeline."_s);
    plan.parallel.microbatches = 12;
    window.document().edit(u"schedule.family"_s, {}, plan);
    QVERIFY(!note->isVisible());
}

void WindowExplore::undoOfAProblemGoesBackToASoundPlan()
{
    auto &window = m_fixture->open();
    auto &document = window.document();
    auto *bar = &window.problemBar();
    const auto edit = [&](const QString &field, auto change) {
        model::Experiment next = document.experiment();
        change(next);
        document.edit(field, field, next);
    };
    // Typed in one gesture: sound at first, then not.
    edit(u"model.heads"_s, [](model::Experiment &next) { next.model.heads = next.model.kvHeads = 2; });
    QVERIFY(window.forecast().problems().empty());
    edit(u"model.heads"_s, [](model::Experiment &next) { next.model.heads = next.model.kvHeads = 24; });
    document.closeGesture();
    QVERIFY(!window.forecast().problems().empty());
    QTRY_VERIFY(bar->isVisible());
    QVERIFY(m_fixture->find<QAbstractButton>(u"bar.problem.Undo"_s));
    // Another edit does not mend it: the newest step is not what made the problem.
    edit(u"training.steps"_s, [](model::Experiment &next) { next.training.steps = 77; });
    document.closeGesture();
    QVERIFY(!window.forecast().problems().empty());
    m_fixture->click(u"bar.problem.Undo 2 steps"_s);
    QTRY_VERIFY(window.forecast().problems().empty());
    QCOMPARE(document.experiment().model.heads, 4);
    QVERIFY(!bar->isVisible());
    document.undoStack().redo();
    document.undoStack().redo();
    QCOMPARE(document.experiment().training.steps, 77);
    QTRY_VERIFY(bar->isVisible());
    m_fixture->click(u"bar.problem.Undo 2 steps"_s);
    QTRY_COMPARE(document.experiment().model.heads, 4);
}

void WindowExplore::aGapIsExplained()
{
    auto &window = m_fixture->open();
    const auto &lane = m_fixture->content().groups[0].timeline->lanes[2];
    emit window.explorePage().timeline()->gapClicked(0, 2, lane.begin[0] / 2);
    const QString text = window.findChild<ui::InspectorPanel *>()->text();
    QVERIFY2(text.startsWith(u"Device 2 waits"_s), qPrintable(text));
    QVERIFY2(text.contains(u"F of microbatch 0, stage 1"_s), qPrintable(text));
}

void WindowExplore::smallWindowsMovePanes()
{
    auto &window = m_fixture->open();
    m_fixture->openSettings();
    auto *left = m_fixture->find<QDockWidget>(u"dock.experiment"_s);
    auto *right = m_fixture->find<QDockWidget>(u"dock.figures"_s);
    QVERIFY(window.tabifiedDockWidgets(left).isEmpty());
    window.resize(1024, 700);
    QTRY_VERIFY(!right->isVisible()); // the figures are a line of the page
    auto *line = m_fixture->find<QWidget>(u"figures.line"_s);
    QVERIFY(line->isVisible() && left->isVisible());
    QCOMPARE(m_fixture->find<QLabel>(u"figures.line.iteration"_s)->text(),
             m_fixture->find<QLabel>(u"metrics.iteration"_s)->text());
    // With what changed against the baseline.
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    for (const QString &name : {u"iteration"_s, u"bubble"_s, u"memory"_s}) {
        auto *change = m_fixture->find<QLabel>(u"figures.line.%1.change"_s.arg(name));
        QVERIFY(change->isVisible());
        QCOMPARE(change->text(), m_fixture->find<QLabel>(u"metrics.%1.change"_s.arg(name))->text());
    }
    right->toggleViewAction()->trigger(); // their panel on demand, with the settings behind one another
    QTRY_VERIFY(right->isVisible() && !line->isVisible());
    QCOMPARE(window.tabifiedDockWidgets(left), QList<QDockWidget *>{right});
    for (const auto *ofDocks : window.findChildren<QTabBar *>(Qt::FindDirectChildrenOnly))
        QVERIFY(!ofDocks->isMovable()); // Qt may crash where one is moved
    auto *tabs = window.explorePage().findChild<QTabWidget *>();
    QCOMPARE(tabs->count(), 2);
    QCOMPARE(tabs->tabText(0), u"Memory"_s);
    window.resize(1440, 900);
    QTRY_VERIFY(window.tabifiedDockWidgets(left).isEmpty());
    QVERIFY(right->isVisible() && !line->isVisible());
    QCOMPARE(tabs->count(), 1);
}

void WindowExplore::theWindowFitsASmallScreen()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    window.runsPanel().setFolded(false);
    for (QAction *mode : {window.actions().explore, window.actions().compare}) {
        mode->trigger();
        window.resize(1024, 700);
        QApplication::processEvents();
        QCOMPARE(window.size(), QSize(1024, 700));
    }
}

void WindowExplore::checkedButtonsAreLegible_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void WindowExplore::checkedButtonsAreLegible()
{
    QFETCH(bool, dark);
    ui::applyAppearance(dark ? ui::Appearance::Dark : ui::Appearance::Light);
    auto &window = m_fixture->open();
    const auto *checked = m_fixture->find<QToolButton>(u"shown.Both"_s);
    const auto *other = m_fixture->find<QToolButton>(u"shown.Measured"_s);
    QVERIFY(checked->isChecked());
    const auto fill = [](const QToolButton *button) {
        return const_cast<QToolButton *>(button)->grab().toImage().pixelColor(4, 4);
    };
    const QPalette palette = window.palette();
    QVERIFY(ui::contrast(fill(checked), palette.color(QPalette::HighlightedText)) >= 4.5);
    QVERIFY(ui::contrast(fill(other), palette.color(QPalette::ButtonText)) >= 4.5);
    QVERIFY(ui::contrast(fill(checked), fill(other)) >= 3);
    QVERIFY(ui::contrast(fill(checked), palette.color(QPalette::Window)) >= 3);
    const QColor train = fill(m_fixture->find<QToolButton>(u"strip.train"_s));
    QVERIFY(ui::contrast(train, palette.color(QPalette::HighlightedText)) >= 4.5);
}

void WindowExplore::laterStartReopensTheLastExperiment()
{
    auto *first = &m_fixture->open();
    first->controllers().plan->chooseMethod(model::VocabularyMethod::Redis);
    first->close();
    auto &second = m_fixture->open();
    QVERIFY(second.document().experiment().schedule.vocabulary == model::VocabularyMethod::Redis);
    QVERIFY(second.isWindowModified()); // its title is that of the example, which has another method
    QVERIFY(second.forecast().problems().empty());
    // What was open stays open to editing: a resolved cut must not bind the next number of devices.
    auto *devices = m_fixture->find<QSpinBox>(u"strip.parallel.devices"_s);
    devices->setValue(2);
    QVERIFY2(second.forecast().problems().empty(), "the reopened plan cannot be edited");
    // What was unfolded by hand is unfolded at the next start, and folded again at that after it.
    for (const bool isFolded : {false, true}) {
        QCOMPARE(m_fixture->window().runsPanel().isFolded(), !isFolded);
        m_fixture->click(u"runs.fold"_s);
        m_fixture->window().close();
        QCOMPARE(m_fixture->open().runsPanel().isFolded(), isFolded);
    }
}

void WindowExplore::unreadableFileLeavesTheDemoAndSaysWhy()
{
    QFile broken(m_fixture->path(u"broken.stagelens.json"_s));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("{\"stagelens\": \"experiment/1\", \"model\": ");
    broken.close();
    auto &window = m_fixture->open(broken.fileName());
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QVERIFY(notice->isVisible());
    QVERIFY(!notice->text().isEmpty());
    QVERIFY(window.forecast().plan());
    QVERIFY(window.windowTitle().startsWith(u"Demo"_s));
}

void WindowExplore::everyControlHasAName()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().advice());
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        const bool control =
            qobject_cast<const QComboBox *>(widget) || qobject_cast<const QAbstractSpinBox *>(widget) ||
            (qobject_cast<const QLineEdit *>(widget) && !qobject_cast<const QComboBox *>(widget->parentWidget()) &&
             !qobject_cast<const QAbstractSpinBox *>(widget->parentWidget()));
        if (!control || widget->objectName().startsWith(u"qt_"_s))
            continue;
        const bool field = qobject_cast<const ui::FieldEditor *>(widget->parentWidget());
        QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
        QVERIFY2(!field || widget->toolTip().contains(u"Command line:"_s), qPrintable(widget->objectName()));
    }
}

STAGELENS_TEST(WindowExplore)

} // namespace ui_window_explore

#include "window_explore.moc"
