// Traces of other programs: what is read of them, and what they are refused for.
#include "engine/exchange/trace_import.h"
#include "engine/exchange/trace_events.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <random>

namespace unit_exchange_trace_import {

using namespace stagelens;

class ExchangeTraceImport : public QObject {
    Q_OBJECT
private slots:
    void namesOfPasses();
    void microsecondsKeepTheirNanoseconds();
    void oneFileOfAllRanks();
    void oneFileEach();
    void gpuAnnotationsCountWhereThereAreAny();
    void stepsThatAreCutAreLeftOut();
    void faultsAreNamed_data();
    void faultsAreNamed();
    void noiseIsSurvived();
    void readsBlockAfterBlock();
    void memoryHasBounds_data();
    void memoryHasBounds();
};

namespace {

/// One event; times in microseconds.
std::string traceEvent(const std::string &name, const std::string &process, double begin, double duration,
                       const std::string &category = "user_annotation")
{
    return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":)" + process + R"(,"tid":7,"ts":)" +
           std::to_string(begin) + R"(,"dur":)" + std::to_string(duration) + R"(,"args":{"name":"PP:9F9","ts":1}})";
}

std::string document(const std::vector<std::string> &events)
{
    std::string text = R"({"schemaVersion":1,"deviceProperties":[{"id":0}],"traceEvents":[)";
    for (const std::string &one : events)
        text += (&one == &events.front() ? "" : ",") + one;
    return text + R"(],"traceName":"x.json"})";
}

/// A step of two stages and one microbatch: F on 0 and 1, B on 1 and 0.
std::vector<std::string> step(double at)
{
    return {traceEvent("PP:0F0", "0", at, 10), traceEvent("PP:1F0", "1", at + 12, 10), traceEvent("PP:1B0", "1", at + 22, 20),
            traceEvent("PP:0B0", "0", at + 45, 20)};
}

base::Result<exchange::ImportedTrace> import(const std::vector<std::string> &texts)
{
    std::vector<exchange::TraceText> files;
    for (const std::string &text : texts)
        files.push_back({"rank" + std::to_string(files.size()) + ".json", text});
    return exchange::importTrace(files);
}

} // namespace

void ExchangeTraceImport::namesOfPasses()
{
    const auto pass = exchange::passOfEventName("## PP:3I12 ##");
    QVERIFY(pass);
    QVERIFY(*pass == schedule::makePass(schedule::PassKind::I, 3, 12));
    for (const char *name : {"PP:", "PP:F0", "PP:0F", "PP:0Q1", "PP:0S1", "PP:1SEND_F0", "PP:0F0x", "PP:99999999999F0",
                             "XPP:0F0", "PP:-1F0", "PP:0F1000000"})
        QVERIFY2(!exchange::passOfEventName(name), name);
}

void ExchangeTraceImport::microsecondsKeepTheirNanoseconds()
{
    QCOMPARE(exchange::nanosOfMicros("1700000000123456.789").value_or(0), base::Nanos{1'700'000'000'123'456'789});
    QCOMPARE(exchange::nanosOfMicros("12").value_or(0), base::Nanos{12'000});
    QCOMPARE(exchange::nanosOfMicros("0.5").value_or(0), base::Nanos{500});
    QCOMPARE(exchange::nanosOfMicros("1.5e3").value_or(0), base::Nanos{1'500'000});
    for (const char *text : {"", "-1", "nan", "1e99", "99999999999999999999", "1.2.3", "x"})
        QVERIFY2(!exchange::nanosOfMicros(text), text);
}

void ExchangeTraceImport::oneFileOfAllRanks()
{
    std::vector<std::string> events = step(1000);
    for (const std::string &more : step(2000))
        events.push_back(more);
    events.push_back(traceEvent("PP:0SEND_F0", "0", 1011, 1));
    const auto trace = import({document(events)});
    QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
    QCOMPARE(trace->steps.size(), std::size_t{2});
    QCOMPARE(trace->otherEvents, std::size_t{1});
    QCOMPARE(trace->incompleteSteps, std::size_t{0});
    const timeline::Timeline &first = trace->steps[0];
    QVERIFY(first.provenance == timeline::Provenance::Imported);
    QCOMPARE(first.devices(), 2);
    QCOMPARE(first.lanes[0].begin[0], base::Nanos{0});
    QCOMPARE(first.lanes[1].begin[0], base::Nanos{12'000});
    QCOMPARE(first.iteration(), base::Nanos{65'000});
    QCOMPARE(trace->schedule.microbatches(), 1);
    QCOMPARE(trace->schedule.device(1).size(), std::size_t{2});
}

void ExchangeTraceImport::oneFileEach()
{
    const auto all = step(500);
    // Given in the wrong order: lanes follow their stages.
    const auto trace = import({document({all[1], all[2]}), document({all[0], all[3]})});
    QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
    QCOMPARE(int{trace->steps[0].lanes[0].pass[0].stage}, 0);
    QCOMPARE(trace->steps[0].stages[1].front(), 1);
}

void ExchangeTraceImport::gpuAnnotationsCountWhereThereAreAny()
{
    std::vector<std::string> events{traceEvent("PP:0F0", "4711", 5, 1), traceEvent("PP:0B0", "4711", 7, 1)};
    events.push_back(traceEvent("PP:0F0", "0", 100, 10, "gpu_user_annotation"));
    events.push_back(traceEvent("PP:0B0", "0", 120, 20, "gpu_user_annotation"));
    const auto trace = import({document(events)});
    QVERIFY(trace.ok());
    QCOMPARE(trace->steps.size(), std::size_t{1});
    QCOMPARE(trace->steps[0].iteration(), base::Nanos{40'000});
}

void ExchangeTraceImport::stepsThatAreCutAreLeftOut()
{
    std::vector<std::string> events = step(1000);
    const auto cut = step(2000);
    events.insert(events.end(), {cut[0], cut[1]});
    const auto trace = import({document(events)});
    QVERIFY(trace.ok());
    QCOMPARE(trace->steps.size(), std::size_t{1});
    QCOMPARE(trace->incompleteSteps, std::size_t{1});
}

void ExchangeTraceImport::faultsAreNamed_data()
{
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, const std::vector<std::string> &files, const char *words) {
        QStringList texts;
        for (const std::string &file : files)
            texts << QString::fromStdString(file);
        QTest::newRow(name) << texts << QString::fromUtf8(words);
    };
    const auto good = step(0);
    row("no files", {}, "no file was given");
    row("empty", {""}, "is no JSON");
    row("cut off", {document(good).substr(0, 200)}, "is no JSON");
    row("no trace", {R"({"stagelens":"experiment/1"})"}, "no list traceEvents");
    row("a number", {"12"}, "no list traceEvents");
    row("other events", {document({traceEvent("aten::mm", "0", 0, 1)})}, "has no event named as a pass");
    row("no duration", {R"([{"ph":"X","name":"PP:0F0","pid":0,"tid":0,"ts":1}])"}, "without a time");
    row("negative time", {R"([{"ph":"X","name":"PP:0F0","pid":0,"tid":0,"ts":-1,"dur":1}])"}, "without a time");
    row("a rank is missing", {document({good[1], good[2]})}, "no trace has passes of stage 0");
    row("two pipelines", {document(good), document(good)}, "runs stage 0, which");
    row("no backward", {document({good[0], good[1], traceEvent("PP:1B1", "1", 50, 1)})}, "no schedule");
    row("overlap", {document({traceEvent("PP:0F0", "0", 0, 10), traceEvent("PP:0B0", "0", 4, 10)})}, "overlap");
    row("backward first", {document({traceEvent("PP:0B0", "0", 0, 1), traceEvent("PP:0F0", "0", 4, 1)})}, "no schedule");
}

void ExchangeTraceImport::faultsAreNamed()
{
    QFETCH(QStringList, files);
    QFETCH(QString, words);
    std::vector<std::string> texts;
    for (const QString &file : files)
        texts.push_back(file.toStdString());
    const auto trace = import(texts);
    QVERIFY(!trace.ok());
    QVERIFY(trace.error().kind == base::ErrorKind::InvalidInput);
    QVERIFY2(QString::fromStdString(trace.error().text()).contains(words), trace.error().text().c_str());
}

void ExchangeTraceImport::noiseIsSurvived()
{
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const std::string good = document(step(0));
    for (int round = 0; round < 2000; ++round) {
        std::string text = good;
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
            case 0: text[at] = static_cast<char>(random() % 256); break;
            case 1: text.erase(at, random() % 20); break;
            default: text.insert(at, text.substr(random() % text.size(), random() % 40));
            }
            if (text.empty())
                text = "[";
        }
        const auto trace = import({text});
        QVERIFY(trace.ok() || !trace.error().problems.empty());
    }
}

void ExchangeTraceImport::readsBlockAfterBlock()
{
    const std::string text = "\xEF\xBB\xBF" + document(step(1000));
    const auto whole = import({text});
    QVERIFY2(whole.ok(), whole ? "" : whole.error().text().c_str());
    std::size_t done = 0;
    const auto slowly = [&](std::span<char> block) -> base::Result<std::size_t> {
        const std::size_t count = std::min({block.size(), text.size() - done, std::size_t{3}});
        text.copy(block.data(), count, done);
        done += count;
        return count;
    };
    const exchange::TraceInput input{"slow.json", slowly};
    const auto trace = exchange::importTrace(std::span(&input, 1));
    QVERIFY2(trace.ok(), trace ? "" : trace.error().text().c_str());
    QVERIFY(trace->schedule == whole->schedule);
    // What a reader answers ends the import at once.
    done = 0;
    const exchange::TraceInput stopped{"stopped.json", [&](std::span<char> block) -> base::Result<std::size_t> {
                                           if (done > 0)
                                               return base::Error::cancelled();
                                           return slowly(block);
                                       }};
    const auto cancelled = exchange::importTrace(std::span(&stopped, 1));
    QVERIFY(!cancelled.ok());
    QCOMPARE(cancelled.error().kind, base::ErrorKind::Cancelled);
}

void ExchangeTraceImport::memoryHasBounds_data()
{
    QTest::addColumn<std::string>("begin");
    QTest::addColumn<std::string>("again");
    QTest::addColumn<QString>("problem");
    QTest::newRow("text") << std::string(R"({"traceEvents":[{"name":"PP:)") << std::string("0")
                          << "a text or number longer than";
    QTest::newRow("quotes in a text") << std::string("[\"") << std::string(R"(\")") << "a text or number longer than";
    QTest::newRow("number") << std::string(R"({"traceEvents":[{"ts":)") << std::string("1") << "a text or number longer than";
    QTest::newRow("lists") << std::string() << std::string("[") << "nested deeper than 64";
    QTest::newRow("objects") << std::string() << std::string(R"({"a":)") << "nested deeper than 64";
}

/// Of 4 GiB, which the reader must not come near to.
void ExchangeTraceImport::memoryHasBounds()
{
    QFETCH(const std::string, begin);
    QFETCH(const std::string, again);
    QFETCH(const QString, problem);
    std::size_t given = 0;
    const exchange::TraceInput input{"huge.json", [&](std::span<char> block) -> base::Result<std::size_t> {
                                         for (char &byte : block) {
                                             byte = given < begin.size() ? begin[given]
                                                                         : again[(given - begin.size()) % again.size()];
                                             ++given;
                                         }
                                         return given < (std::size_t{1} << 32U) ? block.size() : 0;
                                     }};
    const auto trace = exchange::importTrace(std::span(&input, 1));
    QVERIFY(!trace.ok());
    QVERIFY2(QString::fromStdString(trace.error().text()).contains(problem), trace.error().text().c_str());
    QVERIFY(given < (std::size_t{1} << 22U));
}

STAGELENS_TEST(ExchangeTraceImport)

} // namespace unit_exchange_trace_import

#include "exchange/trace_import.moc"
