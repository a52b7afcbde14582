// Importing measured timelines on the command line: straggler traces with their what-ifs, traces of passes, and refusals.
#include "tests/support/cli_runner.h"
#include "tests/support/simulate_support.h"
#include "tests/support/straggler_csv.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <cmath>

namespace integration_cli_import {

using namespace Qt::StringLiterals;
using namespace stagelens;
using test::CliAnswer;
using test::CliRunner;

class CliImport : public QObject {
    Q_OBJECT

private slots:
    /// 4 devices, the last 1.5 times as slow, in two replicas: the closed form of tests/property/slow_device.cpp gives 45 and,
    /// fixed, 36; the even step takes 33 x 1.125.
    void stragglers()
    {
        model::Experiment experiment =
            test::teachingExperiment("1f1b", 4, 8, model::VocabularyMethod::None, {{"F", 1}, {"B", 2}});
        experiment.whatIf.slow = "3=1.5";
        const test::Plan plan = test::predicted(experiment);
        std::string csv = test::stragglerHeader();
        for (int step = 0; step < 2; ++step)
            for (int replica = 0; replica < 2; ++replica)
                csv += test::stragglerRows(plan.timeline, replica, 100 + step, 1e9 * step);
        const QString file = write(u"job.csv"_s, csv);
        const QString database = m_cli.path(u"imported.db"_s);

        const CliAnswer words = m_cli.run(u"import "_s + file + u" --db "_s + database);
        QVERIFY2(words.status == 0, words.err.constData());
        for (const char *part :
             {"4 devices x 2 replicas, 8 microbatches each, 2 steps, 256 operations",
              "step 45.000 ms measured, 45.000 ms replayed, 37.125 ms with evened durations: slow-down 1.212", "device 3",
              "36.000 ms", "114.3 %", "device 3 of replica 0", "forward-compute",
              "fixing the last device recovers 114.3 % (M_S), the slowest 3 % of the workers (1 of 8) 0.0 % (M_W)",
              "imported as run 1: 2 steps"})
            QVERIFY2(words.out.contains(part), words.out.constData());

        const QJsonObject found = m_cli.run(u"import --format stragglers --json "_s + file + u" --db "_s + database).object();
        QCOMPARE(found[u"stagelens"].toString(), u"import/1"_s);
        QCOMPARE(found[u"run"].toInt(), 2);
        const QJsonObject stragglers = found[u"stragglers"].toObject();
        QCOMPARE(stragglers[u"actual_ns"].toInteger(), 45'000'000);
        QCOMPARE(stragglers[u"ideal_ns"].toInteger(), 37'125'000);
        const QJsonArray devices = stragglers[u"by_device"].toArray();
        QCOMPARE(devices.size(), 4);
        QCOMPARE(devices[3][u"step_if_fixed_ns"].toInteger(), 36'000'000);
        QVERIFY(std::abs(stragglers[u"last_device_recovered"].toDouble() - 9.0 / 7.875) < 1e-9);
        QCOMPARE(stragglers[u"slowest_workers"][u"of"].toInt(), 8);
        QCOMPARE(stragglers[u"by_worker"].toArray().size(), 8);
        QCOMPARE(stragglers[u"by_step"][1][u"step"].toInt(), 101);
        QCOMPARE(stragglers[u"by_operation"].toArray().size(), 2);
        QCOMPARE(stragglers[u"by_operation"][0][u"evened_ns"].toInteger(), 1'125'000);

        const QJsonObject run = m_cli.run(u"runs show 1 --json --db "_s + database).object();
        QCOMPARE(run[u"kind"].toString(), u"imported"_s);
        QCOMPARE(run[u"metrics"][u"makespan_ns"].toInteger(), 45'000'000);
    }

    void tracesOfPasses()
    {
        const auto event = [](const char *name, int device, int begin, int duration) {
            return fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":1,"ts":{},"dur":{}}})", name, device, begin, duration);
        };
        const QString file = write(u"trace.json"_s, "[" + event("PP:0F0", 0, 0, 10) + "," + event("PP:1F0", 1, 10, 10) + "," +
                                                        event("PP:1B0", 1, 20, 20) + "," + event("PP:0B0", 0, 40, 20) + "]");
        const QString database = u" --db "_s + m_cli.path(u"traces.db"_s);
        const CliAnswer words = m_cli.run(u"import "_s + file + database);
        QVERIFY2(words.status == 0, words.err.constData());
        QCOMPARE(words.out, QByteArray("imported as run 1: 1 step\n"));
        const QJsonObject found = m_cli.run(u"import --json "_s + file + database).object();
        QCOMPARE(found[u"run"].toInt(), 2);
        QCOMPARE(found[u"incomplete_steps"].toInt(), 0);
        QVERIFY(!found.contains(u"stragglers"_s));
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QByteArray>("problem");
        const QString bad = write(u"bad.csv"_s, "dp_rank,stage,step,optype,start_ts,duration,mb_id\n0,0,0,gc,0,-1,\n");
        QTest::newRow("no file") << u"import"_s << QByteArray("FILE");
        QTest::newRow("missing file") << u"import none.csv"_s << QByteArray("none.csv");
        QTest::newRow("format") << u"import x.csv --format csv"_s << QByteArray("--format");
        QTest::newRow("two straggler traces") << u"import a.csv b.csv"_s << QByteArray("give one");
        QTest::newRow("bad row") << u"import "_s + bad << QByteArray("bad.csv: line 2, column 6: duration is '-1'; give 0 to");
        QTest::newRow("not a trace") << u"import --format trace "_s + bad << QByteArray("bad.csv: is no JSON");
    }
    void refusals()
    {
        QFETCH(QString, words);
        QFETCH(QByteArray, problem);
        const CliAnswer answer = m_cli.run(words + u" --db "_s + m_cli.path(u"refused.db"_s));
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(problem) && answer.out.isEmpty(), answer.err.constData());
        QVERIFY(!QFile::exists(m_cli.path(u"refused.db"_s)));
    }

private:
    QString write(const QString &name, const std::string &content)
    {
        const QString file = m_cli.path(name);
        QFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(content.data(), static_cast<qint64>(content.size())) < 0)
            qFatal("%s cannot be written", qPrintable(file));
        return file;
    }

    CliRunner m_cli;
};

STAGELENS_TEST(CliImport)

} // namespace integration_cli_import

#include "cli/import.moc"
