// What replicas send of a gradient.
#include "kernels/include/compression.h"
#include "kernels/cuda/selftest/bench.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

/// Messages of two replicas in both memories.
class Messages {
public:
    Messages(Case &test, std::int64_t floats, const std::vector<float> &gradient,
             void (*encode)(float *message, std::vector<float> &residual, std::int64_t chosen), std::int64_t chosen = 0)
    {
        for (int replica = 0; replica < 2; ++replica) {
            auto residual = gradient;
            for (float &value : residual)
                value *= replica == 0 ? 1.0F : -0.5F;
            m_host.emplace_back(size(floats));
            encode(m_host.back().data(), residual, chosen);
            onGpu.at[onGpu.count++] = test.put(m_host.back());
        }
        for (std::vector<float> &each : m_host)
            onHost.push_back(each.data());
    }
    std::vector<float *> onHost;
    Parts<float> onGpu;

private:
    std::vector<std::vector<float>> m_host;
};

void runSigns(Bench &bench, std::int64_t count)
{
    {
        Case test = bench.begin<float>("encodeSigns", {count});
        const auto before = test.random<float>(count);
        auto residual = before;
        std::vector<float> message(size(signFloats(count)));
        kernels::encodeSigns(message.data(), residual.data(), count);
        float *values = test.put(before), *out = test.space<float>(signFloats(count));
        double *scratch = test.space<double>(signsScratch(count));
        test.compare(
            values, residual, [&] { return encodeSigns(test.stream(), out, values, count, scratch); },
            [&] { test.restore(values, before); }, 1e-6);
    }
    {
        Case test = bench.begin<float>("encodeSignsOf", {count});
        const auto before = test.random<float>(count);
        auto residual = before;
        std::vector<float> message(size(signFloats(count)));
        kernels::encodeSignsOf(0.75F, message.data(), residual.data(), count);
        float *values = test.put(before), *out = test.space<float>(signFloats(count));
        test.compareBits(
            values, residual, [&] { return encodeSignsOf(test.stream(), 0.75F, out, values, count); },
            [&] { test.restore(values, before); });
    }
    Case test = bench.begin<float>("decodeSigns", {count});
    const Messages messages(test, signFloats(count), test.random<float>(count),
                            [](float *message, std::vector<float> &residual, std::int64_t) {
                                kernels::encodeSigns(message, residual.data(), std::ssize(residual));
                            });
    std::vector<float> expected(size(count));
    kernels::decodeSigns(expected.data(), messages.onHost, count);
    float *sum = test.space<float>(count);
    test.compareBits(
        sum, expected, [&] { return decodeSigns(test.stream(), sum, messages.onGpu, count); }, [] {});
}

void runGreatest(Bench &bench, std::int64_t count, std::int64_t chosen)
{
    {
        Case test = bench.begin<float>("encodeGreatest", {count, chosen});
        auto before = test.random<float>(count);
        for (std::size_t i = 0; i < before.size(); i += 3)
            before[i] = std::round(4 * before[i]) / 4; // several of one size
        auto residual = before;
        std::vector<float> message(size(2 * chosen));
        kernels::encodeGreatest(message.data(), residual.data(), count, chosen);
        float *values = test.put(before), *out = test.space<float>(2 * chosen);
        std::int64_t *scratch = test.space<std::int64_t>(greatestScratch(count));
        test.compareBits(
            out, message, [&] { return encodeGreatest(test.stream(), out, values, count, chosen, scratch); },
            [&] { test.restore(values, before); });
    }
    Case test = bench.begin<float>("decodeGreatest", {count, chosen});
    const Messages messages(
        test, 2 * chosen, test.random<float>(count),
        [](float *message, std::vector<float> &residual, std::int64_t k) {
            kernels::encodeGreatest(message, residual.data(), std::ssize(residual), k);
        },
        chosen);
    std::vector<float> expected(size(count));
    kernels::decodeGreatest(expected.data(), messages.onHost, count, chosen);
    float *sum = test.space<float>(count);
    test.compareBits(
        sum, expected, [&] { return decodeGreatest(test.stream(), sum, messages.onGpu, count, chosen); }, [] {});
}

void runLowRank(Bench &bench, const LowRank &shape)
{
    {
        Case test = bench.begin<float>("orthonormalise", {shape.rows, shape.rank});
        const auto before = test.random<float>(shape.rows * shape.rank);
        auto expected = before;
        kernels::orthonormalise(expected.data(), shape);
        float *left = test.put(before);
        test.compare(
            left, expected, [&] { return orthonormalise(test.stream(), left, shape); }, [&] { test.restore(left, before); },
            1e-6);
    }
    for (const bool isResidual : {false, true}) {
        Case test = bench.begin<float>(isResidual ? "decodeLowRank, residual" : "decodeLowRank",
                                       {shape.rows, shape.columns, shape.rank});
        const auto left = test.random<float>(shape.rows * shape.rank), right = test.random<float>(shape.columns * shape.rank);
        const auto before = test.random<float>(shape.count());
        std::vector<float> sum(size(shape.count())), state(right.size());
        auto residual = before, divided = right;
        kernels::decodeLowRank(sum.data(), residual.data(), state.data(), left.data(), divided.data(), shape, 3);
        float *out = test.space<float>(shape.count()), *rest = test.put(before), *kept = test.put(state);
        const float *p = test.put(left);
        float *q = test.put(right);
        test.compareBits(
            isResidual ? rest : out, isResidual ? residual : sum,
            [&] { return decodeLowRank(test.stream(), out, rest, kept, p, q, shape, 3); },
            [&] {
                test.restore(rest, before);
                test.restore(q, right);
            });
    }
}

} // namespace

void runCompression(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    runSigns(bench, 1003);
    runSigns(bench, isLarge ? std::int64_t{1} << 24 : 9000);
    runGreatest(bench, 1003, 10);
    runGreatest(bench, isLarge ? std::int64_t{1} << 24 : 9000, isLarge ? 100'000 : 4000);
    runLowRank(bench, {37, 21, 3});
    runLowRank(bench, {isLarge ? 4096 : 600, isLarge ? 4096 : 40, 4});
}

} // namespace stagelens::kernels::gpu::selftest
