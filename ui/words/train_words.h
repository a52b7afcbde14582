// What the Train button says: where, how and how long, or why not.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/machine/backends.h"

#include <QString>

namespace stagelens::ui {

/// "CPU, virtual clock, because 4 devices > 2 cores; about 40 s, 60 MiB".
[[nodiscard]] QString trainingWords(const service::Prediction &plan, int cores);
/// What a backend computes on: "Intel Xeon …, 2 cores, 23.5 GiB", or why it cannot be used.
[[nodiscard]] QString backendWords(const service::BackendInfo &backend);
/// Why the plan cannot be trained now; empty if it can.
[[nodiscard]] QString trainingObstacle(const service::PredictionPtr &plan, const base::Problems &problems);
/// Returns why this computer cannot run a valid plan now.
struct MachineObstacle {
    QString words;          ///< empty: it can
    bool copyHelps = false; ///< a scaled copy of the plan could be run
};
[[nodiscard]] MachineObstacle machineObstacle(const service::Prediction &plan);

} // namespace stagelens::ui
