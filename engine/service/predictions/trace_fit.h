// Fits the figures of hardware to the passes of a trace of another program.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/exchange/trace_import.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/passes/pass.h"

#include <cstddef>
#include <vector>

namespace stagelens::service {

/// The passes of one kind: medians over all of them, measured and predicted.
struct PassResidual {
    schedule::PassKind kind = schedule::PassKind::F;
    std::size_t count = 0;
    base::Nanos measured = 0;
    base::Nanos before = 0; ///< predicted with the hardware as it was
    base::Nanos after = 0;  ///< with the fitted figures
    double rms = 0;         ///< relative error of the stages' medians after the fit, root mean square
};

struct TraceFit {
    model::Hardware hardware;
    std::vector<PassResidual> passes; ///< of each kind in the trace
    std::size_t steps = 0;            ///< that were used: all but the first, where there are several
};

/// Fits the efficiencies of matrix products and attention, the memory bandwidth and the overhead of a pass so that the analytic
/// costs of a plan come closest to the medians of the trace's passes, by stage and kind, each weighted with its share of the
/// time. Figures that the passes do not tell apart stay near those of the plan's hardware. `experiment` is the plan that was
/// traced. Fails with InvalidInput if the trace is of another plan, or if the plan has no hardware.
[[nodiscard]] base::Result<TraceFit> fitTrace(const model::Experiment &experiment, const exchange::ImportedTrace &trace);

} // namespace stagelens::service
