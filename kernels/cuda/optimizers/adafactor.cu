// Adafactor. Bytes per element of a matrix: 12 for the sums (the gradient twice, because the mean of its row must be known
// before the quotients are summed, and the value), 16 for the update: 28. Arithmetic in double: 15 FLOPs per element, of which
// an H200 does 34e12 per second: memory-bound there. Target: 75 % of copy bandwidth.
//
// No atomics: blocks sum a run of rows for some columns, in eight groups of rows; a second kernel adds the runs in order. One
// block finds what the update of all rows has in common.
#include "kernels/include/adafactor.h"

#include "kernels/cuda/column_sums.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/include/elementwise.h"

namespace stagelens::kernels::gpu {
namespace {

constexpr int kRowThreads = 256;
constexpr int kWholeThreads = 512; ///< of a block that reads a whole array
constexpr std::int64_t kMostRuns = 32;
constexpr std::int64_t kMostScratch = std::int64_t{1} << 20; ///< doubles

/// Runs of rows, at most.
std::int64_t runsOf(std::int64_t rows, std::int64_t columns)
{
    const std::int64_t room = kMostScratch / (2 * columns + 1);
    const std::int64_t most = room < 1 ? 1 : room < kMostRuns ? room : kMostRuns;
    const std::int64_t each = (rows + most - 1) / most;
    return rows == 0 ? 0 : (rows + each - 1) / each;
}

STAGELENS_DEVICE float decayed(float mean, double next, float decay)
{
    return static_cast<float>(productOf(static_cast<double>(decay), static_cast<double>(mean)) +
                              productOf(1.0 - static_cast<double>(decay), next));
}

/// The rate of an update, before the gradient is scaled, and what values are multiplied by.
struct Rates {
    double update;
    float keep;
};
STAGELENS_DEVICE Rates ratesOf(const Adafactor &settings, double valueSquares, double updateSquares, double count)
{
    double rate = static_cast<double>(settings.learningRate);
    if (settings.scalesByValue)
        rate *= std::fmax(static_cast<double>(settings.epsilon2), std::sqrt(valueSquares / count));
    const double limit = std::fmax(1.0, std::sqrt(updateSquares / count));
    return {rate / limit, static_cast<float>(1.0 - productOf(rate, static_cast<double>(settings.weightDecay)))};
}

/// A block for each row: updates its mean.
template <int W>
STAGELENS_KERNEL(kRowThreads, 4)
rowMeansKernel(float *means, const float *gradient, const Adafactor settings, std::int64_t columns)
{
    double sum = 0;
    forEachPack<W>(gradient + blockIndex() * columns, columns, [&](std::int64_t, const Raw<float, W> &raw) {
        const Pack<W> x = unpack(raw);
#pragma unroll
        for (int i = 0; i < W; ++i) {
            const auto g = static_cast<double>(x.at[i] * settings.gradientScale);
            sum += g * g; // the square of a float is exact
        }
    });
    const double squares = blockSum(sum, reinterpret_cast<double *>(sharedBytes()));
    if (threadIndex() == 0)
        means[blockIndex()] =
            decayed(means[blockIndex()], squares / static_cast<double>(columns) + static_cast<double>(settings.epsilon1),
                    settings.decay);
}

/// Block (columns, run of rows): sums of the squares, of the squares over the means of their rows, and of these means. A warp
/// is a group, whose lanes have W columns each and the reciprocal of every 32nd mean.
template <int W>
STAGELENS_KERNEL(kColumnsOfBlock *kGroups, 2)
runSumsKernel(double *sums, const float *gradient, const float *means, float scale, std::int64_t rows, std::int64_t each,
              std::int64_t columns)
{
    static_assert(kColumnsOfBlock == kWarpLanes);
    constexpr int kColumns = kColumnsOfBlock * W;
    auto *const groups = reinterpret_cast<double *>(sharedBytes()); // [group][2 kColumns + 1]
    constexpr int kOfGroup = 2 * kColumns + 1;
    const int lane = threadIndex() % kWarpLanes;
    const int group = threadIndex() / kWarpLanes;
    const std::int64_t firstColumn = std::int64_t{blockIndex()} * kColumns;
    const std::int64_t column = firstColumn + lane * W;
    const std::int64_t first = blockIndexY() * each + group;
    const std::int64_t end = blockIndexY() * each + each < rows ? blockIndexY() * each + each : rows;
    double squares[W]{};
    double quotients[W]{};
    double ofMeans = 0;
    for (std::int64_t begin = first; begin < end; begin += kGroups * kWarpLanes) {
        const std::int64_t own = begin + std::int64_t{kGroups} * lane;
        const double mean = own < end ? static_cast<double>(means[own]) : 0.0;
        const double inverse = own < end ? 1.0 / mean : 0.0;
        ofMeans += mean;
        const std::int64_t left = (end - begin + kGroups - 1) / kGroups;
        const int count = left < kWarpLanes ? static_cast<int>(left) : kWarpLanes;
#pragma unroll 4
        for (int i = 0; i < count; ++i) {
            const double factor = shuffleFrom(inverse, i);
            if (column >= columns)
                continue;
            const Pack<W> x = load<W>(gradient + (begin + std::int64_t{kGroups} * i) * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) {
                const auto g = static_cast<double>(x.at[k] * scale);
                squares[k] += g * g;
                quotients[k] += productOf(g * g, factor);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < W; ++k) {
        groups[group * kOfGroup + k * kWarpLanes + lane] = squares[k];
        groups[group * kOfGroup + kColumns + k * kWarpLanes + lane] = quotients[k];
    }
    const double allMeans = warpSum(ofMeans);
    if (lane == 0)
        groups[group * kOfGroup + 2 * kColumns] = allMeans;
    syncBlock();
    double *const to = sums + blockIndexY() * (2 * columns + 1);
    for (int place = threadIndex(); place < kOfGroup; place += kColumnsOfBlock * kGroups) {
        double all = 0;
        for (int i = 0; i < kGroups; ++i)
            all += groups[i * kOfGroup + place];
        const int ofKind = place % kColumns;
        const std::int64_t target = firstColumn + ofKind % kWarpLanes * W + ofKind / kWarpLanes;
        if (place == 2 * kColumns) {
            if (blockIndex() == 0)
                to[2 * columns] = all;
        } else if (target < columns) {
            to[(place < kColumns ? 0 : columns) + target] = all;
        }
    }
}

/// sums[count] = the sums of the runs, in order.
STAGELENS_KERNEL(kElementThreads, 4)
addRunsKernel(double *sums, const double *runs, std::int64_t number, std::int64_t count)
{
    eachPack<1, 1>(count, [&](std::int64_t at) {
        double sum = 0;
#pragma unroll 4
        for (std::int64_t run = 0; run < number; ++run)
            sum += runs[run * count + at];
        sums[at] = sum;
    });
}

STAGELENS_KERNEL(kElementThreads, 4)
addDoublesKernel(double *to, const double *from, std::int64_t count)
{
    eachPack<1, 1>(count, [&](std::int64_t at) { to[at] += from[at]; });
}

/// What the update of all rows has in common, which takes the place of the sums.
struct Common {
    float *columnFactors; ///< by which a gradient is multiplied
    double *rate;         ///< rate, mean of the rows, and factor of the values
};
STAGELENS_DEVICE Common commonAt(double *sums, std::int64_t columns)
{
    return {reinterpret_cast<float *>(sums), sums + columns};
}

/// One block: updates the means of the columns, and finds the rates.
STAGELENS_KERNEL(kWholeThreads, 1)
columnMeansKernel(float *means, double *sums, const Adafactor settings, std::int64_t allRows, std::int64_t columns)
{
    const auto rows = static_cast<double>(allRows);
    double quotients = 0;
#pragma unroll 4
    for (std::int64_t j = threadIndex(); j < columns; j += blockThreads()) {
        means[j] = decayed(means[j], sums[j] / rows + static_cast<double>(settings.epsilon1), settings.decay);
        quotients += sums[columns + j] / static_cast<double>(means[j]);
    }
    const double mean = sums[2 * columns] / rows;
    const double valueSquares = sums[2 * columns + 1];
    const double all = blockSum(quotients, reinterpret_cast<double *>(sharedBytes())); // after it the sums are used
    const Common common = commonAt(sums, columns);
    if (threadIndex() == 0) {
        const Rates rates = ratesOf(settings, valueSquares, productOf(mean, all), rows * static_cast<double>(columns));
        common.rate[0] = rates.update * static_cast<double>(settings.gradientScale);
        common.rate[1] = mean;
        common.rate[2] = static_cast<double>(rates.keep);
    }
#pragma unroll 4
    for (std::int64_t j = threadIndex(); j < columns; j += blockThreads())
        common.columnFactors[j] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(means[j])));
}

/// A block for each row: updates its values.
template <int W>
STAGELENS_KERNEL(kRowThreads, 4)
updateRowsKernel(float *values, float *gradient, const float *rowMeans, double *sums, std::int64_t columns)
{
    const Common common = commonAt(sums, columns);
    const auto rowFactor =
        static_cast<float>(common.rate[0] * std::sqrt(common.rate[1] / static_cast<double>(rowMeans[blockIndex()])));
    const auto keep = static_cast<float>(common.rate[2]);
    const std::int64_t begin = blockIndex() * columns;
    forEachPack<W>(gradient + begin, columns, [&](std::int64_t column, const Raw<float, W> &raw) {
        const Pack<W> g = unpack(raw);
        Pack<W> value = load<W>(values + begin + column);
        const Pack<W> factor = load<W>(common.columnFactors + column);
#pragma unroll
        for (int i = 0; i < W; ++i)
            value.at[i] = productOf(value.at[i], keep) - productOf(productOf(g.at[i], rowFactor), factor.at[i]);
        store<W>(values + begin + column, value);
        store<W>(gradient + begin + column, Pack<W>{});
    });
}

/// One block: updates the second moments of a vector, and computes its sums.
STAGELENS_KERNEL(kWholeThreads, 1)
vectorSumsKernel(double *sums, const float *values, const float *gradient, float *moments, const Adafactor settings,
                 std::int64_t count)
{
    auto *const parts = reinterpret_cast<double *>(sharedBytes());
    double quotients = 0;
    double squares = 0;
    for (std::int64_t i = threadIndex(); i < count; i += blockThreads()) {
        const auto g = static_cast<double>(gradient[i] * settings.gradientScale);
        const float moment = decayed(moments[i], g * g + static_cast<double>(settings.epsilon1), settings.decay);
        moments[i] = moment;
        quotients += g * g / static_cast<double>(moment);
        squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    const double allQuotients = blockSum(quotients, parts);
    const double allSquares = blockSum(squares, parts + kWholeThreads / kWarpLanes);
    if (threadIndex() == 0) {
        sums[0] = allQuotients;
        sums[1] = allSquares;
    }
}

STAGELENS_KERNEL(kElementThreads, 4)
updateVectorKernel(float *values, float *gradient, const float *moments, const double *sums, const Adafactor settings,
                   std::int64_t count)
{
    const Rates rates = ratesOf(settings, sums[1], sums[0], static_cast<double>(count));
    const double rate = rates.update * static_cast<double>(settings.gradientScale);
    eachPack<1, kPacksOfThread>(count, [&](std::int64_t i) {
        const double update = rate * static_cast<double>(gradient[i]) / std::sqrt(static_cast<double>(moments[i]));
        values[i] = productOf(values[i], rates.keep) - static_cast<float>(update);
        gradient[i] = 0.0F;
    });
}

/// Shared memory of a double for each warp.
constexpr std::int64_t partsOf(int threads)
{
    return threads / kWarpLanes * static_cast<std::int64_t>(sizeof(double));
}

template <int W>
Status sumMatrix(Stream stream, double *sums, const AdafactorRows &part, const Adafactor &settings, double *scratch)
{
    const std::int64_t c = part.columns;
    const int threads = threadsForRow(c / W, kRowThreads);
    Status status =
        launch<rowMeansKernel<W>>({part.rows, threads, partsOf(threads), stream}, part.rowMeans, part.gradient, settings, c);
    if (status.failed())
        return status;
    const std::int64_t runs = runsOf(part.rows, c);
    const std::int64_t each = runs > 0 ? (part.rows + runs - 1) / runs : 0;
    constexpr std::int64_t kColumns = std::int64_t{kColumnsOfBlock} * W;
    const Launch how{(c + kColumns - 1) / kColumns, kColumnsOfBlock * kGroups,
                     kGroups * (2 * kColumns + 1) * static_cast<std::int64_t>(sizeof(double)), stream, runs};
    status = launch<runSumsKernel<W>>(how, scratch, part.gradient, part.rowMeans, settings.gradientScale, part.rows, each, c);
    if (status.failed())
        return status;
    return launch<addRunsKernel>(overElements(2 * c + 1, 1, stream, 1), sums, scratch, runs, 2 * c + 1);
}

} // namespace

std::int64_t adafactorScratch(std::int64_t rows, std::int64_t columns)
{
    const std::int64_t ofRuns = runsOf(rows, columns) * (2 * columns + 1);
    const std::int64_t ofSquares = squaresScratch(rows * columns);
    return ofRuns < ofSquares ? ofSquares : ofRuns;
}

Status adafactorSums(Stream stream, double *sums, const AdafactorRows &part, const Adafactor &settings, double *scratch)
{
    const bool isWhole = isWide<float>({part.gradient}, {part.columns});
    const Status status =
        isWhole ? sumMatrix<4>(stream, sums, part, settings, scratch) : sumMatrix<1>(stream, sums, part, settings, scratch);
    if (status.failed())
        return status;
    return sumOfSquares(stream, sums + 2 * part.columns + 1, part.values, part.rows * part.columns, scratch);
}

Status adafactorStep(Stream stream, const AdafactorRows &part, double *sums, const Adafactor &settings)
{
    const std::int64_t c = part.columns;
    const Status status = launch<columnMeansKernel>({1, kWholeThreads, partsOf(kWholeThreads), stream}, part.columnMeans, sums,
                                                    settings, part.allRows, c);
    if (status.failed())
        return status;
    if (isWide<float>({part.values, part.gradient, sums}, {c}))
        return launch<updateRowsKernel<4>>({part.rows, threadsForRow(c / 4, kRowThreads), 0, stream}, part.values,
                                           part.gradient, part.rowMeans, sums, c);
    return launch<updateRowsKernel<1>>({part.rows, threadsForRow(c, kRowThreads), 0, stream}, part.values, part.gradient,
                                       part.rowMeans, sums, c);
}

Status adafactorVectorSums(Stream stream, double *sums, const float *values, const float *gradient, float *moments,
                           std::int64_t count, const Adafactor &settings)
{
    return launch<vectorSumsKernel>({1, kWholeThreads, 2 * partsOf(kWholeThreads), stream}, sums, values, gradient, moments,
                                    settings, count);
}

Status adafactorVectorStep(Stream stream, float *values, float *gradient, const float *moments, std::int64_t count,
                           const double *sums, const Adafactor &settings)
{
    return launch<updateVectorKernel>(overElements(count, 1, stream), values, gradient, moments, sums, settings, count);
}

Status addDoubles(Stream stream, double *to, const double *from, std::int64_t count)
{
    return launch<addDoublesKernel>(overElements(count, 1, stream, 1), to, from, count);
}

} // namespace stagelens::kernels::gpu
