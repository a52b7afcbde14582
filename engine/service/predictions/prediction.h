// What follows from an experiment without running it.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/pass_legs.h"
#include "engine/simulate/memory_profiles.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/timeline.h"

#include <memory>
#include <stop_token>
#include <string>

namespace stagelens::service {

struct SearchResult; // search/schedule_search.h

/// A prediction. Immutable.
struct Prediction {
    model::Experiment experiment; ///< resolved
    std::shared_ptr<const schedule::Schedule> schedule;
    std::shared_ptr<const simulate::CostModel> costs; ///< of the predicted timeline
    timeline::TimelinePtr timeline;
    simulate::Metrics metrics;
    std::shared_ptr<const simulate::MemoryProfiles> memory; ///< null without a model
    std::shared_ptr<const model::Hardware> hardware;        ///< that the costs are of; null if they are mere durations
    base::Bytes memoryCapacity = 0;                         ///< of a device; 0: unknown
    std::string costName;                                   ///< "cpu-local", "uniform", the durations file's name
    std::shared_ptr<const SearchResult> search;             ///< that chose the schedule; null if the plan named its family
};
using PredictionPtr = std::shared_ptr<const Prediction>;

/// Predicts a plan that names its family (milliseconds for typical plans). Fails with InvalidInput and every problem of the
/// plan, and with Cancelled if `stop` is requested, which is checked between the parts of the prediction.
[[nodiscard]] base::Result<std::shared_ptr<Prediction>> predictionOf(const model::Experiment &experiment, int cores,
                                                                     const std::stop_token &stop = {});
/// Returns the operators inside the passes of a prediction. Fails unless its costs come from a hardware preset.
[[nodiscard]] base::Result<std::unique_ptr<simulate::PassLegs>> legsOf(const Prediction &prediction);

} // namespace stagelens::service
