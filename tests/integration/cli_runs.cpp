// Training from the command line, the run database, interrupts and sudden death.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <csignal>

namespace integration_cli_runs {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const QString kTiny = QStringLiteral("--layers 2 --hidden 16 --heads 2 --sequence 8 --vocabulary-size 64 --devices 2 "
                                     "--microbatches 4 --mode virtual-clock ");
constexpr double kStepTokens = 4 * 8;

/// Waits until the process has shown a step; false if it ended or nothing came.
bool waitForStep(QProcess &process)
{
    QElapsedTimer timer;
    timer.start();
    QByteArray seen;
    while (timer.elapsed() < CliRunner::kPatienceMs) {
        seen += process.readAllStandardError();
        if (seen.contains("step "))
            return true;
        if (!process.waitForReadyRead(1000) && process.state() == QProcess::NotRunning)
            return false;
    }
    return false;
}

} // namespace

class CliRuns : public QObject {
    Q_OBJECT

private slots:
    void trainsAndStores();
    void dumpsAndStartsFromADump();
    void keepsRunsInOrder();
    void verifiesGradients_data();
    void verifiesGradients();
    void storesAnInterruptedRunAsCancelled_data();
    void storesAnInterruptedRunAsCancelled();
    void replacesNothingOfOthers();
    void deletesAllOrNone();
    void takesARunByItsName();
    void keepsNamesOnOneLine();
    void goesOnWhenNobodyReads();
    void marksAKilledRunInterrupted();

private:
    [[nodiscard]] QJsonObject row(const CliRunner &cli, int index) const
    {
        return cli.run(u"runs list --json"_s).json().array().at(index).toObject();
    }
    [[nodiscard]] QString statusOf(const CliRunner &cli, const QString &database) const
    {
        const QJsonArray rows = cli.run(u"runs list --json --db "_s + database).json().array();
        return rows.isEmpty() ? QString() : rows.first().toObject()[u"status"].toString();
    }
};

void CliRuns::trainsAndStores()
{
    const CliRunner cli;
    const CliAnswer answer = cli.run(u"run --json --steps 5 --vocabulary vocab-2 "_s + kTiny);
    QVERIFY2(answer.status == 0, answer.err);
    const double processor = answer.object()[u"metrics"].toObject()[u"processor_share"].toDouble(-1);
    QVERIFY2(processor > 0 && processor <= 1, qPrintable(QString::number(processor)));
    QVERIFY(answer.err.contains("step 5/5"));
    QVERIFY(!answer.err.contains('\r'));
    const QJsonObject document = answer.object();
    QCOMPARE(document[u"kind"].toString(), u"measured-virtual-clock"_s);
    QCOMPARE(document[u"backend"].toString(), u"cpu"_s);
    QVERIFY(!document[u"environment"].toObject().isEmpty());
    const QJsonArray losses = document[u"losses"].toArray();
    QCOMPARE(losses.size(), 5);
    QVERIFY(std::abs(losses[0].toDouble() - std::log(64.0)) < 0.5);
    const QJsonObject iterations = document[u"iterations"].toObject();
    QCOMPARE(iterations[u"steps_ns"].toArray().size(), 5);
    QCOMPARE(iterations[u"warm_up_steps"].toInt(), 2);
    QVERIFY(iterations[u"median_ns"].toDouble() > 0);
    QCOMPARE(document[u"devices"].toArray().size(), 2);
    QVERIFY(!document[u"devices"].toArray()[0][u"slices"].toArray().isEmpty());
    QCOMPARE(row(cli, 0)[u"status"].toString(), u"finished"_s);
    const QString id = QString::number(document[u"run"].toObject()[u"id"].toInteger());
    const CliAnswer shown = cli.run({u"runs"_s, u"show"_s, id, u"--json"_s});
    QCOMPARE(shown.object()[u"losses"].toArray(), losses);
    const QJsonArray passes = document[u"operators"].toArray();
    QCOMPARE(passes.size(), 2 * 6); // F, B, S, T, EF and EB of both devices
    QCOMPARE(passes[0][u"kind"].toString(), u"F"_s);
    QVERIFY(passes[0][u"operators"][0][u"duration_ns"].toDouble() > 0);
    QCOMPARE(shown.object()[u"operators"].toArray(), passes);
    QCOMPARE(shown.object()[u"metrics"][u"typical_of_steps"].toInt(), 3); // without the two that warm up
    const double fourth = iterations[u"steps_ns"].toArray()[3].toDouble();
    const CliAnswer step = cli.run({u"runs"_s, u"show"_s, id, u"--json"_s, u"--step"_s, u"3"_s});
    QCOMPARE(step.object()[u"metrics"][u"iteration_ns"].toDouble(), fourth);
    QVERIFY(!step.object()[u"metrics"].toObject().contains(u"typical_of_steps"_s));
    const CliAnswer exported = cli.run({u"export"_s, id, u"--step"_s, u"3"_s});
    QCOMPARE(exported.object()[u"metrics"][u"iteration_ns"].toDouble(), fourth);
    QCOMPARE(cli.run({u"runs"_s, u"show"_s, id, u"--step"_s, u"5"_s}).status, 2);
    QCOMPARE(cli.run(u"export --step 1"_s).status, 2);
}

void CliRuns::dumpsAndStartsFromADump()
{
    const CliRunner cli;
    const CliAnswer first = cli.run(u"run --json --steps 2 --vocabulary vocab-1 --dump one "_s + kTiny);
    QVERIFY2(first.status == 0, first.err);
    const CliAnswer second = cli.run(u"run --json --steps 2 --init one --dump two "_s + kTiny);
    QVERIFY2(second.status == 0, second.err);
    const auto content = [&](const QString &name) {
        QFile file(cli.path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    for (const QString &name : {u"config.json"_s, u"model.safetensors"_s, u"batch.safetensors"_s}) {
        QVERIFY(!content(u"one/"_s + name).isEmpty());
        QCOMPARE(content(u"two/"_s + name), content(u"one/"_s + name));
    }
    const auto result = QJsonDocument::fromJson(content(u"one/result.json"_s)).object();
    QCOMPARE(result[u"losses"].toArray(), first.object()[u"losses"].toArray());
    const double loss = first.object()[u"losses"].toArray()[0].toDouble();
    QVERIFY(std::abs(second.object()[u"losses"].toArray()[0].toDouble() - loss) < 1e-5 * loss);

    const CliAnswer missing = cli.run(u"run --steps 1 --init nowhere "_s + kTiny);
    QCOMPARE(missing.status, 2);
    QVERIFY2(missing.err.contains("nowhere"), missing.err);
    QCOMPARE(cli.run(u"run --steps 1 --init one --devices 2"_s).status, 2);
    QVERIFY(cli.run(u"run --steps 1 --dump /proc/nowhere "_s + kTiny).status != 0);
}

void CliRuns::keepsRunsInOrder()
{
    const CliRunner cli;
    const QString db = u" --db kept.db"_s;
    QCOMPARE(cli.run(u"run --steps 3 "_s + kTiny + db).status, 0);
    QCOMPARE(cli.run(u"run --steps 3 --vocabulary vocab-1 "_s + kTiny + db).status, 0);
    const auto rows = [&] { return cli.run(u"runs list --json"_s + db).json().array(); };
    QCOMPARE(rows().size(), 2);
    // The figures of a row are of one time.
    const QJsonObject newest = rows()[0].toObject();
    const double tokens = newest[u"tokens_per_second"].toDouble() * newest[u"iteration_ns"].toDouble() / 1e9;
    QVERIFY2(std::abs(tokens - kStepTokens) < 1e-3 * kStepTokens, qPrintable(QString::number(tokens)));
    const QString first = QString::number(std::min(rows()[0][u"id"].toInteger(), rows()[1][u"id"].toInteger()));
    const QString second = QString::number(std::max(rows()[0][u"id"].toInteger(), rows()[1][u"id"].toInteger()));

    QCOMPARE(cli.run({u"runs"_s, u"rename"_s, first, u"my run"_s, u"--db"_s, u"kept.db"_s}).status, 0);
    QCOMPARE(cli.run(u"runs tag %1 paper cpu"_s.arg(first) + db).status, 0);
    const QJsonObject renamed = cli.run(u"runs show %1 --json"_s.arg(first) + db).object()[u"run"].toObject();
    QCOMPARE(renamed[u"name"].toString(), u"my run"_s);
    QCOMPARE(renamed[u"tags"].toArray().size(), 2);

    const QJsonObject compared = cli.run(u"compare %1 %2 --json"_s.arg(first, second) + db).object();
    QCOMPARE(compared[u"parameters"].toArray()[0][u"field"].toString(), u"schedule.vocabulary"_s);
    QVERIFY(compared[u"device_time"].toObject()[u"S"][u"b_ns"].toDouble() > 0);

    for (const QString &format : {u"json"_s, u"chrome-trace"_s, u"csv"_s, u"torch-csv"_s, u"stagelens"_s}) {
        const CliAnswer exported = cli.run(u"export %1 --format %2"_s.arg(first, format) + db);
        QVERIFY2(exported.status == 0 && !exported.out.isEmpty(), exported.err);
    }
    QCOMPARE(cli.run(u"runs export %1 -o run.json"_s.arg(first) + db).status, 0);
    QVERIFY(QFile::exists(cli.path(u"run.json"_s)));
    QCOMPARE(cli.run(u"export %1 --devices 3"_s.arg(first) + db).status, 2);

    QCOMPARE(cli.run(u"runs delete %1"_s.arg(first) + db).status, 0);
    QCOMPARE(rows().size(), 1);
    const CliAnswer checked = cli.run(u"db check --json"_s + db);
    QCOMPARE(checked.status, 0);
    QCOMPARE(checked.object()[u"clean"].toBool(), true);
}

void CliRuns::verifiesGradients_data()
{
    QTest::addColumn<QString>("plan");
    QTest::newRow("1f1b none") << u"--schedule 1f1b"_s;
    QTest::newRow("gpipe vocab-1") << u"--schedule gpipe --vocabulary vocab-1"_s;
    QTest::newRow("1f1b vocab-2 tied") << u"--schedule 1f1b --vocabulary vocab-2 --tied"_s;
}

void CliRuns::verifiesGradients()
{
    QFETCH(const QString, plan);
    const CliRunner cli;
    const CliAnswer answer = cli.run(u"verify --json "_s + kTiny + plan);
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject document = answer.object();
    QCOMPARE(document[u"holds"].toBool(), true);
    QVERIFY(document[u"worst_relative_error"].toDouble() <= 1e-5);
    QVERIFY(document[u"gradients"].toArray().size() > 20);
}

void CliRuns::storesAnInterruptedRunAsCancelled_data()
{
    QTest::addColumn<QList<int>>("news");
    QTest::newRow("Ctrl+C") << QList{SIGINT};
    QTest::newRow("kill") << QList{SIGTERM};
    QTest::newRow("the terminal closes") << QList{SIGHUP, SIGHUP}; // the shell says so, and the kernel
}

void CliRuns::storesAnInterruptedRunAsCancelled()
{
    QFETCH(const QList<int>, news);
    const CliRunner cli;
    QProcess process;
    cli.prepare(process, (u"run --steps 100000000 --db live.db "_s + kTiny).split(u' ', Qt::SkipEmptyParts));
    process.start();
    QVERIFY(waitForStep(process));
    // Another process sees it as running, and may not take it for dead.
    QCOMPARE(statusOf(cli, u"live.db"_s), u"running"_s);
    for (const int signal : news)
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    const CliAnswer answer = CliRunner::answerOf(process);
    QVERIFY2(answer.status == 130, answer.err);
    QCOMPARE(statusOf(cli, u"live.db"_s), u"cancelled"_s);
}

void CliRuns::replacesNothingOfOthers()
{
    const CliRunner cli;
    QCOMPARE(cli.run(u"run --steps 1 --db x.db "_s + kTiny).status, 0);
    QCOMPARE(cli.run(u"run --steps 1 "_s + kTiny).status, 0);
    const auto content = [&](const QString &name) {
        QFile file(cli.path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray before = content(u"x.db"_s);
    for (const QString &words :
         {u"export 1 --db x.db -o x.db"_s, u"export 1 --db x.db --format png -o x.db"_s,
          u"runs export 1 --db x.db --format csv -o x.db"_s, u"export 1 -o x.db"_s, u"experiment -o x.db"_s,
          u"export 1 --format stagelens -o x.db"_s, u"export 1 --db x.db -o x.db.locks"_s, u"experiment -o data/runs.db"_s}) {
        const CliAnswer answer = cli.run(words);
        QVERIFY2(answer.status == 2 && answer.err.contains("choose another file"), qPrintable(words + u": "_s + answer.err));
    }
    QVERIFY(content(u"x.db"_s) == before);
    // A dump replaces what a dump wrote, and no other model.
    QVERIFY(QDir().mkdir(cli.path(u"model"_s)));
    QFile theirs(cli.path(u"model/model.safetensors"_s));
    QVERIFY(theirs.open(QIODevice::WriteOnly) && theirs.write("precious") == 8);
    theirs.close();
    const CliAnswer refused = cli.run(u"run --steps 1 --dump model "_s + kTiny);
    QVERIFY2(refused.status == 2 && refused.err.contains("which was not written by a dump"), refused.err);
    QCOMPARE(content(u"model/model.safetensors"_s), QByteArray("precious"));
    for (int i = 0; i < 2; ++i)
        QCOMPARE(cli.run(u"run --steps 1 --dump own "_s + kTiny).status, 0);
}

void CliRuns::deletesAllOrNone()
{
    const CliRunner cli;
    for (int i = 0; i < 3; ++i)
        QCOMPARE(cli.run(u"run --steps 1 "_s + kTiny).status, 0);
    const auto count = [&] { return cli.run(u"runs list --json"_s).json().array().size(); };
    const CliAnswer refused = cli.run(u"runs delete 2 99 none"_s);
    QCOMPARE(refused.status, 2);
    QCOMPARE(refused.problems().size(), 2);
    QCOMPARE(count(), 3);
    QCOMPARE(cli.run(u"runs delete 2 2 1"_s).status, 0);
    QCOMPARE(count(), 1);
}

void CliRuns::takesARunByItsName()
{
    const CliRunner cli;
    QCOMPARE(cli.run(u"run --steps 1 "_s + kTiny).status, 0);
    QCOMPARE(cli.run(u"runs rename 1 base"_s).status, 0);
    QCOMPARE(cli.run(u"runs tag base keep"_s).status, 0);
    QCOMPARE(row(cli, 0)[u"tags"].toArray(), QJsonArray({u"keep"_s}));
    QCOMPARE(cli.run(u"runs show base --json"_s).object()[u"run"][u"id"].toInteger(), 1);
    QCOMPARE(cli.run(u"runs export base"_s).object()[u"run"][u"id"].toInteger(), 1);
    QVERIFY(cli.run(u"runs show other"_s).err.contains("has no run other"));
    QCOMPARE(cli.run(u"runs delete base"_s).status, 0);
}

void CliRuns::keepsNamesOnOneLine()
{
    const CliRunner cli;
    for (int i = 0; i < 2; ++i)
        QCOMPARE(cli.run(u"run --steps 1 "_s + kTiny).status, 0);
    QCOMPARE(cli.run({u"runs"_s, u"rename"_s, u"1"_s, u"two\nlines \x1b[31m\u009b"_s}).status, 0);
    QCOMPARE(cli.run({u"runs"_s, u"rename"_s, u"2"_s, QString(5000, u'é')}).status, 0);
    for (const QString &words : {u"runs list"_s, u"runs show 1"_s, u"compare 1 2"_s}) {
        const CliAnswer answer = cli.run(words);
        QVERIFY2(answer.out.contains("two\\nlines \\x1b[31m\\x9b"), answer.out);
        QVERIFY(!answer.out.contains('\x1b'));
        for (const QByteArray &line : answer.out.split('\n'))
            QVERIFY2(QString::fromUtf8(line).size() < 300, line);
    }
}

void CliRuns::goesOnWhenNobodyReads()
{
    const CliRunner cli;
    const auto shell = [&](const QString &line) {
        QProcess process;
        cli.prepare(process, {});
        process.setArguments({u"-c"_s, line, process.program()});
        process.setProgram(u"/bin/sh"_s);
        process.start();
        process.waitForFinished(CliRunner::kPatienceMs);
        return CliRunner::answerOf(process);
    };
    // Progress without a reader does not end the training.
    const CliAnswer trained =
        shell(u"(\"$0\" run --steps 200 --db live.db %1 2>&1 >out; echo $? >status) | true; cat status"_s.arg(kTiny));
    QCOMPARE(trained.out, QByteArray("0\n"));
    QCOMPARE(statusOf(cli, u"live.db"_s), u"finished"_s);
    // More than a pipe holds: the rest is not written, and nobody is told.
    const CliAnswer first =
        shell(u"(\"$0\" simulate --timeline --microbatches 2000; echo $? >status) | head -n 1; cat status"_s);
    QVERIFY(first.out.startsWith("Predicted"));
    QVERIFY2(first.out.endsWith("\n1\n"), first.out);
    QVERIFY2(first.err.isEmpty(), first.err);
}

void CliRuns::marksAKilledRunInterrupted()
{
    const CliRunner cli;
    QCOMPARE(cli.run(u"run --steps 3 --db live.db "_s + kTiny).status, 0);
    QProcess process;
    cli.prepare(process, (u"run --steps 100000000 --db live.db "_s + kTiny).split(u' ', Qt::SkipEmptyParts));
    process.start();
    QVERIFY(waitForStep(process));
    process.kill();
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    QCOMPARE(cli.run(u"db check --db live.db"_s).status, 0);
    const QJsonArray rows = cli.run(u"runs list --json --db live.db"_s).json().array();
    QCOMPARE(rows.size(), 2);
    QStringList statuses;
    for (const QJsonValue &run : rows)
        statuses << run[u"status"].toString();
    statuses.sort();
    QCOMPARE(statuses, QStringList({u"finished"_s, u"interrupted"_s}));
}

STAGELENS_TEST(CliRuns)

} // namespace integration_cli_runs

#include "cli_runs.moc"
