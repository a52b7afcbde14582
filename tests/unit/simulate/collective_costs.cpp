// Times of collectives: measured tables, and what follows from them for groups of other sizes and layouts.
#include "engine/simulate/costs/collective_costs.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>
#include <cmath>
#include <random>

namespace unit_simulate_collective_costs {

using namespace stagelens;
using model::Collective;
using model::Hardware;
using simulate::collectiveSeconds;

namespace {

constexpr double kMiB = 1 << 20;
constexpr double kGiB = 1 << 30;
constexpr std::array kOperations{Collective::AllReduce, Collective::ReduceScatter, Collective::AllGather, Collective::AllToAll};

Hardware presetOf(const char *name)
{
    auto hardware = model::hardwarePreset(name);
    if (!hardware)
        qFatal("%s", hardware.error().text().c_str());
    return std::move(hardware).value();
}

/// 8 GPUs a node; links of 100 and 10 GB/s without latency.
Hardware plainCluster()
{
    Hardware hardware;
    hardware.insideNode = {"nvlink", 0, 100e9};
    hardware.betweenNodes = {"network", 0, 10e9};
    return hardware;
}

layout::NodeSpan spanOf(int nodes, int perNode)
{
    return {nodes, perNode};
}

bool isNear(double value, double expected, double share = 1e-9)
{
    return std::abs(value / expected - 1) <= share;
}

} // namespace

class SimulateCollectiveCosts : public QObject {
    Q_OBJECT

private slots:
    /// A gather and a reduce-scatter pass every node in turn, an all-reduce log2 of them, with and without a table of 4 nodes.
    void ringsHaveTheLatencyOfEachNode()
    {
        constexpr double kLatency = 1e-5;
        Hardware hardware = plainCluster();
        hardware.betweenNodes.latency = 10'000;
        Hardware measured = hardware;
        measured.collectives.push_back({Collective::AllReduce, 32, 4, {{1e6, 200}, {1e9, 100'000}}});
        for (const Collective operation : {Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce})
            for (const int nodes : {4, 16, 64}) {
                const bool isTree = operation == Collective::AllReduce;
                const double sent = simulate::bytesSent(operation, nodes, kGiB / 8) / 10e9;
                const double hops = isTree ? std::log2(nodes) : nodes - 1;
                const double time = simulate::collectiveSeconds(hardware, operation, 8 * nodes, spanOf(nodes, 8), kGiB);
                QVERIFY2(isNear(time, sent + hops * kLatency), qPrintable(QString::number(time)));
                const double more = isTree ? std::log2(nodes / 4) : nodes - 4;
                const auto inTable = [&](const Hardware &each) {
                    return simulate::collectiveSeconds(each, operation, 8 * nodes, spanOf(nodes, 8), kGiB);
                };
                Hardware atOnce = measured;
                atOnce.betweenNodes.latency = 0;
                QVERIFY(isNear(inTable(measured), inTable(atOnce) + more * kLatency));
            }
    }

    /// nccl-tests on eight A100, stas00/ml-engineering, network/: microseconds of an all-reduce by size.
    void measuredTimesComeBack()
    {
        const Hardware a100 = presetOf("a100-80gb");
        for (const auto &[kibibytes, micros] :
             {std::pair(32.0, 43.8), {512, 80.4}, {1024, 101.9}, {4096, 101.5}, {16384, 276.6}, {131072, 1327.6}})
            QVERIFY(isNear(collectiveSeconds(a100, Collective::AllReduce, 8, spanOf(1, 8), 1024 * kibibytes), micros * 1e-6));
        const Hardware h200 = presetOf("h200");
        const double gather = collectiveSeconds(h200, Collective::AllGather, 8, spanOf(1, 8), kGiB);
        QVERIFY(isNear(gather, 7.0 / 8 * kGiB / 361e9, 1e-3)); // switches add up, but do not gather
        const Hardware b200 = presetOf("b200");
        const double across = collectiveSeconds(b200, Collective::AllReduce, 32, spanOf(4, 8), kGiB);
        QVERIFY(isNear(across, 2 * 31.0 / 32 * kGiB / 362e9, 1e-3));
    }

    void betweenTwoPointsTheLineIsStraightInLogarithms()
    {
        Hardware hardware = plainCluster();
        hardware.collectives = {{Collective::AllGather, 4, 1, {{kMiB, 100}, {16 * kMiB, 400}}}};
        const auto seconds = [&](double bytes) {
            return collectiveSeconds(hardware, Collective::AllGather, 4, spanOf(1, 4), bytes);
        };
        QVERIFY(isNear(seconds(4 * kMiB), 200e-6)); // the geometric middle of both
        QVERIFY(isNear(seconds(kMiB / 1024), 100e-6));
        QVERIFY(isNear(seconds(160 * kMiB), 4000e-6)); // at the rate of the last point
    }

    void theNearestGroupGivesTheBusRate()
    {
        Hardware hardware = plainCluster();
        hardware.collectives = {{Collective::AllReduce, 2, 1, {{kMiB, 10}}}, {Collective::AllReduce, 8, 1, {{kMiB, 70}}}};
        const auto seconds = [&](Collective operation, int ranks) {
            return collectiveSeconds(hardware, operation, ranks, spanOf(1, ranks), kMiB);
        };
        QVERIFY(isNear(seconds(Collective::AllReduce, 2), 10e-6));
        QVERIFY(isNear(seconds(Collective::AllReduce, 6), 70e-6 * (5.0 / 6) / (7.0 / 8)));
        QVERIFY(isNear(seconds(Collective::ReduceScatter, 8), 35e-6)); // half of what an all-reduce sends
        hardware.collectives.push_back({Collective::AllGather, 8, 1, {{kMiB, 50}}});
        QVERIFY(isNear(seconds(Collective::ReduceScatter, 8), 50e-6)); // the nearer relative
        QVERIFY(isNear(seconds(Collective::AllToAll, 8), 50e-6));
        hardware.collectives.push_back({Collective::AllToAll, 8, 1, {{kMiB, 60}}});
        QVERIFY(isNear(seconds(Collective::AllToAll, 8), 60e-6));
    }

    void theRingLimitIsForOperationsWithoutATable()
    {
        Hardware hardware = plainCluster();
        hardware.collectives = {{Collective::AllReduce, 8, 1, {{kGiB, 2 * 7.0 / 8 * kGiB / 480e3}}}};
        hardware.ringBusRate = 360e9;
        const auto rate = [&](Collective operation) {
            return simulate::bytesSent(operation, 8, kGiB) / collectiveSeconds(hardware, operation, 8, spanOf(1, 8), kGiB);
        };
        QVERIFY(isNear(rate(Collective::AllReduce), 480e9));
        QVERIFY(isNear(rate(Collective::AllGather), 360e9));
        hardware.collectives.push_back({Collective::AllGather, 8, 1, {{kGiB, 7.0 / 8 * kGiB / 370e3}}});
        QVERIFY(isNear(rate(Collective::AllGather), 370e9));
    }

    /// A group with w ranks in each node uses w adapters.
    void betweenNodesEachRankHasItsAdapter()
    {
        Hardware hardware = plainCluster();
        const auto seconds = [&](Collective operation, int nodes, int perNode) {
            return collectiveSeconds(hardware, operation, nodes * perNode, spanOf(nodes, perNode), kGiB);
        };
        QVERIFY(isNear(seconds(Collective::ReduceScatter, 4, 1), 0.75 * kGiB / 10e9));
        QVERIFY(isNear(seconds(Collective::ReduceScatter, 4, 2), 0.75 * kGiB / 2 / 10e9));
        // Eight adapters together are nearly as fast as the links inside: the slower of the two counts.
        QVERIFY(isNear(seconds(Collective::AllGather, 4, 8), std::max(0.75 * kGiB / 80e9, 7.0 / 8 * kGiB / 100e9)));
        hardware.nicsPerNode = 4; // two GPUs share one
        QVERIFY(isNear(seconds(Collective::ReduceScatter, 4, 2), 0.75 * kGiB / 10e9));
        hardware.betweenNodes.oversubscription = 3;
        QVERIFY(isNear(seconds(Collective::ReduceScatter, 4, 2), 3 * 0.75 * kGiB / 10e9));
        // In an all-to-all each rank sends 6 of 8 parts of its tensor to other nodes.
        hardware.betweenNodes.oversubscription = 1;
        hardware.nicsPerNode = 0;
        QVERIFY(isNear(seconds(Collective::AllToAll, 4, 2), 0.75 * kGiB / 10e9));
    }

    void aTableBetweenNodesServesOtherLayouts()
    {
        Hardware hardware = plainCluster();
        hardware.insideNode.bytesPerSecond = 1e15; // only the network counts
        // Measured with all eight ranks of four nodes: 20 ms for 1 GiB, that is 128 MiB for each adapter.
        hardware.collectives = {{Collective::AllReduce, 32, 4, {{kGiB / 8, 3e3}, {kGiB, 20e3}}}};
        const auto seconds = [&](Collective operation, int nodes, int perNode, double bytes) {
            return collectiveSeconds(hardware, operation, nodes * perNode, spanOf(nodes, perNode), bytes);
        };
        QVERIFY(isNear(seconds(Collective::AllReduce, 4, 8, kGiB), 20e-3));
        QVERIFY(isNear(seconds(Collective::AllReduce, 4, 1, kGiB / 8), 20e-3));
        QVERIFY(isNear(seconds(Collective::AllReduce, 2, 1, kGiB / 8), 20e-3 * 0.5 / 0.75));
        QVERIFY(isNear(seconds(Collective::AllGather, 4, 8, kGiB), 10e-3));
        // A network that carries half as much takes as long as for twice the bytes, and its latency stays.
        hardware.betweenNodes.oversubscription = 2;
        QVERIFY(isNear(seconds(Collective::AllReduce, 4, 8, kGiB), 40e-3));
        QVERIFY(isNear(seconds(Collective::AllReduce, 4, 8, 1), 3e-3));
        hardware.betweenNodes.oversubscription = 1;
        hardware.nicsPerNode = 4; // the measurement had the same four
        QVERIFY(isNear(seconds(Collective::AllReduce, 4, 8, kGiB), 20e-3));
        hardware.collectives = {{Collective::AllReduce, 4, 4, {{kGiB / 8, 20e3}}}};
        QVERIFY(isNear(seconds(Collective::AllReduce, 4, 8, kGiB), 40e-3)); // this one had an adapter of its own
    }

    /// Whatever the tables: a time for each operation and layout, none shorter for more bytes.
    void everyGroupHasATime()
    {
        const unsigned seed = std::random_device()();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
        for (int round = 0; round < 500; ++round) {
            Hardware hardware = plainCluster();
            hardware.insideNode.latency = below(50'000);
            hardware.nicsPerNode = below(9);
            hardware.betweenNodes.oversubscription = 1 + below(4);
            hardware.ringBusRate = below(2) * 80e9;
            for (int table = below(4); table > 0; --table) {
                const int nodes = 1 << below(3);
                model::CollectiveTable made{
                    kOperations[static_cast<std::size_t>(below(4))], nodes * (2 << below(3)), nodes, {}};
                double bytes = 1024;
                double micros = 1;
                for (int point = 1 + below(5); point > 0; --point) {
                    made.points.push_back({bytes, micros});
                    bytes *= 2 + below(30);
                    micros *= 1 + below(20) / 10.0;
                }
                hardware.collectives.push_back(std::move(made));
            }
            const int nodes = 1 + below(5);
            const int perNode = 1 + below(8);
            for (const Collective operation : kOperations) {
                double before = 0;
                for (double bytes = 1; bytes < 1e13; bytes *= 7) {
                    const double seconds =
                        collectiveSeconds(hardware, operation, nodes * perNode, spanOf(nodes, perNode), bytes);
                    QVERIFY(std::isfinite(seconds));
                    QVERIFY(nodes * perNode == 1 ? seconds == 0 : seconds >= before * (1 - 1e-12));
                    before = seconds;
                }
            }
        }
    }
};

STAGELENS_TEST(SimulateCollectiveCosts)

} // namespace unit_simulate_collective_costs

#include "simulate/collective_costs.moc"
