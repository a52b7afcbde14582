// `plan` and `--global-batch` on the command line.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QTest>

namespace integration_cli_plan {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const auto kModel = u"--layers 8 --hidden 1024 --heads 8 --sequence 512 --hardware a100-80gb "_s;

} // namespace

class CliPlan : public QObject {
    Q_OBJECT

private slots:
    /// The experiment of each plan, given back to `simulate`, has the figures that were printed.
    void plansAreCompleteExperiments()
    {
        const CliAnswer answer = m_cli.run(u"plan --json --gpus 4 --global-batch 16 --tokens 1e9 --top 2 "_s + kModel);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonArray plans = answer.object()[u"plans"].toArray();
        QCOMPARE(plans.size(), 2);
        for (const QJsonValue &plan : plans) {
            QFile file(m_cli.path(u"plan.stagelens.json"_s));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QJsonDocument(plan[u"experiment"].toObject()).toJson());
            file.close();
            const CliAnswer predicted = m_cli.run(u"simulate --json "_s + file.fileName());
            QVERIFY2(predicted.status == 0, predicted.err.constData());
            QCOMPARE(predicted.object()[u"metrics"][u"iteration_ns"], plan[u"iteration_ns"]);
            QCOMPARE(predicted.object()[u"layout"][u"ranks"].toInt(), 4);
            const double days = 1e9 / plan[u"tokens_per_second"].toDouble() / 86400;
            QVERIFY(std::abs(plan[u"days"].toDouble() / days - 1) < 1e-9);
            QVERIFY(std::abs(plan[u"gpu_hours"].toDouble() / (days * 96) - 1) < 1e-9);
        }
    }

    void tablesForPeopleAndPrograms()
    {
        const CliAnswer words = m_cli.run(u"plan --gpus 4 --global-batch 16 "_s + kModel);
        QVERIFY2(words.status == 0, words.err.constData());
        for (const char *part : {"4 ranks of a100-80gb", "* is chosen", "Second: ", "Not searched: expert"})
            QVERIFY2(words.out.contains(part), words.out.constData());
        const CliAnswer csv = m_cli.run(u"plan --csv --gpus 4 --global-batch 16 --top 3 "_s + kModel);
        const QByteArrayList lines = csv.out.trimmed().split('\n');
        QVERIFY(lines.size() > 1 && lines.size() <= 4);
        for (const QByteArray &line : lines)
            QCOMPARE(line.count(','), lines[0].count(','));
        QVERIFY(lines[0].startsWith("devices,tensor,context,replicas,microbatches,microbatch_size,schedule,"));
    }

    /// Each size of `vocabulary` has the figures of `simulate`, and the time of a text follows from them.
    void smallerVocabulariesArePlans()
    {
        const QString plan = u"--layers 4 --hidden 128 --heads 4 --sequence 64 --vocabulary vocab-1 "_s;
        const CliAnswer answer = m_cli.run(u"vocabulary --json --data docs --vocabulary-size 2048 "_s + plan);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonArray sizes = answer.object()[u"sizes"].toArray();
        QCOMPARE(sizes.size(), 3);
        for (const QJsonValue &row : sizes) {
            const int size = row[u"vocabulary_size"].toInt();
            const CliAnswer predicted = m_cli.run(u"simulate --json --vocabulary-size %1 "_s.arg(size) + plan);
            QCOMPARE(row[u"iteration_ns"], predicted.object()[u"metrics"][u"iteration_ns"]);
            const auto ratio = [&](const QString &key) { return row[key].toDouble() / sizes[0][key].toDouble(); };
            QVERIFY(std::abs(row[u"text_time"].toDouble() / (ratio(u"iteration_ns"_s) * ratio(u"tokens"_s)) - 1) < 1e-9);
        }
        QCOMPARE(sizes[2][u"vocabulary_size"].toInt(), 512);
        QVERIFY(sizes[2][u"tokens"].toDouble() > sizes[0][u"tokens"].toDouble());
        const CliAnswer words = m_cli.run(u"vocabulary --data docs --vocabulary-size 2048 "_s + plan);
        QVERIFY2(words.out.contains(" of 2048 tokens occur in ") && words.out.contains("another model"), words.out.constData());
        const CliAnswer refused = m_cli.run(u"vocabulary "_s + plan);
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("name a text"), refused.err.constData());
    }

    /// Every synchronous order of a small plan with its optimum; that of 1F1B is known: (m + p - 1)(F + B).
    void optimaAreProvenForSmallPlans()
    {
        const CliAnswer answer = m_cli.run(u"optimum --json --devices 2 --microbatches 3 --uniform F=1,B=2"_s);
        QVERIFY2(answer.status == 0, answer.err.constData());
        bool isFound = false;
        const QJsonArray rows = answer.object()[u"schedules"].toArray();
        for (const QJsonValue &row : rows) {
            if (row[u"problem"].isUndefined())
                QVERIFY(row[u"lower_bound_ns"].toDouble() <= row[u"optimum_ns"].toDouble() &&
                        row[u"optimum_ns"].toDouble() <= row[u"makespan_ns"].toDouble());
            if (row[u"schedule"].toString() == u"1f1b"_s) {
                isFound = true;
                QCOMPARE(row[u"proven"].toBool(), true);
                QCOMPARE(row[u"optimum_ns"].toDouble(), 12e6);
            }
        }
        QVERIFY(isFound);
        const CliAnswer words = m_cli.run(u"optimum --devices 2 --microbatches 3 --uniform F=1,B=2"_s);
        for (const char *part : {"best order", "proven", "Left out: dualpipe-v"})
            QVERIFY2(words.out.contains(part), words.out.constData());
    }

    void slicesOfSequencesAreNumbered()
    {
        const CliAnswer answer =
            m_cli.run(u"simulate --json --timeline --schedule seq1f1b --sequence-slices 3 --devices 1 --microbatches 2 "
                      "--uniform F=1,B=2"_s);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonArray slices = answer.object()[u"devices"][0][u"slices"].toArray();
        QCOMPARE(slices.size(), 12);
        QCOMPARE(slices[0][u"sequence_slice"].toInt(-1), 0);
        QCOMPARE(slices[3][u"pass"].toString(), u"B"_s);
        QCOMPARE(slices[3][u"sequence_slice"].toInt(-1), 2);
        QCOMPARE(slices[3][u"microbatch"].toInt(-1), 0);
        QCOMPARE(slices[11][u"microbatch"].toInt(-1), 1);
        QCOMPARE(slices[11][u"sequence_slice"].toInt(-1), 0);
    }

    void wrongOptionsAreExplained_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("no gpus") << u"plan"_s << QByteArray("--gpus");
        QTest::newRow("fix") << u"plan --gpus 4 --fix size=2"_s << QByteArray("--fix: has 'size'; choose from devices");
        QTest::newRow("fix number") << u"plan --gpus 4 --fix devices=x"_s << QByteArray("write it as devices=1");
        QTest::newRow("fix and option") << u"plan --gpus 8 --devices 4 --fix devices=2"_s
                                        << QByteArray("--devices: is 4, but --fix gives devices=2; leave one out");
        QTest::newRow("no division") << u"plan --gpus 8 --fix devices=4,tensor=4"_s
                                     << QByteArray("8 GPUs divide into no plan with these sizes");
        QTest::newRow("refused division") << u"plan --gpus 4 --model gpt-4b --hardware a100-80gb --replicas 2 --sync-every 4"_s
                                          << QByteArray("a schedule refuses");
        QTest::newRow("cut of no schedule") << u"cut --schedule auto"_s << QByteArray("--schedule: is auto, but a cut is");
        QTest::newRow("tokens") << u"plan --gpus 4 --tokens many"_s << QByteArray("--tokens: is 'many'");
        QTest::newRow("cost") << u"plan --gpus 4 --objective cost"_s << QByteArray("no hardware preset states a price");
        QTest::newRow("batch") << u"simulate --replicas 3 --global-batch 16"_s
                               << QByteArray("--global-batch: is 16, which 3 replicas with microbatches of 1 sequences do not "
                                             "divide; give 15");
        QTest::newRow("both") << u"simulate --microbatches 4 --global-batch 16"_s << QByteArray("contradicts --microbatches");
        QTest::newRow("slices") << u"simulate --schedule 1f1b --sequence-slices 2"_s
                                << QByteArray("--sequence-slices: 1f1b runs whole sequences");
        QTest::newRow("no slices") << u"simulate --schedule seq1f1b --sequence-slices 0"_s
                                   << QByteArray("--sequence-slices: is 0; choose 1 to 256");
        QTest::newRow("run of slices") << u"run --schedule seq1f1b --tensor 2"_s
                                       << QByteArray("tensor ranks do not yet share the keys of slices");
        QTest::newRow("lengths of optimum") << u"optimum --collectives blocking --uniform F=1,B=2"_s
                                            << QByteArray("is blocking, and the search needs overlapped ones");
        QTest::newRow("zero") << u"simulate --zero 4 --replicas 2"_s << QByteArray("--zero: is 4");
        QTest::newRow("asynchronous") << u"simulate --replicas 2 --schedule pipedream"_s
                                      << QByteArray("--replicas: is 2, but pipedream updates weights before");
    }
    void wrongOptionsAreExplained()
    {
        QFETCH(QString, words);
        QFETCH(QByteArray, message);
        const CliAnswer answer = m_cli.run(words);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(message), answer.err.constData());
        QVERIFY(answer.out.isEmpty());
    }

    void theGlobalBatchSetsTheMicrobatches()
    {
        const CliAnswer answer =
            m_cli.run(u"simulate --json --replicas 2 --microbatch-size 2 --global-batch 32 --zero 1 "_s + kModel);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject document = answer.object();
        QCOMPARE(document[u"experiment"][u"parallel"][u"microbatches"].toInt(), 8);
        QCOMPARE(document[u"traffic_bytes_per_rank"].isUndefined(), true);
        QCOMPARE(document[u"metrics"][u"traffic_bytes_per_rank"][u"data"].toArray().size(), 4);
        QVERIFY(document[u"metrics"][u"exposed_exchange_ns"].toInteger() > 0);
    }

private:
    CliRunner m_cli;
};

STAGELENS_TEST(CliPlan)

} // namespace integration_cli_plan

#include "cli_plan.moc"
