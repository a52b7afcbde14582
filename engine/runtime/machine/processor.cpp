#include "engine/runtime/machine/processor.h"

#include "engine/base/processor_time.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "kernels/include/instruction_set.h"
#include "kernels/include/matmul.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace stagelens::runtime {
namespace {

double threadSeconds()
{
    return 1e-9 * static_cast<double>(base::threadProcessorTime());
}

} // namespace

std::string processorName()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(':'); colon != std::string::npos)
                return std::string(base::trim(std::string_view(line).substr(colon + 1)));
    return "unknown processor";
}

int coreCount()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

base::Bytes installedBytes()
{
    return static_cast<base::Bytes>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

base::Bytes availableBytes()
{
    std::ifstream in("/proc/meminfo");
    constexpr std::string_view kKey = "MemAvailable:";
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(kKey))
            continue;
        const std::string_view rest = base::trim(std::string_view(line).substr(kKey.size()));
        return base::parseInteger(rest.substr(0, rest.find(' '))).value_or(0) * 1024;
    }
    return 0;
}

std::string blasDescription()
{
    return fmt::format("{}, core {}", kernels::libraryConfiguration(), kernels::libraryCore());
}

std::string vectorInstructions()
{
    return std::string(kernels::name(kernels::instructionSet()));
}

base::Result<> prepareProducts(int threads)
{
    kernels::useOneThreadPerCall();
    if (kernels::reserveProducts(threads))
        return {};
    return base::Error::failed(fmt::format("matrix products on {}{} at once need {} of address space, which the system "
                                           "refuses; raise the limit (`ulimit -v`), end other programs, or use fewer devices",
                                           threads, threads == 1 ? " thread" : " threads",
                                           base::bytesText(threads * kernels::kProductBuffer)));
}

double matrixPeak()
{
    constexpr std::int64_t kSize = 768;
    constexpr int kProducts = 8;
    constexpr double kFlops = 2.0 * kSize * kSize * kSize;
    if (!prepareProducts(1))
        throw std::bad_alloc();
    // Random operands, because some processors multiply zeros faster.
    base::Random random(1);
    std::vector<float> a(kSize * kSize);
    std::vector<float> b(kSize * kSize);
    std::vector<float> c(kSize * kSize);
    for (float *matrix : {a.data(), b.data()})
        std::generate_n(matrix, kSize * kSize, [&random] { return static_cast<float>(random.nextUniform()) - 0.5F; });
    double best = 0;
    for (int i = 0; i < kProducts; ++i) {
        const double begin = threadSeconds();
        kernels::multiply({.rows = kSize,
                           .columns = kSize,
                           .inner = kSize,
                           .a = {a.data(), kSize},
                           .b = {b.data(), kSize},
                           .c = c.data(),
                           .stride = kSize});
        best = std::max(best, kFlops / std::max(threadSeconds() - begin, 1e-9));
    }
    return best;
}

} // namespace stagelens::runtime
