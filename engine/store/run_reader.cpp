#include "engine/store/run_reader.h"

#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/store/metrics_json.h"
#include "engine/store/run_database.h"
#include "engine/store/run_shape.h"
#include "engine/store/timeline_blob.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace stagelens::store {

using base::Result;

namespace {

timeline::Provenance provenanceFrom(std::string_view text)
{
    using timeline::Provenance;
    for (const Provenance kind :
         {Provenance::MeasuredVirtualClock, Provenance::Predicted, Provenance::Published, Provenance::Imported})
        if (timeline::name(kind) == text)
            return kind;
    return Provenance::MeasuredLive;
}

/// Columns of a summary, in the order that readSummary() expects.
constexpr std::string_view kSummaryQuery =
    "SELECT id, status, name, started_unix_ms, kind, family, vocabulary, devices, microbatches, steps_done, steps_planned,"
    " first_loss, last_loss, iteration_ns, bubble_ratio, tokens_per_second, peak_memory_bytes, reason,"
    " vocabulary_size, note, evaluation_loss, resumed_run,"
    " (SELECT count(*) FROM earlier_loss WHERE earlier_loss.run = run.id)"
    " FROM run LEFT JOIN metrics ON metrics.run = run.id ";

RunSummary readSummary(const Statement &row)
{
    RunSummary summary;
    summary.id = row.integer(0);
    summary.status = parseRunStatus(row.text(1)).value_or(RunStatus::Interrupted);
    summary.name = row.text(2);
    summary.startedUnixMs = row.integer(3);
    summary.kind = provenanceFrom(row.text(4));
    summary.family = row.text(5);
    summary.vocabulary = model::parse<model::VocabularyMethod>(row.text(6)).value_or(model::VocabularyMethod::None);
    summary.devices = static_cast<int>(row.integer(7));
    summary.microbatches = static_cast<int>(row.integer(8));
    summary.stepsDone = static_cast<int>(row.integer(9));
    summary.stepsPlanned = static_cast<int>(row.integer(10));
    summary.firstLoss = row.optionalReal(11);
    summary.lastLoss = row.optionalReal(12);
    summary.iteration = row.optionalInteger(13);
    summary.bubbleRatio = row.optionalReal(14);
    summary.tokensPerSecond = row.optionalReal(15);
    summary.peakMemory = row.optionalInteger(16);
    summary.reason = row.text(17);
    summary.vocabularySize = static_cast<int>(row.integer(18));
    summary.note = row.text(19);
    summary.evaluationLoss = row.optionalReal(20);
    summary.resumed = row.optionalInteger(21);
    summary.resumedSteps = static_cast<int>(row.integer(22));
    return summary;
}

/// A row of table router: step, layer, choices, dropped, entropy, tokens.
struct RawRouter {
    int step = 0;
    int layer = 0;
    timeline::RouterCounts counts;
};

RawRouter readRouter(const Statement &row)
{
    RawRouter router{static_cast<int>(row.integer(0)), static_cast<int>(row.integer(1)), {}};
    const std::string choices = row.text(2);
    for (const char *at = choices.data(), *end = at + choices.size(); at < end;) {
        std::int64_t rows = -1; // stays where it is no number, which shapeFault() refuses
        const auto read = std::from_chars(at, end, rows);
        router.counts.rows.push_back(read.ec == std::errc() ? rows : -1);
        at = read.ec == std::errc() && read.ptr < end ? read.ptr + 1 : end;
    }
    router.counts.dropped = row.integer(3);
    router.counts.entropy = row.optionalReal(4).value_or(0);
    router.counts.tokens = row.integer(5);
    return router;
}

/// The rows of a run that are read as they stand.
struct RawRun {
    RunRecord record;
    std::string experiment;
    std::string metrics;            ///< empty: none
    std::string blob;               ///< empty: none
    std::vector<RawRouter> routers; ///< by step
    timeline::OperatorTimes operators;
};

/// Sorts the rows, which are in order, into steps and layers.
std::vector<timeline::RouterStepPtr> routersOf(std::vector<RawRouter> rows, const model::ModelConfig &model)
{
    std::vector<timeline::RouterStepPtr> steps;
    for (auto row = rows.begin(); row != rows.end();) {
        auto step = std::make_shared<timeline::RouterStep>();
        step->step = row->step;
        for (; row != rows.end() && row->step == step->step; ++row) {
            if (row->layer < 0 || row->layer >= model.layers)
                continue;
            step->layers.resize(static_cast<std::size_t>(row->layer) + 1);
            step->layers.back() = std::move(row->counts);
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

/// Adds a row of table operator_time: device, kind, stage, name, duration_ns, is_vocabulary. Rows are in order.
void addOperator(timeline::OperatorTimes &times, const Statement &row)
{
    timeline::PassOperators pass{.device = static_cast<int>(row.integer(0)),
                                 .kind = schedule::parsePassKind(row.text(1)).value_or(schedule::PassKind::O),
                                 .stage = static_cast<int>(row.integer(2)),
                                 .operators = {}};
    if (times.empty() || times.back().device != pass.device || times.back().kind != pass.kind ||
        times.back().stage != pass.stage)
        times.push_back(std::move(pass));
    times.back().operators.push_back({row.text(3), std::max<base::Nanos>(row.integer(4), 0), row.integer(5) != 0});
}

/// The record out of its rows; damaged ones are refused.
Result<RunRecord> decode(RawRun raw)
{
    auto experiment = model::experimentFromJson(raw.experiment, fmt::format("run {}", raw.record.summary.id));
    if (!experiment)
        return std::move(experiment).error();
    raw.record.experiment = *std::move(experiment);
    if (!raw.metrics.empty()) {
        auto metrics = metricsFromJson(raw.metrics);
        if (!metrics)
            return std::move(metrics).error();
        raw.record.metrics = *std::move(metrics);
    }
    if (!raw.blob.empty()) {
        auto timeline = decodeTimeline(raw.blob);
        if (!timeline)
            return std::move(timeline).error();
        raw.record.timeline = *std::move(timeline);
    }
    const RunRecord &record = raw.record;
    std::string fault = record.timeline ? shapeFault(*record.timeline, record.experiment) : std::string();
    if (fault.empty() && record.metrics)
        fault = shapeFault(*record.metrics, record.experiment.parallel.devices);
    raw.record.routers = routersOf(std::move(raw.routers), record.experiment.model);
    for (const timeline::RouterStepPtr &step : record.routers)
        if (fault.empty())
            fault = shapeFault(*step, record.experiment.model);
    if (!raw.operators.empty()) {
        std::ranges::stable_sort(raw.operators, {}, [](const timeline::PassOperators &pass) {
            return std::tuple(pass.device, pass.kind, pass.stage); // the rows sort kinds by their names
        });
        raw.record.operators = std::make_shared<const timeline::OperatorTimes>(std::move(raw.operators));
    }
    if (!fault.empty())
        return base::Error::failed(
            fmt::format("what is stored of run {} does not fit together: {}; delete the run", record.summary.id, fault));
    return std::move(raw.record);
}

std::string condition(const RunQuery &query)
{
    std::string all;
    for (const std::vector<std::string> &spellings : query.words) {
        std::string any;
        for (std::size_t i = 0; i < spellings.size(); ++i)
            any +=
                fmt::format("{}instr(words, lower(?)) > 0 OR id IN (SELECT run FROM tag WHERE instr(lower(tag), lower(?)) > 0)",
                            i == 0 ? "" : " OR ");
        if (!any.empty())
            all += fmt::format("{}{})", all.empty() ? " WHERE (" : " AND (", any);
    }
    return all;
}

/// Where the values of an order are stored.
struct OrderColumn {
    std::string_view name;
    bool isMetric = false; ///< in table metrics, else in table run
    bool isIndexed = true; ///< else rows of table run are read, in the order in which they are stored
};
OrderColumn columnOf(RunOrder order)
{
    switch (order) {
    case RunOrder::Newest: return {"id"};
    case RunOrder::Name: return {"words"}; // they begin with the name
    case RunOrder::Status: return {"status", false, false};
    case RunOrder::Kind: return {"kind", false, false};
    case RunOrder::TokensPerSecond: return {"tokens_per_second", true};
    case RunOrder::Bubble: return {"bubble_ratio", true};
    case RunOrder::PeakMemory: return {"peak_memory_bytes", true};
    case RunOrder::Iteration: return {"iteration_ns", false, false};
    case RunOrder::Loss: return {"last_loss", false, false};
    case RunOrder::Steps: return {"steps_done", false, false};
    case RunOrder::Tags: return {"(SELECT min(lower(tag)) FROM tag WHERE tag.run = run.id)"};
    case RunOrder::Note: return {"nullif(lower(note), '')", false, false};
    }
    return {"id"};
}

std::string orderText(const RunQuery &query)
{
    const OrderColumn column = columnOf(query.order);
    return fmt::format(" ORDER BY {} {}{}, id DESC", column.name, query.reversed == isText(query.order) ? "DESC" : "ASC",
                       query.order == RunOrder::Name ? "" : " NULLS LAST"); // a name is never null, and its index is in order
}

} // namespace

Result<RunList> RunReader::find(const RunQuery &query)
{
    const auto snapshot = Transaction::beginReading(m_runs.database);
    if (!snapshot)
        return snapshot.error();
    RunList list;
    const auto total = m_runs.database.queryInteger("SELECT count(*) FROM run");
    if (!total)
        return total.error();
    list.total = static_cast<std::size_t>(*total);
    // Rows contain whole plans, so the query planner must not scan them.
    const OrderColumn column = columnOf(query.order);
    auto statement = m_runs.database.prepare(
        fmt::format("SELECT id FROM run{}{}{}{}", column.isIndexed ? " INDEXED BY run_words" : "",
                    column.isMetric ? " LEFT JOIN metrics INDEXED BY metrics_figures ON metrics.run = run.id" : "",
                    condition(query), orderText(query)));
    if (!statement)
        return std::move(statement).error();
    for (const std::vector<std::string> &spellings : query.words)
        for (const std::string &word : spellings)
            statement->bind(std::string_view(word)).bind(std::string_view(word));
    for (;;) {
        const auto row = statement->step();
        if (!row)
            return row.error();
        if (!*row)
            return list;
        list.ids.push_back(statement->integer(0));
    }
}

Result<std::vector<RunSummary>> RunReader::list()
{
    return rowsOf("id > ? ORDER BY id DESC", "run > ?");
}

Result<std::vector<RunSummary>> RunReader::summaries(std::span<const RunId> runs)
{
    std::string numbers;
    for (const RunId run : runs)
        numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", run);
    auto found = rowsOf(fmt::format("id > ? AND id IN ({})", numbers), fmt::format("run > ? AND run IN ({})", numbers));
    if (!found)
        return found;
    std::vector<RunSummary> ordered;
    ordered.reserve(found->size());
    std::ranges::sort(*found, {}, &RunSummary::id);
    for (const RunId run : runs) {
        const auto place = std::ranges::lower_bound(*found, run, {}, &RunSummary::id);
        if (place != found->end() && place->id == run)
            ordered.push_back(*place);
    }
    return ordered;
}

Result<model::Experiment> RunReader::experiment(RunId run)
{
    if (const auto known = m_runs.requireRun(run); !known)
        return known.error();
    const auto text = m_runs.database.queryText("SELECT experiment FROM run WHERE id = ?", run);
    if (!text)
        return text.error();
    return model::experimentFromJson(*text, fmt::format("run {}", run));
}

Result<std::vector<RunSummary>> RunReader::rowsOf(std::string_view ofRuns, std::string_view ofTags)
{
    const auto snapshot = Transaction::beginReading(m_runs.database);
    if (!snapshot)
        return snapshot.error();
    std::vector<RunSummary> runs;
    const auto read = m_runs.each(fmt::format("{}WHERE {}", kSummaryQuery, ofRuns), 0,
                                  [&](const Statement &row) { runs.push_back(readSummary(row)); });
    if (!read)
        return read.error();
    std::map<RunId, std::vector<std::string>> tags;
    const auto tagged = m_runs.each(fmt::format("SELECT run, tag FROM tag WHERE {} ORDER BY run, tag", ofTags), 0,
                                    [&](const Statement &row) { tags[row.integer(0)].push_back(row.text(1)); });
    if (!tagged)
        return tagged.error();
    for (RunSummary &run : runs) {
        run.tags = std::move(tags[run.id]);
        if (run.status != RunStatus::Running)
            continue;
        const auto found = m_runs.steps(run.id); // its row's figures lag behind
        if (!found)
            return found.error();
        found->describe(run);
    }
    return runs;
}

Result<RunRecord> RunReader::load(RunId run, std::optional<int> step)
{
    RawRun raw;
    RunRecord &record = raw.record;
    {
        const auto snapshot = Transaction::beginReading(m_runs.database);
        if (!snapshot)
            return snapshot.error();
        if (const auto known = m_runs.requireRun(run); !known)
            return known.error();
        const auto read = [&](std::string_view sql, auto take) { return m_runs.each(sql, run, take); };
        for (const Result<> &done :
             {read(fmt::format("{}WHERE id = ?", kSummaryQuery),
                   [&](const Statement &row) { record.summary = readSummary(row); }),
              read("SELECT experiment FROM run WHERE id = ?", [&](const Statement &row) { raw.experiment = row.text(0); }),
              read("SELECT key, value FROM environment WHERE run = ?",
                   [&](const Statement &row) { record.environment[row.text(0)] = row.text(1); }),
              read("SELECT steps, loss FROM evaluation WHERE run = ? ORDER BY steps",
                   [&](const Statement &row) {
                       record.evaluations.push_back({static_cast<int>(row.integer(0)),
                                                     row.optionalReal(1).value_or(std::numeric_limits<double>::quiet_NaN())});
                   }),
              read("SELECT step, layer, choices, dropped, entropy, tokens FROM router WHERE run = ? ORDER BY step, layer",
                   [&](const Statement &row) { raw.routers.push_back(readRouter(row)); }),
              read("SELECT device, kind, stage, name, duration_ns, is_vocabulary FROM operator_time WHERE run = ?"
                   " ORDER BY device, kind, stage, place",
                   [&](const Statement &row) { addOperator(raw.operators, row); }),
              read("SELECT tag FROM tag WHERE run = ? ORDER BY tag",
                   [&](const Statement &row) { record.summary.tags.push_back(row.text(0)); }),
              step
                  ? m_runs.stepTimeline(run, *step, raw.metrics, raw.blob)
                  : read("SELECT detail, data FROM metrics JOIN timeline USING (run) WHERE run = ?", [&](const Statement &row) {
                        raw.metrics = row.text(0);
                        raw.blob = row.text(1);
                    })})
            if (!done)
                return done.error();
        auto steps = m_runs.steps(run);
        if (!steps)
            return std::move(steps).error();
        steps->describe(record.summary);
        record.losses = std::move(steps->losses);
        record.skipped = std::move(steps->skipped);
        record.iterations = std::move(steps->iterations);
    }
    return decode(std::move(raw));
}

} // namespace stagelens::store
