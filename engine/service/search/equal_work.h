// Decides whether two plans can be ranked by their times.
#pragma once

#include "engine/model/experiment.h"

#include <string>

namespace stagelens::service {

/// Returns why iterations of two resolved plans are different work, such as "they train different models"; empty if they are
/// equal. Schedules, recomputation, number formats, hardware and vocabulary methods do not change the work.
[[nodiscard]] std::string workDifference(const model::Experiment &a, const model::Experiment &b);

} // namespace stagelens::service
