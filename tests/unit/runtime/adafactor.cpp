// Adafactor: published numbers, rows of a table on several devices, and extreme gradients.
#include "tests/support/optimizer_oracles.h"
#include "tests/support/test_program.h"
#include "tests/support/updated_parameter.h"

#include <QtTest>

#include <bit>
#include <cmath>

namespace unit_runtime_adafactor {

using namespace stagelens;
using operators::ParameterKind;
using test::UpdatedParameter;

namespace {

const operators::Optimizer &adafactor()
{
    return *operators::findOptimizer("adafactor");
}

operators::OptimizerChoice choiceOf(double rate, bool scales = false, double decay = 0)
{
    return {.name = "adafactor", .learningRate = rate, .weightDecay = decay, .clip = {}, .scalesByValue = scales};
}

/// Returns how many floats lie between two of the same sign.
std::int64_t ulps(double one, double other)
{
    const auto ordered = [](double value) {
        const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(value));
        return bits < 0 ? std::int64_t{INT32_MIN} - bits : std::int64_t{bits};
    };
    return std::abs(ordered(one) - ordered(other));
}

std::vector<double> gradientOf(std::int64_t rows, std::int64_t columns, int update)
{
    std::vector<double> gradient;
    for (std::int64_t i = 0; i < rows * columns; ++i)
        gradient.push_back(
            static_cast<double>(static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 1009) + update) * 0.01)));
    return gradient;
}

} // namespace

class RuntimeAdafactor : public QObject {
    Q_OBJECT

private slots:
    /// The limit of the update's root mean square is active in the first update (1.174) and not in the second (0.785).
    void goldenOfTwoUpdates()
    {
        UpdatedParameter matrix(adafactor(), 4, 3, ParameterKind::Matrix);
        matrix.set({.1, .2, .3, -.1, .4, 0, .5, -.2, .1, .3, .3, -.3});
        const auto choice = choiceOf(0.01);
        matrix.update(choice, {1, 0, 2, 0, 3, 0, 1, 1, 1, 0, 0, 4}, 1);
        compare(matrix.state(0), {1.66666667, 3, 1, 5.33333333});
        compare(matrix.state(1), {.5, 2.5, 5.25});
        compare(firstRow(matrix), {.08453259859, .2, .29045331259});
        matrix.update(choice, {.5, .5, .5, 1, 0, 0, 0, 2, 0, 0, 0, 1}, 1);
        compare(matrix.state(0), {.85300533, 1.46840219, 1.19144973, 2.46158745});
        compare(matrix.state(1), {.39230953, 1.67437306, 2.41415094});
        compare(firstRow(matrix), {.07396932618, .19488687047, .28619506706});
    }

    void stateIsThatOfRowsAndColumns()
    {
        const std::int64_t table = adafactor().stateBytes(ParameterKind::Table, 256000LL * 4096, 4096);
        QCOMPARE(table, 4 * (256000 + 4096));
        QCOMPARE(adafactor().stateBytes(ParameterKind::Vector, 4096, 4096), 4 * 4096);
        QCOMPARE(adafactor().stateBytes(ParameterKind::Table, 0, 4096), 0);
        QVERIFY(!adafactor().isElementwise());
        QCOMPARE(adafactor().indivisible({7, 5, ParameterKind::Matrix}), 35);
    }

    void shardsUpdateAsTheWhole_data()
    {
        QTest::addColumn<int>("shards");
        QTest::addColumn<bool>("scales");
        for (const int shards : {1, 2, 3, 4, 7})
            for (const bool scales : {false, true})
                QTest::addRow("%d, %s", shards, scales ? "scaled" : "rate") << shards << scales;
    }
    /// 97 rows on devices that hold as many as vocabularyRows() gives: within one unit in the last place after each update.
    void shardsUpdateAsTheWhole()
    {
        QFETCH(int, shards);
        QFETCH(bool, scales);
        constexpr std::int64_t kRows = 97;
        constexpr std::int64_t kColumns = 37;
        const auto choice = choiceOf(0.02, scales, 0.1);
        UpdatedParameter whole(adafactor(), kRows, kColumns, ParameterKind::Table);
        std::vector<std::unique_ptr<UpdatedParameter>> parts;
        const std::int64_t each = (kRows + shards - 1) / shards;
        for (std::int64_t row = 0; row < kRows; row += each)
            parts.push_back(std::make_unique<UpdatedParameter>(adafactor(), std::min(each, kRows - row), kColumns,
                                                               ParameterKind::Table, row, kRows));
        for (int update = 0; update < 5; ++update) {
            const std::vector<double> gradient = gradientOf(kRows, kColumns, update);
            whole.update(choice, gradient, 1);
            std::vector<double> sums(2 * kColumns + 2);
            for (std::size_t k = 0; k < parts.size(); ++k) {
                const auto from = gradient.begin() + static_cast<std::ptrdiff_t>(k) * each * kColumns;
                const auto own = parts[k]->sums(choice, {from, from + parts[k]->parameter().count()});
                std::ranges::transform(own, sums, sums.begin(), std::plus<>());
            }
            std::vector<double> values;
            for (const auto &part : parts) {
                part->updateFrom(choice, sums);
                const auto own = part->values();
                values.insert(values.end(), own.begin(), own.end());
                for (std::int64_t j = 0; j < kColumns; ++j)
                    QVERIFY(ulps(part->state(1)[runtime::size(j)], whole.state(1)[runtime::size(j)]) <= 1);
            }
            const auto expected = whole.values();
            for (std::size_t i = 0; i < values.size(); ++i)
                QVERIFY2(ulps(values[i], expected[i]) <= 1, qPrintable(QString::number(i)));
        }
    }

    /// Sums of fixed blocks of rows, added in order, give the same bits however the blocks are spread over devices.
    void fixedBlocksHaveTheSameBits()
    {
        constexpr std::int64_t kBlocks = 12;
        constexpr std::int64_t kRows = 4 * kBlocks;
        constexpr std::int64_t kColumns = 19;
        const auto choice = choiceOf(0.02);
        const std::vector<double> gradient = gradientOf(kRows, kColumns, 1);
        std::vector<std::vector<double>> results;
        for (const std::int64_t shards : {1, 2, 3, 4}) {
            std::vector<double> sums(2 * kColumns + 2);
            std::vector<std::unique_ptr<UpdatedParameter>> blocks;
            for (std::int64_t device = 0; device < shards; ++device) {
                for (std::int64_t block = device * kBlocks / shards; block < (device + 1) * kBlocks / shards; ++block) {
                    blocks.push_back(
                        std::make_unique<UpdatedParameter>(adafactor(), 4, kColumns, ParameterKind::Table, 4 * block, kRows));
                    const auto from = gradient.begin() + 4 * block * kColumns;
                    std::ranges::transform(blocks.back()->sums(choice, {from, from + 4 * kColumns}), sums, sums.begin(),
                                           std::plus<>());
                }
            }
            std::vector<double> &values = results.emplace_back();
            for (const auto &block : blocks) {
                block->updateFrom(choice, sums);
                const auto own = block->values();
                values.insert(values.end(), own.begin(), own.end());
            }
            QCOMPARE(values, results.front());
        }
    }

    void zerosAndExtremesStayFinite()
    {
        UpdatedParameter matrix(adafactor(), 3, 4, ParameterKind::Matrix);
        const std::vector<double> before = matrix.values();
        const auto choice = choiceOf(0.01, true);
        for (int update = 0; update < 2000; ++update)
            matrix.update(choice, {1e15, 1, 1e-15, 0, 0, 0, 0, 0, 1e-30, 1e-30, 1e-30, 1e-30}, 1);
        for (const double value : matrix.values())
            QVERIFY(std::isfinite(value));
        for (std::size_t i = 4; i < 8; ++i) // a row without gradients
            QCOMPARE(matrix.values()[i], before[i]);
        UpdatedParameter still(adafactor(), 3, 4, ParameterKind::Matrix);
        still.update(choice, std::vector<double>(12), 1);
        QCOMPARE(still.values(), before);
    }

    /// The rate follows the parameter, at least 1e-3, and falls as 1 / sqrt(t).
    void ratesFollowTheParameter()
    {
        for (const double size : {0.5, 1e-5}) {
            UpdatedParameter vector(adafactor(), 1, 2, ParameterKind::Vector);
            test::OracleParameter oracle{1, 2, ParameterKind::Vector, {size, -size}, {}};
            vector.set(oracle.values);
            const auto choice = choiceOf(0.3, true);
            for (int update = 0; update < 30; ++update) {
                oracle.gradient = {1.0 + update, -0.5};
                vector.update(choice, oracle.gradient, 1);
                test::oracleUpdate(choice, oracle);
                for (std::size_t i = 0; i < 2; ++i)
                    QVERIFY(std::abs(vector.values()[i] - oracle.values[i]) < 1e-6 * (1 + std::abs(oracle.values[i])));
            }
        }
    }

private:
    static std::vector<double> firstRow(const UpdatedParameter &matrix)
    {
        std::vector<double> values = matrix.values();
        values.resize(3);
        return values;
    }
    static void compare(const std::vector<double> &values, const std::vector<double> &expected)
    {
        QCOMPARE(values.size(), expected.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY2(std::abs(values[i] - expected[i]) < 4e-7 * std::max(1.0, std::abs(expected[i])),
                     qPrintable(QStringLiteral("%1 is not %2").arg(values[i], 0, 'g', 12).arg(expected[i], 0, 'g', 12)));
    }
};

STAGELENS_TEST(RuntimeAdafactor)

} // namespace unit_runtime_adafactor

#include "runtime/adafactor.moc"
