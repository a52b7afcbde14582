// The CPU kernels against plain loops in double.
#include "kernels/include/adamw.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/matmul.h"
#include "kernels/include/sampled.h"
#include "kernels/include/softmax.h"
#include "tests/support/activations.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <vector>

namespace unit_kernels_cpu {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

struct Norms {
    std::int64_t rows = 5;
    std::int64_t width = 37;
    std::vector<float> weight = randomValues(37, 1);
    std::vector<float> bias = randomValues(37, 2);

    [[nodiscard]] std::vector<double> of(const std::vector<double> &x) const
    {
        std::vector<double> y(x.size());
        const auto w = static_cast<std::size_t>(width);
        for (std::size_t at = 0; at < x.size(); at += w) {
            double mean = 0;
            double variance = 0;
            for (std::size_t i = 0; i < w; ++i)
                mean += x[at + i] / static_cast<double>(w);
            for (std::size_t i = 0; i < w; ++i)
                variance += std::pow(x[at + i] - mean, 2) / static_cast<double>(w);
            for (std::size_t i = 0; i < w; ++i)
                y[at + i] = (x[at + i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(weight[i]) +
                            static_cast<double>(bias[i]);
        }
        return y;
    }
};

} // namespace

class KernelsCpu : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() { addInstructionSets(); }
    void init() { useInstructionSetOfRow(); }

    void exponentialsAreAccurate()
    {
        std::vector<float> in;
        for (double x = -87.3; x < 88.7; x += 0.00731)
            in.push_back(static_cast<float>(x));
        std::vector<float> out(in.size());
        exponentials(out.data(), in.data(), signedSize(in));
        for (std::size_t i = 0; i < in.size(); ++i) {
            const double exact = std::exp(static_cast<double>(in[i]));
            QVERIFY(std::abs(static_cast<double>(out[i]) - exact) <= 2.4e-7 * exact);
        }
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const std::vector<float> special{-kInfinity, kInfinity, std::nanf(""), 0.0F, -200.0F, 200.0F};
        exponentials(out.data(), special.data(), signedSize(special));
        QCOMPARE(out[0], 0.0F);
        QCOMPARE(out[1], kInfinity);
        QVERIFY(std::isnan(out[2]));
        QCOMPARE(out[3], 1.0F);
        QCOMPARE(out[4], 0.0F);
        QCOMPARE(out[5], kInfinity);
    }

    void products_data()
    {
        QTest::addColumn<bool>("aTransposed");
        QTest::addColumn<bool>("bTransposed");
        for (const bool a : {false, true})
            for (const bool b : {false, true})
                QTest::addRow("%d%d", a, b) << a << b;
    }
    void products()
    {
        QFETCH(bool, aTransposed);
        QFETCH(bool, bTransposed);
        constexpr std::int64_t m = 19, n = 23, k = 31;
        const auto a = randomValues(m * k, 3);
        const auto b = randomValues(k * n, 4);
        auto c = randomValues(m * n, 5);
        std::vector<double> expected(m * n);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = 0.5 * static_cast<double>(c[static_cast<std::size_t>(i * n + j)]);
                for (std::int64_t l = 0; l < k; ++l)
                    sum += 2.0 * static_cast<double>(a[static_cast<std::size_t>(aTransposed ? l * m + i : i * k + l)]) *
                           static_cast<double>(b[static_cast<std::size_t>(bTransposed ? j * k + l : l * n + j)]);
                expected[static_cast<std::size_t>(i * n + j)] = sum;
            }
        multiply({.rows = m,
                  .columns = n,
                  .inner = k,
                  .a = {a.data(), aTransposed ? m : k, aTransposed ? Form::Transposed : Form::Plain},
                  .b = {b.data(), bTransposed ? k : n, bTransposed ? Form::Transposed : Form::Plain},
                  .c = c.data(),
                  .stride = n,
                  .alpha = 2,
                  .beta = 0.5F});
        QVERIFY(error(c, expected) < 1e-6);
    }

    void largeProductsComeInBlocks()
    {
        // 2 * 700 * 1500 * 1000 FLOPs: more than one block. The interrupt is asked before each of them.
        constexpr std::int64_t m = 700, n = 1500, k = 1000;
        const auto a = randomValues(m * k, 6);
        const auto b = randomValues(n * k, 7);
        std::vector<float> c(m * n, -1.0F);
        struct Count {
            int asked = 0;
            int allowed = 1000;
        } count;
        const Interrupt interrupt{[](const void *context) {
                                      auto *state = const_cast<Count *>(static_cast<const Count *>(context));
                                      return ++state->asked > state->allowed;
                                  },
                                  &count};
        const Product product{.rows = m,
                              .columns = n,
                              .inner = k,
                              .a = {a.data(), k},
                              .b = {b.data(), k, Form::Transposed},
                              .c = c.data(),
                              .stride = n};
        multiply(product, interrupt);
        QVERIFY(count.asked >= 2);
        for (const std::int64_t i : {std::int64_t{0}, m / 2, m - 1})
            for (const std::int64_t j : {std::int64_t{0}, n / 2, n - 1}) {
                double sum = 0;
                for (std::int64_t l = 0; l < k; ++l)
                    sum += static_cast<double>(a[static_cast<std::size_t>(i * k + l)]) *
                           static_cast<double>(b[static_cast<std::size_t>(j * k + l)]);
                QVERIFY(std::abs(static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) - sum) < 1e-3);
            }
        std::vector<float> untouched(m * n, -1.0F);
        Product stopped = product;
        stopped.c = untouched.data();
        count = {0, 1};
        multiply(stopped, interrupt);
        QCOMPARE(count.asked, 2);
        QCOMPARE(untouched.back(), -1.0F);
        QVERIFY(untouched.front() != -1.0F);
    }

    void emptyProductsClear()
    {
        std::vector<float> c(6, std::nanf(""));
        multiply({.rows = 2, .columns = 3, .inner = 0, .a = {}, .b = {}, .c = c.data(), .stride = 3});
        QCOMPARE(c, std::vector<float>(6, 0.0F));
    }

    void layerNorm()
    {
        const Norms norms;
        const auto x = randomValues(5 * 37, 8, 3.0);
        const auto dy = randomValues(5 * 37, 9);
        std::vector<float> y(x.size());
        std::vector<float> mean(5), rstd(5), dWeight(37, 1.0F), dBias(37, 2.0F);
        std::vector<float> dx(x.size(), 0.5F);
        layerNormForward(y.data(), mean.data(), rstd.data(), x.data(), norms.weight.data(), norms.bias.data(), 5, 37);
        QVERIFY(error(y, norms.of(doubles(x))) < 1e-6);
        layerNormBackward(dx.data(), dWeight.data(), dBias.data(), dy.data(), x.data(), mean.data(), rstd.data(),
                          norms.weight.data(), 5, 37);
        auto expected = numericGradient([&](const std::vector<double> &at) { return norms.of(at); }, doubles(x), dy);
        for (double &value : expected)
            value += 0.5; // gradients are added to what is there
        QVERIFY(error(dx, expected) < 1e-6);
        for (std::size_t i = 0; i < 37; ++i) {
            double weight = 1;
            double bias = 2;
            for (std::size_t row = 0; row < 5; ++row) {
                const std::size_t at = row * 37 + i;
                weight += static_cast<double>(dy[at] * (x[at] - mean[row]) * rstd[row]);
                bias += static_cast<double>(dy[at]);
            }
            QVERIFY(std::abs(static_cast<double>(dWeight[i]) - weight) < 1e-5);
            QVERIFY(std::abs(static_cast<double>(dBias[i]) - bias) < 1e-5);
        }
    }

    void activations()
    {
        auto x = randomValues(1003, 10, 2.0);
        x[0] = 60.0F;
        x[1] = -60.0F;
        for (const ActivationFunction &function : kActivationFunctions) {
            std::vector<float> y(x.size());
            activationForward(function.activation, y.data(), x.data(), signedSize(x));
            std::vector<float> slope(x.size(), 1.0F);
            activationBackward(function.activation, slope.data(), x.data(), signedSize(x));
            std::vector<double> expected, expectedSlope;
            for (const float value : x) {
                expected.push_back(function.value(static_cast<double>(value)));
                expectedSlope.push_back(function.slope(static_cast<double>(value)));
            }
            QVERIFY2(error(y, expected) < 1e-6, name(function.activation));
            QVERIFY2(error(slope, expectedSlope) < 1e-6, name(function.activation));
        }
    }

    void softmaxParts()
    {
        constexpr std::int64_t rows = 6, columns = 77, first = 100;
        auto logits = randomValues(rows * columns, 14, 4.0);
        const auto original = logits;
        const std::vector<std::int32_t> labels{100, 176, 99, 177, 140, 0};
        const LogitShard shard{logits.data(), rows, columns, first};
        std::vector<float> maximum(rows), target(rows), sum(rows);
        rowMaxima(maximum.data(), target.data(), shard, labels.data());
        QCOMPARE(logits, original);
        exponentiate(sum.data(), maximum.data(), shard);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto begin = original.begin() + static_cast<std::ptrdiff_t>(row) * columns;
            QCOMPARE(maximum[row], *std::max_element(begin, begin + columns));
            const std::int64_t column = labels[row] - first;
            QCOMPARE(target[row], column >= 0 && column < columns ? *(begin + column) : 0.0F);
            double exact = 0;
            for (auto value = begin; value != begin + columns; ++value)
                exact += std::exp(static_cast<double>(*value) - static_cast<double>(maximum[row]));
            QVERIFY(std::abs(static_cast<double>(sum[row]) - exact) < 1e-6 * exact);
        }
        auto again = original;
        std::vector<float> maximum2(rows), target2(rows), sum2(rows);
        localSoftmax(maximum2.data(), sum2.data(), target2.data(), {again.data(), rows, columns, first}, labels.data());
        QCOMPARE(again, logits);
        QCOMPARE(maximum2, maximum);
        QCOMPARE(target2, target);
        QCOMPARE(sum2, sum);

        const LogitShard empty{nullptr, rows, 0, first};
        rowMaxima(maximum.data(), target.data(), empty, labels.data());
        exponentiate(sum.data(), maximum.data(), empty);
        QCOMPARE(maximum.front(), -std::numeric_limits<float>::infinity());
        QCOMPARE(sum.front(), 0.0F);
        localSoftmax(maximum2.data(), sum2.data(), target2.data(), empty, labels.data());
        QCOMPARE(maximum2, maximum);
        QCOMPARE(sum2, sum);
    }

    /// Two drawn words and the label of each of three tokens: a word that is another, the label itself, a label of another
    /// shard.
    void correctedSample()
    {
        const std::vector<float> table{1, 2, 3, 4, 5, 6}; // words 10 to 12
        const std::vector<float> rows{1, 1, 2, 0, 0, 3};
        const std::vector<std::int32_t> words{10, 12}, labels{11, 12, 13};
        const std::vector<float> logCounts{-1, -2}, ofLabels{-0.5, -2, -3};
        std::vector<float> logits{3, 11, 9, 2, 10, 9, 6, 18, 9};
        correctSample(logits.data(), {words.data(), logCounts.data(), 2},
                      {rows.data(), labels.data(), ofLabels.data(), 3, table.data(), {10, 3, 2}});
        QCOMPARE(logits, (std::vector<float>{4, 13, 7.5, 3, kNoLogit, 12, 7, 20, kNoLogit}));
    }

    void embeddingRows()
    {
        const auto table = randomValues(4 * 3, 15);
        const std::vector<std::int32_t> ids{9, 10, 13, 14, 10};
        std::vector<float> out(15, 9.0F);
        gatherRows(out.data(), table.data(), {10, 4, 3}, ids.data(), 5);
        QCOMPARE(out[0], 0.0F);
        QCOMPARE(out[3], table[0]);
        QCOMPARE(out[8], table[11]);
        QCOMPARE(out[9], 0.0F);
        std::vector<float> gradient(12, 0.0F);
        const std::vector<float> in(15, 1.0F);
        scatterAddRows(gradient.data(), {10, 4, 3}, ids.data(), in.data(), 0.5F, 5);
        QCOMPARE(gradient, (std::vector<float>{1, 1, 1, 0, 0, 0, 0, 0, 0, 0.5F, 0.5F, 0.5F}));
    }

    void adamwFollowsItsDefinition()
    {
        std::vector<float> value = randomValues(101, 16), first(101), second(101);
        std::vector<double> v = doubles(value), m1(101), m2(101);
        for (int step = 1; step <= 5; ++step) {
            auto gradient = randomValues(101, 16 + static_cast<std::uint64_t>(step));
            AdamW settings{0.01F, 0.9F, 0.95F, 1e-8F, 0.1F, 0.5F, 0, 0};
            settings.correction1 = static_cast<float>(1 - std::pow(0.9, step));
            settings.correction2 = static_cast<float>(1 - std::pow(0.95, step));
            for (std::size_t i = 0; i < v.size(); ++i) {
                const double g = 0.5 * static_cast<double>(gradient[i]);
                m1[i] = 0.9 * m1[i] + 0.1 * g;
                m2[i] = 0.95 * m2[i] + 0.05 * g * g;
                v[i] -= 0.01 * 0.1 * v[i];
                v[i] -= 0.01 * (m1[i] / (1 - std::pow(0.9, step))) / (std::sqrt(m2[i] / (1 - std::pow(0.95, step))) + 1e-8);
            }
            adamwStep(value.data(), gradient.data(), first.data(), second.data(), settings, 101);
            QCOMPARE(gradient, std::vector<float>(101, 0.0F));
        }
        QVERIFY(error(value, v) < 1e-6);
    }

    void vectorHelpers()
    {
        const auto a = randomValues(1000, 30);
        const auto b = randomValues(1000, 31);
        auto c = a;
        add(c.data(), b.data(), 1000);
        QCOMPARE(c[999], a[999] + b[999]);
        addScaled(c.data(), b.data(), 2.0F, 1000);
        QVERIFY(qFuzzyCompare(c[17], a[17] + 3 * b[17]));
        double squares = 0;
        for (const float value : a)
            squares += static_cast<double>(value) * static_cast<double>(value);
        QVERIFY(std::abs(sumOfSquares(a.data(), 1000) - squares) < 1e-9 * squares);
        std::vector<float> rows(30), sums(10, 1.0F);
        fillRows(rows.data(), a.data(), b.data(), 3, 10);
        QCOMPARE(rows[25], a[5] + b[25]);
        fillRows(rows.data(), a.data(), nullptr, 3, 10);
        QCOMPARE(rows[25], a[5]);
        addColumnSums(sums.data(), rows.data(), 3, 10);
        QVERIFY(std::abs(sums[5] - (1 + 3 * a[5])) < 1e-5F);
    }
};

STAGELENS_TEST(KernelsCpu)

} // namespace unit_kernels_cpu

#include "kernels/cpu.moc"
