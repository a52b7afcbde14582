#include "engine/store/run_database.h"

#include "engine/store/removal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

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

Result<std::unique_ptr<RunDatabase>> RunDatabase::make(Database database, const std::filesystem::path &place)
{
    auto id = readIdentity(database);
    if (!id)
        return std::move(id).error();
    return std::make_unique<RunDatabase>(RunDatabase{
        std::move(database), RunLocks(place), CheckpointFolders(place, *std::move(id)), base::ProtectedFile(place), place});
}

Result<> RunDatabase::requireRun(RunId id)
{
    bool found = false;
    const auto looked = each("SELECT 1 FROM run WHERE id = ?", id, [&](const Statement &) { found = true; });
    if (!looked || found)
        return looked;
    return base::Error::invalid(database.file(),
                                fmt::format("has no run {}; `stagelens-cli runs list` shows those there are", id));
}

Result<Steps> RunDatabase::steps(RunId id)
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
    const auto skipped = each("SELECT step FROM skipped_step WHERE run = ? ORDER BY step", id,
                              [&](const Statement &row) { found.skipped.push_back(static_cast<int>(row.integer(0))); });
    if (!skipped)
        return skipped.error();
    return found;
}

Result<> RunDatabase::stepTimeline(RunId id, int step, std::string &metrics, std::string &blob)
{
    std::vector<std::int64_t> kept;
    const auto looked = each("SELECT step FROM step_timeline WHERE run = ? ORDER BY step", id,
                             [&](const Statement &row) { kept.push_back(row.integer(0)); });
    if (!looked)
        return looked;
    if (!std::ranges::binary_search(kept, step)) {
        const std::string which =
            kept.empty() ? fmt::format("run {} kept the timeline of its typical step only", id)
                         : fmt::format("run {} kept the timelines of the steps {} to {}", id, kept.front(), kept.back());
        return base::Error::invalid(
            "--step", fmt::format("there is no timeline of step {}: {}; leave --step out for the typical step", step, which));
    }
    return each(fmt::format("SELECT detail, data FROM step_timeline WHERE run = ? AND step = {}", step), id,
                [&](const Statement &row) {
                    metrics = row.text(0);
                    blob = row.text(1);
                });
}

Result<> RunDatabase::refreshFigures(RunId id)
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

Result<> RunDatabase::showStep(RunId id, const simulate::Metrics &metrics, std::string_view detail, const std::string &blob)
{
    const auto &peaks = metrics.peakMemory;
    std::optional<base::Bytes> peak;
    if (!peaks.empty())
        peak = std::ranges::max(peaks);
    const auto kept = steps(id);
    if (!kept)
        return kept.error();
    // Lists show it beside the median of the steps, which may be longer than the step that is shown.
    std::optional<double> tokensPerSecond = metrics.tokensPerSecond;
    if (const auto median = medianIteration(kept->iterations);
        tokensPerSecond && median && *median > 0 && metrics.iteration > 0)
        *tokensPerSecond *= static_cast<double>(metrics.iteration) / static_cast<double>(*median);
    const auto stored = run("INSERT OR REPLACE INTO metrics (run, makespan_ns, bubble_ratio, tokens_per_second, mfu,"
                            " peak_memory_bytes, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
                            [&](Statement &statement) {
                                statement.bind(id)
                                    .bind(metrics.makespan)
                                    .bind(finite(metrics.bubbleRatio))
                                    .bind(tokensPerSecond)
                                    .bind(metrics.mfu)
                                    .bind(peak)
                                    .bind(detail);
                            });
    if (!stored)
        return stored;
    return run("INSERT OR REPLACE INTO timeline (run, data) VALUES (?, ?)",
               [&](Statement &statement) { statement.bind(id).bindBlob(blob); });
}

Result<> RunDatabase::end(RunId id, RunStatus status, const std::string &reason)
{
    if (const auto refreshed = refreshFigures(id); !refreshed)
        return refreshed;
    return run("UPDATE run SET status = ?, reason = ?, ended_unix_ms = ? WHERE id = ?", [&](Statement &statement) {
        statement.bind(name(status)).bind(std::string_view(reason)).bind(nowUnixMs()).bind(id);
    });
}

} // namespace stagelens::store
