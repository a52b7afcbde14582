// What the opening of a database repairs.
#include "engine/base/log.h"
#include "engine/base/process_mark.h"
#include "engine/store/metrics_json.h"
#include "engine/store/reason_file.h"
#include "engine/store/run_database.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace stagelens::store {

using base::Result;

namespace {

/// A run with status running, and the process that wrote it.
struct Orphan {
    RunId id = 0;
    base::ProcessMark process;
};

/// Returns the runs with status running whose process is gone and whose lock is free.
Result<std::vector<Orphan>> orphans(RunDatabase &runs)
{
    std::vector<Orphan> gone;
    const auto read = runs.each(
        "SELECT id, boot_id, pid, process_start FROM run WHERE status = 'running' AND id > ?", 0, [&](const Statement &row) {
            const base::ProcessMark mark{row.text(1), row.integer(2), row.integer(3)};
            // A process in another container is not visible here, but holds its lock. One that was
            // just killed may hold it until its last thread has ended.
            if (base::isZombie(mark) || (!base::isRunning(mark) && !runs.locks.isHeldElsewhere(row.integer(0))))
                gone.push_back({row.integer(0), mark});
        });
    if (!read)
        return read.error();
    return gone;
}

/// Shows the median of the steps with a stored timeline, if there are any, as that of a run whose process is gone.
Result<> showMedianStep(RunDatabase &runs, RunId id)
{
    const auto found = runs.steps(id);
    if (!found)
        return found.error();
    const auto median = medianIndex(found->iterations);
    if (!median)
        return {};
    const std::size_t resumed = found->losses.size() - found->iterations.size();
    std::string detail;
    std::string blob;
    const auto read = runs.stepTimeline(id, static_cast<int>(resumed + *median), detail, blob);
    const auto metrics = read ? metricsFromJson(detail) : Result<simulate::Metrics>(read.error());
    return metrics ? runs.showStep(id, *metrics, detail, blob) : Result<>(); // else what was shown last
}

/// A run whose process knew why it ends has failed; of others nothing is known.
Result<> markInterrupted(RunDatabase &runs)
{
    const auto first = orphans(runs); // usually none, and then nothing needs to be locked
    if (!first)
        return first.error();
    if (first->empty())
        return {};
    return runs.inTransaction([&]() -> Result<> {
        const auto gone = orphans(runs);
        if (!gone)
            return gone.error();
        for (const auto &[id, process] : *gone) {
            if (const auto shown = showMedianStep(runs, id); !shown)
                return shown;
            const std::optional<std::string> reason = ReasonFile(runs.place, process).read();
            const auto ended = reason ? runs.end(id, RunStatus::Failed, *reason)
                                      : runs.end(id, RunStatus::Interrupted, "its process ended before the run did");
            if (!ended)
                return ended;
        }
        return {};
    });
}

/// Removes the folders of runs that were deleted, and incomplete checkpoints of runs that have ended.
Result<> removeOrphanCheckpoints(RunDatabase &runs)
{
    const std::vector<RunId> numbers = runs.checkpoints.ours(); // first: a run has its row before its folder
    if (numbers.empty())
        return {};
    // Where a backup of the database was put in its place, the runs since then are not deleted ones.
    const auto last = runs.database.queryInteger("SELECT max(seq) FROM sqlite_sequence WHERE name = 'run'");
    if (!last)
        return last.error();
    for (const RunId run : numbers) {
        const auto status = runs.database.queryText("SELECT status FROM run WHERE id = ?", run); // empty: no such run
        if (!status)
            return status.error();
        if (!status->empty() && *status != name(RunStatus::Running))
            runs.checkpoints.removeParts(run);
        else if (status->empty() && run <= *last)
            if (auto removed = runs.checkpoints.remove(run); !removed)
                return removed;
    }
    return {};
}

} // namespace

void recover(RunDatabase &runs)
{
    if (const auto marked = markInterrupted(runs); !marked)
        base::log(base::LogLevel::Warning, fmt::format("interrupted runs still read as running: {}", marked.error().text()));
    else
        removeReasonsOfEndedProcesses(runs.place); // those of runs that were never stored, too
    if (const auto removed = removeOrphanCheckpoints(runs); !removed)
        base::log(base::LogLevel::Warning,
                  fmt::format("checkpoints of deleted runs are still there: {}", removed.error().text()));
}

Result<> adoptCheckpoints(RunDatabase &runs)
{
    return runs.each("SELECT id FROM run WHERE id > ?", 0,
                     [&](const Statement &row) { runs.checkpoints.adopt(row.integer(0)); });
}

} // namespace stagelens::store
