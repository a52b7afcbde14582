// How long the engine takes from an edit to a picture's data, by size of the plan.
#include "engine/exchange/timeline_json.h"
#include "engine/schedule/families.h"
#include "engine/schedule/validator.h"
#include "engine/service/engine_service.h"
#include "engine/simulate/simulate.h"

#include <benchmark/benchmark.h>

namespace {

using namespace stagelens;

/// A teaching plan: devices, microbatches and vocabulary method from the benchmark's arguments.
model::Experiment plan(const benchmark::State &state)
{
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = static_cast<int>(state.range(0));
    experiment.parallel.microbatches = static_cast<int>(state.range(1));
    experiment.schedule.vocabulary = state.range(2) != 0 ? model::VocabularyMethod::Vocab2 : model::VocabularyMethod::None;
    experiment.cost.source = model::UniformCosts{{{"F", 1.0}, {"B", 2.0}, {"S", 0.25}, {"T", 0.25}}};
    return model::resolved(experiment, 1);
}

void generate(benchmark::State &state)
{
    const model::Experiment experiment = plan(state);
    for (auto step : state)
        benchmark::DoNotOptimize(schedule::makeSchedule(experiment));
}

void validateSchedule(benchmark::State &state)
{
    const auto schedule = schedule::makeSchedule(plan(state));
    for (auto step : state)
        benchmark::DoNotOptimize(schedule::findViolations(*schedule));
}

void simulateSchedule(benchmark::State &state)
{
    const model::Experiment experiment = plan(state);
    const auto schedule = schedule::makeSchedule(experiment);
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    for (auto step : state)
        benchmark::DoNotOptimize(simulate::simulate(*schedule, *costs));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule->passCount()));
}

void predictPlan(benchmark::State &state)
{
    const model::Experiment experiment = plan(state);
    for (auto step : state)
        benchmark::DoNotOptimize(service::predict(experiment, 1));
}

void exportTrace(benchmark::State &state)
{
    const auto prediction = service::predict(plan(state), 1);
    for (auto step : state)
        benchmark::DoNotOptimize(exchange::chromeTrace(*(*prediction)->timeline));
}

/// From the demo's size to a large run's, with and without vocabulary passes.
void sizes(benchmark::internal::Benchmark *benchmark)
{
    benchmark->ArgNames({"devices", "microbatches", "sharded"})->Unit(benchmark::kMillisecond);
    for (const int sharded : {0, 1})
        benchmark->Args({4, 16, sharded})->Args({32, 512, sharded})->Args({64, 2048, sharded});
}

BENCHMARK(generate)->Apply(sizes);
BENCHMARK(validateSchedule)->Apply(sizes);
BENCHMARK(simulateSchedule)->Apply(sizes);
BENCHMARK(predictPlan)->Apply(sizes);
BENCHMARK(exportTrace)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
