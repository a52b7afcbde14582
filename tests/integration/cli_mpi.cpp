// `run --transport mpi`: the same run as processes, to the same bits, and what becomes of it when one of them is lost.
#include "tests/support/mpi_runner.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QtTest>

#include <csignal>

namespace integration_cli_mpi {

using stagelens::test::CliAnswer;
using stagelens::test::mpiObstacle;
using stagelens::test::MpiRunner;

namespace {

const QString kTiny = QStringLiteral("--layers 4 --hidden 32 --heads 4 --sequence 16 --vocabulary-size 97 --seed 7 ");
/// Long enough to be disturbed.
const QString kLong = kTiny + QStringLiteral("--microbatches 8 --steps 100000 --transport mpi ");

QByteArray fileOf(const MpiRunner &cli, const QString &name)
{
    QFile file(cli.path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What the routers of a run chose, by layer.
QMap<QString, QString> routersOf(const CliAnswer &run)
{
    QMap<QString, QString> found;
    const QJsonObject facts = run.object()[QStringLiteral("environment")].toObject();
    for (auto fact = facts.begin(); fact != facts.end(); ++fact)
        if (fact.key().startsWith(QStringLiteral("experts of layer")))
            found[fact.key()] = fact.value().toString();
    return found;
}

/// The only stored run.
QJsonObject storedRun(const MpiRunner &cli)
{
    return cli.run(QStringLiteral("runs list --json --db ") + cli.path(QStringLiteral("mpi.db"))).json()[0].toObject();
}

/// Starts a long run of three processes, waits until it trains, disturbs it, and waits for its end.
CliAnswer disturbed(const MpiRunner &cli, const std::function<void(const QProcess &, const QMap<int, pid_t> &)> &disturb,
                    const QString &plan = QStringLiteral("--devices 3"))
{
    QProcess process;
    const QString words = QStringLiteral("run ") + plan + QLatin1Char(' ') + kLong + QStringLiteral("--db ");
    cli.prepareTogether(process, 3, words.split(u' ', Qt::SkipEmptyParts) << cli.path(QStringLiteral("mpi.db")));
    QProcessEnvironment environment = process.processEnvironment();
    environment.insert(QStringLiteral("STAGELENS_MPI_SILENCE_SECONDS"), QStringLiteral("3"));
    process.setProcessEnvironment(environment);
    process.setReadChannel(QProcess::StandardError);
    MpiRunner::allowTimeToStop(process);
    process.start();
    QByteArray said;
    while (!said.contains("step ") && process.waitForReadyRead(MpiRunner::kPatienceMs))
        said += process.readAllStandardError();
    const QMap<int, pid_t> processes = cli.ranksOf(QStringLiteral("mpi.db"));
    if (processes.size() == 3)
        disturb(process, processes);
    process.waitForFinished(MpiRunner::kPatienceMs);
    CliAnswer answer = MpiRunner::answerOf(process);
    answer.err = said + answer.err;
    return answer;
}

} // namespace

class CliMpi : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString obstacle = mpiObstacle(); !obstacle.isEmpty())
            QSKIP(qPrintable(obstacle));
    }

    void givesTheBitsOfOneProcess_data()
    {
        QTest::addColumn<int>("processes");
        QTest::addColumn<QString>("plan");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        stagelens::test::Sample sample;
        const auto add = [&sample](int processes, const char *plan, int replicas = 1, int tensor = 1, int context = 1) {
            if (sample.leavesOut())
                return;
            QTest::addRow("%d %s, %d replicas, %d tensor, %d context", processes, plan, replicas, tensor, context)
                << processes << plan << replicas << tensor << context;
        };
        add(2, "--vocabulary none --clip 0.5");
        add(4, "--vocabulary none --tied --clip 0.5");
        add(3, "--vocabulary vocab-1 --tied");
        add(2, "--vocabulary vocab-1 --offload 1");
        add(4, "--offload-optimizer --offload-parameters --vocabulary vocab-1 --clip 0.5", 2);
        add(3, "--schedule seq1f1b-zb --sequence-slices 3 --vocabulary vocab-2 --clip 0.5");
        add(4, "--vocabulary vocab-2 --schedule zb-h1 --clip 0.5");
        add(2, "--schedule interlaced");
        add(2, "--schedule dualpipe --vocabulary vocab-1");
        add(3, "--schedule pipedream");
        add(4, "--vocabulary vocab-1 --tied --clip 0.5", 2);
        add(4, "--zero 1 --clip 0.5", 2);
        add(3, "--zero 1 --vocabulary vocab-2", 3);
        add(4, "--zero 2 --vocabulary vocab-1 --clip 0.5", 2);
        add(4, "--zero 3 --vocabulary none --tied --clip 0.5", 2);
        add(4, "--zero 3 --shard-replicas 2 --clip 0.5", 4);
        add(4, "--zero 2 --zero2 eager --clip 0.5", 2);
        add(8, "--zero 3 --vocabulary vocab-1 --clip 0.5", 2, 2);
        add(4, "--vocabulary none --tied --no-sequence-parallel --clip 0.5", 1, 2);
        add(8, "--vocabulary-sharding device --zero 1 --vocabulary vocab-2 --tied --clip 0.5", 2, 2);
        add(4, "--vocabulary-sharding device --vocabulary none --tied --clip 0.5", 1, 2);
        add(4, "--zero 1 --vocabulary vocab-1 --tied --clip 0.5", 1, 1, 2);
        add(4, "--zero 2 --context-method ring --vocabulary vocab-2 --clip 0.5", 1, 1, 2);
        add(4, "--context-method ring --vocabulary none --schedule zb-h1", 1, 1, 4);
        add(4, "--context-method ulysses --vocabulary vocab-1 --zero 1 --clip 0.5", 1, 1, 2);
        add(4, "--optimizer adafactor --vocabulary vocab-2 --zero 1", 1, 1, 2);
        add(3, "--optimizer adafactor --vocabulary vocab-1 --clip 0.5");
        add(4, "--optimizer adafactor --vocabulary vocab-2 --zero 1", 2);
        add(4, "--optimizer adam8bit --vocabulary vocab-1 --tied --zero 1", 2);
        add(2, "--optimizer muon --zero 1", 2);
        add(4, "--gradient-compression powersgd=2 --vocabulary vocab-1 --clip 0.5", 2);
        add(2, "--gradient-compression top-k=0.05 --zero 1", 2);
        add(4, "--gradient-compression one-bit-adam --gradient-compression-after 1 --vocabulary vocab-1", 2);
        add(4, "--gradient-compression powersgd=2 --gradient-compression-after 1 --sampled-softmax 16", 2);
        add(4, "--sampled-softmax 16 --vocabulary vocab-1 --clip 0.5", 1, 2);
        add(4, "--message-precision fp8 --vocabulary vocab-2 --schedule zb-h1 --clip 0.5");
        add(4, "--message-precision int8 --schedule v-half --vocabulary vocab-1", 2);
        add(3, "--stored-activations int8 --schedule zb-h1 --vocabulary vocab-1 --clip 0.5");
        add(4, "--dtype bf16 --vocabulary vocab-2 --tied --clip 0.5", 2);
        add(4, "--dtype fp16 --vocabulary vocab-1 --zero 1 --clip 0.5", 1, 2, 2);
        add(3, "--dtype fp16 --loss-scale 4294967296 --optimizer adafactor --vocabulary vocab-2"); // skips every step
        add(4, "--sync-every 2 --vocabulary vocab-1 --clip 0.5", 2);
        add(3, "--sync-every 4 --vocabulary none --tied", 3);
        add(2, "--family llama --experts 4 --top-k 2 --vocabulary vocab-1 --clip 0.5");
        add(4, "--family llama --experts 4 --top-k 2 --aux-loss 0.02 --schedule zb-h1", 1, 2);
        add(4, "--family llama --experts 4 --top-k 2 --aux-loss 0.02", 1, 1, 2);
        add(4, "--sync-every 2 --optimizer adafactor --clip 0.5", 2, 1);
        add(4, "--family llama --experts 4 --top-k 2 --expert-parallel 2 --vocabulary vocab-1 --clip 0.5", 2);
        add(4, "--family llama --experts 8 --top-k 3 --expert-parallel 4 --schedule zb-h1 --zero 1", 4);
        add(4, "--family llama --experts 4 --schedule seq1f1b --sequence-slices 3 --expert-parallel 2 --expert-headroom 4", 2);
        add(4, "--family llama --experts 4 --top-k 2 --aux-loss 0.02 --expert-parallel 2 --schedule zb-h1 --clip 0.5", 1, 2);
        add(8, "--family llama --experts 4 --top-k 2 --aux-loss 0.02 --expert-parallel 4 --zero 1", 2, 2, 2);
        add(4, "--family llama --experts 4 --top-k 2 --expert-parallel 2 --zero 3 --shard-replicas 2 --clip 0.5", 4);
        add(4, "--family llama --experts 4 --top-k 2 --expert-parallel 2 --zero 3 --zero3 reshard --clip 0.5", 4);
        add(4, "--family llama --experts 4 --top-k 2 --capacity-factor 1 --drop position --schedule zb-h1", 1, 1, 2);
        add(8, "--family llama --experts 4 --top-k 2 --capacity-factor 1 --expert-parallel 4", 2, 2, 2);
        add(4, "--family llama --experts 4 --top-k 2 --expert-parallel 2 --dispatch-precision fp8 --schedule zb-h1", 2);
        add(4, "--family llama --experts 8 --top-k 3 --expert-parallel 4 --expert-dispatch node --dispatch-precision fp8", 4);
    }
    void givesTheBitsOfOneProcess()
    {
        QFETCH(int, processes);
        QFETCH(QString, plan);
        QFETCH(int, replicas);
        QFETCH(int, tensor);
        QFETCH(int, context);
        const MpiRunner cli;
        const int pipeline = processes / replicas / tensor / context;
        const bool hasGradients = !plan.contains(QStringLiteral("pipedream"));
        const QString words =
            QStringLiteral("run --json --devices %1 --microbatches %2 --replicas %3 --tensor %4 --context %5 ")
                .arg(pipeline)
                .arg(pipeline == 2 ? 4 : 6)
                .arg(replicas)
                .arg(tensor)
                .arg(context) +
            QStringLiteral("--steps 4 ") + kTiny + plan;
        const auto with = [&](const char *transport) {
            return words + QStringLiteral(" --transport %1").arg(QLatin1String(transport)) +
                   (hasGradients ? QStringLiteral(" --dump ") + cli.path(QLatin1String(transport)) : QString());
        };
        const CliAnswer alone = cli.run(with("in-process") + QStringLiteral(" --mode live"));
        QVERIFY2(alone.status == 0, alone.err.constData());
        const CliAnswer together = cli.runTogether(processes, with("mpi"));
        QVERIFY2(together.status == 0, together.err.constData());
        QVERIFY2(together.object()[QStringLiteral("losses")].toArray().size() == 4, together.out.constData());
        QCOMPARE(together.object()[QStringLiteral("losses")], alone.object()[QStringLiteral("losses")]);
        QCOMPARE(together.object()[QStringLiteral("evaluation_loss")], alone.object()[QStringLiteral("evaluation_loss")]);
        QCOMPARE(routersOf(together), routersOf(alone));
        QCOMPARE(routersOf(alone).size(), plan.contains(QStringLiteral("--experts")) ? 4 : 0);
        for (const char *file : {"model.safetensors", "gradients.safetensors", "model-final.safetensors", "result.json"})
            if (hasGradients)
                QVERIFY2(fileOf(cli, QStringLiteral("in-process/") + QLatin1String(file)) ==
                             fileOf(cli, QStringLiteral("mpi/") + QLatin1String(file)),
                         file);
        // Every device's passes are measured, on one clock, and the record says how they were.
        const QJsonArray devices = together.object()[QStringLiteral("devices")].toArray();
        QCOMPARE(devices.size(), pipeline);
        for (int device = 0; device < pipeline; ++device)
            QCOMPARE(devices[device].toObject()[QStringLiteral("slices")].toArray().size(),
                     alone.object()[QStringLiteral("devices")][device][QStringLiteral("slices")].toArray().size());
        QCOMPARE(together.object()[QStringLiteral("kind")].toString(), QStringLiteral("measured-live"));
        const QString transport = together.object()[QStringLiteral("environment")][QStringLiteral("transport")].toString();
        QVERIFY2(transport.contains(QStringLiteral("%1 processes on 1 machine").arg(processes)), qPrintable(transport));
    }

    void asManyProcessesAsDevices()
    {
        const MpiRunner cli;
        const CliAnswer answer = cli.runTogether(2, QStringLiteral("run --devices 3 --steps 1 --transport mpi ") + kTiny);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("--devices: is 3, but 2 processes were started"), answer.err.constData());
        QCOMPARE(answer.err.count("--devices"), 2); // said once, with its remedy
        QVERIFY(answer.out.isEmpty());
    }

    void whatIsNotForProcessesIsRefused()
    {
        const MpiRunner cli;
        const CliAnswer answer =
            cli.runTogether(2, QStringLiteral("run --devices 2 --mode virtual-clock --transport mpi ") + kTiny);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("--mode: the virtual clock"), answer.err.constData());
    }

    /// Every process is given the seed of its own number.
    void anotherExperimentIsRefused()
    {
        const MpiRunner cli;
        QProcess process;
        cli.prepareTogether(process, 2, {});
        const QString program = process.arguments().last();
        const QString line = QStringLiteral("exec %1 run --devices 2 --steps 1 --transport mpi %2 --seed $OMPI_COMM_WORLD_RANK")
                                 .arg(program, QString(kTiny).remove(QStringLiteral("--seed 7")));
        process.setArguments({QStringLiteral("-n"), QStringLiteral("2"), QStringLiteral("sh"), QStringLiteral("-c"), line});
        process.start();
        QVERIFY(process.waitForFinished(MpiRunner::kPatienceMs));
        const CliAnswer answer = MpiRunner::answerOf(process);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("process 1 has another experiment than process 0"), answer.err.constData());
    }

    void aLossThatDivergesEndsAll()
    {
        const MpiRunner cli;
        const CliAnswer answer =
            cli.runTogether(3, QStringLiteral("run --devices 3 --microbatches 4 --steps 50 --lr 1e30 --transport mpi --db ") +
                                   cli.path(QStringLiteral("mpi.db ")) + kTiny);
        QCOMPARE(answer.status, 1);
        QVERIFY2(answer.err.contains("process 2: the loss is not finite in step"), answer.err.constData());
        QCOMPARE(storedRun(cli)[QStringLiteral("status")].toString(), QStringLiteral("failed"));
    }

    void aKilledProcessEndsAll_data()
    {
        QTest::addColumn<QString>("plan");
        QTest::newRow("a device") << "--devices 3";
        QTest::newRow("a replica") << "--devices 1 --replicas 3 --zero 1";
    }
    void aKilledProcessEndsAll()
    {
        QFETCH(QString, plan);
        const MpiRunner cli;
        const auto kill = [](const QProcess & /*mpirun*/, const QMap<int, pid_t> &processes) {
            ::kill(processes.last(), SIGKILL);
        };
        const CliAnswer answer = disturbed(cli, kill, plan);
        QVERIFY2(answer.status != 0, answer.err.constData());
        const QJsonObject run = storedRun(cli);
        QCOMPARE(run[QStringLiteral("status")].toString(), QStringLiteral("failed"));
        const QString reason = run[QStringLiteral("reason")].toString();
        QVERIFY2(reason.contains(QStringLiteral("ended unexpectedly in step")), qPrintable(reason));
    }

    void aSilentProcessEndsAll()
    {
        const MpiRunner cli;
        pid_t silent = 0;
        const CliAnswer answer = disturbed(cli, [&](const QProcess & /*mpirun*/, const QMap<int, pid_t> &processes) {
            silent = processes.last();
            ::kill(silent, SIGSTOP);
        });
        QVERIFY2(answer.status != 0, answer.err.constData());
        const QString reason = storedRun(cli)[QStringLiteral("reason")].toString();
        QVERIFY2(reason.contains(QStringLiteral("has not answered for 3.0 s; it was last seen in step")), qPrintable(reason));
        QVERIFY(silent != 0);
        ::kill(silent, SIGKILL); // where mpirun has not done so
    }

    /// The others would wait in MPI_Init for ever.
    void aProcessThatNeverJoinsEndsAll()
    {
        const MpiRunner cli;
        QProcess process;
        cli.prepareTogether(process, 3, {});
        QProcessEnvironment environment = process.processEnvironment();
        environment.insert(QStringLiteral("STAGELENS_MPI_SILENCE_SECONDS"), QStringLiteral("1"));
        process.setProcessEnvironment(environment);
        const QString line = QStringLiteral("[ $OMPI_COMM_WORLD_RANK = 1 ] && kill -STOP $$; exec %1 run --devices 3 --steps 1 "
                                            "--transport mpi %2")
                                 .arg(process.arguments().last(), QString(kTiny));
        process.setArguments({QStringLiteral("-n"), QStringLiteral("3"), QStringLiteral("sh"), QStringLiteral("-c"), line});
        process.start();
        QVERIFY(process.waitForFinished(MpiRunner::kPatienceMs));
        const CliAnswer answer = MpiRunner::answerOf(process);
        QVERIFY(answer.status != 0);
        QVERIFY2(answer.err.contains("the processes did not connect within 4 s"), answer.err.constData());
        QVERIFY2(answer.err.contains("; process 1 (pid "), answer.err.constData());
        QVERIFY2(answer.err.contains(") is stopped"), answer.err.constData());
    }

    /// mpirun sends SIGTERM to process 0, which waits in MPI_Init.
    void aRunThatEndsBeforeItIsStoredSaysSo()
    {
        const MpiRunner cli;
        QProcess process;
        cli.prepareTogether(process, 2, {});
        MpiRunner::allowTimeToStop(process);
        const QString line = QStringLiteral("[ $OMPI_COMM_WORLD_RANK = 1 ] && kill -KILL $$; exec %1 run --devices 2 --steps 1 "
                                            "--transport mpi --db %2 %3")
                                 .arg(process.arguments().last(), cli.path(QStringLiteral("mpi.db")), QString(kTiny));
        process.setArguments({QStringLiteral("-n"), QStringLiteral("2"), QStringLiteral("sh"), QStringLiteral("-c"), line});
        process.start();
        QVERIFY(process.waitForFinished(MpiRunner::kPatienceMs));
        const CliAnswer answer = MpiRunner::answerOf(process);
        QVERIFY(answer.status != 0);
        QVERIFY2(answer.err.contains("cancelled before the run was stored"), answer.err.constData());
        QVERIFY(
            cli.run(QStringLiteral("runs list --json --db ") + cli.path(QStringLiteral("mpi.db"))).json().array().isEmpty());
    }

    void anInterruptCancels()
    {
        const MpiRunner cli;
        const CliAnswer answer = disturbed(cli, [](const QProcess &mpirun, const QMap<int, pid_t> & /*processes*/) {
            ::kill(static_cast<pid_t>(mpirun.processId()), SIGINT);
        });
        QVERIFY2(answer.status != 0, answer.err.constData());
        QCOMPARE(storedRun(cli)[QStringLiteral("status")].toString(), QStringLiteral("cancelled"));
        QVERIFY(cli.ranksOf(QStringLiteral("mpi.db")).isEmpty());
    }
};

STAGELENS_TEST(CliMpi)

} // namespace integration_cli_mpi

#include "cli_mpi.moc"
