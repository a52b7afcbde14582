// A kernel of one block finds the first row of each expert and lists the tiles: some ten dependent loads, about 5 us.
#include "kernels/cuda/experts/tile_list.h"

#include "kernels/cuda/rows.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kListThreads = 1024;

/// Returns the first row that is of no expert before `expert`. Seven probes at a time, whose loads are in flight together.
STAGELENS_DEVICE std::int32_t firstRowOf(int expert, const std::int32_t *choices, const std::int32_t *slots, std::int32_t rows)
{
    constexpr int kProbes = 7;
    std::int32_t low = 0;
    std::int32_t high = rows; // the row is in [low, high]
    while (low < high) {
        const std::int32_t step = (high - low + kProbes) / (kProbes + 1);
        int before = 0;
#pragma unroll
        for (int probe = 1; probe <= kProbes; ++probe) {
            const std::int32_t row = low + probe * step - 1;
            const std::int32_t slot = row < high ? slots[row] : -1;
            before += slot >= 0 && choices[slot] < expert ? 1 : 0;
        }
        low += before * step;
        if (before < kProbes && low + step - 1 < high)
            high = low + step - 1;
    }
    return low;
}

/// One block.
template <int Tile>
STAGELENS_KERNEL(kListThreads, 1)
listKernel(TileList list, std::int64_t tiles, const std::int32_t *choices, const std::int32_t *slots, std::int32_t rows)
{
    auto *first = reinterpret_cast<std::int32_t *>(sharedBytes()); // experts + 1
    for (int e = threadIndex(); e <= list.experts; e += blockThreads())
        list.firsts()[e] = first[e] = firstRowOf(e, choices, slots, rows);
    syncBlock();
    const auto tilesOf = [&](int e) { return (first[e + 1] - first[e] + Tile - 1) / Tile; };
    std::int64_t all = 0;
    for (int e = 0; e < list.experts; ++e) {
        const int own = tilesOf(e);
        if (e % blockThreads() == threadIndex())
            for (int i = 0; i < own; ++i) {
                list.tile(all + i)[0] = e;
                list.tile(all + i)[1] = first[e] + i * Tile;
            }
        all += own;
    }
    for (std::int64_t tile = all + threadIndex(); tile < tiles; tile += blockThreads())
        list.tile(tile)[0] = -1;
}

} // namespace

Status listTiles(Stream stream, TileList &list, std::int64_t tiles, TileRows of, const std::int32_t *routes,
                 const RoutingShape &shape, void *scratch)
{
    list = {static_cast<std::int32_t *>(scratch), static_cast<int>(shape.experts)};
    const std::int64_t firsts = (shape.experts + 1) * static_cast<std::int64_t>(sizeof(std::int32_t));
    if (firsts > mostSharedBytes())
        return kUnsupported;
    const Launch how{1, threadsForRow(4 * (shape.experts + 1), kListThreads), firsts, stream};
    const std::int32_t *slots = routes + 2 * shape.rows();
    const auto rows = static_cast<std::int32_t>(shape.rows());
    return of == TileRows::Of64 ? launch<listKernel<64>>(how, list, tiles, routes, slots, rows)
                                : launch<listKernel<128>>(how, list, tiles, routes, slots, rows);
}

} // namespace stagelens::kernels::gpu
