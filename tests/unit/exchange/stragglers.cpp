// Straggler traces in CSV form: what is read of them, and what they are refused for.
#include "engine/exchange/stragglers/csv_lines.h"
#include "engine/exchange/stragglers/straggler_trace.h"
#include "engine/exchange/trace_events.h"
#include "tests/support/straggler_csv.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <random>

namespace unit_exchange_stragglers {

using namespace stagelens;

namespace {

/// One step of two stages, two replicas and one microbatch, as lines. Seconds.
QStringList step(int number = 7, double at = 100)
{
    QStringList lines;
    const auto add = [&](int replica, int stage, const char *operation, double start, double duration, const char *microbatch) {
        lines << QStringLiteral("%1,%2,%3,%4,%5,%6,%7")
                     .arg(replica)
                     .arg(stage)
                     .arg(number)
                     .arg(QString::fromLatin1(operation))
                     .arg(at + start, 0, 'f', 9)
                     .arg(duration, 0, 'g', 17)
                     .arg(QString::fromLatin1(microbatch));
    };
    for (const int replica : {0, 1}) {
        add(replica, 0, "forward-compute", 0, 1, "0");
        add(replica, 1, "forward-compute", 1.5, 1, "0");
        add(replica, 1, "backward-compute", 2.5, 2, "0");
        add(replica, 0, "backward-compute", 4.5, 2, "0");
    }
    return lines;
}

const QString kHeader = QStringLiteral("dp_rank,stage,step,optype,start_ts,duration,mb_id");

base::Result<exchange::StragglerTrace> import(const QString &text)
{
    const std::string bytes = text.toStdString();
    return exchange::importStragglers(exchange::TraceText{"job.csv", bytes});
}
base::Result<exchange::StragglerTrace> import(const QStringList &lines)
{
    return import(kHeader + QLatin1Char('\n') + lines.join(QLatin1Char('\n')));
}

} // namespace

class ExchangeStragglers : public QObject {
    Q_OBJECT

private slots:
    void secondsKeepTheirNanoseconds()
    {
        QCOMPARE(exchange::nanosOfSeconds("1700000000.123456789").value_or(0), base::Nanos{1'700'000'000'123'456'789});
        QCOMPARE(exchange::nanosOfSeconds("0.5").value_or(0), base::Nanos{500'000'000});
        QCOMPARE(exchange::nanosOfSeconds("1.5e-3").value_or(0), base::Nanos{1'500'000});
        for (const char *text : {"", "-1", "nan", "inf", "1e99", "9999999999.5", "1.2.3", "x"})
            QVERIFY2(!exchange::nanosOfSeconds(text), text);
    }

    void cellsOfLines()
    {
        using Cells = std::vector<std::string_view>;
        QVERIFY((exchange::csvCells("a, b ,,\"c,d\"") == Cells{"a", "b", "", "c,d"}));
        QVERIFY((exchange::csvCells("") == Cells{""}));
        QVERIFY((exchange::csvCells("\"") == Cells{"\""}));
    }

    void aJobIsRead()
    {
        const auto trace = import(step(7, 100) + step(9, 200));
        QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
        const simulate::MeasuredJob &job = trace->job;
        QCOMPARE(job.devices(), 2);
        QCOMPARE(job.replicas, 2);
        QCOMPARE(job.schedule.microbatches(), 1);
        QVERIFY((job.steps == std::vector<std::int64_t>{7, 9}));
        QCOMPARE(job.entries.size(), std::size_t{4});
        QVERIFY(
            (std::vector<double>(job.durationsOf(1, 1), job.durationsOf(1, 1) + 4) == std::vector<double>{1e9, 2e9, 1e9, 2e9}));
        QVERIFY((job.measuredSteps == std::vector<double>{6.5e9, 6.5e9}));
        QCOMPARE(trace->steps.size(), std::size_t{2});
        QVERIFY(trace->steps[1].provenance == timeline::Provenance::Imported);
        QCOMPARE(trace->steps[1].lanes[1].begin[0], base::Nanos{1'500'000'000});
    }

    /// Columns in any order under either name, a byte order mark, CR LF, an index, whole numbers as pandas writes them, quotes,
    /// and no newline at the end.
    void formsOfTheFile()
    {
        const QString text =
            QString(QChar(0xFEFF)) + QStringLiteral(",duration,microbatch,op,stage,dp_rank,step,start,chunk,rank\r\n"
                                                    "0,0.25,5.0,\"forward-compute\",0,0,3,10.0,0.0,0\r\n"
                                                    "\r\n"
                                                    "1, 0.5 ,5,backward-compute,0,0,3,10.25,<NA>,0\r\n"
                                                    "2,1.25e-1,,optimizer,0,0,3,10.75,nan,0");
        const auto trace = import(text);
        QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
        QVERIFY((trace->job.durations == std::vector<double>{0.25e9, 0.5e9, 0.125e9}));
        QCOMPARE(trace->steps[0].iteration(), base::Nanos{875'000'000});
        QVERIFY(trace->job.entries[2].operation == simulate::JobOperation::Optimize);
    }

    /// A message takes the time after both ends were launched and the pass has ended, a collective the time after the last of
    /// its group has begun.
    void transfersWithoutTheirWaits()
    {
        QStringList lines = step();
        for (const char *replica : {"0", "1"}) {
            const QString from = QString::fromLatin1(replica);
            lines << from + QStringLiteral(",0,7,forward-send,101.1,0.4,");  // both after the pass: 101.1 to 101.5
            lines << from + QStringLiteral(",1,7,forward-recv,100,1.5,");    // posted early
            lines << from + QStringLiteral(",1,7,backward-send,104.4,0.1,"); // ends at the pass's end: nothing is left
            lines << from + QStringLiteral(",0,7,backward-recv,103,1.5,");
        }
        lines << QStringLiteral("0,0,7,grads-reduce-scatter,106.5,1.5,")
              << QStringLiteral("1,0,7,grads-reduce-scatter,107,1.25,");
        lines << QStringLiteral("0,1,7,grads-reduce-scatter,106,1,") << QStringLiteral("1,1,7,grads-reduce-scatter,106,1,");
        const auto trace = import(lines);
        QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
        QCOMPARE(trace->skewedMessages, std::size_t{0});
        using enum simulate::JobOperation;
        const auto &entries = trace->job.entries;
        const auto durationOf = [&](int replica, simulate::JobOperation operation, int device) {
            for (std::size_t i = 0; i < entries.size(); ++i)
                if (entries[i].operation == operation && entries[i].device == device)
                    return trace->job.durationsOf(0, static_cast<std::size_t>(replica))[i];
            return -1.0;
        };
        QCOMPARE(durationOf(0, ForwardTransfer, 1), 0.4e9);
        QCOMPARE(durationOf(0, BackwardTransfer, 0), 0.0);
        QCOMPARE(durationOf(0, ForwardTransfer, 0), -1.0);
        QCOMPARE(durationOf(0, ReduceGradients, 0), 1e9);
        QCOMPARE(durationOf(1, ReduceGradients, 0), 1.25e9);
        QCOMPARE(durationOf(1, ReduceGradients, 1), 1e9);
    }

    /// Profilers record sends and receives at the ends of the model and of the step that never ran.
    void sendsThatWereNotLaunched()
    {
        QStringList lines = step();
        for (const char *replica : {"0", "1"}) {
            const QString from = QString::fromLatin1(replica);
            lines << from + QStringLiteral(",0,7,forward-recv,100,0,"); // the first stage receives nothing
            lines << from + QStringLiteral(",0,7,forward-send,101,0.25,");
            lines << from + QStringLiteral(",0,7,forward-recv,106,0,"); // after the last forward began
            lines << from + QStringLiteral(",1,7,forward-recv,100,1.25,");
            lines << from + QStringLiteral(",1,7,backward-send,100.5,0,"); // before the first backward ended
            lines << from + QStringLiteral(",1,7,backward-send,104.5,0.125,");
            lines << from + QStringLiteral(",0,7,backward-recv,104.5,0.125,");
        }
        const auto trace = import(lines);
        QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
        QCOMPARE(trace->job.entries.size(), std::size_t{6});
        QCOMPARE(trace->job.durationsOf(0, 0)[4], 0.25e9);
        QCOMPARE(trace->job.durationsOf(0, 0)[5], 0.125e9);
    }

    void clocksThatDisagree()
    {
        QStringList lines = step();
        for (const char *replica : {"0", "1"})
            lines << QString::fromLatin1(replica) + QStringLiteral(",0,7,forward-send,101,0.1,")
                  << QString::fromLatin1(replica) + QStringLiteral(",1,7,forward-recv,100,0.5,");
        const auto trace = import(lines);
        QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
        QCOMPARE(trace->skewedMessages, std::size_t{2});
        QCOMPARE(trace->job.durationsOf(0, 1)[4], 0.0);
    }

    void faultsAreNamed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const QString &text, const char *words) {
            QTest::newRow(name) << text << QString::fromUtf8(words);
        };
        const auto good = [](const QStringList &lines) { return kHeader + QLatin1Char('\n') + lines.join(QLatin1Char('\n')); };
        const auto changed = [&](int line, const char *from, const char *to) {
            QStringList lines = step();
            lines[line].replace(QString::fromLatin1(from), QString::fromLatin1(to));
            return good(lines);
        };
        const auto without = [&](int line) {
            QStringList lines = step();
            lines.removeAt(line);
            return good(lines);
        };
        row("empty", {}, "job.csv: is empty; give a trace of StragglerAnalysis as CSV, with the columns dp_rank");
        row("header only", kHeader, "job.csv: has a header and no rows; give a trace");
        row("no column", QStringLiteral("dp_rank,stage,step,optype,duration,mb_id\n"),
            "job.csv: line 1, column 1: the header has no column start_ts; give a trace");
        row("column twice", kHeader + QStringLiteral(",step\n"),
            "job.csv: line 1, column 3: there are two columns step; remove one");
        row("cells", changed(1, ",0\n", "") + QStringLiteral("\n1,2"),
            "line 10, column 3: there are 2 cells; the header has 7");
        row("too many cells", good(step()) + QStringLiteral(",9"), "line 9, column 8: there are 8 cells; the header has 7");
        row("not a number", changed(2, "0,1,7", "0,one,7"),
            "line 4, column 2: stage is 'one'; give a whole number from 0 to 1023");
        row("negative rank", changed(2, "0,1,7", "-1,1,7"), "line 4, column 1: dp_rank is '-1'; give a whole number");
        row("huge rank", changed(2, "0,1,7", "70000,1,7"), "line 4, column 1: dp_rank is '70000'; give a whole number");
        row("a part of a step", changed(2, "0,1,7", "0,1,7.5"), "line 4, column 3: step is '7.5'; give a whole number");
        row("no step", changed(2, "0,1,7", "0,1,"), "line 4, column 3: step is ''; give a whole number");
        row("NaN", changed(3, ",2,0", ",nan,0"), "line 5, column 6: duration is 'nan'; give 0 to 86400 seconds");
        row("infinite", changed(3, ",2,0", ",inf,0"), "line 5, column 6: duration is 'inf'; give 0 to 86400 seconds");
        row("negative", changed(3, ",2,0", ",-2,0"), "line 5, column 6: duration is '-2'; give 0 to 86400 seconds");
        row("absurd", changed(3, ",2,0", ",2e6,0"),
            "line 5, column 6: duration is '2e6'; give 0 to 86400 seconds, and convert milliseconds");
        row("start", changed(3, "104.5", "-104.5"), "line 5, column 5: start_ts is '-104.500000000'; give seconds from 0");
        row("start NaN", changed(3, "104.500000000", "NaN"), "line 5, column 5: start_ts is 'NaN'; give seconds from 0");
        row("operation", changed(3, "backward-compute", "backward-computed"),
            "line 5, column 4: there is no operation 'backward-computed'; choose from forward-compute, backward-compute");
        row("no microbatch", changed(3, ",2,0", ",2,"),
            "line 5, column 7: mb_id is ''; a backward-compute needs its microbatch");
        row("control characters", changed(3, "backward-compute", "\x1b[2J"), "'\\x1b[2J'");
        row("several problems", changed(3, ",2,0", ",-2,x"), "column 7: mb_id is 'x'");
        row("missing stage", good(step().filter(QRegularExpression(QStringLiteral("^(0|1,0),")))),
            "there are no rows of dp_rank 1, stage 1 in step 7; give whole steps of all");
        row("missing rank", good(step() + step(8).filter(QRegularExpression(QStringLiteral("^1,")))),
            "there are no rows of dp_rank 0, stage 0 in step 8; give whole steps");
        row("missing first stage", good(step().filter(QRegularExpression(QStringLiteral("^[01],1,")))),
            "there are no rows of dp_rank 0, stage 0 in step 7");
        row("missing pass", without(2), "the passes of dp_rank 0 in step 7 are no schedule: on stage 1, ");
        row("missing pass of a replica", without(6),
            "line 7: pass 2 of dp_rank 1, stage 1 in step 7 is nothing more, and in step 7 "
            "of dp_rank 0 it is B0@1; keep whole steps");
        row("another microbatch", good(step() + QStringList{QStringLiteral("1,0,7,forward-compute,110,1,1")}),
            "dp_rank 1 has 2 microbatches in step 7, and the first step of dp_rank 0 has 1; keep steps");
        row("no passes",
            good(step() + QStringList{QStringLiteral("0,0,8,gc,110,1,"), QStringLiteral("0,1,8,gc,110,1,"),
                                      QStringLiteral("1,0,8,gc,110,1,"), QStringLiteral("1,1,8,gc,110,1,")}),
            "line 10: dp_rank 0 has no forward-compute or backward-compute in step 8; record whole steps");
        row("overlap", changed(2, "102.5", "102.25"),
            "line 4: B0@1 begins before F0@1 of line 3 ends, on dp_rank 0, stage 1 in step 7; a worker runs one pass at a "
            "time");
        row("row twice", good(step() + QStringList{step()[2]}), "line 10: is the same operation as line 4; remove one of them");
        row("pass twice", good(step() + QStringList{QStringLiteral("0,1,7,backward-compute,110,1,0")}),
            "line 10: B0@1 of dp_rank 0, stage 1 in step 7 is also in line 4; remove one of them");
        row("backward first", changed(2, "102.500000000", "99.000000000"), "the passes of dp_rank 0 in step 7 are no schedule");
        row("other operations", good(step() + QStringList{QStringLiteral("1,0,7,gc,110,1,")}),
            "dp_rank 1, stage 0 in step 7 has 1 rows gc, and in step 7 of dp_rank 0 it has 0; record whole steps");
        row("too few sends",
            good(step() + QStringList{QStringLiteral("0,0,7,forward-send,101,1,"), QStringLiteral("0,0,7,forward-send,102,1,"),
                                      QStringLiteral("0,1,7,backward-send,104.5,1,")}),
            "dp_rank 0, stage 0 in step 7 has 2 rows forward-send for 1 passes; record all of a step");
        const QString chunks = kHeader + QStringLiteral(",gmc\n");
        row("chunk of two stages",
            chunks +
                step().replaceInStrings(QRegularExpression(QStringLiteral("$")), QStringLiteral(",0")).join(QLatin1Char('\n')),
            "model chunk 0 runs on stage 0 and on stage 1; correct mc and gmc");
        row("missing chunk", kHeader + QStringLiteral(",mc\n0,0,0,forward-compute,0,1,0,1\n0,0,0,backward-compute,1,1,0,1\n"),
            "there are no passes of model chunk 0 of 2; give whole steps");
    }
    void faultsAreNamed()
    {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const auto trace = import(text);
        QVERIFY(!trace.ok());
        const QString told = QString::fromStdString(trace.error().text());
        QVERIFY2(trace.error().kind == base::ErrorKind::InvalidInput && told.contains(words), qPrintable(told));
    }

    void problemsHaveALimit()
    {
        QStringList lines;
        for (int i = 0; i < 1000; ++i)
            lines << QStringLiteral("x,0,0,gc,0,0,");
        const auto trace = import(lines);
        QVERIFY(!trace.ok());
        QCOMPARE(trace.error().problems.size(), std::size_t{50});
    }

    void nulAndLongLines()
    {
        std::string text = kHeader.toStdString() + "\n0,0,0,gc,0";
        text += '\0';
        const auto zero = exchange::importStragglers(exchange::TraceText{"job.csv", text});
        QVERIFY(!zero && zero.error().text().find("line 2, column 5: a NUL byte is here") != std::string::npos);
        const std::string endless(std::size_t{1} << 20, 'x');
        const auto line = exchange::importStragglers(exchange::TraceText{"job.csv", endless});
        QVERIFY(!line && line.error().text().find("job.csv: line 1 is longer than 65536 bytes") != std::string::npos);
    }

    void noiseIsSurvived()
    {
        std::mt19937 random(1);
        const QByteArray good = (kHeader + QLatin1Char('\n') + step().join(QLatin1Char('\n'))).toLatin1();
        int read = 0;
        for (int round = 0; round < 3000; ++round) {
            QByteArray bytes = good;
            for (unsigned change = 0; change <= random() % 3; ++change)
                bytes[static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()))] = static_cast<char>(random());
            const auto trace = exchange::importStragglers(
                exchange::TraceText{"job.csv", {bytes.constData(), static_cast<std::size_t>(bytes.size())}});
            read += trace ? 1 : 0;
            if (!trace)
                QVERIFY(!trace.error().text().empty());
        }
        QVERIFY(read < 3000);
    }

    /// Blocks of any size make the same job; an error of the input ends the import.
    void readsBlockAfterBlock()
    {
        const std::string text = (kHeader + QLatin1Char('\n') + step().join(QLatin1Char('\n'))).toStdString();
        for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
            const auto trace = exchange::importStragglers(exchange::TraceInput{
                "job.csv", [rest = std::string_view(text), size](std::span<char> block) mutable -> base::Result<std::size_t> {
                    const std::size_t count = rest.copy(block.data(), std::min(size, block.size()));
                    rest.remove_prefix(count);
                    return count;
                }});
            QVERIFY(trace.ok());
            QCOMPARE(trace->job.durations.size(), std::size_t{8});
        }
        const auto failed = exchange::importStragglers(exchange::TraceInput{
            "job.csv", [](std::span<char>) -> base::Result<std::size_t> { return base::Error::cancelled(); }});
        QVERIFY(!failed && failed.error().kind == base::ErrorKind::Cancelled);
    }
};

STAGELENS_TEST(ExchangeStragglers)

} // namespace unit_exchange_stragglers

#include "exchange/stragglers.moc"
