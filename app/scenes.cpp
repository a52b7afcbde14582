// What a screenshot can show: each scene is something that a person does in the window.
#include "app/scenes.h"

#include "app/learn_scenes.h"
#include "app/wait_for.h"
#include "ui/controllers/compare_controller.h"
#include "ui/controllers/plan_controller.h"
#include "ui/controllers/schedule_controller.h"
#include "ui/controllers/schedule_file_controller.h"
#include "ui/controllers/sensitivity_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/levers_dialog.h"
#include "ui/panels/play_bar.h"
#include "ui/panels/runs/run_plot_dialog.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/plots/coordinates_plot.h"
#include "ui/shapes/shape_dialog.h"
#include "ui/shapes/topology_strip.h"
#include "ui/shell/main_window.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/state/view_state.h"
#include "ui/strip/plan_chip.h"
#include "ui/sweep/sweep_page.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/words.h"

#include <QActionGroup>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QSlider>
#include <QSpinBox>

#include <algorithm>
#include <functional>

namespace stagelens::app {

using namespace Qt::StringLiterals;
using base::Result;
using ui::MainWindow;
using ui::utf8;

namespace {

constexpr int kSceneSteps = 6;
constexpr int kManySteps = 500;

Result<> trainAFewSteps(MainWindow &window)
{
    model::Experiment next = window.document().experiment();
    next.training.steps = kSceneSteps;
    window.document().edit(u"training.steps"_s, u"Steps"_s, std::move(next));
    window.runController().train(window.document().experiment());
    if (!waitFor([&window] { return !window.runController().isTraining() && !window.runDatabase().isRefreshing(); }))
        return base::Error::failed("the run of the scene did not end within 3 minutes");
    const auto &run = window.runController().live();
    return run && run->error ? Result<>(*run->error) : Result<>();
}

/// The widest idle time of a device in the middle is asked about, with the mouse.
void askAboutAGap(ui::TimelineView &timeline)
{
    const timeline::Timeline &shown = *timeline.content().groups.front().timeline;
    const int device = shown.devices() / 2;
    const timeline::Lane &lane = shown.lanes[static_cast<std::size_t>(device)];
    std::size_t after = 1;
    for (std::size_t next = 1; next < lane.size(); ++next)
        if (lane.begin[next] - lane.end[next - 1] > lane.begin[after] - lane.end[after - 1])
            after = next;
    const QRect behind = timeline.placeOf(0, {device, after});
    const QRect before = timeline.placeOf(0, {device, after - 1});
    const QPointF middle((before.right() + behind.left()) / 2, behind.center().y());
    for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
        QMouseEvent event(type, middle, timeline.mapToGlobal(middle), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&timeline, &event);
    }
    QEvent leave(QEvent::Leave); // the panel at the pointer would cover what it is about
    QApplication::sendEvent(&timeline, &leave);
}

/// As if somebody were typing a number of microbatches.
void editTheMicrobatches(MainWindow &window)
{
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    auto &field = *window.findChild<QSpinBox *>(u"strip.parallel.microbatches"_s);
    field.setFocus();
    field.setValue(12);
    field.selectAll();
}

void letARunFail(MainWindow &window)
{
    model::Experiment next = window.document().experiment();
    next.training.optimizer.learningRate = 1e30;
    window.document().edit(u"training.optimizer.lr"_s, u"Learning rate"_s, std::move(next));
    (void)trainAFewSteps(window);
}

Result<> showTwoRunsCompared(MainWindow &window)
{
    for (const auto method : {model::VocabularyMethod::None, model::VocabularyMethod::Vocab2}) {
        window.controllers().plan->chooseMethod(method);
        if (auto trained = trainAFewSteps(window); !trained)
            return trained;
    }
    std::vector<store::RunId> runs = window.runDatabase().runs().ids;
    if (runs.size() < 2)
        return base::Error::failed("the runs of the scene were not stored: " + utf8(window.runDatabase().problem()));
    std::ranges::sort(runs);
    window.controllers().compare->compareRuns({runs.begin(), runs.end()});
    if (!waitFor([&] { return window.comparePanel().items().size() == runs.size(); }))
        return base::Error::failed("the runs of the scene were not read within 3 minutes");
    return {};
}

Result<> sweepThroughVocabularies(MainWindow &window)
{
    window.actions().sweep->trigger();
    window.sweepPage().start();
    if (!waitFor([&window] { return !window.sweepPage().isRunning(); }))
        return base::Error::failed("the sweep did not end within 3 minutes");
    return {};
}

void zoomIn(MainWindow &window)
{
    ui::ViewState &view = *window.findChild<ui::ViewState *>();
    view.zoom(view.span() / 3, 4);
    view.setMark(view.span() / 4, view.span() * 3 / 10);
}

/// So close that the operators inside passes are seen.
void zoomIntoPasses(MainWindow &window)
{
    const timeline::Timeline &shown = *window.explorePage().timeline()->content().groups.front().timeline;
    const timeline::Lane &lane = shown.lanes.front();
    window.findChild<ui::ViewState *>()->setRange(lane.begin[4], lane.end[7]);
}

void showTheCriticalPath(MainWindow &window)
{
    window.actions().colourBy->actions().constLast()->trigger();
    window.actions().criticalPath->trigger();
}

void showTheTable(MainWindow &window)
{
    window.findChild<ui::ViewState *>()->select(ui::ViewState::Selection{0, {1, 5}});
    window.actions().asTable->trigger();
}

void present(MainWindow &window)
{
    const QSize size = window.size();
    window.actions().presentation->trigger();
    window.showNormal(); // the picture has a size of its own
    window.resize(size);
}

void editTheSchedule(MainWindow &window)
{
    window.actions().editSchedule->trigger();
    window.controllers().schedule->move({0, 5, 4}); // a forward in front of the backward before it
}

void playToTheThird(MainWindow &window)
{
    ui::ViewState &view = *window.findChild<ui::ViewState *>();
    window.actions().play->trigger();
    window.explorePage().playBar()->toggle(); // a picture stands still
    view.setPlayhead(view.span() / 3);
    window.explorePage().playBar()->stepTo(true);
}

void showTheRuns(MainWindow &window)
{
    window.findChild<QAbstractButton *>(u"runs.fold"_s)->click();
}

void openFromTheStrip(MainWindow &window, const QString &button)
{
    if (auto *chip = window.findChild<ui::PlanChip *>(button))
        emit chip->pickerAsked();
    else
        window.findChild<QAbstractButton *>(button)->click();
    const auto settled = [&window] { return window.forecast().familyOptions().state == ui::FamilyOptions::State::Tried; };
    waitFor(settled);
}

/// A run under way, and the sheet that says what it is.
void showTheRunSheet(MainWindow &window)
{
    model::Experiment next = window.document().experiment();
    next.training.steps = kManySteps;
    window.document().edit(u"training.steps"_s, u"Steps"_s, std::move(next));
    openFromTheStrip(window, u"strip.train.sheet"_s);
    window.runController().train(window.document().experiment());
    waitFor([&window] { return window.runController().live() && window.runController().live()->record.losses.size() > 2; });
}

/// Shows a schedule text in which one pass is missing and another occurs twice.
Result<> breakTheSchedule(MainWindow &window)
{
    window.actions().editSchedule->trigger();
    auto &text = *window.findChild<ui::ScheduleTextEdit *>();
    text.setPlainText(text.toPlainText().replace(u"1: F0 F1 F2"_s, u"1: F0 F1 F1"_s));
    if (!waitFor([&window] { return window.explorePage().headline()->headline().isRepair; }))
        return base::Error::failed("the schedule was not judged within 3 minutes");
    return {};
}

/// Half of the way from the baseline to the plan with the vocabulary split.
Result<> morphHalfway(MainWindow &window)
{
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    window.actions().morph->trigger();
    ui::MorphView &view = *window.explorePage().morph()->view();
    if (!waitFor([&view] { return view.morph() != nullptr; }))
        return base::Error::failed("the baseline was not predicted within 3 minutes");
    window.explorePage().morph()->findChild<QSlider *>(u"morph.slider"_s)->setValue(450);
    return {};
}

/// The lever board of the plan.
Result<> showTheLevers(MainWindow &window)
{
    window.actions().levers->trigger();
    const auto *dialog = window.findChild<ui::LeversDialog *>();
    if (dialog == nullptr || !waitFor([dialog] { return !dialog->isComputing(); }))
        return base::Error::failed("the lever board was not computed within 3 minutes");
    return {};
}

/// The divisions of the plan's GPUs, in their own window.
Result<> showTheShapes(MainWindow &window)
{
    window.actions().shapes->trigger();
    const auto *dialog = window.findChild<ui::ShapeDialog *>();
    if (dialog == nullptr || !waitFor([dialog] { return !dialog->isComputing(); }))
        return base::Error::failed("the shapes were not searched within 3 minutes");
    return {};
}

/// The nodes with their ranks, one of which is explained.
void showTheTopology(MainWindow &window)
{
    window.actions().topology->trigger();
    QKeyEvent press(QEvent::KeyPress, Qt::Key_Right, Qt::NoModifier);
    QApplication::sendEvent(window.explorePage().topology(), &press);
}

/// The first and the last of many devices, one below the other.
Result<> pinTwoLanes(MainWindow &window)
{
    model::Experiment next = window.document().experiment();
    next.parallel.devices = 32;
    next.model.layers = 64;
    next.parallel.microbatches = 64;
    window.document().edit(u"parallel.devices"_s, u"Devices"_s, std::move(next));
    if (!waitFor([&window] { return window.explorePage().timeline()->content().groups.front().timeline->devices() == 32; }))
        return base::Error::failed("the plan of the scene was not predicted within 3 minutes");
    ui::ViewState &view = *window.findChild<ui::ViewState *>();
    view.togglePinned(0);
    view.togglePinned(31);
    return {};
}

/// A few stored runs as lines through their figures.
Result<> plotRuns(MainWindow &window)
{
    for (const auto method : {model::VocabularyMethod::None, model::VocabularyMethod::Vocab1, model::VocabularyMethod::Vocab2})
        for (const int microbatches : {4, 8, 16}) {
            model::Experiment next = window.document().experiment();
            next.schedule.vocabulary = method;
            next.parallel.microbatches = microbatches;
            window.document().edit(u"vocabulary.method"_s, u"Method"_s, std::move(next));
            if (auto trained = trainAFewSteps(window); !trained)
                return trained;
        }
    window.findChild<QAbstractButton *>(u"runs.plot"_s)->click();
    auto *dialog = window.findChild<ui::RunPlotDialog *>();
    if (!waitFor([dialog] { return dialog->plot()->kept().size() == 9; }))
        return base::Error::failed("the runs of the scene were not read within 3 minutes");
    return {};
}

/// A lecture of two scenes in its editor: the plan before and after the vocabulary is split.
void editALecture(MainWindow &window)
{
    window.actions().lecture->trigger();
    const auto add = [&window](const QString &title) {
        window.findChild<QAbstractButton *>(u"lecture.add"_s)->click();
        auto &line = *window.findChild<QLineEdit *>(u"lecture.scene"_s);
        line.setText(title);
        emit line.textEdited(title);
    };
    add(u"The slow last device"_s);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    add(u"The wall dissolves"_s);
    window.findChild<QPlainTextEdit *>(u"lecture.notes"_s)->setPlainText(u"The bubble is now **{bubble}**."_s);
}

struct Scene {
    const char16_t *name;
    std::function<Result<>(MainWindow &)> play;
};

/// What cannot fail, as a scene's play.
std::function<Result<>(MainWindow &)> simply(std::function<void(MainWindow &)> play)
{
    return [play = std::move(play)](MainWindow &window) {
        play(window);
        return Result<>();
    };
}

const std::vector<Scene> &scenes()
{
    static const auto nothing = simply([](MainWindow &) {});
    static const std::vector<Scene> kAll = {
        {u"first-start", nothing},
        {u"vocab-2",
         simply([](MainWindow &window) { window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2); })},
        {u"edited", simply(editTheMicrobatches)},
        {u"trained", trainAFewSteps},
        {u"pass-kinds",
         [](MainWindow &window) {
             auto trained = trainAFewSteps(window);
             window.findChild<QAbstractButton *>(u"metrics.byKind"_s)->click();
             return trained;
         }},
        {u"failed", simply(letARunFail)},
        {u"bubble", simply([](MainWindow &window) { askAboutAGap(*window.explorePage().timeline()); })},
        {u"compare", showTwoRunsCompared},
        {u"sweep", sweepThroughVocabularies},
        {u"dark", nothing},
        {u"zoomed", simply(zoomIn)},
        {u"operators", simply(zoomIntoPasses)},
        {u"measured-operators",
         [](MainWindow &window) {
             auto trained = trainAFewSteps(window);
             zoomIntoPasses(window);
             return trained;
         }},
        {u"critical", simply(showTheCriticalPath)},
        {u"table", simply(showTheTable)},
        {u"presentation", simply(present)},
        {u"levers", showTheLevers},
        {u"lecture", simply(editALecture)},
        {u"shapes", showTheShapes},
        {u"topology", simply(showTheTopology)},
        {u"ranks", simply([](MainWindow &window) { window.actions().lanes->actions().constLast()->trigger(); })},
        {u"schedule", simply(editTheSchedule)},
        {u"invalid", breakTheSchedule},
        {u"runs",
         [](MainWindow &window) {
             auto trained = trainAFewSteps(window);
             showTheRuns(window);
             return trained;
         }},
        {u"run-plot", plotRuns},
        {u"pinned", pinTwoLanes},
        {u"training", simply(showTheRunSheet)},
        {u"methods", simply([](MainWindow &window) { openFromTheStrip(window, u"strip.chip.schedule"_s); })},
        {u"settings", simply([](MainWindow &window) { window.actions().settings->trigger(); })},
        {u"play", simply(playToTheThird)},
        {u"morph", morphHalfway}};
    return kAll;
}

const Scene *find(const QString &name)
{
    const auto found = std::ranges::find_if(scenes(), [&](const Scene &scene) { return name == scene.name; });
    return found == scenes().end() ? nullptr : &*found;
}

} // namespace

QString sceneNames()
{
    QStringList all;
    for (const Scene &scene : scenes())
        all << QString::fromUtf16(scene.name);
    all << u"learn"_s << u"learn:PAGE"_s << u"learn:TOUR#STEP"_s << u"learn:TOUR#STEP+train"_s;
    return all.join(u", "_s);
}

Result<> checkScene(const QString &name)
{
    if (isLearnScene(name))
        return checkLearnScene(name);
    if (find(name))
        return {};
    return base::Error::invalid("--scene", utf8(u"the scene '%1' is unknown; use one of %2"_s.arg(name, sceneNames())));
}

Result<> playScene(MainWindow &window, const QString &name)
{
    const auto settled = [&window] {
        return (window.forecast().advice() || !window.forecast().problems().empty()) && !window.runDatabase().isRefreshing() &&
               !window.controllers().scheduleFiles->isOpening() && !window.controllers().sensitivity->isComputing() &&
               window.forecast().familyOptions().isSettled();
    };
    if (!waitFor(settled))
        return base::Error::failed("the prediction did not end within 3 minutes");
    if (const Scene *scene = find(name)) {
        if (auto played = scene->play(window); !played)
            return played;
    } else if (isLearnScene(name)) {
        playLearnScene(window, name);
    }
    waitFor(settled);
    return {};
}

} // namespace stagelens::app
