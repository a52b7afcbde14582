// The JSON of a stored run: the timeline document of its typical step, with what only a run has.
#pragma once

#include "engine/store/run_record.h"

#include <nlohmann/json_fwd.hpp>

namespace stagelens::cli {

/// "4.5841 -> 3.2110" from the losses on held-back tokens; empty where there are none.
[[nodiscard]] std::string evaluationText(const std::vector<store::EvaluationLoss> &evaluations);
/// Median and quartiles of the steps' times in nanoseconds, the first two steps apart where there are more; nothing without
/// steps.
struct StepTimes {
    std::size_t warmUpSteps = 0;
    double firstQuartile = 0;
    double median = 0;
    double thirdQuartile = 0;
};
[[nodiscard]] std::optional<StepTimes> stepTimes(const std::vector<base::Nanos> &iterations);
/// A row of `runs list --json`.
[[nodiscard]] nlohmann::ordered_json summaryJson(const store::RunSummary &run);
/// The whole run; `withSlices` adds every slice of the typical step. Before the first step "metrics" is null and "devices"
/// empty.
[[nodiscard]] nlohmann::ordered_json runDocument(const store::RunRecord &run, bool withSlices);

} // namespace stagelens::cli
