// How long the engine takes from an edit to a picture's data, by family and size of the plan.
#include "engine/exchange/timeline_json.h"
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/service/engine_service.h"
#include "engine/simulate/planned_schedule.h"
#include "engine/simulate/sensitivity/jitter.h"
#include "engine/simulate/simulate.h"
#include "tests/bench/heap.h"
#include "tests/support/gpt_shape.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace {

using namespace stagelens;
using model::VocabularyMethod;

/// A teaching plan. All durations differ, and F is no half of B, so that no family finds an easy case.
struct Size {
    const char *family;
    VocabularyMethod method;
    int devices;
    int microbatches;

    [[nodiscard]] std::string name() const
    {
        return std::string(family) + '/' + std::string(model::traits(method).isSharded ? "vocab-1/" : "none/") +
               std::to_string(devices) + 'x' + std::to_string(microbatches);
    }
    [[nodiscard]] model::Experiment plan() const
    {
        model::Experiment experiment;
        experiment.hasModel = false;
        experiment.parallel.devices = devices;
        experiment.parallel.microbatches = microbatches;
        experiment.schedule.family = family;
        experiment.schedule.vocabulary = method;
        experiment.cost.source = model::UniformCosts{
            {{"F", 1.0}, {"I", 1.1}, {"W", 0.8}, {"S", 0.21}, {"T", 0.33}, {"EF", 0.02}, {"EB", 0.03}, {"send", 0.01}}};
        return operators::resolved(experiment, 1);
    }
};

void generate(benchmark::State &state, const Size &size)
{
    const model::Experiment experiment = size.plan();
    for (auto step : state)
        benchmark::DoNotOptimize(simulate::plannedSchedule(experiment));
}

void validateSchedule(benchmark::State &state, const Size &size)
{
    const auto schedule = simulate::plannedSchedule(size.plan());
    for (auto step : state)
        benchmark::DoNotOptimize(schedule::findViolations(*schedule));
}

void simulateSchedule(benchmark::State &state, const Size &size)
{
    const model::Experiment experiment = size.plan();
    const auto schedule = simulate::plannedSchedule(experiment);
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    for (auto step : state)
        benchmark::DoNotOptimize(simulate::simulate(*schedule, *costs));
}

/// Order, check, times and figures; the number of passes.
std::size_t makeAll(const model::Experiment &experiment)
{
    const auto schedule = simulate::plannedSchedule(experiment);
    if (!schedule || !schedule::findViolations(*schedule).empty())
        return 0;
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    const auto timeline = simulate::simulate(*schedule, *costs);
    benchmark::DoNotOptimize(simulate::computeMetrics(experiment, *schedule, *timeline, &*costs, 0));
    return schedule->passCount();
}

/// What Schedule, Timeline and the simulation between them hold at once, at most, for each pass.
double bytesPerPass(const model::Experiment &experiment)
{
    const std::size_t before = bench::heapNow();
    const auto schedule = simulate::plannedSchedule(experiment);
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    bench::startPeak();
    const auto timeline = simulate::simulate(*schedule, *costs);
    return static_cast<double>(bench::heapPeak() - before) / static_cast<double>(schedule->passCount());
}

void whole(benchmark::State &state, const Size &size)
{
    const model::Experiment experiment = size.plan();
    std::size_t passes = 0;
    for (auto step : state)
        passes = makeAll(experiment);
    if (passes == 0)
        return state.SkipWithError("the plan is refused");
    state.counters["passes"] = static_cast<double>(passes);
    state.counters["bytes/pass"] = bytesPerPass(experiment);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(passes));
}

void predictPlan(benchmark::State &state, const Size &size)
{
    const model::Experiment experiment = size.plan();
    for (auto step : state)
        benchmark::DoNotOptimize(service::predict(experiment, 1));
}

/// 200 draws of the steps of a plan whose passes vary by 5 %, on two threads.
void drawJitter(benchmark::State &state, const Size &size)
{
    const model::Experiment experiment = size.plan();
    const auto schedule = simulate::plannedSchedule(experiment);
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    for (auto step : state)
        benchmark::DoNotOptimize(simulate::simulateJitter(*schedule, *costs, {0.05, 200, 1, 2}));
}

void exportTrace(benchmark::State &state, const Size &size)
{
    const auto prediction = service::predict(size.plan(), 1);
    for (auto step : state)
        benchmark::DoNotOptimize(exchange::chromeTrace(*(*prediction)->timeline));
}

void searchAll(benchmark::State &state, int devices, int microbatches)
{
    model::Experiment experiment;
    experiment.model = test::paperModel(4096, 262144);
    experiment.parallel = {devices, microbatches, 1, {}};
    experiment.schedule.family = model::kAutomaticFamily;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    service::SearchResult found;
    for (auto step : state)
        found = service::searchSchedules(experiment);
    state.counters["simulated"] = static_cast<double>(found.tried);
    state.counters["front"] = static_cast<double>(found.front.size());
}

template <class Run>
void add(const std::string &name, const Size &size, Run run)
{
    benchmark::RegisterBenchmark((name + '/' + size.name()).c_str(), [run, size](benchmark::State &state) {
        run(state, size);
    })->Unit(benchmark::kMillisecond);
}

void addAll()
{
    constexpr auto kNone = VocabularyMethod::None;
    constexpr auto kVocab1 = VocabularyMethod::Vocab1;
    for (const Size &size : {Size{"1f1b", kNone, 4, 16},
                             {"1f1b", kNone, 32, 512},
                             {"1f1b", kVocab1, 32, 512},
                             {"interleaved-1f1b", kNone, 32, 512},
                             {"v-half", kVocab1, 32, 128},
                             {"1f1b", kNone, 64, 2048}}) {
        add("whole", size, whole);
        add("generate", size, generate);
        add("validate", size, validateSchedule);
        add("simulate", size, simulateSchedule);
        add("predict", size, predictPlan);
        add("trace", size, exportTrace);
    }
    for (const Size &size : {Size{"1f1b", kNone, 4, 16}, {"1f1b", kNone, 32, 512}, {"1f1b", kVocab1, 32, 512}})
        add("jitter", size, drawJitter);
    // About 100 thousand, a million and ten million passes.
    for (const int microbatches : {1562, 15'625, 156'250})
        add("whole", {"1f1b", kNone, 32, microbatches}, whole);
    for (const schedule::Family &family : schedule::families())
        add("generate", {family.name.data(), kNone, 32, 128}, generate);
    for (const auto &[devices, microbatches] : {std::pair(8, 32), {16, 128}})
        benchmark::RegisterBenchmark(("search/" + std::to_string(devices) + 'x' + std::to_string(microbatches)).c_str(),
                                     [p = devices, m = microbatches](benchmark::State &state) { searchAll(state, p, m); })
            ->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char **argv)
{
    addAll();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
