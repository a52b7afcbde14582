// Ranks, coordinates and groups: the examples of Megatron-LM's parallel_state.py (16 ranks, t 2, d 2, p 4) and of links.
#include "engine/layout/mesh.h"
#include "engine/layout/shard.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <stdexcept>

namespace unit_layout_mesh {

using namespace stagelens::layout;

namespace {

using Ranks = std::vector<std::vector<int>>;

Ranks ranksOf(const Mesh &mesh, Axes varying)
{
    Ranks all;
    for (const Group &group : mesh.groups(varying))
        all.push_back(group.ranks);
    return all;
}

Mesh sixteen(std::string_view order)
{
    return Mesh({.tensor = 2, .data = 2, .pipeline = 4}, *parseRankOrder(order));
}

} // namespace

class LayoutMesh : public QObject {
    Q_OBJECT

private slots:
    void coordinatesAreMixedRadix()
    {
        const Mesh mesh = sixteen("tp-cp-dp-pp");
        QCOMPARE(mesh.ranks(), 16);
        const std::array<std::array<int, 3>, 16> expected{{{0, 0, 0},
                                                           {1, 0, 0},
                                                           {0, 1, 0},
                                                           {1, 1, 0},
                                                           {0, 0, 1},
                                                           {1, 0, 1},
                                                           {0, 1, 1},
                                                           {1, 1, 1},
                                                           {0, 0, 2},
                                                           {1, 0, 2},
                                                           {0, 1, 2},
                                                           {1, 1, 2},
                                                           {0, 0, 3},
                                                           {1, 0, 3},
                                                           {0, 1, 3},
                                                           {1, 1, 3}}};
        for (int rank = 0; rank < 16; ++rank) {
            const Coordinates at = mesh.coordinatesOf(rank);
            const auto &[tensor, data, pipeline] = expected[static_cast<std::size_t>(rank)];
            QCOMPARE(at[Axis::Tensor], tensor);
            QCOMPARE(at[Axis::Context], 0);
            QCOMPARE(at[Axis::Data], data);
            QCOMPARE(at[Axis::Pipeline], pipeline);
            QCOMPARE(mesh.rankOf(at), rank);
        }
    }

    void groupsOfTheDefaultOrder()
    {
        const Mesh mesh = sixteen("tp-cp-dp-pp");
        QCOMPARE(ranksOf(mesh, {Axis::Tensor}), (Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::Data}), (Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::Pipeline}), (Ranks{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::Tensor, Axis::Pipeline}),
                 (Ranks{{0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::Context}).size(), std::size_t{16});
        QCOMPARE(ranksOf(mesh, {Axis::Tensor, Axis::Context, Axis::Data, Axis::Pipeline}).size(), std::size_t{1});
    }

    void groupsWithReplicasSlowest()
    {
        const Mesh mesh = sixteen("tp-cp-pp-dp");
        QCOMPARE(ranksOf(mesh, {Axis::Data}), (Ranks{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::Pipeline}), (Ranks{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::Tensor, Axis::Pipeline}),
                 (Ranks{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}));
    }

    /// A group is ordered by coordinate, not by rank: here data is slower than the pipeline, but Data comes before Pipeline.
    void theOrderOfAGroupDoesNotDependOnThatOfRanks()
    {
        const Group group = sixteen("tp-cp-pp-dp").group(10, {Axis::Data, Axis::Pipeline});
        QCOMPARE(group.ranks, (std::vector{0, 8, 2, 10, 4, 12, 6, 14}));
        QCOMPARE(group.index, 3);
    }

    void expertsAreFoldedOverTensorAndData()
    {
        const Mesh mesh({.tensor = 2, .data = 4, .pipeline = 2, .expert = 4});
        QCOMPARE(ranksOf(mesh, {Axis::Expert}), (Ranks{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
        QCOMPARE(ranksOf(mesh, {Axis::ExpertData}),
                 (Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
        QCOMPARE(mesh.group(5, {Axis::Expert, Axis::ExpertData}).ranks, mesh.group(5, {Axis::Tensor, Axis::Data}).ranks);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, (void)mesh.group(0, {Axis::Tensor, Axis::Expert}));
    }

    /// Eight GPUs a node, t 4, d 4, p 8: which groups leave a node, and how many of their ranks share one.
    void linksOfGroups_data()
    {
        QTest::addColumn<QString>("order");
        QTest::addColumn<int>("axis");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("mostInNode");
        const auto row = [](const char *name, const char *order, Axis axis, int nodes, int most) {
            QTest::newRow(name) << order << static_cast<int>(axis) << nodes << most;
        };
        row("tensor stays in a node", "tp-cp-dp-pp", Axis::Tensor, 1, 4);
        row("two of four replicas in a node", "tp-cp-dp-pp", Axis::Data, 2, 2);
        row("each stage in a node of its own", "tp-cp-dp-pp", Axis::Pipeline, 8, 1);
        row("each replica in a node of its own", "tp-cp-pp-dp", Axis::Data, 4, 1);
        row("neighbouring stages in a node", "tp-cp-pp-dp", Axis::Pipeline, 4, 2);
    }
    void linksOfGroups()
    {
        QFETCH(QString, order);
        QFETCH(int, axis);
        QFETCH(int, nodes);
        QFETCH(int, mostInNode);
        const Mesh mesh({.tensor = 4, .data = 4, .pipeline = 8}, *parseRankOrder(order.toStdString()));
        for (const Group &group : mesh.groups({static_cast<Axis>(axis)})) {
            const NodeSpan span = nodeSpan(group, 8);
            QCOMPARE(span.nodes, nodes);
            QCOMPARE(span.mostInNode, mostInNode);
            QCOMPARE(span.crossesNodes(), nodes > 1);
        }
    }

    void ordersAreReadAndWritten()
    {
        for (const char *text : {"tp-cp-dp-pp", "tp-cp-pp-dp", "pp-dp-cp-tp"})
            QCOMPARE(rankOrderText(*parseRankOrder(text)), std::string(text));
        for (const char *text : {"", "tp", "tp-cp-dp", "tp-cp-dp-dp", "tp-cp-dp-pp-ep", "tp-cp-dp-xx", "TP-CP-DP-PP"})
            QVERIFY2(!parseRankOrder(text), text);
    }

    void meshesThatCannotBeAreRefused()
    {
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Mesh({.tensor = 0}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Mesh({.tensor = 2, .data = 3, .expert = 4}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Mesh({.tensor = 1 << 16, .data = 1 << 16}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, Mesh({}, {Axis::Tensor, Axis::Tensor, Axis::Data, Axis::Pipeline}));
    }

    void shardsOfVocabularyRows()
    {
        const Mesh mesh({.data = 2, .pipeline = 4});
        const auto rows = [&](int rank, std::int64_t extent) {
            return shardOf(mesh, rank, 0, {Axis::Pipeline}, {Axis::Data}).of(extent);
        };
        QCOMPARE(rows(7, 8192), (Interval{6144, 8192})); // rank 7 is pipeline device 3 of replica 1
        QCOMPARE(rows(6, 8192), rows(7, 8192));
        QCOMPARE(rows(6, 10), (Interval{9, 10}));
        QCOMPARE(rows(6, 2), (Interval{2, 2})); // a row each: the last two parts hold none
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, (void)shardOf(mesh, 0, 0, {Axis::Data}, {Axis::Data}));
    }

    void shardsCoverTheVocabularyOnce()
    {
        stagelens::model::Experiment experiment;
        const auto rows = [&](int vocabulary, int devices, int device) {
            experiment.model.vocabularySize = vocabulary;
            return vocabularyRows(experiment, devices, device);
        };
        QCOMPARE(rows(8192, 4, 3), (Interval{6144, 8192}));
        QCOMPARE(rows(10, 4, 3), (Interval{9, 10}));
        QCOMPARE(rows(9, 8, 7), (Interval{9, 9})); // 2 rows each: the last three are empty of real rows
        for (int vocabulary = 1; vocabulary <= 70; ++vocabulary) {
            for (int devices = 1; devices <= 33; ++devices) {
                std::int64_t end = 0;
                for (int device = 0; device < devices; ++device) {
                    const Interval part = rows(vocabulary, devices, device);
                    QCOMPARE(part.begin, end);
                    QVERIFY(part.size() >= 0 && part.size() <= (vocabulary + devices - 1) / devices);
                    end = part.end;
                }
                QCOMPARE(end, std::int64_t{vocabulary});
            }
        }
    }
};

STAGELENS_TEST(LayoutMesh)

} // namespace unit_layout_mesh

#include "layout/mesh.moc"
