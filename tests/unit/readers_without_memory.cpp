// Readers of files without memory: the N-th allocation fails, once or from then on. A reader answers with an error or throws
// std::bad_alloc, which the service and the programs turn into a message. It never crashes, and what it answers is what it
// answers with memory. Every N up to 200, then in steps of 5 % (STAGELENS_LONG=1: every N).
//
// Readers that build a JSON document (experiments, presets, configs, checkpoints, headers of tensors) are not here: a value of
// nlohmann's allocates in its destructor, and if that fails the program ends.
#include "engine/exchange/schedule_file.h"
#include "engine/exchange/stragglers/straggler_trace.h"
#include "engine/exchange/torch_csv.h"
#include "engine/exchange/trace_import.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/data/bpe.h"
#include "engine/runtime/data/token_source.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/store/timeline_blob.h"
#include "tests/support/store_samples.h"

#include <cstdlib>
#include <new>

namespace {

/// Of this thread: allocations until one fails; below 0, none does.
thread_local long g_left = -1;
thread_local bool g_isForGood = false;
thread_local long g_failed = 0;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kFails = false; // a sanitizer has operators of its own, which see each allocation

} // namespace
#else
constexpr bool kFails = true;

void *allocate(std::size_t size)
{
    if (g_left == 0) {
        ++g_failed;
        g_left = g_isForGood ? 0 : -1;
        throw std::bad_alloc();
    }
    if (g_left > 0)
        --g_left;
    void *const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

// The aligned forms stay as they are: no reader uses them.
void *operator new(std::size_t size)
{
    return allocate(size);
}
void *operator new[](std::size_t size)
{
    return allocate(size);
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void *memory, std::size_t) noexcept
{
    std::free(memory);
}
#endif

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {

/// What was read, as text, or nothing.
using Found = std::optional<std::string>;
using Reader = std::function<Found()>;

/// What a result says, as text that is written with memory again.
template <class Value, class ToText>
Found told(const base::Result<Value> &result, const ToText &toText)
{
    g_left = -1;
    return result ? Found(toText(*result)) : std::nullopt;
}

std::string pathIn(const QTemporaryDir &folder, const char *name)
{
    return folder.filePath(QString::fromLatin1(name)).toStdString();
}

void writeTo(const std::string &file, std::string_view content)
{
    QFile out(QString::fromStdString(file));
    if (!out.open(QIODevice::WriteOnly) || out.write(content.data(), static_cast<qint64>(content.size())) < 0)
        qFatal("%s cannot be written", file.c_str());
}

schedule::Schedule smallSchedule()
{
    model::Experiment experiment;
    experiment.parallel.devices = 2;
    experiment.parallel.microbatches = 2;
    const auto made = schedule::makeSchedule(operators::resolved(experiment, 1));
    if (!made)
        qFatal("%s", made.error().text().c_str());
    return *made;
}

constexpr std::string_view kTrace =
    R"({"traceEvents":[{"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":0,"tid":7,"ts":1,"dur":10},)"
    R"({"ph":"X","cat":"user_annotation","name":"PP:1F0","pid":1,"tid":7,"ts":12,"dur":10},)"
    R"({"ph":"X","cat":"user_annotation","name":"PP:1B0","pid":1,"tid":7,"ts":22,"dur":20},)"
    R"({"ph":"X","cat":"user_annotation","name":"PP:0B0","pid":0,"tid":7,"ts":45,"dur":20}]})";

constexpr std::string_view kStragglers = "dp_rank,stage,step,optype,start_ts,duration,mb_id\n"
                                         "0,0,0,forward-compute,0,1,0\n0,0,0,forward-send,1,0.5,\n"
                                         "0,1,0,forward-recv,0,1.5,\n0,1,0,forward-compute,1.5,1,0\n"
                                         "0,1,0,backward-compute,2.5,2,0\n0,0,0,backward-compute,4.5,2,0\n"
                                         "0,0,0,optimizer,6.5,1,\n";

} // namespace

class ReadersWithoutMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!kFails)
            QSKIP("allocations are the sanitizer's");
        qputenv("STAGELENS_DATA_DIR", m_folder.filePath(u"data"_s).toUtf8());
    }

    void everyAllocationFails_data()
    {
        QTest::addColumn<Reader>("read");
        const auto add = [](const char *name, Reader read) { QTest::newRow(name) << std::move(read); };
        add("schedule text",
            [text = schedule::toText(smallSchedule())] { return told(schedule::scheduleFromText(text), schedule::toText); });
        add("any schedule", [text = schedule::toText(smallSchedule())] {
            return told(exchange::readSchedule(text),
                        [](const exchange::ScheduleFile &file) { return schedule::toText(file.schedule); });
        });
        add("torch csv",
            [] { return told(exchange::readTorchCsv("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n"), exchange::writeTorchCsv); });
        add("durations", [schedule = smallSchedule()] {
            return told(simulate::measuredCosts("device,stage,pass,duration_us\n*,*,F,1000\n*,*,B,2000\n", "given", schedule),
                        [](const simulate::CostModel &costs) {
                            return std::to_string(costs.pass(1, schedule::PassKind::B, 1).duration);
                        });
        });
        add("trace", [] {
            const exchange::TraceText file{"trace.json", kTrace};
            return told(exchange::importTrace(std::span(&file, 1)), [](const exchange::ImportedTrace &trace) {
                return schedule::toText(trace.schedule) + store::encodeTimeline(trace.steps.front());
            });
        });
        add("straggler trace", [] {
            return told(exchange::importStragglers(exchange::TraceText{"job.csv", kStragglers}),
                        [](const exchange::StragglerTrace &trace) {
                            return schedule::toText(trace.job.schedule) + store::encodeTimeline(trace.steps.front()) +
                                   std::to_string(trace.job.durations.back());
                        });
        });
        add("timeline blob", [blob = store::encodeTimeline(test::sampleTimeline())] {
            return told(store::decodeTimeline(blob),
                        [](const timeline::TimelinePtr &timeline) { return store::encodeTimeline(*timeline); });
        });
        add("bpe", [] {
            return told(runtime::trainBpe("abab abab baba baba abba", 260, {}),
                        [](const runtime::Merges &merges) { return std::to_string(merges.size()); });
        });
        addFiles(add);
    }
    void everyAllocationFails()
    {
        QFETCH(Reader, read);
        (void)read(); // and whatever is made once
        const Found whole = read();
        QVERIFY(whole);
        for (const bool isForGood : {false, true}) {
            long at = 0;
            for (; failsAt(read, at, isForGood, whole); at = next(at))
                QVERIFY(!QTest::currentTestFailed());
            QVERIFY2(at > 0, "the reader allocates nothing");
        }
        QCOMPARE(read(), whole); // nothing is left behind
    }

private:
    [[nodiscard]] static long next(long at)
    {
        constexpr long kEach = 200;
        return at < kEach || qEnvironmentVariableIsSet("STAGELENS_LONG") ? at + 1 : at + at / 20;
    }
    /// Reads while that allocation fails; false where the reader needs fewer.
    static bool failsAt(const Reader &read, long at, bool isForGood, const Found &whole)
    {
        g_failed = 0;
        g_isForGood = isForGood;
        g_left = at;
        Found found;
        try {
            found = read();
        } catch (const std::bad_alloc &) {
            found = std::nullopt;
        } catch (...) {
            g_left = -1;
            qCritical("allocation %ld ends with another exception", at);
            QTest::qFail("another exception than std::bad_alloc", __FILE__, __LINE__);
        }
        g_left = -1;
        if (found != whole && (found || g_failed == 0)) {
            qCritical("with allocation %ld", at);
            QTest::qFail("something else was read", __FILE__, __LINE__);
        }
        return g_failed > 0;
    }

    template <class Add>
    void addFiles(const Add &add)
    {
        std::string text;
        for (int i = 0; i < 4000; ++i)
            text += "the quick brown fox " + std::to_string(i) + '\n';
        writeTo(pathIn(m_folder, "text.txt"), text);
        writeTo(pathIn(m_folder, "tokens.bin"), std::string(8192, '\1'));
        for (const char *name : {"text.txt", "tokens.bin"}) {
            model::Experiment experiment;
            experiment.model.sequence = 16;
            experiment.model.vocabularySize = 512;
            experiment.training.data = pathIn(m_folder, name);
            add(name, [experiment = operators::resolved(experiment, 1)] {
                return told(runtime::openTokens(experiment, {}), [&](const std::unique_ptr<runtime::TokenSource> &source) {
                    const auto count = static_cast<std::size_t>(experiment.parallel.microbatchSize * 16);
                    std::vector<std::int32_t> inputs(count);
                    std::vector<std::int32_t> labels(count);
                    source->batch(0, 0, inputs, labels);
                    std::string found = std::to_string(source->heldBackSequences());
                    for (const std::int32_t token : labels)
                        found += ' ' + std::to_string(token);
                    return found;
                });
            });
        }
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(ReadersWithoutMemory)
#include "readers_without_memory.moc"
