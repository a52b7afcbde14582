// What-ifs on the command line: figures, JSON, refusals and cancelling.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <csignal>

namespace integration_cli_what_if {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const auto kTeaching = u"--devices 4 --microbatches 8 --uniform F=1,B=2 "_s;

} // namespace

class CliWhatIf : public QObject {
    Q_OBJECT

private slots:
    void aSlowDevice()
    {
        const CliAnswer words = m_cli.run(u"simulate --slow 3=1.5 "_s + kTeaching);
        QVERIFY2(words.status == 0, words.err.constData());
        for (const char *part : {"makespan     45.000 ms", "without them 33.000 ms", "device 3", "26.7 %", "18.5 %"})
            QVERIFY2(words.out.contains(part), words.out.constData());
        const QJsonObject found = m_cli.run(u"simulate --json --slow 3=1.5 "_s + kTeaching).object();
        QCOMPARE(found[u"metrics"][u"makespan_ns"].toInteger(), 45'000'000);
        QCOMPARE(found[u"experiment"][u"what_if"][u"slow"].toString(), u"3=1.5"_s);
        const QJsonObject what = found[u"what_if"].toObject();
        QCOMPARE(what[u"planned_iteration_ns"].toInteger(), 33'000'000);
        const QJsonObject part = what[u"parts"][0].toObject();
        QCOMPARE(part[u"name"].toString(), u"device 3"_s);
        QCOMPARE(part[u"iteration_without_ns"].toInteger(), 33'000'000);
        QCOMPARE(part[u"iteration_if_first_ns"].toInteger(), 40'500'000);
        QVERIFY(m_cli.run(u"simulate --explain --slow 3=1.5 "_s + kTeaching).out.contains("slow parts (what-ifs)"));
    }

    void plansWithoutWhatIfsAreAsBefore()
    {
        const CliAnswer plain = m_cli.run(u"simulate --json "_s + kTeaching);
        QVERIFY(!plain.object().contains(u"what_if"_s) && !plain.object()[u"metrics"].toObject().contains(u"draws"_s));
        const CliAnswer equal = m_cli.run(u"simulate --json --slow 2=1 "_s + kTeaching);
        QCOMPARE(equal.object()[u"devices"], plain.object()[u"devices"]);
    }

    void jitter()
    {
        const QString options = u"simulate --json --jitter 0.1 --draws 300 "_s + kTeaching;
        const CliAnswer answer = m_cli.run(options);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject metrics = answer.object()[u"metrics"].toObject();
        const QJsonObject makespan = metrics[u"makespan_quantiles_ns"].toObject();
        QVERIFY(makespan[u"p05"].toDouble() < makespan[u"p50"].toDouble());
        QVERIFY(makespan[u"p50"].toDouble() < makespan[u"p95"].toDouble());
        const double mean = makespan[u"mean"].toDouble() / metrics[u"makespan_ns"].toDouble();
        QVERIFY2(std::abs(mean - 1.035) < 0.01, qPrintable(QString::number(mean)));
        QCOMPARE(metrics[u"iteration_quantiles_ns"], metrics[u"makespan_quantiles_ns"]); // no optimizer in teaching units
        double sum = 0;
        for (const QJsonValue share : metrics[u"critical_share_per_device"].toArray())
            sum += share.toDouble();
        QVERIFY(std::abs(sum - 1) < 1e-9);
        QCOMPARE(m_cli.run(options).out, answer.out); // the same draws
        QVERIFY(m_cli.run(options + u"--seed 2"_s).out != answer.out);
        QVERIFY(m_cli.run(u"simulate --jitter 0.1 "_s + kTeaching)
                    .out.contains("Jitter of 10.0 % in every pass, 200 draws, seed 1"));
    }

    void replicas()
    {
        const QString plan =
            u"simulate --json --model gpt2-124m --hardware a100-80gb --devices 4 --microbatches 8 --replicas 4 "_s;
        const QJsonObject equal = m_cli.run(plan).object();
        const CliAnswer answer = m_cli.run(plan + u"--slow rank=14:1.3"_s); // ranks 12 to 15 are device 3
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject slow = answer.object();
        QCOMPARE(slow[u"what_if"][u"shown_replica"].toInt(), 2);
        QVERIFY(slow[u"metrics"][u"iteration_ns"].toDouble() > 1.1 * equal[u"metrics"][u"iteration_ns"].toDouble());
        QVERIFY(m_cli.run(QString(plan).remove(u"--json "_s) + u"--slow replica=1:2"_s)
                    .out.contains("of replica 1, which ends last"));
    }

    void lengthsAndFailures()
    {
        QFile file(m_cli.path(u"lengths.csv"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("microbatch,length\n0,100\n1,300\n");
        file.close();
        const QString plan = u"--devices 1 --microbatches 2 --uniform F=1,B=2 "_s;
        const CliAnswer lengths = m_cli.run(u"simulate --json --timeline --schedule gpipe --lengths lengths.csv "_s + plan);
        QVERIFY2(lengths.status == 0, lengths.err.constData());
        const QJsonArray slices = lengths.object()[u"devices"][0][u"slices"].toArray();
        QCOMPARE(slices[0][u"end_ns"].toInteger(), 500'000);
        QCOMPARE(slices[1][u"end_ns"].toInteger(), 2'000'000);
        const CliAnswer failures =
            m_cli.run(u"simulate --json --failure-interval 24 --checkpoint-seconds 30 --restart-seconds 60 "_s + plan);
        QVERIFY2(failures.status == 0, failures.err.constData());
        const QJsonObject found = failures.object()[u"failures"].toObject();
        QVERIFY(std::abs(found[u"optimum_seconds"].toDouble() - 2276.84) < 0.01);
        QVERIFY(found[u"goodput"].toDouble() > 0.97 && found[u"goodput"].toDouble() < 0.98);
        QVERIFY(m_cli.run(u"simulate --failure-interval 24 --checkpoint-seconds 30 "_s + plan).out.contains("goodput 97."));
        // Saved experiments name the file from their own folder.
        QCOMPARE(m_cli.run(u"experiment --lengths lengths.csv -o plan.json "_s + plan).status, 0);
        QCOMPARE(m_cli.run(u"simulate --schedule gpipe plan.json"_s).status, 0);
    }

    void wrongInputIsExplained_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *name, const QString &words, const char *message) {
            QTest::newRow(name) << words << QByteArray(message);
        };
        row("device", u"simulate --slow 9=1.5"_s, "--slow: names device 9, but the plan has devices 0 to 3; choose 3");
        row("text", u"simulate --slow fast"_s, "--slow: 'fast' names nothing slow");
        row("factor", u"simulate --slow 3=0"_s, "choose 0.01 to 100");
        row("node", u"simulate --slow node=1:2"_s, "--slow: names node 1, but 4 ranks fill 1 node");
        row("link", u"simulate --slow-link 0-9=2"_s, "--slow-link: names device 9");
        row("jitter", u"simulate --jitter 5"_s, "--jitter: is 5; choose 0.0001 to 2");
        row("no jitter", u"simulate --draws 5"_s, "--draws: is given without jitter");
        row("lengths", u"simulate --lengths nowhere.csv"_s, "--lengths: nowhere.csv");
        row("standard input", u"simulate --lengths -"_s, "--lengths: may not be standard input");
        row("interval", u"simulate --failure-interval 24"_s, "--failure-interval: needs checkpoint_seconds");
        row("run", u"run --steps 1 --slow 3=1.5"_s, "--slow: is 3=1.5, but a run takes the times of its machine");
        row("run jitter", u"run --steps 1 --jitter 0.1"_s, "--jitter: is 0.1, but a run takes the times of its machine");
        row("verify", u"verify --slow-link 2-3=2"_s, "--slow-link: is 2-3=2, but a run takes");
        row("verify failures", u"verify --failure-interval 24 --checkpoint-seconds 30"_s, "--failure-interval: is 24, but");
    }
    void wrongInputIsExplained()
    {
        QFETCH(QString, words);
        QFETCH(QByteArray, message);
        const CliAnswer answer = m_cli.run(words);
        QVERIFY2(answer.err.contains(message), answer.err.constData());
        QCOMPARE(answer.status, 2);
        QVERIFY(answer.out.isEmpty());
    }

    void interruptsStopTheDraws()
    {
        QProcess process;
        m_cli.prepare(process,
                      u"simulate --devices 8 --microbatches 512 --uniform F=1,B=2 --jitter 0.1 --draws 1000000"_s.split(u' '));
        process.start();
        QVERIFY(process.waitForStarted());
        process.setReadChannel(QProcess::StandardError);
        QVERIFY(process.waitForReadyRead(CliRunner::kPatienceMs));
        QVERIFY(process.readAllStandardError().contains("drawing: "));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
        QCOMPARE(process.exitCode(), 130);
    }

private:
    CliRunner m_cli;
};

STAGELENS_TEST(CliWhatIf)

} // namespace integration_cli_what_if

#include "cli/what_if.moc"
