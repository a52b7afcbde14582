// A plan in the order of every schedule family, as far as they were tried.
#pragma once

#include "engine/service/engine_service.h"

#include <optional>
#include <string>
#include <vector>

namespace stagelens::ui {

/// What a plan would be in the order of another schedule family; absent where it cannot be made.
struct FamilyOption {
    std::string family;
    std::optional<base::Nanos> iteration;
    std::optional<base::Bytes> peakMemory;
    std::optional<base::Nanos> experts = {}; ///< the most that a device's passes wait for all-to-alls of experts
};
/// The plan with each schedule family, as far as they were tried.
struct FamilyOptions {
    /// Combining: each was tried with the plan's own method, and is being tried with another one.
    enum class State : unsigned char { Trying, Combining, Tried, NotTried };
    State state = State::NotTried;
    [[nodiscard]] bool isSettled() const { return state == State::Tried || state == State::NotTried; }
    std::vector<FamilyOption> options;
    /// The other method that fits and makes the plan fastest; where nothing makes it fit, the one of least memory. Absent where
    /// the plan's own is as good.
    std::optional<model::VocabularyMethod> method = {};
    std::vector<FamilyOption> combined = {}; ///< each family with that method
};

/// Returns FamilyOptions::method.
[[nodiscard]] std::optional<model::VocabularyMethod> methodToCombine(const service::Prediction &prediction,
                                                                     const service::Advice &advice);

} // namespace stagelens::ui
