// The change of one field that makes an invalid plan valid again.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <cstdint>
#include <optional>

namespace stagelens::ui {

/// A field with the value nearest to what it is, with which the plan is valid.
struct PlanRepair {
    std::int64_t value = 0;
    model::Experiment experiment; ///< with that value
};

/// Returns the nearest number for the field that the first problem names. Returns nothing if the field is no number, or if no
/// number near it makes the whole plan valid. `valid` is the last valid plan, or null. Plans that isQuick() are planned as
/// well; of others only the fields are checked. Tries at most some hundred numbers. May be called on any thread.
[[nodiscard]] std::optional<PlanRepair> nearestRepair(const model::Experiment &experiment, const base::Problems &problems,
                                                      const model::Experiment *valid, int cores);

/// Returns whether that takes less than 10 ms, so that it need not be a job: the plan is small enough for the six orders that
/// are built at most.
[[nodiscard]] bool isRepairedAtOnce(const model::Experiment &experiment);

} // namespace stagelens::ui
