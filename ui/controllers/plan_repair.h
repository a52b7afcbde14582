// The change of one field that makes an invalid plan valid again.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagelens::ui {

/// A field with the value nearest to what it is, with which the plan is valid.
struct PlanRepair {
    std::int64_t value = 0;
    model::Experiment experiment; ///< with that value
};

/// Returns the numbers for the field that the first problem names with which every field is valid, the nearest first and six at
/// most. Returns none if the field is no number. `valid` is the last valid plan, or null. Tries some hundred numbers, within a
/// few milliseconds.
[[nodiscard]] std::vector<PlanRepair> repairsOf(const model::Experiment &experiment, const base::Problems &problems,
                                                const model::Experiment *valid);
/// Returns whether firstPlanned() takes less than 10 ms, so that it need not be a job.
[[nodiscard]] bool arePlannedAtOnce(const std::vector<PlanRepair> &repairs);
/// Returns the first of them whose order can be built, where that isQuick(); of others the fields must do. May be called on any
/// thread.
[[nodiscard]] std::optional<PlanRepair> firstPlanned(const std::vector<PlanRepair> &repairs, int cores);

} // namespace stagelens::ui
