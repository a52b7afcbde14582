// `--schedule auto` on the command line.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>
#include <csignal>

namespace integration_cli_auto {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const auto kPlan = u"--schedule auto --layers 8 --hidden 1024 --heads 8 --devices 4 --microbatches 8 --hardware a100-80gb "_s;

/// What was said on stderr, without the progress that a slow machine shows.
QByteArrayList messages(const CliAnswer &answer)
{
    QByteArrayList lines = answer.err.trimmed().split('\n');
    lines.removeIf([](const QByteArray &line) { return line.startsWith("searching: "); });
    return lines;
}

} // namespace

class CliAuto : public QObject {
    Q_OBJECT

private slots:
    void printsTheFrontAndTheChosenPlan()
    {
        const CliAnswer answer = m_cli.run(u"simulate --json "_s + kPlan);
        QCOMPARE(answer.status, 0);
        const QJsonObject document = answer.object();
        const QJsonArray front = document[u"front"].toArray();
        QVERIFY(!front.isEmpty());
        int chosen = 0;
        for (const QJsonValue &value : front) {
            const QJsonObject plan = value.toObject();
            QVERIFY(plan[u"lower_bound_ns"].toInteger() <= plan[u"iteration_ns"].toInteger());
            if (!plan[u"chosen"].toBool())
                continue;
            ++chosen;
            QCOMPARE(plan[u"iteration_ns"], document[u"metrics"].toObject()[u"iteration_ns"]);
            QCOMPARE(plan[u"family"], document[u"experiment"].toObject()[u"schedule"].toObject()[u"family"]);
        }
        QCOMPARE(chosen, 1);
        const CliAnswer words = m_cli.run(u"simulate "_s + kPlan);
        QCOMPARE(words.status, 0);
        QVERIFY(words.out.contains("above lower bound"));
        QVERIFY(words.out.contains("the hardware's capacity, is chosen"));
    }

    /// --recompute auto: the resolved document has the layers of each stage, and every device keeps the limit.
    void recomputesTheFewestLayers()
    {
        const auto plan = u"--layers 32 --devices 4 --microbatches 8 --hidden 64 --sequence 32 --vocabulary-size 64 "_s;
        const auto peaks = [this](const QString &words) {
            return m_cli.run(u"simulate --json "_s + words).object()[u"metrics"].toObject()[u"peak_memory_bytes"].toArray();
        };
        const auto most = [](const QJsonArray &all) {
            qint64 bytes = 0;
            for (const QJsonValue &each : all)
                bytes = std::max(bytes, each.toInteger());
            return bytes;
        };
        const qint64 limit = (most(peaks(plan)) + most(peaks(plan + u"--recompute full"_s))) / 2;
        const CliAnswer answer = m_cli.run(u"simulate --json --recompute auto --memory-limit %1 "_s.arg(limit) + plan);
        QCOMPARE(answer.status, 0);
        QVERIFY2(answer.err.startsWith("auto: recomputes "), answer.err);
        const QJsonObject document = answer.object();
        const QJsonArray layers = document[u"experiment"].toObject()[u"schedule"].toObject()[u"recompute_layers"].toArray();
        QCOMPARE(layers.size(), 4);
        QVERIFY(layers[0].toInt() > layers[3].toInt());
        QVERIFY(most(document[u"metrics"].toObject()[u"peak_memory_bytes"].toArray()) <= limit);
        QVERIFY(document[u"metrics"].toObject()[u"recomputed_ns_per_device"].toArray()[0].toInteger() > 0);
    }

    void showsTheLevers()
    {
        const auto plan = u"--layers 4 --devices 2 --microbatches 4 --hidden 64 --sequence 32 --vocabulary-size 64 "_s;
        const CliAnswer answer = m_cli.run(u"levers --json "_s + plan);
        QCOMPARE(answer.status, 0);
        const QJsonObject board = answer.object();
        QCOMPARE(board[u"stagelens"].toString(), u"levers/1"_s);
        const QJsonArray levers = board[u"levers"].toArray();
        QVERIFY(levers.size() > 20);
        for (const QJsonValue &value : levers) {
            const QJsonObject lever = value.toObject();
            if (lever[u"options"] != u"--recompute full"_s)
                continue;
            QCOMPARE(lever[u"numbers"].toString(), u"bit-equal"_s);
            const QJsonObject own = m_cli.run(u"simulate --json --recompute full "_s + plan).object()[u"metrics"].toObject();
            QCOMPARE(lever[u"iteration_ns"], own[u"iteration_ns"]);
            QCOMPARE(board[u"iteration_ns"].toInteger() + lever[u"lost_ns"].toInteger(), own[u"iteration_ns"].toInteger());
        }
        const CliAnswer words = m_cli.run(u"levers "_s + plan);
        QCOMPARE(words.status, 0);
        QVERIFY(words.out.contains("--recompute-modules norms,activation") && words.out.contains("same mathematics"));
        const CliAnswer teaching = m_cli.run(u"levers --uniform F=1,B=2"_s);
        QCOMPARE(teaching.status, 2);
        QVERIFY2(teaching.err.contains("name a model or its layers"), teaching.err);
    }

    void keepsToTheMemoryLimit()
    {
        const QJsonArray front = m_cli.run(u"simulate --json "_s + kPlan).object()[u"front"].toArray();
        const qint64 least = front.last().toObject()[u"peak_memory_bytes"].toInteger();
        const auto simulate = [&](qint64 limit) {
            return m_cli.run(u"simulate --json --memory-limit %1 "_s.arg(limit) + kPlan);
        };
        const CliAnswer held = simulate(least);
        QCOMPARE(held.status, 0);
        for (const QJsonValue &peak : held.object()[u"metrics"].toObject()[u"peak_memory_bytes"].toArray())
            QVERIFY(peak.toInteger() <= least);
        const CliAnswer refused = simulate(1000);
        QCOMPARE(refused.status, 2);
        QCOMPARE(messages(refused).size(), 1);
        QVERIFY(messages(refused).front().startsWith("--memory-limit: no plan fits 1000 bytes"));
    }

    void everyCommandResolvesIt()
    {
        const CliAnswer document = m_cli.run(u"experiment --json "_s + kPlan);
        QCOMPARE(document.status, 0);
        QVERIFY(document.object()[u"schedule"].toObject()[u"family"] != u"auto"_s);
        const CliAnswer valid = m_cli.run(u"validate "_s + kPlan);
        QCOMPARE(valid.status, 0);
        QVERIFY(messages(valid).front().startsWith("auto: "));
        QCOMPARE(m_cli.run(u"export --format csv "_s + kPlan).status, 0);
        const CliAnswer run = m_cli.run(u"run --schedule auto --layers 2 --hidden 32 --heads 2 --sequence 16 "
                                        "--vocabulary-size 64 --devices 2 --microbatches 4 --steps 1 --json"_s);
        QCOMPARE(run.status, 0);
        QVERIFY(messages(run).front().startsWith("auto: "));
        QVERIFY(run.object()[u"experiment"].toObject()[u"schedule"].toObject()[u"family"] != u"auto"_s);
        const QJsonArray families = m_cli.run(u"list schedules --json"_s).json().array();
        QCOMPARE(families.last().toObject()[u"name"].toString(), u"auto"_s);
    }

    void canBeInterrupted()
    {
        QProcess process;
        m_cli.prepare(process, u"simulate --schedule auto --model gpt-21b --devices 32 --microbatches 2000 "
                               "--hardware a100-80gb --json"_s.split(u' '));
        process.start();
        QVERIFY(process.waitForStarted());
        process.setReadChannel(QProcess::StandardError);
        QVERIFY(process.waitForReadyRead(CliRunner::kPatienceMs));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
        const CliAnswer answer = CliRunner::answerOf(process);
        QCOMPARE(answer.status, 130);
        QVERIFY(answer.out.isEmpty());
        QVERIFY(answer.err.startsWith("searching: "));
    }

private:
    CliRunner m_cli;
};

STAGELENS_TEST(CliAuto)

} // namespace integration_cli_auto

#include "cli_auto.moc"
