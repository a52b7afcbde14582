// The GPU's 8-bit Adam and Adafactor, on fibres, against the kernels of the processor: equal bits where the order of operations
// is the same, and sums within roundings of double.
#include "kernels/include/adafactor.h"
#include "kernels/include/adam8bit.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <bit>

namespace unit_kernels_cuda_optimizers {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

/// A matrix whose arrays begin `shift` elements after an address that suits wide loads.
struct CodedMatrix {
    CodedMatrix(std::int64_t ofRows, std::int64_t ofColumns, std::size_t by)
        : rows(ofRows), columns(ofColumns), shift(by), values(randomValues(count() + shift, 1)), gradient(count() + shift),
          first(count() + shift, 127), second(count() + shift, 0), firstScales(blocks()), secondScales(blocks())
    {}
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(rows * columns); }
    [[nodiscard]] std::size_t blocks() const { return static_cast<std::size_t>(rows * blocksOfRow(columns)); }
    [[nodiscard]] CodedMoments moments()
    {
        return {first.data() + shift, firstScales.data(), second.data() + shift, secondScales.data()};
    }
    std::int64_t rows;
    std::int64_t columns;
    std::size_t shift;
    std::vector<float> values, gradient;
    std::vector<std::uint8_t> first, second;
    std::vector<float> firstScales, secondScales;
    friend bool operator==(const CodedMatrix &, const CodedMatrix &) = default;
};

AdamW stepSettings(int step)
{
    AdamW settings{0.01F, 0.9F, 0.95F, 1e-8F, 0.1F, 0.5F, 0, 0};
    settings.correction1 = static_cast<float>(1 - std::pow(0.9, step));
    settings.correction2 = static_cast<float>(1 - std::pow(0.95, step));
    return settings;
}

/// A matrix with the means that Adafactor keeps.
struct FactoredMatrix {
    FactoredMatrix(std::int64_t ofRows, std::int64_t ofColumns)
        : rows(ofRows), columns(ofColumns), values(randomValues(count(), 1)), gradient(count()),
          rowMeans(static_cast<std::size_t>(rows)), columnMeans(static_cast<std::size_t>(columns))
    {}
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(rows * columns); }
    /// Rows from `first` on.
    [[nodiscard]] AdafactorRows part(std::int64_t first, std::int64_t ofRows, std::vector<float> &means)
    {
        return {values.data() + first * columns,
                gradient.data() + first * columns,
                rowMeans.data() + first,
                means.data(),
                ofRows,
                columns,
                rows};
    }
    [[nodiscard]] AdafactorRows whole() { return part(0, rows, columnMeans); }
    std::int64_t rows;
    std::int64_t columns;
    std::vector<float> values, gradient, rowMeans, columnMeans;
    friend bool operator==(const FactoredMatrix &, const FactoredMatrix &) = default;
};

Adafactor factorSettings(int step, bool scales)
{
    return {0.02F, static_cast<float>(1 - std::pow(step, -0.8)), 1e-30F, 1e-3F, 0.1F, 0.5F, scales};
}

/// Returns the sums and then the means of the rows, which stay as they are.
std::vector<double> sumsOf(const AdafactorRows &part, const Adafactor &settings)
{
    return sameBitsInEveryOrder<double>([&] {
        const std::vector<float> means(part.rowMeans, part.rowMeans + part.rows);
        std::vector<double> sums(static_cast<std::size_t>(adafactorSums(part.columns)));
        std::vector<double> scratch(static_cast<std::size_t>(gpu::adafactorScratch(part.rows, part.columns)));
        if (!went(gpu::adafactorSums(kStream, sums.data(), part, settings, scratch.data())))
            return std::vector<double>{};
        sums.insert(sums.end(), part.rowMeans, part.rowMeans + part.rows);
        std::ranges::copy(means, part.rowMeans); // for the next order
        return sums;
    });
}

void compareSums(const std::vector<double> &sums, const std::vector<double> &expected)
{
    QVERIFY(sums.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(std::abs(sums[i] - expected[i]) <= 1e-13 * std::abs(expected[i]), qPrintable(QString::number(i)));
}

std::int64_t ulps(float one, float other)
{
    const auto ordered = [](float value) {
        const auto bits = std::bit_cast<std::int32_t>(value);
        return bits < 0 ? std::int64_t{INT32_MIN} - bits : std::int64_t{bits};
    };
    return std::abs(ordered(one) - ordered(other));
}

} // namespace

class KernelsCudaOptimizers : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void adam8bitHasTheBitsOfTheProcessor_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("shift");
        const auto row = [](int rows, int columns, int shift) {
            QTest::addRow("%d x %d, %d", rows, columns, shift) << rows << columns << shift;
        };
        row(3, 37, 0);
        row(2, 2048, 0);
        row(2, 2048, 1);
        row(3, 5000, 0); // the last block of a row is shorter
        row(9, 4, 0);    // several blocks of codes for a block of threads
        row(1, 1, 0);
        row(0, 16, 0);
    }
    void adam8bitHasTheBitsOfTheProcessor()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(int, shift);
        CodedMatrix onGpu(rows, columns, static_cast<std::size_t>(shift));
        CodedMatrix onProcessor = onGpu;
        for (int step = 1; step <= 4; ++step) {
            std::vector<float> gradient = randomValues(onGpu.gradient.size(), 10 + static_cast<std::uint64_t>(step));
            for (std::size_t i = 0; i < gradient.size(); ++i)
                gradient[i] *= i % 3 == 0 ? 1e-4F : i % 50 == 1 ? 0.0F : 1.0F;
            onGpu.gradient = onProcessor.gradient = gradient;
            gpu::host::setSeed(static_cast<std::uint64_t>(step));
            QVERIFY(went(gpu::adam8bitStep(kStream, onGpu.values.data() + shift, onGpu.gradient.data() + shift, onGpu.moments(),
                                           rows, columns, stepSettings(step))));
            adam8bitStep(onProcessor.values.data() + shift, onProcessor.gradient.data() + shift, onProcessor.moments(), rows,
                         columns, stepSettings(step));
            QVERIFY(onGpu == onProcessor);
        }
        if (rows > 1 && columns > 1)
            QVERIFY(std::ranges::count(onGpu.first, onGpu.first.back()) < std::ssize(onGpu.first));
    }

    /// NaN and infinity are encoded as on the processor.
    void adam8bitOfNumbersThatAreNotFinite()
    {
        CodedMatrix onGpu(3, 8, 0);
        onGpu.gradient = randomValues(24, 3);
        onGpu.gradient[2] = kNaN;
        onGpu.gradient[9] = kInfinity;
        CodedMatrix onProcessor = onGpu;
        QVERIFY(went(
            gpu::adam8bitStep(kStream, onGpu.values.data(), onGpu.gradient.data(), onGpu.moments(), 3, 8, stepSettings(1))));
        adam8bitStep(onProcessor.values.data(), onProcessor.gradient.data(), onProcessor.moments(), 3, 8, stepSettings(1));
        QCOMPARE(onGpu.first, onProcessor.first);
        QCOMPARE(onGpu.second, onProcessor.second);
        QCOMPARE(onGpu.firstScales, onProcessor.firstScales);
    }

    void adafactorSumsAreThoseOfTheProcessor_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (const auto &[rows, columns] :
             {std::pair{4, 3}, std::pair{97, 37}, std::pair{600, 8}, std::pair{33, 264}, std::pair{1, 1}, std::pair{5, 1100}})
            QTest::addRow("%d x %d", rows, columns) << rows << columns;
    }
    /// Values differ by a unit in the last place at most, from the same sums and from the processor's own.
    void adafactorSumsAreThoseOfTheProcessor()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        FactoredMatrix onGpu(rows, columns);
        FactoredMatrix onProcessor = onGpu;
        for (int step = 1; step <= 3; ++step) {
            const Adafactor settings = factorSettings(step, step == 2);
            onGpu.gradient = onProcessor.gradient =
                randomValues(onGpu.count(), 20 + static_cast<std::uint64_t>(step), step == 3 ? 1e-3 : 1);
            std::vector<double> found = sumsOf(onGpu.whole(), settings);
            std::vector<double> expected(static_cast<std::size_t>(adafactorSums(columns)));
            adafactorSums(expected.data(), onProcessor.whole(), settings);
            compareSums(found, expected);
            for (std::size_t i = 0; i < onGpu.rowMeans.size(); ++i) {
                onGpu.rowMeans[i] = static_cast<float>(found[expected.size() + i]);
                QVERIFY(ulps(onGpu.rowMeans[i], onProcessor.rowMeans[i]) <= 1);
            }
            found.resize(expected.size());
            FactoredMatrix same = onGpu;
            std::vector<double> sums = found;
            adafactorStep(same.whole(), sums.data(), settings);
            QVERIFY(went(gpu::adafactorStep(kStream, onGpu.whole(), found.data(), settings)));
            QCOMPARE(onGpu.columnMeans, same.columnMeans);
            QCOMPARE(std::count(onGpu.gradient.begin(), onGpu.gradient.end(), 0.0F), std::ssize(onGpu.gradient));
            for (std::size_t i = 0; i < onGpu.count(); ++i)
                QVERIFY(ulps(onGpu.values[i], same.values[i]) <= 1);
            adafactorStep(onProcessor.whole(), expected.data(), settings);
            for (std::size_t i = 0; i < onGpu.count(); ++i)
                QVERIFY(ulps(onGpu.values[i], onProcessor.values[i]) <= 1);
            onGpu = onProcessor;
        }
    }

    /// Rows on two devices whose sums are added.
    void shardsUpdateAsTheWhole()
    {
        constexpr std::int64_t kRows = 53;
        constexpr std::int64_t kColumns = 40;
        FactoredMatrix whole(kRows, kColumns);
        whole.gradient = randomValues(whole.count(), 30);
        FactoredMatrix cut = whole;
        const Adafactor settings = factorSettings(1, true);
        std::vector<double> sums(static_cast<std::size_t>(adafactorSums(kColumns)));
        adafactorSums(sums.data(), whole.whole(), settings);
        adafactorStep(whole.whole(), sums.data(), settings);
        std::vector<float> lower = cut.columnMeans;
        const std::array parts{cut.part(0, 20, cut.columnMeans), cut.part(20, kRows - 20, lower)};
        std::vector<double> all(sums.size());
        for (const AdafactorRows &part : parts) {
            std::vector<double> own(sums.size()), scratch(static_cast<std::size_t>(gpu::adafactorScratch(part.rows, kColumns)));
            QVERIFY(went(gpu::adafactorSums(kStream, own.data(), part, settings, scratch.data())));
            QVERIFY(went(gpu::addDoubles(kStream, all.data(), own.data(), std::ssize(own))));
        }
        for (const AdafactorRows &part : parts) {
            std::vector<double> own = all;
            QVERIFY(went(gpu::adafactorStep(kStream, part, own.data(), settings)));
        }
        for (std::size_t i = 0; i < whole.count(); ++i)
            QVERIFY(ulps(cut.values[i], whole.values[i]) <= 1);
        QCOMPARE(lower, cut.columnMeans);
    }

    void adafactorOfVectors()
    {
        for (const std::size_t count : {std::size_t{1}, std::size_t{37}, std::size_t{2000}}) {
            std::vector<float> values = randomValues(count, 1), moments(count);
            auto expected = values, second = moments;
            const auto all = static_cast<std::int64_t>(count);
            for (int step = 1; step <= 3; ++step) {
                const Adafactor settings = factorSettings(step, step != 2);
                std::vector<float> gradient = randomValues(count, 40 + static_cast<std::uint64_t>(step)), same = gradient;
                std::vector<double> sums(2), exact(2);
                QVERIFY(went(gpu::adafactorVectorSums(kStream, sums.data(), values.data(), gradient.data(), moments.data(), all,
                                                      settings)));
                adafactorVectorSums(exact.data(), expected.data(), same.data(), second.data(), all, settings);
                compareSums(sums, exact);
                QCOMPARE(moments, second);
                QVERIFY(went(gpu::adafactorVectorStep(kStream, values.data(), gradient.data(), moments.data(), all,
                                                      exact.data(), settings)));
                adafactorVectorStep(expected.data(), same.data(), second.data(), all, exact.data(), settings);
                QCOMPARE(values, expected);
                QCOMPARE(gradient, std::vector<float>(count));
            }
        }
    }
};

STAGELENS_TEST(KernelsCudaOptimizers)

} // namespace unit_kernels_cuda_optimizers

#include "kernels/cuda_optimizers.moc"
