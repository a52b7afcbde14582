// What the stragglers of a measured job cost, as text and as JSON.
#pragma once

#include "engine/service/runs/straggler_job.h"

#include <nlohmann/json_fwd.hpp>

#include <ostream>

namespace stagelens::cli {

/// Prints the step and its what-ifs as tables, with the ten slowest workers.
void printStragglers(std::ostream &out, const service::StragglerAnalysis &analysis);
/// Returns all figures; times in nanoseconds.
[[nodiscard]] nlohmann::ordered_json stragglersJson(const service::StragglerAnalysis &analysis);

} // namespace stagelens::cli
