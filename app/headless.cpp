#include "app/headless.h"

#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/service/engine_service.h"
#include "ui/bridge/lane_groups.h"
#include "ui/bridge/words.h"
#include "ui/models/experiment_document.h"
#include "ui/panels/play_bar.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/forecast.h"
#include "ui/shell/learn_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/picture_export.h"
#include "ui/shell/run_desk.h"
#include "ui/shell/schedule_desk.h"
#include "ui/shell/sweep_page.h"
#include "ui/shell/theme.h"
#include "ui/shell/view_state.h"
#include "ui/shell/window_actions.h"
#include "ui/timeline/timeline_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QDeadlineTimer>
#include <QMouseEvent>
#include <QPixmap>
#include <QSaveFile>
#include <QSpinBox>
#include <QTemporaryDir>

#include <algorithm>

namespace stagelens::app {

using namespace Qt::StringLiterals;
using ui::qtText;
using ui::utf8;

namespace {

constexpr int kPatienceMilliseconds = 180'000;
constexpr int kSceneSteps = 6;

/// The lanes of an experiment's prediction or of a stored run.
base::Result<ui::TimelineContent> contentOf(const ExportRequest &request)
{
    ui::TimelineContent content;
    if (request.run) {
        service::EngineService service({request.database, 0});
        auto record = service.loadRun(*request.run, request.step);
        if (!record)
            return std::move(record).error();
        if (!record->timeline)
            return base::Error::failed(
                base::concat("run ", *request.run, " ended before its first step, so it has no timeline"));
        ui::LaneGroup group;
        group.timeline = record->timeline;
        if (auto schedule = service::scheduleOf(record->experiment))
            group.schedule = std::make_shared<const schedule::Schedule>(*std::move(schedule));
        group.metrics = record->metrics.value_or(simulate::Metrics{});
        group.caption = u"%1 · run %2"_s.arg(ui::caption(record->summary.kind)).arg(*request.run);
        content.groups.push_back(std::move(group));
        return content;
    }
    const auto experiment = model::loadExperiment(utf8(request.experiment));
    if (!experiment)
        return experiment.error();
    const auto prediction = service::predict(*experiment, service::machineCores());
    if (!prediction)
        return prediction.error();
    content.groups.push_back(ui::predictedGroup(*prediction));
    content.teachingUnits = ui::inTeachingUnits(*experiment);
    return content;
}

/// Lets the window work until `done` or until patience ends.
template <class Condition>
bool waitFor(Condition done)
{
    const QDeadlineTimer deadline(kPatienceMilliseconds);
    while (!done() && !deadline.hasExpired())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    return done();
}

base::Result<> trainAFewSteps(ui::MainWindow &window)
{
    model::Experiment next = window.document().experiment();
    next.training.steps = kSceneSteps;
    window.document().edit(u"training.steps"_s, u"Steps"_s, std::move(next));
    window.desk().train(window.document().experiment());
    const bool ended = waitFor([&window] { return !window.desk().isTraining(); });
    if (!ended)
        return base::Error::failed("the run of the scene did not end within 3 minutes");
    const auto &error = window.desk().live()->error;
    return error ? base::Result<>(*error) : base::Result<>();
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
void editTheMicrobatches(ui::MainWindow &window)
{
    window.apply(model::VocabularyMethod::Vocab2);
    auto &field = *window.findChild<QSpinBox *>(u"strip.parallel.microbatches"_s);
    field.setFocus();
    field.setValue(12);
    field.selectAll();
}

base::Result<> playScene(ui::MainWindow &window, const QString &scene)
{
    const auto settled = [&window] { return window.forecast().advice() || !window.forecast().problems().empty(); };
    if (!waitFor(settled))
        return base::Error::failed("the prediction did not end within 3 minutes");
    if (scene == u"vocab-2"_s)
        window.apply(model::VocabularyMethod::Vocab2);
    if (scene == u"trained"_s || scene == u"compare"_s) {
        if (auto trained = trainAFewSteps(window); !trained)
            return trained;
    }
    if (scene == u"compare"_s) {
        window.apply(model::VocabularyMethod::Vocab2);
        if (auto trained = trainAFewSteps(window); !trained)
            return trained;
        std::vector<store::RunId> runs = window.desk().runs().ids;
        if (runs.size() < 2)
            return base::Error::failed("the runs of the scene were not stored: " + utf8(window.desk().storeProblem()));
        std::ranges::sort(runs);
        window.compareRuns({runs.begin(), runs.end()});
    }
    ui::ViewState &view = *window.findChild<ui::ViewState *>();
    if (scene == u"zoomed"_s) {
        view.zoom(view.span() / 3, 4);
        view.setMark(view.span() / 4, view.span() * 3 / 10);
    }
    if (scene == u"critical"_s) {
        window.actions().colourBy->actions().constLast()->trigger();
        window.actions().criticalPath->trigger();
    }
    if (scene == u"table"_s) {
        view.select(ui::ViewState::Selection{0, {1, 5}});
        window.actions().asTable->trigger();
    }
    if (scene == u"presentation"_s) {
        const QSize size = window.size();
        window.actions().presentation->trigger();
        window.showNormal(); // the picture has a size of its own
        window.resize(size);
    }
    if (scene == u"bubble"_s)
        askAboutAGap(*window.explorePage().timeline());
    if (scene == u"edited"_s)
        editTheMicrobatches(window);
    if (scene == u"schedule"_s) {
        window.actions().editSchedule->trigger();
        window.scheduleDesk().move({0, 5, 4}); // a forward in front of the backward before it
    }
    if (scene == u"play"_s) {
        window.actions().play->trigger();
        window.explorePage().playBar()->toggle(); // a picture stands still
        view.setPlayhead(view.span() / 3);
        window.explorePage().playBar()->stepTo(true);
    }
    if (scene.startsWith(u"learn"_s)) { // learn:PAGE#STEP
        window.actions().learn->trigger();
        if (const QString page = scene.section(u':', 1); !page.isEmpty()) {
            window.learnPage().showPage(page.section(u'#', 0, 0));
            window.learnPage().showStep(page.section(u'#', 1).toInt() - 1);
        }
    }
    if (scene == u"sweep"_s) {
        window.actions().sweep->trigger();
        window.sweepPage().start();
        if (!waitFor([&window] { return !window.sweepPage().isRunning(); }))
            return base::Error::failed("the sweep did not end within 3 minutes");
    }
    waitFor(settled);
    return {};
}

} // namespace

base::Result<> exportTimeline(const ExportRequest &request)
{
    auto content = contentOf(request);
    if (!content)
        return std::move(content).error();
    ui::ViewState view;
    ui::TimelineView timeline(&view);
    timeline.setContent(*std::move(content));
    return ui::exportPicture(timeline, request.file, request.format, request.size);
}

base::Result<> takeScreenshot(const ScreenshotRequest &request)
{
    static const QStringList scenes = {u"first-start"_s, u"vocab-2"_s,        u"edited"_s,   u"trained"_s, u"bubble"_s,
                                       u"compare"_s,     u"sweep"_s,          u"dark"_s,     u"zoomed"_s,  u"critical"_s,
                                       u"table"_s,       u"presentation"_s,   u"schedule"_s, u"play"_s,    u"learn"_s,
                                       u"learn:PAGE"_s,  u"learn:TOUR#STEP"_s};
    if (!scenes.contains(request.scene) && !request.scene.startsWith(u"learn:"_s))
        return base::Error::invalid("--scene", "the scene '" + utf8(request.scene) + "' is unknown; use one of " +
                                                   utf8(scenes.join(u", "_s)));
    const QTemporaryDir folder;
    const bool dark = request.dark || request.scene == u"dark"_s;
    ui::applyAppearance(dark ? ui::Appearance::Dark : ui::Appearance::Light);
    ui::WindowOptions options;
    options.database = request.database.empty() ? std::filesystem::path(utf8(folder.filePath(u"runs.db"_s))) : request.database;
    options.file = request.experiment;
    options.remember = false;
    ui::MainWindow window(options);
    window.resize(request.size);
    window.show();
    if (auto played = playScene(window, request.scene); !played)
        return played;
    // Layout requests and queued repaints come before the picture.
    for (int round = 0; round < 5; ++round)
        QApplication::processEvents();
    QSaveFile out(request.file);
    if (!out.open(QIODevice::WriteOnly) || !window.grab().save(&out, "PNG") || !out.commit())
        return base::Error::failed("cannot write: " + utf8(out.errorString()), utf8(request.file));
    return {};
}

} // namespace stagelens::app
