// Where a run's state comes from and goes to.
#pragma once

#include <filesystem>

namespace stagelens::runtime {

/// An empty path means none. The first two are in Hugging Face layout (design/cli.md, "run --dump DIR").
struct RunFolders {
    std::filesystem::path dump;             ///< made and written as the run goes on
    std::filesystem::path init;             ///< its model.safetensors holds the parameters that the run starts from
    std::filesystem::path checkpoints = {}; ///< of this run (engine/runtime/state/checkpoint.h)
    int checkpointEvery = 0;                ///< steps; the last one gets a checkpoint too. 0: none
    std::filesystem::path resume = {};      ///< checkpoints of another run, the newest of which this one goes on from
    bool recordsKernels = false;            ///< of the GPUs in the last step, which that makes slower
};

} // namespace stagelens::runtime
