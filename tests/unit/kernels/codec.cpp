// Packed rows of numbers: golden roundings, the ends of the ranges, every length, and the error of random numbers.
#include "kernels/include/codec.h"
#include "engine/operators/sizes.h"
#include "kernels/include/instruction_set.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace unit_kernels_codec {

using namespace stagelens;
using kernels::Codec;
using kernels::E4m3;
using kernels::E5m2;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::array kCodecs{Codec::Bf16, Codec::E4m3, Codec::E5m2, Codec::Int8, Codec::E4m3ByPowers};

template <class Format>
float roundedValue(float value)
{
    return kernels::fromFp8(kernels::toFp8<Format>(value));
}

std::vector<float> packed(const std::vector<float> &values, std::int64_t rows, Codec codec)
{
    const std::int64_t columns = test::signedSize(values) / rows;
    // One more float, which must stay as it is.
    std::vector<float> to(static_cast<std::size_t>(kernels::packedFloats(codec, rows, columns)) + 1, -7.0F);
    kernels::pack(to.data(), values.data(), rows, columns, codec);
    if (to.back() != -7.0F)
        qFatal("packing writes beyond its end");
    to.pop_back();
    return to;
}

std::vector<float> unpacked(const std::vector<float> &from, std::int64_t rows, std::int64_t columns, Codec codec)
{
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    kernels::unpack(values.data(), from.data(), rows, columns, codec);
    return values;
}

std::vector<float> afterBoth(const std::vector<float> &values, std::int64_t rows, Codec codec)
{
    return unpacked(packed(values, rows, codec), rows, test::signedSize(values) / rows, codec);
}

/// The greatest error of a number, relative to the largest of its tile, of an exact codec.
double bound(Codec codec)
{
    switch (codec) {
    case Codec::Bf16: return 0x1p-8;
    case Codec::E4m3: return 0x1p-4;
    case Codec::E4m3ByPowers: return 0x1p-4;
    case Codec::E5m2: return 0x1p-3;
    case Codec::Int8: return 0.5 / 127;
    }
    return 0;
}

/// Every code except NaN is the nearest to itself; numbers in their order have codes in their order.
template <class Format>
void everyCodeSurvives()
{
    float before = -1;
    for (unsigned bits = 0; bits < 128; ++bits)
        for (const unsigned sign : {0U, 0x80U}) {
            const Format code{static_cast<std::uint8_t>(bits | sign)};
            const float value = kernels::fromFp8(code);
            if (std::isnan(value)) {
                QVERIFY(std::isnan(roundedValue<Format>(value)));
                continue;
            }
            QCOMPARE(kernels::toFp8<Format>(value).bits, code.bits);
            QCOMPARE(std::signbit(value), sign != 0);
            if (sign != 0)
                continue;
            QVERIFY(value > before);
            if (std::isfinite(value) && before >= 0) { // the middle goes to the even code, its neighbours to the nearer
                const float middle = (before + value) / 2;
                QCOMPARE(kernels::toFp8<Format>(middle).bits, static_cast<std::uint8_t>(bits % 2 == 0 ? bits : bits - 1));
                QCOMPARE(roundedValue<Format>(std::nextafter(middle, kInfinity)), value);
                QCOMPARE(roundedValue<Format>(std::nextafter(middle, 0.0F)), before);
            }
            before = value;
        }
}

} // namespace

class KernelsCodec : public QObject {
    Q_OBJECT

private slots:
    /// Numbers of a tile become multiples of its factor, a power of two, with the bits of e4m3.
    void tilesOf8Bits()
    {
        // 500 / 448 needs the factor 2, and 0.1 of it becomes 0.1015625 as in e4m3.
        std::vector<float> values{500, 0.2F, -3, 0};
        kernels::roundTiles(values.data(), 1, 4, {1, 128});
        QCOMPARE(values, (std::vector<float>{512, 0.203125F, -3, 0}));
        // Two rows with a factor each, and both in one tile of the factor 8, in which 2^-12 of it rounds to 0.
        const std::vector<float> two{448 * 8, 1, 0.001953125F, 448};
        std::vector<float> rows = two;
        kernels::roundTiles(rows.data(), 2, 2, {1, 128});
        QCOMPARE(rows, (std::vector<float>{3584, 1, 0.001953125F, 448}));
        std::vector<float> square = two;
        kernels::roundTiles(square.data(), 2, 2, {128, 128});
        QCOMPARE(square, (std::vector<float>{3584, 1, 0, 448}));
        std::vector<float> columns{1, 448 * 8, 0.001953125F, 448};
        kernels::roundTiles(columns.data(), 2, 2, {128, 1});
        QCOMPARE(columns, (std::vector<float>{1, 3584, 0.001953125F, 448}));
        // A tile of zeros stays, and what is not finite is NaN, without a change of the others.
        std::vector<float> odd{0, 0, kInfinity, 3, std::nanf(""), -1.5F};
        kernels::roundTiles(odd.data(), 3, 2, {1, 2});
        QCOMPARE(odd[0], 0.0F);
        QVERIFY(std::isnan(odd[2]) && std::isnan(odd[4]));
        QCOMPARE(odd[3], 3.0F);
        QCOMPARE(odd[5], -1.5F);
    }

    /// Every instruction set has the same bits; rounding twice is rounding once; the error is the one that tolerances count.
    void errorOfRoundedTiles()
    {
        constexpr std::int64_t kRows = 300;
        constexpr std::int64_t kColumns = 517;
        const std::vector<float> values = test::randomValues(std::size_t{kRows} * kColumns, 9);
        for (const kernels::TileShape &tile : {kernels::TileShape{1, 128}, {128, 1}, {128, 128}}) {
            std::vector<float> rounded = values;
            kernels::roundTiles(rounded.data(), kRows, kColumns, tile);
            std::vector<float> again = rounded;
            kernels::roundTiles(again.data(), kRows, kColumns, tile);
            QCOMPARE(again, rounded);
            double error = 0;
            double all = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                error += std::pow(rounded[i] - values[i], 2.0);
                all += std::pow(values[i], 2.0);
            }
            const double relative = std::sqrt(error / all);
            QVERIFY2(std::abs(relative - operators::kEightBitError) < 0.03e-2, qPrintable(QString::number(relative)));
            const kernels::InstructionSet before = kernels::instructionSet();
            for (const kernels::InstructionSet set : kernels::kInstructionSets) {
                if (!kernels::isAvailable(set))
                    continue;
                kernels::useInstructionSet(set);
                std::vector<float> same = values;
                kernels::roundTiles(same.data(), kRows, kColumns, tile);
                kernels::useInstructionSet(before);
                QCOMPARE(same, rounded);
            }
        }
    }

    void goldens()
    {
        QCOMPARE(roundedValue<E4m3>(0.1F), 0.1015625F);
        QCOMPARE(roundedValue<E5m2>(0.1F), 0.09375F);
        QCOMPARE(roundedValue<E4m3>(1.0F / 3), 0.34375F);
        QCOMPARE(roundedValue<E5m2>(1.0F / 3), 0.3125F);
        QCOMPARE(roundedValue<E4m3>(449), 448.0F);
        QCOMPARE(roundedValue<E4m3>(500), 448.0F);
        QCOMPARE(roundedValue<E5m2>(500), 512.0F);
        QCOMPARE(roundedValue<E4m3>(0x1p-10F), 0.0F); // a tie
        QCOMPARE(roundedValue<E5m2>(0x1p-10F), 0x1p-10F);
    }

    void endsOfTheRange()
    {
        QCOMPARE(roundedValue<E4m3>(0x1p-6F), 0x1p-6F); // the smallest normal
        QCOMPARE(roundedValue<E4m3>(0x1p-9F), 0x1p-9F); // the smallest subnormal
        QCOMPARE(roundedValue<E4m3>(0x1.000002p-10F), 0x1p-9F);
        QCOMPARE(roundedValue<E5m2>(0x1p-14F), 0x1p-14F);
        QCOMPARE(roundedValue<E5m2>(0x1p-16F), 0x1p-16F);
        QCOMPARE(roundedValue<E5m2>(0x1p-17F), 0.0F);
        QCOMPARE(roundedValue<E5m2>(57344), 57344.0F);
        QCOMPARE(roundedValue<E5m2>(-1e30F), -57344.0F);
        QCOMPARE(roundedValue<E4m3>(-1e30F), -448.0F);
        QCOMPARE(roundedValue<E5m2>(kInfinity), kInfinity);
        QCOMPARE(roundedValue<E5m2>(-kInfinity), -kInfinity);
        QVERIFY(std::isnan(roundedValue<E4m3>(kInfinity))); // it has no infinity
        QVERIFY(std::isnan(roundedValue<E4m3>(std::nanf(""))) && std::isnan(roundedValue<E5m2>(std::nanf(""))));
        QVERIFY(std::signbit(roundedValue<E4m3>(-0.0F)) && std::signbit(roundedValue<E5m2>(-0.0F)));
    }

    void keepsEveryCode()
    {
        everyCodeSurvives<E4m3>();
        everyCodeSurvives<E5m2>();
    }

    /// Rows of every length: nothing is written beyond the end, rows do not depend on each other, and errors are bounded by the
    /// largest number of a tile.
    void everyLength()
    {
        for (const Codec codec : kCodecs)
            for (std::int64_t columns = 1; columns <= 129; ++columns) {
                const std::vector<float> values = test::randomValues(static_cast<std::size_t>(3 * columns), 3);
                const std::vector<float> back = afterBoth(values, 3, codec);
                for (std::int64_t row = 0; row < 3; ++row) {
                    const auto begin = values.begin() + row * columns;
                    const std::vector<float> alone = afterBoth({begin, begin + columns}, 1, codec);
                    QVERIFY(std::equal(alone.begin(), alone.end(), back.begin() + row * columns));
                    for (std::int64_t i = 0; i < columns; ++i) {
                        const std::int64_t first = i / kernels::kCodecTile * kernels::kCodecTile;
                        float largest = 0;
                        for (std::int64_t j = first; j < std::min(first + kernels::kCodecTile, columns); ++j)
                            largest = std::max(largest, std::abs(begin[j]));
                        const auto at = static_cast<std::size_t>(row * columns + i);
                        QVERIFY(std::abs(back[at] - values[at]) <= 1.001 * bound(codec) * largest);
                    }
                }
            }
    }

    void countsBytes()
    {
        QCOMPARE(kernels::packedFloats(Codec::Bf16, 3, 5), std::int64_t{8});
        QCOMPARE(kernels::packedFloats(Codec::E4m3, 2, 128), std::int64_t{2 + 64});
        QCOMPARE(kernels::packedFloats(Codec::Int8, 2, 129), std::int64_t{4 + 65}); // a second tile of each row
        QCOMPARE(kernels::packedFloats(Codec::E5m2, 0, 128), std::int64_t{0});
    }

    void tilesOfZeros()
    {
        for (const Codec codec : kCodecs) {
            std::vector<float> values(256, 0.0F);
            for (const float each : afterBoth(values, 1, codec))
                QCOMPARE(each, 0.0F);
            values[200] = 1e-42F; // so small that its quotients would overflow
            for (const float each : afterBoth(values, 1, codec))
                QVERIFY(std::abs(each) <= 1e-37F);
        }
    }

    /// Numbers that are not finite stay visible, and do not disturb the others of their tile.
    void notFinite()
    {
        for (const Codec codec : kCodecs) {
            std::vector<float> values = test::randomValues(128, 5);
            const std::vector<float> before = afterBoth(values, 1, codec);
            values[3] = std::numeric_limits<float>::quiet_NaN();
            values[70] = -kInfinity;
            const std::vector<float> after = afterBoth(values, 1, codec);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (std::isfinite(values[i]))
                    QCOMPARE(after[i], before[i]);
            QVERIFY(std::isnan(after[3]));
            QVERIFY(codec == Codec::Bf16 || codec == Codec::E5m2 ? after[70] == -kInfinity : std::isnan(after[70]));
        }
    }

    /// With powers of two as factors a message has the numbers of products in 8 bits, which rounding again does not change.
    void factorsOfPowersRoundAsProductsDo()
    {
        for (const std::int64_t columns : {1, 24, 128, 200, 333}) {
            const std::vector<float> values = test::randomValues(static_cast<std::size_t>(3 * columns), 13, 50);
            std::vector<float> expected = values;
            kernels::roundTiles(expected.data(), 3, columns, {1, kernels::kCodecTile});
            const std::vector<float> back = afterBoth(values, 3, Codec::E4m3ByPowers);
            QVERIFY(back == expected);
            QVERIFY(afterBoth(back, 3, Codec::E4m3ByPowers) == back);
            QVERIFY(afterBoth(values, 3, Codec::E4m3) != back || columns == 1);
        }
    }

    /// Relative root mean square errors of N(0, 1), rounded as they are.
    void errorOfNumbersWithoutFactors()
    {
        const std::vector<float> values = test::randomValues(std::size_t{1} << 17U, 7);
        const auto errorOf = [&values](float (*round)(float)) {
            std::vector<float> back(values.size());
            std::ranges::transform(values, back.begin(), round);
            return test::error(back, test::doubles(values));
        };
        QVERIFY(std::abs(errorOf(roundedValue<E4m3>) / 2.65e-2 - 1) < 0.03);
        QVERIFY(std::abs(errorOf(roundedValue<E5m2>) / 5.3e-2 - 1) < 0.03);
    }

    /// The same in tiles of 128, in each range of numbers.
    void errorOfTiles()
    {
        for (const auto &[codec, expected] :
             {std::pair(Codec::Bf16, 1.66e-3), {Codec::E4m3, 2.57e-2}, {Codec::E5m2, 5.15e-2}, {Codec::Int8, 6.5e-3}})
            for (const double scale : {1.0, 1e-6, 1e4}) {
                const std::vector<float> values = test::randomValues(std::size_t{1} << 17U, 7, scale);
                const double error = test::error(afterBoth(values, 64, codec), test::doubles(values));
                QVERIFY2(std::abs(error / expected - 1) < 0.03, qPrintable(QString::number(error)));
            }
    }

    /// Numbers of 16 bits are packed like the floats that they are, and rounded after unpacking.
    void numbersOf16Bits()
    {
        const std::vector<float> values = test::randomValues(300, 9);
        const auto checkWith = [&values]<class T>(T /*type*/) {
            std::vector<T> narrow(values.size());
            std::vector<float> wide(values.size());
            kernels::convert(narrow.data(), values.data(), test::signedSize(values));
            kernels::convert(wide.data(), narrow.data(), test::signedSize(values));
            for (const Codec codec : kCodecs) {
                std::vector<float> to(static_cast<std::size_t>(kernels::packedFloats(codec, 2, 150)));
                kernels::pack(to.data(), narrow.data(), 2, 150, codec);
                QCOMPARE(std::memcmp(to.data(), packed(wide, 2, codec).data(), to.size() * sizeof(float)), 0);
                std::vector<T> back(values.size());
                kernels::unpack(back.data(), to.data(), 2, 150, codec);
                const std::vector<float> expected = unpacked(to, 2, 150, codec);
                for (std::size_t i = 0; i < back.size(); ++i)
                    QCOMPARE(back[i].bits, kernels::rounded<T>(expected[i]).bits);
            }
        };
        checkWith(kernels::Bf16{});
        checkWith(kernels::Fp16{});
    }

    void equalBitsOnEveryProcessor()
    {
        const kernels::InstructionSet before = kernels::instructionSet();
        const std::vector<float> values = test::randomValues(3 * std::size_t{333}, 11);
        for (const Codec codec : kCodecs) {
            const std::vector<float> to = packed(values, 3, codec);
            const std::vector<float> back = unpacked(to, 3, 333, codec);
            for (const kernels::InstructionSet set : kernels::kInstructionSets) {
                if (!kernels::isAvailable(set))
                    continue;
                kernels::useInstructionSet(set);
                QCOMPARE(std::memcmp(packed(values, 3, codec).data(), to.data(), to.size() * sizeof(float)), 0);
                QVERIFY(unpacked(to, 3, 333, codec) == back);
            }
            kernels::useInstructionSet(before);
        }
    }
};

STAGELENS_TEST(KernelsCodec)

} // namespace unit_kernels_codec

#include "kernels/codec.moc"
