// What the command line says about idle time, the critical path and better orders; the worked example of the documentation.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

namespace integration_cli_explain {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const QString kExample = u"simulate --schedule 1f1b --devices 2 --microbatches 3 --uniform F=1,B=2,send=.5"_s;

qint64 sumOf(const QJsonObject &causes)
{
    qint64 sum = 0;
    for (const QJsonValue &time : causes)
        sum += time.toInteger();
    return sum;
}

} // namespace

class CliExplain : public QObject {
    Q_OBJECT

private slots:
    void documentationShowsWhatIsPrinted()
    {
        QFile page(qEnvironmentVariable("STAGELENS_RESOURCES") + u"/docs/understanding-the-bubble.md"_s);
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        const QString command = u"    $ stagelens-cli "_s + kExample + u" --explain\n"_s;
        const qsizetype begin = text.indexOf(command);
        QVERIFY(begin >= 0);
        const CliAnswer answer = m_cli.run(kExample + u" --explain"_s);
        QCOMPARE(answer.status, 0);
        QStringList lines = QString::fromUtf8(answer.out).split(u'\n');
        for (QString &line : lines)
            line = line.isEmpty() ? line : u"    "_s + line;
        QCOMPARE(text.sliced(begin + command.size()).left(lines.join(u'\n').size()), lines.join(u'\n'));
    }

    void causesAddUpToTheBubble()
    {
        const QJsonObject metrics =
            m_cli.run(u"simulate --schedule v-half --vocabulary vocab-1 --json"_s).object()[u"metrics"].toObject();
        const QJsonArray devices = metrics[u"idle_by_cause_per_device_ns"].toArray();
        const qint64 makespan = metrics[u"makespan_ns"].toInteger();
        QCOMPARE(devices.size(), 4);
        qint64 idle = 0;
        for (qsizetype device = 0; device < devices.size(); ++device) {
            const qint64 own = sumOf(devices[device].toObject());
            QCOMPARE(static_cast<double>(own) / static_cast<double>(makespan),
                     metrics[u"bubble_ratio_per_device"].toArray()[device].toDouble());
            idle += own;
        }
        QCOMPARE(sumOf(metrics[u"idle_by_cause_ns"].toObject()), idle);
        QVERIFY(!metrics.contains(u"critical_path"));
    }

    void timelineTellsSlackAndCriticalPath()
    {
        const QJsonObject document = m_cli.run(kExample + u" --json --timeline"_s).object();
        const QJsonArray path = document[u"metrics"].toObject()[u"critical_path"].toArray();
        QCOMPARE(path.size(), 12);
        qint64 at = 0;
        for (const QJsonValue &step : path) {
            QCOMPARE(step[u"begin_ns"].toInteger(), at);
            at = step[u"end_ns"].toInteger();
        }
        QCOMPARE(at, 14'000'000);
        QCOMPARE(path[1][u"transfer"].toString(), u"send"_s);
        QCOMPARE(path[1][u"to"].toInteger(), 1);
        const QJsonArray slices = document[u"devices"][0][u"slices"].toArray();
        QCOMPARE(slices[1][u"slack_ns"].toInteger(), 3'000'000);
        QVERIFY(!slices[1].toObject().contains(u"critical"));
        QVERIFY(slices[2][u"critical"].toBool());
    }

    void tracesBearSlack()
    {
        const CliAnswer answer =
            m_cli.run(u"export --format chrome-trace --devices 2 --microbatches 3 --uniform F=1,B=2 -o -"_s);
        QCOMPARE(answer.status, 0);
        QVERIFY(answer.out.contains(R"("slack_us":0.000,"critical":true)"));
    }

    void measuredRunsAreExplained()
    {
        QCOMPARE(
            m_cli.run(u"run --steps 3 --layers 4 --hidden 32 --sequence 16 --vocabulary-size 256 --microbatches 4"_s).status,
            0);
        const QJsonObject metrics = m_cli.run(u"runs show 1 --json"_s).object()[u"metrics"].toObject();
        const double idle = metrics[u"bubble_ratio"].toDouble() * 4 * metrics[u"makespan_ns"].toDouble();
        QVERIFY(std::abs(static_cast<double>(sumOf(metrics[u"idle_by_cause_ns"].toObject())) - idle) < 10);
    }

    void bestOrderSaysWhatItSaves()
    {
        const QString plan =
            u"simulate --model gpt-4b --hardware a100-80gb --devices 8 --microbatches 32 --vocabulary-size 32768 "
            "--schedule 1f1b --vocabulary vocab-2"_s;
        const QJsonObject published = m_cli.run(plan + u" --json"_s).object()[u"metrics"].toObject();
        const QJsonObject best = m_cli.run(plan + u" --vocabulary-order best --json"_s).object()[u"metrics"].toObject();
        QVERIFY(!published.contains(u"published_iteration_ns"));
        QCOMPARE(best[u"published_iteration_ns"].toInteger(), published[u"iteration_ns"].toInteger());
        QVERIFY(best[u"iteration_ns"].toInteger() < published[u"iteration_ns"].toInteger());
        QVERIFY(m_cli.run(plan + u" --vocabulary-order best"_s).out.contains("best saves"));
    }

private:
    CliRunner m_cli;
};

STAGELENS_TEST(CliExplain)

} // namespace integration_cli_explain

#include "cli_explain.moc"
