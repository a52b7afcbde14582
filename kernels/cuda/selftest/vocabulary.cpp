// Softmax over shards of logits, combinations over ranks, and table rows.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/embedding.h"
#include "kernels/include/softmax.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

/// Labels or ids, some of them outside [first, first + count).
std::vector<std::int32_t> idsAround(std::int64_t first, std::int64_t count, std::int64_t tokens)
{
    std::vector<std::int32_t> ids;
    for (std::int64_t token = 0; token < tokens; ++token)
        ids.push_back(static_cast<std::int32_t>(token % 4 == 0 ? first + count / 2 : first - 3 + token * 7919 % (count + 6)));
    return ids;
}

template <class T>
void runSoftmax(Bench &bench, std::int64_t rows, std::int64_t columns)
{
    constexpr std::int64_t kFirst = 100;
    const auto labels = idsAround(kFirst, columns, rows);
    const auto check = [&](const char *name, bool ofStatistics) {
        Case test = bench.begin<T>(name, {rows, columns});
        const auto x = test.random<T>(rows * columns, 4);
        auto exponentials = floatsOf(x);
        std::vector<float> statistics(size(3 * rows));
        kernels::localSoftmax(statistics.data(), statistics.data() + rows, statistics.data() + 2 * rows,
                              {exponentials.data(), rows, columns, kFirst}, labels.data());
        // A sum of floats on the processor is further from the truth than the GPU's, which has a short chain in each thread.
        for (std::int64_t row = 0; row < rows; ++row) {
            double sum = 0;
            for (std::int64_t column = 0; column < columns; ++column)
                sum += std::exp(static_cast<double>(toFloat(x[size(row * columns + column)])) -
                                static_cast<double>(statistics[size(row)]));
            statistics[size(rows + row)] = static_cast<float>(sum);
        }
        T *logits = test.put(x);
        float *all = test.space<float>(3 * rows);
        const std::int32_t *own = test.put(labels);
        const auto run = [&] {
            return localSoftmax<T>(test.stream(), all, all + rows, all + 2 * rows, {logits, rows, columns, kFirst}, own);
        };
        const auto again = [&] { test.restore(logits, x); };
        if (ofStatistics)
            test.compare(all, statistics, run, again);
        else
            test.compare(logits, exponentials, run, again);
    };
    check("localSoftmax", false);
    check("statistics of localSoftmax", true);
}

/// Combines the statistics of three shards with plain loops.
void runShards(Bench &bench, std::int64_t tokens)
{
    Case test = bench.begin<float>("combineShards", {3, tokens});
    Parts<float> parts;
    std::vector<std::vector<float>> shards;
    for (; parts.count < 3; ++parts.count) {
        shards.push_back(test.random<float>(3 * tokens, 3));
        for (std::int64_t i = tokens; i < 2 * tokens; ++i)
            shards.back()[size(i)] = 1 + std::abs(shards.back()[size(i)]);
        parts.at[parts.count] = test.put(shards.back());
    }
    std::vector<float> expected(size(3 * tokens));
    for (std::int64_t i = 0; i < tokens; ++i) {
        float maximum = shards[0][size(i)];
        for (const auto &shard : shards)
            maximum = shard[size(i)] > maximum ? shard[size(i)] : maximum;
        expected[size(i)] = maximum;
        for (const auto &shard : shards) {
            expected[size(tokens + i)] += shard[size(tokens + i)] * std::exp(shard[size(i)] - maximum);
            expected[size(2 * tokens + i)] += shard[size(2 * tokens + i)];
        }
    }
    float *all = test.space<float>(3 * tokens);
    test.compare(all, expected, [&] { return combineShards(test.stream(), all, parts, tokens); });
}

template <class T>
void runTable(Bench &bench, const TableShard &shard, std::int64_t tokens)
{
    const auto ids = idsAround(shard.first, shard.count, tokens);
    {
        Case test = bench.begin<T>("gatherRows", {tokens, shard.count, shard.width});
        const auto values = test.random<T>(shard.count * shard.width);
        std::vector<float> expected(size(tokens * shard.width));
        kernels::gatherRows(expected.data(), floatsOf(values).data(), shard, ids.data(), tokens);
        T *out = test.space<T>(tokens * shard.width);
        const T *table = test.put(values);
        const std::int32_t *places = test.put(ids);
        test.compare(out, expected, [&] { return gatherRows(test.stream(), out, table, shard, places, tokens); });
    }
    Case test = bench.begin<T>("scatterAddRows", {tokens, shard.count, shard.width});
    const auto x = test.random<T>(tokens * shard.width);
    const auto before = test.random<float>(shard.count * shard.width);
    auto expected = before;
    kernels::scatterAddRows(expected.data(), shard, ids.data(), floatsOf(x).data(), 0.5F, tokens);
    float *table = test.put(before);
    const T *in = test.put(x);
    const std::int32_t *places = test.put(ids);
    std::int32_t *order = test.space<std::int32_t>(tokens);
    test.compare(
        table, expected,
        [&] {
            const Status status = sortTokens(test.stream(), order, places, tokens);
            return status.failed() ? status : scatterAddRows(test.stream(), table, shard, places, order, in, 0.5F, tokens);
        },
        [&] { test.restore(table, before); });
}

template <class T>
void runOf(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    runSoftmax<T>(bench, 7, 77);
    runSoftmax<T>(bench, isLarge ? 2048 : 6, isLarge ? 32768 : 1024);
    runSoftmax<T>(bench, isLarge ? 512 : 2, isLarge ? 128'256 : 9000); // no chip holds the large one
    runTable<T>(bench, {100, 20, 5}, 40);
    runTable<T>(bench, {100, isLarge ? 32768 : 20, isLarge ? 4096 : 264}, isLarge ? 4096 : 60);
}

} // namespace

void runVocabulary(Bench &bench)
{
    runOf<float>(bench);
    runOf<Bf16>(bench);
    runOf<Fp16>(bench);
    runShards(bench, bench.isLarge() ? 8192 : 300);
}

} // namespace stagelens::kernels::gpu::selftest
