// Runs on another machine: through a stand-in for ssh, and through an sshd of this machine if there is one.
#include "tests/support/cli_runner.h"
#include "tests/support/loopback_sshd.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QtTest>

#include <random>

namespace integration_remote_runs {

using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;
using stagelens::test::LoopbackSshd;

namespace {

/// How many connections are cut; fewer under a sanitizer.
constexpr int kCuts = 20;

/// Commands that reach this machine as `there`.
class RemoteRunner {
public:
    RemoteRunner()
    {
        m_program = m_cli.path(QStringLiteral("there's cli")); // a name to quote
        QFile::link(qEnvironmentVariable("STAGELENS_BINARIES") + QStringLiteral("/stagelens-cli"), m_program);
        set("STAGELENS_SSH", qEnvironmentVariable("STAGELENS_TEST_DATA") + QStringLiteral("/support/stand_in_ssh.py"));
        set("STAND_IN_LOG", m_cli.path(QStringLiteral("ssh.log")));
    }
    void set(const char *name, const QString &value) { m_variables.insert(QString::fromLatin1(name), value); }
    void unset(const char *name) { m_variables.remove(QString::fromLatin1(name)); }
    void setHost(const QString &host) { m_host = host; }

    void prepare(QProcess &process, QStringList arguments, bool isThere = true) const
    {
        if (isThere)
            arguments << QStringLiteral("--host") << m_host << QStringLiteral("--host-program") << m_program;
        m_cli.prepare(process, arguments);
        QProcessEnvironment environment = process.processEnvironment();
        environment.remove(QStringLiteral("OPENBLAS_CORETYPE")); // which a login there does not see: other kernels, other bits
        environment.insert(m_variables);
        process.setProcessEnvironment(environment);
    }
    [[nodiscard]] CliAnswer run(const QString &words, bool isThere = true) const
    {
        QProcess process;
        prepare(process, words.split(u' ', Qt::SkipEmptyParts), isThere);
        process.start();
        process.waitForFinished(CliRunner::kPatienceMs);
        return CliRunner::answerOf(process);
    }
    [[nodiscard]] QString path(const QString &name) const { return m_cli.path(name); }
    /// Makes the folder.
    [[nodiscard]] QString folder(const QString &name) const
    {
        QDir().mkpath(path(name));
        return path(name);
    }

    /// Returns whether no worker of this test runs, waiting at most 15 s for its end.
    [[nodiscard]] bool isNothingLeft() const
    {
        QElapsedTimer waited;
        waited.start();
        while (hasWorker())
            if (waited.elapsed() > 15'000)
                return false;
            else
                QTest::qWait(20);
        return true;
    }

private:
    [[nodiscard]] bool hasWorker() const
    {
        for (QDirIterator each(QStringLiteral("/proc"), QDir::Dirs); each.hasNext();) {
            QFile line(each.next() + QStringLiteral("/cmdline"));
            if (line.open(QIODevice::ReadOnly) && line.readAll().startsWith(m_program.toUtf8() + '\0' + "worker"))
                return true;
        }
        return false;
    }

    CliRunner m_cli;
    QString m_program;
    QString m_host = QStringLiteral("me@there");
    QProcessEnvironment m_variables;
};

const QString kTiny =
    QStringLiteral("--layers 4 --hidden 32 --heads 4 --sequence 16 --vocabulary-size 97 --devices 2 --seed 7 ");
const QString kTrained = QStringLiteral("run --mode virtual-clock ") + kTiny;

QJsonObject newestRun(const RemoteRunner &remote)
{
    return remote.run(QStringLiteral("runs list --json"), false).json()[0].toObject();
}

QJsonArray lossesOf(const RemoteRunner &remote, int run)
{
    return remote.run(QStringLiteral("runs show --json %1").arg(run), false).object()[QStringLiteral("losses")].toArray();
}

} // namespace

class RemoteRuns : public QObject {
    Q_OBJECT

private slots:
    void listsTheBackendsThere()
    {
        const RemoteRunner remote;
        const CliAnswer answer = remote.run(QStringLiteral("list backends --json"));
        QVERIFY2(answer.status == 0, answer.err);
        QCOMPARE(answer.json()[0][QStringLiteral("name")].toString(), QStringLiteral("cpu"));
        QCOMPARE(answer.json()[1][QStringLiteral("name")].toString(), QStringLiteral("cuda"));
    }

    void trainsToTheSameBits()
    {
        const RemoteRunner remote;
        const CliAnswer here = remote.run(kTrained + QStringLiteral("--steps 4 --json"), false);
        const CliAnswer there = remote.run(kTrained + QStringLiteral("--steps 4 --json"));
        QVERIFY2(there.status == 0, there.err);
        QCOMPARE(there.object()[QStringLiteral("losses")].toArray(), here.object()[QStringLiteral("losses")].toArray());
        const QJsonArray devices = there.object()[QStringLiteral("devices")].toArray();
        QCOMPARE(devices.size(), 2);
        QCOMPARE(devices[0][QStringLiteral("slices")].toArray().size(), 32);
        const QString way = there.object()[QStringLiteral("environment")][QStringLiteral("reached through")].toString();
        QVERIFY2(way.startsWith(QStringLiteral("ssh me@there")), qPrintable(way));
        QVERIFY(remote.isNothingLeft());
    }

    void asksSshForNothing()
    {
        const RemoteRunner remote;
        (void)remote.run(QStringLiteral("list backends"));
        QFile log(remote.path(QStringLiteral("ssh.log")));
        QVERIFY(log.open(QIODevice::ReadOnly));
        const QList<QByteArray> words = log.readAll().trimmed().split('\0');
        QVERIFY(words.contains("BatchMode=yes"));
        QVERIFY(words.contains("ForwardAgent=no"));
        QCOMPARE(words.indexOf("--"), words.size() - 3);
        QCOMPARE(words[words.size() - 2], QByteArray("me@there"));
    }

    void skipsWhatTheLoginShellPrints()
    {
        RemoteRunner remote;
        remote.set("STAND_IN_NOISE", QStringLiteral("Welcome!\nToday is a good day.\n"));
        QCOMPARE(remote.run(QStringLiteral("list backends")).status, 0);
    }

    void refusesNamesThatAreNone_data()
    {
        QTest::addColumn<QString>("host");
        for (const char *host : {"-oProxyCommand=touch x", "me@-x", "a b", "a;b", "$(id)", "a`id`", "@there", "me@", "a/b",
                                 "a'b", "%h", "a\nb", ""})
            QTest::newRow(host) << QString::fromLatin1(host);
    }
    void refusesNamesThatAreNone()
    {
        QFETCH(const QString, host);
        const RemoteRunner remote;
        QProcess process;
        remote.prepare(process, {QStringLiteral("list"), QStringLiteral("backends"), QStringLiteral("--host=") + host}, false);
        process.start();
        process.waitForFinished(CliRunner::kPatienceMs);
        const CliAnswer answer = CliRunner::answerOf(process);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.startsWith("--host: "), answer.err);
        QVERIFY(!QFile::exists(remote.path(QStringLiteral("ssh.log")))); // nothing was started
    }

    void saysWhatSshWouldAskFor()
    {
        RemoteRunner remote;
        remote.set("STAND_IN_FAIL", QStringLiteral("me@there: Permission denied (publickey,password)."));
        CliAnswer answer = remote.run(kTrained);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains("ssh would ask for a password or for the host's key"), answer.err);
        QVERIFY(remote.run(QStringLiteral("runs list --json"), false).json().array().isEmpty());
        remote.set("STAND_IN_FAIL", QStringLiteral("ssh: connect to host there port 22: Connection refused"));
        answer = remote.run(kTrained);
        QVERIFY2(answer.err.contains("Connection refused; check that `ssh me@there true` works"), answer.err);
    }

    void saysThatSshIsMissing()
    {
        RemoteRunner remote;
        remote.set("STAGELENS_SSH", QStringLiteral("/nowhere/ssh"));
        const CliAnswer answer = remote.run(QStringLiteral("list backends"));
        QCOMPARE(answer.status, 1);
        QVERIFY2(answer.err.contains("cannot start /nowhere/ssh: No such file or directory; install"), answer.err);
    }

    void refusesWhatWouldBeWrittenThere()
    {
        const RemoteRunner remote;
        for (const char *option : {"--dump d", "--checkpoint-every 1"}) {
            const CliAnswer answer = remote.run(kTrained + QString::fromLatin1(option));
            QCOMPARE(answer.status, 2);
            QVERIFY2(answer.err.startsWith(QByteArray(option).split(' ').front() + ": "), answer.err);
        }
        QCOMPARE(remote.run(QStringLiteral("list backends --copy-kit"), false).status, 2);
        // What only that machine can know is refused by it, and leaves no run.
        QCOMPARE(remote.run(kTrained + QStringLiteral("--data /nowhere/text.txt")).status, 2);
        QVERIFY(remote.run(QStringLiteral("runs list --json"), false).json().array().isEmpty());
    }

    void copiesTheProgramOnRequest()
    {
        RemoteRunner remote;
        remote.set("HOME", remote.path(QStringLiteral("home")));
        QVERIFY(QDir().mkpath(remote.path(QStringLiteral("home"))));
        const QString words = QStringLiteral("list backends --host there --host-program /nowhere/stagelens-cli");
        const CliAnswer refused = remote.run(words, false);
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("there is no runnable /nowhere/stagelens-cli on there"), refused.err);
        QVERIFY2(refused.err.contains("--copy-kit"), refused.err);
        QVERIFY2(remote.run(words + QStringLiteral(" --copy-kit"), false).status == 0, refused.err);
        QDirIterator kits(remote.path(QStringLiteral("home/.cache/stagelens")), QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(kits.hasNext());
        const QString kit = kits.next();
        QVERIFY(!kits.hasNext());
        QVERIFY(QFileInfo(kit + QStringLiteral("/bin/stagelens-cli")).isExecutable());
        const QDateTime copied = QFileInfo(kit + QStringLiteral("/bin/stagelens-cli")).lastModified();
        QVERIFY(remote.run(words + QStringLiteral(" --copy-kit"), false).status == 0);
        QCOMPARE(QFileInfo(kit + QStringLiteral("/bin/stagelens-cli")).lastModified(), copied); // not again
    }

    void refusesAnotherBuild()
    {
        const RemoteRunner remote;
        QFile foreign(remote.path(QStringLiteral("foreign")));
        QVERIFY(foreign.open(QIODevice::WriteOnly));
        foreign.write("#!/bin/sh\necho 'error: unknown frame' >&2\nexit 3\n");
        foreign.close();
        foreign.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        const CliAnswer answer =
            remote.run(QStringLiteral("list backends --host there --host-program ") + foreign.fileName(), false);
        QCOMPARE(answer.status, 2);
        QVERIFY2(
            answer.err.contains("did not answer as a worker of this version, it ended with status 3: error: unknown frame; "
                                "install the same build there, or add --copy-kit"),
            answer.err);
    }

    void losesNothingWhenTheConnectionIsCut()
    {
        const unsigned seed = qEnvironmentVariable("STAGELENS_SEED", QStringLiteral("1")).toUInt();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        RemoteRunner remote;
        const QJsonArray whole =
            remote.run(kTrained + QStringLiteral("--steps 40 --json"), false).object()[QStringLiteral("losses")].toArray();
        for (int i = 0; i < (stagelens::test::kIsSanitized ? kCuts / 4 : kCuts); ++i) {
            const unsigned long cut = i == 0 ? 1 : 2000 + random() % 60'000;
            remote.set("STAND_IN_CUT", QString::number(cut));
            const CliAnswer answer = remote.run(kTrained + QStringLiteral("--steps 1000000"));
            const QByteArray what = "cut after " + QByteArray::number(cut) + ": " + answer.err;
            QVERIFY2(remote.isNothingLeft(), what);
            if (i == 0) { // before the worker said what its machine is
                QCOMPARE(answer.status, 2);
                continue;
            }
            QVERIFY2(answer.status == 1, what);
            QVERIFY2(answer.err.contains("the connection to me@there was lost after"), what);
            const QJsonObject run = newestRun(remote);
            QVERIFY2(run[QStringLiteral("status")].toString() == QStringLiteral("interrupted"), what);
            const QJsonArray kept = lossesOf(remote, run[QStringLiteral("id")].toInt());
            QCOMPARE(kept.size(), run[QStringLiteral("steps_done")].toInt());
            const QByteArray said = "was lost after " + QByteArray::number(kept.size()) + " step";
            QVERIFY2(answer.err.contains(said), what);
            for (qsizetype step = 0; step < std::min(kept.size(), whole.size()); ++step)
                QVERIFY2(kept[step] == whole[step], what);
        }
    }

    void endsThereWhenNothingIsHeard()
    {
        RemoteRunner remote;
        remote.set("STAND_IN_FREEZE", QStringLiteral("20000"));
        remote.set("STAGELENS_HOST_SILENCE_SECONDS", QStringLiteral("4")); // the least
        QProcess process;
        remote.prepare(process, (kTrained + QStringLiteral("--steps 1000000")).split(u' ', Qt::SkipEmptyParts));
        process.start();
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(remote.path(QStringLiteral("ssh.log.frozen"))), 60'000);
        QVERIFY(remote.isNothingLeft()); // while the connection seems to stand
        process.kill();
        process.waitForFinished(CliRunner::kPatienceMs);
    }

    void stopsWhenAsked()
    {
        const RemoteRunner remote;
        QProcess process;
        remote.prepare(process, (kTrained + QStringLiteral("--steps 1000000")).split(u' ', Qt::SkipEmptyParts));
        process.setReadChannel(QProcess::StandardError);
        process.start();
        QByteArray said;
        while (!said.contains("step ") && process.waitForReadyRead(60'000))
            said += process.readAllStandardError();
        process.terminate();
        QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(newestRun(remote)[QStringLiteral("status")].toString(), QStringLiteral("cancelled"));
        QVERIFY(remote.isNothingLeft());
    }

    void trainsThroughSshd()
    {
        RemoteRunner remote;
        const LoopbackSshd server(remote.folder(QStringLiteral("sshd")));
        if (!server.obstacle().isEmpty())
            QSKIP(server.obstacle());
        remote.set("STAGELENS_SSH", server.client());
        remote.setHost(QStringLiteral("there"));
        const CliAnswer answer = remote.run(kTrained + QStringLiteral("--steps 3 --json"));
        QVERIFY2(answer.status == 0, answer.err);
        QCOMPARE(answer.object()[QStringLiteral("losses")].toArray(),
                 remote.run(kTrained + QStringLiteral("--steps 3 --json"), false).object()[QStringLiteral("losses")].toArray());
        // The connection is cut at either end at any moment.
        const unsigned seed = qEnvironmentVariable("STAGELENS_SEED", QStringLiteral("1")).toUInt();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        int runs = 0;
        for (int i = 0; i < (stagelens::test::kIsSanitized ? kCuts / 4 : kCuts); ++i) {
            QProcess process;
            remote.prepare(process, (kTrained + QStringLiteral("--steps 1000000")).split(u' ', Qt::SkipEmptyParts));
            process.start();
            QVERIFY(process.waitForStarted());
            const int after = static_cast<int>(random() % 1500);
            process.setReadChannel(QProcess::StandardError);
            QByteArray said;
            while (i == 0 && !said.contains("step ") && process.waitForReadyRead(CliRunner::kPatienceMs))
                said += process.readAllStandardError(); // one of the cuts is certainly in a run
            QTest::qWait(after);
            for (int tries = 0; tries < 1000 && process.state() != QProcess::NotRunning; ++tries) {
                server.cut(i % 2 == 0); // again, where it came before the connection
                QTest::qWait(100);
            }
            QVERIFY(process.state() == QProcess::NotRunning);
            const CliAnswer cut = CliRunner::answerOf(process);
            const QByteArray what = "cut after " + QByteArray::number(after) + " ms: " + cut.err;
            QVERIFY2(remote.isNothingLeft(), what);
            QVERIFY2(cut.status == 1 || cut.status == 2, what); // 2: before there was a run
            if (cut.status == 2)
                continue;
            ++runs;
            const QJsonObject run = newestRun(remote);
            QVERIFY2(run[QStringLiteral("status")].toString() == QStringLiteral("interrupted"), what);
            QCOMPARE(lossesOf(remote, run[QStringLiteral("id")].toInt()).size(), run[QStringLiteral("steps_done")].toInt());
        }
        QVERIFY(runs > 0);
    }
};

STAGELENS_TEST(RemoteRuns)

} // namespace integration_remote_runs

#include "remote/runs.moc"
