// The output of nccl-tests, of several versions and launchers.
#include "engine/exchange/nccl_tests.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <random>

namespace unit_exchange_nccl_tests {

using namespace stagelens;
using exchange::NcclTestsOptions;
using exchange::readNcclTests;
using model::Collective;

namespace {

std::string ranksOf(int ranks, int perNode, const std::string &prefix = {})
{
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
        text += prefix + "#  Rank " + std::to_string(rank) + " Group  0 Pid  100 on  node" + std::to_string(rank / perNode) +
                " device  " + std::to_string(rank % perNode) + " [0x07] NVIDIA H100 80GB HBM3\n";
    return text;
}

constexpr const char *kHead =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";

/// A row as writeBenchmarkLinePreamble() and writeBenchmarkLineBody() of nccl-tests print it.
std::string row(double bytes, double micros, double factor, const char *redop = "sum", const char *wrong = "0")
{
    char text[200];
    const double rate = bytes / micros / 1000;
    std::snprintf(text, sizeof text,
                  "%12.0f  %12.0f     float  %6s      -1  %7.2f  %6.2f  %6.2f  %6s  %7.2f  %6.2f  %6.2f  %6s\n", bytes,
                  bytes / 4, redop, micros, rate, rate * factor, wrong, micros / 2, 2 * rate, 2 * rate * factor, wrong);
    return text;
}

model::CollectiveTable tableOf(const std::string &text, const NcclTestsOptions &options = {})
{
    const auto read = readNcclTests(text, "log", options);
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return read->tables.front();
}

} // namespace

class ExchangeNcclTests : public QObject {
    Q_OBJECT

private slots:
    void aTestOfOneNode()
    {
        const std::string text = "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n"
                                 "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 8 minBytes 8\n#\n"
                                 "# Using devices\n" +
                                 ranksOf(8, 8) + kHead +
                                 "           0             0     float     sum      -1     0.00    0.00"
                                 "    0.00      0     0.00    0.00    0.00      0\n" +
                                 row(1048576, 39.9, 1.75) + row(16777216, 133.5, 1.75) +
                                 "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 120\n";
        const model::CollectiveTable table = tableOf(text);
        QCOMPARE(table.operation, Collective::AllReduce);
        QCOMPARE(table.ranks, 8);
        QCOMPARE(table.nodes, 1);
        QCOMPARE(table.points.size(), std::size_t{2});
        QCOMPARE(table.points[0].bytes, 1048576.0);
        QCOMPARE(table.points[1].micros, 133.5); // out of place, not half of it
    }

    void launchersPutPrefixesBeforeTheLines()
    {
        for (const std::string prefix : {"[1,0]<stdout>:", "0: ", "  "}) {
            std::string text = prefix + "# Collective test starting: all_gather_perf\n" + ranksOf(16, 8, prefix);
            for (const std::string &line : {std::string(kHead).substr(0, std::string(kHead).find('\n') + 1),
                                            row(1048576, 50, 15.0 / 16, "none"), row(2097152, 70, 15.0 / 16, "none")})
                text += prefix + line;
            const model::CollectiveTable table = tableOf(text);
            QCOMPARE(table.operation, Collective::AllGather);
            QCOMPARE(table.ranks, 16);
            QCOMPARE(table.nodes, 2);
            QCOMPARE(table.points.size(), std::size_t{2});
        }
    }

    /// Versions before 2.17 do not name their program; the rates of an all-reduce and a reduce-scatter tell them apart.
    void ratesTellTheOperation()
    {
        for (const int ranks : {2, 4, 8, 16}) {
            const double part = static_cast<double>(ranks - 1) / ranks;
            QCOMPARE(tableOf(ranksOf(ranks, ranks) + kHead + row(1 << 28, 3000, 2 * part)).operation, Collective::AllReduce);
            QCOMPARE(tableOf(ranksOf(ranks, ranks) + kHead + row(1 << 28, 3000, part)).operation, Collective::ReduceScatter);
        }
        const std::string gather = ranksOf(8, 8) + kHead + row(1 << 28, 3000, 0.875, "none");
        const auto unknown = readNcclTests(gather, "log");
        QVERIFY(!unknown && unknown.error().text().find("give --operation all-gather") != std::string::npos);
        QCOMPARE(tableOf(gather, {.operation = Collective::AllToAll, .ranks = {}, .nodes = {}}).operation,
                 Collective::AllToAll);
        QCOMPARE(tableOf("$ ./build/alltoall_perf -b 8\n" + gather).operation, Collective::AllToAll); // the command line does
    }

    void oneFileHasSeveralTests()
    {
        std::string text;
        for (const auto &[program, factor] : {std::pair("all_reduce_perf", 1.75),
                                              {"reduce_scatter_perf", 0.875},
                                              {"broadcast_perf", 1.0},
                                              {"all_reduce_perf", 1.75}})
            text += std::string("# Collective test starting: ") + program + "\n# nThread 1 nGpus 8\n" + ranksOf(8, 8) + kHead +
                    row(1 << 20, text.empty() ? 50 : 40, factor);
        const auto read = readNcclTests(text, "log");
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QCOMPARE(read->tables.size(), std::size_t{2});
        QCOMPARE(read->tables[0].operation, Collective::ReduceScatter);
        QCOMPARE(read->tables[1].points[0].micros, 40.0); // the later test
        QCOMPARE(read->remarks.size(), std::size_t{1});
        QVERIFY(read->remarks[0].find("broadcast_perf is left out") != std::string::npos);
        model::Hardware hardware;
        hardware.collectives = {{Collective::AllReduce, 8, 1, {{1, 1}}}, {Collective::AllReduce, 16, 2, {{1, 1}}}};
        exchange::takeTables(hardware, read->tables);
        QCOMPARE(hardware.collectives.size(), std::size_t{3});
        QCOMPARE(hardware.collectives[0].ranks, 16); // the measured one of eight ranks is at the end
    }

    /// Before 2.13 a column had an error in the place of the number of wrong elements, and before 2.10 there was no root.
    void olderVersions()
    {
        const std::string text =
            ranksOf(4, 4) + "#       size         count    type   redop     time   algbw   busbw  error\n" +
            "     1048576        262144   float     sum    60.00   17.48   26.21  5e-07    59.0   17.8  26.6  "
            "5e-07\n";
        const model::CollectiveTable table = tableOf(text);
        QCOMPARE(table.points[0].micros, 60.0);
        QCOMPARE(table.operation, Collective::AllReduce);
    }

    void wrongLogsAreExplained_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("problem");
        const auto add = [](const char *name, const std::string &text, const char *problem) {
            QTest::newRow(name) << QString::fromStdString(text) << QString(problem);
        };
        add("empty", "", "has no line of results");
        add("no row", ranksOf(8, 8) + kHead, "has no line of results");
        add("other file", "{\"a\": 1}\nhello 1 2 3\n", "has no line of results");
        add("no ranks", kHead + row(1 << 20, 50, 1.75), "give --ranks and --nodes");
        add("one rank", ranksOf(1, 1) + kHead + row(1 << 20, 50, 1), "has times of 1 rank;");
        add("uneven nodes", ranksOf(5, 4) + kHead + row(1 << 20, 50, 1.6), "has 5 ranks on 2 nodes");
        add("wrong results", ranksOf(8, 8) + kHead + row(1 << 20, 50, 1.75, "sum", "12"), "nccl-tests found wrong results");
        add("broadcast alone", "# Collective test starting: broadcast_perf\n" + ranksOf(8, 8) + kHead + row(1 << 20, 50, 1),
            "broadcast_perf is left out");
    }
    void wrongLogsAreExplained()
    {
        QFETCH(QString, text);
        QFETCH(QString, problem);
        const auto read = readNcclTests(text.toStdString(), "my.log");
        QVERIFY(!read.ok());
        QCOMPARE(read.error().problems[0].field, std::string("my.log"));
        QVERIFY2(read.error().text().find(problem.toStdString()) != std::string::npos, read.error().text().c_str());
    }

    /// Any bytes give a table whose values a cluster's file accepts, or a message.
    void hostileBytes()
    {
        const unsigned seed = std::random_device()();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        const std::string sound = "# Collective test starting: all_reduce_perf\n" + ranksOf(8, 8) + kHead +
                                  row(1048576, 39.9, 1.75) + row(16777216, 133.5, 1.75);
        for (int round = 0; round < 3000; ++round) {
            std::string text = sound;
            for (int change = 1 + static_cast<int>(random() % 8); change > 0; --change) {
                const std::size_t at = random() % text.size();
                if (random() % 4 == 0)
                    text.erase(at, random() % 40);
                else
                    text[at] = static_cast<char>(random() % 256);
                if (text.empty())
                    text = " ";
            }
            const auto read = readNcclTests(text, "log");
            if (!read) {
                QVERIFY(!read.error().text().empty());
                continue;
            }
            for (const model::CollectiveTable &table : read->tables) {
                QVERIFY(table.ranks >= 2 && table.nodes >= 1 && table.ranks % table.nodes == 0 && !table.points.empty());
                double before = 0;
                for (const model::CollectivePoint &point : table.points) {
                    QVERIFY(point.bytes > before && point.micros > 0 && std::isfinite(point.micros));
                    before = point.bytes;
                }
            }
        }
    }
};

STAGELENS_TEST(ExchangeNcclTests)

} // namespace unit_exchange_nccl_tests

#include "exchange/nccl_tests.moc"
