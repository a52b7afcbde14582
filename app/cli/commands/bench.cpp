// `bench`: the project's own figures of this machine.
#include "app/cli/commands/bench_gpu.h"
#include "app/cli/commands/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/base/printable.h"
#include "engine/model/calibration.h"
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/service/engine_service.h"
#include "engine/service/machine/calibrate.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <iostream>

namespace stagelens::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// Samples of one quantity.
struct Benchmark {
    const char *name;
    const char *description;
    const char *unit; ///< "ns" or "FLOP/s"
    std::vector<double> samples;

    [[nodiscard]] double median() const
    {
        std::vector<double> sorted = samples;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        return *middle;
    }
};

double nanosSince(Clock::time_point begin)
{
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

/// A teaching plan whose durations all differ, so that no family finds an easy case.
struct Headline {
    const char *name;
    const char *description;
    const char *family;
    model::VocabularyMethod method;
    int devices;
    int microbatches;
};

constexpr Headline kHeadlines[] = {
    {"plan-1f1b-32x512", "order, check, times and figures of 1F1B, 32 devices, 512 microbatches", "1f1b",
     model::VocabularyMethod::None, 32, 512},
    {"plan-interleaved-32x512", "the same of interleaved 1F1B with two chunks", "interleaved-1f1b",
     model::VocabularyMethod::None, 32, 512},
    {"plan-v-half-vocab-1-32x128", "the same of V-Half with vocab-1, 128 microbatches", "v-half",
     model::VocabularyMethod::Vocab1, 32, 128},
    {"plan-1f1b-64x2048", "the same of 1F1B, 64 devices, 2048 microbatches", "1f1b", model::VocabularyMethod::None, 64, 2048},
};

base::Result<Benchmark> planBenchmark(const Headline &headline, const std::stop_token &stop)
{
    Benchmark benchmark{headline.name, headline.description, "ns", {}};
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = headline.devices;
    experiment.parallel.microbatches = headline.microbatches;
    experiment.schedule.family = headline.family;
    experiment.schedule.vocabulary = headline.method;
    experiment.cost.source = model::UniformCosts{
        {{"F", 1.0}, {"I", 1.1}, {"W", 0.8}, {"S", 0.21}, {"T", 0.33}, {"EF", 0.02}, {"EB", 0.03}, {"send", 0.01}}};
    experiment = operators::resolved(experiment, 1);
    for (int sample = 0; sample < 9; ++sample) {
        if (stop.stop_requested())
            return base::Error::cancelled();
        const Clock::time_point begin = Clock::now();
        const auto schedule = service::scheduleOf(experiment);
        if (!schedule)
            return schedule.error();
        const bool isValid = schedule::findViolations(*schedule).empty();
        const auto costs = simulate::makeCostModel(experiment, *schedule);
        if (!isValid || !costs)
            return base::Error::failed(fmt::format("{}: the schedule is not valid", headline.name));
        const auto timeline = simulate::simulate(*schedule, *costs);
        if (!timeline)
            return timeline.error();
        const simulate::Metrics metrics = simulate::computeMetrics(experiment, *schedule, *timeline, &*costs, 0);
        benchmark.samples.push_back(nanosSince(begin));
        if (metrics.makespan <= 0)
            return base::Error::failed(fmt::format("{}: no time passes", headline.name));
    }
    return benchmark;
}

base::Result<Benchmark> searchBenchmark(std::stop_token stop)
{
    Benchmark benchmark{"auto-8x32", "search of all schedules for gpt-4b, 8 devices, 32 microbatches", "ns", {}};
    model::Experiment experiment;
    const auto preset = model::modelPreset("gpt-4b");
    if (!preset)
        return preset.error();
    experiment.model = *preset;
    experiment.parallel.devices = 8;
    experiment.parallel.microbatches = 32;
    experiment.schedule.family = model::kAutomaticFamily;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    for (int sample = 0; sample < 3; ++sample) {
        const Clock::time_point begin = Clock::now();
        const auto chosen = service::withChosenSchedule(experiment, service::Purpose::Predict, {stop, {}});
        if (!chosen)
            return chosen.error();
        benchmark.samples.push_back(nanosSince(begin));
    }
    return benchmark;
}

base::Result<Benchmark> productBenchmark(std::stop_token stop)
{
    Benchmark benchmark{"sgemm-768", "single-precision product of 768 x 768 matrices on one thread", "FLOP/s", {}};
    for (int sample = 0; sample < 3; ++sample) {
        if (stop.stop_requested())
            return base::Error::cancelled();
        benchmark.samples.push_back(runtime::matrixPeak());
    }
    return benchmark;
}

base::Result<Benchmark> trainingBenchmark(std::stop_token stop)
{
    Benchmark benchmark{
        "train-step-gpt-demo", "one step of the default plan (gpt-demo, 4 devices, 16 microbatches), wall time", "ns", {}};
    model::Experiment experiment;
    experiment.training.steps = 4;
    experiment = operators::resolved(experiment, service::machineCores());
    const auto schedule = schedule::makeSchedule(experiment);
    if (!schedule)
        return schedule.error();
    Clock::time_point begin = Clock::now();
    const auto onStep = [&](const runtime::StepReport &report) {
        // The first step touches all memory for the first time.
        if (report.step > 0)
            benchmark.samples.push_back(nanosSince(begin));
        begin = Clock::now();
    };
    if (const auto trained = runtime::train(experiment, *schedule, {}, {onStep, {}}, std::move(stop)); !trained)
        return trained.error();
    return benchmark;
}

std::string valueText(const Benchmark &benchmark, double value)
{
    return std::string_view(benchmark.unit) == "ns" ? timeText(static_cast<base::Nanos>(value))
                                                    : countText(value) + benchmark.unit;
}

void print(const std::vector<Benchmark> &benchmarks)
{
    Table table({"benchmark", "median", "least", "samples", "what it is"});
    for (const Benchmark &benchmark : benchmarks)
        table.add({benchmark.name, valueText(benchmark, benchmark.median()),
                   valueText(benchmark, *std::min_element(benchmark.samples.begin(), benchmark.samples.end())),
                   std::to_string(benchmark.samples.size()), benchmark.description});
    table.print(std::cout);
}

void printAsJson(const std::vector<Benchmark> &benchmarks)
{
    auto results = nlohmann::ordered_json::array();
    for (const Benchmark &benchmark : benchmarks)
        results.push_back({{"name", benchmark.name},
                           {"description", benchmark.description},
                           {"unit", benchmark.unit},
                           {"median", benchmark.median()},
                           {"samples", benchmark.samples}});
    printJson({{"stagelens", "bench/1"}, {"environment", service::environment()}, {"results", std::move(results)}});
}

int calibrate(const std::string &on, bool asJson, bool isSmall)
{
    const InterruptScope interrupt;
    const auto hardware =
        service::calibrate(interrupt.token(), on, isSmall ? backend::BenchShapes::Small : backend::BenchShapes::Real);
    if (!hardware)
        return fail(namedByOption(hardware.error()));
    if (asJson)
        std::cout << base::printableJson(
            model::calibrationToJson({*hardware, model::calibrationSpread(hardware->name).value_or(0)}));
    else
        std::cout << hardware->name << ": " << hardware->description << "; " << countText(hardware->peakFlops)
                  << "FLOP/s, efficiency " << percentText(hardware->matrixEfficiency) << " (attention "
                  << percentText(hardware->attentionEfficiency) << "), memory " << countText(hardware->memoryBytesPerSecond)
                  << "B/s, " << timeText(hardware->passOverhead) << " a pass; predictions for " << hardware->name
                  << (isSmall ? " do not use it: small shapes" : " use it from now on") << '\n';
    return kDone;
}

int bench(const std::string &backend, bool asJson, bool calibrateOnly, bool isSmall, service::BenchParts parts)
{
    if (backend == "cuda" && !calibrateOnly)
        return benchGpu(asJson, isSmall, parts);
    if (backend != "cpu" && backend != "cuda")
        return fail(base::Error::invalid("--backend", fmt::format("`{}` is unknown; choose cpu or cuda", backend)));
    if (isSmall && backend == "cpu")
        return fail(base::Error::invalid("--small", "is for --backend cuda"));
    if (parts != service::BenchParts::All)
        return fail(base::Error::invalid("--kernels-only",
                                         fmt::format("and --steps-only choose what `bench --backend cuda` measures; {}",
                                                     calibrateOnly ? "leave out --calibrate" : "add --backend cuda")));
    if (calibrateOnly)
        return calibrate(backend, asJson, isSmall);
    const InterruptScope interrupt;
    std::vector<Benchmark> benchmarks;
    std::vector<std::function<base::Result<Benchmark>()>> makers;
    for (const Headline &headline : kHeadlines)
        makers.emplace_back([&] { return planBenchmark(headline, interrupt.token()); });
    for (const auto make : {searchBenchmark, productBenchmark, trainingBenchmark})
        makers.emplace_back([make, &interrupt] { return make(interrupt.token()); });
    for (const auto &make : makers) {
        auto benchmark = make();
        if (!benchmark)
            return fail(benchmark.error());
        benchmarks.push_back(*std::move(benchmark));
    }
    if (asJson)
        printAsJson(benchmarks);
    else
        print(benchmarks);
    return kDone;
}

} // namespace

void addBench(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("bench", "measure this machine");
    const auto backend = std::make_shared<std::string>("cpu");
    const auto asJson = std::make_shared<bool>(false);
    const auto calibrateOnly = std::make_shared<bool>(false);
    const auto isSmall = std::make_shared<bool>(false);
    command->add_option("--backend", *backend, "cpu or cuda, the first GPU")->type_name("NAME");
    command->add_flag("--small", *isSmall, "cuda with tiny shapes, to see that all of it runs: the times mean nothing");
    const auto kernelsOnly = std::make_shared<bool>(false);
    const auto stepsOnly = std::make_shared<bool>(false);
    CLI::Option *kernels = command->add_flag("--kernels-only", *kernelsOnly, "cuda without training steps");
    command->add_flag("--steps-only", *stepsOnly, "cuda without kernels but those that steps are compared with")
        ->excludes(kernels);
    command->add_flag("--json", *asJson, "print one JSON document");
    command->add_flag("--calibrate", *calibrateOnly,
                      "measure the hardware preset cpu-local, or with --backend cuda gpu-local, and keep it");
    command->callback([=, &chosen] {
        chosen = [=] {
            using enum service::BenchParts;
            return bench(*backend, *asJson, *calibrateOnly, *isSmall, *kernelsOnly ? Kernels : *stepsOnly ? Steps : All);
        };
    });
}

} // namespace stagelens::cli
