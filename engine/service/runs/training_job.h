// Trains a plan and stores the run.
#pragma once

#include "engine/service/engine_service.h"

#include <filesystem>
#include <functional>
#include <stop_token>

namespace stagelens::service {

/// Trains the experiment on the caller's thread (and those of the devices), stores the run while it progresses, and publishes
/// snapshots: one before anything is allocated, one per step, some in between, and a last one with `finished`.
void runTraining(const model::Experiment &experiment, const TrainingOptions &options, const std::filesystem::path &database,
                 int cores, std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish);

} // namespace stagelens::service
