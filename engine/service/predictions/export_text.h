// Timelines for other programs.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/metrics.h"
#include "engine/store/run_record.h"

#include <string>

namespace stagelens::service {

/// A plan and its times.
struct TimedPlan {
    const model::Experiment &experiment; ///< resolved
    const schedule::Schedule *schedule;  ///< null: unknown, and so are bytes
    const timeline::Timeline &timeline;
    const simulate::Metrics &metrics;
};
/// Exports a plan for another program: format "chrome-trace" (messages as flows, bytes as counters), "csv" or "json".
[[nodiscard]] base::Result<std::string> exportText(const TimedPlan &plan, const std::string &format);
/// Exports a stored run. Fails if it has no timeline.
[[nodiscard]] base::Result<std::string> exportText(const store::RunRecord &run, const std::string &format);

} // namespace stagelens::service
