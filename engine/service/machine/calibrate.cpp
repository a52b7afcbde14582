#include "engine/service/machine/calibrate.h"

#include "engine/base/exception_text.h"
#include "engine/base/file.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/families.h"
#include "engine/service/machine/calibration_fit.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace stagelens::service {
namespace {

/// The first step of each plan touches its memory for the first time and does not count.
constexpr int kSteps = 13;
constexpr int kGpuSteps = 7;

/// What memory-bound kernels reach of a copy (H200, resources/docs/measurements.md).
constexpr double kShareOfCopy = 0.9;
/// Attention, whose FLOPs are not discounted for the mask, reaches 0.55 to 1.1 of the peak (same page).
constexpr FitBeginning kGpuBeginning{
    .matrixEfficiency = 0.7, .attentionEfficiency = 0.85, .halfSpeedDimension = 60, .passOverhead = 30'000};

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

/// For a GPU: products that fill it and that do not, a large vocabulary on one device and sharded, and long sequences, where
/// attention takes most of the time.
std::vector<model::Experiment> gpuPlans(backend::BenchShapes shapes)
{
    model::Experiment base;
    base.model.preset = "custom";
    base.model.dtype = model::DataType::Bf16;
    base.parallel.devices = 2;
    base.parallel.microbatches = 4;
    base.training.backend = "cuda";
    base.training.steps = kGpuSteps;
    base.training.mode = model::RunMode::VirtualClock;
    struct Size {
        int layers, hidden, heads, sequence, batch, vocabulary;
        model::VocabularyMethod method;
    };
    std::vector<model::Experiment> plans;
    for (const Size &whole : {Size{8, 2048, 16, 2048, 4, 50'304, model::VocabularyMethod::None},
                              Size{4, 4096, 32, 2048, 2, 32'768, model::VocabularyMethod::Vocab2},
                              Size{4, 1024, 16, 2048, 1, 131'072, model::VocabularyMethod::Vocab1},
                              Size{4, 1024, 8, 8192, 1, 8192, model::VocabularyMethod::None}}) {
        const Size size = shapes == backend::BenchShapes::Real ? whole : Size{2, 16, 2, 8, 1, 64, whole.method};
        model::Experiment &plan = plans.emplace_back(base);
        plan.model.layers = size.layers;
        plan.model.hidden = size.hidden;
        plan.model.sequence = size.sequence;
        plan.model.heads = plan.model.kvHeads = size.heads;
        plan.model.ffn = 4 * size.hidden;
        plan.model.vocabularySize = size.vocabulary;
        plan.parallel.microbatchSize = size.batch;
        plan.schedule.vocabulary = size.method;
    }
    return plans;
}

/// Layers so small that the host, which launches their kernels, takes longer than the GPU.
model::Experiment launchingPlan(model::Experiment plan)
{
    plan.model.layers = 6;
    plan.model.hidden = 64;
    plan.model.ffn = 256;
    plan.model.heads = plan.model.kvHeads = 1;
    plan.model.sequence = 64;
    plan.model.vocabularySize = 64;
    plan.parallel.devices = 3;
    plan.parallel.microbatchSize = 1;
    return plan;
}

/// The median time of each kind of pass on each device in a step: on processors without what other programs took.
PassTimes typicalOf(const timeline::Timeline &timeline)
{
    PassTimes typical;
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        std::map<schedule::PassKind, std::vector<base::Nanos>> times;
        for (std::size_t i = 0; i < lane.size(); ++i)
            times[lane.pass[i].kind].push_back(lane.processor.empty() ? lane.end[i] - lane.begin[i] : lane.processor[i]);
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
    const bool isOnGpu = plan.training.backend == "cuda";
    const auto onStep = [&](const runtime::StepReport &report) {
        if (report.step > 0)
            measured.steps.push_back(
                {typicalOf(*report.timeline), report.timeline->processorShare().value_or(isOnGpu ? 1 : 0)});
    };
    if (auto trained = runtime::train(measured.experiment, measured.schedule, {}, {onStep, {}}, std::move(stop)); !trained)
        return std::move(trained).error();
    return measured;
}

base::Result<std::vector<MeasuredPlan>> measureAll(const std::vector<model::Experiment> &plans, const std::stop_token &stop,
                                                   const std::function<void()> &afterEach)
{
    std::vector<MeasuredPlan> all;
    for (const model::Experiment &plan : plans) {
        auto measured = measure(plan, stop);
        if (!measured)
            return std::move(measured).error();
        all.push_back(*std::move(measured));
        afterEach();
    }
    return all;
}

base::Result<model::Hardware> stored(const base::Result<model::Calibration> &fitted)
{
    if (!fitted)
        return fitted.error();
    std::error_code ignored;
    std::filesystem::create_directories(base::dataFolder(), ignored);
    if (auto written = base::writeFile(model::calibrationFile(fitted->hardware.name), model::calibrationToJson(*fitted));
        !written)
        return std::move(written).error();
    return fitted->hardware;
}

base::Result<model::Hardware> measureProcessor(const std::stop_token &stop)
{
    auto hardware = model::hardwarePreset(model::kLocalProcessor);
    if (!hardware)
        return hardware;
    hardware->peakFlops = runtime::matrixPeak();
    const auto plans = measureAll(samplePlans(), stop, [&hardware] { // a clock rate changes meanwhile
        hardware->peakFlops = std::max(hardware->peakFlops, runtime::matrixPeak());
    });
    if (!plans)
        return plans.error();
    hardware->memoryCapacity = runtime::installedBytes();
    hardware->description = fmt::format("one core of {}, measured here", runtime::processorName());
    return stored(fitHardware(*std::move(hardware), *plans));
}

/// What a GPU reaches at most.
struct GpuCeilings {
    double product = 0; ///< FLOP/s of the largest in bf16
    double copy = 0;    ///< bytes per second, read and written
    double host = 0;    ///< bytes per second of a copy to its host or from it, the slower of the two; 0: unknown
};

base::Result<GpuCeilings> gpuCeilings(const std::stop_token &stop, backend::BenchShapes shapes)
{
    const auto figures = runtime::benchKernels(shapes, backend::BenchKernels::Ceilings, stop);
    if (!figures)
        return figures.error();
    GpuCeilings ceilings;
    for (const backend::KernelFigure &figure : *figures) {
        if (figure.seconds.empty())
            continue;
        const double least = *std::ranges::min_element(figure.seconds);
        if (figure.type == "bf16")
            ceilings.product = figure.flops / least;
        else if (figure.group == backend::FigureGroup::Ceiling && figure.bytes > 0)
            ceilings.copy = figure.bytes / least;
        else if (figure.group == backend::FigureGroup::HostLink && figure.type == "bytes") // one way
            ceilings.host = ceilings.host > 0 ? std::min(ceilings.host, figure.bytes / least) : figure.bytes / least;
    }
    if (ceilings.product <= 0 || ceilings.copy <= 0)
        return stop.stop_requested() ? base::Error::cancelled() : base::Error::failed("the GPU could not be measured");
    return ceilings;
}

/// Returns the preset of GPUs like this one, for its peak and its links: the one whose name begins with a word of the GPU's
/// name. For an unknown GPU, one behind PCIe whose peak is the largest product that it computes.
base::Result<model::Hardware> presetLike(const backend::Gpu &gpu, const GpuCeilings &ceilings)
{
    const auto presets = model::hardwarePresets();
    if (!presets)
        return presets.error();
    std::string name = gpu.name;
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    const auto isLike = [&name](const model::Hardware &preset) {
        const std::string model = preset.name.substr(preset.name.find("rtx-") == 0 ? 4 : 0);
        return preset.name != model::kLocalGpu && name.find(model.substr(0, model.find('-'))) != std::string::npos;
    };
    if (const auto found = std::ranges::find_if(*presets, isLike); found != presets->end())
        return *found;
    auto unknown = model::hardwarePreset("rtx-4090");
    if (unknown)
        unknown->peakFlops = ceilings.product;
    return unknown;
}

base::Result<model::Hardware> measureGpu(const std::stop_token &stop, backend::BenchShapes shapes)
{
    const runtime::GpuList found = runtime::gpus();
    if (!found.problem.empty())
        return base::Error::invalid("training.backend", "cuda is not available: " + found.problem);
    const backend::Gpu &gpu = *std::ranges::find_if(found.gpus, [](const backend::Gpu &each) { return each.problem.empty(); });
    const auto ceilings = gpuCeilings(stop, shapes);
    if (!ceilings)
        return ceilings.error();
    auto hardware = presetLike(gpu, *ceilings);
    if (!hardware)
        return hardware;
    const auto plans = measureAll(gpuPlans(shapes), stop, [] {});
    if (!plans)
        return plans.error();
    hardware->name = model::kLocalGpu;
    hardware->description = gpu.name + ", measured here";
    hardware->memoryCapacity = gpu.totalBytes;
    if (ceilings->host > 0) {
        hardware->hostBytesPerSecond = ceilings->host;
        hardware->sharedHostBytesPerSecond = std::min(hardware->sharedHostBytesPerSecond, ceilings->host);
    }
    hardware->hostMemory = runtime::installedBytes();
    hardware->launchInterval = 0;
    hardware->reservedMemory = 0;
    hardware->fragmentation = 0;
    hardware->measured.reset();
    FitBeginning beginning = kGpuBeginning;
    beginning.memoryBytesPerSecond = kShareOfCopy * ceilings->copy;
    beginning.isMemoryMeasured = true;
    auto fitted = fitHardware(*std::move(hardware), *plans, beginning);
    if (!fitted)
        return fitted.error();
    const auto launching = measure(launchingPlan(gpuPlans(shapes).front()), stop);
    if (!launching)
        return launching.error();
    fitted->hardware.launchInterval = fittedLaunchInterval(fitted->hardware, *launching);
    return shapes == backend::BenchShapes::Small ? fitted->hardware : stored(fitted);
}

} // namespace

bool isCalibrated()
{
    std::error_code ignored;
    return std::filesystem::exists(model::calibrationFile(model::kLocalProcessor), ignored);
}

base::Result<model::Hardware> calibrate(std::stop_token stop, const std::string &backend, backend::BenchShapes shapes)
{
    try {
        return backend == "cuda" ? measureGpu(stop, shapes) : measureProcessor(stop);
    } catch (const std::exception &exception) { // the window calls this on a thread of its own
        return base::Error::failed("this machine was not measured: " + base::exceptionText(exception));
    }
}

} // namespace stagelens::service
