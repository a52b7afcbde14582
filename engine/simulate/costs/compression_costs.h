// The time and bytes of exchanging compressed gradients; see engine/operators/compression.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/operators/compression/compression.h"
#include "engine/schedule/schedule.h"

namespace stagelens::simulate {

/// Returns the floats that a rank of the device exchanges and keeps; all 0 without compression.
[[nodiscard]] operators::CompressedSizes compressedSizes(const model::Experiment &experiment,
                                                         const schedule::Schedule &schedule, int device, int tensor = 0);

struct CompressedExchange {
    double seconds = 0; ///< of the collectives
    double bytes = 0;   ///< that a rank sends
    double touched = 0; ///< bytes of memory that it reads and writes to compress
    double flops = 0;
};
/// Returns the cost with which `ranks` on the nodes of `span` exchange the gradients of a device. Messages contain fp32
/// numbers, whatever the precision of the gradients. Gradients that are not compressed are sent unchanged.
[[nodiscard]] CompressedExchange compressedExchange(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                    const model::Hardware &hardware, int device, int ranks,
                                                    const layout::NodeSpan &span);

} // namespace stagelens::simulate
