// The recipes of every pass of a vocabulary method, with what follows from their steps.
#pragma once

#include "engine/passes/pass_recipe.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace stagelens::schedule {

/// What distinguishes the recipes of plans with the same vocabulary method.
struct RecipeChoice {
    bool recomputes = false; ///< layers recompute values that the forward has dropped, or unpack those that it has packed
    Sharing sharing = Sharing::None;
    model::VocabularyKind kind = model::VocabularyKind::Full;
    bool mapsInput = false;  ///< the input table is narrower than the layers
    bool mapsOutput = false; ///< the output table is, or has several heads
    bool hasTails = false;   ///< of an adaptive softmax
};
[[nodiscard]] inline RecipeChoice recipeChoice(const model::Experiment &experiment)
{
    return {experiment.schedule.rebuilds() || experiment.schedule.packsActivations(),
            sharingOf(experiment.parallel),
            experiment.schedule.vocabularyKind,
            experiment.model.isFactorised(),
            experiment.model.mapsOutput(),
            experiment.model.isAdaptive() && !experiment.model.tails().empty()};
}

/// Every recipe of a vocabulary method.
class RecipeBook {
public:
    RecipeBook(model::VocabularyMethod method, const RecipeChoice &choice);

    [[nodiscard]] const PassRecipe &of(const PassRole &role) const { return m_recipes[index(role)]; }
    /// Returns the messages that a pass sends, in order.
    [[nodiscard]] std::vector<PassValue> sentBy(const PassRole &role) const;
    /// Returns whether any pass sends a message with this transfer.
    [[nodiscard]] bool uses(Transfer transfer) const;
    /// Returns whether a pass waits for messages of the passes of its own kind on the other devices, which all run
    /// concurrently.
    [[nodiscard]] bool hasBarrierInside(PassKind kind) const;
    /// Returns the kind of the passes that send a message; B also means I.
    [[nodiscard]] PassKind senderOf(PassValue message) const { return m_senders[messageIndex(message)]; }
    /// Returns the kind of the passes that use a message; the first of them if two do.
    [[nodiscard]] PassKind receiverOf(PassValue message) const { return m_receivers[messageIndex(message)]; }

private:
    static constexpr std::size_t kRoles = 16;
    [[nodiscard]] static std::size_t index(const PassRole &role)
    {
        const unsigned bits =
            (role.isFirst ? 1U : 0U) | (role.isLast ? 2U : 0U) | (role.hasLayers ? 4U : 0U) | (role.isOnLastDevice ? 8U : 0U);
        return static_cast<std::size_t>(role.kind) * kRoles + bits;
    }
    void write(const RecipeChoice &choice);
    void findEndpoints();
    void addRequirements(const PassRole &role);
    void addUses(const PassRole &role);
    /// Returns the pass of that kind which works on the same microbatch as `role`, and on the same device.
    [[nodiscard]] const PassRecipe *relative(const PassRole &role, PassKind kind) const;

    model::VocabularyMethod m_method;
    std::array<PassRecipe, kRoles * kPassKindCount> m_recipes;
    std::array<PassKind, kMessageKinds> m_senders{};
    std::array<PassKind, kMessageKinds> m_receivers{};
};

/// Returns the recipes of a method, which are built once. Thread-safe.
[[nodiscard]] const RecipeBook &recipeBook(model::VocabularyMethod method, const RecipeChoice &choice = {});

/// Returns the vocabulary passes of a method in topological order.
[[nodiscard]] std::vector<PassKind> vocabularyPasses(model::VocabularyMethod method);

/// Returns the text of every different recipe of a method, with one line per step.
[[nodiscard]] std::string text(const RecipeBook &book);

} // namespace stagelens::schedule
