// `calibrate` on the command line: tables from nccl-tests, figures from a trace.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>

namespace integration_cluster_calibrate {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

namespace {

const auto kPlan = u" --model llama-3-8b --devices 4 --microbatches 8"_s;

/// Four ranks of one node.
QByteArray logOf(const char *program, double factor)
{
    QByteArray text = "# Collective test starting: " + QByteArray(program) + "\n# nThread 1 nGpus 4\n";
    for (int rank = 0; rank < 4; ++rank)
        text += "#  Rank " + QByteArray::number(rank) + " Group  0 Pid  7 on  host0 device  0 [0x07] NVIDIA H100\n";
    text += "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
            "#wrong\n";
    for (const auto &[bytes, micros] : {std::pair(1048576.0, 31.25), {16777216.0, 125.0}}) {
        const double rate = bytes / micros / 1000;
        text += QByteArray::number(bytes, 'f', 0) + "  64  float  sum  -1  " + QByteArray::number(micros) + "  " +
                QByteArray::number(rate, 'f', 2) + "  " + QByteArray::number(rate * factor, 'f', 2) + "  0\n";
    }
    return text;
}

} // namespace

class CliCalibrate : public QObject {
    Q_OBJECT

private slots:
    void logsFillTheTables()
    {
        write(u"reduce.log"_s, logOf("all_reduce_perf", 1.5));
        write(u"gather.log"_s, logOf("all_gather_perf", 0.75));
        const CliAnswer answer = m_cli.run(u"calibrate --hardware h100-sxm --nccl-tests reduce.log --nccl-tests gather.log "
                                           "--name mine -o mine.json"_s);
        QVERIFY2(answer.status == 0, answer.err.constData());
        for (const char *part : {"all-reduce", "all-gather", "bus rate"})
            QVERIFY2(answer.out.contains(part), answer.out.constData());
        const QJsonArray tables = m_cli.run(u"hardware mine.json"_s).object()[u"collectives"].toArray();
        QCOMPARE(tables.size(), 4); // the preset's two, of other groups, and these
        QCOMPARE(tables[2][u"ranks"].toInt(), 4);
        QCOMPARE(tables[2][u"microseconds"][0].toDouble(), 31.25);
        QCOMPARE(tables[3][u"operation"].toString(), u"all-gather"_s);
        // Again, into the same file: nothing is there twice.
        QCOMPARE(m_cli.run(u"calibrate --hardware mine.json --nccl-tests reduce.log -o mine.json"_s).status, 0);
        QCOMPARE(m_cli.run(u"hardware mine.json"_s).object()[u"collectives"].toArray().size(), 4);
        // Without -o the file is the result, and the table a message.
        const CliAnswer printed = m_cli.run(u"calibrate --hardware h100-sxm --nccl-tests reduce.log"_s);
        QCOMPARE(printed.object()[u"name"].toString(), u"h100-sxm-copy"_s);
        QVERIFY(printed.err.contains("all-reduce"));
    }

    /// The trace of a cluster on which products reach 0.6 of the peak, not the preset's 0.75.
    void aTraceFitsThePasses()
    {
        write(u"real.json"_s, R"({"stagelens": "hardware/1", "name": "real", "base": "h100-sxm", "matrix_efficiency": 0.6})");
        const QJsonObject real = m_cli.run(u"simulate --json --timeline --hardware real.json"_s + kPlan).object();
        write(u"trace.json"_s, traceOf(real));
        const CliAnswer answer =
            m_cli.run(u"calibrate --hardware h100-sxm --trace trace.json --name fitted -o fitted.json"_s + kPlan);
        QVERIFY2(answer.status == 0, answer.err.constData());
        QVERIFY2(answer.out.contains("residual") && answer.out.contains("matrix_efficiency 0.750 -> "), answer.out.constData());
        const QJsonObject fitted = m_cli.run(u"simulate --json --hardware fitted.json"_s + kPlan).object();
        const auto makespan = [](const QJsonObject &document) { return document[u"metrics"][u"makespan_ns"].toDouble(); };
        QVERIFY2(std::abs(makespan(fitted) / makespan(real) - 1) < 0.02, answer.out.constData());
        const CliAnswer other = m_cli.run(u"calibrate --hardware h100-sxm --trace trace.json --model llama-3-8b --devices 2"_s);
        QCOMPARE(other.status, 2);
        QVERIFY2(other.err.contains("trace: has 4 devices, and the plan has 2"), other.err.constData());
    }

    void whatIsWrongIsExplained_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("nothing") << u"--hardware h200"_s << QByteArray("--nccl-tests: and --trace are both missing");
        QTest::newRow("no file") << u"--hardware h200 --nccl-tests no.log"_s << QByteArray("no.log");
        QTest::newRow("no log") << u"--hardware h200 --nccl-tests bad.log"_s << QByteArray("bad.log: has no line of results");
        QTest::newRow("no trace") << u"--hardware h200 --trace bad.log"_s << QByteArray("bad.log");
        QTest::newRow("operation") << u"--hardware h200 --nccl-tests bad.log --operation gather"_s << QByteArray("--operation");
        QTest::newRow("durations") << u"--uniform F=1 --nccl-tests bad.log"_s << QByteArray("--hardware: is missing");
        QTest::newRow("name") << u"--hardware h200 --nccl-tests good.log --name b200"_s
                              << QByteArray("is b200, which is a preset");
    }
    void whatIsWrongIsExplained()
    {
        QFETCH(QString, words);
        QFETCH(QByteArray, message);
        write(u"bad.log"_s, "nothing\n");
        write(u"good.log"_s, logOf("all_reduce_perf", 1.5));
        const CliAnswer answer = m_cli.run(u"calibrate "_s + words);
        QCOMPARE(answer.status, 2);
        QVERIFY2(answer.err.contains(message), answer.err.constData());
    }

private:
    /// Two steps of a prediction as PyTorch's profiler would write them.
    static QByteArray traceOf(const QJsonObject &document)
    {
        QJsonArray events;
        const double period = document[u"metrics"][u"iteration_ns"].toDouble() * 2;
        for (int step = 0; step < 2; ++step)
            for (const QJsonValue &device : document[u"devices"].toArray())
                for (const QJsonValue &slice : device[u"slices"].toArray()) {
                    const double begin = slice[u"begin_ns"].toDouble();
                    events << QJsonObject{{u"ph"_s, u"X"_s},
                                          {u"name"_s, u"PP:%1%2%3"_s.arg(slice[u"stage"].toInt())
                                                          .arg(slice[u"pass"].toString())
                                                          .arg(slice[u"microbatch"].toInt())},
                                          {u"pid"_s, device[u"device"].toInt()},
                                          {u"tid"_s, 0},
                                          {u"ts"_s, (begin + step * period) / 1000},
                                          {u"dur"_s, (slice[u"end_ns"].toDouble() - begin) / 1000}};
                }
        return QJsonDocument(QJsonObject{{u"traceEvents"_s, events}}).toJson();
    }
    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(m_cli.path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    CliRunner m_cli;
};

STAGELENS_TEST(CliCalibrate)

} // namespace integration_cluster_calibrate

#include "cluster/calibrate.moc"
