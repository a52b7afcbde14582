// What the command line makes of the fields of an experiment.
#pragma once

#include "engine/base/result.h"
#include "engine/model/schema.h"

#include <string>
#include <string_view>

namespace stagelens::cli {

/// What is wrong with an option's text; empty if nothing is.
using Fault = std::string;

/// Sets a field to what the text of its option means. A model may also come from a Hugging Face config.json, a schedule from a
/// file or from standard input.
[[nodiscard]] Fault applyOption(const model::Field &field, std::string_view text, model::Experiment &experiment);

/// Sets the hardware: a preset, or a cluster's file, which the experiment then contains. Every problem of the file is one.
[[nodiscard]] base::Problems applyHardware(std::string_view text, model::Experiment &experiment);

} // namespace stagelens::cli
