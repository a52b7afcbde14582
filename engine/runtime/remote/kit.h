// The copy of this program on another machine.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// A file of the kit.
struct KitFile {
    std::filesystem::path from;
    std::string to; ///< below the kit's folder: "bin/stagelens-cli"
};
/// Returns the files that a worker needs: the command line, the plug-in for GPUs and the compiler's libraries if there are any,
/// and the presets of hardware. From STAGELENS_KIT (a build of the preset gpu-kit), else from the folder of this program.
[[nodiscard]] base::Result<std::vector<KitFile>> kitFiles();

/// Copies the kit to `~/.cache/stagelens/kit-HASH` there, unless it is there already, and returns the path of its
/// stagelens-cli. A copy that is cut short leaves a folder that ends in `.part`, which the next copy replaces.
[[nodiscard]] base::Result<std::string> copyKit(const std::string &host, const std::stop_token &stop);

} // namespace stagelens::runtime
