#include "engine/service/machine/calibrate.h"

#include "engine/base/exception_text.h"
#include "engine/base/file.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/families.h"
#include "engine/service/machine/calibration_fit.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace stagelens::service {
namespace {

std::filesystem::path presetFile()
{
    return base::dataFolder() / "cpu-local.json";
}

/// The first step of each plan touches its memory for the first time and does not count.
constexpr int kSteps = 13;

/// Plans that differ in what dominates them: layers of two widths, a large vocabulary, sharded vocabulary passes. The first has
/// the size of the demo: where fewer devices take turns, more of what a pass reads is still in the processor's caches.
std::vector<model::Experiment> samplePlans()
{
    model::Experiment base;
    base.model.preset = "custom";
    base.parallel.devices = 2;
    base.parallel.microbatches = 4;
    base.training.steps = kSteps;
    base.training.mode = model::RunMode::VirtualClock;
    std::vector<model::Experiment> plans(3, base);
    plans[0].model.layers = 8;
    plans[0].parallel.devices = 4;
    plans[0].parallel.microbatches = 16;
    plans[1].model.layers = 2;
    plans[1].model.hidden = 256;
    plans[1].model.ffn = 1024;
    plans[1].model.vocabularySize = 1024;
    plans[2].model.layers = 2;
    plans[2].model.vocabularySize = 4096;
    plans[2].schedule.vocabulary = model::VocabularyMethod::Vocab2;
    return plans;
}

/// The median processor time of each kind of pass on each device in a step.
PassTimes typicalOf(const timeline::Timeline &timeline)
{
    PassTimes typical;
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        std::map<schedule::PassKind, std::vector<base::Nanos>> times;
        for (std::size_t i = 0; i < lane.processor.size(); ++i)
            times[lane.pass[i].kind].push_back(lane.processor[i]);
        for (auto &[kind, all] : times)
            typical.emplace(std::pair(device, kind), median(all));
    }
    return typical;
}

/// Trains the plan alone, one pass at a time.
base::Result<MeasuredPlan> measure(const model::Experiment &plan, std::stop_token stop)
{
    MeasuredPlan measured{operators::resolved(plan, 1), {}, {}};
    auto schedule = schedule::makeSchedule(measured.experiment);
    if (!schedule)
        return std::move(schedule).error();
    measured.schedule = *std::move(schedule);
    const auto onStep = [&](const runtime::StepReport &report) {
        if (report.step > 0)
            measured.steps.push_back({typicalOf(*report.timeline), report.timeline->processorShare().value_or(0)});
    };
    if (auto trained = runtime::train(measured.experiment, measured.schedule, {}, {onStep, {}}, std::move(stop)); !trained)
        return std::move(trained).error();
    return measured;
}

base::Result<model::Hardware> measureAndStore(const std::stop_token &stop)
{
    auto hardware = model::hardwarePreset("cpu-local");
    if (!hardware)
        return hardware;
    std::vector<MeasuredPlan> plans;
    hardware->peakFlops = runtime::matrixPeak();
    for (const model::Experiment &plan : samplePlans()) {
        auto measured = measure(plan, stop);
        if (!measured)
            return std::move(measured).error();
        plans.push_back(*std::move(measured));
        hardware->peakFlops = std::max(hardware->peakFlops, runtime::matrixPeak()); // a clock rate changes meanwhile
    }
    hardware->memoryCapacity = runtime::installedBytes();
    hardware->description = fmt::format("one core of {}, measured here", runtime::processorName());
    const auto fitted = fitHardware(*std::move(hardware), plans);
    if (!fitted)
        return fitted.error();
    std::error_code ignored;
    std::filesystem::create_directories(base::dataFolder(), ignored);
    if (auto written = base::writeFile(presetFile(), model::calibrationToJson(*fitted)); !written)
        return std::move(written).error();
    return fitted->hardware;
}

} // namespace

bool isCalibrated()
{
    std::error_code ignored;
    return std::filesystem::exists(presetFile(), ignored);
}

base::Result<model::Hardware> calibrate(std::stop_token stop)
{
    try {
        return measureAndStore(stop);
    } catch (const std::exception &exception) { // the window calls this on a thread of its own
        return base::Error::failed("this machine was not measured: " + base::exceptionText(exception));
    }
}

} // namespace stagelens::service
