// How long the window's picture takes: full redraw, hover, and from a keystroke to the new picture.
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/engine_service.h"
#include "engine/service/predictions/explain.h"
#include "ui/canvas/qcp.h"
#include "ui/controllers/window_actions.h"
#include "ui/shell/main_window.h"
#include "ui/state/experiment_document.h"
#include "ui/state/lane_groups.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTemporaryDir>

#include <benchmark/benchmark.h>

#include <map>

namespace {

using namespace stagelens;

constexpr QSize kSize{1440, 700};

/// Teaching plans: 32 devices x `microbatches` of VOCAB-1 (F, B, S, T, EF, EB).
service::PredictionPtr planOf(int microbatches)
{
    static std::map<int, service::PredictionPtr> known;
    service::PredictionPtr &plan = known[microbatches];
    if (plan)
        return plan;
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = 32;
    experiment.parallel.microbatches = microbatches;
    experiment.schedule.vocabulary = model::VocabularyMethod::Vocab1;
    experiment.cost.source =
        model::UniformCosts{{{"F", 1.0}, {"B", 1.9}, {"S", 0.21}, {"T", 0.33}, {"EF", 0.02}, {"EB", 0.03}, {"send", 0.01}}};
    plan = service::predict(operators::resolved(experiment, 2), 2).value();
    return plan;
}

struct View {
    ui::ViewState state;
    ui::TimelineView timeline{&state};
    explicit View(int microbatches, bool critical = false)
    {
        timeline.resize(kSize);
        ui::TimelineContent content;
        content.groups = {ui::predictedGroup(planOf(microbatches))};
        content.critical = critical;
        if (critical)
            content.groups.front().why =
                std::make_shared<const simulate::Explanation>(service::explain(*planOf(microbatches)).value());
        timeline.setContent(std::move(content));
        timeline.show();
        QApplication::processEvents();
    }
};

/// The whole picture in the window, at a zoom of range(1); with the minimap where a part of the span is seen, and with the
/// critical path where range(2) is 1.
void redraw(benchmark::State &bench)
{
    View view(static_cast<int>(bench.range(0)), bench.range(2) == 1);
    view.state.zoom(view.state.span() / 3, static_cast<double>(bench.range(1)));
    auto *plot = view.timeline.findChild<QCustomPlot *>();
    QApplication::processEvents();
    for (auto step : bench)
        plot->replot(QCustomPlot::rpImmediateRefresh);
    bench.counters["slices"] = static_cast<double>(planOf(static_cast<int>(bench.range(0)))->timeline->sliceCount());
}

/// One move of the mouse: hit, words and the layer over the picture.
void hover(benchmark::State &bench)
{
    View view(static_cast<int>(bench.range(0)));
    int x = 300;
    for (auto step : bench) {
        x = x < 1300 ? x + 7 : 300;
        QMouseEvent move(QEvent::MouseMove, QPointF(x, 300), QPointF(x, 300), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&view.timeline, &move);
        QApplication::processEvents();
    }
}

/// From the edit to the painted window, as one keystroke makes it: 32 x 512, 1F1B without a split vocabulary, which is
/// predicted where the key was pressed; with the critical path where range(0) is 1.
void keystroke(benchmark::State &bench)
{
    const QTemporaryDir folder;
    ui::WindowOptions options;
    options.database = folder.filePath(QStringLiteral("runs.db")).toStdString();
    options.remember = false;
    ui::MainWindow window(options);
    window.resize(1440, 900);
    window.show();
    model::Experiment plan = planOf(512)->experiment;
    plan.schedule.vocabulary = model::VocabularyMethod::None;
    window.document().start(plan, {}, QStringLiteral("Bench"));
    if (bench.range(0) == 1)
        window.actions().criticalPath->trigger();
    for (int i = 0; i < 50; ++i)
        QApplication::processEvents();
    for (auto step : bench) {
        plan.parallel.microbatches = plan.parallel.microbatches == 512 ? 511 : 512;
        window.document().edit(QStringLiteral("parallel.microbatches"), {}, plan);
        window.grab();
    }
}

} // namespace

BENCHMARK(redraw)
    ->ArgNames({"microbatches", "zoom", "critical"})
    ->Args({512, 1, 0})
    ->Args({5300, 1, 0})
    ->Args({5300, 20, 0})
    ->Args({5300, 400, 0})
    ->Args({64, 1, 1})
    ->Args({512, 1, 1})
    ->Args({5300, 1, 1})
    ->Args({5300, 20, 1})
    ->Args({5300, 400, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(hover)->Arg(512)->Arg(5300)->Unit(benchmark::kMillisecond);
BENCHMARK(keystroke)->ArgName("critical")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
