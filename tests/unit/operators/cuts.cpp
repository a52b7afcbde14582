// Cuts of layers and sequences: published and hand-computed examples, and exhaustive searches.
#include "engine/operators/cuts.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

namespace unit_operators_cuts {

using namespace stagelens;
using operators::PartCut;

namespace {

/// Calls `visit(sizes)` for every cut of `items` into consecutive parts.
template <class Visit>
void eachCut(int items, Visit visit)
{
    for (unsigned bits = 0; bits < 1U << (items - 1); ++bits) {
        std::vector<int> sizes{1};
        for (int i = 0; i + 1 < items; ++i) {
            if ((bits >> i & 1U) != 0)
                sizes.push_back(1);
            else
                ++sizes.back();
        }
        visit(sizes);
    }
}

/// The example of resources/docs/schedules/seq1f1b.md: `least` units of time for the launches of a slice.
double sliceTime(int length, int before, double least)
{
    return std::max<double>(length, least) + 0.05 * length * (before + length / 2.0);
}

double teraPipeTime(const std::vector<int> &sizes, int stages, double least)
{
    double sum = 0;
    double longest = 0;
    int before = 0;
    for (const int size : sizes) {
        const double time = sliceTime(size, before, least);
        sum += time;
        longest = std::max(longest, time);
        before += size;
    }
    return sum + (stages - 1) * longest;
}

bool isNear(double found, double expected)
{
    return std::abs(found - expected) < 1e-9;
}

} // namespace

class Cuts : public QObject {
    Q_OBJECT

private slots:
    void theGreatestPartIsLeast()
    {
        // Embedding, eight layers, output layer.
        const PartCut cut = operators::leastGreatestPart({.5, 3, 3, 3, 3, 3, 3, 3, 3, 7}, 4);
        QCOMPARE(cut.cost, 9.0);
        QCOMPARE(cut.sizes, (std::vector<int>{3, 3, 3, 1}));
        QCOMPARE(operators::leastGreatestPart({5}, 1).sizes, std::vector<int>{1});
        const unsigned seed = std::random_device{}();
        std::mt19937 random(seed);
        for (int turn = 0; turn < 200; ++turn) {
            const int items = std::uniform_int_distribution(1, 9)(random);
            std::vector<double> times;
            for (int i = 0; i < items; ++i)
                times.push_back(std::uniform_int_distribution(0, 9)(random));
            const int parts = std::uniform_int_distribution(1, items)(random);
            double expected = 1e9;
            const auto greatestOf = [&times](const std::vector<int> &sizes) {
                double greatest = 0;
                auto begin = times.begin();
                for (const int size : sizes) {
                    greatest = std::max(greatest, std::accumulate(begin, begin + size, 0.0));
                    begin += size;
                }
                return greatest;
            };
            eachCut(items, [&](const std::vector<int> &sizes) {
                if (std::ssize(sizes) == parts)
                    expected = std::min(expected, greatestOf(sizes));
            });
            const PartCut found = operators::leastGreatestPart(times, parts);
            QVERIFY2(found.cost == expected && greatestOf(found.sizes) == expected && std::ssize(found.sizes) == parts,
                     fmt::format("seed {}: {}, expected {}", seed, found.cost, expected).c_str());
        }
    }

    void slowDevicesReceiveLess()
    {
        const std::vector<double> times{.5, 3, 3, 3, 3, 3, 3, 3, 3, 7};
        const PartCut cut = operators::leastGreatestPart(times, {1, 1, 2, 1});
        QCOMPARE(cut.cost, 10.0); // 9.5, 9, 2 x 3 and 10
        QCOMPARE(cut.sizes, (std::vector<int>{4, 3, 1, 2}));
        const unsigned seed = std::random_device{}();
        std::mt19937 random(seed);
        for (int turn = 0; turn < 100; ++turn) {
            const int items = std::uniform_int_distribution(1, 8)(random);
            std::vector<double> some;
            for (int i = 0; i < items; ++i)
                some.push_back(std::uniform_int_distribution(0, 9)(random));
            std::vector<double> factors;
            for (int left = std::uniform_int_distribution(1, items)(random); left > 0; --left)
                factors.push_back(std::uniform_int_distribution(1, 4)(random));
            double expected = 1e9;
            const auto greatestOf = [&](const std::vector<int> &sizes) {
                double greatest = 0;
                auto begin = some.begin();
                for (std::size_t part = 0; part < sizes.size(); ++part) {
                    greatest = std::max(greatest, factors[part] * std::accumulate(begin, begin + sizes[part], 0.0));
                    begin += sizes[part];
                }
                return greatest;
            };
            eachCut(items, [&](const std::vector<int> &sizes) {
                if (sizes.size() == factors.size())
                    expected = std::min(expected, greatestOf(sizes));
            });
            const PartCut found = operators::leastGreatestPart(some, factors);
            QVERIFY2(found.cost == expected && greatestOf(found.sizes) == expected,
                     fmt::format("seed {}: {}, expected {}", seed, found.cost, expected).c_str());
        }
    }

    void pipeDreamReplicatesEarlyLayers()
    {
        const double a = 1;
        const auto plan = operators::pipeDreamPlan({{4, a, 4}, {4, a, 4}, {4, a, 4}, {4, a, 4}, {2, a, 40}}, 4, 8);
        QCOMPARE(plan.stages, (std::vector<operators::ReplicatedStage>{{4, 3}, {1, 1}}));
        QVERIFY(isNear(plan.time, 16.0 / 3));
        // Data parallelism alone: 2 (4 - 1) / 4 x 56 / 8.
        const auto joined = operators::pipeDreamPlan({{18, a, 56}}, 4, 8);
        QCOMPARE(joined.stages, (std::vector<operators::ReplicatedStage>{{1, 4}}));
        QVERIFY(isNear(joined.time, 10.5));
        // Without weights all layers are replicated.
        const auto free = operators::pipeDreamPlan({{4, a, 0}, {4, a, 0}, {4, a, 0}, {4, a, 0}, {2, a, 0}}, 4, 8);
        QVERIFY(isNear(free.time, 4.5));
        // A message that takes longer than the work keeps layers together.
        const auto slow = operators::pipeDreamPlan({{4, 100, 1}, {4, 0, 1}}, 2, 8);
        QCOMPARE(slow.stages, (std::vector<operators::ReplicatedStage>{{2, 2}}));
    }

    void teraPipeFindsTheBestSlices()
    {
        const auto timeOf = [](double least) {
            return [least](int length, int before) { return sliceTime(length, before, least); };
        };
        QVERIFY(isNear(teraPipeTime({16}, 4, 0), 89.6));
        QVERIFY(isNear(teraPipeTime({4, 4, 4, 4}, 4, 0), 42.8));
        QVERIFY(isNear(operators::teraPipeCut(16, 4, timeOf(0), 1).cost, 89.6));
        const PartCut four = operators::teraPipeCut(16, 4, timeOf(0), 4);
        QCOMPARE(four.sizes, (std::vector<int>{5, 4, 4, 3}));
        QVERIFY2(isNear(four.cost, 41.0), fmt::format("{}", four.cost).c_str());
        const PartCut many = operators::teraPipeCut(16, 4, timeOf(0));
        QCOMPARE(many.sizes, std::vector<int>(16, 1));
        QVERIFY(isNear(many.cost, 27.725));
        // Launches make slices finite.
        const PartCut launched = operators::teraPipeCut(16, 4, timeOf(2));
        QCOMPARE(launched.sizes, std::vector<int>(8, 2));
        QVERIFY(isNear(launched.cost, 32.9));
        QVERIFY(isNear(teraPipeTime(std::vector<int>(16, 1), 4, 2), 46.725));
    }

    void noCutIsBetterThanTeraPipes()
    {
        for (const double least : {0.0, 1.5, 3.0})
            for (int stages = 1; stages < 6; ++stages) {
                double expected = 1e9;
                eachCut(10, [&](const std::vector<int> &sizes) {
                    expected = std::min(expected, teraPipeTime(sizes, stages, least));
                });
                const PartCut found = operators::teraPipeCut(
                    10, stages, [least](int length, int before) { return sliceTime(length, before, least); });
                QVERIFY2(isNear(found.cost, expected) && isNear(teraPipeTime(found.sizes, stages, least), expected),
                         fmt::format("{} stages: {}, expected {}", stages, found.cost, expected).c_str());
            }
    }
};

STAGELENS_TEST(Cuts)

} // namespace unit_operators_cuts

#include "operators/cuts.moc"
