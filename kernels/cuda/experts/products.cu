// The products of all experts of a layer in one launch.
//
// How many rows an expert has is known on the GPU only. A kernel of one block lists the tiles of rows (tile_list.cu); the
// blocks of the product read what is theirs from the list, and those beyond its end, at most one per expert, return. The host
// therefore never waits for the GPU. cuBLASLt is not used: it would need a launch for each expert and an algorithm for each
// number of rows.
//
// 16 bits: tiles of 128 x 128 on tensor cores, whose operands are copied to shared memory in three stages of 64 numbers of the
// inner dimension; eight warps have 64 x 32 sums each. Others, and rows that are no multiples of 16 bytes: tiles of 64 x 64, 16
// sums a thread. Sums are never split, so each is one chain in the order of the inner dimension.
#include "kernels/cuda/experts/tile_list.h"
#include "kernels/cuda/tiles.h"
#include "kernels/include/experts.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kThreads = 256;

/// Operands and sizes of a product of one tile.
template <class T, class Out>
struct Task {
    const T *a;
    const T *b;
    Out *c;
    std::int64_t aStride;
    std::int64_t bStride;
    std::int64_t cStride;
    int rows;    ///< of the tile and after it
    int columns; ///< the same
    int inner;
    bool adds; ///< to what C holds
};

/// Returns the task of this block; without rows there is none. Blocks are (tile of columns, tile of rows of the list), or of
/// weights (tile of columns, tile of rows, expert).
template <int Tile, bool IsOfRows, class T, class Out>
STAGELENS_DEVICE Task<T, Out> taskOf(const ExpertProduct<T, Out> &product, const TileList &list)
{
    const Product<T, Out> &each = product.each;
    const std::int64_t column = std::int64_t{blockIndex()} * Tile;
    Task<T, Out> task{each.a.data, each.b.data, each.c, each.a.stride, each.b.stride, each.stride, 0, 0, 0, each.beta != 0.0F};
    task.columns = static_cast<int>(each.columns - column);
    if constexpr (IsOfRows) {
        const std::int32_t *tile = list.tile(blockIndexY());
        const std::int32_t expert = tile[0];
        if (expert < 0)
            return task;
        const std::int64_t row = tile[1];
        task.rows = list.firsts()[expert + 1] - static_cast<int>(row);
        task.inner = static_cast<int>(each.inner);
        task.a += row * each.a.stride;
        task.b += expert * product.matrix + (each.b.form == Form::Plain ? column : column * each.b.stride);
        task.c += row * each.stride + column;
    } else {
        const int expert = blockIndexZ();
        const std::int64_t row = std::int64_t{blockIndexY()} * Tile;
        const std::int64_t first = list.firsts()[expert];
        task.inner = list.firsts()[expert + 1] - static_cast<int>(first);
        if (task.inner == 0)
            return task;
        task.rows = static_cast<int>(each.rows - row);
        task.a += first * each.a.stride + row;
        task.b += first * each.b.stride + column;
        task.c += expert * product.matrix + row * each.stride + column;
    }
    return task;
}

// Tensor cores.

constexpr int kTile = 128;
constexpr int kDepth = 64; ///< numbers of the inner dimension in a stage
constexpr int kStages = 3;
constexpr int kWarpRows = 64;
constexpr int kWarpColumns = 32;
constexpr int kPart = kTile * kDepth;               ///< numbers of an operand in a stage
constexpr std::int64_t kStageBytes = 2 * kPart * 2; // of 16 bits

/// An operand in shared memory: [128][64] with the inner dimension along rows, or [64][128] across them, in the layout of
/// tiles.h.
template <bool Along>
inline constexpr int kRowOf = Along ? kDepth : kTile;

/// The numbers of an operand that this thread copies, stage after stage: chunks of eight, some rows apart.
template <bool Along, class T>
class Source {
public:
    /// `length` of the inner dimension and `outer` of the other lie inside.
    STAGELENS_DEVICE Source(const T *from, std::int64_t stride, int length, int outer)
        : m_at(from + row() * stride + chunk() * 8), m_stride(static_cast<int>(stride)), m_length(length), m_outer(outer)
    {}
    /// Starts to copy the next stage; what lies outside becomes zeros. `inside` is any address of the operand.
    STAGELENS_DEVICE void copy(T *tile, const T *inside)
    {
        const bool hasColumn = chunk() * 8 < (Along ? m_length : m_outer);
        const int rows = (Along ? m_outer : m_length) - row();
        const T *from = m_at;
#pragma unroll
        for (int i = 0; i < kRows / kRowsApart; ++i) {
            const bool isValid = hasColumn && i * kRowsApart < rows;
            copyAsync16(tile, chunkAt<kRowOf<Along>>(row() + i * kRowsApart, chunk()), isValid ? from : inside, isValid);
            from += kRowsApart * m_stride;
        }
        m_at = Along ? m_at + kDepth : from;
        m_length -= kDepth;
    }

private:
    static constexpr int kChunks = kRowOf<Along> / 8;
    static constexpr int kRows = kPart / kRowOf<Along>;
    static constexpr int kRowsApart = kThreads / kChunks;
    [[nodiscard]] STAGELENS_DEVICE static int row()
    {
        return threadIndex() / kChunks;
    }
    [[nodiscard]] STAGELENS_DEVICE static int chunk()
    {
        return threadIndex() % kChunks;
    }

    const T *m_at;
    int m_stride;
    int m_length; ///< from the next stage on
    int m_outer;
};

/// The place of this lane in an operand of a warp that begins at row or column `outer` of the tile; block i of 16 and step k of
/// 16 are placeAt(). `isLeft`: of A.
template <bool Along, bool IsLeft>
STAGELENS_DEVICE int placeOf(int outer)
{
    const int lane = threadIndex() % kWarpLanes;
    const int low = lane % 8;
    const int second = lane / 8 % 2;
    const int third = lane / 16;
    // A: the second matrix is 8 rows further, the third 8 numbers of the inner dimension; B: the other way round.
    const int outerHalf = IsLeft ? second : third;
    const int innerHalf = IsLeft ? third : second;
    if constexpr (Along)
        return chunkAt<kDepth>(outer + outerHalf * 8 + low, innerHalf);
    else
        return chunkAt<kTile>(innerHalf * 8 + low, outer / 8 + outerHalf);
}
template <bool Along>
STAGELENS_DEVICE int placeAt(int place, int i, int k)
{
    return Along ? (place ^ (32 * k)) + i * kBytesOf16<kDepth> : (place ^ (32 * i)) + k * kBytesOf16<kTile>;
}
template <bool Along, class T>
STAGELENS_DEVICE void loadOperand(std::uint32_t (&to)[4], T *tile, int place)
{
    if constexpr (Along)
        loadMatrices(to, tile, place);
    else
        loadMatricesTransposed(to, tile, place);
}

constexpr int kBlocks = kWarpRows / 16;
constexpr int kPairs = kWarpColumns / 16;

/// Adds the product of a stage. Where both operands are transposed, half of it at once, which saves registers.
template <bool AlongA, bool AlongB, class T>
STAGELENS_DEVICE void addStage(Sums<kWarpColumns> (&sums)[kBlocks], T *a, int aPlace, T *b, int bPlace)
{
#pragma unroll(AlongA || AlongB ? kDepth / 16 : kDepth / 32)
    for (int k = 0; k < kDepth / 16; ++k) {
        std::uint32_t as[kBlocks][4];
#pragma unroll
        for (int i = 0; i < kBlocks; ++i)
            loadOperand<AlongA>(as[i], a, placeAt<AlongA>(aPlace, i, k));
#pragma unroll
        for (int j = 0; j < kPairs; ++j) {
            std::uint32_t bs[4];
            loadOperand<AlongB>(bs, b, placeAt<AlongB>(bPlace, j, k));
#pragma unroll
            for (int i = 0; i < kBlocks; ++i) {
                multiplyMatrices<T>(sums[i].at[2 * j], as[i], bs[0], bs[1]);
                multiplyMatrices<T>(sums[i].at[2 * j + 1], as[i], bs[2], bs[3]);
            }
        }
    }
}

template <class T>
STAGELENS_DEVICE void putPair(T *to, float first, float second, bool adds)
{
    auto *word = reinterpret_cast<std::uint32_t *>(to);
    if (adds) {
        first += lowerOf<T>(*word);
        second += upperOf<T>(*word);
    }
    *word = packPair<T>(first, second);
}
STAGELENS_DEVICE void putPair(float *to, float first, float second, bool adds)
{
    to[0] = adds ? to[0] + first : first;
    to[1] = adds ? to[1] + second : second;
}

/// AlongA, AlongB: whether the inner dimension lies along the rows of an operand. In A it does so only for rows.
template <class T, class Out, bool AlongA, bool AlongB>
STAGELENS_KERNEL(kThreads, 2)
tensorKernel(ExpertProduct<T, Out> product, TileList list)
{
    const Task<T, Out> task = taskOf<kTile, AlongA>(product, list);
    if (task.rows <= 0)
        return;
    auto *stages = reinterpret_cast<T *>(sharedBytes());
    const int warp = threadIndex() / kWarpLanes;
    const int firstRow = warp % (kTile / kWarpRows) * kWarpRows;
    const int firstColumn = warp / (kTile / kWarpRows) * kWarpColumns;
    const bool hasPart = firstRow < task.rows && firstColumn < task.columns;
    const int aPlace = placeOf<AlongA, true>(firstRow);
    const int bPlace = placeOf<AlongB, false>(firstColumn);
    const int steps = (task.inner + kDepth - 1) / kDepth;
    Source<AlongA, T> a(task.a, task.aStride, task.inner, task.rows);
    Source<AlongB, T> b(task.b, task.bStride, task.inner, task.columns);
    const auto copyStage = [&](int step) {
        if (step < steps) {
            T *to = stages + step % kStages * (2 * kPart);
            a.copy(to, product.each.a.data);
            b.copy(to + kPart, product.each.b.data);
        }
        commitCopies();
    };
    Sums<kWarpColumns> sums[kBlocks];
#pragma unroll
    for (int i = 0; i < kBlocks; ++i)
        sums[i].clear();
    for (int step = 0; step < kStages - 1; ++step)
        copyStage(step);
    for (int step = 0; step < steps; ++step) {
        waitForCopies<kStages - 2>();
        syncBlock(); // all have their copies of this step, and are done with the stage that is filled next
        copyStage(step + kStages - 1);
        T *from = stages + step % kStages * (2 * kPart);
        if (hasPart)
            addStage<AlongA, AlongB>(sums, from, aPlace, from + kPart, bPlace);
    }
    waitForCopies<0>();
    if (!hasPart)
        return;
#pragma unroll
    for (int i = 0; i < kBlocks; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = firstRow + 16 * i + laneRow() + 8 * half;
#pragma unroll
            for (int j = 0; j < kWarpColumns / 8; ++j)
                if (const int column = firstColumn + 8 * j + laneColumn(); row < task.rows && column < task.columns)
                    putPair(task.c + row * task.cStride + column, sums[i].at[j][2 * half], sums[i].at[j][2 * half + 1],
                            task.adds);
        }
}

// Without tensor cores.

constexpr int kPlainTile = 64;
constexpr int kPlainDepth = 16;
constexpr int kPlainRow = kPlainTile + 4; ///< of shared memory, which keeps four numbers aligned
constexpr int kOwn = 4;                   ///< sums of a thread, in both directions

/// Copies the part of an operand from `inner` on to [16][64]. What lies outside becomes zeros.
template <bool Along, class T>
STAGELENS_DEVICE void copyPlainly(float *tile, const T *from, std::int64_t stride, int inner, int length, int outer)
{
#pragma unroll
    for (int i = 0; i < kPlainTile * kPlainDepth / kThreads; ++i) {
        const int place = threadIndex() + i * kThreads;
        const int k = Along ? place % kPlainDepth : place / kPlainTile;
        const int at = Along ? place / kPlainDepth : place % kPlainTile;
        const bool isValid = at < outer && inner + k < length;
        tile[k * kPlainRow + at] =
            isValid ? numberOf(Along ? from[at * stride + inner + k] : from[(inner + k) * stride + at]) : 0.0F;
    }
}

template <class T, class Out, bool AlongA, bool AlongB>
STAGELENS_KERNEL(kThreads, 2)
plainKernel(ExpertProduct<T, Out> product, TileList list)
{
    const Task<T, Out> task = taskOf<kPlainTile, AlongA>(product, list);
    if (task.rows <= 0)
        return;
    auto *a = reinterpret_cast<float *>(sharedBytes());
    float *b = a + kPlainDepth * kPlainRow;
    const int row = threadIndex() / (kPlainTile / kOwn) * kOwn;
    const int column = threadIndex() % (kPlainTile / kOwn) * kOwn;
    float sums[kOwn][kOwn] = {};
    for (int inner = 0; inner < task.inner; inner += kPlainDepth) {
        syncBlock();
        copyPlainly<AlongA>(a, task.a, task.aStride, inner, task.inner, task.rows);
        copyPlainly<AlongB>(b, task.b, task.bStride, inner, task.inner, task.columns);
        syncBlock();
        if (row >= task.rows || column >= task.columns)
            continue;
#pragma unroll
        for (int k = 0; k < kPlainDepth; ++k) {
            const Pack<kOwn> left = load<kOwn>(a + k * kPlainRow + row);
            const Pack<kOwn> right = load<kOwn>(b + k * kPlainRow + column);
#pragma unroll
            for (int i = 0; i < kOwn; ++i)
#pragma unroll
                for (int j = 0; j < kOwn; ++j)
                    sums[i][j] += left.at[i] * right.at[j];
        }
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
#pragma unroll
        for (int j = 0; j < kOwn; ++j)
            if (row + i < task.rows && column + j < task.columns) {
                Out *to = task.c + (row + i) * task.cStride + column + j;
                roundTo(to, task.adds ? numberOf(*to) + sums[i][j] : sums[i][j]);
            }
}

template <class T, class Out>
bool isSound(const ExpertProduct<T, Out> &product)
{
    const Product<T, Out> &each = product.each;
    const bool isOfRows = product.result == ExpertResult::Rows;
    const bool hasForms = isOfRows ? each.a.form == Form::Plain : each.a.form == Form::Transposed && each.b.form == Form::Plain;
    return hasForms && (each.beta == 0.0F || each.beta == 1.0F) && each.alpha == 1.0F && each.epilogue == Epilogue::None &&
           each.addend == nullptr;
}

/// Returns whether rows of all operands, in every expert, can be copied 16 bytes at a time.
template <class T, class Out>
bool isWideProduct(const ExpertProduct<T, Out> &product)
{
    const Product<T, Out> &each = product.each;
    const bool isOfRows = product.result == ExpertResult::Rows;
    return isWide<T>({each.a.data, each.b.data},
                     {each.a.stride, each.b.stride, product.matrix, each.columns, isOfRows ? each.inner : each.rows}) &&
           isWide<Out>({each.c}, {each.stride});
}

template <int Tile, auto Kernel, class T, class Out>
Status launchOver(Stream stream, const ExpertProduct<T, Out> &product, std::int64_t sharedBytes, void *scratch)
{
    const RoutingShape &shape = product.shape;
    const bool isOfRows = product.result == ExpertResult::Rows;
    const std::int64_t tiles = mostTiles(shape, Tile);
    constexpr std::int64_t kMostBlocks = 65535; // in y or z
    const std::int64_t rows = isOfRows ? tiles : (product.each.rows + Tile - 1) / Tile;
    if (rows > kMostBlocks || shape.experts > kMostBlocks)
        return kUnsupported;
    TileList list{};
    constexpr TileRows kOf = Tile == 64 ? TileRows::Of64 : TileRows::Of128;
    const Status listed = listTiles(stream, list, isOfRows ? tiles : 0, kOf, product.routes, shape, scratch);
    if (listed.failed())
        return listed;
    return launch<Kernel>(
        {(product.each.columns + Tile - 1) / Tile, kThreads, sharedBytes, stream, rows, isOfRows ? 1 : shape.experts}, product,
        list);
}

template <bool AlongA, bool AlongB, class T, class Out>
Status multiplyForms(Stream stream, const ExpertProduct<T, Out> &product, void *scratch)
{
    if constexpr (!std::is_same_v<T, float>)
        if (isWideProduct(product))
            return launchOver<kTile, tensorKernel<T, Out, AlongA, AlongB>>(stream, product, kStages * kStageBytes, scratch);
    constexpr std::int64_t kBytes = 2 * kPlainDepth * kPlainRow * sizeof(float);
    return launchOver<kPlainTile, plainKernel<T, Out, AlongA, AlongB>>(stream, product, kBytes, scratch);
}

} // namespace

template <class T, class Out>
Status multiplyExperts(Stream stream, const ExpertProduct<T, Out> &product, void *scratch)
{
    if (!isSound(product))
        return kUnsupported;
    if (product.result == ExpertResult::Weights) {
        if constexpr (std::is_same_v<Out, float>)
            return multiplyForms<false, false>(stream, product, scratch);
    } else if constexpr (std::is_same_v<T, Out>) {
        return product.each.b.form == Form::Transposed ? multiplyForms<true, true>(stream, product, scratch)
                                                       : multiplyForms<true, false>(stream, product, scratch);
    }
    return kUnsupported;
}

template Status multiplyExperts(Stream, const ExpertProduct<float, float> &, void *);
#define STAGELENS_EXPERT_PRODUCTS_OF(T)                                                                                        \
    template Status multiplyExperts(Stream, const ExpertProduct<T, T> &, void *);                                              \
    template Status multiplyExperts(Stream, const ExpertProduct<T, float> &, void *);
STAGELENS_TYPES_OF_16_BITS(STAGELENS_EXPERT_PRODUCTS_OF)
#undef STAGELENS_EXPERT_PRODUCTS_OF

} // namespace stagelens::kernels::gpu
