// The self-test of the GPU kernels while every access of theirs is watched, with several orders of fibres; and mistakes in a
// kernel, each of which must be found. Seeds are printed.
#include "kernels/cuda/selftest/selftest.h"
#include "tests/cuda_emulator/fibres.h"
#include "tests/kernel_accesses/arrays.h"
#include "tests/kernel_accesses/mutants.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace stagelens;
using kernels::gpu::Status;
using kernels::gpu::Stream;
namespace host = kernels::gpu::host;

/// Arrays of exactly the bytes asked for, as far as a kernel may reach.
class WatchedMemory : public kernels::gpu::selftest::Memory {
public:
    void *allocate(std::int64_t bytes) override
    {
        constexpr std::size_t kBeyond = 4096; // so that what follows is neither another array nor shared memory
        void *array = std::aligned_alloc(256, (static_cast<std::size_t>(bytes) + 255) / 256 * 256 + kBeyond);
        test::allowArray(array, static_cast<std::size_t>(bytes));
        return array;
    }
    void release(void *array) override
    {
        test::forbidArray(array);
        std::free(array);
    }
    Status upload(void *to, const void *from, std::int64_t bytes) override { return move(to, from, bytes); }
    Status download(void *to, const void *from, std::int64_t bytes) override { return move(to, from, bytes); }

private:
    static Status move(void *to, const void *from, std::int64_t bytes)
    {
        if (bytes > 0)
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return {};
    }
};

int selfTest(std::uint64_t seed)
{
    host::setSeed(seed);
    WatchedMemory memory;
    int failed = 0;
    for (const auto &result : kernels::gpu::selftest::run(memory, {}, kernels::gpu::selftest::Shapes::Small))
        if (!result.passed()) {
            ++failed;
            std::printf("seed %llu: %s, %s, %s: %g of %g %s\n", static_cast<unsigned long long>(seed), result.kernel.c_str(),
                        result.type.c_str(), result.shape.c_str(), result.error, result.bound, result.fault.c_str());
        }
    return failed;
}

/// Returns whether the mistake is found, or a kernel without one passes.
bool isJudgedRightly(test::Mutant mutant, const char *name, const char *wanted, std::uint64_t seed)
{
    host::setSeed(seed);
    constexpr std::int64_t kRows = 128;
    WatchedMemory memory;
    auto *in = static_cast<float *>(memory.allocate(kRows * 16));
    auto *out = static_cast<float *>(memory.allocate(16));
    std::vector<float> numbers(kRows * 4, 1.0F);
    (void)memory.upload(in, numbers.data(), kRows * 16);
    const bool isOfHost = mutant == test::Mutant::HostPointer;
    const Status status = test::sumTiles(mutant, {}, out, isOfHost ? numbers.data() : in, kRows);
    const std::string fault = status.failed() ? host::lastFault() : std::string();
    const bool isRight = *wanted == '\0' ? !status.failed() && out[3] == kRows : fault.find(wanted) != std::string::npos;
    memory.release(in);
    memory.release(out);
    if (!isRight)
        std::printf("seed %llu, %s: \"%s\" instead of \"%s\"\n", static_cast<unsigned long long>(seed), name, fault.c_str(),
                    wanted);
    return isRight;
}

} // namespace

int main()
{
    int wrong = 0;
    for (const std::uint64_t seed : {1, 2, 3})
        wrong += selfTest(seed);
    struct Case {
        test::Mutant mutant;
        const char *name;
        const char *wanted;
    };
    constexpr Case kCases[] = {{test::Mutant::None, "no mistake", ""},
                               {test::Mutant::MovedFetch, "moved fetch", "without a barrier in between"},
                               {test::Mutant::MissingBarrier, "missing barrier", "without a barrier in between"},
                               {test::Mutant::MissingWarpBarrier, "missing barrier of a warp", "without a barrier in between"},
                               {test::Mutant::HostPointer, "host pointer", "in no array of the GPU"},
                               {test::Mutant::OutOfBounds, "out of bounds", "in no array of the GPU"}};
    constexpr std::uint64_t kSeeds = 50;
    for (const Case &each : kCases)
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
            wrong += isJudgedRightly(each.mutant, each.name, each.wanted, seed) ? 0 : 1;
    std::printf("3 seeds of the self-test, %d of each of %zu kernels: %d wrong\n", static_cast<int>(kSeeds), std::size(kCases),
                wrong);
    return wrong == 0 ? 0 : 1;
}
