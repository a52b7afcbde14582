// The table of features of a plan that can be predicted and run. Validation, `list capabilities` and covering tests read it.
#pragma once

#include "engine/model/experiment.h"

#include <span>
#include <string_view>

namespace stagelens::model {

struct Capability {
    std::string_view name;
    std::string_view description;
    std::string_view field; ///< of the experiment, which turns it on
    bool (*isUsed)(const Experiment &);
    bool isPredicted = true;
    bool isRun = true;
    // Where one is false:
    std::string_view reason = {}; ///< completes "is <value>, but ..."
    std::string_view remedy = {};
};

[[nodiscard]] std::span<const Capability> capabilities();

enum class Use : unsigned char { Predict, Run };
/// Returns a problem for each feature of a plan that can be predicted but not run, or, for Use::Predict, not predicted.
[[nodiscard]] base::Problems unsupported(const Experiment &experiment, Use use);

} // namespace stagelens::model
