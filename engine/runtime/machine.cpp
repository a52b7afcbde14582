#include "engine/runtime/machine.h"

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "kernels/include/instruction_set.h"
#include "kernels/include/matmul.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace stagelens::runtime {

std::string processorName()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(':'); colon != std::string::npos)
                return std::string(base::trim(std::string_view(line).substr(colon + 1)));
    return "unknown processor";
}

base::Bytes installedBytes()
{
    return static_cast<base::Bytes>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

std::string blasDescription()
{
    return base::concat(kernels::libraryConfiguration(), ", core ", kernels::libraryCore());
}

std::string vectorInstructions()
{
    return std::string(kernels::name(kernels::instructionSet()));
}

double matrixPeak()
{
    constexpr std::int64_t kSize = 768;
    constexpr int kProducts = 8;
    constexpr double kFlops = 2.0 * kSize * kSize * kSize;
    kernels::useOneThreadPerCall();
    // Random operands: zeros would be flattered by some processors.
    base::Random random(1);
    std::vector<float> a(kSize * kSize);
    std::vector<float> b(kSize * kSize);
    std::vector<float> c(kSize * kSize);
    for (float *matrix : {a.data(), b.data()})
        std::generate_n(matrix, kSize * kSize, [&random] { return static_cast<float>(random.nextUniform()) - 0.5F; });
    double best = 0;
    for (int i = 0; i < kProducts; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        kernels::multiply({.rows = kSize,
                           .columns = kSize,
                           .inner = kSize,
                           .a = {a.data(), kSize},
                           .b = {b.data(), kSize},
                           .c = c.data(),
                           .stride = kSize});
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        best = std::max(best, kFlops / elapsed.count());
    }
    return best;
}

} // namespace stagelens::runtime
