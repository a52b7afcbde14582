// The folders that a run reads and writes.
#pragma once

#include <filesystem>

namespace stagelens::runtime {

/// An empty path means none. `dump` and `init` are in Hugging Face layout.
struct RunFolders {
    std::filesystem::path dump;             ///< created and written during the run
    std::filesystem::path init;             ///< its model.safetensors contains the initial parameters
    std::filesystem::path checkpoints = {}; ///< of this run (engine/runtime/training/checkpoint.h)
    int checkpointEvery = 0;                ///< interval in steps, plus one after the last step; 0: none
    std::filesystem::path resume = {};      ///< checkpoints of another run; this run continues from the newest
    bool recordsKernels = false;            ///< in the last step, which makes it slower
};

} // namespace stagelens::runtime
