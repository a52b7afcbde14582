// What the window reads of stored runs. These functions wait for the disk: they are the work of EngineBridge::ask().
#pragma once

#include "engine/service/engine_service.h"

#include <set>
#include <vector>

namespace stagelens::ui {

/// The runs that a query finds, with the rows of the first of them.
struct RunTable {
    store::RunList list;
    std::vector<store::RunSummary> firstRows; ///< of the list's begin, as many as a page of the table has
    bool isRead = false;                      ///< false: nothing is known of the database yet
};
/// Rows of the table that are read at once.
inline constexpr std::size_t kRowsOfPage = 128;

[[nodiscard]] base::Result<RunTable> readTable(service::StoredRuns &stored, const store::RunQuery &query);

/// The whole of a stored run with its schedule.
[[nodiscard]] base::Result<service::RunSnapshotPtr> readRun(service::StoredRuns &stored, store::RunId run,
                                                            std::optional<int> step = {});

/// Which runs are of a plan.
struct PlanQuery {
    model::Experiment plan; ///< resolved
    int cores = 1;
    std::size_t most = 1;
    std::set<store::RunId> without;
};
/// The newest runs that measured exactly that plan and have something to show.
[[nodiscard]] base::Result<std::vector<store::RunSummary>> findRunsOf(service::StoredRuns &stored, const PlanQuery &query);

} // namespace stagelens::ui
