// Why devices of a timeline are idle.
#pragma once

#include "engine/base/result.h"
#include "engine/service/predictions/prediction.h"
#include "engine/simulate/idle_causes.h"

namespace stagelens::service {

/// Fails if the passes of the timeline differ from those of the schedule or its order: a stored timeline may belong to an older
/// schedule, or to none. Nothing may be derived from both then.
[[nodiscard]] base::Result<> checkOrder(const timeline::Timeline &timeline, const schedule::Schedule &schedule);
/// Returns critical path, slack and causes of every idle interval of a prediction. O(passes).
[[nodiscard]] base::Result<simulate::Explanation> explain(const Prediction &prediction);
/// Returns the same for a measured timeline of an experiment, with the experiment's costs for messages and collectives. Fails
/// if the passes differ from the experiment's schedule or its order.
[[nodiscard]] base::Result<simulate::Explanation> explain(const model::Experiment &experiment,
                                                          const timeline::Timeline &measured);
/// Returns the counterfactual split of a prediction's bubble, by a few more simulations.
[[nodiscard]] simulate::BubbleCauses splitBubble(const Prediction &prediction);

} // namespace stagelens::service
