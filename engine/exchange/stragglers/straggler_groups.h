// The rows of a straggler trace by step, replica and device. Internal to the import.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/stragglers/straggler_rows.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/stragglers/measured_job.h"

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace stagelens::exchange {

/// The rows of one worker in one step: places in StragglerGroups::rows, by operation in the order of their begins.
struct WorkerRows {
    std::size_t first = 0;
    std::size_t count = 0;
};

/// A whole number of steps of every worker.
struct StragglerGroups {
    std::string file;
    std::deque<StragglerRow> rows; ///< microbatches count from 0 in each step and replica
    int replicas = 0;
    int devices = 0;
    int microbatches = 0;
    std::vector<std::int64_t> steps;
    std::vector<WorkerRows> workers; ///< by step, replica and device

    [[nodiscard]] const WorkerRows &workerOf(std::size_t step, int replica, int device) const
    {
        const auto perStep = static_cast<std::size_t>(replicas) * static_cast<std::size_t>(devices);
        return workers[step * perStep + static_cast<std::size_t>(replica) * static_cast<std::size_t>(devices) +
                       static_cast<std::size_t>(device)];
    }
    /// Returns the rows of one operation (and end, of a message) of a worker, as places in `rows`, in the order of their
    /// begins.
    void rowsOf(const WorkerRows &worker, simulate::JobOperation operation, RowKind kind,
                std::vector<std::size_t> &found) const;
    /// Returns the passes of a worker, as places in `rows`, in the order of their begins.
    void passesOf(const WorkerRows &worker, std::vector<std::size_t> &found) const;
    [[nodiscard]] schedule::Pass passOf(std::size_t row) const;
    /// "dp_rank 1, stage 3 in step 23".
    [[nodiscard]] std::string nameOf(const StragglerRow &row) const;
    [[nodiscard]] base::Error error(const StragglerRow &row, const std::string &message) const;
};

/// Checks that every worker has rows in every step, none twice, that passes of a worker do not overlap, and that every replica
/// has the same number of microbatches in every step.
[[nodiscard]] base::Result<StragglerGroups> groupStragglers(const std::string &file, std::deque<StragglerRow> rows);
/// Returns the schedule of the first step and replica. Fails if it is none, or if another step or replica has another order.
[[nodiscard]] base::Result<schedule::Schedule> jobSchedule(const StragglerGroups &groups);

} // namespace stagelens::exchange
