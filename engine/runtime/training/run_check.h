// Checks whether the engine can train a plan on this machine, before anything is allocated.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace stagelens::runtime {

/// Returns every reason why the engine cannot run the plan on any machine.
[[nodiscard]] base::Result<> checkPlan(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Returns every reason why the engine cannot run the plan: architecture, backend, schedule, then memory. `places` as for
/// checkGpuMemory(); if empty, from gpuOfRank().
[[nodiscard]] base::Result<> checkRun(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                      const std::vector<int> &places = {}, bool isOverNccl = false);
/// Returns the positive multiples of `of` beside a number: "48 or 52", or "4".
[[nodiscard]] std::string multiplesBeside(int number, int of);
/// Returns why a run cannot end after the steps of an experiment: replicas that train alone must have been averaged,
/// and `together` steps run without a drain in between.
[[nodiscard]] base::Problems stepProblems(const model::Experiment &experiment, int together = 1);

} // namespace stagelens::runtime
