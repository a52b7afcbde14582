// What is said of an invalid plan: in the verdict card, and over the picture of the last valid plan.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_repair.h"
#include "ui/words/advice/headline.h"

#include <QString>

namespace stagelens::ui {

/// "Showing the last valid plan: 4 devices."; empty if there is none.
[[nodiscard]] QString lastValidPlanWords(const service::PredictionPtr &plan, const base::Problems &problems);
/// Returns every problem as a sentence that names its field, cause and remedy: "Devices must be 1 to 1,024, not 100,000."
[[nodiscard]] QString problemWords(const base::Problem &problem, const model::Experiment &experiment);
/// Returns what a repair of an order changes: "passes added: 2, moved: 1".
[[nodiscard]] QString repairWords(const service::RepairedOrder &repaired);
/// Returns the verdict on an invalid plan: its first problem, and how many others there are. Its action is left to the caller.
[[nodiscard]] Headline invalidHeadline(const base::Problems &problems, const model::Experiment &experiment);

} // namespace stagelens::ui
