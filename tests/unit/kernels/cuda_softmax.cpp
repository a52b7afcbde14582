// The GPU's softmax over shards of logits, on fibres, against plain loops in double.
#include "kernels/include/softmax.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <algorithm>

namespace unit_kernels_cuda_softmax {

using namespace stagelens::kernels;
using namespace stagelens::test;
using gpu::Parts;

namespace {

constexpr std::int64_t kFirst = 100;

struct Shard {
    std::int64_t rows;
    std::int64_t columns;
    std::vector<float> logits;
    std::vector<std::int32_t> labels;
};

/// Logits of random size with what makes softmax hard: a large row, one of -infinity, one with some, one of equal values.
Shard shardOf(std::int64_t rows, std::int64_t columns)
{
    const auto width = static_cast<std::size_t>(columns);
    Shard shard{rows, columns, randomValues(static_cast<std::size_t>(rows * columns), 1, 4.0), {}};
    for (std::int64_t row = 0; row < rows; ++row) {
        float *values = shard.logits.data() + row * columns;
        for (std::size_t i = 0; i < width; ++i) {
            if (row == 1)
                values[i] += 20000.0F;
            if (row == 2 || (row == 3 && i % 3 != 0))
                values[i] = -kInfinity;
            if (row == 4)
                values[i] = 1.25F;
        }
        const std::int64_t edges[] = {kFirst, kFirst + columns - 1, kFirst - 1, kFirst + columns, kFirst + columns / 2, 0};
        shard.labels.push_back(static_cast<std::int32_t>(edges[row % 6]));
    }
    return shard;
}

struct Expected {
    std::vector<double> maximum, sum, target, exponentials;
};

Expected expectedOf(const Shard &shard, const std::vector<double> &logits)
{
    Expected all;
    for (std::int64_t row = 0; row < shard.rows; ++row) {
        const auto begin = logits.begin() + row * shard.columns;
        const auto end = begin + shard.columns;
        const double maximum = shard.columns == 0 ? -HUGE_VAL : *std::max_element(begin, end);
        double sum = 0;
        for (auto value = begin; value != end; ++value) {
            all.exponentials.push_back(maximum == -HUGE_VAL ? 0 : std::exp(*value - maximum));
            sum += all.exponentials.back();
        }
        const std::int64_t column = shard.labels[static_cast<std::size_t>(row)] - kFirst;
        all.maximum.push_back(maximum);
        all.sum.push_back(sum);
        all.target.push_back(column >= 0 && column < shard.columns ? *(begin + column) : 0);
    }
    return all;
}

bool statisticsAreRight(const std::vector<float> &statistics, const Expected &expected)
{
    const std::size_t rows = expected.sum.size();
    for (std::size_t row = 0; row < rows; ++row) {
        const auto sum = static_cast<double>(statistics[rows + row]);
        const bool isRow = static_cast<double>(statistics[row]) == expected.maximum[row] &&
                           std::abs(sum - expected.sum[row]) <= 1e-6 * expected.sum[row] &&
                           static_cast<double>(statistics[2 * rows + row]) == expected.target[row];
        if (!isRow) {
            qWarning("row %zu: %g, %.9g, %g instead of %g, %.9g, %g", row, static_cast<double>(statistics[row]), sum,
                     static_cast<double>(statistics[2 * rows + row]), expected.maximum[row], expected.sum[row],
                     expected.target[row]);
            return false;
        }
    }
    return true;
}

/// Returns the rows with `stride` elements each; those after the columns are NaN.
template <class T>
std::vector<T> padded(const std::vector<T> &dense, std::int64_t rows, std::int64_t columns, std::int64_t stride)
{
    std::vector<T> values(static_cast<std::size_t>(rows * stride), as<T>(std::vector<float>{kNaN}).front());
    for (std::int64_t row = 0; row < rows; ++row)
        std::copy_n(dense.begin() + row * columns, columns, values.begin() + row * stride);
    return values;
}
template <class T>
std::vector<T> withoutPadding(const std::vector<T> &values, std::int64_t rows, std::int64_t columns, std::int64_t stride)
{
    std::vector<T> dense;
    for (std::int64_t row = 0; row < rows; ++row)
        dense.insert(dense.end(), values.begin() + row * stride, values.begin() + row * stride + columns);
    return dense;
}

template <class T>
void check(std::int64_t rows, std::int64_t columns, std::int64_t stride)
{
    const Shard shard = shardOf(rows, columns);
    const auto dense = as<T>(shard.logits);
    const auto logits = padded(dense, rows, columns, stride);
    const Expected expected = expectedOf(shard, doublesOf(dense));
    const auto count = static_cast<std::size_t>(rows);

    std::vector<float> local(3 * count, kNaN);
    const auto exponentials = sameBitsInEveryOrder<T>([&] {
        auto values = logits;
        if (!went(gpu::localSoftmax<T>(kStream, local.data(), local.data() + count, local.data() + 2 * count,
                                       {values.data(), rows, columns, kFirst, stride}, shard.labels.data())))
            return std::vector<T>{};
        return withoutPadding(values, rows, columns, stride);
    });
    QVERIFY(statisticsAreRight(local, expected));
    QVERIFY(isRight(exponentials, expected.exponentials));

    // The naive method in two steps, with maxima above the shard's own in every third row.
    std::vector<float> naive(3 * count, kNaN);
    QVERIFY(went(gpu::rowMaxima<T>(kStream, naive.data(), naive.data() + 2 * count,
                                   {const_cast<T *>(logits.data()), rows, columns, kFirst, stride}, shard.labels.data())));
    std::vector<double> shifted = expected.exponentials;
    Expected global = expected;
    for (std::size_t row = 0; row < count; ++row) {
        const bool isAbove = row % 3 == 0 && naive[row] > -kInfinity;
        naive[row] += isAbove ? 0.5F : 0.0F;
        global.maximum[row] += isAbove ? 0.5 : 0.0;
        global.sum[row] *= isAbove ? std::exp(-0.5) : 1.0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i)
            shifted[row * static_cast<std::size_t>(columns) + i] *= isAbove ? std::exp(-0.5) : 1.0;
    }
    const auto naiveExponentials = sameBitsInEveryOrder<T>([&] {
        auto values = logits;
        const Status status =
            gpu::exponentiate<T>(kStream, naive.data() + count, naive.data(), {values.data(), rows, columns, kFirst, stride});
        return went(status) ? withoutPadding(values, rows, columns, stride) : std::vector<T>{};
    });
    QVERIFY(statisticsAreRight(naive, global));
    QVERIFY(isRight(naiveExponentials, shifted));
}

} // namespace

class KernelsCudaSoftmax : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void softmax_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("stride");
        QTest::addRow("no columns") << 6 << 0 << 0;
        QTest::addRow("one column") << 6 << 1 << 1;
        QTest::addRow("odd") << 7 << 77 << 77;               // rows that begin anywhere
        QTest::addRow("wide") << 7 << 128 << 128;            // 16 bytes at a time
        QTest::addRow("several turns") << 6 << 9000 << 9000; // each thread has more packs than it loads ahead
        QTest::addRow("odd and long") << 6 << 4099 << 4099;
        QTest::addRow("odd, padded to 128 bytes") << 7 << 4099 << 4160; // 16 bytes at a time, with a last pack of 3
        QTest::addRow("one column, padded") << 6 << 1 << 64;
        QTest::addRow("odd, odd stride") << 6 << 77 << 79;
    }
    void softmax()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(int, stride);
        check<float>(rows, columns, stride);
        check<Bf16>(rows, columns, stride);
        check<Fp16>(rows, columns, stride);
    }

    /// 26,000 floats do not fit the chip's share of a row and are read twice.
    void rowsTooLongForTheChip()
    {
        check<float>(2, 26'000, 26'000);
        const SharedLimit few(512);
        check<Bf16>(4, 1000, 1000);
        check<Fp16>(4, 1000, 1000);
        check<Bf16>(4, 999, 1024);
        check<Fp16>(4, 999, 1024);
    }

    /// Three shards of 5 tokens, one of them without columns; each is compared with all logits in double.
    void shardsAreCombinedInRankOrder()
    {
        constexpr std::size_t kTokens = 5, kColumns = 12;
        const auto logits = randomValues(kTokens * kColumns, 21, 3.0);
        const std::int64_t widths[] = {7, 0, 5};
        std::vector<std::vector<float>> shards, sums;
        Parts<float> parts, partsOfSums;
        std::size_t first = 0;
        std::vector<double> maxima(kTokens, -HUGE_VAL), total(kTokens), target(kTokens);
        for (const std::int64_t width : widths) {
            std::vector<float> statistics(3 * kTokens), naive;
            for (std::size_t token = 0; token < kTokens; ++token) {
                const auto *begin = logits.data() + token * kColumns + first;
                float maximum = -kInfinity, sum = 0;
                for (std::int64_t i = 0; i < width; ++i)
                    maximum = std::max(maximum, begin[i]);
                for (std::int64_t i = 0; i < width; ++i)
                    sum += std::exp(begin[i] - maximum);
                statistics[token] = maximum;
                statistics[kTokens + token] = sum;
                const std::size_t label = 2 * token + 1; // of the whole vocabulary
                const bool isOwn = label >= first && label < first + static_cast<std::size_t>(width);
                statistics[2 * kTokens + token] = isOwn ? logits[token * kColumns + label] : 0.0F;
                maxima[token] = std::max(maxima[token], static_cast<double>(maximum));
                target[token] += static_cast<double>(statistics[2 * kTokens + token]);
            }
            shards.push_back(statistics);
            first += static_cast<std::size_t>(width);
        }
        for (const auto &shard : shards) {
            parts.at[parts.count++] = shard.data();
            sums.emplace_back(shard.begin() + kTokens, shard.end());
            for (std::size_t token = 0; token < kTokens; ++token) {
                const double share = std::exp(static_cast<double>(shard[token]) - maxima[token]);
                total[token] += static_cast<double>(shard[kTokens + token]) * share;
                sums.back()[token] *= static_cast<float>(share);
            }
        }
        for (const auto &sum : sums)
            partsOfSums.at[partsOfSums.count++] = sum.data();

        const Expected expected{maxima, total, target, {}};
        std::vector<float> all(3 * kTokens, kNaN), maximum(kTokens, kNaN), naive(3 * kTokens, kNaN);
        QVERIFY(went(gpu::combineShards(kStream, all.data(), parts, kTokens)));
        QVERIFY(statisticsAreRight(all, expected));
        QVERIFY(went(gpu::combineMaxima(kStream, maximum.data(), parts, kTokens)));
        QVERIFY(went(gpu::combineSums(kStream, naive.data(), maximum.data(), partsOfSums, kTokens)));
        QVERIFY(statisticsAreRight(naive, expected));

        std::vector<float> factors(3 * kTokens, kNaN), own(kTokens, kNaN);
        QVERIFY(went(gpu::shardFactors(kStream, factors.data(), parts, all.data(), kTokens)));
        QVERIFY(went(gpu::tokenFactors(kStream, own.data(), shards[2].data(), all.data(), 0.25F, kTokens)));
        double loss = 0;
        for (std::size_t token = 0; token < kTokens; ++token) {
            for (std::size_t shard = 0; shard < 3; ++shard) {
                const double factor = std::exp(static_cast<double>(shards[shard][token]) - maxima[token]) / total[token];
                QVERIFY(std::abs(static_cast<double>(factors[shard * kTokens + token]) - factor) <= 1e-6 * factor);
            }
            QCOMPARE(own[token], 0.25F * factors[2 * kTokens + token]);
            loss += std::log(total[token]) + maxima[token] - target[token];
        }
        const auto losses = sameBitsInEveryOrder<double>([&] {
            std::vector<double> sum(1, -1);
            return went(gpu::sumLosses(kStream, sum.data(), all.data(), kTokens, kTokens)) ? sum : std::vector<double>{};
        });
        QVERIFY(std::abs(losses[0] - loss) < 1e-5);
        parts.count = 0;
        QVERIFY(gpu::combineShards(kStream, all.data(), parts, kTokens).failed());
    }

    /// The sum over many tokens, each thread's own several.
    void lossesAreSummedInDouble()
    {
        constexpr std::size_t kTokens = 1203;
        std::vector<float> all = randomValues(3 * kTokens, 22);
        std::vector<double> exact{0}; // of so many tokens
        for (std::size_t token = 0; token < kTokens; ++token) {
            all[kTokens + token] = 1 + std::abs(all[kTokens + token]);
            exact.push_back(exact.back() + std::log(static_cast<double>(all[kTokens + token])) +
                            static_cast<double>(all[token]) - static_cast<double>(all[2 * kTokens + token]));
        }
        for (const std::size_t counted : {kTokens, std::size_t{400}, std::size_t{1}}) {
            double sum = 0;
            QVERIFY(went(gpu::sumLosses(kStream, &sum, all.data(), kTokens, static_cast<std::int64_t>(counted))));
            QVERIFY(std::abs(sum - exact[counted]) < 1e-10);
        }
    }

    void notANumberStaysOne()
    {
        std::vector<float> logits(256, 1.0F), statistics(3);
        logits[200] = kNaN;
        const std::int32_t label = 0;
        QVERIFY(went(gpu::localSoftmax<float>(kStream, statistics.data(), statistics.data() + 1, statistics.data() + 2,
                                              {logits.data(), 1, 256, 0}, &label)));
        QVERIFY(std::isnan(statistics[1]));
    }
};

STAGELENS_TEST(KernelsCudaSoftmax)

} // namespace unit_kernels_cuda_softmax

#include "kernels/cuda_softmax.moc"
