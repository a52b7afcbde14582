// The GPU's compression of gradients, on fibres, against the kernels of the processor.
#include "kernels/include/compression.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <algorithm>

namespace unit_kernels_cuda_compression {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

/// Returns the message and then the residual.
std::vector<float> greatestOf(const std::vector<float> &numbers, std::int64_t chosen)
{
    return sameBitsInEveryOrder<float>([&] {
        const std::int64_t count = signedSize(numbers);
        std::vector<float> residual = numbers;
        std::vector<float> message(static_cast<std::size_t>(2 * chosen), kNaN);
        std::vector<std::int64_t> scratch(static_cast<std::size_t>(gpu::greatestScratch(count)), -1);
        if (!went(gpu::encodeGreatest(kStream, message.data(), residual.data(), count, chosen, scratch.data())))
            return std::vector<float>{};
        message.insert(message.end(), residual.begin(), residual.end());
        return message;
    });
}

void checkGreatest(const std::vector<float> &numbers, std::int64_t chosen)
{
    std::vector<float> residual = numbers;
    std::vector<float> message(static_cast<std::size_t>(2 * chosen));
    encodeGreatest(message.data(), residual.data(), signedSize(numbers), chosen);
    const std::vector<float> found = greatestOf(numbers, chosen);
    message.insert(message.end(), residual.begin(), residual.end());
    QCOMPARE(found.size(), message.size());
    QVERIFY(std::memcmp(found.data(), message.data(), found.size() * sizeof(float)) == 0);
}

} // namespace

class KernelsCudaCompression : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void signsHaveTheBitsOfTheProcessor()
    {
        for (const std::size_t count : {1, 31, 32, 33, 1003, 9000}) {
            const std::vector<float> numbers = randomValues(count, count);
            const auto all = static_cast<std::int64_t>(count);
            std::vector<float> message(static_cast<std::size_t>(signFloats(all))), residual = numbers;
            std::vector<float> expected = message, rest = numbers;
            std::vector<double> scratch(static_cast<std::size_t>(gpu::signsScratch(all)));
            QVERIFY(went(gpu::encodeSigns(kStream, message.data(), residual.data(), all, scratch.data())));
            encodeSigns(expected.data(), rest.data(), all);
            QVERIFY(std::abs(message[0] - expected[0]) <= 2e-7F * expected[0]);
            QVERIFY(std::memcmp(message.data() + 1, expected.data() + 1, (message.size() - 1) * sizeof(float)) == 0);
            for (std::size_t i = 0; i < count; ++i)
                QVERIFY(std::abs(residual[i] - rest[i]) <= 1e-6F);
            const std::vector<float *> messages{message.data(), expected.data(), message.data()};
            gpu::Parts<float> parts;
            for (const float *each : messages)
                parts.at[parts.count++] = each;
            std::vector<float> sum(count, kNaN), same(count);
            QVERIFY(went(gpu::decodeSigns(kStream, sum.data(), parts, all)));
            decodeSigns(same.data(), messages, all);
            QCOMPARE(sum, same);
        }
    }

    /// Every bit, as the sums are not theirs; a part without numbers has a scale only.
    void signsOfAGivenScaleHaveTheBitsOfTheProcessor()
    {
        for (const std::size_t count : {0, 1, 32, 33, 9000}) {
            const auto all = static_cast<std::int64_t>(count);
            std::vector<float> rest = randomValues(count, count);
            const std::vector<float> numbers = rest;
            std::vector<float> expected(static_cast<std::size_t>(signFloats(all)));
            encodeSignsOf(0.75F, expected.data(), rest.data(), all);
            expected.insert(expected.end(), rest.begin(), rest.end());
            const std::vector<float> found = sameBitsInEveryOrder<float>([&] {
                std::vector<float> message(static_cast<std::size_t>(signFloats(all)), kNaN), residual = numbers;
                if (!went(gpu::encodeSignsOf(kStream, 0.75F, message.data(), residual.data(), all)))
                    return std::vector<float>{};
                message.insert(message.end(), residual.begin(), residual.end());
                return message;
            });
            QCOMPARE(found.size(), expected.size());
            QVERIFY(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0);
        }
    }

    /// Also of several equal numbers, the first of which are chosen, zeros, and numbers that are not finite.
    void greatestHaveTheBitsOfTheProcessor()
    {
        checkGreatest(randomValues(1003, 1), 10);
        checkGreatest(randomValues(20'000, 2), 700); // several blocks
        std::vector<float> numbers = randomValues(9000, 3);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = i % 2 == 0 ? 2.0F : std::round(numbers[i]);
        checkGreatest(numbers, 1);
        checkGreatest(numbers, 3000);
        checkGreatest(numbers, 8999);
        numbers[5000] = kNaN;
        numbers[17] = -kInfinity;
        checkGreatest(numbers, 2);
        checkGreatest(std::vector<float>(300), 40);
        checkGreatest({1.0F}, 1);
    }

    void sumsOfTheGreatest()
    {
        const std::vector<float> numbers = randomValues(500, 5);
        std::vector<std::vector<float>> messages;
        std::vector<float *> onHost;
        gpu::Parts<float> parts;
        for (int replica = 0; replica < 3; ++replica) {
            std::vector<float> residual = numbers;
            for (std::size_t i = 0; i < residual.size(); ++i)
                residual[i] *= (i + static_cast<std::size_t>(replica)) % 3 == 0 ? 2.0F : 1.0F;
            encodeGreatest(messages.emplace_back(100).data(), residual.data(), 500, 50);
        }
        for (std::vector<float> &each : messages) {
            onHost.push_back(each.data());
            parts.at[parts.count++] = each.data();
        }
        std::vector<float> sum(500, kNaN), expected(500);
        QVERIFY(went(gpu::decodeGreatest(kStream, sum.data(), parts, 500, 50)));
        decodeGreatest(expected.data(), onHost, 500, 50);
        QCOMPARE(sum, expected);
    }

    /// A column that depends on others becomes 0, and does not change the state.
    void lowRank()
    {
        const LowRank shape{70, 40, 3};
        std::vector<float> left = randomValues(70 * 3, 1);
        for (std::size_t i = 0; i < 70; ++i)
            left[3 * i + 2] = 2 * left[3 * i];
        std::vector<float> expected = left;
        QVERIFY(went(gpu::orthonormalise(kStream, left.data(), shape)));
        orthonormalise(expected.data(), shape);
        for (std::size_t i = 0; i < left.size(); ++i)
            QVERIFY(std::abs(left[i] - expected[i]) < 1e-6F);
        const std::vector<float> right = randomValues(40 * 3, 2);
        std::vector<float> sum(70 * 40, kNaN), residual = randomValues(70 * 40, 3), state(right.size(), 7);
        std::vector<float> same = sum, rest = residual, kept = state, divided = right, other = right;
        QVERIFY(went(
            gpu::decodeLowRank(kStream, sum.data(), residual.data(), state.data(), expected.data(), divided.data(), shape, 3)));
        decodeLowRank(same.data(), rest.data(), kept.data(), expected.data(), other.data(), shape, 3);
        QCOMPARE(sum, same);
        QCOMPARE(residual, rest);
        QCOMPARE(state, kept);
        QCOMPARE(divided, other);
        QCOMPARE(state[2], 7.0F);
        QVERIFY(state[1] != 7.0F);
    }
};

STAGELENS_TEST(KernelsCudaCompression)

} // namespace unit_kernels_cuda_compression

#include "kernels/cuda_compression.moc"
