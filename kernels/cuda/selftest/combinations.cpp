// Kernels that the runtime calls in addition to the large ones: sums of arrays, the two steps of the naive method, and
// combinations over ranks.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"
#include "kernels/include/softmax.h"
#include "kernels/include/statistics.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

template <class T>
void runArithmetic(Bench &bench, std::int64_t rows, std::int64_t width)
{
    const std::int64_t count = rows * width;
    {
        Case test = bench.begin<T>("add", {count});
        const auto x = test.random<T>(count), y = test.random<T>(count);
        auto expected = floatsOf(x);
        kernels::add(expected.data(), floatsOf(y).data(), count);
        T *to = test.put(x);
        const T *from = test.put(y);
        test.compare(
            to, expected, [&] { return add(test.stream(), to, from, count); }, [&] { test.restore(to, x); });
    }
    {
        Case test = bench.begin<T>("scale", {count});
        const auto x = test.random<T>(count);
        std::vector<float> expected(size(count));
        kernels::scale(expected.data(), floatsOf(x).data(), 0.3F, count);
        T *out = test.space<T>(count);
        const T *in = test.put(x);
        test.compare(out, expected, [&] { return scale(test.stream(), out, in, 0.3F, count); });
    }
    Case test = bench.begin<T>("sumParts", {2, count});
    const auto x = test.random<T>(count), y = test.random<T>(count);
    auto expected = floatsOf(x);
    kernels::add(expected.data(), floatsOf(y).data(), count);
    Parts<T> parts;
    parts.at[parts.count++] = test.put(x);
    parts.at[parts.count++] = test.put(y);
    T *out = test.space<T>(count);
    test.compare(out, expected, [&] { return sumParts(test.stream(), out, parts, count); });
}

void runSquares(Bench &bench, std::int64_t count)
{
    Case test = bench.beginTyped("sumOfSquares", "double of float", shapeText({count}));
    const auto x = test.random<float>(count);
    double *sum = test.space<double>(1), *scratch = test.space<double>(squaresScratch(count));
    const float *in = test.put(x);
    test.compare(
        sum, {static_cast<float>(kernels::sumOfSquares(x.data(), count))},
        [&] { return sumOfSquares(test.stream(), sum, in, count, scratch); }, 1e-6);
}

/// Every third label is not local.
std::vector<std::int32_t> labelsOf(std::int64_t first, std::int64_t columns, std::int64_t rows)
{
    std::vector<std::int32_t> labels;
    for (std::int64_t row = 0; row < rows; ++row)
        labels.push_back(static_cast<std::int32_t>(row % 3 == 0 ? first - 1 : first + row * 31 % columns));
    return labels;
}

template <class T>
void runNaive(Bench &bench, std::int64_t rows, std::int64_t columns)
{
    constexpr std::int64_t kFirst = 50;
    const auto labels = labelsOf(kFirst, columns, rows);
    std::vector<float> statistics(size(2 * rows)), sums(size(rows));
    {
        Case test = bench.begin<T>("rowMaxima", {rows, columns});
        const auto x = test.random<T>(rows * columns, 4);
        auto values = floatsOf(x);
        kernels::rowMaxima(statistics.data(), statistics.data() + rows, {values.data(), rows, columns, kFirst}, labels.data());
        T *logits = test.put(x);
        float *all = test.space<float>(2 * rows);
        const std::int32_t *own = test.put(labels);
        test.compare(all, statistics, [&] {
            return rowMaxima<T>(test.stream(), all, all + rows, {logits, rows, columns, kFirst}, own);
        });
    }
    Case test = bench.begin<T>("exponentiate", {rows, columns});
    const auto x = test.random<T>(rows * columns, 4);
    auto expected = floatsOf(x);
    kernels::exponentiate(sums.data(), statistics.data(), {expected.data(), rows, columns, kFirst});
    T *logits = test.put(x);
    float *sum = test.space<float>(rows);
    const float *maximum = test.put(std::vector<float>(statistics.begin(), statistics.begin() + rows));
    test.compare(
        logits, expected,
        [&] {
            return exponentiate<T>(test.stream(), sum, maximum, {logits, rows, columns, kFirst});
        },
        [&] { test.restore(logits, x); });
}

template <class T>
void runScaleRows(Bench &bench, const TableShard &shard, std::int64_t tokens)
{
    Case test = bench.begin<T>("scaleRows", {tokens, shard.count, shard.width});
    const auto ids = labelsOf(shard.first, shard.count, tokens);
    const auto x = test.random<T>(tokens * shard.width), values = test.random<T>(shard.count * shard.width);
    const auto factors = test.random<float>(tokens);
    std::vector<float> expected(size(tokens * shard.width));
    kernels::scaleRows(expected.data(), floatsOf(x).data(), factors.data(), floatsOf(values).data(), shard, ids.data(), 0.7F,
                       tokens);
    T *out = test.space<T>(tokens * shard.width);
    const T *in = test.put(x), *table = test.put(values);
    const float *factor = test.put(factors);
    const std::int32_t *places = test.put(ids);
    test.compare(out, expected,
                 [&] { return scaleRows<T>(test.stream(), out, in, factor, table, shard, places, 0.7F, tokens); });
}

/// [maximum | sum | target] of a shard.
std::vector<float> statisticsOf(Case &test, std::int64_t tokens)
{
    auto all = test.random<float>(3 * tokens, 3);
    for (std::int64_t i = tokens; i < 2 * tokens; ++i)
        all[size(i)] = 1 + std::abs(all[size(i)]);
    return all;
}

/// Exponentials of differences: the error is proportional to the rounding error of the argument.
constexpr double kExponentialBound = 1e-5;

void runRanks(Bench &bench, std::int64_t tokens)
{
    const auto with = [&](const char *name, const auto &compare) {
        Case test = bench.begin<float>(name, {3, tokens});
        std::vector<std::vector<float>> shards;
        std::vector<const float *> onHost;
        Parts<float> parts;
        for (; parts.count < 3; ++parts.count) {
            shards.push_back(statisticsOf(test, tokens));
            parts.at[parts.count] = test.put(shards.back());
        }
        for (const auto &shard : shards)
            onHost.push_back(shard.data());
        std::vector<float> all(size(3 * tokens));
        kernels::combineShards(kernels::SoftmaxStatistics(all.data(), tokens), onHost);
        compare(test, kernels::ShardParts(onHost), parts, all);
    };
    with("combineMaxima", [&](Case &test, kernels::ShardParts host, const Parts<float> &parts, const auto &) {
        std::vector<float> expected(size(tokens));
        kernels::combineMaxima(expected.data(), host, tokens);
        float *out = test.space<float>(tokens);
        test.compare(out, expected, [&] { return combineMaxima(test.stream(), out, parts, tokens); });
    });
    with("combineSums", [&](Case &test, kernels::ShardParts host, const Parts<float> &, const std::vector<float> &all) {
        // Their parts are [sum | target].
        std::vector<const float *> sums;
        Parts<float> parts;
        for (const float *shard : host) {
            sums.push_back(shard + tokens);
            parts.at[parts.count++] = test.put(std::vector<float>(shard + tokens, shard + 3 * tokens));
        }
        std::vector<float> expected(size(3 * tokens));
        kernels::combineSums(kernels::SoftmaxStatistics(expected.data(), tokens), all.data(), sums);
        float *out = test.space<float>(3 * tokens);
        const float *maximum = test.put(std::vector<float>(all.begin(), all.begin() + tokens));
        test.compare(out, expected, [&] { return combineSums(test.stream(), out, maximum, parts, tokens); });
    });
    with("shardFactors", [&](Case &test, kernels::ShardParts host, const Parts<float> &parts, std::vector<float> &all) {
        std::vector<float> expected(size(3 * tokens));
        kernels::shardFactors(expected.data(), host, kernels::SoftmaxStatistics(all.data(), tokens));
        float *out = test.space<float>(3 * tokens);
        const float *whole = test.put(all);
        test.compare(
            out, expected, [&] { return shardFactors(test.stream(), out, parts, whole, tokens); }, kExponentialBound);
    });
    with("tokenFactors", [&](Case &test, kernels::ShardParts host, const Parts<float> &parts, std::vector<float> &all) {
        std::vector<float> expected(size(tokens)), own(host[1], host[1] + 3 * tokens);
        kernels::tokenFactors(expected.data(), kernels::SoftmaxStatistics(own.data(), tokens),
                              kernels::SoftmaxStatistics(all.data(), tokens), 0.01F);
        float *out = test.space<float>(tokens);
        const float *whole = test.put(all);
        test.compare(
            out, expected, [&] { return tokenFactors(test.stream(), out, parts.at[1], whole, 0.01F, tokens); },
            kExponentialBound);
    });
    with("sumLosses", [&](Case &test, kernels::ShardParts, const Parts<float> &, std::vector<float> &all) {
        const std::int64_t counted = (tokens + 1) / 2;
        const auto expected = static_cast<float>(kernels::lossSum(kernels::SoftmaxStatistics(all.data(), tokens), counted));
        double *total = test.space<double>(1);
        const float *whole = test.put(all);
        test.compare(
            total, {expected}, [&] { return sumLosses(test.stream(), total, whole, tokens, counted); }, kExponentialBound);
    });
}

template <class T>
void runOf(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    runArithmetic<T>(bench, 7, 37);
    runArithmetic<T>(bench, isLarge ? 4096 : 12, isLarge ? 4096 : 64);
    runNaive<T>(bench, 7, 77);
    runNaive<T>(bench, isLarge ? 2048 : 6, isLarge ? 32768 : 1024);
    runScaleRows<T>(bench, {100, 20, 5}, 40);
    runScaleRows<T>(bench, {100, isLarge ? 32768 : 20, isLarge ? 4096 : 264}, isLarge ? 4096 : 30);
}

} // namespace

void runCombinations(Bench &bench)
{
    runOf<float>(bench);
    runOf<Bf16>(bench);
    runOf<Fp16>(bench);
    runSquares(bench, 1003);
    runSquares(bench, bench.isLarge() ? std::int64_t{1} << 26 : 5000);
    runRanks(bench, bench.isLarge() ? 8192 : 300);
}

} // namespace stagelens::kernels::gpu::selftest
