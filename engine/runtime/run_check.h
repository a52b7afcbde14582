// Whether a plan can really be trained here, before anything is allocated.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace stagelens::runtime {

/// Every reason why the engine cannot run it: model family, backend, schedule, and then memory. `places`: see checkGpuMemory();
/// empty: as gpuOfDevice() has them.
[[nodiscard]] base::Result<> checkRun(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                      const std::vector<int> &places = {});

} // namespace stagelens::runtime
