// What the devices of a run really take of their GPUs.
#pragma once

#include "engine/base/units.h"

#include <map>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Compares what is free on the GPUs before, while and after a run takes its memory with what was planned. Other programs that
/// take or free memory at the same time show as this one's.
class GpuMemoryWatch {
public:
    /// `places`: the GPU of each of the run's devices; `planned`: bytes that it is to take (slab, tokens, workspace), and
    /// `slabs` what of that are slabs. Nothing has been taken yet.
    GpuMemoryWatch(const std::vector<int> &places, const std::vector<base::Bytes> &planned,
                   const std::vector<base::Bytes> &slabs);

    /// Devices have their streams, workspaces and slabs.
    void tookMemory();
    /// After a step: "GPU 0: planned 3.20 GiB, measured 3.25 GiB: slabs 3.10 GiB, ...". GPUs that no device works on are left
    /// out.
    [[nodiscard]] std::string text() const;

private:
    struct Use {
        base::Bytes planned = 0;
        base::Bytes slabs = 0;
        base::Bytes free = 0;      ///< before
        base::Bytes freeAfter = 0; ///< the taking
    };
    std::map<int, Use> m_gpus;
};

} // namespace stagelens::runtime
