// What is simulated for a live picture, and what of it is drawn.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/learn/facts.h"
#include "ui/learn/live_plan.h"
#include "ui/state/explanations.h"

#include <stop_token>

namespace stagelens::ui {

struct LiveSimulation {
    service::PredictionPtr plan;
    service::PredictionPtr beside; ///< null: one plan alone
    ExplanationPtr why;            ///< null unless the picture shows it
    ExplanationPtr whyBeside;
};
/// Simulates an experiment that a reader made of the plan's, and the plan beside it. Fails with what is wrong with either. May
/// be called on any thread.
[[nodiscard]] base::Result<LiveSimulation> simulated(const LivePlan &plan, const model::Experiment &experiment,
                                                     const std::stop_token &stop);
/// Returns what a picture of the plan draws of it.
[[nodiscard]] TimelineContent contentOf(const LivePlan &plan, const LiveSimulation &simulated);
/// Returns the figures; `start` is the plan as it was given.
[[nodiscard]] Facts factsOf(const LiveSimulation &simulated, const service::Prediction &start);
/// "1F1B, VOCAB-2".
[[nodiscard]] QString methodName(const model::Experiment &experiment);

/// A part of a timeline, with its figures.
struct TimelinePart {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    base::Nanos time = 0; ///< of its passes or operators together
    double flops = 0;     ///< of a rank, in matrix products and attention
    timeline::SliceId first;
};
/// Returns the part that a plan enlarges, in the first group of lanes; nothing if it enlarges none, the timeline has no such
/// pass or operator, or the operators of its passes are not known. GUI thread only.
[[nodiscard]] std::optional<TimelinePart> partOf(const TimelineContent &content, const LivePlan &plan);
/// Returns the range of time that shows a part with some room around it.
[[nodiscard]] std::pair<base::Nanos, base::Nanos> rangeOf(const TimelinePart &part);

} // namespace stagelens::ui
