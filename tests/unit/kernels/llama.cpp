// The kernels of the family llama against plain loops in double.
#include "kernels/include/rmsnorm.h"
#include "kernels/include/rotary.h"
#include "kernels/include/swiglu.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace unit_kernels_llama {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

std::vector<double> rmsNormOf(const std::vector<double> &x, const std::vector<float> &weight)
{
    std::vector<double> y(x.size());
    const std::size_t width = weight.size();
    for (std::size_t at = 0; at < x.size(); at += width) {
        double squares = 0;
        for (std::size_t i = 0; i < width; ++i)
            squares += x[at + i] * x[at + i] / static_cast<double>(width);
        for (std::size_t i = 0; i < width; ++i)
            y[at + i] = x[at + i] / std::sqrt(squares + 1e-6) * static_cast<double>(weight[i]);
    }
    return y;
}

/// The rotation as complex numbers: elements i and i + size / 2 of a head are one number, which its angle turns.
std::vector<double> rotaryOf(std::vector<double> x, const RotaryShape &shape)
{
    const std::int64_t half = shape.size / 2;
    for (std::int64_t row = 0; row < shape.rows; ++row)
        for (std::int64_t head = 0; head < shape.heads; ++head)
            for (std::int64_t i = 0; i < half; ++i) {
                const auto at = static_cast<std::size_t>(row * shape.stride + head * shape.size + i);
                const auto pair = at + static_cast<std::size_t>(half);
                const double angle = static_cast<double>(row % shape.sequence) *
                                     std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(shape.size));
                const double real = x[at] * std::cos(angle) - x[pair] * std::sin(angle);
                x[pair] = x[at] * std::sin(angle) + x[pair] * std::cos(angle);
                x[at] = real;
            }
    return x;
}

std::vector<double> swigluOf(const std::vector<double> &gateThenUp)
{
    const std::size_t count = gateThenUp.size() / 2;
    std::vector<double> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = gateThenUp[i] / (1 + std::exp(-gateThenUp[i])) * gateThenUp[count + i];
    return out;
}

} // namespace

class KernelsLlama : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() { addInstructionSets(); }
    void init() { useInstructionSetOfRow(); }

    void rmsNorm_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {1, 32, 37, 128}) // below, at and above the lanes of a sum
            QTest::addRow("%d", width) << width;
    }
    void rmsNorm()
    {
        QFETCH(int, width);
        const auto columns = static_cast<std::size_t>(width);
        const auto weight = randomValues(columns, 1);
        const auto x = randomValues(5 * columns, 2, 3.0);
        const auto dy = randomValues(5 * columns, 3);
        std::vector<float> y(x.size()), rstd(5), dWeight(columns, 1.0F), dx(x.size(), 0.5F);
        rmsNormForward(y.data(), rstd.data(), x.data(), weight.data(), 5, width);
        QVERIFY(error(y, rmsNormOf(doubles(x), weight)) < 1e-6);
        rmsNormBackward(dx.data(), dWeight.data(), dy.data(), x.data(), rstd.data(), weight.data(), 5, width);
        auto expected = numericGradient([&](const std::vector<double> &at) { return rmsNormOf(at, weight); }, doubles(x), dy);
        for (double &value : expected)
            value += 0.5; // gradients are added to what is there
        QVERIFY(error(dx, expected) < 1e-6);
        const auto unit = rmsNormOf(doubles(x), std::vector<float>(columns, 1.0F));
        std::vector<double> weightGradient(columns, 1.0);
        for (std::size_t i = 0; i < unit.size(); ++i)
            weightGradient[i % columns] += static_cast<double>(dy[i]) * unit[i];
        QVERIFY(error(dWeight, weightGradient) < 1e-6);
    }

    /// Rows of zeros stay finite.
    void rmsNormOfZeros()
    {
        const std::vector<float> x(8, 0.0F), weight(8, 1.0F), dy(8, 1.0F);
        std::vector<float> y(8), rstd(1), dx(8, 0.0F), dWeight(8, 0.0F);
        rmsNormForward(y.data(), rstd.data(), x.data(), weight.data(), 1, 8);
        rmsNormBackward(dx.data(), dWeight.data(), dy.data(), x.data(), rstd.data(), weight.data(), 1, 8);
        QCOMPARE(y, x);
        QVERIFY(std::abs(dx[0] - 1000.0F) < 0.01F); // 1 / sqrt(epsilon)
        QCOMPARE(dWeight, x);
    }

    void rotaryPositions()
    {
        // Two sequences of seven tokens; the last head of each row (values) is left alone.
        const RotaryShape shape{.rows = 14, .sequence = 7, .heads = 3, .size = 10, .stride = 40};
        const auto x = randomValues(14 * 40, 4);
        std::vector<float> angles(70);
        rotaryAngles(angles.data(), shape.sequence, shape.size);
        auto y = x;
        rotate(y.data(), angles.data(), shape, Turn::Forwards);
        QVERIFY(error(y, rotaryOf(doubles(x), shape)) < 1e-6);
        QVERIFY(std::equal(x.begin(), x.begin() + 40, y.begin())); // position 0 is not turned
        for (std::size_t i = 30; i < 40; ++i)
            QCOMPARE(y[13 * 40 + i], x[13 * 40 + i]);
        const auto dy = randomValues(x.size(), 5);
        auto dx = dy;
        rotate(dx.data(), angles.data(), shape, Turn::Backwards);
        QVERIFY(error(dx, numericGradient([&](const std::vector<double> &at) { return rotaryOf(at, shape); }, doubles(x), dy)) <
                1e-6);
    }

    /// Of Llama 3.1 (head of 128, theta 500000, factor 8, 1 and 4 turns in 8192 positions): pairs that turn often keep their
    /// speed, slow ones turn eight times slower, pair 32 lies between (values of transformers' LlamaRotaryEmbedding).
    void rotaryPositionsAreScaled()
    {
        constexpr std::int64_t kSize = 128;
        std::vector<float> plain(2 * kSize), scaled(2 * kSize);
        RotaryRule rule{500000.0, {}};
        rotaryAngles(plain.data(), 2, kSize, rule);
        rule.scaling = RotaryScaling{8, 1, 4, 8192};
        rotaryAngles(scaled.data(), 2, kSize, rule);
        const auto speedOf = [&](const std::vector<float> &angles, std::size_t pair) {
            return static_cast<double>(angles[kSize + kSize / 2 + pair]); // the sine of a small angle
        };
        for (const std::size_t pair : {0, 1, 10, 20, 28}) {
            QCOMPARE(scaled[kSize + pair], plain[kSize + pair]);
            QCOMPARE(speedOf(scaled, pair), speedOf(plain, pair));
        }
        for (const std::size_t pair : {36, 50, 63})
            QVERIFY(std::abs(speedOf(scaled, pair) / speedOf(plain, pair) - 1.0 / 8) < 1e-6);
        QVERIFY(std::abs(speedOf(plain, 32) - std::pow(500000.0, -0.5)) < 1e-9);
        QVERIFY(std::abs(speedOf(scaled, 32) - 0.000524846) < 1e-8);
    }

    /// Scores depend on the distance of two positions only: what rotary positions are for.
    void rotaryScoresAreRelative()
    {
        const RotaryShape shape{.rows = 40, .sequence = 40, .heads = 1, .size = 16, .stride = 16};
        std::vector<float> angles(640), q(640), k(640);
        rotaryAngles(angles.data(), shape.sequence, shape.size);
        const auto one = randomValues(16, 6);
        const auto other = randomValues(16, 7);
        for (std::size_t i = 0; i < q.size(); ++i) {
            q[i] = one[i % 16];
            k[i] = other[i % 16];
        }
        rotate(q.data(), angles.data(), shape, Turn::Forwards);
        rotate(k.data(), angles.data(), shape, Turn::Forwards);
        const auto score = [&](std::size_t i, std::size_t j) {
            double sum = 0;
            for (std::size_t d = 0; d < 16; ++d)
                sum += static_cast<double>(q[i * 16 + d]) * static_cast<double>(k[j * 16 + d]);
            return sum;
        };
        for (std::size_t i = 5; i < 40; ++i)
            QVERIFY(std::abs(score(i, i - 5) - score(5, 0)) < 1e-5);
        QVERIFY(std::abs(score(5, 0) - score(0, 5)) > 1e-3);
    }

    void swiglu()
    {
        auto both = randomValues(2 * 1003, 8, 2.0);
        both[0] = 60.0F; // far from 0 the gate is open or shut
        both[1] = -60.0F;
        both[2] = -200.0F;
        std::vector<float> out(1003);
        swigluForward(out.data(), both.data(), both.data() + 1003, 1003);
        QVERIFY(error(out, swigluOf(doubles(both))) < 1e-6);
        const auto dOut = randomValues(1003, 9);
        auto gradient = both;
        swigluBackward(gradient.data(), gradient.data() + 1003, dOut.data(), 1003);
        std::vector<double> expected(2006);
        for (std::size_t i = 0; i < 1003; ++i) {
            const double x = static_cast<double>(both[i]);
            const double sigmoid = 1 / (1 + std::exp(-x));
            const double dy = static_cast<double>(dOut[i]);
            expected[i] = dy * static_cast<double>(both[1003 + i]) * (sigmoid + x * sigmoid * (1 - sigmoid));
            expected[1003 + i] = dy * x * sigmoid;
        }
        QVERIFY(error(gradient, expected) < 1e-6);
    }
};

STAGELENS_TEST(KernelsLlama)

} // namespace unit_kernels_llama

#include "kernels/llama.moc"
