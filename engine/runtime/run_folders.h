// Where a run's parameters come from and go to.
#pragma once

#include <filesystem>

namespace stagelens::runtime {

/// Folders in Hugging Face layout (design/cli.md, "run --dump DIR"); an empty path means none.
struct RunFolders {
    std::filesystem::path dump; ///< made and written as the run goes on
    std::filesystem::path init; ///< its model.safetensors holds the parameters that the run starts from
};

} // namespace stagelens::runtime
