// The JSON of a stored run: the timeline document of its median step, with what only a run has.
#pragma once

#include "engine/store/run_record.h"

#include <nlohmann/json_fwd.hpp>

namespace stagelens::cli {

/// A row of `runs list --json`.
[[nodiscard]] nlohmann::ordered_json summaryJson(const store::RunSummary &run);
/// The whole run; `withSlices` adds every slice of the median step. Before the first step "metrics" is null and "devices"
/// empty.
[[nodiscard]] nlohmann::ordered_json runDocument(const store::RunRecord &run, bool withSlices);

} // namespace stagelens::cli
