// Tokens that are sent once to each node of their experts, and forwarded there: the bits of rows that are sent to each expert,
// which tokens are sent, memory, and rows that do not fit.
#include "engine/runtime/layers/expert_nodes.h"
#include "engine/model/presets.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/costs/expert_dispatch.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>

namespace integration_ranks_expert_nodes {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

/// Eight experts of a layer, of which three compute a token, on expert ranks of nodes of `ranksPerNode` ranks.
model::Experiment nodePlan(const char *family, int replicas, int expert, int ranksPerNode)
{
    auto experiment = test::tinyExperts(family, VocabularyMethod::None, 2);
    experiment.model.topK = 3;
    experiment.parallel.replicas = replicas;
    experiment.parallel.expert = expert;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.expertDispatch = model::ExpertDispatch::PerNode;
    auto cluster = std::make_shared<model::Hardware>(model::hardwarePreset("h100-sxm").value());
    cluster->name = "nodes of the test";
    cluster->devicesPerNode = ranksPerNode;
    experiment.cost.source = model::HardwarePreset{cluster->name, cluster};
    return operators::resolved(experiment, 2);
}

model::Experiment withoutForwarding(model::Experiment experiment)
{
    experiment.parallel.expertDispatch = model::ExpertDispatch::PerExpert;
    return experiment;
}

} // namespace

class ExpertNodes : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    void changesNoBit_data()
    {
        QTest::addColumn<int>("expert");
        QTest::addColumn<int>("ranksPerNode");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("isFp8");
        QTest::newRow("one node") << 4 << 8 << 1 << false;
        QTest::newRow("two nodes") << 4 << 2 << 1 << false;
        QTest::newRow("a rank on each node") << 4 << 1 << 1 << false;
        QTest::newRow("unequal nodes") << 4 << 3 << 1 << false;
        QTest::newRow("groups of two") << 2 << 2 << 1 << false;
        QTest::newRow("tensor ranks") << 8 << 4 << 2 << false;
        QTest::newRow("8 bits, two nodes") << 4 << 2 << 1 << true;
        QTest::newRow("8 bits, unequal nodes") << 4 << 3 << 1 << true;
    }
    /// Rows arrive with the same bits and in the same places, so that losses, gradients and parameters are equal.
    void changesNoBit()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, expert);
        QFETCH(int, ranksPerNode);
        QFETCH(int, tensor);
        QFETCH(bool, isFp8);
        for (const model::DataType dtype : {model::DataType::Fp32, model::DataType::Bf16}) {
            auto experiment = nodePlan("zb-h1", 4, expert, ranksPerNode);
            experiment.parallel.tensor = tensor;
            experiment.model.dtype = dtype;
            experiment.model.capacityFactor = 1.5;
            if (isFp8)
                experiment.parallel.dispatchPrecision = model::DispatchPrecision::Fp8;
            experiment.training.steps = 2;
            const test::Trained once = train(experiment, "once");
            const test::Trained each = train(withoutForwarding(experiment), "each");
            QCOMPARE(once.losses, each.losses);
            QVERIFY(once.gradients == each.gradients);
            QVERIFY(once.final == each.final);
        }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        haveTheSameBits([](const char *family) { return nodePlan(family, 4, 4, 2); }, 3);
    }

    void gradientsMatchTheReference()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto &[family, mode] :
             {std::pair("1f1b", model::RunMode::Live), {"dualpipe-v", model::RunMode::VirtualClock}}) {
            auto experiment = nodePlan(family, 4, 4, 2);
            experiment.schedule.recompute = model::Recompute::Full;
            experiment.training.mode = mode;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const model::DataType dtype : {model::DataType::Fp32, model::DataType::Bf16}) {
            auto experiment = nodePlan("zb-h1", 4, 4, 8);
            experiment.cost.source = model::HardwarePreset{}; // whose memory a prediction gives to the byte
            experiment.model.dtype = dtype;
            experiment.schedule.recompute = model::Recompute::Full;
            experiment.training.steps = 2;
            test::checkMemory(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// At most as many bytes of messages as planned, however the ranks lie on nodes. A block beyond the plan ends the run.
    void messagesFitThePlan()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto &[expert, ranksPerNode] : {std::pair(4, 1), {4, 2}, {4, 3}, {8, 3}, {8, 8}}) {
            auto experiment = nodePlan("1f1b", 8, expert, ranksPerNode);
            experiment.parallel.microbatchSize = 5;
            experiment.training.steps = 2;
            const auto plans = runtime::memoryPlan(experiment, runtime::lowered(scheduleOf(experiment)));
            QVERIFY(plans.ok());
            const auto onStep = [&](const runtime::StepReport &report) {
                for (std::size_t device = 0; device < plans->size(); ++device)
                    QVERIFY(report.peakMemory[device][backend::kMessages] <= (*plans)[device].peak[backend::kMessages]);
            };
            const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
    }

    void rowsThatDoNotFitEndTheStep()
    {
        for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            auto experiment = nodePlan("1f1b", 4, 4, 2);
            experiment.parallel.expertHeadroom = 1;
            experiment.training.mode = mode;
            const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {}, {});
            QVERIFY(!trained.ok());
            QVERIFY2(trained.error().text().find("raise expert_headroom") != std::string::npos, trained.error().text().c_str());
        }
    }

    /// Each node has a rank for the tokens of each source: on the source's own node itself. Ranks of a node share the sources.
    void everySourceHasAForwarderOnEachNode()
    {
        for (const auto &nodes : {std::vector{0, 0, 1, 1}, {0, 0, 0, 1}, {3, 5, 3, 5, 5}, {2, 2, 2}, {0, 1, 2}}) {
            const runtime::ExpertNodes group(nodes);
            const int ranks = static_cast<int>(nodes.size());
            for (int source = 0; source < ranks; ++source) {
                QCOMPARE(group.forwarder(group.nodeOf(source), source), source);
                for (int node = 0; node < group.nodes(); ++node) {
                    const int forwarder = group.forwarder(node, source);
                    QCOMPARE(group.nodeOf(forwarder), node);
                    QVERIFY(std::ranges::count(group.sourcesOf(forwarder), source) == 1);
                }
            }
            for (int node = 0; node < group.nodes(); ++node) {
                std::size_t all = 0;
                for (const int rank : group.ranksOf(node))
                    all += group.sourcesOf(rank).size();
                QCOMPARE(all, nodes.size());
            }
        }
        QVERIFY(!runtime::ExpertNodes({}).forwards());
    }

    /// A token is sent to as many nodes, and ranks inside, as a prediction counts: of 4096 random tokens within 3 %.
    void tokensAreSentOnceToEachPlace()
    {
        constexpr int kRanks = 16;
        constexpr int kPerNode = 4;
        model::ModelConfig model;
        model.experts = 64;
        model.topK = 6;
        const kernels::RoutingShape shape{4096, model.experts, model.topK};
        std::vector<std::int32_t> routes(static_cast<std::size_t>(3 * shape.rows()));
        std::mt19937 random(5);
        for (std::int64_t token = 0; token < shape.tokens; ++token) {
            std::set<std::int32_t> chosen;
            while (static_cast<int>(chosen.size()) < model.topK)
                chosen.insert(static_cast<std::int32_t>(random() % static_cast<unsigned>(model.experts)));
            std::ranges::copy(chosen, routes.begin() + token * model.topK);
        }
        const auto sentTo = [&](int places) {
            std::size_t sent = 0;
            for (int place = 0; place < places; ++place)
                sent += runtime::tokensWith(routes.data(), shape, [&](std::int64_t expert) {
                            return expert * places / model.experts == place;
                        }).size();
            return static_cast<double>(sent) / static_cast<double>(shape.tokens);
        };
        const simulate::ExpertPlaces expected = simulate::expertPlaces(model, kRanks, {kRanks / kPerNode, kPerNode});
        QVERIFY2(std::abs(sentTo(kRanks / kPerNode) / expected.nodes - 1) < 0.03, qPrintable(QString::number(expected.nodes)));
        QVERIFY2(std::abs(sentTo(kRanks) / expected.ranks - 1) < 0.03, qPrintable(QString::number(expected.ranks)));
        // A token whose only row for a place is dropped is not sent there.
        const std::vector<std::int32_t> before =
            runtime::tokensWith(routes.data(), shape, [&](std::int64_t expert) { return expert == routes[0]; });
        routes[static_cast<std::size_t>(shape.rows())] = -1;
        const std::vector<std::int32_t> after =
            runtime::tokensWith(routes.data(), shape, [&](std::int64_t expert) { return expert == routes[0]; });
        QCOMPARE(after.size() + 1, before.size());
    }
};

STAGELENS_TEST(ExpertNodes)

} // namespace integration_ranks_expert_nodes

#include "ranks/expert_nodes.moc"
