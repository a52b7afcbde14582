// The cpu-local preset: a few real passes are trained alone, and the hardware figures are chosen whose analytic costs explain
// their times best.
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/runtime/machine.h"
#include "engine/runtime/training_run.h"
#include "engine/schedule/families.h"
#include "engine/service/engine_service.h"
#include "engine/simulate/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace stagelens::service {
namespace {

std::filesystem::path presetFile()
{
    return base::dataFolder() / "cpu-local.json";
}

/// A plan whose passes were measured.
struct Sample {
    model::Experiment experiment;
    schedule::Schedule schedule;
    simulate::CostModel measured;
};

/// Small plans that differ in what dominates them: layers of two widths, a large vocabulary, sharded vocabulary passes.
std::vector<model::Experiment> samplePlans()
{
    model::Experiment base;
    base.model.preset = "custom";
    base.parallel.devices = 2;
    base.parallel.microbatches = 4;
    base.training.steps = 4;
    base.training.mode = model::RunMode::VirtualClock;
    std::vector<model::Experiment> plans(3, base);
    plans[0].model.layers = 4;
    plans[1].model.layers = 2;
    plans[1].model.hidden = 256;
    plans[1].model.ffn = 1024;
    plans[1].model.vocabularySize = 1024;
    plans[2].model.layers = 2;
    plans[2].model.vocabularySize = 4096;
    plans[2].schedule.vocabulary = model::VocabularyMethod::Vocab2;
    return plans;
}

base::Result<Sample> measure(const model::Experiment &plan, std::stop_token stop)
{
    model::Experiment experiment = model::resolved(plan, 1);
    auto schedule = schedule::makeSchedule(experiment);
    if (!schedule)
        return std::move(schedule).error();
    timeline::TimelinePtr fastest;
    const runtime::TrainingObserver observer{[&fastest](const runtime::StepReport &report) {
                                                 if (!fastest || report.timeline->makespan() < fastest->makespan())
                                                     fastest = report.timeline;
                                             },
                                             {}};
    if (auto trained = runtime::train(experiment, *schedule, {}, observer, std::move(stop)); !trained)
        return std::move(trained).error();
    const simulate::CostModel free(schedule->devices(), schedule->stages());
    simulate::CostModel measured = simulate::costsOf(*fastest, *schedule, free);
    return Sample{std::move(experiment), *std::move(schedule), std::move(measured)};
}

/// Sum over all passes of the squared logarithm of predicted over measured, each weighted with its share of the time.
double misfit(const model::Hardware &hardware, const std::vector<Sample> &samples)
{
    double sum = 0;
    for (const Sample &sample : samples) {
        const simulate::CostModel predicted = simulate::analyticCosts(sample.experiment, hardware, sample.schedule);
        double weights = 0;
        double errors = 0;
        for (int device = 0; device < sample.schedule.devices(); ++device)
            for (int kind = 0; kind < schedule::kPassKindCount; ++kind) {
                const auto passKind = static_cast<schedule::PassKind>(kind);
                const auto measured = static_cast<double>(sample.measured.pass(device, passKind, device).duration);
                const auto guess = static_cast<double>(predicted.pass(device, passKind, device).duration);
                if (measured <= 0 || guess <= 0)
                    continue;
                const double error = std::log(guess / measured);
                errors += measured * error * error;
                weights += measured;
            }
        sum += weights > 0 ? errors / weights : 0;
    }
    return sum;
}

/// Coordinate descent on the logarithms of the figures; the steps shrink until they no longer matter.
void fit(model::Hardware &hardware, const std::vector<Sample> &samples)
{
    const auto scaled = [](model::Hardware guess, std::size_t figure, double factor) {
        switch (figure) {
        case 0: guess.matrixEfficiency = std::clamp(guess.matrixEfficiency * factor, 0.05, 1.0); break;
        case 1: guess.attentionEfficiency = std::clamp(guess.attentionEfficiency * factor, 0.01, 1.0); break;
        case 2: guess.halfSpeedDimension = std::clamp(guess.halfSpeedDimension * factor, 0.5, 512.0); break;
        case 3: guess.memoryBytesPerSecond = std::clamp(guess.memoryBytesPerSecond * factor, 1e8, 1e13); break;
        default:
            guess.passOverhead = std::clamp<base::Nanos>(std::llround(static_cast<double>(guess.passOverhead) * factor), 100,
                                                         base::kNanosPerMilli);
        }
        return guess;
    };
    double best = misfit(hardware, samples);
    for (double step = 2.0; step > 1.005;) {
        bool improved = false;
        for (std::size_t figure = 0; figure < 5; ++figure)
            for (const double factor : {step, 1 / step}) {
                const model::Hardware guess = scaled(hardware, figure, factor);
                if (const double error = misfit(guess, samples); error < best * (1 - 1e-9)) {
                    best = error;
                    hardware = guess;
                    improved = true;
                }
            }
        if (!improved)
            step = std::sqrt(step);
    }
}

} // namespace

bool isCalibrated()
{
    std::error_code ignored;
    return std::filesystem::exists(presetFile(), ignored);
}

base::Result<model::Hardware> calibrate(std::stop_token stop)
{
    auto hardware = model::hardwarePreset("cpu-local");
    if (!hardware)
        return hardware;
    std::vector<Sample> samples;
    for (const model::Experiment &plan : samplePlans()) {
        auto sample = measure(plan, stop);
        if (!sample)
            return std::move(sample).error();
        samples.push_back(*std::move(sample));
    }
    hardware->peakFlops = runtime::matrixPeak();
    hardware->matrixEfficiency = 0.8;
    hardware->attentionEfficiency = 0.4;
    hardware->halfSpeedDimension = 8;
    hardware->memoryBytesPerSecond = 8e9;
    hardware->passOverhead = 2'000;
    hardware->memoryCapacity = runtime::installedBytes();
    hardware->description = base::concat("one core of ", runtime::processorName(), ", measured here");
    fit(*hardware, samples);

    std::error_code ignored;
    std::filesystem::create_directories(base::dataFolder(), ignored);
    if (auto written = base::writeFile(presetFile(), model::hardwareToJson(*hardware)); !written)
        return std::move(written).error();
    return hardware;
}

} // namespace stagelens::service
