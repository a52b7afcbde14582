// `list backends` explains itself where a driver or a library of GPUs is missing, too old, or not what its name says.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QtTest>

namespace integration_gpu_stand_ins {

using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

QString binaries()
{
    return qEnvironmentVariable("STAGELENS_BINARIES");
}

/// `list backends` with the libraries of a folder of tests/stand_ins before all others.
CliAnswer listWith(const QString &folder, const QStringList &how = {})
{
    const CliRunner runner;
    QProcess process;
    runner.prepare(process, QStringList{QStringLiteral("list"), QStringLiteral("backends")} + how);
    QProcessEnvironment environment = process.processEnvironment();
    if (!folder.isEmpty())
        environment.insert(QStringLiteral("LD_LIBRARY_PATH"), binaries() + QStringLiteral("/tests/stand_ins/") + folder);
    process.setProcessEnvironment(environment);
    process.start();
    process.waitForFinished();
    return CliRunner::answerOf(process);
}

/// What is wrong with a library of the GPUs; empty if nothing is or if it is not named.
QString problemOf(const QString &folder, const QString &library)
{
    const QJsonArray backends = listWith(folder, {QStringLiteral("--json")}).json().array();
    for (const QJsonValue &each : backends.last()[QLatin1String("libraries")].toArray())
        if (each[QLatin1String("name")].toString() == library)
            return each[QLatin1String("problem")].toString();
    return {};
}

QString cudaLine(const CliAnswer &answer)
{
    const auto lines = answer.out.split('\n');
    return lines.size() > 1 ? QString::fromUtf8(lines[1]) : QString();
}

} // namespace

class GpuStandIns : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!QFileInfo::exists(binaries() + QStringLiteral("/libstagelens-cuda.so")))
            QSKIP("built without CUDA");
        qunsetenv("STAGELENS_CUDA_PLUGIN");
    }

    void driver()
    {
        const QString none = cudaLine(listWith({}));
        if (none.contains(QStringLiteral("sm_")))
            QSKIP("there is a GPU here");
        QVERIFY2(none.contains(QStringLiteral("no NVIDIA driver is loaded; install one for CUDA ")), qPrintable(none));
        const QString old = cudaLine(listWith(QStringLiteral("old_driver")));
        QVERIFY2(old.contains(QStringLiteral("the NVIDIA driver is for CUDA 11.4, but ")) &&
                     old.contains(QStringLiteral("install a newer driver")),
                 qPrintable(old));
    }

    void cublasLt()
    {
        const QString line = cudaLine(listWith(QStringLiteral("cublaslt")));
        QVERIFY2(line.contains(QStringLiteral("the plug-in cannot be loaded")) &&
                     line.contains(QStringLiteral("install the libraries of the CUDA Toolkit")),
                 qPrintable(line));
    }

    void cudnnAndNccl()
    {
        const QString cudnn = problemOf(QStringLiteral("cudnn"), QStringLiteral("cuDNN"));
        QVERIFY2(cudnn.contains(QStringLiteral("own kernels compute attention")), qPrintable(cudnn));
        const QString nccl = problemOf(QStringLiteral("nccl"), QStringLiteral("NCCL"));
        QVERIFY2(nccl.contains(QStringLiteral("reinstall NCCL")) || nccl.contains(QStringLiteral("without NCCL")),
                 qPrintable(nccl));
    }
};

STAGELENS_TEST(GpuStandIns)

} // namespace integration_gpu_stand_ins

#include "gpu/stand_ins.moc"
