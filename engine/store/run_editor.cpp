#include "engine/store/run_editor.h"

#include "engine/base/log.h"
#include "engine/base/process_mark.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/store/metrics_json.h"
#include "engine/store/run_database.h"
#include "engine/store/timeline_blob.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace stagelens::store {

using base::Result;

Result<RunId> RunEditor::begin(const model::Experiment &experiment, timeline::Provenance kind, const std::string &name,
                               const std::map<std::string, std::string> &environment)
{
    RunId id = 0;
    const auto inserted = m_runs.durably([&]() -> Result<> {
        if (const auto row = insertRun(experiment, kind, name); !row)
            return row;
        id = m_runs.database.lastInsertId();
        // Before the row becomes visible, so that no other process takes the folder for an orphan.
        if (!m_runs.locks.acquire(id))
            base::log(base::LogLevel::Warning,
                      fmt::format("run {} bears no lock: the file system of {} has none", id, m_runs.database.file()));
        return insertEnvironment(id, environment);
    });
    if (!inserted) {
        m_runs.locks.release(id);
        return inserted.error();
    }
    if (const auto free = m_runs.checkpoints.setAside(id); !free)
        base::log(base::LogLevel::Warning, free.error().text());
    return id;
}

Result<> RunEditor::setBeginning(RunId run, RunId resumed, std::span<const double> losses, std::span<const int> skipped)
{
    return m_runs.inTransaction([&]() -> Result<> {
        if (const auto noted = m_runs.run("UPDATE run SET resumed_run = ? WHERE id = ?",
                                          [&](Statement &statement) { statement.bind(resumed).bind(run); });
            !noted)
            return noted;
        for (std::size_t step = 0; step < losses.size(); ++step)
            if (const auto added =
                    m_runs.run("INSERT INTO earlier_loss (run, step, loss) VALUES (?, ?, ?)",
                               [&](Statement &statement) {
                                   statement.bind(run).bind(static_cast<std::int64_t>(step)).bind(finite(losses[step]));
                               });
                !added)
                return added;
        for (const int step : skipped)
            if (const auto added = addSkipped(run, step); !added)
                return added;
        return m_runs.refreshFigures(run);
    });
}

Result<> RunEditor::setFact(RunId run, const std::string &name, const std::string &text)
{
    return m_runs.inTransaction([&] {
        return m_runs.run("INSERT OR REPLACE INTO environment (run, key, value) VALUES (?, ?, ?)", [&](Statement &statement) {
            statement.bind(run).bind(std::string_view(name)).bind(std::string_view(text));
        });
    });
}

Result<> RunEditor::addEvaluation(RunId run, const EvaluationLoss &evaluation)
{
    return m_runs.inTransaction([&]() -> Result<> {
        const auto added = m_runs.run("INSERT INTO evaluation (run, steps, loss) VALUES (?, ?, ?)", [&](Statement &statement) {
            statement.bind(run).bind(std::int64_t{evaluation.steps}).bind(finite(evaluation.loss));
        });
        if (!added)
            return added;
        return m_runs.run("UPDATE run SET evaluation_loss = ? WHERE id = ?",
                          [&](Statement &statement) { statement.bind(finite(evaluation.loss)).bind(run); });
    });
}

Result<> RunEditor::addStep(RunId run, int step, double loss, base::Nanos iteration)
{
    return m_runs.run("INSERT INTO step (run, step, loss, iteration_ns) VALUES (?, ?, ?, ?)", [&](Statement &statement) {
        statement.bind(run).bind(std::int64_t{step}).bind(finite(loss)).bind(iteration);
    });
}

Result<> RunEditor::addStep(RunId run, int step, double loss, base::Nanos iteration, const timeline::Timeline &timeline,
                            const simulate::Metrics &metrics)
{
    const std::string blob = encodeTimeline(timeline);
    const std::string detail = metricsToJson(metrics);
    return m_runs.inTransaction([&]() -> Result<> {
        if (const auto added = addStep(run, step, loss, iteration); !added)
            return added;
        return m_runs.run("INSERT INTO step_timeline (run, step, detail, data) VALUES (?, ?, ?, ?)", [&](Statement &statement) {
            statement.bind(run).bind(std::int64_t{step}).bind(std::string_view(detail)).bindBlob(blob);
        });
    });
}

Result<> RunEditor::addSkipped(RunId run, int step)
{
    return m_runs.run("INSERT INTO skipped_step (run, step) VALUES (?, ?)",
                      [&](Statement &statement) { statement.bind(run).bind(std::int64_t{step}); });
}

Result<> RunEditor::addRouters(RunId run, const timeline::RouterStep &routers)
{
    return m_runs.inTransaction([&]() -> Result<> {
        for (std::size_t layer = 0; layer < routers.layers.size(); ++layer) {
            const timeline::RouterCounts &counts = routers.layers[layer];
            if (counts.rows.empty())
                continue;
            const std::string choices = fmt::format("{}", fmt::join(counts.rows, " "));
            const auto added = m_runs.run("INSERT INTO router (run, step, layer, choices, dropped, entropy, tokens)"
                                          " VALUES (?, ?, ?, ?, ?, ?, ?)",
                                          [&](Statement &statement) {
                                              statement.bind(run)
                                                  .bind(std::int64_t{routers.step})
                                                  .bind(static_cast<std::int64_t>(layer))
                                                  .bind(std::string_view(choices))
                                                  .bind(counts.dropped)
                                                  .bind(finite(counts.entropy))
                                                  .bind(counts.tokens);
                                          });
            if (!added)
                return added;
        }
        return {};
    });
}

Result<> RunEditor::setTimeline(RunId run, const timeline::Timeline &timeline, const simulate::Metrics &metrics)
{
    const std::string blob = encodeTimeline(timeline);
    return m_runs.inTransaction([&]() -> Result<> {
        if (const auto figures = m_runs.refreshFigures(run); !figures)
            return figures;
        return m_runs.showStep(run, metrics, metricsToJson(metrics), blob);
    });
}

Result<> RunEditor::setOperators(RunId run, const timeline::OperatorTimes &times)
{
    return m_runs.inTransaction([&]() -> Result<> {
        if (const auto removed =
                m_runs.run("DELETE FROM operator_time WHERE run = ?", [&](Statement &statement) { statement.bind(run); });
            !removed)
            return removed;
        for (const timeline::PassOperators &pass : times)
            for (std::size_t place = 0; place < pass.operators.size(); ++place) {
                const timeline::OperatorTime &each = pass.operators[place];
                const auto added =
                    m_runs.run("INSERT INTO operator_time (run, device, kind, stage, place, name, duration_ns, is_vocabulary)"
                               " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                               [&](Statement &statement) {
                                   statement.bind(run)
                                       .bind(std::int64_t{pass.device})
                                       .bind(schedule::name(pass.kind))
                                       .bind(std::int64_t{pass.stage})
                                       .bind(static_cast<std::int64_t>(place))
                                       .bind(std::string_view(each.name))
                                       .bind(each.duration)
                                       .bind(std::int64_t{each.isVocabulary ? 1 : 0});
                               });
                if (!added)
                    return added;
            }
        return {};
    });
}

template <class Change>
Result<> RunEditor::change(RunId run, Change change)
{
    return m_runs.durably([&]() -> Result<> {
        const auto known = m_runs.requireRun(run);
        return known ? change() : known;
    });
}

Result<> RunEditor::finish(RunId run, RunStatus status, const std::string &reason)
{
    const auto ended = change(run, [&] { return m_runs.end(run, status, reason); });
    if (ended)
        m_runs.locks.release(run);
    return ended;
}

Result<> RunEditor::rename(RunId run, const std::string &name)
{
    return setText(run, "UPDATE run SET name = ? WHERE id = ?", name);
}

Result<> RunEditor::setNote(RunId run, const std::string &note)
{
    return setText(run, "UPDATE run SET note = ? WHERE id = ?", note);
}

Result<> RunEditor::setText(RunId run, std::string_view sql, const std::string &text)
{
    return change(
        run, [&] { return m_runs.run(sql, [&](Statement &statement) { statement.bind(std::string_view(text)).bind(run); }); });
}

Result<> RunEditor::setTags(RunId run, const std::vector<std::string> &tags)
{
    return change(run, [&]() -> Result<> {
        if (const auto cleared =
                m_runs.run("DELETE FROM tag WHERE run = ?", [&](Statement &statement) { statement.bind(run); });
            !cleared)
            return cleared;
        for (const std::string &tag : tags) {
            const std::string_view word = base::trim(tag);
            if (word.empty())
                continue;
            const auto added = m_runs.run("INSERT OR IGNORE INTO tag (run, tag) VALUES (?, ?)",
                                          [&](Statement &statement) { statement.bind(run).bind(word); });
            if (!added)
                return added;
        }
        return {};
    });
}

Result<> RunEditor::insertRun(const model::Experiment &experiment, timeline::Provenance kind, const std::string &name)
{
    const base::ProcessMark mark = base::ownProcess();
    const std::string document = model::toJson(experiment).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return m_runs.run("INSERT INTO run (name, status, started_unix_ms, kind, family, vocabulary, devices, microbatches,"
                      " steps_planned, vocabulary_size, experiment, boot_id, pid, process_start)"
                      " VALUES (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      [&](Statement &statement) {
                          statement.bind(std::string_view(name))
                              .bind(nowUnixMs())
                              .bind(timeline::name(kind))
                              .bind(std::string_view(experiment.schedule.family))
                              .bind(model::name(experiment.schedule.vocabulary))
                              .bind(std::int64_t{experiment.parallel.devices})
                              .bind(std::int64_t{experiment.parallel.microbatches})
                              .bind(std::int64_t{experiment.training.steps})
                              .bind(experiment.hasModel ? std::optional(std::int64_t{experiment.model.vocabularySize})
                                                        : std::nullopt)
                              .bind(std::string_view(document))
                              .bind(std::string_view(mark.bootId))
                              .bind(mark.pid)
                              .bind(mark.startTicks);
                      });
}

Result<> RunEditor::insertEnvironment(RunId id, const std::map<std::string, std::string> &environment)
{
    for (const auto &fact : environment) {
        const auto inserted =
            m_runs.run("INSERT INTO environment (run, key, value) VALUES (?, ?, ?)", [&](Statement &statement) {
                statement.bind(id).bind(std::string_view(fact.first)).bind(std::string_view(fact.second));
            });
        if (!inserted)
            return inserted;
    }
    return {};
}

} // namespace stagelens::store
