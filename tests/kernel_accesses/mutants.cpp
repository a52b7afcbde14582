#include "tests/kernel_accesses/mutants.h"

#include "kernels/cuda/gpu.h"

namespace stagelens::test {
namespace {

using namespace kernels::gpu;

constexpr int kThreads = 64;
constexpr int kRows = 32; ///< of a tile
constexpr int kWidth = 4; ///< floats of a row, 16 bytes
constexpr int kTile = kRows * kWidth;

template <Mutant Which>
STAGELENS_KERNEL(kThreads, 1)
sumTilesKernel(float *out, const float *in, std::int64_t rows)
{
    auto *stages = reinterpret_cast<float *>(sharedBytes());
    float *parts = stages + 2 * kTile; // [64], each a sum of a column over half of the rows of a tile
    const int thread = threadIndex();
    const auto fetch = [&](std::int64_t tile, int stage) {
        if (thread < kRows)
            copyAsync16(stages + stage * kTile, thread * 16, in + (tile * kRows + thread) * kWidth, true);
        commitCopies();
    };
    const std::int64_t tiles = rows / kRows + (Which == Mutant::OutOfBounds ? 1 : 0);
    fetch(0, 0);
    float sum = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const int stage = static_cast<int>(tile % 2);
        waitForCopies<0>();
        if (Which == Mutant::MovedFetch && tile + 1 < tiles)
            fetch(tile + 1, stage ^ 1);
        if (Which != Mutant::MissingBarrier)
            syncBlock();
        if (Which != Mutant::MovedFetch && tile + 1 < tiles)
            fetch(tile + 1, stage ^ 1);
        // Thread t adds rows t / 4 and t / 4 + 16 of column t % 4.
        for (int row = thread / kWidth; row < kRows; row += kThreads / kWidth)
            sum += stages[stage * kTile + row * kWidth + thread % kWidth];
    }
    parts[thread] = sum;
    if (Which != Mutant::MissingWarpBarrier)
        syncWarp();
    // Half of each warp adds the other half's parts.
    if (thread % 32 < 16)
        parts[thread] += parts[thread + 16];
    syncBlock();
    if (thread < kWidth) {
        float all = 0;
        for (int other = thread; other < kThreads; other += kWidth)
            all += other % 32 < 16 ? parts[other] : 0;
        out[thread] = all;
    }
}

template <Mutant Which>
Status start(Stream stream, float *out, const float *in, std::int64_t rows)
{
    return launch<sumTilesKernel<Which>>({1, kThreads, (2 * kTile + kThreads) * 4, stream}, out, in, rows);
}

} // namespace

Status sumTiles(Mutant mutant, Stream stream, float *out, const float *in, std::int64_t rows)
{
    switch (mutant) {
    case Mutant::MovedFetch: return start<Mutant::MovedFetch>(stream, out, in, rows);
    case Mutant::MissingBarrier: return start<Mutant::MissingBarrier>(stream, out, in, rows);
    case Mutant::MissingWarpBarrier: return start<Mutant::MissingWarpBarrier>(stream, out, in, rows);
    case Mutant::OutOfBounds: return start<Mutant::OutOfBounds>(stream, out, in, rows);
    case Mutant::None:
    case Mutant::HostPointer: break;
    }
    return start<Mutant::None>(stream, out, in, rows);
}

} // namespace stagelens::test
