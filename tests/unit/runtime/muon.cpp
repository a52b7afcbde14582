// Muon: published numbers of its iteration, singular values, tall matrices, and the AdamW of everything else.
#include "tests/support/test_program.h"
#include "tests/support/updated_parameter.h"

#include <QtTest>

#include <cmath>

namespace unit_runtime_muon {

using namespace stagelens;
using operators::ParameterKind;
using test::UpdatedParameter;

namespace {

const operators::Optimizer &muon()
{
    return *operators::findOptimizer("muon");
}

/// A step of rate 1 from 0 with that gradient: what the iteration makes of it, times the shape's factor.
std::vector<double> directionOf(std::int64_t rows, std::int64_t columns, const std::vector<double> &gradient)
{
    UpdatedParameter matrix(muon(), rows, columns, ParameterKind::Matrix);
    matrix.set(std::vector<double>(runtime::size(rows * columns)));
    matrix.update({.name = "muon", .learningRate = 1, .clip = {}}, gradient, 1);
    std::vector<double> direction;
    for (const double value : matrix.values())
        direction.push_back(-value);
    return direction;
}

} // namespace

class RuntimeMuon : public QObject {
    Q_OBJECT

private slots:
    void goldenOfTheIteration()
    {
        const auto direction = directionOf(2, 2, {3, 1, 1, 2});
        const std::vector<double> expected{.829653, -.142780, -.142780, .972433};
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY2(std::abs(direction[i] - expected[i]) < 5e-6, qPrintable(QString::number(direction[i], 'g', 9)));
        // A symmetric matrix (a, b; b, d) has the singular values |(a + d) / 2 +- sqrt((a - d)^2 / 4 + b^2)|.
        const double middle = (direction[0] + direction[3]) / 2;
        const double radius = std::hypot((direction[0] - direction[3]) / 2, direction[1]);
        QVERIFY(std::abs(middle + radius - 1.0607) < 1e-4 && std::abs(middle - radius - .7414) < 1e-4);
    }

    /// The direction of the transposed gradient is the transposed direction, but for the factor of tall matrices.
    void tallMatricesMoveFarther()
    {
        constexpr std::int64_t kRows = 12;
        constexpr std::int64_t kColumns = 3;
        std::vector<double> tall;
        std::vector<double> wide(runtime::size(kRows * kColumns));
        for (std::int64_t i = 0; i < kRows * kColumns; ++i)
            tall.push_back(static_cast<double>(static_cast<float>(std::sin(i * i))));
        for (std::int64_t i = 0; i < kRows; ++i)
            for (std::int64_t j = 0; j < kColumns; ++j)
                wide[runtime::size(j * kRows + i)] = tall[runtime::size(i * kColumns + j)];
        const auto ofTall = directionOf(kRows, kColumns, tall);
        const auto ofWide = directionOf(kColumns, kRows, wide);
        for (std::int64_t i = 0; i < kRows; ++i)
            for (std::int64_t j = 0; j < kColumns; ++j)
                QVERIFY(std::abs(ofTall[runtime::size(i * kColumns + j)] - 2 * ofWide[runtime::size(j * kRows + i)]) < 1e-5);
        double squares = 0; // of three singular values near 1
        for (const double value : ofWide)
            squares += value * value;
        QVERIFY2(squares > 3 * 0.6 * 0.6 && squares < 3 * 1.25 * 1.25, qPrintable(QString::number(squares)));
    }

    void tablesAndVectorsFollowAdamw()
    {
        for (const ParameterKind kind : {ParameterKind::Table, ParameterKind::Vector}) {
            const std::int64_t rows = kind == ParameterKind::Vector ? 1 : 3;
            UpdatedParameter ours(muon(), rows, 5, kind);
            UpdatedParameter theirs(*operators::findOptimizer("adamw"), rows, 5, kind);
            std::vector<double> gradient;
            for (std::int64_t i = 0; i < rows * 5; ++i)
                gradient.push_back(static_cast<double>(static_cast<float>(std::cos(i))));
            for (int update = 0; update < 3; ++update) {
                ours.update({.name = "muon", .learningRate = 7, .clip = {}, .tableRate = 0.01}, gradient, 1);
                theirs.update({.name = "adamw", .learningRate = 0.01, .clip = {}}, gradient, 1);
            }
            QCOMPARE(ours.values(), theirs.values());
        }
    }

    void zeroGradientsMoveNothing()
    {
        for (const double value : directionOf(3, 4, std::vector<double>(12)))
            QCOMPARE(value, 0.0);
    }

    void bytesAndWork()
    {
        QCOMPARE(muon().stateBytes(ParameterKind::Matrix, 12, 4), 48);
        QCOMPARE(muon().stateBytes(ParameterKind::Table, 12, 4), 96);
        // n = 3, c = 5: 5 (4 n^2 c + 2 n^3), for a tall matrix as well.
        QCOMPARE(muon().flops({3, 5, ParameterKind::Matrix}), 5 * (4.0 * 9 * 5 + 2 * 27));
        QCOMPARE(muon().flops({5, 3, ParameterKind::Matrix}), 5 * (4.0 * 9 * 5 + 2 * 27));
        QCOMPARE(muon().flops({5, 3, ParameterKind::Table}), 0.0);
        QCOMPARE(muon().scratchFloats({5, 3, ParameterKind::Matrix}), 2 * 15 + 2 * 9);
        QCOMPARE(muon().indivisible({5, 3, ParameterKind::Matrix}), 15);
        QCOMPARE(muon().indivisible({5, 3, ParameterKind::Table}), 1);
    }
};

STAGELENS_TEST(RuntimeMuon)

} // namespace unit_runtime_muon

#include "runtime/muon.moc"
