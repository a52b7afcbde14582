// From times of passes to the figures of a hardware preset. Internal to the service.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/calibration.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <map>
#include <utility>
#include <vector>

namespace stagelens::service {

/// The shortest time of each kind of pass on each device.
using PassTimes = std::map<std::pair<int, schedule::PassKind>, base::Nanos>;

/// A step that was trained with one thread at a time.
struct MeasuredStep {
    PassTimes shortest;
    double processorShare = 1; ///< processor time of the step over its wall time
};

/// A plan whose stages are as many as its devices, and its steps.
struct MeasuredPlan {
    model::Experiment experiment;
    schedule::Schedule schedule;
    std::vector<MeasuredStep> steps;
};

/// Chooses the efficiencies, the memory's speed and the overhead with which the analytic costs explain the shortest times best;
/// other programs only make passes longer. Every second step is measured against the others: their distance, the spread, is
/// in the description too. Fails if the spread is above 15 % or other programs took more than half of the processor.
[[nodiscard]] base::Result<model::Calibration> fitHardware(model::Hardware hardware, const std::vector<MeasuredPlan> &plans);

} // namespace stagelens::service
