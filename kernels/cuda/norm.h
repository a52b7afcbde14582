// The kernels of LayerNorm and of RMSNorm, which is the same without a mean (Centred is false).
//
// Bytes per element: forward 2 sizeof(T), with a residual 4; backward 4 sizeof(T) (x, dy, and dx read and written) plus 16 /
// (rows per block) for the sums of the parameters. Ten to twenty FLOPs per element: memory-bound. Target: 85 % of copy
// bandwidth.
//
// Forward: one block per row, which stays in shared memory (as T, each thread with its own packs) from its mean to its output,
// so that it is read once and the variance is computed from differences to the mean. Rows that do not fit (without OnChip) are
// read again. Backward: at most 256 blocks, each with a run of rows, accumulate the sums per column in shared memory (or in the
// buffer of the second kernel), each column in one thread; a second kernel adds the sums of the blocks in order. No atomics:
// the order depends only on the number of rows.
#pragma once

#include "kernels/cuda/column_sums.h"

namespace stagelens::kernels::gpu {

inline constexpr int kNormThreads = 512;
inline constexpr int kNormWarps = kNormThreads / kWarpLanes;
inline constexpr std::int64_t kNormBlocks = 256; ///< two per multiprocessor on the largest GPUs
inline constexpr std::int64_t kNormShared = 160 * 1024;

inline std::int64_t normRowsOfBlock(std::int64_t rows)
{
    return (rows + kNormBlocks - 1) / kNormBlocks;
}
inline std::int64_t normBlocks(std::int64_t rows)
{
    return rows == 0 ? 0 : (rows + normRowsOfBlock(rows) - 1) / normRowsOfBlock(rows);
}

template <class T>
struct NormForward {
    T *out;
    float *mean; ///< of Centred
    float *rstd;
    T *sum;
    const T *in;
    const T *residual; ///< or null
    const T *weight;
    const T *bias; ///< of Centred
    std::int64_t width;
    float epsilon;
};

template <class T, int W, bool Centred, bool OnChip>
STAGELENS_KERNEL(kNormThreads, 2)
normForwardKernel(NormForward<T> norm)
{
    auto *parts = reinterpret_cast<float *>(sharedBytes());
    T *kept = reinterpret_cast<T *>(parts + 2 * kNormWarps);
    const std::int64_t begin = blockIndex() * norm.width;
    const T *again = OnChip ? kept : (norm.residual != nullptr ? norm.sum : norm.in) + begin;
    const float share = 1.0F / static_cast<float>(norm.width);
    float sum = 0;
    forEachPack<W>(norm.in + begin, norm.width, [&](std::int64_t column, Raw<T, W> raw) {
        Pack<W> x = unpack(raw);
        if (norm.residual != nullptr) {
            const Pack<W> more = load<W>(norm.residual + begin + column);
#pragma unroll
            for (int i = 0; i < W; ++i)
                x.at[i] += more.at[i];
            raw = repack<T, W>(x);
            storeRaw<W>(norm.sum + begin + column, raw);
            x = unpack(raw); // the value that the backward reads
        }
        if constexpr (OnChip)
            storeRaw<W>(kept + column, raw);
#pragma unroll
        for (int i = 0; i < W; ++i)
            sum += Centred ? x.at[i] : x.at[i] * x.at[i];
    });
    float mean = 0;
    float squares = blockSum(sum, parts);
    if constexpr (Centred) {
        mean = squares * share;
        float part = 0;
        forEachPack<W>(again, norm.width, [&](std::int64_t, const Raw<T, W> &raw) {
            const Pack<W> x = unpack(raw);
#pragma unroll
            for (int i = 0; i < W; ++i)
                part += (x.at[i] - mean) * (x.at[i] - mean);
        });
        squares = blockSum(part, parts + kNormWarps);
    }
    const float rstd = 1.0F / std::sqrt(squares * share + norm.epsilon);
    forEachPack<W>(again, norm.width, [&](std::int64_t column, const Raw<T, W> &raw) {
        Pack<W> x = unpack(raw);
        const Pack<W> weight = load<W>(norm.weight + column);
#pragma unroll
        for (int i = 0; i < W; ++i)
            x.at[i] = (x.at[i] - mean) * rstd * weight.at[i];
        if constexpr (Centred) {
            const Pack<W> bias = load<W>(norm.bias + column);
#pragma unroll
            for (int i = 0; i < W; ++i)
                x.at[i] += bias.at[i];
        }
        store<W>(norm.out + begin + column, x);
    });
    if (threadIndex() == 0) {
        norm.rstd[blockIndex()] = rstd;
        if constexpr (Centred)
            norm.mean[blockIndex()] = mean;
    }
}

template <class T>
struct NormBackward {
    T *inGradient;
    float *sums; ///< [blocks, 1 or 2 (Centred), width] of the parameters' gradients
    const T *outGradient;
    const T *in;
    const float *mean; ///< of Centred
    const float *rstd;
    const T *weight;
    std::int64_t rows;
    std::int64_t rowsOfBlock;
    std::int64_t width;
};

/// The packs of a thread, of a row and of the sums over rows.
template <class T, int W, bool Centred, bool OnChip>
class NormBackwardRow {
public:
    /// Shared memory: parts of four reductions and, with OnChip, the rows' sums as float and the row's x and dy as T.
    STAGELENS_DEVICE explicit NormBackwardRow(const NormBackward<T> &norm) : m_norm(norm)
    {
        m_parts = reinterpret_cast<float *>(sharedBytes());
        if constexpr (OnChip) {
            m_sums = m_parts + 4 * kNormWarps;
            m_x = reinterpret_cast<T *>(m_sums + kKinds * norm.width);
            m_dy = m_x + norm.width;
        } else {
            m_sums = sumsOfBlock();
        }
    }

    STAGELENS_DEVICE void clear()
    {
        const Pack<W> zeros{};
        eachColumn([&](std::int64_t column) {
            addTo(m_sums, column, zeros, false);
            if constexpr (Centred)
                addTo(m_sums + m_norm.width, column, zeros, false);
        });
    }

    STAGELENS_DEVICE void take(std::int64_t row, bool isLast)
    {
        const std::int64_t begin = row * m_norm.width;
        const float mean = Centred ? m_norm.mean[row] : 0.0F;
        const float rstd = m_norm.rstd[row];
        float gradients = 0;
        float products = 0;
        eachColumn([&](std::int64_t column) {
            const Raw<T, W> xRaw = loadRaw<W>(m_norm.in + begin + column);
            const Raw<T, W> dyRaw = loadRaw<W>(m_norm.outGradient + begin + column);
            const Pack<W> weight = load<W>(m_norm.weight + column);
            // Loads what follows the reductions and the next row, so that each row waits for memory only once.
            prefetch(m_norm.inGradient + begin + column);
            if (!isLast) {
                prefetch(m_norm.in + begin + m_norm.width + column);
                prefetch(m_norm.outGradient + begin + m_norm.width + column);
            }
            if constexpr (OnChip) {
                storeRaw<W>(m_x + column, xRaw);
                storeRaw<W>(m_dy + column, dyRaw);
            }
            const Pack<W> x = unpack(xRaw);
            const Pack<W> dy = unpack(dyRaw);
#pragma unroll
            for (int i = 0; i < W; ++i) {
                const float g = dy.at[i] * weight.at[i];
                gradients += g;
                products += g * ((x.at[i] - mean) * rstd);
            }
        });
        // Slower threads may still read the parts of the previous row.
        float *parts = m_parts + (row % 2) * 2 * kNormWarps;
        const float share = 1.0F / static_cast<float>(m_norm.width);
        const float meanProduct = blockSum(products, parts) * share;
        const float meanGradient = Centred ? blockSum(gradients, parts + kNormWarps) * share : 0.0F;
        eachColumn([&](std::int64_t column) {
            const Pack<W> x = load<W>((OnChip ? m_x : m_norm.in + begin) + column);
            const Pack<W> dy = load<W>((OnChip ? m_dy : m_norm.outGradient + begin) + column);
            const Pack<W> weight = load<W>(m_norm.weight + column);
            Pack<W> dx = load<W>(m_norm.inGradient + begin + column);
            Pack<W> product;
#pragma unroll
            for (int i = 0; i < W; ++i) {
                const float normalised = (x.at[i] - mean) * rstd;
                dx.at[i] += rstd * (dy.at[i] * weight.at[i] - meanGradient - normalised * meanProduct);
                product.at[i] = dy.at[i] * normalised;
            }
            store<W>(m_norm.inGradient + begin + column, dx);
            addTo(m_sums, column, product, true);
            if constexpr (Centred)
                addTo(m_sums + m_norm.width, column, dy, true);
        });
    }

    /// Writes the sums of the block for the second kernel.
    STAGELENS_DEVICE void finish()
    {
        if constexpr (!OnChip)
            return; // already written
        float *to = sumsOfBlock();
        eachColumn([&](std::int64_t column) {
            for (int kind = 0; kind < kKinds; ++kind)
                store<W>(to + kind * m_norm.width + column, sumsAt(m_sums + kind * m_norm.width, column));
        });
    }

private:
    static constexpr int kKinds = Centred ? 2 : 1;

    STAGELENS_DEVICE float *sumsOfBlock() const
    {
        return m_norm.sums + blockIndex() * kKinds * m_norm.width;
    }
    template <class Use>
    STAGELENS_DEVICE void eachColumn(const Use &use)
    {
        for (std::int64_t column = std::int64_t{W} * threadIndex(); column < m_norm.width;
             column += std::int64_t{W} * blockThreads())
            use(column);
    }

    // In shared memory the sums of a pack are stored in groups of four, the first of all packs before the second, so that
    // 16-byte accesses of a warp are contiguous.
    static constexpr int kFours = W == 1 ? 1 : W / 4;
    STAGELENS_DEVICE float *four(float *sums, std::int64_t column, int i) const
    {
        return OnChip ? sums + i * (m_norm.width / kFours) + column / kFours : sums + column + 4 * i;
    }
    STAGELENS_DEVICE Pack<W> sumsAt(float *sums, std::int64_t column) const
    {
        constexpr int kEach = W / kFours;
        Pack<W> all;
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
            const Pack<kEach> some = load<kEach>(four(sums, column, i));
#pragma unroll
            for (int j = 0; j < kEach; ++j)
                all.at[i * kEach + j] = some.at[j];
        }
        return all;
    }
    STAGELENS_DEVICE void addTo(float *sums, std::int64_t column, const Pack<W> &more, bool toOld) const
    {
        constexpr int kEach = W / kFours;
#pragma unroll
        for (int i = 0; i < kFours; ++i) {
            float *at = four(sums, column, i);
            Pack<kEach> some{};
            if (toOld)
                some = load<kEach>(at);
#pragma unroll
            for (int j = 0; j < kEach; ++j)
                some.at[j] += more.at[i * kEach + j];
            store<kEach>(at, some);
        }
    }

    const NormBackward<T> &m_norm;
    float *m_parts;
    float *m_sums;
    T *m_x = nullptr;
    T *m_dy = nullptr;
};

template <class T, int W, bool Centred, bool OnChip>
STAGELENS_KERNEL(kNormThreads, 2)
normBackwardKernel(NormBackward<T> norm)
{
    NormBackwardRow<T, W, Centred, OnChip> rows(norm);
    rows.clear();
    const std::int64_t first = blockIndex() * norm.rowsOfBlock;
    const std::int64_t end = first + norm.rowsOfBlock < norm.rows ? first + norm.rowsOfBlock : norm.rows;
    for (std::int64_t row = first; row < end; ++row)
        rows.take(row, row + 1 == end);
    rows.finish();
}

/// Calls start(OnChip, bytes of shared memory) for rows that need `row` bytes in shared memory.
template <class Start>
Status startOnOrOffChip(std::int64_t parts, std::int64_t row, const Start &start)
{
    const std::int64_t most = mostSharedBytes();
    if (parts + row <= (most < kNormShared ? most : kNormShared))
        return start(std::true_type{}, parts + row);
    return start(std::false_type{}, parts);
}

template <bool Centred, class T>
Status startNormForward(Stream stream, const NormForward<T> &norm, std::int64_t rows)
{
    if (norm.width < 1)
        return kUnsupported;
    constexpr std::int64_t kParts = 2 * kNormWarps * sizeof(float);
    return startOnOrOffChip(kParts, norm.width * static_cast<std::int64_t>(sizeof(T)), [&](auto onChip, std::int64_t shared) {
        constexpr bool kOnChip = decltype(onChip)::value;
        if (isWide<T>({norm.out, norm.sum, norm.in, norm.residual, norm.weight, norm.bias}, {norm.width}))
            return launch<normForwardKernel<T, kWide<T>, Centred, kOnChip>>(
                {rows, threadsForRow(norm.width / kWide<T>, kNormThreads), shared, stream}, norm);
        return launch<normForwardKernel<T, 1, Centred, kOnChip>>(
            {rows, threadsForRow(norm.width, kNormThreads), shared, stream}, norm);
    });
}

template <bool Centred, class T>
Status startNormBackward(Stream stream, const NormBackward<T> &norm, float *weightGradient, float *biasGradient)
{
    if (norm.width < 1)
        return kUnsupported;
    constexpr int kKinds = Centred ? 2 : 1;
    constexpr std::int64_t kParts = 4 * kNormWarps * sizeof(float);
    constexpr std::int64_t kOfColumn = kKinds * sizeof(float) + 2 * sizeof(T);
    const std::int64_t blocks = normBlocks(norm.rows);
    const Status status = startOnOrOffChip(kParts, norm.width * kOfColumn, [&](auto onChip, std::int64_t shared) {
        constexpr bool kOnChip = decltype(onChip)::value;
        if (isWide<T>({norm.inGradient, norm.outGradient, norm.in, norm.weight, norm.sums}, {norm.width}))
            return launch<normBackwardKernel<T, kWide<T>, Centred, kOnChip>>(
                {blocks, threadsForRow(4 * norm.width / kWide<T>, kNormThreads), shared, stream}, norm);
        return launch<normBackwardKernel<T, 1, Centred, kOnChip>>(
            {blocks, threadsForRow(norm.width, kNormThreads), shared, stream}, norm);
    });
    if (status.failed())
        return status;
    return addBlockSums(stream, weightGradient, norm.sums, blocks, kKinds * norm.width, norm.width,
                        Centred ? biasGradient : nullptr);
}

} // namespace stagelens::kernels::gpu
