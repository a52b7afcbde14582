// Runs stagelens-cli under mpirun.
#pragma once

#include "tests/support/cli_runner.h"

#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QStandardPaths>

#include <sys/types.h>

namespace stagelens::test {

/// Returns why mpirun is not usable, or an empty string.
inline QString mpiObstacle()
{
#if defined(__SANITIZE_THREAD__)
    return QStringLiteral("Open MPI is not built for ThreadSanitizer; unit.backend_process_group runs the same code under it");
#endif
    if (QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty())
        return QStringLiteral("there is no mpirun; install openmpi-bin");
    if (!QFile::exists(qEnvironmentVariable("STAGELENS_BINARIES") + QStringLiteral("/libstagelens-mpi.so")))
        return QStringLiteral("this build has no plug-in for MPI; install libopenmpi-dev");
    return {};
}

/// A CliRunner that starts commands as several processes.
class MpiRunner : public CliRunner {
public:
    /// Prepares mpirun; the caller starts it.
    void prepareTogether(QProcess &process, int processes, const QStringList &arguments) const
    {
        prepare(process, arguments);
        QProcessEnvironment environment = process.processEnvironment();
        // mpirun refuses root and oversubscription by default; containers need one of them.
        environment.insert(QStringLiteral("OMPI_ALLOW_RUN_AS_ROOT"), QStringLiteral("1"));
        environment.insert(QStringLiteral("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), QStringLiteral("1"));
        environment.insert(QStringLiteral("OMPI_MCA_rmaps_base_oversubscribe"), QStringLiteral("1"));
        environment.insert(QStringLiteral("OMPI_MCA_mpi_yield_when_idle"), QStringLiteral("1")); // other tests run beside
        environment.insert(QStringLiteral("OMPI_MCA_hwloc_base_binding_policy"), QStringLiteral("none"));
        environment.insert(QStringLiteral("OMPI_MCA_btl"), QStringLiteral("self,vader"));
        environment.insert(QStringLiteral("OMPI_MCA_btl_vader_single_copy_mechanism"), QStringLiteral("none"));
        // Open MPI leaks in libraries that are unloaded at exit, which no suppression can name.
        environment.insert(QStringLiteral("ASAN_OPTIONS"),
                           environment.value(QStringLiteral("ASAN_OPTIONS")) + QStringLiteral(":detect_leaks=0"));
        process.setProcessEnvironment(environment);
        process.setArguments(QStringList{QStringLiteral("-n"), QString::number(processes), process.program()} + arguments);
        process.setProgram(QStringLiteral("mpirun"));
    }

    /// Gives the processes ten seconds between SIGTERM and SIGKILL: on a busy machine mpirun's one second is too short to store
    /// how a run ended. mpirun waits all of that time whenever a process fails.
    static void allowTimeToStop(QProcess &mpirun)
    {
        QProcessEnvironment environment = mpirun.processEnvironment();
        environment.insert(QStringLiteral("OMPI_MCA_odls_base_sigkill_timeout"), QStringLiteral("10"));
        mpirun.setProcessEnvironment(environment);
    }

    /// Returns the process ids, by rank, of the run that is stored in that database.
    [[nodiscard]] QMap<int, pid_t> ranksOf(const QString &database) const
    {
        QMap<int, pid_t> found;
        for (QDirIterator each(QStringLiteral("/proc"), QDir::Dirs); each.hasNext();) {
            const QString folder = each.next();
            QFile line(folder + QStringLiteral("/cmdline"));
            QFile environment(folder + QStringLiteral("/environ"));
            if (!line.open(QIODevice::ReadOnly) || !environment.open(QIODevice::ReadOnly))
                continue;
            const QList<QByteArray> words = line.readAll().split('\0');
            if (!words.front().endsWith("/stagelens-cli") || !words.contains(path(database).toUtf8()))
                continue;
            for (const QByteArray &entry : environment.readAll().split('\0'))
                if (entry.startsWith("OMPI_COMM_WORLD_RANK="))
                    found[entry.mid(entry.indexOf('=') + 1).toInt()] = QFileInfo(folder).fileName().toInt();
        }
        return found;
    }

    [[nodiscard]] CliAnswer runTogether(int processes, const QString &words) const
    {
        QProcess process;
        prepareTogether(process, processes, words.split(u' ', Qt::SkipEmptyParts));
        process.start();
        process.waitForFinished(kPatienceMs);
        return answerOf(process);
    }
};

} // namespace stagelens::test
