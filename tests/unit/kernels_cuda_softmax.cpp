// The GPU's softmax over shards of logits, on fibres, against plain loops in double.
#include "kernels/include/softmax.h"
#include "tests/support/gpu_on_host.h"

#include <algorithm>

using namespace stagelens::kernels;
using namespace stagelens::test;

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

template <class T>
void check(std::int64_t rows, std::int64_t columns)
{
    const Shard shard = shardOf(rows, columns);
    const auto logits = as<T>(shard.logits);
    const Expected expected = expectedOf(shard, doublesOf(logits));
    const auto count = static_cast<std::size_t>(rows);

    const auto statistics = sameBitsInEveryOrder<float>([&] {
        auto kept = logits;
        std::vector<float> out(3 * count, kNaN);
        if (!went(gpu::softmaxStatistics<T>(kStream, out.data(), out.data() + count, out.data() + 2 * count,
                                            {kept.data(), rows, columns, kFirst}, shard.labels.data())))
            out.clear();
        return out;
    });
    QVERIFY(statisticsAreRight(statistics, expected));

    std::vector<float> local(3 * count, kNaN);
    const auto exponentials = sameBitsInEveryOrder<T>([&] {
        auto values = logits;
        if (!went(gpu::localSoftmax<T>(kStream, local.data(), local.data() + count, local.data() + 2 * count,
                                       {values.data(), rows, columns, kFirst}, shard.labels.data())))
            values.clear();
        return values;
    });
    QVERIFY(statisticsAreRight(local, expected));
    QVERIFY(isRight(exponentials, expected.exponentials));

    std::vector<float> factor;
    std::vector<double> weighted = expected.exponentials;
    for (std::size_t row = 0; row < count; ++row) {
        factor.push_back(local[count + row] == 0.0F ? 0.0F : 0.5F / local[count + row]);
        for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i)
            weighted[row * static_cast<std::size_t>(columns) + i] *= static_cast<double>(factor[row]);
    }
    const auto gradient = sameBitsInEveryOrder<T>([&] {
        auto values = logits;
        if (!went(gpu::probabilities<T>(kStream, local.data(), factor.data(), {values.data(), rows, columns, kFirst})))
            values.clear();
        return values;
    });
    QVERIFY(isRight(gradient, weighted));
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
        QTest::addRow("no columns") << 6 << 0;
        QTest::addRow("one column") << 6 << 1;
        QTest::addRow("odd") << 7 << 77;             // rows that begin anywhere
        QTest::addRow("wide") << 7 << 128;           // 16 bytes at a time
        QTest::addRow("several turns") << 6 << 9000; // each thread has more packs than it loads ahead
        QTest::addRow("odd and long") << 6 << 4099;
    }
    void softmax()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        check<float>(rows, columns);
        check<Bf16>(rows, columns);
    }

    /// 26,000 floats do not fit the chip's share of a row and are read twice.
    void rowsTooLongForTheChip() { check<float>(2, 26'000); }

    void notANumberStaysOne()
    {
        std::vector<float> logits(256, 1.0F), statistics(3);
        logits[200] = kNaN;
        const std::int32_t label = 0;
        QVERIFY(went(gpu::softmaxStatistics<float>(kStream, statistics.data(), statistics.data() + 1, statistics.data() + 2,
                                                   {logits.data(), 1, 256, 0}, &label)));
        QVERIFY(std::isnan(statistics[1]));
    }
};

QTEST_GUILESS_MAIN(KernelsCudaSoftmax)
#include "kernels_cuda_softmax.moc"
