// How unevenly tokens choose experts, and what a prediction makes of it.
#include "engine/simulate/costs/expert_load.h"

#include "engine/base/random.h"
#include "engine/layout/mesh.h"
#include "engine/model/presets.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/expert_dispatch.h"
#include "engine/simulate/costs/layer_costs.h"
#include "engine/simulate/costs/overlap.h"
#include "engine/simulate/static_memory.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>

namespace unit_simulate_expert_load {

using namespace stagelens;

namespace {

constexpr double kPairOfDeepSeek = 126.525; // ms

} // namespace

class ExpertLoadOfRanks : public QObject {
    Q_OBJECT

private slots:
    /// Means of 300 draws of 4096 tokens a rank, made one choice at a time by another program.
    void imbalanceOfPopularExperts_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("experts");
        QTest::addColumn<int>("topK");
        QTest::addColumn<double>("skew");
        QTest::addColumn<double>("busiestRank");
        QTest::addColumn<double>("busiestExpert");
        QTest::addColumn<QVector<double>>("dropped");
        QTest::newRow("8x1 even") << 8 << 8 << 2 << 0.0 << 1.016 << 1.016 << QVector{0.004, 0.0, 0.0};
        QTest::newRow("8x1") << 8 << 8 << 2 << 0.5 << 1.830 << 1.830 << QVector{0.148, 0.078, 0.0};
        QTest::newRow("8x16, 0.2") << 8 << 128 << 8 << 0.2 << 1.088 << 2.13 << QVector{0.078, 0.028, 0.001};
        QTest::newRow("8x16, 0.5") << 8 << 128 << 8 << 0.5 << 1.308 << 6.03 << QVector{0.220, 0.164, 0.081};
        QTest::newRow("64x4, 0.2") << 64 << 256 << 8 << 0.2 << 1.399 << 2.44 << QVector{0.079, 0.030, 0.002};
        QTest::newRow("64x4, 0.5") << 64 << 256 << 8 << 0.5 << 2.849 << 8.38 << QVector{0.228, 0.174, 0.093};
    }
    void imbalanceOfPopularExperts()
    {
        QFETCH(int, ranks);
        QFETCH(int, experts);
        QFETCH(int, topK);
        QFETCH(double, skew);
        QFETCH(double, busiestRank);
        QFETCH(double, busiestExpert);
        QFETCH(QVector<double>, dropped);
        const simulate::ExpertLoad load = simulate::expertLoad({ranks, experts, topK, 4096, skew}, {1.0, 1.25, 2.0});
        const auto isNear = [](double value, double expected) { return std::abs(value - expected) <= 0.02 * expected; };
        QVERIFY2(isNear(load.busiestRank, busiestRank), qPrintable(QString::number(load.busiestRank)));
        QVERIFY2(isNear(load.busiestExpert, busiestExpert), qPrintable(QString::number(load.busiestExpert)));
        for (qsizetype i = 0; i < dropped.size(); ++i) // the table has three digits
            QVERIFY2(std::abs(load.dropped[static_cast<std::size_t>(i)] - dropped[i]) <= 0.0015 + 0.02 * dropped[i],
                     qPrintable(QString::number(load.dropped[static_cast<std::size_t>(i)])));
    }

    /// Bounds of any pair, and pairs whose time is plain to see.
    void overlappedPairs()
    {
        using simulate::LaneLeg;
        const std::vector<LaneLeg> compute{{3, false}};
        const std::vector<LaneLeg> network{{5, true}};
        QCOMPARE(simulate::overlappedSeconds(compute, network), 5.0);
        QCOMPARE(simulate::overlappedSeconds(compute, compute), 6.0);
        QCOMPARE(simulate::overlappedSeconds(compute, {}), 3.0);
        // Both begin with compute: the second waits for the first, then their lanes alternate.
        const std::vector<LaneLeg> mixed{{1, false}, {1, true}, {1, false}, {1, true}};
        QCOMPARE(simulate::overlappedSeconds(mixed, mixed), 5.0);
        base::Random random(3);
        for (int turn = 0; turn < 200; ++turn) {
            std::array<std::vector<LaneLeg>, 2> pair;
            std::array<double, 2> lanes{};
            std::array<double, 2> passes{};
            for (std::size_t pass = 0; pass < 2; ++pass)
                for (std::int64_t leg = random.nextInteger(0, 12); leg > 0; --leg) {
                    const bool isNetwork = random.nextInteger(0, 1) == 1;
                    const bool isDeferrable = !isNetwork && random.nextInteger(0, 3) == 0;
                    const double seconds = random.nextUniform();
                    pair[pass].push_back({seconds, isNetwork, isDeferrable});
                    lanes[isNetwork ? 1 : 0] += seconds;
                    passes[pass] += isDeferrable ? 0 : seconds;
                }
            const double seconds = simulate::overlappedSeconds(pair[0], pair[1]);
            const double least = std::max({lanes[0], lanes[1], passes[0], passes[1]});
            QVERIFY2(seconds > least - 1e-9 && seconds < lanes[0] + lanes[1] + 1e-9,
                     qPrintable(QString("turn %1: %2").arg(turn).arg(seconds)));
        }
    }

    /// The pair of DeepSeek-V3's published trace from the sums of its streams: 4 layers of experts, of which the compute stream
    /// runs kernels for 118.2 ms (attention 5 forward and 17 backward), and the other dispatches for 17.4 and 13.6 ms and
    /// combines for 49.4 ms. The rest of the other's 114.5 ms waits for counts, which follows from the schedule.
    void pairOfDeepSeek()
    {
        constexpr int kLayers = 4;
        constexpr double kCompute = 118.2;
        const double products = (kCompute - 5 - 17) / 3; // of each third: forward, gradients of inputs, of weights
        constexpr double kCombine = 49.4 / 2;
        using simulate::LaneLeg;
        std::vector<LaneLeg> forward;
        std::vector<LaneLeg> backward;
        for (int layer = 0; layer < kLayers; ++layer) {
            for (const LaneLeg &leg : {LaneLeg{5, false}, {17.4, true}, {products, false}, {kCombine, true}})
                forward.push_back({leg.seconds / kLayers, leg.isNetwork});
            for (const LaneLeg &leg :
                 {LaneLeg{13.6, true}, {products, false}, {products, false, true}, {kCombine, true}, {17, false}})
                backward.push_back({leg.seconds / kLayers, leg.isNetwork, leg.isDeferrable});
        }
        const double pair = simulate::overlappedSeconds(forward, backward);
        QVERIFY2(pair >= kCompute && pair < 1.15 * kCompute, qPrintable(QString::number(pair)));
        QVERIFY2(std::abs(pair - kPairOfDeepSeek) < 0.01, qPrintable(QString::number(pair)));
    }

    /// Of a plan whose all-to-alls take about as long as its compute, pairs hide most.
    void pairsHideAllToAlls()
    {
        model::Experiment experiment;
        experiment.model = model::modelPreset("qwen3-30b-a3b").value();
        experiment.model.dtype = model::DataType::Bf16;
        experiment.parallel.devices = 4;
        experiment.parallel.microbatches = 8;
        experiment.parallel.replicas = experiment.parallel.expert = 16;
        experiment.schedule.family = "dualpipe-v";
        experiment.cost.source = model::HardwarePreset{"h100-sxm"};
        experiment = operators::resolved(experiment, 2);
        const auto made = schedule::makeSchedule(experiment);
        QVERIFY(made.ok());
        const auto hardware = model::hardwarePreset("h100-sxm");
        QVERIFY(hardware.ok());
        const simulate::CostModel costs = simulate::analyticCosts(experiment, *hardware, *made);
        const simulate::PassCost forward = costs.pass(1, schedule::PassKind::F, 1);
        const simulate::PassCost backward = costs.pass(1, schedule::PassKind::B, 1);
        const double whole = static_cast<double>(forward.duration + backward.duration);
        const double network = static_cast<double>(forward.expert + backward.expert);
        QVERIFY(network > 0.2 * whole);
        const auto pair = static_cast<double>(costs.inPair(forward) + costs.inPair(backward));
        QVERIFY2(pair >= std::max(network, whole - network) && pair < 1.25 * std::max(network, whole - network),
                 qPrintable(QString("%1 of %2, %3").arg(pair).arg(whole).arg(network)));
        // What has no all-to-alls takes as long in a pair as alone.
        const simulate::PassCost dense{.duration = 1000};
        QCOMPARE(costs.inPair(dense), base::Nanos{1000});
        auto blocking = experiment;
        blocking.cost.collectives = model::Collectives::Blocking;
        QCOMPARE(simulate::analyticCosts(blocking, *hardware, *made).hiddenInPairs, 0.0);
        auto alone = experiment;
        alone.parallel.expert = 1;
        QCOMPARE(simulate::analyticCosts(alone, *hardware, *made).hiddenInPairs, 0.0);
    }

    /// On how many ranks and nodes a token's experts are.
    void placesOfExperts()
    {
        model::ModelConfig model = model::modelPreset("deepseek-v3").value();
        const auto isNear = [](double value, double expected) { return std::abs(value - expected) < 1e-4 * expected; };
        QCOMPARE(simulate::expertPlaces(model, 64, {8, 8}).nodes, 4.0); // at most 4 of 8 groups, each on a node of its own
        model.routerGroups = model.routerGroupLimit = 0;
        // Any 8 of 256 experts: 8 (1 - C(224, 8) / C(256, 8)) nodes, 64 (1 - C(252, 8) / C(256, 8)) ranks.
        const simulate::ExpertPlaces free = simulate::expertPlaces(model, 64, {8, 8});
        double nodes = 1;
        double ranks = 1;
        for (int i = 0; i < 8; ++i) {
            nodes *= (224.0 - i) / (256 - i);
            ranks *= (252.0 - i) / (256 - i);
        }
        QVERIFY2(isNear(free.nodes, 8 * (1 - nodes)), qPrintable(QString::number(free.nodes)));
        QVERIFY2(isNear(free.ranks, 64 * (1 - ranks)), qPrintable(QString::number(free.ranks)));
        model.experts = 8;
        model.topK = 8;
        QCOMPARE(simulate::expertPlaces(model, 8, {2, 4}).ranks, 8.0); // all experts: every rank and node
        QCOMPARE(simulate::expertPlaces(model, 8, {2, 4}).nodes, 2.0);
        model.topK = 1;
        QVERIFY(isNear(simulate::expertPlaces(model, 8, {2, 4}).ranks, 1));
        QVERIFY(isNear(simulate::expertPlaces(model, 4, {1, 4}).nodes, 1));
    }

    /// DeepSeek-V3, 4096 tokens of 7168 numbers, 64 ranks on 8 nodes, 50 GB/s: 462 MB in 16 bits with a copy for each expert;
    /// 106 MB in 2.12 ms with one for each node in 8 bits, and 4.11 ms for their combination in 16 bits.
    void oneCopyForEachNode()
    {
        model::Experiment experiment;
        experiment.model = model::modelPreset("deepseek-v3").value();
        experiment.model.dtype = model::DataType::Bf16;
        experiment.model.sequence = 4096;
        experiment.parallel.devices = 16;
        experiment.parallel.replicas = experiment.parallel.expert = 64;
        auto hardware = model::hardwarePreset("h100-sxm").value();
        hardware.betweenNodes.latency = 0;
        hardware.betweenNodes.bytesPerSecond = 50e9;
        const auto legsOf = [&](simulate::PassHalf half) {
            std::vector<simulate::Leg> exchanges;
            for (const simulate::Leg &leg :
                 simulate::LayerCosts(experiment, hardware).legs(half, true, simulate::Rebuilds::Nothing))
                if (leg.isExpert)
                    exchanges.push_back(leg);
            return exchanges;
        };
        const auto isNear = [](double value, double expected) { return std::abs(value - expected) < 0.005 * expected; };
        for (const simulate::Leg &leg : legsOf(simulate::PassHalf::Forward))
            QVERIFY2(isNear(leg.bytes, 462e6), qPrintable(QString::number(leg.bytes)));
        experiment.parallel.expertDispatch = model::ExpertDispatch::PerNode;
        experiment.parallel.dispatchPrecision = model::DispatchPrecision::Fp8;
        for (const simulate::PassHalf half : {simulate::PassHalf::Forward, simulate::PassHalf::InputGradient}) {
            const std::vector<simulate::Leg> legs = legsOf(half); // of the backward, gradients of the outputs go to the experts
            QCOMPARE(legs.size(), std::size_t{2});
            QVERIFY2(isNear(legs[0].bytes, 106.0e6), qPrintable(QString::number(legs[0].bytes)));
            QVERIFY2(isNear(legs[0].seconds, 2.12e-3), qPrintable(QString::number(legs[0].seconds)));
            QVERIFY2(isNear(legs[1].bytes, 205.5e6), qPrintable(QString::number(legs[1].bytes)));
            QVERIFY2(isNear(legs[1].seconds, 4.11e-3), qPrintable(QString::number(legs[1].seconds)));
        }
        QVERIFY(legsOf(simulate::PassHalf::WeightGradient).empty());
        // Inside a node each rank gets one copy: 8 experts of a token are on fewer than 8 ranks.
        experiment.parallel.replicas = experiment.parallel.expert = 8;
        const double onRanks = legsOf(simulate::PassHalf::Forward)[1].bytes;
        experiment.parallel.expertDispatch = model::ExpertDispatch::PerExpert;
        const double each = legsOf(simulate::PassHalf::Forward)[1].bytes;
        QVERIFY2(onRanks > 0.5 * each && onRanks < 0.8 * each, qPrintable(QString("%1 %2").arg(onRanks).arg(each)));
    }

    /// 4 all-to-alls of a layer, of k h numbers a token, of which (e - 1) / e leave the rank.
    void allToAllsOfALayer()
    {
        model::Experiment experiment;
        experiment.model = model::modelPreset("qwen3-30b-a3b").value();
        experiment.model.dtype = model::DataType::Bf16;
        experiment.parallel.devices = 4;
        experiment.parallel.replicas = experiment.parallel.expert = 8;
        const auto hardware = model::hardwarePreset("h100-sxm");
        QVERIFY(hardware.ok());
        const simulate::LayerCosts layer(experiment, *hardware);
        using simulate::PassHalf;
        using simulate::Rebuilds;
        const double each = 2.0 * 8 * 2048 * experiment.model.sequence * 7 / 8;
        QCOMPARE(layer.expertExchanges(PassHalf::Forward, Rebuilds::Nothing).bytes, 2 * each);
        QCOMPARE(layer.expertExchanges(PassHalf::InputGradient, Rebuilds::Nothing).bytes, 2 * each);
        QCOMPARE(layer.expertExchanges(PassHalf::InputGradient, Rebuilds::Layer).bytes, 3 * each); // rows are sent again
        QCOMPARE(layer.expertExchanges(PassHalf::WeightGradient, Rebuilds::Nothing).bytes, 0.0);
        QVERIFY(layer.expertExchanges(PassHalf::Forward, Rebuilds::Nothing).seconds > 0);
        // Skewed experts make the busiest rank compute, send and receive more.
        auto skewed = experiment;
        skewed.whatIf.expertSkew = 0.5;
        const simulate::LayerCosts busiest(skewed, *hardware);
        const double load = simulate::busiestRank(skewed);
        QVERIFY(load > 1.2 && load < 1.5);
        QCOMPARE(busiest.expertExchanges(PassHalf::Forward, Rebuilds::Nothing).seconds,
                 load * layer.expertExchanges(PassHalf::Forward, Rebuilds::Nothing).seconds);
        const double longer =
            busiest.seconds(PassHalf::Forward, Rebuilds::Nothing) / layer.seconds(PassHalf::Forward, Rebuilds::Nothing);
        QVERIFY2(longer > 1.02 && longer < load, qPrintable(QString::number(longer)));
        // All that passes compute and exchange is shown as legs.
        for (const PassHalf half : {PassHalf::Forward, PassHalf::InputGradient, PassHalf::WeightGradient}) {
            double computed = 0;
            double exchanged = 0;
            for (const simulate::Leg &leg : busiest.legs(half, true, Rebuilds::Nothing))
                (leg.isExpert ? exchanged : computed) += leg.seconds;
            QVERIFY(std::abs(computed - busiest.seconds(half, Rebuilds::Nothing)) < 1e-9);
            QVERIFY(std::abs(exchanged - busiest.expertExchanges(half, Rebuilds::Nothing).seconds) < 1e-9);
        }
    }

    /// Groups over 2 tensor ranks of 4 replicas: a rank routes half of the tokens, and has whole experts.
    void expertRanksOfTensorRanks()
    {
        using simulate::PassHalf;
        using simulate::Rebuilds;
        model::Experiment experiment;
        experiment.model = model::modelPreset("mixtral-8x7b").value();
        experiment.model.dtype = model::DataType::Bf16;
        experiment.model.auxLoss = 0;
        experiment.cost.source = model::HardwarePreset{"h100-sxm"};
        experiment.parallel.devices = 1;
        experiment.parallel.tensor = 2;
        experiment.parallel.replicas = 8;
        experiment.parallel.zero = 1;
        experiment.parallel.stageLayers = {experiment.model.layers};
        const auto hardware = model::hardwarePreset("h100-sxm").value();
        const schedule::Schedule schedule = schedule::makeSchedule(experiment).value();
        const auto withExperts = [&](int expert) {
            auto plan = experiment;
            plan.parallel.expert = expert;
            return plan;
        };
        const model::Experiment divided = withExperts(1);
        const model::Experiment folded = withExperts(8);
        const simulate::LayerCosts dense(divided, hardware);
        const simulate::LayerCosts layer(folded, hardware);
        const double tokens = experiment.model.sequence / 2.0;
        QCOMPARE(layer.expertExchanges(PassHalf::Forward, Rebuilds::Nothing).bytes, 2 * (2 * tokens * 2 * 4096 * 7 / 8));
        // Without the all-gather before the experts and the reduce-scatter after them, only those of attention are left.
        const double exchanged = layer.tensorExchanges(PassHalf::Forward, true, Rebuilds::Nothing).bytes;
        QCOMPARE(exchanged, 2 * (2 * experiment.model.sequence * 4096.0 / 2));
        QCOMPARE(dense.tensorExchanges(PassHalf::Forward, true, Rebuilds::Nothing).bytes, 2 * exchanged);
        // Half of the tokens, with matrices that are twice as wide.
        const auto flops = [&](const simulate::LayerCosts &costs) {
            double sum = 0;
            for (const simulate::Leg &leg : costs.legs(PassHalf::Forward, true, Rebuilds::Nothing))
                sum += leg.flops;
            return sum;
        };
        const double router = 2.0 * experiment.model.sequence * 4096 * 8; // of all tokens on every rank, or of own ones
        QVERIFY(std::abs(flops(dense) - flops(layer) - router / 2) < 1e-9 * flops(layer));
        // One expert instead of a half of each of 8; its optimizer state is over 2 ranks instead of 8.
        const std::int64_t ofOne = 3LL * 4096 * 14336 * experiment.model.layers;
        const auto own = simulate::deviceParameters(folded, schedule, 0);
        QCOMPARE(own.experts, ofOne);
        QCOMPARE(simulate::deviceParameters(divided, schedule, 0).count - own.count, 3 * ofOne);
        const auto stateOf = [&](const model::Experiment &plan) {
            return simulate::staticBytes(plan, schedule, 0)[simulate::at(simulate::MemoryCategory::Optimizer)];
        };
        const std::int64_t shared = own.count - ofOne;
        QCOMPARE(stateOf(folded), 12 * (shared / 8 + ofOne / 2));
        QCOMPARE(stateOf(divided), 12 * (shared + 4 * ofOne) / 8);
    }

    /// Ranks that route parts of a microbatch gather a gate and the number of an expert for each choice, before rows are
    /// dropped and when a layer is computed again.
    void gatesAreGatheredForDrops()
    {
        using simulate::PassHalf;
        using simulate::Rebuilds;
        model::Experiment experiment;
        experiment.model = model::modelPreset("mixtral-8x7b").value();
        experiment.model.dtype = model::DataType::Bf16;
        experiment.model.auxLoss = 0;
        experiment.parallel.replicas = 8;
        const auto hardware = model::hardwarePreset("h100-sxm").value();
        const auto gathered = [&](const model::Experiment &plan, PassHalf half, Rebuilds rebuilds) {
            double bytes = 0;
            for (const simulate::Leg &leg : simulate::LayerCosts(plan, hardware).legs(half, false, rebuilds))
                bytes += leg.name == "all-gather gates" ? leg.bytes : 0;
            return bytes;
        };
        for (const auto &[tensor, context, expert] : {std::tuple(1, 4, 1), {2, 1, 8}, {2, 2, 8}, {2, 1, 1}}) {
            auto plan = experiment;
            plan.parallel.tensor = tensor;
            plan.parallel.context = context;
            plan.parallel.expert = expert;
            QCOMPARE(gathered(plan, PassHalf::Forward, Rebuilds::Nothing), 0.0);
            plan.model.capacityFactor = 1.25;
            const int ranks = context * (expert > 1 ? tensor : 1);
            const double expected = (ranks - 1) * (8.0 * 2 * plan.model.sequence / ranks);
            QCOMPARE(gathered(plan, PassHalf::Forward, Rebuilds::Nothing), expected);
            QCOMPARE(gathered(plan, PassHalf::InputGradient, Rebuilds::Nothing), 0.0);
            QCOMPARE(gathered(plan, PassHalf::InputGradient, Rebuilds::Layer), expected);
        }
    }

    /// Ranks with the same experts number their shares as the mesh orders their group.
    void sharesOfExpertsFollowTheMesh()
    {
        for (const auto &[tensor, context, replicas, expert] :
             {std::tuple(1, 1, 4, 2), {2, 1, 4, 2}, {2, 1, 4, 4}, {2, 2, 4, 4}, {1, 3, 8, 4}, {4, 2, 4, 8}}) {
            model::ParallelPlan plan;
            plan.tensor = tensor;
            plan.context = context;
            plan.replicas = replicas;
            plan.expert = expert;
            const layout::Mesh mesh = layout::meshOf(plan, 2).value();
            const simulate::ReplicaCuts cuts = simulate::replicaCuts(plan, {}, {}, {});
            QCOMPARE(cuts.experts.replicas(), plan.expertReplicas());
            for (int rank = 0; rank < mesh.ranks(); ++rank) {
                using layout::Axis;
                const layout::Coordinates at = mesh.coordinatesOf(rank);
                const int share = at[Axis::Context] + context * at[Axis::Data];
                const layout::Group copies = mesh.group(rank, {Axis::Context, Axis::ExpertData});
                QCOMPARE(static_cast<int>(copies.ranks.size()), plan.expertReplicas());
                QCOMPARE(cuts.expertShare(share), copies.index);
                const int first = cuts.firstShareOf(copies.index);
                QVERIFY(share >= first && (share - first) % context == 0 &&
                        share < first + context * plan.replicasPerExpertGroup());
            }
        }
    }
};

STAGELENS_TEST(ExpertLoadOfRanks)

} // namespace unit_simulate_expert_load

#include "simulate/expert_load.moc"
