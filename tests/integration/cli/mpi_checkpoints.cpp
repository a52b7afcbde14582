// Checkpoints of `run --transport mpi`: the files of a run on threads, resumed over MPI and on threads, and what a lost process
// or a full disk leaves.
#include "tests/support/mpi_runner.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QtTest>

#include <cmath>
#include <csignal>

namespace integration_cli_mpi_checkpoints {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::mpiObstacle;
using stagelens::test::MpiRunner;

namespace {

const QString kTiny = u"--layers 4 --hidden 32 --heads 4 --sequence 16 --vocabulary-size 97 --seed 7 "_s;

/// A plan on a number of processes.
struct Plan {
    int processes;
    QString words;
};

QStringList wordsOf(const QString &line)
{
    return line.split(u' ', Qt::SkipEmptyParts);
}

/// Runs a plan over MPI or on threads, each with a database of that name.
CliAnswer train(const MpiRunner &cli, const Plan &plan, bool isOverMpi, const QString &database, const QString &more)
{
    const QString line = u"run --json %1 %2 --db %3 "_s.arg(plan.words, more, cli.path(database));
    return isOverMpi ? cli.runTogether(plan.processes, line + u"--transport mpi"_s) : cli.run(line + u"--mode live"_s);
}

/// The files below a folder, by their path in it.
QMap<QString, QByteArray> filesIn(const QString &folder)
{
    QMap<QString, QByteArray> files;
    for (QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories); each.hasNext();) {
        QFile file(each.next());
        if (file.open(QIODevice::ReadOnly))
            files[QDir(folder).relativeFilePath(file.fileName())] = file.readAll();
    }
    return files;
}

QJsonArray lossesOf(const CliAnswer &answer)
{
    return answer.object()[u"losses"].toArray();
}

QJsonObject storedRun(const MpiRunner &cli, const QString &database)
{
    return cli.run(u"runs list --json --db "_s + cli.path(database)).json()[0].toObject();
}

QStringList entriesOf(const QString &folder, const QString &pattern)
{
    return QDir(folder).entryList({pattern}, QDir::Dirs);
}

int newestOf(const QStringList &checkpoints)
{
    int newest = 0;
    for (const QString &name : checkpoints)
        newest = std::max(newest, name.mid(5).toInt());
    return newest;
}

} // namespace

class CliMpiCheckpoints : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString obstacle = mpiObstacle(); !obstacle.isEmpty())
            QSKIP(qPrintable(obstacle));
    }

    void hasTheFilesOfThreads_data();
    void hasTheFilesOfThreads();
    void goesOnToTheSameBits_data();
    void goesOnToTheSameBits();
    void goesOnOnAnotherMesh();
    void replicasThatTrainAloneKeepTheirState_data();
    void replicasThatTrainAloneKeepTheirState();
    void refusesWhatCannotGoOn();
    void aLostProcessLeavesTheFormerOne_data();
    void aLostProcessLeavesTheFormerOne();
    void aFileThatCannotGrowIsAWarning();
    void aFolderThatCannotBeMadeIsAWarning();
};

void CliMpiCheckpoints::hasTheFilesOfThreads_data()
{
    QTest::addColumn<int>("processes");
    QTest::addColumn<QString>("plan");
    stagelens::test::Sample sample;
    const auto add = [&sample](int processes, const char *plan) {
        if (!sample.leavesOut())
            QTest::newRow(plan) << processes << plan;
    };
    add(8, "--devices 2 --tensor 2 --replicas 2 --zero 1 --vocabulary vocab-1 --clip 0.5");
    add(2, "--devices 2 --vocabulary vocab-2 --tied");
    add(3, "--devices 3 --schedule pipedream --tied");
    add(3, "--devices 3 --schedule pipedream-2bw --microbatches 6");
    add(2, "--devices 2 --schedule dualpipe --vocabulary vocab-1");
    add(4, "--devices 2 --replicas 2 --zero 3 --vocabulary none --tied");
    add(4, "--devices 2 --context 2 --zero 2 --vocabulary vocab-1");
    add(4, "--devices 2 --replicas 2 --optimizer adafactor --vocabulary vocab-2 --zero 1");
    add(4, "--devices 2 --replicas 2 --optimizer adafactor --vocabulary vocab-1");
    add(4, "--devices 2 --replicas 2 --optimizer adam8bit --vocabulary vocab-1 --tied --zero 1");
    add(2, "--devices 1 --replicas 2 --optimizer muon --zero 1");
    add(4, "--devices 2 --replicas 2 --zero 1 --family llama --experts 4 --top-k 2");
    add(4, "--devices 2 --replicas 2 --zero 1 --gradient-compression powersgd=2 --vocabulary vocab-1 --clip 0.5");
}

void CliMpiCheckpoints::hasTheFilesOfThreads()
{
    QFETCH(const int, processes);
    QFETCH(const QString, plan);
    const MpiRunner cli;
    const Plan chosen{processes, plan + (plan.contains(u"--microbatches"_s) ? u" "_s : u" --microbatches 4 "_s) + kTiny};
    const QString more = u"--steps 3 --checkpoint-every 2"_s;
    const CliAnswer alone = train(cli, chosen, false, u"threads.db"_s, more);
    QVERIFY2(alone.status == 0, alone.err.constData());
    const CliAnswer together = train(cli, chosen, true, u"mpi.db"_s, more);
    QVERIFY2(together.status == 0, together.err.constData());
    QCOMPARE(lossesOf(together), lossesOf(alone));
    for (const char *step : {"step-2", "step-3"}) {
        const auto expected = filesIn(cli.path(u"threads.db.checkpoints/run-1/"_s + QLatin1String(step)));
        const auto found = filesIn(cli.path(u"mpi.db.checkpoints/run-1/"_s + QLatin1String(step)));
        QVERIFY(expected.size() >= 2);
        QCOMPARE(found.keys(), expected.keys());
        for (auto file = expected.begin(); file != expected.end(); ++file)
            QVERIFY2(found[file.key()] == file.value(), qPrintable(file.key()));
    }
}

void CliMpiCheckpoints::goesOnToTheSameBits_data()
{
    QTest::addColumn<int>("processes");
    QTest::addColumn<QString>("plan");
    QTest::newRow("pipedream-2bw") << 2 << "--devices 2 --schedule pipedream-2bw";
    if (stagelens::test::kIsSanitized)
        return;
    QTest::newRow("p 2, t 2, d 2") << 8 << "--devices 2 --tensor 2 --replicas 2 --zero 1 --vocabulary vocab-1 --clip 0.5";
    QTest::newRow("zero 3, tied") << 4 << "--devices 2 --replicas 2 --zero 3 --tied --vocabulary none";
    QTest::newRow("one-bit-adam") << 4
                                  << "--devices 2 --replicas 2 --vocabulary vocab-1 --gradient-compression one-bit-adam "
                                     "--gradient-compression-after 2";
    QTest::newRow("adam8bit") << 2 << "--devices 2 --optimizer adam8bit --vocabulary vocab-2";
}

/// The processes write and the threads go on, and the other way round.
void CliMpiCheckpoints::goesOnToTheSameBits()
{
    QFETCH(const int, processes);
    QFETCH(const QString, plan);
    const MpiRunner cli;
    const Plan chosen{processes, plan + u" --microbatches 4 "_s + kTiny};
    const Plan stored{processes, {}};
    const CliAnswer whole = train(cli, chosen, false, u"whole.db"_s, u"--steps 5"_s);
    QVERIFY2(whole.status == 0, whole.err.constData());
    stagelens::test::Sample sample;
    for (const bool isWrittenOverMpi : {true, false}) {
        if (sample.leavesOut())
            continue;
        const QString database = isWrittenOverMpi ? u"mpi.db"_s : u"threads.db"_s;
        const CliAnswer first = train(cli, chosen, isWrittenOverMpi, database, u"--steps 3 --checkpoint-every 2"_s);
        QVERIFY2(first.status == 0, first.err.constData());
        for (const bool isResumedOverMpi : {true, false}) {
            // The plan is the stored run's, which only process 0 reads.
            const CliAnswer second = train(cli, stored, isResumedOverMpi, database, u"--resume 1 --steps 5"_s);
            QVERIFY2(second.status == 0, second.err.constData());
            QCOMPARE(lossesOf(second), lossesOf(whole));
            QCOMPARE(second.object()[u"evaluation_loss"], whole.object()[u"evaluation_loss"]);
            const QJsonObject row = second.object()[u"run"].toObject();
            QCOMPARE(row[u"resumed_run"].toInteger(), 1);
            QCOMPARE(row[u"resumed_steps"].toInt(), 3);
        }
    }
}

void CliMpiCheckpoints::goesOnOnAnotherMesh()
{
    const MpiRunner cli;
    const Plan first{4, u"--devices 2 --tensor 2 --vocabulary vocab-1 --microbatches 4 "_s + kTiny};
    QCOMPARE(train(cli, first, true, u"mpi.db"_s, u"--steps 2 --checkpoint-every 2"_s).status, 0);
    const CliAnswer whole = train(cli, first, false, u"whole.db"_s, u"--steps 4"_s);
    const Plan other{3, u"--devices 3 --tensor 1 --vocabulary vocab-2 "_s};
    const CliAnswer together = train(cli, other, true, u"mpi.db"_s, u"--resume 1 --steps 4"_s);
    const CliAnswer alone = train(cli, other, false, u"mpi.db"_s, u"--resume 1 --steps 4"_s);
    QVERIFY2(together.status == 0, together.err.constData());
    QVERIFY2(alone.status == 0, alone.err.constData());
    QCOMPARE(lossesOf(together), lossesOf(alone));
    QCOMPARE(lossesOf(together).size(), 4);
    for (int step = 0; step < 4; ++step)
        QVERIFY(std::abs(lossesOf(together)[step].toDouble() - lossesOf(whole)[step].toDouble()) < 2e-5);
}

void CliMpiCheckpoints::replicasThatTrainAloneKeepTheirState_data()
{
    QTest::addColumn<QString>("before");
    QTest::newRow("local SGD") << "--sync-every 2";
    QTest::newRow("summed gradients before") << "--sync-every 1"; // one state of the optimizer becomes that of every replica
}

void CliMpiCheckpoints::replicasThatTrainAloneKeepTheirState()
{
    QFETCH(const QString, before);
    const MpiRunner cli;
    const Plan plan{4, u"--devices 2 --replicas 2 --microbatches 4 --vocabulary vocab-1 "_s + kTiny};
    for (const bool isOverMpi : {false, true}) {
        const QString database = isOverMpi ? u"mpi.db"_s : u"threads.db"_s;
        const CliAnswer first = train(cli, plan, isOverMpi, database, before + u" --steps 2 --checkpoint-every 2"_s);
        QVERIFY2(first.status == 0, first.err.constData());
    }
    const QString checkpoint = u"checkpoints/run-1/step-2"_s;
    const auto files = filesIn(cli.path(u"threads.db."_s + checkpoint));
    QVERIFY(files.size() >= 4);
    QVERIFY(filesIn(cli.path(u"mpi.db."_s + checkpoint)) == files);
    const QString after = u"--resume 1 --sync-every 2 --steps 6"_s;
    const CliAnswer alone = train(cli, {4, {}}, false, u"threads.db"_s, after);
    QVERIFY2(alone.status == 0, alone.err.constData());
    const CliAnswer together = train(cli, {4, {}}, true, u"mpi.db"_s, after);
    QVERIFY2(together.status == 0, together.err.constData());
    QCOMPARE(lossesOf(together), lossesOf(alone));
    if (before.endsWith(u'2')) {
        const CliAnswer whole = train(cli, plan, false, u"whole.db"_s, before + u" --steps 6"_s);
        QCOMPARE(lossesOf(together), lossesOf(whole));
    }
}

void CliMpiCheckpoints::refusesWhatCannotGoOn()
{
    const MpiRunner cli;
    const Plan plan{2, u"--devices 2 --microbatches 4 "_s + kTiny};
    QCOMPARE(train(cli, plan, true, u"mpi.db"_s, u"--steps 2 --checkpoint-every 2"_s).status, 0);
    const auto refused = [&](const QString &more, const char *text) {
        const CliAnswer answer = train(cli, {2, {}}, true, u"mpi.db"_s, more);
        return answer.status == 2 && answer.err.count(text) == 1;
    };
    QVERIFY(refused(u"--resume 9"_s, "--resume: "));
    QVERIFY(refused(u"--resume 1"_s, "raise it to train on"));
    QVERIFY(refused(u"--resume 1 --steps 4 --seed 5"_s, "--seed: is 5, but"));
    QVERIFY(refused(u"--resume 1 --steps 4 --devices 3"_s, "--devices: is 3, but 2 processes"));
    const QString folder = cli.path(u"mpi.db.checkpoints/run-1/step-2/"_s);
    QVERIFY(QFile::resize(folder + u"second-moments.safetensors"_s, 100));
    QVERIFY(refused(u"--resume 1 --steps 4"_s, "second-moments.safetensors"));
    QCOMPARE(cli.run(u"runs list --json --db "_s + cli.path(u"mpi.db"_s)).json().array().size(), 1); // what was refused is none
}

void CliMpiCheckpoints::aLostProcessLeavesTheFormerOne_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("status");
    QTest::newRow("another process") << 1 << "failed";
    QTest::newRow("process 0") << 0 << "interrupted";
}

/// The process is killed while a checkpoint is written.
void CliMpiCheckpoints::aLostProcessLeavesTheFormerOne()
{
    QFETCH(const int, rank);
    QFETCH(const QString, status);
    const MpiRunner cli;
    const QString plan = u"--devices 2 --vocabulary vocab-1 --microbatches 2 --layers 2 --hidden 128 --heads 2 --sequence 8 "
                         "--vocabulary-size 4096 "_s;
    QProcess process;
    cli.prepareTogether(
        process, 2,
        wordsOf(u"run --steps 100000 --checkpoint-every 1 --transport mpi --db %1 %2"_s.arg(cli.path(u"mpi.db"_s), plan)));
    MpiRunner::allowTimeToStop(process);
    process.start();
    const QString folder = cli.path(u"mpi.db.checkpoints/run-1"_s);
    const auto hasFormer = [&] { return !entriesOf(folder, u"step-*"_s).isEmpty(); };
    QVERIFY(QTest::qWaitFor(hasFormer, MpiRunner::kPatienceMs));
    const pid_t victim = cli.ranksOf(u"mpi.db"_s).value(rank);
    QVERIFY(victim > 0);
    QElapsedTimer patience;
    patience.start();
    while (entriesOf(folder, u"part-*"_s).isEmpty() && !patience.hasExpired(MpiRunner::kPatienceMs)) {
    }
    ::kill(victim, SIGKILL);
    QVERIFY(process.waitForFinished(MpiRunner::kPatienceMs));
    const CliAnswer killed = MpiRunner::answerOf(process);
    QVERIFY2(killed.status != 0, killed.err.constData());
    const QJsonObject row = storedRun(cli, u"mpi.db"_s); // opening the database removes what is incomplete
    QCOMPARE(row[u"status"].toString(), status);
    if (rank != 0)
        QVERIFY2(row[u"reason"].toString().contains(u"process 1 (pid %1"_s.arg(victim)), qPrintable(row[u"reason"].toString()));
    else
        QVERIFY2(killed.err.contains("`runs list` shows it as interrupted"), killed.err.constData());
    QVERIFY(entriesOf(folder, u"part-*"_s).isEmpty());
    const int steps = newestOf(entriesOf(folder, u"step-*"_s));
    QVERIFY(steps > 0);
    const QString goesOn = u"--resume 1 --steps %1"_s.arg(steps + 1);
    const CliAnswer resumed = train(cli, {2, {}}, true, u"mpi.db"_s, goesOn);
    QVERIFY2(resumed.status == 0, resumed.err.constData());
    QVERIFY2(!resumed.err.contains("damaged"), resumed.err.constData());
    const CliAnswer whole = train(cli, {2, plan}, false, u"whole.db"_s, u"--steps %1"_s.arg(steps + 1));
    QCOMPARE(lossesOf(resumed), lossesOf(whole));
}

/// Simulates a full disk by a limit of the file size, for process 0 only: MPI's own files are larger.
void CliMpiCheckpoints::aFileThatCannotGrowIsAWarning()
{
    const MpiRunner cli;
    QProcess process;
    cli.prepareTogether(process, 2, {});
    QProcessEnvironment environment = process.processEnvironment();
    environment.insert(u"OMPI_MCA_btl"_s, u"self,tcp"_s); // has no files in shared memory
    environment.insert(u"OMPI_MCA_btl_tcp_if_include"_s, u"lo"_s);
    process.setProcessEnvironment(environment);
    const QString line =
        u"[ $OMPI_COMM_WORLD_RANK = 0 ] && ulimit -f 2048; exec %1 run --steps 3 --checkpoint-every 1 --devices 2 "
        "--microbatches 2 --layers 2 --hidden 256 --heads 2 --sequence 8 --vocabulary-size 256 --transport mpi "
        "--db %2"_s.arg(process.arguments().last(), cli.path(u"mpi.db"_s));
    process.setArguments({u"-n"_s, u"2"_s, u"sh"_s, u"-c"_s, line});
    process.start();
    QVERIFY(process.waitForFinished(MpiRunner::kPatienceMs));
    const CliAnswer answer = MpiRunner::answerOf(process);
    QCOMPARE(answer.status, 1);
    for (const char *text :
         {"there is no checkpoint after step 1", "there is no checkpoint after step 3", "parameters.safetensors"})
        QVERIFY2(answer.err.contains(text), answer.err.constData());
    QVERIFY2(answer.out.contains("finished, 3 of 3 steps"), answer.out.constData());
    QVERIFY(QDir(cli.path(u"mpi.db.checkpoints/run-1"_s)).isEmpty(QDir::Dirs | QDir::NoDotAndDotDot));
}

void CliMpiCheckpoints::aFolderThatCannotBeMadeIsAWarning()
{
    const MpiRunner cli;
    QFile obstacle(cli.path(u"mpi.db.checkpoints"_s));
    QVERIFY(obstacle.open(QIODevice::WriteOnly));
    const CliAnswer answer =
        train(cli, {2, u"--devices 2 --microbatches 4 "_s + kTiny}, true, u"mpi.db"_s, u"--steps 3 --checkpoint-every 1"_s);
    QCOMPARE(answer.status, 1);
    QVERIFY2(answer.err.contains("there is no checkpoint after step 3"), answer.err.constData());
    QCOMPARE(lossesOf(answer).size(), 3);
}

STAGELENS_TEST(CliMpiCheckpoints)

} // namespace integration_cli_mpi_checkpoints

#include "cli/mpi_checkpoints.moc"
