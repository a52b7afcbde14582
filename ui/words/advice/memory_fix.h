// Changes that may make a plan fit into the memory of its devices.
#pragma once

#include "engine/service/engine_service.h"

#include <QString>

#include <vector>

namespace stagelens::ui {

/// A change to a plan, and what it costs.
struct MemoryFix {
    QString words; ///< "full recomputation"
    model::Experiment experiment;
    base::Nanos iteration = 0;  ///< of its prediction; 0 before
    base::Bytes peakMemory = 0; ///< of its fullest device; 0 before
    bool isLarger = false;      ///< has more devices
};
/// The changes worth trying, the smallest first; none where the plan fits or a vocabulary method makes it fit.
[[nodiscard]] std::vector<MemoryFix> memoryFixes(const service::Prediction &prediction, const service::Advice &advice);

/// The change to a plan that recomputes layers of its stages.
[[nodiscard]] MemoryFix recomputationFix(model::Experiment plan);

} // namespace stagelens::ui
