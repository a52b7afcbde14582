// Files of clusters: derived from a preset, strict, and kept inside an experiment.
#include "engine/base/file.h"
#include "engine/model/experiment_json.h"
#include "engine/model/hardware_fields.h"
#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

namespace unit_model_cluster_file {

using namespace stagelens::model;
namespace base = stagelens::base;

namespace {

std::string fileOf(const std::string &members)
{
    return R"({"stagelens": "hardware/1", "name": "mine", "base": "h100-sxm")" + members + "}";
}

/// Returns the problems of a file, one a line.
std::string problemsOf(const std::string &text)
{
    const auto read = clusterFromText(text, "mine.json");
    return read ? std::string() : read.error().text();
}

} // namespace

class ModelClusterFile : public QObject {
    Q_OBJECT

private slots:
    void aFileSaysHowItDiffersFromItsBase()
    {
        const auto read = clusterFromText(
            fileOf(R"(, "nodes": 16, "nics_per_node": 4, "between_nodes": {"bytes_per_second": 25e9, "oversubscription": 2},
                      "reserved_memory_bytes": 4294967296, "fragmentation": 0.05, "price_per_device_hour": 2.5,
                      "collectives": [{"operation": "all-gather", "ranks": 8, "bytes": [1024, 2048], "microseconds": [9, 10]},
                                      {"operation": "all-reduce", "ranks": 8, "bytes": [1024], "microseconds": [9.25]}])"),
            "mine.json");
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        const Hardware h100 = *hardwarePreset("h100-sxm");
        QCOMPARE(read->name, std::string("mine"));
        QCOMPARE(read->derivedFrom, std::string("h100-sxm"));
        QCOMPARE(read->peakFlops, h100.peakFlops);
        QCOMPARE(read->insideNode, h100.insideNode);
        QCOMPARE(read->betweenNodes.latency, h100.betweenNodes.latency);
        QCOMPARE(read->betweenNodes.bytesPerSecond, 25e9);
        QCOMPARE(read->networkRate(8), 25e9 / 2 / 2);
        QCOMPARE(read->nodes, 16);
        QCOMPARE(read->usableMemory(), static_cast<base::Bytes>(static_cast<double>(h100.memoryCapacity - 4294967296) / 1.05));
        // One of the base's two tables is replaced, and one is new.
        QCOMPARE(read->collectives.size(), h100.collectives.size() + 1);
        QCOMPARE(read->collectives.back().points.front().micros, 9.25);
        QCOMPARE(h100.usableMemory(), h100.memoryCapacity);
    }

    void whatIsWrittenReadsBack()
    {
        for (const Hardware &preset : *hardwarePresets()) {
            Hardware cluster = copyOf(preset);
            cluster.nodes = 7;
            cluster.nicsPerNode = 3;
            cluster.fragmentation = 1.0 / 3;
            cluster.pricePerDeviceHour = 1.1;
            cluster.currency = "EUR";
            const std::string text = clusterText(cluster);
            const auto read = clusterFromText(text, "again");
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
            QVERIFY(*read == cluster);
            QCOMPARE(clusterText(*read), text);
        }
    }

    /// A saved experiment opens where the file is not.
    void anExperimentContainsItsCluster()
    {
        const QTemporaryDir folder;
        Experiment experiment;
        auto cluster = std::make_shared<Hardware>(copyOf(*hardwarePreset("h100-sxm")));
        cluster->nodes = 2;
        experiment.cost.source = HardwarePreset{cluster->name, cluster};
        const std::filesystem::path file = folder.filePath("plan.stagelens.json").toStdString();
        QVERIFY(saveExperiment(experiment, file).ok());
        const auto read = loadExperiment(file);
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
        QVERIFY(*read == experiment);
        const auto hardware = hardwareOf(std::get<HardwarePreset>(read->cost.source));
        QVERIFY(hardware.ok() && *hardware == *cluster);
        Experiment other = experiment;
        cluster = std::make_shared<Hardware>(*cluster);
        cluster->nodes = 3;
        other.cost.source = HardwarePreset{cluster->name, cluster};
        QVERIFY(other != experiment);
        // Presets stay names.
        experiment.cost.source = HardwarePreset{"h200"};
        QVERIFY(toJson(experiment)["cost"]["hardware"] == "h200");
    }

    void aClusterHasSoManyRanks()
    {
        Experiment experiment;
        auto cluster = std::make_shared<Hardware>(copyOf(*hardwarePreset("h100-sxm")));
        cluster->nodes = 2;
        experiment.cost.source = HardwarePreset{cluster->name, cluster};
        experiment.parallel.replicas = 4;
        QVERIFY(validate(experiment).empty());
        experiment.parallel.replicas = 5;
        const base::Problems problems = validate(experiment);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems[0].field, std::string("parallel.devices"));
        for (const char *part : {"20 ranks", "has 16 (2 nodes of 8)", "lower devices to 3", "raise its nodes to 3"})
            QVERIFY2(problems[0].message.find(part) != std::string::npos, problems[0].message.c_str());
    }

    void everyNumberHasItsRange()
    {
        for (const HardwareField &field : hardwareFields()) {
            Hardware hardware = *hardwarePreset("h100-sxm");
            const double before = field.value(hardware);
            QVERIFY2(faultOf(field, before).empty(), std::string(field.key).c_str());
            field.assign(hardware, field.most);
            QVERIFY2(std::abs(field.value(hardware) / field.most - 1) < 1e-12, std::string(field.key).c_str());
            for (const double wrong :
                 {field.least - 1, field.most * 1.5, std::nan(""), std::numeric_limits<double>::infinity()})
                QVERIFY2(!faultOf(field, wrong).empty(), std::string(field.key).c_str());
            QCOMPARE(faultOf(field, field.least).empty(), !field.isOpen);
            if (field.isWhole)
                QVERIFY(!faultOf(field, field.least + 0.5).empty());
        }
    }

    void wrongFilesAreExplained_data()
    {
        QTest::addColumn<QString>("members");
        QTest::addColumn<QString>("problem");
        const auto add = [](const char *name, const char *members, const char *problem) {
            QTest::newRow(name) << QString(members) << QString(problem);
        };
        add("negative", R"(, "nodes": -3)", "mine.json.nodes: is -3; choose 0 to 16777216 (the nearest is 0)");
        add("fraction", R"(, "nics_per_node": 2.5)", "mine.json.nics_per_node: is 2.5; choose a whole number");
        add("word", R"(, "nodes": "four")", "mine.json.nodes: must be a number, not text");
        add("share", R"(, "matrix_efficiency": 82)", "is 82; choose more than 0, up to 1 (the nearest is 1)");
        add("link", R"(, "inside_node": {"bytes_per_second": 0})", "mine.json.inside_node.bytes_per_second: is 0");
        add("oversubscription", R"(, "between_nodes": {"oversubscription": 0.5})", "(the nearest is 1)");
        add("no link", R"(, "between_nodes": 5)", "mine.json.between_nodes: must be an object");
        add("reserved", R"(, "reserved_memory_bytes": 99999999999)", "a device has 85899345920; choose less");
        add("unknown member", R"(, "node": 4)", "mine.json.node: unknown; did you mean nodes?");
        add("unknown link member", R"(, "inside_node": {"rate": 4})", "mine.json.inside_node.rate: unknown");
        add("tables", R"(, "collectives": {})", "mine.json.collectives: must be a list");
        add("operation", R"(, "collectives": [{"operation": "gather", "ranks": 8, "bytes": [1], "microseconds": [1]}])",
            "mine.json.collectives[0].operation: is `gather`; choose all-reduce");
        add("nodes of a table",
            R"(, "collectives": [{"operation": "all-reduce", "ranks": 8, "nodes": 3, "bytes": [1], "microseconds": [1]}])",
            "collectives[0].nodes: is 3, which does not divide the 8 ranks");
        add("lengths", R"(, "collectives": [{"operation": "all-reduce", "ranks": 8, "bytes": [1, 2], "microseconds": [1]}])",
            "has 1 times for 2 sizes");
        add("order", R"(, "collectives": [{"operation": "all-reduce", "ranks": 8, "bytes": [2, 1], "microseconds": [1, 1]}])",
            "has 1 behind 2; give growing sizes");
        add("twice", R"(, "collectives": [{"operation": "all-gather", "ranks": 8, "bytes": [2], "microseconds": [1]},
                                          {"operation": "all-gather", "ranks": 8, "bytes": [2], "microseconds": [1]}])",
            "collectives[1]: is a second table of all-gather among 8 ranks on 1 nodes");
        add("control characters", ", \"description\": \"a\\u001b[2Jb\"", "write one line of UTF-8 text");
    }
    void wrongFilesAreExplained()
    {
        QFETCH(QString, members);
        QFETCH(QString, problem);
        const std::string text = problemsOf(fileOf(members.toStdString()));
        QVERIFY2(text.find(problem.toStdString()) != std::string::npos, text.c_str());
    }

    void allProblemsOfAFileAreNamed()
    {
        const std::string text = problemsOf(fileOf(R"(, "nodes": -1, "peak_flops": 0, "fragmentation": 3)"));
        for (const char *field : {"mine.json.nodes", "mine.json.peak_flops", "mine.json.fragmentation"})
            QVERIFY2(text.find(field) != std::string::npos, text.c_str());
    }

    void otherFilesAreRefused()
    {
        const auto refused = [](const std::string &text, const char *problem) {
            const std::string found = problemsOf(text);
            QVERIFY2(found.find(problem) != std::string::npos, found.c_str());
        };
        refused(R"({"name": "mine", "base": "h100-sxm"})", "mine.json.stagelens: missing; a hardware file begins with");
        refused(R"({"stagelens": "hardware/2", "name": 3})", "is `hardware/2`, and this program reads `hardware/1` only");
        refused(R"({"stagelens": "hardware/1", "base": "h100-sxm"})", "mine.json.name: missing");
        refused(R"({"stagelens": "hardware/1", "name": "mine", "base": "h1"})", "mine.json.base: is `h1`; choose a100-80gb");
        refused(R"({"stagelens": "hardware/1", "name": "h200", "base": "h200"})", "choose another, such as h200-copy");
        refused(R"({"stagelens": "hardware/1", "name": "mine"})", "mine.json.peak_flops: missing");
        refused(R"({"stagelens": "hardware/1", "name": "mine"})", "mine.json.inside_node: missing");
        refused("", "is empty");
        refused(std::string(100, '['), "is nested deeper");
        refused("[1]", "a JSON object { ... } is expected");
    }

    void aFileThatCannotBeReadOrWrittenIsAMessage()
    {
        const QTemporaryDir folder;
        const std::filesystem::path missing = folder.filePath("no/such.json").toStdString();
        QVERIFY(!loadCluster(missing).ok());
        const auto saved = saveCluster(copyOf(*hardwarePreset("h200")), missing);
        QVERIFY(!saved.ok());
        QVERIFY2(saved.error().text().find("such.json") != std::string::npos, saved.error().text().c_str());
        const auto full = saveCluster(copyOf(*hardwarePreset("h200")), "/dev/full");
        QVERIFY(!full.ok());
    }
};

STAGELENS_TEST(ModelClusterFile)

} // namespace unit_model_cluster_file

#include "model/cluster_file.moc"
