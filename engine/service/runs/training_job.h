// One run from its plan to its stored record.
#pragma once

#include "engine/service/engine_service.h"

#include <filesystem>
#include <functional>
#include <stop_token>

namespace stagelens::service {

/// Trains the experiment on the caller's thread (and the devices' own), stores what happens as it happens, and publishes
/// snapshots: a first one before anything is allocated, one a step, some between, and a last one with `finished`.
void runTraining(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                 int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish);

} // namespace stagelens::service
