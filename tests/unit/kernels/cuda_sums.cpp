// The GPU's sums, multiples and copies of arrays, rows and parts, on fibres: against plain loops in double, and against the
// bits of the CPU's kernels where the order of addition is the same.
#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <array>

namespace unit_kernels_cuda_sums {

using namespace stagelens::kernels;
using namespace stagelens::test;
using gpu::Parts;

namespace {

std::int64_t lengthOf(std::size_t count)
{
    return static_cast<std::int64_t>(count);
}

template <class T>
void checkElements(std::size_t count)
{
    const auto x = as<T>(randomValues(count, 1)), y = as<T>(randomValues(count, 2));
    const auto exactX = doublesOf(x), exactY = doublesOf(y);
    std::vector<double> sum(count), scaledSum(count), scaled(count);
    for (std::size_t i = 0; i < count; ++i) {
        sum[i] = exactX[i] + exactY[i];
        scaledSum[i] = exactX[i] - 0.3 * exactY[i];
        scaled[i] = 0.3 * exactX[i];
    }
    auto a = x, b = x, c = x, filled = x;
    QVERIFY(went(gpu::add<T>(kStream, a.data(), y.data(), lengthOf(count))));
    QVERIFY(went(gpu::addScaled<T>(kStream, b.data(), y.data(), -0.3F, lengthOf(count))));
    QVERIFY(went(gpu::scale<T>(kStream, c.data(), c.data(), 0.3F, lengthOf(count))));
    QVERIFY(went(gpu::fill<T>(kStream, filled.data(), 1.5F, lengthOf(count))));
    QVERIFY(isRight(a, sum));
    QVERIFY(isRight(b, scaledSum));
    QVERIFY(isRight(c, scaled));
    QCOMPARE(doublesOf(filled), std::vector<double>(count, 1.5));
}

template <class T>
void checkRows(std::int64_t rows, std::int64_t width)
{
    const auto w = static_cast<std::size_t>(width);
    const auto count = static_cast<std::size_t>(rows) * w;
    const auto in = as<T>(randomValues(count, 3)), bias = as<T>(randomValues(w, 4));
    auto plain = filledWith<T>(count, kNaN), onTop = plain;
    QVERIFY(went(gpu::fillRows<T>(kStream, plain.data(), bias.data(), nullptr, rows, width)));
    QVERIFY(went(gpu::fillRows<T>(kStream, onTop.data(), bias.data(), in.data(), rows, width)));
    const auto exact = doublesOf(in), exactBias = doublesOf(bias);
    std::vector<double> repeated(count), both(count), sums(w, 0.5);
    for (std::size_t i = 0; i < count; ++i) {
        repeated[i] = exactBias[i % w];
        both[i] = exact[i] + repeated[i];
        sums[i % w] += exact[i];
    }
    QCOMPARE(doublesOf(plain), repeated);
    QVERIFY(isRight(onTop, both));
    const auto columnSums = sameBitsInEveryOrder<float>([&] {
        std::vector<float> to(w, 0.5F), scratch(static_cast<std::size_t>(gpu::columnSumsScratch(rows, width)), kNaN);
        const Status status = gpu::addColumnSums<T>(kStream, to.data(), in.data(), rows, width, scratch.data());
        return went(status) ? to : std::vector<float>{};
    });
    QVERIFY(isRight(columnSums, sums));
}

/// Three parts of rows, the second of which begins where loads of 16 bytes cannot.
template <class T>
void checkParts(std::int64_t rows, std::int64_t width, std::size_t shift)
{
    const auto count = static_cast<std::size_t>(rows * width);
    const auto r = static_cast<std::size_t>(rows), w = static_cast<std::size_t>(width);
    std::array<std::vector<T>, 3> values;
    std::vector<double> sum(count), scaledSum(count);
    const auto factors = randomValues(3 * r, 8);
    Parts<T> parts;
    for (std::size_t part = 0; part < 3; ++part) {
        values[part] = as<T>(randomValues(count + shift, 5 + part));
        parts.at[parts.count++] = values[part].data() + (part == 1 ? shift : 0);
        for (std::size_t i = 0; i < count; ++i) {
            const auto x = static_cast<double>(toFloat(parts.at[part][i]));
            sum[i] += x;
            scaledSum[i] += static_cast<double>(factors[part * r + i / w]) * x;
        }
    }
    auto out = filledWith<T>(count, kNaN), scaled = out;
    QVERIFY(went(gpu::sumParts<T>(kStream, out.data(), parts, lengthOf(count))));
    QVERIFY(went(gpu::sumScaledParts<T>(kStream, scaled.data(), parts, factors.data(), rows, width)));
    QVERIFY(isRight(out, sum));
    QVERIFY(isRight(scaled, scaledSum));
    QVERIFY(went(gpu::sumParts<T>(kStream, values[0].data(), parts, lengthOf(count)))); // in the place of a part
    for (std::size_t i = 0; i < count; ++i)
        QCOMPARE(toFloat(values[0][i]), toFloat(out[i]));
}

template <class T>
void checkPositions(std::int64_t batch, std::int64_t sequence, std::int64_t width)
{
    const auto length = static_cast<std::size_t>(sequence * width);
    const auto count = static_cast<std::size_t>(batch) * length;
    auto rows = as<T>(randomValues(count, 9));
    const auto table = as<T>(randomValues(length, 10));
    const auto exact = doublesOf(rows), exactTable = doublesOf(table);
    std::vector<double> placed(count), gradient(length, 0.25);
    for (std::size_t i = 0; i < count; ++i) {
        placed[i] = exact[i] + exactTable[i % length];
        gradient[i % length] += exact[i];
    }
    std::vector<float> sums(length, 0.25F);
    QVERIFY(went(gpu::addPositionGradients<T>(kStream, sums.data(), rows.data(), batch, sequence, width)));
    QVERIFY(went(gpu::addPositions<T>(kStream, rows.data(), table.data(), batch, sequence, width)));
    QVERIFY(isRight(rows, placed));
    QVERIFY(isRight(sums, gradient));
}

/// The bits of the processor.
template <class T>
void checkConversion(const std::vector<float> &x)
{
    const auto expected = as<T>(x);
    std::vector<T> rounded(x.size());
    QVERIFY(went(gpu::convert<T>(kStream, rounded.data(), x.data(), lengthOf(x.size()))));
    for (std::size_t i = 0; i < x.size(); ++i)
        QCOMPARE(rounded[i].bits, expected[i].bits);
}

} // namespace

class KernelsCudaSums : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void elements_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {1, 1003, 9000})
            QTest::addRow("%d", count) << count;
    }
    void elements()
    {
        QFETCH(int, count);
        checkElements<float>(static_cast<std::size_t>(count));
        checkElements<Bf16>(static_cast<std::size_t>(count));
        checkElements<Fp16>(static_cast<std::size_t>(count));
    }

    void conversionsRoundToNearest()
    {
        for (const std::size_t count : {std::size_t{61}, std::size_t{4096}}) {
            auto x = randomValues(count, 11, 100.0);
            // Fp16: its largest number, the last that becomes it, the first that becomes infinity, and subnormals to half of
            // the smallest, which becomes 0.
            std::ranges::copy(std::array{65504.0F, std::nextafter(65520.0F, 0.0F), 65520.0F, -1e30F, kInfinity, 0x1.8p-20F,
                                         -0x1.8p-24F, 0x1p-25F, -0.0F},
                              x.begin());
            checkConversion<Bf16>(x);
            checkConversion<Fp16>(x);
            std::vector<float> copied(count);
            QVERIFY(went(gpu::convert<float>(kStream, copied.data(), x.data(), lengthOf(count))));
            QCOMPARE(copied, x);
        }
    }

    void rows_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        QTest::addRow("one") << 1 << 1;
        QTest::addRow("odd") << 7 << 37;
        QTest::addRow("wide") << 45 << 264; // more than one block of columns, runs of two rows
        QTest::addRow("long runs") << 700 << 8;
        QTest::addRow("none") << 0 << 16;
    }
    void rows()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        checkRows<float>(rows, width);
        checkRows<Bf16>(rows, width);
        checkRows<Fp16>(rows, width);
        if (rows == 0)
            return;
        checkParts<float>(rows, width, 0);
        checkParts<Bf16>(rows, width, 0);
        checkParts<Fp16>(rows, width, 0);
        checkParts<float>(rows, width, 1);
        checkParts<Bf16>(rows, width, 3);
        checkParts<Fp16>(rows, width, 3);
        checkPositions<float>(3, rows, width);
        checkPositions<Bf16>(3, rows, width);
        checkPositions<Fp16>(3, rows, width);
    }

    /// What the CPU's transport does with tensors of floats, one after the other.
    void partsHaveTheBitsOfTheCpu()
    {
        constexpr std::int64_t kRows = 5, kWidth = 12;
        std::vector<float> sum, scaled(60);
        const auto factors = randomValues(20, 12);
        std::vector<std::vector<float>> values;
        Parts<float> parts;
        for (std::uint64_t part = 0; part < 4; ++part)
            values.push_back(randomValues(60, 13 + part));
        for (std::size_t part = 0; part < 4; ++part) {
            parts.at[parts.count++] = values[part].data();
            if (part == 0)
                sum = values[0];
            else
                add(sum.data(), values[part].data(), 60);
            for (std::size_t row = 0; row < 5; ++row)
                (part == 0 ? scale : addScaled)(scaled.data() + row * 12, values[part].data() + row * 12,
                                                factors[part * 5 + row], kWidth);
        }
        std::vector<float> out(60), scaledOut(60);
        QVERIFY(went(gpu::sumParts<float>(kStream, out.data(), parts, 60)));
        QVERIFY(went(gpu::sumScaledParts<float>(kStream, scaledOut.data(), parts, factors.data(), kRows, kWidth)));
        QCOMPARE(out, sum);
        QCOMPARE(scaledOut, scaled);
        parts.count = gpu::kMostParts + 1;
        QVERIFY(gpu::sumParts<float>(kStream, out.data(), parts, 60).failed());
        parts.count = 0;
        QVERIFY(gpu::sumScaledParts<float>(kStream, out.data(), parts, factors.data(), kRows, kWidth).failed());
    }

    void squares_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {0, 1, 4097, 20'000})
            QTest::addRow("%d", count) << count;
    }
    void squares()
    {
        QFETCH(int, count);
        const auto values = randomValues(static_cast<std::size_t>(count), 17, 1e15); // squares that floats cannot hold
        double exact = 0;
        for (const float value : values)
            exact += static_cast<double>(value) * static_cast<double>(value);
        const auto sum = sameBitsInEveryOrder<double>([&] {
            std::vector<double> total(1, -1), scratch(static_cast<std::size_t>(gpu::squaresScratch(count)));
            return went(gpu::sumOfSquares(kStream, total.data(), values.data(), count, scratch.data())) ? total
                                                                                                        : std::vector<double>{};
        });
        QVERIFY(std::abs(sum[0] - exact) <= 1e-13 * exact);
    }
};

STAGELENS_TEST(KernelsCudaSums)

} // namespace unit_kernels_cuda_sums

#include "kernels/cuda_sums.moc"
