// The libraries that the GPU kernels use.
#pragma once

#include <string>
#include <vector>

namespace stagelens::kernels::gpu {

struct Library {
    std::string name;
    std::string use;
    std::string version; ///< empty if it cannot be used
    std::string file;    ///< from which it was loaded
    std::string problem; ///< why it cannot be used, and what is used instead
};

/// Loads and returns the libraries for products and attention.
[[nodiscard]] std::vector<Library> libraries();
/// Returns the file that contains a function of a library that is already loaded, or an empty string.
[[nodiscard]] std::string fileOf(const char *library, const char *function);

} // namespace stagelens::kernels::gpu
