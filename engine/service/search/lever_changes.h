// The changes that the lever board predicts.
#pragma once

#include "engine/service/search/levers.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::service {

/// A change that combinations apply as well.
struct LeverChange {
    LeverKind kind;
    std::string options;
    Numbers numbers;
    std::function<void(model::Experiment &)> apply;
};

/// Returns the changes that a plan with a model allows, in the order of their kinds. Predicts a few plans to find how many
/// layers to recompute.
[[nodiscard]] std::vector<LeverChange> leverChanges(const Prediction &prediction, int cores, const std::stop_token &stop);

/// Returns the memory limit of a device: the plan's, else the hardware's capacity; nothing if both are unknown.
[[nodiscard]] std::optional<base::Bytes> memoryLimitOf(const Prediction &prediction);

} // namespace stagelens::service
