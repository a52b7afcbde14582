// Fits the figures of a hardware preset to times of passes. Internal to the service.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/calibration.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace stagelens::service {

/// The typical time of each kind of pass on each device.
using PassTimes = std::map<std::pair<int, schedule::PassKind>, base::Nanos>;

/// A step trained with one thread at a time.
struct MeasuredStep {
    PassTimes typical;         ///< median processor times, which other programs hardly lengthen; on GPUs their clock's
    double processorShare = 1; ///< processor time of the passes over their wall time
};

/// A plan with one stage per device, and its steps.
struct MeasuredPlan {
    model::Experiment experiment;
    schedule::Schedule schedule;
    std::vector<MeasuredStep> steps;
};

/// Reorders the values, of which there is at least one.
template <class Value>
[[nodiscard]] Value median(std::vector<Value> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The figures that are fitted begin here, and need evidence to move.
struct FitBeginning {
    double matrixEfficiency = 0.8;
    double attentionEfficiency = 0.4;
    double halfSpeedDimension = 8;
    double memoryBytesPerSecond = 8e9;
    base::Nanos passOverhead = 2'000;
    bool isMemoryMeasured = false; ///< the memory's rate is known and stays
};

/// Fits efficiencies, memory bandwidth and overhead of the analytic costs to the medians of the steps, as a run shows its
/// typical step. Compares every second step with the others: their difference, the spread, is part of the description. Fails if
/// the spread is above 15 % or other programs used more than half of the processor.
[[nodiscard]] base::Result<model::Calibration> fitHardware(model::Hardware hardware, const std::vector<MeasuredPlan> &plans,
                                                           const FitBeginning &beginning = {});

/// Returns the launch interval (model::Hardware::launchInterval) with which the devices between the first and the last of a
/// plan of small kernels are predicted to take as long as measured. The other figures of `hardware` are known.
[[nodiscard]] base::Nanos fittedLaunchInterval(model::Hardware hardware, const MeasuredPlan &plan);

} // namespace stagelens::service
