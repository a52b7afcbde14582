// The requirements of a pass: what its recipe receives, resolved for its stage. Simulator, validator and executor ask here.
#pragma once

#include "engine/model/experiment.h"
#include "engine/passes/recipe_book.h"

#include <cstdint>

namespace stagelens::schedule {

/// A pass that must have ended, and the transfer that follows it. With `allDevices`, the passes of that kind and microbatch on
/// every device.
struct Requirement {
    PassKind kind = PassKind::F; ///< B: the stage's B, or its I if that microbatch's backward is split (see provides())
    std::uint16_t stage = 0;     ///< of the pass; unused when allDevices
    bool allDevices = false;
    Transfer transfer = Transfer::Local;
    int unitOffset = 0; ///< of the pass in `Pass::microbatch`: another slice of the same sequence; its transfer is Local
};
inline constexpr std::size_t kMostRequirements = 2; ///< of one pass

/// The inputs of forEachRequirement() beside the pass.
struct RequirementRules {
    int lastStage = 0;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
    int slices = 1; ///< of a sequence; microbatch numbers count slices
};

/// Calls `visit(requirement)` for every requirement of a pass beside the order of its device, from its recipe (pass_recipe.h).
/// Requirements have the microbatch of the pass (and therefore its direction). Slices are an exception: F needs the keys and
/// values of the previous slice, and a backward the gradients of keys and values from the next slice. Backwards may be split
/// for some stages and microbatches only. tests/golden/recipes shows the requirements of every pass.
template <class Visit>
void forEachRequirement(const RequirementRules &rules, const Pass &pass, Visit visit)
{
    const bool isLast = pass.stage == rules.lastStage;
    const PassRole role{.kind = pass.kind, .isFirst = pass.stage == 0, .isLast = isLast};
    for (const RelativeRequirement &each : recipeBook(rules.vocabulary).of(role).requirements) {
        using Stage = RelativeRequirement::Stage;
        const int stage = each.stage == Stage::Own        ? pass.stage
                          : each.stage == Stage::Previous ? pass.stage - 1
                          : each.stage == Stage::Next     ? pass.stage + 1
                          : each.stage == Stage::Last     ? rules.lastStage
                                                          : 0;
        visit(Requirement{each.kind, static_cast<std::uint16_t>(stage), each.stage == Stage::AllDevices, each.transfer});
    }
    if (rules.slices == 1)
        return;
    const int slice = pass.microbatch % rules.slices;
    if (pass.kind == PassKind::F && slice > 0)
        visit(Requirement{.kind = PassKind::F, .stage = pass.stage, .unitOffset = -1});
    if ((pass.kind == PassKind::B || pass.kind == PassKind::I) && slice + 1 < rules.slices)
        visit(Requirement{.kind = PassKind::B, .stage = pass.stage, .unitOffset = 1});
}

/// Returns the position of a slice in the order of backwards. If sequences are cut, the slices of a sequence run in reverse;
/// otherwise the position is the number. The function is its own inverse.
[[nodiscard]] constexpr int backwardPlace(int unit, int slices)
{
    return unit + slices - 1 - 2 * (unit % slices);
}

} // namespace stagelens::schedule
