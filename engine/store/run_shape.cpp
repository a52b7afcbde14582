#include "engine/store/run_shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::store {

std::string shapeFault(const timeline::Timeline &timeline, const model::Experiment &experiment)
{
    if (timeline.iterations != 1 && timeline.iterations != experiment.schedule.iterations)
        return fmt::format("its timeline has {} iterations, its plan {}", timeline.iterations, experiment.schedule.iterations);
    if (timeline.devices() != experiment.parallel.devices)
        return fmt::format("its timeline has {} devices, its plan {}", timeline.devices(), experiment.parallel.devices);
    std::size_t stages = 0; // a stage of a model in two directions is on two devices
    for (const std::vector<int> &ofDevice : timeline.stages)
        stages += ofDevice.size();
    for (const std::vector<int> &ofDevice : timeline.stages)
        for (const int stage : ofDevice)
            if (static_cast<std::size_t>(stage) >= stages)
                return fmt::format("its timeline places stage {} of {}", stage, stages);
    const std::int64_t microbatches = std::int64_t{experiment.parallel.microbatches} * timeline.slices * timeline.iterations;
    for (const timeline::Lane &lane : timeline.lanes) {
        if (lane.size() < static_cast<std::size_t>(std::max<std::int64_t>(microbatches, 0)))
            return fmt::format("its timeline has {} passes on a device, its plan {} microbatches", lane.size(), microbatches);
        for (const schedule::Pass &pass : lane.pass)
            if (pass.microbatch >= microbatches || (stages > 0 && static_cast<std::size_t>(pass.stage) >= stages))
                return fmt::format(
                    "its timeline has a pass of stage {} and microbatch {}, its plan {} stages and {} microbatches", pass.stage,
                    pass.microbatch, stages, microbatches);
    }
    return {};
}

std::string shapeFault(const simulate::Metrics &metrics, int devices)
{
    const auto fits = [devices](const auto &values) {
        return values.empty() || values.size() == static_cast<std::size_t>(devices);
    };
    const bool fit = fits(metrics.bubbleRatioPerDevice) && fits(metrics.busyPerDevice) &&
                     fits(metrics.vocabularySharePerDevice) && fits(metrics.peakMemory) && fits(metrics.peakMemoryByCategory) &&
                     fits(metrics.peakActivationMicrobatches);
    return fit ? std::string() : fmt::format("its metrics are not those of {} devices", devices);
}

std::string shapeFault(const timeline::RouterStep &routers, const model::ModelConfig &model)
{
    const auto isLayer = [&model](const timeline::RouterCounts &counts) {
        return counts.rows.empty() || (std::ssize(counts.rows) == model.experts && counts.tokens >= 0 &&
                                       std::ranges::all_of(counts.rows, [](std::int64_t rows) { return rows >= 0; }));
    };
    if (std::ssize(routers.layers) <= model.layers && std::ranges::all_of(routers.layers, isLayer))
        return {};
    return fmt::format("the choices of step {} are not those of {} layers with {} experts", routers.step, model.layers,
                       model.experts);
}

} // namespace stagelens::store
