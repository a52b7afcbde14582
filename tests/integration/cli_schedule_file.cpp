// A custom schedule from a file through stagelens-cli: predicted, validated, trained and exported as a family's own is.
#include "tests/support/cli_runner.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>

namespace integration_cli_schedule_file {

using namespace Qt::StringLiterals;
using stagelens::test::CliAnswer;
using stagelens::test::CliRunner;

class CliScheduleFile : public QObject {
    Q_OBJECT

private slots:
    void predictsAsTheFamilyDoes_data();
    void predictsAsTheFamilyDoes();
    void takesThePlanFromTheFile();
    void refusesWhatContradictsTheFile_data();
    void refusesWhatContradictsTheFile();
    void namesTheCell();
    void namesTheLine();
    void holdsTheMemoryLimitAgainstTheFile();
    void trainsAndVerifies();
    void documentsNameTheFileFromTheirFolder();
    void tablesNameALongText();
    void exportsMessages();
    void exportsForBothPyTorchs();
    void keepsWhatACsvHas();
    void saysWhatACsvLeavesOut();
    void runsBackwardsInDescendingOrder();
    void aRunKeepsItsSchedule();

private:
    bool write(const QString &name, const QByteArray &content) const
    {
        QFile file(m_cli.path(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    }
    [[nodiscard]] double makespan(const QString &words) const
    {
        const CliAnswer answer = m_cli.run(u"simulate --json "_s + words);
        if (answer.status != 0)
            qWarning("%s", answer.err.constData());
        return answer.object()[u"metrics"_s][u"makespan_ns"_s].toDouble();
    }
    CliRunner m_cli;
};

void CliScheduleFile::predictsAsTheFamilyDoes_data()
{
    QTest::addColumn<QString>("plan");
    QTest::newRow("1f1b") << u"--schedule 1f1b"_s;
    QTest::newRow("interleaved") << u"--schedule interleaved-1f1b"_s;
    QTest::newRow("zb-v") << u"--schedule zb-v"_s;
    QTest::newRow("dualpipe-v") << u"--schedule dualpipe-v"_s;
}

void CliScheduleFile::predictsAsTheFamilyDoes()
{
    QFETCH(QString, plan);
    const QString costs = u" --uniform F=1,B=2,send=.1"_s;
    plan += u" --devices 4 --microbatches 9"_s + costs;
    const double expected = makespan(plan);
    QVERIFY(expected > 0);
    for (const QString &kind : {u""_s, u" --comms"_s, u" --comms=messages"_s, u" --comms=replicas"_s}) {
        const CliAnswer csv = m_cli.run(u"export --format torch-csv -o plan.csv "_s + plan + kind);
        QVERIFY2(csv.status == 0, csv.err);
        QCOMPARE(makespan(u"--schedule-file plan.csv"_s + costs), expected);
        QCOMPARE(m_cli.run(u"validate --schedule-file plan.csv"_s).status, 0);
        const CliAnswer again = m_cli.run(u"export --format torch-csv --schedule-file plan.csv"_s + costs + kind);
        QFile file(m_cli.path(u"plan.csv"_s));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(again.out, file.readAll());
    }
}

void CliScheduleFile::takesThePlanFromTheFile()
{
    QVERIFY(write(u"v.csv"_s, "\xEF\xBB\xBF"
                              "0F0,,3F0,3B0,0B0\r\n,1F0,2F0,2I0,2W0,1B0\r\n"));
    const QJsonObject document = m_cli.run(u"experiment --json --schedule-file v.csv"_s).object();
    QCOMPARE(document[u"schedule"_s][u"family"_s].toString(), u"custom"_s);
    QCOMPARE(document[u"schedule"_s][u"file"_s].toString(), u"v.csv"_s);
    QCOMPARE(document[u"schedule"_s][u"chunks"_s].toInt(), 2);
    QCOMPARE(document[u"parallel"_s][u"devices"_s].toInt(), 2);
    QCOMPARE(document[u"parallel"_s][u"microbatches"_s].toInt(), 1);
    // A text says which vocabulary method it is for.
    QVERIFY(write(u"s.txt"_s, "schedule mine devices 1 microbatches 1 vocabulary vocab-2\n0: EF0 F0 S0 B0 T0 EB0\n"));
    const CliAnswer text = m_cli.run(u"experiment --json --schedule-file s.txt"_s);
    QVERIFY2(text.status == 0, text.err);
    QCOMPARE(text.object()[u"schedule"_s][u"vocabulary"_s].toString(), u"vocab-2"_s);
    // Other options win over an experiment's file, and so does a schedule's file with all that it brings.
    QCOMPARE(m_cli.run(u"experiment --schedule zb-v --devices 4 -o zbv.json"_s).status, 0);
    QCOMPARE(m_cli.run(u"experiment --json zbv.json --schedule-file v.csv"_s).object()[u"parallel"_s][u"devices"_s].toInt(), 2);
}

/// The whole text was a cell, cut where two texts were still alike.
void CliScheduleFile::tablesNameALongText()
{
    const QByteArray head = "schedule mine devices 1 microbatches 40 vocabulary none\n0:";
    for (const bool isLast : {false, true}) {
        QByteArray order;
        for (int i = 0; i < 40; ++i)
            order += " F" + QByteArray::number(i);
        for (int i = 39; i >= 0; --i)
            order += " B" + QByteArray::number(isLast && i < 2 ? 1 - i : i);
        QVERIFY(write(u"long.txt"_s, head + order + '\n'));
        QProcess process;
        m_cli.prepare(process, u"experiment -o long-%1.json --schedule-file -"_s.arg(int{isLast}).split(u' '));
        process.setStandardInputFile(m_cli.path(u"long.txt"_s));
        process.start();
        QVERIFY(process.waitForFinished(CliRunner::kPatienceMs));
        const CliAnswer document = CliRunner::answerOf(process);
        QVERIFY2(document.status == 0, document.err);
    }
    const QByteArray table = m_cli.run(u"experiment long-0.json"_s).out;
    const QRegularExpression cell(u"schedule mine devices 1 [^\n]{1,40} \\(2 lines, xxh64 ([0-9a-f]{16})\\)"_s);
    QVERIFY2(cell.match(QString::fromUtf8(table)).hasMatch(), table);
    QVERIFY2(!table.contains("F12"), table);
    const QString compared = QString::fromUtf8(m_cli.run(u"compare long-0.json long-1.json"_s).out);
    auto cells = cell.globalMatch(compared);
    QVERIFY2(cells.hasNext(), qPrintable(compared));
    const QString first = cells.next().captured(1);
    QVERIFY2(cells.hasNext() && cells.next().captured(1) != first, qPrintable(compared));
}

void CliScheduleFile::refusesWhatContradictsTheFile_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QByteArray>("problem");
    QTest::newRow("devices") << u"--schedule-file a.csv --devices 3"_s << QByteArray("--devices: is 3, but a.csv has 2; ");
    QTest::newRow("microbatches") << u"--schedule-file a.csv --microbatches 7"_s
                                  << QByteArray("--microbatches: is 7, but a.csv has 1; ");
    QTest::newRow("chunks") << u"--schedule-file a.csv --chunks 2"_s << QByteArray("--chunks: is 2, but a.csv has 1; ");
    QTest::newRow("vocabulary") << u"--schedule-file a.csv --vocabulary vocab-1"_s
                                << QByteArray("--vocabulary: is vocab-1, but a.csv has the passes of none; ");
    QTest::newRow("no vocabulary") << u"--schedule-file s.txt --vocabulary none"_s
                                   << QByteArray("--vocabulary: is none, but s.txt has the passes of vocab-2; ");
    QTest::newRow("a family") << u"--schedule-file a.csv --schedule 1f1b"_s << QByteArray("--schedule: contradicts");
    QTest::newRow("waves") << u"--schedule-file a.csv --waves 1"_s << QByteArray("--waves: custom has no waves");
    QTest::newRow("no file") << u"--schedule-file nowhere.csv"_s
                             << QByteArray("--schedule-file: nowhere.csv: cannot be read: it does not exist");
    QTest::newRow("uneven") << u"--schedule-file u.csv"_s
                            << QByteArray("--schedule-file: u.csv: 3 stages do not divide over 2 devices");
    QTest::newRow("custom without file") << u"--schedule custom"_s << QByteArray("schedule.file: is missing");
    QTest::newRow("document") << u"d.json"_s << QByteArray("parallel.devices: is 4, but a.csv has 2; ");
}

void CliScheduleFile::refusesWhatContradictsTheFile()
{
    QFETCH(const QString, words);
    QFETCH(const QByteArray, problem);
    QVERIFY(write(u"a.csv"_s, "0F0,0B0\n1F0,1B0\n"));
    QVERIFY(write(u"u.csv"_s, "0F0,2F0,2B0,0B0\n1F0,1B0\n"));
    QVERIFY(write(u"s.txt"_s, "schedule mine devices 1 microbatches 1 vocabulary vocab-2\n0: EF0 F0 S0 B0 T0 EB0\n"));
    QVERIFY(write(u"d.json"_s, R"({"stagelens": "experiment/1", "parallel": {"devices": 4}, "schedule": {"file": "a.csv"}})"));
    const CliAnswer answer = m_cli.run(u"simulate "_s + words);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.startsWith(problem) || answer.err.contains('\n' + problem), answer.err);
}

void CliScheduleFile::namesTheCell()
{
    QVERIFY(write(u"wrong.csv"_s, "0F0,,0B0,0F1,0B1\n1F0,1F1,,1B0,1B1\n"));
    const CliAnswer simulated = m_cli.run(u"simulate --schedule-file wrong.csv"_s);
    QCOMPARE(simulated.status, 2);
    QVERIFY2(simulated.err.startsWith("--schedule-file: wrong.csv: row 1, column 3: device 0 waits at row 1, column 3 (B0@0)"),
             simulated.err);
    const CliAnswer answer = m_cli.run(u"validate --json --schedule-file wrong.csv"_s);
    QCOMPARE(answer.status, 1);
    const QJsonObject violation = answer.object()[u"violations"_s][0].toObject();
    QCOMPARE(violation[u"kind"_s].toString(), u"deadlock"_s);
    QCOMPARE(violation[u"position"_s].toInt(), 1);
    QCOMPARE(violation[u"row"_s].toInt(), 1);
    QCOMPARE(violation[u"column"_s].toInt(), 3);
    QVERIFY(write(u"noise.csv"_s, "0F0,0B0\n1F0xyz,1B0\n"));
    const CliAnswer noise = m_cli.run(u"validate --schedule-file noise.csv"_s);
    QCOMPARE(noise.status, 2);
    QVERIFY2(noise.err.startsWith("--schedule-file: noise.csv: row 2, column 1: '1F0xyz' ends with 'xyz'"), noise.err);
    // Two devices that send to each other at once need room for the messages.
    QVERIFY(write(u"sends.csv"_s, "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"));
    QCOMPARE(m_cli.run(u"validate --schedule-file sends.csv"_s).status, 0);
    const CliAnswer blocked = m_cli.run(u"validate --sends blocking --schedule-file sends.csv"_s);
    QCOMPARE(blocked.status, 1);
    QVERIFY2(blocked.out.contains("device 0 sends at row 1, column 2 (F1@0) to F1@1"), blocked.out);
}

void CliScheduleFile::namesTheLine()
{
    QVERIFY(write(u"wrong.txt"_s, "# mine\nschedule x devices 1 microbatches 2 vocabulary none\n0: F0 B0 F1\n"));
    const CliAnswer answer = m_cli.run(u"validate --json --schedule-file wrong.txt"_s);
    QCOMPARE(answer.status, 1);
    const QJsonObject violation = answer.object()[u"violations"_s][0].toObject();
    QCOMPARE(violation[u"kind"_s].toString(), u"missing"_s);
    QCOMPARE(violation[u"line"_s].toInt(), 3);
    QCOMPARE(violation[u"word"_s].toInt(), 5);
}

void CliScheduleFile::holdsTheMemoryLimitAgainstTheFile()
{
    QVERIFY(write(u"gpipe.csv"_s, "0F0,0F1,0F2,0B0,0B1,0B2\n1F0,1F1,1F2,1B0,1B1,1B2\n"));
    const CliAnswer roomy = m_cli.run(u"validate --schedule-file gpipe.csv --memory-limit 100000000000"_s);
    QVERIFY2(roomy.status == 0, roomy.err);
    // What one microbatch less in flight takes.
    const auto peak =
        m_cli.run(u"simulate --json --schedule-file gpipe.csv"_s).object()[u"metrics"_s][u"peak_memory_bytes"_s][0].toInteger();
    QVERIFY(peak > 0);
    const QString limit = u" --memory-limit "_s + QString::number(peak - 4'000'000);
    const CliAnswer tight = m_cli.run(u"validate --json --schedule-file gpipe.csv"_s + limit);
    QCOMPARE(tight.status, 1);
    const QJsonObject violation = tight.object()[u"violations"_s][0].toObject();
    QCOMPARE(violation[u"kind"_s].toString(), u"too-much-memory"_s);
    QCOMPARE(violation[u"row"_s].toInt(), 1);
    QCOMPARE(violation[u"column"_s].toInt(), 3);
    const CliAnswer simulated = m_cli.run(u"simulate --schedule-file gpipe.csv"_s + limit);
    QCOMPARE(simulated.status, 2);
    QVERIFY2(simulated.err.contains("gpipe.csv: row 1, column 3: F2@0 puts 3 activations in flight"), simulated.err);
    // A family's own schedule is told the same way.
    QCOMPARE(m_cli.run(u"validate --schedule gpipe --devices 2 --microbatches 3"_s + limit).status, 1);
}

void CliScheduleFile::trainsAndVerifies()
{
    QVERIFY(write(u"mine.csv"_s, "0F0,0F1,0B0,0F2,0B1,0B2\n,1F0,1B0,1F1,1F2,1B1,1B2\n"));
    const QString small = u" --layers 2 --hidden 32 --heads 2 --sequence 16 --vocabulary-size 64"_s;
    const CliAnswer verified = m_cli.run(u"verify --schedule-file mine.csv"_s + small);
    QVERIFY2(verified.status == 0, verified.err);
    const CliAnswer trained = m_cli.run(u"run --json --steps 3 --schedule-file mine.csv"_s + small);
    QVERIFY2(trained.status == 0, trained.err);
    const CliAnswer exported = m_cli.run(u"export 1 --format torch-csv"_s);
    QCOMPARE(exported.out, QByteArray("0F0,0F1,0B0,0F2,0B1,0B2\n,1F0,1B0,1F1,1F2,1B1,1B2\n"));
    QVERIFY(write(u"split.csv"_s, "0F0,0I0,0W0\n1F0,1I0,1W0\n"));
    const CliAnswer split = m_cli.run(u"verify --schedule-file split.csv"_s + small);
    QVERIFY2(split.status == 0, split.err);
    // What only the text form can say.
    for (const QByteArray &text :
         {QByteArray("placement 0,1/1,0 microbatch-replicas 01\n0: F0 F1@1 B1@1 B0\n1: F1 F0@1 B0@1 B1\n"),
          QByteArray("placement 0,1/0,1 microbatch-replicas 01\n0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n"),
          QByteArray("updates each-microbatch\n0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n"),
          QByteArray("updates double-buffered\n0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n")}) {
        QVERIFY(write(u"own.txt"_s, "schedule mine devices 2 microbatches 2 vocabulary none " + text));
        for (const QString &words : {u"verify --untied"_s, u"verify --tied"_s, u"run --steps 2"_s}) {
            const CliAnswer answer = m_cli.run(words + u" --schedule-file own.txt"_s + small);
            QVERIFY2(answer.status == 0, text + answer.err);
        }
    }
}

void CliScheduleFile::documentsNameTheFileFromTheirFolder()
{
    QVERIFY(QDir(m_cli.path({})).mkpath(u"plans"_s));
    QVERIFY(write(u"plans/a.csv"_s, "0F0,0B0\n1F0,1B0\n"));
    QCOMPARE(m_cli.run(u"experiment --schedule-file plans/a.csv -o plans/a.stagelens.json"_s).status, 0);
    QFile saved(m_cli.path(u"plans/a.stagelens.json"_s));
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QVERIFY(saved.readAll().contains(R"("file": "a.csv")"));
    QVERIFY(makespan(u"plans/a.stagelens.json"_s) > 0);
    QCOMPARE(m_cli.run(u"experiment --schedule-file plans/a.csv -o far.json"_s).status, 0);
    const CliAnswer compared = m_cli.run(u"compare --json plans/a.stagelens.json far.json"_s);
    QVERIFY2(compared.status == 0, compared.err);
    QVERIFY(compared.object()[u"parameters"_s].toArray().isEmpty());
    QCOMPARE(m_cli.run(u"export --format stagelens --schedule-file plans/a.csv -o plans/b.stagelens.json"_s).status, 0);
    QVERIFY(makespan(u"plans/b.stagelens.json"_s) > 0);
    // Another family leaves the file behind.
    QCOMPARE(m_cli.run(u"simulate far.json --schedule gpipe"_s).status, 0);
}

void CliScheduleFile::exportsMessages()
{
    const QString plan = u"export --devices 2 --microbatches 1 --format torch-csv"_s;
    QCOMPARE(m_cli.run(plan).out, QByteArray("0F0,0B0\n1F0,1B0\n"));
    QCOMPARE(m_cli.run(plan + u" --comms=messages --torch-version 2.14"_s).out,
             QByteArray("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"));
    QCOMPARE(m_cli.run(plan + u" --comms --torch-version 2.14"_s).out,
             QByteArray("0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
                        "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD,1RESHARD\n"));
    QCOMPARE(m_cli.run(u"export --comms --format csv"_s).status, 2);
    QCOMPARE(m_cli.run(u"export --schedule dualpipe --format torch-csv"_s).status, 2);
}

void CliScheduleFile::exportsForBothPyTorchs()
{
    const QString plan = u"export --format torch-csv --devices 2 --microbatches 1 --schedule 1f1b --uniform F=1,B=2"_s;
    const CliAnswer late = m_cli.run(plan + u" --comms"_s);
    QCOMPARE(late.out,
             QByteArray("0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0WAIT_SEND_F0,0REDUCE_GRAD,0WAIT_REDUCE_GRAD,0RESHARD\n"
                        "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD,1WAIT_REDUCE_GRAD,1RESHARD,1WAIT_SEND_B0\n"));
    QVERIFY2(late.err.contains("PyTorch 2.15 and later; --torch-version 2.14"), late.err);
    QCOMPARE(m_cli.run(plan + u" --comms --torch-version 2.15"_s).out, late.out);
    const CliAnswer early = m_cli.run(plan + u" --comms --torch-version 2.14"_s);
    QCOMPARE(early.out, QByteArray("0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
                                   "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD,1RESHARD\n"));
    QVERIFY2(early.err.contains("PyTorch 2.14 and earlier"), early.err);
    QCOMPARE(m_cli.run(plan + u" --torch-version 2.14"_s).status, 2);
    QCOMPARE(m_cli.run(plan + u" --comms --torch-version 2.13"_s).status, 2);
}

void CliScheduleFile::keepsWhatACsvHas()
{
    for (const QByteArray &text :
         {QByteArray("0F0,,,0B0\n,1F0,1B0,\n"),
          QByteArray("0F0,0SEND_F0,0RECV_B0,0B0,0WAIT_SEND_F0\n1RECV_F0,1F0,1B0,1SEND_B0,1WAIT_SEND_B0\n"),
          QByteArray("0UNSHARD,0F0,0B0,0BW1\n").replace("0B0,0BW1", "0B0,0W0,0REDUCE_GRAD,0RESHARD")}) {
        QVERIFY(write(u"given.csv"_s, text));
        const CliAnswer again = m_cli.run(u"export --format torch-csv --uniform F=1,B=2 --schedule-file given.csv"_s);
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(again.out, text);
        QByteArray quoted = text;
        quoted.replace(",", "\",\"").replace("\n", "\"\r\n\"").prepend('"').chop(1);
        QVERIFY(write(u"quoted.csv"_s, quoted));
        const CliAnswer unquoted = m_cli.run(u"export --format torch-csv --uniform F=1,B=2 --schedule-file quoted.csv"_s);
        QVERIFY2(unquoted.status == 0, unquoted.err);
        QCOMPARE(unquoted.out, text);
    }
}

void CliScheduleFile::saysWhatACsvLeavesOut()
{
    for (const QString &family : {u"pipedream"_s, u"pipedream-2bw"_s}) {
        const CliAnswer answer =
            m_cli.run(u"export --format torch-csv --devices 2 --microbatches 4 --uniform F=1,B=2 --schedule "_s + family);
        QCOMPARE(answer.status, 0);
        QVERIFY2(answer.err.startsWith("warning: " + family.toUtf8() + " updates its weights"), answer.err);
        QVERIFY2(answer.err.contains("synchronously"), answer.err);
    }
}

/// The order of PyTorch's LoopedBFS.
void CliScheduleFile::runsBackwardsInDescendingOrder()
{
    QVERIFY(write(u"back.csv"_s, "0F0,0F1,0F2,2F0,2F1,2F2,,,2B2,2B1,2B0,0B2,0B1,0B0\n"
                                 ",1F0,1F1,1F2,3F0,3F1,3F2,3B2,3B1,3B0,1B2,1B1,1B0\n"));
    QCOMPARE(m_cli.run(u"simulate --schedule-file back.csv"_s).status, 0);
    const CliAnswer checked = m_cli.run(u"validate --json --schedule-file back.csv"_s);
    QCOMPARE(checked.status, 0);
    QCOMPARE(checked.object()[u"valid"_s].toBool(), true);
    const QJsonObject remark = checked.object()[u"remarks"_s][0].toObject();
    QCOMPARE(remark[u"kind"_s].toString(), u"accumulation-order"_s);
    QCOMPARE(remark[u"row"_s].toInt(), 1);
    QCOMPARE(remark[u"column"_s].toInt(), 10);
    const CliAnswer said = m_cli.run(u"validate --schedule-file back.csv"_s);
    QVERIFY2(said.out.contains("remark: device 0 adds the gradients of B1@2 after those of B2@2; "), said.out);
    const QString small = u" --layers 4 --hidden 32 --heads 2 --sequence 16 --vocabulary-size 64"_s;
    for (const QString &mode : {u" --mode live"_s, u" --mode virtual-clock"_s}) {
        const CliAnswer verified = m_cli.run(u"verify --schedule-file back.csv"_s + small + mode);
        QVERIFY2(verified.status == 0, verified.err);
    }
    const CliAnswer trained = m_cli.run(u"run --steps 2 --schedule-file back.csv"_s + small);
    QVERIFY2(trained.status == 0, trained.err);
    QVERIFY2(trained.out.contains("gradient order: device 0 adds the gradients of B1@2"), trained.out);
    // With a sharded vocabulary the backwards may go down, too, while the shards keep their order.
    QVERIFY(write(u"back.txt"_s, "schedule mine devices 2 microbatches 2 vocabulary vocab-2\n"
                                 "0: EF0 EF1 F0 F1 S0 S1 T0 T1 B1 B0 EB0 EB1\n1: EF0 EF1 F0 F1 S0 S1 T0 T1 B1 B0 EB0 EB1\n"));
    const CliAnswer sharded = m_cli.run(u"verify --schedule-file back.txt"_s + small);
    QVERIFY2(sharded.status == 0, sharded.err);
}

void CliScheduleFile::aRunKeepsItsSchedule()
{
    const QByteArray text =
        "# \xFF mine\nschedule mine devices 2 microbatches 2 vocabulary none\n0: F0 F1 B0 B1\n1: F0 B0 F1 B1\n";
    QVERIFY(write(u"own.txt"_s, text));
    const QString small = u" --layers 2 --hidden 32 --heads 2 --sequence 16 --vocabulary-size 64 --json --db kept.db"_s;
    const CliAnswer first = m_cli.run(u"run --steps 2 --checkpoint-every 2 --schedule-file own.txt"_s + small);
    QVERIFY2(first.status == 0, first.err);
    const QJsonObject stored = first.object()[u"experiment"_s][u"schedule"_s].toObject();
    QCOMPARE(stored[u"text"_s].toString().toUtf8(), QByteArray(text).replace('\xFF', '?'));
    QVERIFY(!stored.contains(u"file"_s));
    QCOMPARE(first.object()[u"environment"_s][u"schedule file"_s].toString(), m_cli.path(u"own.txt"_s));
    const QByteArray exported = m_cli.run(u"export 1 --format torch-csv --db kept.db"_s).out;
    QCOMPARE(exported, QByteArray("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"));
    // The file becomes another schedule, then rubbish, then goes away: nothing changes for the run.
    for (const QByteArray &later :
         {QByteArray("schedule mine devices 2 microbatches 2 vocabulary none\n0: F0 F1 B0 B1\n1: F0 F1 B0 B1\n"),
          QByteArray("rubbish"), QByteArray()}) {
        if (later.isEmpty())
            QVERIFY(QFile::remove(m_cli.path(u"own.txt"_s)));
        else
            QVERIFY(write(u"own.txt"_s, later));
        QCOMPARE(m_cli.run(u"export 1 --format torch-csv --db kept.db"_s).out, exported);
        QCOMPARE(m_cli.run(u"compare 1 1 --db kept.db"_s).status, 0);
    }
    const CliAnswer resumed = m_cli.run(u"run --resume 1 --steps 3 --json --db kept.db"_s);
    QVERIFY2(resumed.status == 0, resumed.err);
    QCOMPARE(resumed.object()[u"experiment"_s][u"schedule"_s][u"text"_s], stored[u"text"_s]);
    // A file given anew wins over what was stored.
    QVERIFY(write(u"new.csv"_s, "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n"));
    const CliAnswer other = m_cli.run(u"run --resume 1 --steps 3 --schedule-file new.csv --json --db kept.db"_s);
    QVERIFY2(other.status == 0, other.err);
    QVERIFY(other.object()[u"experiment"_s][u"schedule"_s][u"text"_s].toString().startsWith(u"0F0,0F1"_s));
}

STAGELENS_TEST(CliScheduleFile)

} // namespace integration_cli_schedule_file

#include "cli_schedule_file.moc"
