// Checkpoints, resumed runs, evaluation and faults of a run on the command line.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <csignal>
#include <sys/resource.h>

namespace integration_cli_checkpoints {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const QString kTiny = QStringLiteral("--layers 2 --hidden 16 --heads 2 --sequence 8 --vocabulary-size 64 --devices 2 "
                                     "--microbatches 4 --mode virtual-clock ");

qint64 idOf(const CliAnswer &answer)
{
    return answer.object()[u"run"].toObject()[u"id"].toInteger();
}

QByteArray content(const CliRunner &cli, const QString &name)
{
    QFile file(cli.path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class CliCheckpoints : public QObject {
    Q_OBJECT

private slots:
    void goesOnToTheSameBits();
    void remembersSkippedSteps();
    void refusesWhatCannotGoOn();
    void goesOnFromTheCheckpointBeforeADamagedOne();
    void goesOnAfterAKill();
    void showsTheLossOnHeldBackTokens();
    void dumpsTheStateOfADivergedStep();
    void fullDisksAreNamed_data();
    void fullDisksAreNamed();
};

void CliCheckpoints::goesOnToTheSameBits()
{
    const CliRunner cli;
    const CliAnswer whole = cli.run(u"run --json --steps 6 --vocabulary vocab-2 --dump whole "_s + kTiny);
    QVERIFY2(whole.status == 0, whole.err);
    const CliAnswer first = cli.run(u"run --json --steps 4 --vocabulary vocab-2 --checkpoint-every 3 "_s + kTiny);
    QVERIFY2(first.status == 0, first.err);
    const QString id = QString::number(idOf(first));
    QCOMPARE(cli.run({u"runs"_s, u"rename"_s, id, u"half way"_s}).status, 0);
    // The plan is the stored run's.
    const CliAnswer second =
        cli.run({u"run"_s, u"--json"_s, u"--resume"_s, u"half way"_s, u"--steps"_s, u"6"_s, u"--dump"_s, u"second"_s});
    QVERIFY2(second.status == 0, second.err);
    const QJsonObject document = second.object();
    QCOMPARE(document[u"losses"].toArray(), whole.object()[u"losses"].toArray());
    QCOMPARE(document[u"evaluation_loss"].toDouble(), whole.object()[u"evaluation_loss"].toDouble());
    QCOMPARE(document[u"iterations"].toObject()[u"steps_ns"].toArray().size(), 2);
    QVERIFY(content(cli, u"second/model-final.safetensors"_s) == content(cli, u"whole/model-final.safetensors"_s));

    const QString next = QString::number(idOf(second));
    const CliAnswer shown = cli.run({u"runs"_s, u"show"_s, next, u"--json"_s});
    QCOMPARE(shown.object()[u"losses"].toArray(), document[u"losses"].toArray());
    const QJsonObject row = shown.object()[u"run"].toObject();
    QCOMPARE(row[u"resumed_run"].toInteger(), idOf(first));
    QCOMPARE(row[u"resumed_steps"].toInt(), 4);
    QCOMPARE(row[u"steps_done"].toInt(), 6);
    QVERIFY(cli.run({u"runs"_s, u"show"_s, next}).out.contains("run " + id.toUtf8() + " after step 4"));

    // Under another plan; stage cuts and mode follow the new number of devices.
    const CliAnswer other = cli.run(u"run --json --resume %1 --steps 6 --devices 1 --vocabulary none"_s.arg(id));
    QVERIFY2(other.status == 0, other.err);
    const QJsonArray losses = other.object()[u"losses"].toArray();
    for (int step = 0; step < 6; ++step)
        QVERIFY(std::abs(losses[step].toDouble() - document[u"losses"].toArray()[step].toDouble()) < 2e-5);

    QCOMPARE(cli.run({u"runs"_s, u"delete"_s, id}).status, 0);
    QVERIFY(!QFile::exists(cli.path(u"data/runs.db.checkpoints/run-"_s + id)));
}

/// The loss scale is so large that every gradient overflows. A resumed run also lists the steps skipped before the checkpoint.
void CliCheckpoints::remembersSkippedSteps()
{
    const CliRunner cli;
    const CliAnswer first =
        cli.run(u"run --json --steps 2 --dtype fp16 --loss-scale %1 --checkpoint-every 1 "_s.arg(1LL << 32) + kTiny);
    QVERIFY2(first.status == 0, first.err);
    QVERIFY2(first.err.contains("skipped"), first.err);
    QCOMPARE(first.object()[u"skipped_steps"].toArray(), (QJsonArray{0, 1}));
    const CliAnswer second =
        cli.run({u"run"_s, u"--json"_s, u"--resume"_s, QString::number(idOf(first)), u"--steps"_s, u"3"_s});
    QVERIFY2(second.status == 0, second.err);
    const CliAnswer shown = cli.run({u"runs"_s, u"show"_s, QString::number(idOf(second)), u"--json"_s});
    QCOMPARE(shown.object()[u"skipped_steps"].toArray(), (QJsonArray{0, 1, 2}));
    QCOMPARE(shown.object()[u"losses"].toArray().size(), 3);
}

void CliCheckpoints::refusesWhatCannotGoOn()
{
    const CliRunner cli;
    const auto refused = [&](const QString &words, const char *text) {
        const CliAnswer answer = cli.run(words);
        return answer.status == 2 && answer.err.contains(text) && answer.problems().size() == 1;
    };
    QVERIFY(refused(u"run --resume 3"_s, "--resume: "));
    QCOMPARE(cli.run(u"run --steps 2 "_s + kTiny).status, 0);
    QVERIFY(refused(u"run --resume 1 --steps 4"_s, "has no checkpoint"));
    QCOMPARE(cli.run(u"run --steps 2 --checkpoint-every 2 "_s + kTiny).status, 0);
    QVERIFY(refused(u"run --resume 2"_s, "raise it to train on"));
    QVERIFY(refused(u"run --resume 2 --steps 4 --sequence 4"_s, "--sequence: is 4, but"));
    QVERIFY(refused(u"run --resume 2 --steps 4 --data /no/such.txt"_s, "--data: "));
    QVERIFY(refused(u"run --resume 2 --steps 4 --seed 5"_s, "--seed: is 5, but"));
    QVERIFY(refused(u"run --resume 2 --steps 4 --microbatches 8"_s, "--microbatches: make steps of 8"));
    QVERIFY(refused(u"run --resume 2 --steps 4 --init x"_s, "--init"));
    const QString file = cli.path(u"data/runs.db.checkpoints/run-2/step-2/parameters.safetensors"_s);
    QVERIFY(QFile::resize(file, 100));
    QVERIFY(refused(u"run --resume 2 --steps 4"_s, "parameters.safetensors"));
    QVERIFY(cli.run(u"run --checkpoint-every 0 "_s + kTiny).status == 2);
    QCOMPARE(cli.run(u"runs list --json"_s).json().array().size(), 2); // what was refused is no run
    QVERIFY(cli.run(u"simulate --resume 2"_s).status == 2);
}

void CliCheckpoints::goesOnFromTheCheckpointBeforeADamagedOne()
{
    const CliRunner cli;
    QCOMPARE(cli.run(u"run --steps 4 --checkpoint-every 2 "_s + kTiny).status, 0);
    QFile file(cli.path(u"data/runs.db.checkpoints/run-1/step-4/second-moments.safetensors"_s));
    QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() / 2));
    char byte = 0;
    QVERIFY(file.getChar(&byte) && file.seek(file.size() / 2) && file.putChar(static_cast<char>(byte ^ 1)));
    file.close();
    const CliAnswer resumed = cli.run(u"run --json --resume 1 --steps 6"_s);
    QVERIFY2(resumed.status == 0, resumed.err);
    QVERIFY2(resumed.err.contains("the checkpoint after step 4 is damaged, the run resumes after step 2: ") &&
                 resumed.err.contains("second-moments.safetensors"),
             resumed.err);
    QCOMPARE(resumed.object()[u"run"].toObject()[u"resumed_steps"].toInt(), 2);
    QVERIFY(cli.run(u"runs show 2"_s).out.contains("checkpoint after step 4 is damaged"));
    const CliAnswer whole = cli.run(u"run --json --steps 6 "_s + kTiny);
    QCOMPARE(whole.object()[u"losses"].toArray(), resumed.object()[u"losses"].toArray());
}

void CliCheckpoints::goesOnAfterAKill()
{
    const CliRunner cli;
    QProcess process;
    cli.prepare(process, (u"run --steps 1000000 --checkpoint-every 1 --db live.db "_s + kTiny).split(u' ', Qt::SkipEmptyParts));
    process.start();
    const QString folder = cli.path(u"live.db.checkpoints/run-1"_s);
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(folder); }, CliRunner::kPatienceMs));
    QVERIFY(QTest::qWaitFor([&] { return !QDir(folder).entryList({u"step-*"_s}).isEmpty(); }, CliRunner::kPatienceMs));
    process.kill(); // in the middle of whatever it does
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    const QStringList left = QDir(folder).entryList({u"step-*"_s});
    QVERIFY(!left.isEmpty());
    int steps = 0;
    for (const QString &name : left)
        steps = std::max(steps, name.mid(5).toInt());
    const CliAnswer resumed = cli.run(u"run --json --db live.db --resume 1 --steps %1"_s.arg(steps + 2));
    QVERIFY2(resumed.status == 0, resumed.err);
    QCOMPARE(resumed.object()[u"losses"].toArray().size(), steps + 2);
    QCOMPARE(resumed.object()[u"run"].toObject()[u"resumed_steps"].toInt(), steps);
    const CliAnswer whole = cli.run(u"run --json --db live.db --steps %1 "_s.arg(steps + 2) + kTiny);
    QCOMPARE(whole.object()[u"losses"].toArray(), resumed.object()[u"losses"].toArray());
    const CliAnswer killed = cli.run(u"runs show 1 --json --db live.db"_s);
    QCOMPARE(killed.object()[u"run"].toObject()[u"status"].toString(), u"interrupted"_s);
}

void CliCheckpoints::showsTheLossOnHeldBackTokens()
{
    const CliRunner cli;
    const CliAnswer answer = cli.run(u"run --json --steps 8 --lr 0.01 "_s + kTiny);
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonArray evaluations = answer.object()[u"evaluations"].toArray();
    QCOMPARE(evaluations.size(), 2);
    QCOMPARE(evaluations[0].toObject()[u"steps"].toInt(), 0);
    QCOMPARE(evaluations[1].toObject()[u"steps"].toInt(), 8);
    const double loss = answer.object()[u"evaluation_loss"].toDouble();
    QCOMPARE(evaluations[1].toObject()[u"loss"].toDouble(), loss);
    QVERIFY(loss < evaluations[0].toObject()[u"loss"].toDouble()); // it learns what it does not see
    const CliAnswer shown = cli.run(u"runs show 1"_s);
    QVERIFY2(shown.out.contains("on held-back tokens") && shown.out.contains("step time"), shown.out);
    QCOMPARE(cli.run(u"runs show 1 --json"_s).object()[u"evaluations"].toArray(), evaluations);
    QCOMPARE(cli.run(u"runs list --json"_s).json().array()[0].toObject()[u"evaluation_loss"].toDouble(), loss);
    QVERIFY(cli.run(u"run --steps 1 "_s + kTiny).out.contains("on held-back tokens: loss "));
}

void CliCheckpoints::dumpsTheStateOfADivergedStep()
{
    const CliRunner cli;
    const CliAnswer answer = cli.run(u"run --json --steps 9 --lr 1e30 --vocabulary vocab-1 --dump state "_s + kTiny);
    QCOMPARE(answer.status, 1);
    QVERIFY2(answer.err.contains("not finite in step 2 of 9, microbatch 0, on device 1, in pass T0@"), answer.err);
    QVERIFY2(answer.err.contains("state/failed-step"), answer.err);
    QCOMPARE(answer.object()[u"run"].toObject()[u"status"].toString(), u"failed"_s);
    // The failing step can be looked at again.
    const CliAnswer again = cli.run(u"run --steps 1 --init state/failed-step --vocabulary vocab-1 --dump again "_s + kTiny);
    QVERIFY2(again.status == 1 && again.err.contains("not finite"), again.err);
    for (const QString &name : {u"config.json"_s, u"model.safetensors"_s})
        QCOMPARE(content(cli, u"again/"_s + name), content(cli, u"state/failed-step/"_s + name));
}

/// The greatest size of a file stands in for a full disk: the program may not be ended by the signal that comes with it.
void CliCheckpoints::fullDisksAreNamed_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QByteArray>("named");
    QTest::addColumn<bool>("trains");
    // 40 KiB hold a row of the database, but not these parameters (64 x 256 x 4 bytes and more).
    QTest::newRow("dump") << u"--dump state"_s << QByteArray("state/model.safetensors") << false;
    QTest::newRow("checkpoint") << u"--checkpoint-every 1"_s << QByteArray("there is no checkpoint after step 2") << true;
    QTest::newRow("database") << u""_s << QByteArray("runs.db") << false;
}

void CliCheckpoints::fullDisksAreNamed()
{
    QFETCH(const QString, words);
    QFETCH(const QByteArray, named);
    QFETCH(const bool, trains);
    const CliRunner cli;
    const bool isDatabase = words.isEmpty();
    QProcess process;
    cli.prepare(process, (u"run --steps 2 --layers 2 --hidden 256 --heads 2 --sequence 8 --vocabulary-size 256 --devices 2 "
                          "--microbatches 2 --mode virtual-clock "_s +
                          words)
                             .split(u' ', Qt::SkipEmptyParts));
    const rlim_t most = isDatabase ? 8 << 10 : 1 << 20;
    process.setChildProcessModifier([most] {
        const rlimit limit{most, most};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    process.start();
    QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
    const CliAnswer answer = CliRunner::answerOf(process);
    QVERIFY2(answer.status == 1 || (isDatabase && answer.status == 2), answer.err);
    QVERIFY2(answer.err.contains(named), answer.err);
    QCOMPARE(answer.out.contains("2 of 2 steps"), trains);
    if (isDatabase)
        return;
    // What was there before is still sound, and nothing half is left.
    QCOMPARE(cli.run(u"db check"_s).status, 0);
    const QDir checkpoints(cli.path(u"data/runs.db.checkpoints/run-1"_s));
    QVERIFY(checkpoints.entryList(QDir::AllEntries | QDir::NoDotAndDotDot).isEmpty());
    QVERIFY(!QFile::exists(cli.path(u"state/model.safetensors"_s)));
}

STAGELENS_TEST(CliCheckpoints)

} // namespace integration_cli_checkpoints

#include "cli_checkpoints.moc"
