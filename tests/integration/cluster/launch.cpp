// `export --format megatron|torchtitan|deepspeed` on the command line.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace integration_cluster_launch {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

class CliLaunch : public QObject {
    Q_OBJECT

private slots:
    void aScriptForMegatron()
    {
        const CliAnswer answer = m_cli.run(u"export --format megatron -o launch.sh --model llama-3-8b --hardware h100-sxm "
                                           "--devices 4 --replicas 2 --tensor 2 --zero 1 --vocabulary vocab-1"_s);
        QVERIFY2(answer.status == 0, answer.err.constData());
        QVERIFY(answer.out.isEmpty());
        QVERIFY2(answer.err.contains("names of arguments as in Megatron-LM, commit "), answer.err.constData());
        QVERIFY2(answer.err.contains("not carried over: vocabulary vocab-1: "), answer.err.constData());
        QProcess shell;
        shell.start(u"sh"_s, {u"-n"_s, m_cli.path(u"launch.sh"_s)});
        QVERIFY(shell.waitForFinished() && shell.exitCode() == 0);
        QFile script(m_cli.path(u"launch.sh"_s));
        QVERIFY(script.open(QIODevice::ReadOnly));
        const QByteArray text = script.readAll();
        for (const char *part : {"--nnodes 2 --nproc-per-node 8", "--use-distributed-optimizer", "--global-batch-size 32",
                                 "--tensor-model-parallel-size 2 --sequence-parallel"})
            QVERIFY2(text.contains(part), text.constData());
    }

    void aScheduleLiesBesideItsConfiguration()
    {
        const QString plan = u" --model llama-3-8b --hardware h100-sxm --devices 4 --schedule v-half"_s;
        const CliAnswer answer = m_cli.run(u"export --format torchtitan -o v.toml"_s + plan);
        QVERIFY2(answer.status == 0, answer.err.constData());
        QFile toml(m_cli.path(u"v.toml"_s));
        QVERIFY(toml.open(QIODevice::ReadOnly) && toml.readAll().contains("pipeline_parallel_schedule_csv = \"v.csv\""));
        const CliAnswer csv = m_cli.run(u"export --format torch-csv"_s + plan);
        QFile beside(m_cli.path(u"v.csv"_s));
        QVERIFY(beside.open(QIODevice::ReadOnly));
        QCOMPARE(beside.readAll(), csv.out);
        const CliAnswer printed = m_cli.run(u"export --format torchtitan"_s + plan);
        QVERIFY(printed.out.contains("\"schedule.csv\"") && printed.err.contains("--format torch-csv -o schedule.csv"));
    }

    void aConfigurationForDeepSpeed()
    {
        const CliAnswer answer = m_cli.run(u"export --format deepspeed --model gpt-4b --hardware a100-80gb --devices 8"_s);
        QVERIFY2(answer.status == 0, answer.err.constData());
        QCOMPARE(answer.object()[u"gradient_accumulation_steps"].toInt(), 16);
        QCOMPARE(answer.object()[u"pipeline"][u"stages"].toInt(), 8);
        QVERIFY(answer.err.contains("PipelineModule"));
    }

    void whatCannotBeWrittenIsExplained()
    {
        const CliAnswer bare = m_cli.run(u"export --format megatron --uniform F=1,B=2"_s);
        QCOMPARE(bare.status, 2);
        QVERIFY2(bare.err.contains("model: is none"), bare.err.constData());
        QCOMPARE(m_cli.run(u"export --format megatron -o /dev/full"_s).status, 1);
        QCOMPARE(m_cli.run(u"export --format nemo"_s).status, 2);
    }

private:
    CliRunner m_cli;
};

STAGELENS_TEST(CliLaunch)

} // namespace integration_cluster_launch

#include "cluster/launch.moc"
