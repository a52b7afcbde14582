// The table of runs: found by words, sorted, and read some rows at a time.
#include "engine/store/run_store.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace integration_run_table {

using namespace stagelens;
using store::RunId;
using store::RunOrder;
using store::RunQuery;
using store::RunStore;

class RunTable : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup()
    {
        m_store.reset();
        m_folder.reset();
    }

    void newestStandFirstAndAreCounted();
    void everyWordMustBeFound_data();
    void everyWordMustBeFound();
    void wordsAreTextAndNeverSql();
    void figuresSortAndRunsWithoutOneStandLast();
    void everyColumnSorts();
    void rowsComeInTheOrderAskedFor();
    void plansAndNotesAreKept();

private:
    RunId add(const model::Experiment &experiment, const std::string &name, std::optional<double> tokensPerSecond);
    std::vector<RunId> find(const RunQuery &query);
    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<RunStore> m_store;
    std::vector<RunId> m_runs;
};

RunId RunTable::add(const model::Experiment &experiment, const std::string &name, std::optional<double> tokensPerSecond)
{
    const auto id = m_store->edit().begin(experiment, timeline::Provenance::MeasuredLive, name, {});
    if (!id)
        qFatal("%s", id.error().text().c_str());
    if (tokensPerSecond) {
        simulate::Metrics metrics;
        metrics.tokensPerSecond = tokensPerSecond;
        timeline::Timeline timeline;
        timeline.lanes.resize(1);
        timeline.stages = {{0}};
        (void)m_store->edit().addStep(*id, 0, 1.0, 10);
        (void)m_store->edit().setTimeline(*id, timeline, metrics);
    }
    (void)m_store->edit().finish(*id, store::RunStatus::Finished, {});
    return *id;
}

void RunTable::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    auto opened = RunStore::open(m_folder->filePath(QStringLiteral("runs.db")).toStdString());
    QVERIFY(opened.ok());
    m_store.emplace(*std::move(opened));
    model::Experiment plain;
    model::Experiment split;
    split.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    split.parallel.devices = 2;
    split.model.vocabularySize = 32768;
    m_runs = {add(plain, {}, 100.0), add(split, {}, std::nullopt), add(split, "The Big One", 300.0)};
    QVERIFY(m_store->edit().setTags(m_runs[0], {"paper", "keep"}).ok());
    QVERIFY(m_store->edit().setNote(m_runs[1], "fan was loud").ok());
}

std::vector<RunId> RunTable::find(const RunQuery &query)
{
    const auto list = m_store->read().find(query);
    if (!list)
        qFatal("%s", list.error().text().c_str());
    return list->ids;
}

void RunTable::newestStandFirstAndAreCounted()
{
    QVERIFY(find({}) == (std::vector<RunId>{m_runs[2], m_runs[1], m_runs[0]}));
    QVERIFY(find({{}, RunOrder::Newest, true}) == m_runs);
    const auto few = m_store->read().find({{{"loud"}}, RunOrder::Newest, false});
    QCOMPARE(few->ids.size(), std::size_t{1});
    QCOMPARE(few->total, std::size_t{3});
}

void RunTable::everyWordMustBeFound_data()
{
    QTest::addColumn<QStringList>("words"); // of each, spellings separated by a bar
    QTest::addColumn<QList<int>>("found");
    const auto row = [](const char *name, const QStringList &words, const QList<int> &found) {
        QTest::newRow(name) << words << found;
    };
    row("method", {"VOCAB-2"}, {2, 1});
    row("shape", {"2x16"}, {2, 1});
    row("vocabulary size", {"v32768"}, {2, 1});
    row("name, any case", {"big"}, {2});
    row("both words", {"vocab-2", "LOUD"}, {1});
    row("words that exclude each other", {"big", "loud"}, {});
    row("one of two spellings", {"nowhere|paper"}, {0});
    row("tag", {"keep"}, {0});
    row("kind", {"live"}, {2, 1, 0});
}

void RunTable::everyWordMustBeFound()
{
    QFETCH(QStringList, words);
    QFETCH(QList<int>, found);
    RunQuery query;
    for (const QString &word : words) {
        query.words.emplace_back();
        for (const QString &spelling : word.split(u'|'))
            query.words.back().push_back(spelling.toStdString());
    }
    std::vector<RunId> expected;
    for (const int index : found)
        expected.push_back(m_runs[static_cast<std::size_t>(index)]);
    QVERIFY(find(query) == expected);
}

void RunTable::wordsAreTextAndNeverSql()
{
    for (const char *word : {"'", "%", "_x", "') OR 1=1 --", "\"", "\\", "é", "\xff"})
        QVERIFY2(find({{{word}}, RunOrder::Newest, false}).empty(), word);
    QCOMPARE(find({{{""}}, RunOrder::Newest, false}).size(), std::size_t{3});
    QVERIFY(find({{std::vector<std::string>{}}, RunOrder::Newest, false}).size() == 3);
}

void RunTable::figuresSortAndRunsWithoutOneStandLast()
{
    QVERIFY(find({{}, RunOrder::TokensPerSecond, false}) == (std::vector<RunId>{m_runs[2], m_runs[0], m_runs[1]}));
    QVERIFY(find({{}, RunOrder::TokensPerSecond, true}) == (std::vector<RunId>{m_runs[0], m_runs[2], m_runs[1]}));
    QCOMPARE(find({{}, RunOrder::Name, true}).front(), m_runs[2]);
    QVERIFY(find({{}, RunOrder::Name, false}).back() == m_runs[2]);
    for (const RunOrder order : {RunOrder::Bubble, RunOrder::PeakMemory})
        QCOMPARE(find({{{"big"}}, order, false}).size(), std::size_t{1});
}

void RunTable::everyColumnSorts()
{
    for (const RunId run : m_runs)
        QVERIFY(m_store->remove(run).ok());
    m_runs.clear();
    const auto addRun = [this](timeline::Provenance kind, store::RunStatus status, int steps, double loss, base::Nanos time) {
        const auto id = m_store->edit().begin({}, kind, {}, {});
        QVERIFY(id.ok());
        for (int step = 0; step < steps; ++step)
            QVERIFY(m_store->edit().addStep(*id, step, loss, time).ok());
        QVERIFY(m_store->edit().finish(*id, status, {}).ok());
        m_runs.push_back(*id);
    };
    using timeline::Provenance;
    addRun(Provenance::MeasuredLive, store::RunStatus::Failed, 4, 10.5, 9'000);
    addRun(Provenance::Imported, store::RunStatus::Finished, 12, 9.5, 10'000);
    addRun(Provenance::Published, store::RunStatus::Cancelled, 0, 0, 0); // no figures
    const auto order = [this](RunOrder by, bool reversed) {
        std::vector<int> found;
        for (const RunId run : find({{}, by, reversed}))
            found.push_back(static_cast<int>(std::ranges::find(m_runs, run) - m_runs.begin()));
        return found;
    };
    using Places = std::vector<int>;
    QCOMPARE(order(RunOrder::Status, false), (Places{2, 0, 1})); // cancelled, failed, finished
    QCOMPARE(order(RunOrder::Status, true), (Places{1, 0, 2}));
    QCOMPARE(order(RunOrder::Kind, false).size(), std::size_t{3});
    QVERIFY(order(RunOrder::Kind, false) != order(RunOrder::Kind, true));
    QCOMPARE(order(RunOrder::Steps, false), (Places{1, 0, 2}));
    QCOMPARE(order(RunOrder::Steps, true), (Places{2, 0, 1})); // 0 is known
    QCOMPARE(order(RunOrder::Loss, false), (Places{0, 1, 2}));
    QCOMPARE(order(RunOrder::Loss, true), (Places{1, 0, 2}));
    QCOMPARE(order(RunOrder::Iteration, false), (Places{1, 0, 2}));
    QCOMPARE(order(RunOrder::Iteration, true), (Places{0, 1, 2}));
    QVERIFY(m_store->edit().setTags(m_runs[0], {"wide", "Zero"}).ok());
    QVERIFY(m_store->edit().setTags(m_runs[2], {"Lecture"}).ok());
    QCOMPARE(order(RunOrder::Tags, false), (Places{2, 0, 1})); // lecture, wide, none
    QCOMPARE(order(RunOrder::Tags, true), (Places{0, 2, 1}));
    QVERIFY(m_store->edit().setNote(m_runs[1], "b").ok());
    QVERIFY(m_store->edit().setNote(m_runs[0], "A").ok());
    QCOMPARE(order(RunOrder::Note, false), (Places{0, 1, 2}));
    QCOMPARE(order(RunOrder::Note, true), (Places{1, 0, 2}));
}

void RunTable::rowsComeInTheOrderAskedFor()
{
    const std::vector<RunId> asked{m_runs[1], 4711, m_runs[2], m_runs[0]};
    const auto rows = m_store->read().summaries(asked);
    QVERIFY(rows.ok());
    QCOMPARE(rows->size(), std::size_t{3});
    QCOMPARE((*rows)[0].id, m_runs[1]);
    QCOMPARE(QString::fromStdString((*rows)[0].note), QStringLiteral("fan was loud"));
    QCOMPARE((*rows)[1].vocabularySize, 32768);
    QVERIFY((*rows)[2].tags == (std::vector<std::string>{"keep", "paper"}));
    QVERIFY(m_store->read().summaries({})->empty());
}

void RunTable::plansAndNotesAreKept()
{
    const auto plan = m_store->read().experiment(m_runs[2]);
    QVERIFY(plan.ok());
    QVERIFY(plan->schedule.vocabulary == model::VocabularyMethod::Vocab2);
    QVERIFY(!m_store->read().experiment(4711).ok());
    QVERIFY(!m_store->edit().setNote(4711, "nobody's").ok());
}

STAGELENS_TEST(RunTable)

} // namespace integration_run_table

#include "run_table.moc"
