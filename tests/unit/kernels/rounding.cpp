// Numbers of 16 bits: golden roundings, ties, the ends of the ranges, and the error of random numbers.
#include "kernels/include/rounding.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace unit_kernels_rounding {

using namespace stagelens;

namespace {

using kernels::Bf16;
using kernels::Fp16;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
float roundedValue(float value)
{
    return kernels::toFloat(kernels::rounded<T>(value));
}

/// The nearest of all finite numbers of 16 bits by search, ties to even.
template <class T>
float nearest(float value)
{
    float best = 0;
    double least = std::numeric_limits<double>::infinity();
    unsigned evenness = 0;
    for (unsigned bits = 0; bits < 1U << 16U; ++bits) {
        const float candidate = kernels::toFloat(T{static_cast<std::uint16_t>(bits)});
        if (!std::isfinite(candidate) || std::signbit(candidate) != std::signbit(value))
            continue;
        const double distance = std::abs(static_cast<double>(candidate) - static_cast<double>(value));
        if (distance < least || (distance == least && evenness != 0 && bits % 2 == 0)) {
            least = distance;
            best = candidate;
            evenness = bits % 2;
        }
    }
    return best;
}

template <class T>
void everyNumberSurvives()
{
    for (unsigned bits = 0; bits < 1U << 16U; ++bits) {
        const T number{static_cast<std::uint16_t>(bits)};
        const float value = kernels::toFloat(number);
        if (std::isnan(value))
            QVERIFY(std::isnan(roundedValue<T>(value)));
        else
            QCOMPARE(kernels::rounded<T>(value).bits, number.bits);
    }
}

template <class T>
void isMonotonic()
{
    float before = -kInfinity;
    for (float value = -70000; value < 70000; value += 0.37F) {
        const float now = roundedValue<T>(value);
        QVERIFY(now >= before);
        before = now;
    }
}

/// Relative root mean square error of 2^17 normal numbers, converted as an array.
template <class T>
double errorOfNormals()
{
    const std::vector<float> values = test::randomValues(std::size_t{1} << 17U, 7);
    std::vector<T> narrow(values.size());
    std::vector<float> back(values.size());
    kernels::convert(narrow.data(), values.data(), test::signedSize(values));
    kernels::convert(back.data(), narrow.data(), test::signedSize(values));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (back[i] != roundedValue<T>(values[i]))
            return kInfinity; // arrays differ from single numbers
    return test::error(back, test::doubles(values));
}

} // namespace

class KernelsRounding : public QObject {
    Q_OBJECT

private slots:
    void goldens()
    {
        QCOMPARE(roundedValue<Bf16>(0.1F), 0.10009765625F);
        QCOMPARE(roundedValue<Fp16>(0.1F), 0.0999755859375F);
        QCOMPARE(roundedValue<Bf16>(1.0F / 3), 0.333984375F);
        QCOMPARE(roundedValue<Fp16>(1.0F / 3), 0.333251953125F);
        QCOMPARE(roundedValue<Bf16>(1 + 0x1p-8F), 1.0F); // a tie
        QCOMPARE(roundedValue<Bf16>(1 + 0x3p-8F), 1 + 0x1p-6F);
        QCOMPARE(roundedValue<Fp16>(1 + 0x1p-11F), 1.0F);
        QCOMPARE(roundedValue<Fp16>(1 + 0x3p-11F), 1 + 0x1p-9F);
        QCOMPARE(roundedValue<Bf16>(449), 448.0F);
        QCOMPARE(roundedValue<Fp16>(449), 449.0F);
    }

    void endsOfTheRange()
    {
        QCOMPARE(roundedValue<Fp16>(65504), 65504.0F);
        QCOMPARE(roundedValue<Fp16>(65519), 65504.0F);
        QCOMPARE(roundedValue<Fp16>(65520), kInfinity);
        QCOMPARE(roundedValue<Fp16>(-1e30F), -kInfinity);
        QCOMPARE(roundedValue<Fp16>(0x1p-14F), 0x1p-14F);         // the smallest normal
        QCOMPARE(roundedValue<Fp16>(0x1p-24F), 0x1p-24F);         // the smallest subnormal
        QCOMPARE(roundedValue<Fp16>(0x1p-25F), 0.0F);             // a tie
        QCOMPARE(roundedValue<Fp16>(0x1.000002p-25F), 0x1p-24F);  // above it
        QCOMPARE(roundedValue<Fp16>(0x1.ffffp-15F), 0x1p-14F);    // becomes normal
        QCOMPARE(roundedValue<Bf16>(0x1p-133F), 0x1p-133F);       // its smallest subnormal
        QCOMPARE(roundedValue<Bf16>(0x1.fep127F), 0x1.fep127F);   // its largest number
        QCOMPARE(roundedValue<Bf16>(0x1.fffffep127F), kInfinity); // the largest float
        QVERIFY(std::signbit(roundedValue<Fp16>(-0.0F)) && std::signbit(roundedValue<Bf16>(-0.0F)));
        for (const float nan : {std::numeric_limits<float>::quiet_NaN(), std::bit_cast<float>(0x7f800001U)})
            QVERIFY(std::isnan(roundedValue<Fp16>(nan)) && std::isnan(roundedValue<Bf16>(nan)));
        QVERIFY(std::isinf(roundedValue<Fp16>(kInfinity)) && std::isinf(roundedValue<Bf16>(kInfinity)));
    }

    void keepsEveryNumber()
    {
        everyNumberSurvives<Bf16>();
        everyNumberSurvives<Fp16>();
    }

    void findsTheNearest()
    {
        for (const float value : test::randomValues(40, 3)) {
            QCOMPARE(roundedValue<Fp16>(value), nearest<Fp16>(value));
            QCOMPARE(roundedValue<Bf16>(value), nearest<Bf16>(value));
            QCOMPARE(roundedValue<Fp16>(value * 1e-6F), nearest<Fp16>(value * 1e-6F));
        }
    }

    void keepsTheOrder()
    {
        isMonotonic<Bf16>();
        isMonotonic<Fp16>();
    }

    /// 1.66e-3 and 2.1e-4 of N(0, 1).
    void errorOfNormalNumbers()
    {
        QVERIFY(std::abs(errorOfNormals<Bf16>() - 1.66e-3) < 0.02e-3);
        QVERIFY(std::abs(errorOfNormals<Fp16>() - 2.1e-4) < 0.05e-4);
    }

    /// fp16 flushes 2.4 % of N(0, 1e-6) to zero and 99.7 % of N(0, 1e-8); scaled by 1024, 0.003 % of the former.
    void lossScalingSavesSmallGradients()
    {
        const std::vector<float> values = test::randomValues(std::size_t{1} << 18U, 5);
        const auto flushed = [&values](float scale) {
            return 100.0 *
                   static_cast<double>(
                       std::ranges::count_if(values, [scale](float value) { return roundedValue<Fp16>(value * scale) == 0; })) /
                   static_cast<double>(values.size());
        };
        QVERIFY(std::abs(flushed(1e-6F) - 2.4) < 0.2);
        QVERIFY(std::abs(flushed(1e-8F) - 99.7) < 0.1);
        QVERIFY(flushed(1024e-6F) < 0.01);
        QVERIFY(flushed(65536e-8F) < 0.02);
    }

    /// Small updates are lost in 16 bits, which is why the master weights are in fp32.
    void smallUpdatesStagnate()
    {
        float narrow = 1;
        float master = 1;
        for (int step = 0; step < 1000; ++step) {
            narrow = roundedValue<Bf16>(narrow + 0.001F);
            master += 0.001F;
        }
        QCOMPARE(narrow, 1.0F);
        QVERIFY(std::abs(master - 2.0F) < 1e-3F);
    }
};

STAGELENS_TEST(KernelsRounding)

} // namespace unit_kernels_rounding

#include "kernels/rounding.moc"
