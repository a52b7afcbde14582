// Clusters of one's own on the command line: `hardware`, and `--hardware FILE`.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QTest>

namespace integration_cluster_files {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const auto kPlan = u" --layers 8 --hidden 1024 --heads 8 --sequence 512 --devices 4 --microbatches 8 --replicas 4 "_s;

} // namespace

class CliCluster : public QObject {
    Q_OBJECT

private slots:
    /// The copy of a preset predicts what the preset does, also in an experiment from which the file is gone.
    void aCopyPredictsAsItsPreset()
    {
        QCOMPARE(m_cli.run(u"hardware a100-80gb --name mine -o mine.json"_s).status, 0);
        const CliAnswer preset = m_cli.run(u"simulate --json --hardware a100-80gb"_s + kPlan);
        const CliAnswer copy = m_cli.run(u"simulate --json --hardware mine.json"_s + kPlan);
        QVERIFY2(copy.status == 0, copy.err.constData());
        QCOMPARE(copy.object()[u"metrics"], preset.object()[u"metrics"]);
        QCOMPARE(m_cli.run(u"experiment --hardware mine.json -o plan.stagelens.json"_s + kPlan).status, 0);
        QVERIFY(QFile::remove(m_cli.path(u"mine.json"_s)));
        const CliAnswer kept = m_cli.run(u"simulate --json plan.stagelens.json"_s);
        QVERIFY2(kept.status == 0, kept.err.constData());
        QCOMPARE(kept.object()[u"metrics"], preset.object()[u"metrics"]);
        QCOMPARE(kept.object()[u"experiment"][u"cost"][u"hardware"][u"derived_from"].toString(), u"a100-80gb"_s);
    }

    void aSlowerNetworkTakesLonger()
    {
        write(u"fast.json"_s, R"({"stagelens": "hardware/1", "name": "fast", "base": "a100-80gb", "devices_per_node": 4})");
        write(u"slow.json"_s, R"({"stagelens": "hardware/1", "name": "slow", "base": "a100-80gb", "devices_per_node": 4,
                                  "between_nodes": {"oversubscription": 8}})");
        const auto iteration = [&](const QString &file) {
            return m_cli.run(u"simulate --json --hardware "_s + file + kPlan).object()[u"metrics"][u"iteration_ns"].toDouble();
        };
        const double fast = iteration(u"fast.json"_s);
        QVERIFY(fast > 0);
        QVERIFY(iteration(u"slow.json"_s) > fast);
    }

    void memoryThatIsReservedIsNotForPlans()
    {
        write(u"small.json"_s, R"({"stagelens": "hardware/1", "name": "small", "base": "a100-80gb",
                                   "reserved_memory_bytes": 85000000000})");
        const CliAnswer answer = m_cli.run(u"simulate --json --schedule auto --model gpt-4b --devices 8 --microbatches 16 "
                                           "--hardware small.json"_s);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("memory"), answer.err.constData());
    }

    void aPriceMakesACost()
    {
        write(u"rented.json"_s, R"({"stagelens": "hardware/1", "name": "rented", "base": "a100-80gb",
                                    "price_per_device_hour": 2.5, "currency": "EUR"})");
        const CliAnswer answer = m_cli.run(u"plan --json --gpus 4 --global-batch 16 --tokens 1e9 --top 1 --objective cost "
                                           "--layers 8 --hidden 1024 --heads 8 --sequence 512 --hardware rented.json"_s);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonValue plan = answer.object()[u"plans"][0];
        QCOMPARE(plan[u"cost"].toDouble(), 2.5 * plan[u"gpu_hours"].toDouble());
        QCOMPARE(plan[u"currency"].toString(), u"EUR"_s);
    }

    void everyProblemOfAFileIsNamed()
    {
        write(u"bad.json"_s, R"({"stagelens": "hardware/1", "name": "bad", "base": "a100-80gb", "nodes": -1, "nics": 4})");
        const CliAnswer answer = m_cli.run(u"simulate --hardware bad.json"_s);
        QCOMPARE(answer.status, 2);
        QCOMPARE(answer.problems().size(), 2);
        QVERIFY(answer.err.contains("--hardware: bad.json.nodes: is -1; choose 0 to 16777216 (the nearest is 0)"));
        QVERIFY(answer.err.contains("--hardware: bad.json.nics: unknown"));
        const CliAnswer check = m_cli.run(u"hardware bad.json"_s);
        QCOMPARE(check.status, 2);
        QCOMPARE(check.problems().size(), 2);
    }

    void whatIsNoHardwareIsExplained_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("missing") << u"simulate --hardware no/such.json"_s << QByteArray("--hardware: no/such.json");
        QTest::newRow("unknown") << u"hardware a100"_s << QByteArray("did you mean a100-80gb?");
        QTest::newRow("preset's name") << u"hardware h200 --name h100-sxm"_s << QByteArray("is h100-sxm, which is a preset");
        QTest::newRow("too many ranks") << u"simulate --hardware two.json --replicas 5"_s
                                        << QByteArray("has 16 (2 nodes of 8); lower devices to 3");
    }
    void whatIsNoHardwareIsExplained()
    {
        QFETCH(QString, words);
        QFETCH(QByteArray, message);
        write(u"two.json"_s, R"({"stagelens": "hardware/1", "name": "two", "base": "h200", "nodes": 2})");
        const CliAnswer answer = m_cli.run(words);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(message), answer.err.constData());
    }

    void aFullDiskIsReported() { QCOMPARE(m_cli.run(u"hardware h200 -o /dev/full"_s).status, 1); }

private:
    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(m_cli.path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    CliRunner m_cli;
};

STAGELENS_TEST(CliCluster)

} // namespace integration_cluster_files

#include "cluster/files.moc"
