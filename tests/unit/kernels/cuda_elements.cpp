// The GPU's GELU, SwiGLU, rotary positions and AdamW, on fibres, against plain loops in double.
#include "kernels/include/adamw.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/rotary.h"
#include "kernels/include/swiglu.h"
#include "tests/support/activations.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

namespace unit_kernels_cuda_elements {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

template <class T>
void checkActivation(const ActivationFunction &function, std::size_t count)
{
    auto values = randomValues(count, 1, 2.0);
    values[0] = 60.0F;
    values[count - 1] = -60.0F;
    const auto x = as<T>(values);
    const auto dy = as<T>(randomValues(count, 2));
    std::vector<double> expected, slopes;
    const auto exact = doublesOf(x);
    const auto gradient = doublesOf(dy);
    for (std::size_t i = 0; i < count; ++i) {
        expected.push_back(function.value(exact[i]));
        slopes.push_back(gradient[i] * function.slope(exact[i]));
    }
    auto y = filledWith<T>(count, kNaN);
    QVERIFY(
        went(gpu::activationForward<T>(kStream, function.activation, y.data(), x.data(), static_cast<std::int64_t>(count))));
    QVERIFY(isRight(y, expected));
    auto dx = dy;
    QVERIFY(
        went(gpu::activationBackward<T>(kStream, function.activation, dx.data(), x.data(), static_cast<std::int64_t>(count))));
    QVERIFY(isRight(dx, slopes));
}

template <class T>
void checkSwiglu(std::size_t count)
{
    auto values = randomValues(count, 3, 2.0);
    values[0] = 80.0F; // far from 0 the gate is open or shut
    values[count - 1] = -200.0F;
    const auto gate = as<T>(values);
    const auto up = as<T>(randomValues(count, 4));
    const auto dy = as<T>(randomValues(count, 5));
    const auto x = doublesOf(gate), factor = doublesOf(up), gradient = doublesOf(dy);
    std::vector<double> expected, gateGradient, upGradient;
    for (std::size_t i = 0; i < count; ++i) {
        const double sigmoid = 1 / (1 + std::exp(-x[i]));
        expected.push_back(x[i] * sigmoid * factor[i]);
        gateGradient.push_back(gradient[i] * factor[i] * (sigmoid + x[i] * sigmoid * (1 - sigmoid)));
        upGradient.push_back(gradient[i] * x[i] * sigmoid);
    }
    const auto all = static_cast<std::int64_t>(count);
    auto y = filledWith<T>(count, kNaN);
    QVERIFY(went(gpu::swigluForward<T>(kStream, y.data(), gate.data(), up.data(), all)));
    QVERIFY(isRight(y, expected));
    auto a = gate, b = up;
    QVERIFY(went(gpu::swigluBackward<T>(kStream, a.data(), b.data(), dy.data(), all)));
    QVERIFY(isRight(a, gateGradient));
    QVERIFY(isRight(b, upGradient));
}

template <class T>
void checkRotary(const RotaryShape &shape)
{
    const auto x = as<T>(randomValues(static_cast<std::size_t>(shape.rows * shape.stride), 6));
    std::vector<float> angles(static_cast<std::size_t>(shape.sequence * shape.size));
    rotaryAngles(angles.data(), shape.sequence, shape.size);
    for (const Turn turn : {Turn::Forwards, Turn::Backwards}) {
        std::vector<double> expected = doublesOf(x);
        const std::int64_t half = shape.size / 2;
        for (std::int64_t row = 0; row < shape.rows; ++row)
            for (std::int64_t head = 0; head < shape.heads; ++head)
                for (std::int64_t i = 0; i < half; ++i) {
                    const double angle = static_cast<double>(row % shape.sequence) *
                                         std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(shape.size)) *
                                         (turn == Turn::Forwards ? 1 : -1);
                    double &first = expected[static_cast<std::size_t>(row * shape.stride + head * shape.size + i)];
                    double &second = expected[static_cast<std::size_t>(row * shape.stride + head * shape.size + i + half)];
                    const double real = first * std::cos(angle) - second * std::sin(angle);
                    second = first * std::sin(angle) + second * std::cos(angle);
                    first = real;
                }
        auto y = x;
        QVERIFY(went(gpu::rotate<T>(kStream, y.data(), angles.data(), shape, turn)));
        QVERIFY(isRight(y, expected));
    }
}

/// T: of the rounded copy.
template <class T>
void checkAdamw(std::size_t all)
{
    std::vector<float> value = randomValues(all, 16), first(all), second(all);
    std::vector<T> copy(all);
    std::vector<double> v = doubles(value), m1(all), m2(all);
    for (int step = 1; step <= 3; ++step) {
        auto gradient = randomValues(all, 16 + static_cast<std::uint64_t>(step));
        AdamW settings{0.01F, 0.9F, 0.95F, 1e-8F, 0.1F, 0.5F, 0, 0};
        settings.correction1 = static_cast<float>(1 - std::pow(0.9, step));
        settings.correction2 = static_cast<float>(1 - std::pow(0.95, step));
        for (std::size_t i = 0; i < all; ++i) {
            const double g = 0.5 * static_cast<double>(gradient[i]);
            m1[i] = 0.9 * m1[i] + 0.1 * g;
            m2[i] = 0.95 * m2[i] + 0.05 * g * g;
            v[i] -= 0.01 * 0.1 * v[i];
            v[i] -= 0.01 * (m1[i] / (1 - std::pow(0.9, step))) / (std::sqrt(m2[i] / (1 - std::pow(0.95, step))) + 1e-8);
        }
        QVERIFY(went(gpu::adamwStep(kStream, value.data(), step == 2 ? nullptr : copy.data(), gradient.data(), first.data(),
                                    second.data(), settings, static_cast<std::int64_t>(all))));
        QCOMPARE(gradient, std::vector<float>(all, 0.0F));
    }
    QVERIFY(error(value, v) < 1e-6);
    for (std::size_t i = 0; i < all; ++i)
        QCOMPARE(copy[i].bits, rounded<T>(value[i]).bits);
}

} // namespace

class KernelsCudaElements : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void activations_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {2, 1003, 4096, 17000}) // 17000: several blocks, the last one not full
            QTest::addRow("%d", count) << count;
    }
    void activations()
    {
        QFETCH(int, count);
        for (const ActivationFunction &function : kActivationFunctions) {
            checkActivation<float>(function, static_cast<std::size_t>(count));
            checkActivation<Bf16>(function, static_cast<std::size_t>(count));
            checkActivation<Fp16>(function, static_cast<std::size_t>(count));
        }
        checkSwiglu<float>(static_cast<std::size_t>(count));
        checkSwiglu<Bf16>(static_cast<std::size_t>(count));
        checkSwiglu<Fp16>(static_cast<std::size_t>(count));
    }

    void unalignedArraysAreRightToo()
    {
        const auto x = as<Bf16>(randomValues(65, 7));
        std::vector<Bf16> whole(64), shifted(65);
        QVERIFY(went(gpu::activationForward<Bf16>(kStream, Activation::Gelu, whole.data(), x.data(), 64)));
        QVERIFY(went(gpu::activationForward<Bf16>(kStream, Activation::Gelu, shifted.data() + 1, x.data() + 1, 64)));
        for (std::size_t i = 1; i < 64; ++i)
            QCOMPARE(shifted[i].bits, whole[i].bits);
    }

    void rotaryPositions()
    {
        const RotaryShape odd{.rows = 14, .sequence = 7, .heads = 3, .size = 10, .stride = 41};
        const RotaryShape wide{.rows = 6, .sequence = 3, .heads = 5, .size = 64, .stride = 5 * 64 + 32};
        for (const RotaryShape &shape : {odd, wide}) {
            checkRotary<float>(shape);
            checkRotary<Bf16>(shape);
            checkRotary<Fp16>(shape);
        }
    }

    /// Of 1-bit Adam after its warm-up.
    void frozenAdamwFollowsItsDefinition_data() { adamwFollowsItsDefinition_data(); }
    void frozenAdamwFollowsItsDefinition()
    {
        QFETCH(int, count);
        const auto all = static_cast<std::size_t>(count);
        for (const bool isMomentum : {false, true}) {
            std::vector<float> value = randomValues(all, 3), first = randomValues(all, 4), second = randomValues(all, 5);
            for (float &each : second)
                each = 0.5F + each * each;
            auto gradient = randomValues(all, 6);
            const std::vector<float> before = second;
            std::vector<double> v = doubles(value), m1(all);
            std::vector<Bf16> rounded(all);
            AdamW settings{0.01F, 0.9F, 0.95F, 1e-8F, 0.1F, 0.5F, 0.19F, 0.0975F};
            settings.second = isMomentum ? AdamW::Second::FrozenWithMomentum : AdamW::Second::Frozen;
            for (std::size_t i = 0; i < all; ++i) {
                const auto g = static_cast<double>(gradient[i]);
                m1[i] = isMomentum ? g : 0.9 * static_cast<double>(first[i]) + 0.1 * 0.5 * g;
                v[i] -= 0.01 * 0.1 * v[i];
                v[i] -= 0.01 * (m1[i] / 0.19) / (std::sqrt(static_cast<double>(second[i]) / 0.0975) + 1e-8);
            }
            QVERIFY(went(gpu::adamwStep(kStream, value.data(), isMomentum ? rounded.data() : nullptr, gradient.data(),
                                        first.data(), second.data(), settings, count)));
            QCOMPARE(gradient, std::vector<float>(all, 0.0F));
            QCOMPARE(second, before);
            QVERIFY(error(first, m1) < 1e-6);
            QVERIFY(error(value, v) < 1e-6);
            for (std::size_t i = 0; isMomentum && i < all; ++i)
                QCOMPARE(rounded[i].bits, toBf16(value[i]).bits);
        }
    }

    void adamwFollowsItsDefinition_data()
    {
        QTest::addColumn<int>("count");
        QTest::addRow("odd") << 1003;
        QTest::addRow("wide") << 4096;
    }
    void adamwFollowsItsDefinition()
    {
        QFETCH(int, count);
        checkAdamw<Bf16>(static_cast<std::size_t>(count));
        checkAdamw<Fp16>(static_cast<std::size_t>(count));
    }
};

STAGELENS_TEST(KernelsCudaElements)

} // namespace unit_kernels_cuda_elements

#include "kernels/cuda_elements.moc"
