// Conditions on an experiment under which fields apply and capabilities are used.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/family_shape.h"
#include "engine/operators/compression/compression.h"

#include <variant>

namespace stagelens::model {

/// Returns whether all of these conditions hold.
template <auto... kConditions>
[[nodiscard]] constexpr bool all(const Experiment &experiment)
{
    return (kConditions(experiment) && ...);
}

inline constexpr auto kHasModel = [](const Experiment &e) { return e.hasModel; };
inline constexpr auto kIsFp16 = [](const Experiment &e) { return e.model.dtype == DataType::Fp16; };
inline constexpr auto kIsFp8 = [](const Experiment &e) { return e.model.dtype == DataType::Fp8; };
inline constexpr auto kHasExperts = [](const Experiment &e) { return e.hasModel && e.model.hasExperts(); };
inline constexpr auto kHasSharedExperts = [](const Experiment &e) { return kHasExperts(e) && e.model.sharedExperts > 0; };
inline constexpr auto kHasSigmoidRouter = [](const Experiment &e) { return e.hasModel && e.model.hasRouterBias(); };
inline constexpr auto kMixesLayers = [](const Experiment &e) { return e.hasModel && e.model.mixesLayers(); };
inline constexpr auto kHasLatentAttention = [](const Experiment &e) { return e.hasModel && e.model.latentAttention; };

inline constexpr auto kHasOutputHeads = [](const Experiment &e) { return e.hasModel && e.model.outputHeads > 1; };

inline constexpr auto kIsAdaptive = [](const Experiment &e) { return e.hasModel && e.model.isAdaptive(); };

inline constexpr auto kIsSampled = [](const Experiment &e) { return e.hasModel && e.model.isSampled(); };

inline constexpr auto kHasTensorRanks = [](const Experiment &e) { return e.parallel.tensor > 1; };
inline constexpr auto kHasContextRanks = [](const Experiment &e) { return e.parallel.context > 1; };
inline constexpr auto kHasReplicas = [](const Experiment &e) { return e.parallel.replicas > 1; };
inline constexpr auto kHasExpertRanks = [](const Experiment &e) { return e.parallel.expert > 1; };
inline constexpr auto kFoldsExperts = [](const Experiment &e) { return e.parallel.foldsExperts(); };
inline constexpr auto kDispatchesPerNode = [](const Experiment &e) {
    return e.parallel.expertDispatch == ExpertDispatch::PerNode;
};
inline constexpr auto kDispatchesFp8 = [](const Experiment &e) {
    return e.parallel.dispatchPrecision == DispatchPrecision::Fp8;
};
inline constexpr auto kPacksMessages = [](const Experiment &e) { return e.parallel.packsMessages(); };
inline constexpr auto kPacksActivations = [](const Experiment &e) { return e.schedule.packsActivations(); };
inline constexpr auto kIsRing = [](const Experiment &e) { return e.parallel.contextMethod == ContextMethod::Ring; };
template <int kStage>
inline constexpr auto kIsZero = [](const Experiment &e) { return e.parallel.zero == kStage; };
inline constexpr auto kReducesEagerly = [](const Experiment &e) { return e.parallel.reducesEagerly(); };
inline constexpr auto kKeepsUntilBackward = [](const Experiment &e) {
    return e.parallel.zero3 == ZeroParameters::KeepUntilBackward;
};
inline constexpr auto kAveragesWeights = [](const Experiment &e) { return e.parallel.averagesWeights(); };
inline constexpr auto kHasShardGroups = [](const Experiment &e) {
    return e.parallel.shardReplicas > 0 && e.parallel.shardReplicas < e.parallel.replicas;
};

inline constexpr auto kCutsSequences = [](const Experiment &e) { return cutsSequences(e.schedule.family); };
inline constexpr auto kHasIterations = [](const Experiment &e) { return e.schedule.iterations > 1; };
inline constexpr auto kOffloads = [](const Experiment &e) { return offloadOf(e.schedule).isOn(); };
inline constexpr auto kChoosesOffload = [](const Experiment &e) { return e.schedule.offload.isOn(); };
inline constexpr auto kHasFamilyOffload = [](const Experiment &e) { return kOffloads(e) && !kChoosesOffload(e); };
inline constexpr auto kOffloadsOptimizer = [](const Experiment &e) { return e.schedule.offloadOptimizer; };
inline constexpr auto kOffloadsParameters = [](const Experiment &e) { return e.schedule.offloadParameters; };
inline constexpr auto kUsesHost = [](const Experiment &e) {
    return kOffloads(e) || kOffloadsOptimizer(e) || kOffloadsParameters(e);
};
inline constexpr auto kIsMaterialised = [](const Experiment &e) { return e.schedule.attention == Attention::Materialised; };
inline constexpr auto kKeepsSomeLayers = [](const Experiment &e) { return e.schedule.recompute != Recompute::Full; };

template <class Source>
inline constexpr auto kHasCosts = [](const Experiment &e) { return std::holds_alternative<Source>(e.cost.source); };

inline constexpr auto kHasPairs = [](const Experiment &e) { return e.schedule.overlappedPairs; };
/// Pairs overlap all-to-alls of experts, and those of a preset only while collectives run beside the passes.
inline constexpr auto kPairsHideNothing = [](const Experiment &e) {
    return kHasPairs(e) && kHasCosts<HardwarePreset>(e) &&
           (!kHasExperts(e) || !kHasExpertRanks(e) || e.cost.collectives == Collectives::Blocking);
};

inline constexpr auto kIsOnGpus = [](const Experiment &e) { return e.training.backend == "cuda"; };
inline constexpr auto kCompresses = [](const Experiment &e) { return e.training.compression.isOn(); };
inline constexpr auto kCompressesMomentum = [](const Experiment &e) {
    return operators::exchangesMomentum(e.training.compression);
};
inline constexpr auto kIsNotAdamW = [](const Experiment &e) { return e.training.optimizer.name != OptimizerChoice().name; };

inline constexpr auto kHasSkew = [](const Experiment &e) { return e.whatIf.expertSkew.has_value(); };
inline constexpr auto kHasJitter = [](const Experiment &e) { return e.whatIf.jitter.has_value(); };
inline constexpr auto kHasLengths = [](const Experiment &e) { return !e.whatIf.lengths.empty(); };
inline constexpr auto kHasFailures = [](const Experiment &e) { return e.whatIf.failureInterval.has_value(); };

} // namespace stagelens::model
