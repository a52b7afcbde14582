// What a person waits for in the window beside its picture (see picture.cpp): opening a stored run of a million slices, and the
// table of 100,000 runs.
#include "engine/base/random.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/engine_service.h"
#include "tests/bench/many_runs.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/runs/runs_panel.h"
#include "ui/shell/main_window.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_table_model.h"

#include <QApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

#include <benchmark/benchmark.h>

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>

namespace {

using namespace stagelens;
using namespace Qt::StringLiterals;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// MiB of a line of /proc/self/status.
double statusOf(const std::string &field)
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == field + ":") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    return 0;
}

/// Works until the condition holds.
template <class Condition>
void workUntil(Condition holds)
{
    while (!holds())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
}

/// Processor time of this thread.
double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// 32 devices, VOCAB-1: 192 slices a microbatch.
model::Experiment largePlan(int microbatches)
{
    model::Experiment plan;
    plan.model.preset = "custom";
    plan.model.layers = 32;
    plan.parallel.devices = 32;
    plan.parallel.microbatches = microbatches;
    plan.schedule.vocabulary = model::VocabularyMethod::Vocab1;
    return operators::resolved(plan, 2);
}

constexpr std::array kMicrobatches{5300, 5301};

/// A database with two runs of 1,017,600 slices and more.
void storeLargeRuns(const std::filesystem::path &file)
{
    auto store = store::RunStore::open(file).value();
    base::Random random(1);
    for (const int microbatches : kMicrobatches) {
        const auto prediction = service::predict(largePlan(microbatches), 2).value();
        timeline::Timeline measured = *prediction->timeline;
        measured.provenance = timeline::Provenance::MeasuredVirtualClock;
        measured.transfers.clear(); // as in every measured timeline
        for (timeline::Lane &lane : measured.lanes)
            for (std::size_t i = 0; i < lane.size(); ++i) // no two passes take equally long
                lane.end[i] -= random.nextInteger(0, (lane.end[i] - lane.begin[i]) / 20);
        const store::RunId run = store.edit().begin(prediction->experiment, measured.provenance, "", {}).value();
        (void)store.edit().addStep(run, 0, 9.0, measured.iteration());
        (void)store.edit().setTimeline(run, measured, prediction->metrics);
        (void)store.edit().finish(run, store::RunStatus::Finished, "");
    }
}

constexpr int kRestMilliseconds = 500;

/// The window over a database, shown.
struct Shown {
    QTemporaryDir data;
    std::unique_ptr<ui::MainWindow> window;

    explicit Shown(const std::filesystem::path &database)
    {
        qputenv("STAGELENS_DATA_DIR", data.path().toUtf8());
        ui::WindowOptions options;
        options.database = database;
        options.remember = false;
        window = std::make_unique<ui::MainWindow>(options);
        window->resize(1440, 900);
        window->show();
        QApplication::setActiveWindow(window.get());
    }
    QTableView &table() { return *window->runsPanel().table(); }
    const ui::TimelineContent &content() { return window->explorePage().timeline()->content(); }
    /// Until nothing is computed any more, and what the engine's thread gives back is given back.
    void rest()
    {
        workUntil([this] { return window->forecast().advice() != nullptr; });
        QTimer::singleShot(kRestMilliseconds, window.get(), [this] { rested = true; });
        workUntil([this] { return std::exchange(rested, false); });
    }
    bool rested = false;
    ui::RunTableModel &runs() { return *qobject_cast<ui::RunTableModel *>(table().model()); }
    /// Until a change of the table's order or filter has come from the database, and the rows at the top of the view too.
    template <class Change>
    void untilRead(const Change &change)
    {
        bool isNew = false;
        const auto connection = QObject::connect(&runs(), &QAbstractItemModel::modelReset, [&isNew] { isNew = true; });
        change();
        workUntil([&] { return isNew; });
        QObject::disconnect(connection);
        untilRowsAreRead();
    }
    void untilRowsAreRead()
    {
        workUntil([this] { return runs().run(table().indexAt({0, 0})) != nullptr; });
        QApplication::processEvents();
    }
    void doubleClick(int row)
    {
        QWidget *viewport = table().viewport();
        const QPointF place = table().visualRect(table().model()->index(row, ui::RunTableModel::Name)).center();
        for (const auto type :
             {QEvent::MouseButtonPress, QEvent::MouseButtonRelease, QEvent::MouseButtonDblClick, QEvent::MouseButtonRelease}) {
            QMouseEvent event(type, place, viewport->mapToGlobal(place), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(viewport, &event);
        }
    }
};

std::filesystem::path largeRuns; ///< the database that main() has made

/// From the double-click in the table of runs to the run's picture (`cpu_ms`: processor time of the window's thread, the
/// least); `with_plan_ms`: until its plan, predicted on a thread of its own, stands above it. `rss_MiB`: what the process holds
/// when all is at rest after the first run that is opened, `last_MiB` after all of them.
void openRun(benchmark::State &bench)
{
    Shown shown(largeRuns);
    shown.window->runsPanel().setFolded(false);
    shown.rest();
    int painted = 0;
    QObject::connect(shown.window->explorePage().timeline(), &ui::TimelineView::painted, [&painted] { ++painted; });
    const auto untilPainted = [&] { workUntil([&, before = painted] { return painted > before; }); };
    bench.counters["before_MiB"] = statusOf("VmRSS");
    double cpu = 1e9;
    double withPlan = 1e9;
    int row = 0;
    for (auto step : bench) {
        row = 1 - row;
        const auto begin = Clock::now();
        const double beginCpu = threadSeconds();
        shown.doubleClick(row);
        const auto isInPicture = [&] {
            const auto run = shown.window->runController().shown();
            return run && run->record.timeline && shown.content().groups.back().timeline == run->record.timeline;
        };
        do // the picture may be painted for another reason before
            untilPainted();
        while (!isInPicture());
        bench.SetIterationTime(secondsSince(begin));
        cpu = std::min(cpu, threadSeconds() - beginCpu);
        const auto &measured = shown.window->runController().shown()->record;
        while (shown.content().groups.front().timeline->sliceCount() != measured.timeline->sliceCount())
            untilPainted();
        withPlan = std::min(withPlan, secondsSince(begin));
        shown.rest();
        if (!bench.counters.contains("rss_MiB")) {
            bench.counters["rss_MiB"] = statusOf("VmRSS");
            bench.counters["peak_MiB"] = statusOf("VmHWM");
        }
    }
    bench.counters["cpu_ms"] = cpu * 1e3;
    bench.counters["with_plan_ms"] = withPlan * 1e3;
    bench.counters["last_MiB"] = statusOf("VmRSS");
}

/// The window over 100,000 runs: made, shown and painted with the table.
void openTable(benchmark::State &bench)
{
    const auto &file = bench::manyRuns().file;
    for (auto step : bench) {
        const auto begin = Clock::now();
        Shown shown(file);
        shown.window->runsPanel().setFolded(false);
        workUntil([&] { return shown.table().isVisible() && shown.runs().rowCount() == bench::kRuns; });
        shown.untilRowsAreRead();
        bench.SetIterationTime(secondsSince(begin));
        shown.rest();
    }
}

/// The same window over no runs, to be taken off.
void openNoTable(benchmark::State &bench)
{
    const QTemporaryDir folder;
    for (auto step : bench) {
        const auto begin = Clock::now();
        Shown shown(folder.filePath(u"none.db"_s).toStdString());
        QApplication::processEvents();
        bench.SetIterationTime(secondsSince(begin));
        shown.rest();
    }
}

/// Steps of the table's scroll bar, each until the rows are painted: their mean, and the slowest of all.
void scroll(benchmark::State &bench, bool far)
{
    Shown shown(bench::manyRuns().file);
    shown.window->runsPanel().setFolded(false);
    shown.rest();
    workUntil([&] { return shown.runs().rowCount() == bench::kRuns; });
    QScrollBar *bar = shown.table().verticalScrollBar();
    base::Random random(1);
    double slowest = 0;
    for (auto step : bench) {
        const auto begin = Clock::now();
        bar->setValue(far ? static_cast<int>(random.nextInteger(0, bar->maximum())) : (bar->value() + 3) % bar->maximum());
        shown.untilRowsAreRead();
        const double seconds = secondsSince(begin);
        bench.SetIterationTime(seconds);
        slowest = std::max(slowest, seconds);
    }
    bench.counters["slowest_ms"] = slowest * 1e3;
}

/// A filter that is typed, and the click on a column's title, until the rows are painted.
void filter(benchmark::State &bench)
{
    Shown shown(bench::manyRuns().file);
    shown.window->runsPanel().setFolded(false);
    shown.rest();
    bool on = false;
    for (auto step : bench) {
        on = !on;
        const auto begin = Clock::now();
        shown.untilRead([&] { emit shown.window->runsPanel().filterChanged(on ? u"vocab-2 live"_s : QString()); });
        bench.SetIterationTime(secondsSince(begin));
    }
}

void sort(benchmark::State &bench, int column)
{
    Shown shown(bench::manyRuns().file);
    shown.window->runsPanel().setFolded(false);
    shown.rest();
    QHeaderView *header = shown.table().horizontalHeader();
    for (auto step : bench) {
        const auto begin = Clock::now();
        shown.untilRead([&] { emit header->sectionClicked(column); });
        bench.SetIterationTime(secondsSince(begin));
    }
}

} // namespace

BENCHMARK(openRun)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(openTable)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(openNoTable)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scroll, steps, false)->UseManualTime()->Iterations(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scroll, jumps, true)->UseManualTime()->Iterations(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(filter)->UseManualTime()->Iterations(10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sort, name, static_cast<int>(ui::RunTableModel::Name))
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sort, tokens, static_cast<int>(ui::RunTableModel::TokensPerSecond))
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir folder;
    largeRuns = folder.filePath(u"large.db"_s).toStdString();
    // In a process of its own: what it takes to make them is not what it takes to look at them.
    if (const pid_t maker = fork(); maker == 0) {
        storeLargeRuns(largeRuns);
        _exit(0);
    } else {
        waitpid(maker, nullptr, 0);
    }
    const QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
