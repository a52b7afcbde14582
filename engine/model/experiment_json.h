// The experiment as a JSON document ("stagelens": "experiment/2"; reads version 1 as well).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace stagelens::model {

/// Returns the complete document, with its keys in a fixed order.
[[nodiscard]] nlohmann::ordered_json toJson(const Experiment &experiment);
/// Reads a document; absent members keep their defaults (a named preset fills the model first), unknown members, wrong types
/// and out-of-range numbers are problems. Bounded in depth and size. Does not validate the plan as a whole: call validate().
[[nodiscard]] base::Result<Experiment> experimentFromJson(std::string_view text, const std::string &source);
/// Read and write a document. Paths of files that a plan needs (a custom schedule, durations, data) are relative to the
/// document's folder in the file, and to the working folder in memory.
[[nodiscard]] base::Result<Experiment> loadExperiment(const std::filesystem::path &file);
[[nodiscard]] base::Result<> saveExperiment(const Experiment &experiment, const std::filesystem::path &file);

} // namespace stagelens::model
