// Queries of the table of runs.
#include "engine/model/experiment_json.h"
#include "engine/store/run_store.h"
#include "engine/store/run_store_state.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::store {

using base::Result;

namespace {

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

std::string_view figureOf(RunOrder order)
{
    switch (order) {
    case RunOrder::TokensPerSecond: return "tokens_per_second";
    case RunOrder::Bubble: return "bubble_ratio";
    case RunOrder::PeakMemory: return "peak_memory_bytes";
    default: return {};
    }
}

std::string orderText(const RunQuery &query)
{
    if (query.order == RunOrder::Newest)
        return query.reversed ? " ORDER BY id" : " ORDER BY id DESC";
    if (query.order == RunOrder::Name)
        return fmt::format(" ORDER BY words {}, id DESC", query.reversed ? "DESC" : "ASC"); // they begin with the name
    return fmt::format(" ORDER BY {}{} NULLS LAST, id DESC", figureOf(query.order), query.reversed ? " ASC" : " DESC");
}

} // namespace

Result<RunList> RunStore::find(const RunQuery &query)
{
    const auto snapshot = Transaction::beginReading(m_state->database);
    if (!snapshot)
        return snapshot.error();
    RunList list;
    const auto total = m_state->database.queryInteger("SELECT count(*) FROM run");
    if (!total)
        return total.error();
    list.total = static_cast<std::size_t>(*total);
    // Rows contain whole plans, so the query planner must not scan them.
    const std::string_view join =
        figureOf(query.order).empty() ? "" : " LEFT JOIN metrics INDEXED BY metrics_figures ON metrics.run = run.id";
    auto statement = m_state->database.prepare(
        fmt::format("SELECT id FROM run INDEXED BY run_words{}{}{}", join, condition(query), orderText(query)));
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

Result<std::vector<RunSummary>> RunStore::list()
{
    return m_state->summaries("id > ? ORDER BY id DESC", "run > ?");
}

Result<std::vector<RunSummary>> RunStore::summaries(std::span<const RunId> runs)
{
    std::string numbers;
    for (const RunId run : runs)
        numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", run);
    auto found =
        m_state->summaries(fmt::format("id > ? AND id IN ({})", numbers), fmt::format("run > ? AND run IN ({})", numbers));
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

Result<model::Experiment> RunStore::experiment(RunId run)
{
    std::string text;
    if (const auto known = m_state->requireRun(run); !known)
        return known.error();
    const auto read =
        m_state->each("SELECT experiment FROM run WHERE id = ?", run, [&](const Statement &row) { text = row.text(0); });
    if (!read)
        return read.error();
    return model::experimentFromJson(text, fmt::format("run {}", run));
}

} // namespace stagelens::store
