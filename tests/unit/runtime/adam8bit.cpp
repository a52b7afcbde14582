// Adam with 8 bits: the codebook, what quantisation leaves, blocks of rows, and distance from AdamW.
#include "kernels/include/codebook.h"
#include "tests/support/optimizer_oracles.h"
#include "tests/support/test_program.h"
#include "tests/support/updated_parameter.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace unit_runtime_adam8bit {

using namespace stagelens;
using operators::ParameterKind;
using test::UpdatedParameter;

namespace {

const operators::Optimizer &adam8bit()
{
    return *operators::findOptimizer("adam8bit");
}

} // namespace

class RuntimeAdam8bit : public QObject {
    Q_OBJECT

private slots:
    void codebookIsTheDynamicTree()
    {
        for (const bool isSigned : {false, true}) {
            const kernels::Codebook &book = kernels::dynamicCodebook(isSigned);
            std::vector<double> tree = test::dynamicTree(isSigned);
            std::ranges::sort(tree);
            QCOMPARE(tree.size(), book.entries.size());
            for (std::size_t i = 0; i < tree.size(); ++i)
                QCOMPARE(book.entries[i], static_cast<float>(tree[i]));
            QCOMPARE(std::set<float>(book.entries.begin(), book.entries.end()).size(), std::size_t{256});
            for (std::size_t i = 0; i < 256; ++i) // an entry is nearest to itself
                QCOMPARE(kernels::nearestCode(book, book.entries[i]), i);
            QCOMPARE(kernels::nearestCode(book, 1e9F), 255);
            QCOMPARE(kernels::nearestCode(book, -1e9F), 0);
        }
        // 0.1 + 0.9 x 63.5 / 64, and the smallest of each.
        QCOMPARE(kernels::dynamicCodebook(true).entries[254], 0.99296875F);
        QCOMPARE(kernels::dynamicCodebook(true).entries[128], 0.55e-6F);
        QCOMPARE(kernels::dynamicCodebook(false).entries[1], 0.325e-6F);
    }

    /// The moments after one update are those of AdamW within half the distance of two entries: 9 % of each in the signed
    /// codebook's widest gap of a decade with parts, and less than 1 % of the greatest.
    void oneUpdateKeepsMoments()
    {
        constexpr std::int64_t kColumns = 300;
        UpdatedParameter row(adam8bit(), 1, kColumns, ParameterKind::Matrix);
        std::vector<double> gradient;
        for (int i = 0; i < kColumns; ++i)
            gradient.push_back(static_cast<double>(static_cast<float>(std::sin(i) * std::pow(10, -(i % 3)))));
        row.update({.name = "adam8bit", .clip = {}}, gradient, 1);
        const auto codes = row.codes(0);
        const auto scale = row.state(1);
        QCOMPARE(scale.size(), std::size_t{1});
        double largest = 0;
        for (const double each : gradient)
            largest = std::max(largest, std::abs(each) * 0.1);
        QVERIFY(std::abs(scale[0] - largest) < 1e-6 * largest);
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            const double moment = static_cast<double>(kernels::dynamicCodebook(true).entries[codes[i]]) * scale[0];
            const double exact = 0.1 * gradient[i];
            QVERIFY2(std::abs(moment - exact) < 0.1 * std::abs(exact) + 1e-4 * largest, qPrintable(QString::number(i)));
        }
    }

    void stateIsTwoBytes()
    {
        QCOMPARE(adam8bit().stateBytes(ParameterKind::Table, 10LL * 2048, 2048), 10 * (2 * 2048 + 2 * 4));
        QCOMPARE(adam8bit().stateBytes(ParameterKind::Matrix, 10LL * 4096, 4096), 10 * (2 * 4096 + 4 * 4));
        QCOMPARE(adam8bit().stateBytes(ParameterKind::Matrix, 3 * 5, 5), 2 * 16 + 2 * 3 * 4); // codes fill whole floats
        QCOMPARE(adam8bit().stateBytes(ParameterKind::Vector, 100, 100), 800);
        QCOMPARE(adam8bit().indivisible({7, 5, ParameterKind::Table}), 5);
        QCOMPARE(adam8bit().indivisible({1, 5, ParameterKind::Vector}), 1);
    }

    /// Blocks are of rows: shards of whole rows have the bits of the whole table. Rows longer than a block have several.
    void shardsHaveTheSameBits()
    {
        constexpr std::int64_t kRows = 7;
        for (const std::int64_t columns : {37, 2048, 5000}) {
            const operators::OptimizerChoice choice{.name = "adam8bit", .learningRate = 0.01, .weightDecay = 0.1, .clip = {}};
            UpdatedParameter whole(adam8bit(), kRows, columns, ParameterKind::Table);
            UpdatedParameter upper(adam8bit(), 3, columns, ParameterKind::Table);
            UpdatedParameter lower(adam8bit(), kRows - 3, columns, ParameterKind::Table, 3, kRows);
            for (int update = 0; update < 4; ++update) {
                std::vector<double> gradient;
                for (std::int64_t i = 0; i < kRows * columns; ++i)
                    gradient.push_back(static_cast<double>(static_cast<float>(std::cos(i * i % 977 + update))));
                whole.update(choice, gradient, 1);
                upper.update(choice, {gradient.begin(), gradient.begin() + 3 * columns}, 1);
                lower.update(choice, {gradient.begin() + 3 * columns, gradient.end()}, 1);
            }
            std::vector<double> parts = upper.values();
            const auto rest = lower.values();
            parts.insert(parts.end(), rest.begin(), rest.end());
            QCOMPARE(parts, whole.values());
        }
    }

    /// Minimising a quadratic, it ends as near to the minimum as AdamW does.
    void convergesAsAdamw()
    {
        const auto distanceOf = [](const char *name) {
            UpdatedParameter matrix(*operators::findOptimizer(name), 4, 64, ParameterKind::Matrix);
            operators::OptimizerChoice choice{.name = name, .clip = {}};
            for (int update = 0; update < 400; ++update) {
                choice.learningRate = 0.1 / (1 + update / 20.0);
                std::vector<double> gradient = matrix.values();
                for (std::size_t i = 0; i < gradient.size(); ++i)
                    gradient[i] = static_cast<double>(static_cast<float>((gradient[i] - 3) * (1 + static_cast<double>(i % 7))));
                matrix.update(choice, gradient, 1);
            }
            double squares = 0;
            for (const double value : matrix.values())
                squares += (value - 3) * (value - 3);
            return std::sqrt(squares / 256);
        };
        const double adamw = distanceOf("adamw");
        const double coded = distanceOf("adam8bit");
        QVERIFY2(adamw < 0.02 && coded < 0.02, qPrintable(QStringLiteral("%1 %2").arg(adamw).arg(coded)));
    }

    void zerosStayZero()
    {
        UpdatedParameter matrix(adam8bit(), 2, 5, ParameterKind::Matrix);
        const auto before = matrix.values();
        matrix.update({.name = "adam8bit", .clip = {}}, std::vector<double>(10), 1);
        QCOMPARE(matrix.values(), before);
        QCOMPARE(matrix.state(1), std::vector<double>(2));
    }
};

STAGELENS_TEST(RuntimeAdam8bit)

} // namespace unit_runtime_adam8bit

#include "runtime/adam8bit.moc"
