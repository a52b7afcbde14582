// A plan as the exporters of frameworks see it. Internal to the export.
#pragma once

#include "engine/base/text.h"
#include "engine/exchange/launch.h"

namespace stagelens::exchange {

/// The plan, and the properties of it that every framework needs.
struct LaunchPlan {
    const model::Experiment &experiment;
    const schedule::Schedule &schedule;
    int devicesPerNode = 8;
    std::string scheduleFile;

    [[nodiscard]] const model::ModelConfig &model() const { return experiment.model; }
    [[nodiscard]] const model::ParallelPlan &parallel() const { return experiment.parallel; }
    [[nodiscard]] int devices() const { return schedule.devices(); }
    [[nodiscard]] int chunks() const { return schedule.placement().chunks(); }
    [[nodiscard]] int microbatches() const { return schedule.stepMicrobatches(); }
    [[nodiscard]] std::int64_t ranks() const { return experiment.parallel.ranks(devices()); }
    [[nodiscard]] std::int64_t globalBatch() const
    {
        return std::int64_t{parallel().replicas} * microbatches() * parallel().microbatchSize;
    }
    /// Layers of each stage, in the order of the model.
    [[nodiscard]] std::vector<int> stageLayers() const;
    [[nodiscard]] bool isEven() const;   ///< all stages have as many layers
    [[nodiscard]] bool isLooped() const; ///< stage s is on device s mod p
    [[nodiscard]] bool isV() const;      ///< two stages a device, down and up again
};

/// Adds what no framework but Stagelens' own engine does with the vocabulary layers.
void omitVocabulary(const LaunchPlan &plan, std::string_view framework, Launch &launch);

[[nodiscard]] Launch megatronLaunch(const LaunchPlan &plan);
[[nodiscard]] Launch torchtitanLaunch(const LaunchPlan &plan);
[[nodiscard]] Launch deepSpeedLaunch(const LaunchPlan &plan);

} // namespace stagelens::exchange
