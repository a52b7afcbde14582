// Which saved values of a layer are dropped after the forward, and the steps of the backward that recompute them. Recomputation
// runs the forward's kernels on the same numbers, so gradients have the bits of a run that keeps everything.
#pragma once

#include "engine/operators/engine_floats.h"
#include "engine/operators/recipe.h"
#include "engine/operators/sizes.h"

#include <span>
#include <vector>

namespace stagelens::operators {

/// Returns whether the outputs of such an operator are recomputed.
[[nodiscard]] bool isRebuilt(OperatorKind kind, const model::RecomputeModules &modules);

/// Returns the saved values of these operators that are recomputed.
[[nodiscard]] std::vector<ValueId> droppedValues(const Block &block, std::span<const ValueId> saved,
                                                 const model::RecomputeModules &modules);

/// Returns the steps of the forward that produce the dropped values from the input and the other saved values, directly or not.
/// An activation function that the forward computes within a product becomes a separate step.
[[nodiscard]] std::vector<Step> rebuildSteps(const std::vector<Step> &forward, std::span<const ValueId> dropped);

/// The memory of a layer's saved values: those kept from F to B (or W), and those that the backward recomputes. The forward
/// writes the latter to memory that the next layer reuses.
struct LayerStorage {
    SavedLayout kept;
    SavedLayout dropped;
    std::vector<Step> rebuild;
    PackedLayout packed; ///< of the kept values, if they are packed from F to B
};
[[nodiscard]] LayerStorage storageOf(const LayerRecipe &recipe, std::span<const ValueId> dropped, std::int64_t tokens,
                                     base::Precision precision, model::PackedPrecision stored = model::PackedPrecision::Same);

/// Returns how many of the first layers of each stage are recomputed as a whole.
[[nodiscard]] std::vector<int> recomputedLayers(const model::ScheduleChoice &schedule, std::span<const int> stageLayers);

} // namespace stagelens::operators
