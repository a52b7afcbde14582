// Predicts or trains many plans one after another.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/store/run_record.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagelens::service {

/// The result of one plan.
struct SweepPoint {
    bool done = false;
    std::optional<base::Error> error; ///< why it is impossible or its run failed; there are no figures then
    timeline::Provenance kind = timeline::Provenance::Predicted;
    base::Nanos iteration = 0;
    base::Nanos work = 0; ///< busy time of all devices: the duration of a step on the virtual clock
    double bubbleRatio = 0;
    std::optional<double> tokensPerSecond;
    std::optional<double> mfu;
    base::Bytes peakMemory = 0;     ///< greatest over the devices; 0: unknown
    base::Bytes memoryCapacity = 0; ///< of a device; 0: unknown
    store::RunId run = 0;           ///< 0: none
};

/// The state of a sweep. Immutable.
struct SweepSnapshot {
    std::vector<SweepPoint> points; ///< one for each plan, in their order
    std::size_t done = 0;
    bool finished = false;
    bool cancelled = false; ///< finished, and not all points are done
    std::optional<double> secondsLeft;
};
using SweepSnapshotPtr = std::shared_ptr<const SweepSnapshot>;

/// Processes the plans on the caller's thread and publishes snapshots, the last one with `finished`. Training runs are stored
/// like any other. A stop keeps the completed points, and the completed steps of the current run.
void runSweep(const std::vector<model::Experiment> &plans, bool train, const std::filesystem::path &database, int cores,
              std::stop_token stop, const std::function<void(SweepSnapshotPtr)> &publish);

} // namespace stagelens::service
