// Whether two plans may be ranked by their times.
#pragma once

#include "engine/model/experiment.h"

#include <string>

namespace stagelens::service {

/// Why an iteration of two resolved plans is not the same work, such as "they train different models"; empty where it is.
/// Schedules, recomputation, number formats and hardware are ways to do it, and so are methods that split the vocabulary.
[[nodiscard]] std::string workDifference(const model::Experiment &a, const model::Experiment &b);

} // namespace stagelens::service
