// Reads runs from an open database.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stagelens::store {

struct RunDatabase;

class RunReader {
public:
    explicit RunReader(RunDatabase &runs) : m_runs(runs) {}

    [[nodiscard]] base::Result<std::vector<RunSummary>> list();
    /// The numbers of the runs that a query finds: from indices alone, so that many runs cost little.
    [[nodiscard]] base::Result<RunList> find(const RunQuery &query);
    /// The rows of those runs, in that order; a run that is gone is left out.
    [[nodiscard]] base::Result<std::vector<RunSummary>> summaries(std::span<const RunId> runs);
    /// Loads only the plan of a run.
    [[nodiscard]] base::Result<model::Experiment> experiment(RunId run);
    /// With the timeline and metrics of the typical step, or of the step asked for; InvalidInput where that one's were not
    /// kept.
    [[nodiscard]] base::Result<RunRecord> load(RunId run, std::optional<int> step = {});

private:
    /// Rows of the runs and of the tags that match one condition each, whose only parameter is 0.
    base::Result<std::vector<RunSummary>> rowsOf(std::string_view ofRuns, std::string_view ofTags);

    RunDatabase &m_runs;
};

} // namespace stagelens::store
