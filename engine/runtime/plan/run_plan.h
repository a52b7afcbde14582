// What all devices of a run share: experiment, schedule and parameter list.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/model/experiment.h"
#include "engine/passes/recipe_book.h"
#include "engine/runtime/plan/parameter_list.h"
#include "engine/runtime/plan/shape.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/vocabulary_tables.h"

#include <vector>

namespace stagelens::runtime {

/// The coordinates of a rank in the mesh of a run.
struct RankPlace {
    int rank = 0;
    int device = 0; ///< of the pipeline
    int replica = 0;
    int tensor = 0;  ///< among the ranks that share the device's layers
    int context = 0; ///< among the ranks that share its sequences
    int router = 0;  ///< among the ranks that route parts of a microbatch; see RunPlan::routerAxes()
    int expert = 0;  ///< among the ranks that share the experts of its layers
    int share = 0;   ///< among RunPlan::gradientRanks(), with the context ranks of a replica beside each other
};

/// Returns whether a rank is of the first tensor and context coordinate of a replica.
[[nodiscard]] constexpr bool isOfFirstRail(const RankPlace &place, int replica)
{
    return place.replica == replica && place.tensor == 0 && place.context == 0;
}

/// Constant during a run; read by the threads of all devices.
struct RunPlan {
    model::Experiment experiment;   ///< resolved
    schedule::Schedule schedule;    ///< lowered
    bool joinsOutputPasses = false; ///< the timeline shows the schedule's S and T as one S
    schedule::VocabularyTables tables;
    Shape shape;
    std::vector<ParameterInfo> parameters;
    std::vector<int> stageLayers;
    layout::Mesh mesh;

    RunPlan(const model::Experiment &resolved, const schedule::Schedule &order);
    [[nodiscard]] int replicas() const { return mesh.size(layout::Axis::Data); }
    /// Returns the ranks that sum the gradients of a device's parameters: of all replicas and context coordinates.
    [[nodiscard]] int gradientRanks() const { return replicas() * contextRanks(); }
    [[nodiscard]] int contextRanks() const { return mesh.size(layout::Axis::Context); }
    /// Returns the number of consecutive replicas whose ranks share the experts of their layers.
    [[nodiscard]] int replicasPerExpertGroup() const { return experiment.parallel.replicasPerExpertGroup(); }
    /// Returns the number of consecutive replicas that exchange within passes: those that share experts, or all of them if
    /// passes exchange parameters or gradients (ZeRO).
    [[nodiscard]] int replicasInPasses() const
    {
        return experiment.parallel.reducesEagerly() ? replicas() : replicasPerExpertGroup();
    }
    /// Returns the axes of the ranks that route different tokens of a microbatch.
    [[nodiscard]] layout::Axes routerAxes() const
    {
        using layout::Axis;
        return shape.split.foldsExperts() ? layout::Axes{Axis::Tensor, Axis::Context} : layout::Axes{Axis::Context};
    }
    [[nodiscard]] int tensorRanks() const { return mesh.size(layout::Axis::Tensor); }
    [[nodiscard]] RankPlace placeOf(int rank) const
    {
        using layout::Axis;
        const layout::Coordinates at = mesh.coordinatesOf(rank);
        return {rank,
                at[Axis::Pipeline],
                at[Axis::Data],
                at[Axis::Tensor],
                at[Axis::Context],
                shape.split.foldsExperts() ? at[Axis::Tensor] + tensorRanks() * at[Axis::Context] : at[Axis::Context],
                at[Axis::Expert],
                at[Axis::Context] + contextRanks() * at[Axis::Data]};
    }
    /// Returns whether gradients of copies, and of tied tables, are added at the end of a step. Passes that reduce gradients
    /// have added those of tied tables.
    [[nodiscard]] bool sumsCopies() const
    {
        return (experiment.model.tied && !experiment.parallel.reducesEagerly()) || schedule.placement().directions > 1;
    }
    /// Returns whether the losses of a rank are of tokens of its own. Otherwise all tensor ranks of a device compute the same.
    [[nodiscard]] bool hasOwnLosses(const RankPlace &place) const
    {
        return place.tensor == 0 || shape.split.dividesVocabularyByTokens;
    }
    /// Returns whether each microbatch updates the parameter, so that weight versions are kept. A tied table is updated at the
    /// end of the step instead, because its gradient is the sum of the gradients of two devices.
    [[nodiscard]] bool isStashed(int parameter) const
    {
        return schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch &&
               !(parameter == kTokenTable && experiment.model.tied);
    }
    /// Returns whether devices that hold rows of the parameter add up sums for its update. See operators::Optimizer::sums.
    [[nodiscard]] bool sumsOverDevices(int parameter) const
    {
        return tables.areDivided() && parameter != kPositionTable && parameters[size(parameter)].isTable &&
               optimizerOf(experiment.training.optimizer).sums != nullptr;
    }
    /// Returns the rows of a table, of the vocabulary or of a tail of an adaptive softmax, that a rank of a device holds.
    [[nodiscard]] layout::Interval rowsOf(int parameter, int device, int tensor = 0) const;
    /// Returns the index of the output projection, which is the token table if the two are tied.
    [[nodiscard]] int outputWeight() const
    {
        return experiment.model.tied ? kTokenTable : static_cast<int>(parameters.size()) - 1;
    }
    /// Returns the device that runs `stage` for that microbatch, in the microbatch's direction.
    [[nodiscard]] int deviceOf(int stage, int microbatch) const
    {
        return schedule.placement().deviceOf(stage, schedule.placement().directionOf(microbatch));
    }
    /// Returns the stage whose device receives a message of the pass; nothing if all devices do.
    [[nodiscard]] std::optional<int> destinationOf(schedule::PassValue message, const schedule::Pass &pass) const
    {
        return schedule::destinationOf(schedule::traits(message).route, pass.stage, schedule.placement().lastStage());
    }
    [[nodiscard]] int firstDevice(int microbatch) const { return deviceOf(0, microbatch); }
    [[nodiscard]] int lastDevice(int microbatch) const { return deviceOf(schedule.placement().lastStage(), microbatch); }
    [[nodiscard]] const schedule::RecipeBook &recipes() const
    {
        return schedule::recipeBook(schedule.vocabulary(), schedule::recipeChoice(experiment));
    }
    /// Returns what the pass does on a device.
    [[nodiscard]] const schedule::PassRecipe &recipeOf(const schedule::Pass &pass, int device) const;
};

} // namespace stagelens::runtime
