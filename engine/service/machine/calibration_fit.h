// Fits the figures of a hardware preset to times of passes. Internal to the service.
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

/// A step trained with one thread at a time.
struct MeasuredStep {
    PassTimes shortest;
    double processorShare = 1; ///< processor time of the step over its wall time
};

/// A plan with one stage per device, and its steps.
struct MeasuredPlan {
    model::Experiment experiment;
    schedule::Schedule schedule;
    std::vector<MeasuredStep> steps;
};

/// Fits efficiencies, memory bandwidth and overhead of the analytic costs to the shortest times, because other programs only
/// lengthen passes. Compares every second step with the others: their difference, the spread, is part of the description. Fails
/// if the spread is above 15 % or other programs used more than half of the processor.
[[nodiscard]] base::Result<model::Calibration> fitHardware(model::Hardware hardware, const std::vector<MeasuredPlan> &plans);

} // namespace stagelens::service
