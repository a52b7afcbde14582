// Rows of a sharded table on the GPU, on fibres: gathered, added without atomics, scaled.
#include "kernels/include/embedding.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <numeric>

namespace unit_kernels_cuda_embedding {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

constexpr TableShard shardOf(std::int64_t width, std::int64_t count = 20)
{
    return {100, count, width};
}

/// Ids in and around the shard [100, 120); one of them often.
std::vector<std::int32_t> idsOf(std::size_t tokens)
{
    const stagelens::base::Random random(20261121, 9);
    std::vector<std::int32_t> ids(tokens);
    for (std::size_t i = 0; i < tokens; ++i)
        ids[i] = i % 3 == 0 ? 107 : static_cast<std::int32_t>(random.integer(i, 95, 124));
    return ids;
}

std::vector<std::int32_t> orderOf(const std::vector<std::int32_t> &ids)
{
    std::vector<std::int32_t> order(ids.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return ids[static_cast<std::size_t>(a)] < ids[static_cast<std::size_t>(b)];
    });
    return order;
}

template <class T>
void check(std::int64_t width, std::size_t tokens, std::int64_t rows)
{
    const TableShard shard = shardOf(width, rows);
    const auto ids = idsOf(tokens);
    const auto w = static_cast<std::size_t>(width);
    const auto count = static_cast<std::int64_t>(tokens);
    const auto table = as<T>(randomValues(static_cast<std::size_t>(rows) * w, 1));
    const auto in = as<T>(randomValues(tokens * w, 2));
    const auto local = [&](std::size_t token) {
        const std::int64_t row = ids[token] - shard.first;
        return row >= 0 && row < rows ? static_cast<std::ptrdiff_t>(row) : -1;
    };

    auto gathered = filledWith<T>(tokens * w, kNaN);
    QVERIFY(went(gpu::gatherRows<T>(kStream, gathered.data(), table.data(), shard, ids.data(), count)));

    std::vector<float> factor(tokens);
    auto scaled = filledWith<T>(tokens * w, kNaN);
    auto bare = in;
    for (std::size_t i = 0; i < tokens; ++i)
        factor[i] = 0.5F + static_cast<float>(i % 5);
    QVERIFY(went(
        gpu::scaleRows<T>(kStream, scaled.data(), in.data(), factor.data(), table.data(), shard, ids.data(), 0.25F, count)));
    QVERIFY(went(gpu::scaleRows<T>(kStream, bare.data(), bare.data(), factor.data(), nullptr, shard, nullptr, 0.25F, count)));

    std::vector<double> rowsExpected, scaledExpected, bareExpected;
    std::vector<double> sums(static_cast<std::size_t>(rows) * w, 0.5);
    const auto exactTable = doublesOf(table), exactIn = doublesOf(in);
    for (std::size_t token = 0; token < tokens; ++token)
        for (std::size_t i = 0; i < w; ++i) {
            const std::ptrdiff_t row = local(token);
            const double own = row < 0 ? 0 : exactTable[static_cast<std::size_t>(row) * w + i];
            rowsExpected.push_back(own);
            bareExpected.push_back(exactIn[token * w + i] * static_cast<double>(factor[token]));
            scaledExpected.push_back(bareExpected.back() - 0.25 * own);
            if (row >= 0)
                sums[static_cast<std::size_t>(row) * w + i] += -0.125 * exactIn[token * w + i];
        }
    QCOMPARE(doublesOf(gathered), rowsExpected);
    QVERIFY(isRight(scaled, scaledExpected));
    QVERIFY(isRight(bare, bareExpected));

    const auto order = sameBitsInEveryOrder<std::int32_t>([&] {
        std::vector<std::int32_t> places(tokens, -1);
        return went(gpu::sortTokens(kStream, places.data(), ids.data(), count)) ? places : std::vector<std::int32_t>{};
    });
    QCOMPARE(order, orderOf(ids));
    const auto gradient = sameBitsInEveryOrder<float>([&] {
        std::vector<float> added(sums.size(), 0.5F);
        const Status status =
            gpu::scatterAddRows<T>(kStream, added.data(), shard, ids.data(), order.data(), in.data(), -0.125F, count);
        return went(status) ? added : std::vector<float>{};
    });
    QVERIFY(isRight(gradient, sums));
}

} // namespace

class KernelsCudaEmbedding : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void rows_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("rows");
        QTest::addRow("one token") << 8 << 1 << 20;
        QTest::addRow("odd width") << 5 << 40 << 20;
        QTest::addRow("several blocks sort") << 16 << 600 << 20;
        QTest::addRow("several blocks a row") << 1040 << 13 << 20;
        QTest::addRow("empty shard") << 16 << 10 << 0;
    }
    void rows()
    {
        QFETCH(int, width);
        QFETCH(int, tokens);
        QFETCH(int, rows);
        check<float>(width, static_cast<std::size_t>(tokens), rows);
        check<Bf16>(width, static_cast<std::size_t>(tokens), rows);
        check<Fp16>(width, static_cast<std::size_t>(tokens), rows);
    }

    /// The sum over a row's tokens has the bits of the CPU's, which adds them in token order.
    void sumsAreInTokenOrder()
    {
        const auto ids = idsOf(50);
        const auto order = orderOf(ids);
        const auto in = randomValues(50 * 16, 3);
        std::vector<float> cpu(20 * 16), onGpu(20 * 16);
        scatterAddRows(cpu.data(), shardOf(16), ids.data(), in.data(), 1.0F, 50);
        QVERIFY(went(
            gpu::scatterAddRows<float>(kStream, onGpu.data(), shardOf(16), ids.data(), order.data(), in.data(), 1.0F, 50)));
        QCOMPARE(onGpu, cpu);
    }
};

STAGELENS_TEST(KernelsCudaEmbedding)

} // namespace unit_kernels_cuda_embedding

#include "kernels/cuda_embedding.moc"
