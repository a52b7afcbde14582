// The requirements of a pass: what its recipe receives, resolved for its stage. Simulator, validator and executor ask here.
#pragma once

#include "engine/model/experiment.h"
#include "engine/passes/pass_recipe.h"

#include <cstdint>

namespace stagelens::schedule {

/// A pass (or, when `allDevices`, the pass of that kind and microbatch on every device) that must have ended, and the transfer
/// that follows it.
struct Requirement {
    PassKind kind = PassKind::F; ///< B: the stage's B, or its I if that microbatch's backward is split (see provides())
    std::uint16_t stage = 0;     ///< of the pass; unused when allDevices
    bool allDevices = false;
    Transfer transfer = Transfer::Local;
};
inline constexpr std::size_t kMostRequirements = 2; ///< of one pass

/// The inputs of forEachRequirement() beside the pass.
struct RequirementRules {
    int lastStage = 0;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
};

/// Calls `visit(requirement)` for every requirement of a pass beside its device, as its recipe says (pass_recipe.h). All
/// requirements have the microbatch of the pass (and so its direction). Backwards may be split for some stages and microbatches
/// only. tests/golden/recipes shows the requirements of every pass.
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
}

} // namespace stagelens::schedule
