#include "engine/store/run_store_state.h"

#include "engine/base/process_mark.h"
#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/store/metrics_json.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace stagelens::store {

using base::Result;

namespace {

std::int64_t nowUnixMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

std::optional<double> finite(double value)
{
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void Steps::describe(RunSummary &summary) const
{
    summary.stepsDone = static_cast<int>(losses.size());
    summary.resumedSteps = static_cast<int>(losses.size() - iterations.size());
    summary.firstLoss = losses.empty() ? std::nullopt : finite(losses.front());
    summary.lastLoss = losses.empty() ? std::nullopt : finite(losses.back());
    summary.iteration = medianIteration(iterations);
}

base::Error RunStore::State::noSuchRun(RunId id) const
{
    return base::Error::invalid(database.file(),
                                fmt::format("has no run {}; `stagelens-cli runs list` shows those there are", id));
}

Result<> RunStore::State::requireRun(RunId id)
{
    bool found = false;
    const auto looked = each("SELECT 1 FROM run WHERE id = ?", id, [&](const Statement &) { found = true; });
    return looked && !found ? noSuchRun(id) : looked;
}

Result<Steps> RunStore::State::steps(RunId id)
{
    Steps found;
    const auto takeLoss = [&](const Statement &row) {
        found.losses.push_back(row.optionalReal(0).value_or(std::numeric_limits<double>::quiet_NaN()));
    };
    if (const auto earlier = each("SELECT loss FROM earlier_loss WHERE run = ? ORDER BY step", id, takeLoss); !earlier)
        return earlier.error();
    const auto read = each("SELECT loss, iteration_ns FROM step WHERE run = ? ORDER BY step", id, [&](const Statement &row) {
        takeLoss(row);
        found.iterations.push_back(row.integer(1));
    });
    if (!read)
        return read.error();
    return found;
}

Result<> RunStore::State::stepTimeline(RunId id, int step, std::string &metrics, std::string &blob)
{
    std::vector<std::int64_t> kept;
    const auto looked = each("SELECT step FROM step_timeline WHERE run = ? ORDER BY step", id,
                             [&](const Statement &row) { kept.push_back(row.integer(0)); });
    if (!looked)
        return looked;
    if (!std::ranges::binary_search(kept, step)) {
        const std::string which =
            kept.empty() ? fmt::format("run {} kept the timeline of its median step only", id)
                         : fmt::format("run {} kept the timelines of the steps {} to {}", id, kept.front(), kept.back());
        return base::Error::invalid(
            "--step", fmt::format("there is no timeline of step {}: {}; leave --step out for the median step", step, which));
    }
    return each(fmt::format("SELECT detail, data FROM step_timeline WHERE run = ? AND step = {}", step), id,
                [&](const Statement &row) {
                    metrics = row.text(0);
                    blob = row.text(1);
                });
}

Result<> RunStore::State::refreshFigures(RunId id)
{
    const auto found = steps(id);
    if (!found)
        return found.error();
    RunSummary figures;
    found->describe(figures);
    return run("UPDATE run SET steps_done = ?, first_loss = ?, last_loss = ?, iteration_ns = ? WHERE id = ?",
               [&](Statement &statement) {
                   statement.bind(std::int64_t{figures.stepsDone})
                       .bind(figures.firstLoss)
                       .bind(figures.lastLoss)
                       .bind(figures.iteration)
                       .bind(id);
               });
}

Result<> RunStore::State::showStep(RunId id, const simulate::Metrics &metrics, std::string_view detail, const std::string &blob)
{
    const auto &peaks = metrics.peakMemory;
    std::optional<base::Bytes> peak;
    if (!peaks.empty())
        peak = std::ranges::max(peaks);
    const auto stored = run("INSERT OR REPLACE INTO metrics (run, makespan_ns, bubble_ratio, tokens_per_second, mfu,"
                            " peak_memory_bytes, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
                            [&](Statement &statement) {
                                statement.bind(id)
                                    .bind(metrics.makespan)
                                    .bind(finite(metrics.bubbleRatio))
                                    .bind(metrics.tokensPerSecond)
                                    .bind(metrics.mfu)
                                    .bind(peak)
                                    .bind(detail);
                            });
    if (!stored)
        return stored;
    return run("INSERT OR REPLACE INTO timeline (run, data) VALUES (?, ?)",
               [&](Statement &statement) { statement.bind(id).bindBlob(blob); });
}

Result<> RunStore::State::showMedianStep(RunId id)
{
    const auto found = steps(id);
    if (!found)
        return found.error();
    const auto median = medianIndex(found->iterations);
    if (!median)
        return {};
    const std::size_t resumed = found->losses.size() - found->iterations.size();
    std::string detail;
    std::string blob;
    const auto read = stepTimeline(id, static_cast<int>(resumed + *median), detail, blob);
    const auto metrics = read ? metricsFromJson(detail) : Result<simulate::Metrics>(read.error());
    return metrics ? showStep(id, *metrics, detail, blob) : Result<>(); // else what was shown last
}

Result<> RunStore::State::end(RunId id, RunStatus status, const std::string &reason)
{
    if (const auto refreshed = refreshFigures(id); !refreshed)
        return refreshed;
    return run("UPDATE run SET status = ?, reason = ?, ended_unix_ms = ? WHERE id = ?", [&](Statement &statement) {
        statement.bind(name(status)).bind(std::string_view(reason)).bind(nowUnixMs()).bind(id);
    });
}

Result<> RunStore::State::insertRun(const model::Experiment &experiment, timeline::Provenance kind, const std::string &name)
{
    const base::ProcessMark mark = base::ownProcess();
    const std::string document = model::toJson(experiment).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return run("INSERT INTO run (name, status, started_unix_ms, kind, family, vocabulary, devices, microbatches,"
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
                       .bind(experiment.hasModel ? std::optional(std::int64_t{experiment.model.vocabularySize}) : std::nullopt)
                       .bind(std::string_view(document))
                       .bind(std::string_view(mark.bootId))
                       .bind(mark.pid)
                       .bind(mark.startTicks);
               });
}

Result<> RunStore::State::insertEnvironment(RunId id, const std::map<std::string, std::string> &environment)
{
    for (const auto &fact : environment) {
        const auto inserted = run("INSERT INTO environment (run, key, value) VALUES (?, ?, ?)", [&](Statement &statement) {
            statement.bind(id).bind(std::string_view(fact.first)).bind(std::string_view(fact.second));
        });
        if (!inserted)
            return inserted;
    }
    return {};
}

Result<std::vector<RunId>> RunStore::State::orphans()
{
    std::vector<RunId> gone;
    const auto read = each("SELECT id, boot_id, pid, process_start FROM run WHERE status = 'running' AND id > ?", 0,
                           [&](const Statement &row) {
                               const base::ProcessMark mark{row.text(1), row.integer(2), row.integer(3)};
                               if (!base::isRunning(mark) && !locks.isHeldElsewhere(row.integer(0)))
                                   gone.push_back(row.integer(0));
                           });
    if (!read)
        return read.error();
    return gone;
}

Result<> RunStore::State::markInterrupted()
{
    const auto first = orphans(); // usually none, and then nothing needs to be locked
    if (!first)
        return first.error();
    if (first->empty())
        return {};
    return inTransaction([&]() -> Result<> {
        const auto gone = orphans();
        if (!gone)
            return gone.error();
        for (const RunId id : *gone) {
            if (const auto shown = showMedianStep(id); !shown)
                return shown;
            if (const auto ended = end(id, RunStatus::Interrupted, "its process ended before the run did"); !ended)
                return ended;
        }
        return {};
    });
}

Result<std::string> RunStore::State::statusOf(RunId id)
{
    std::string status;
    const auto read = each("SELECT status FROM run WHERE id = ?", id, [&](const Statement &row) { status = row.text(0); });
    if (!read)
        return read.error();
    return status;
}

Result<> RunStore::State::adoptCheckpoints()
{
    return each("SELECT id FROM run WHERE id > ?", 0, [&](const Statement &row) { checkpoints.adopt(row.integer(0)); });
}

Result<> RunStore::State::removeOrphanCheckpoints()
{
    const std::vector<RunId> runs = checkpoints.ours(); // first: a run has its row before its folder
    if (runs.empty())
        return {};
    // Where a backup of the database was put in its place, the runs since then are not deleted ones.
    const auto last = database.queryInteger("SELECT max(seq) FROM sqlite_sequence WHERE name = 'run'");
    if (!last)
        return last.error();
    for (const RunId run : runs) {
        const auto status = statusOf(run);
        if (!status)
            return status.error();
        if (!status->empty() && *status != name(RunStatus::Running))
            checkpoints.removeParts(run);
        else if (status->empty() && run <= *last)
            if (auto removed = checkpoints.remove(run); !removed)
                return removed;
    }
    return {};
}

} // namespace stagelens::store
