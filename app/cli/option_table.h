// The experiment options of the contract, one by one.
#pragma once

#include "engine/model/experiment.h"

#include <span>
#include <string>
#include <string_view>

namespace stagelens::cli {

/// What is wrong with an option's text; empty if nothing is.
using Fault = std::string;

/// One option: its JSON field tells whose problem a problem of validate() is.
struct Option {
    const char *name;
    const char *placeholder;
    const char *group;
    const char *field;
    const char *help;
    Fault (*apply)(std::string_view text, model::Experiment &experiment);
};

/// In the order in which they are applied: the model's name first, then its sizes.
[[nodiscard]] std::span<const Option> experimentOptions();

} // namespace stagelens::cli
