#include "engine/simulate/memory.h"

#include "engine/simulate/host_state.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace stagelens::simulate {

using base::Bytes;

bool usesHost(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    return schedule.hasCopies() || (experiment.schedule.offloadOptimizer && experiment.hasModel);
}

Bytes peakHostBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const Bytes state = hostState(experiment, schedule, device).total();
    if (!schedule.hasCopies())
        return state;
    const std::vector<Bytes> copied = copiedBytes(experiment, schedule);
    const std::span<const schedule::Copy> copies = schedule.copies(device);
    std::vector<std::uint32_t> reloads = schedule::byJoin(copies, schedule::CopyKind::Reload);
    auto ended = reloads.begin();
    Bytes now = 0;
    Bytes most = 0;
    for (const schedule::Copy &copy : copies) {
        for (; ended != reloads.end() && copies[*ended].join < copy.launch; ++ended)
            now -= copied[copies[*ended].stage];
        now += copy.kind == schedule::CopyKind::Offload ? copied[copy.stage] : 0;
        most = std::max(most, now);
    }
    return state + most;
}

} // namespace stagelens::simulate
