// The runs of a database, for the command line and the service's own thread.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/store/patience.h"
#include "engine/store/run_record.h"
#include "engine/store/run_store.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::service {

/// Opens the database if `store` is empty, and sets how long later calls wait for locks.
[[nodiscard]] base::Result<> openOnce(std::optional<store::RunStore> &store, const std::filesystem::path &file,
                                      const store::Patience &patience);

/// One database, opened by the first call. Thread-safe: calls are serialised. Every call may wait for the disk and, up to the
/// set patience, for the locks of other processes; the window therefore uses EngineService::ask().
class StoredRuns {
public:
    /// An empty name means the default file.
    explicit StoredRuns(std::filesystem::path database);

    [[nodiscard]] base::Result<std::vector<store::RunSummary>> list();
    /// Returns the runs that match a query, using the indices of the database.
    [[nodiscard]] base::Result<store::RunList> find(const store::RunQuery &query);
    /// Returns the rows of some runs, in that order; omits deleted runs.
    [[nodiscard]] base::Result<std::vector<store::RunSummary>> summaries(std::span<const store::RunId> runs);
    [[nodiscard]] base::Result<model::Experiment> experiment(store::RunId run);
    /// Loads a run with the timeline of the typical step, or of `step` if it was stored.
    [[nodiscard]] base::Result<store::RunRecord> load(store::RunId run, std::optional<int> step = {});
    /// Returns the run with that number, or else with that name if it is unique.
    [[nodiscard]] base::Result<store::RunId> numberOf(const std::string &run);
    [[nodiscard]] base::Result<> rename(store::RunId run, const std::string &name);
    [[nodiscard]] base::Result<> setTags(store::RunId run, const std::vector<std::string> &tags);
    [[nodiscard]] base::Result<> setNote(store::RunId run, const std::string &note);
    /// Deletes a run with its checkpoints; works on a full disk if no other connection uses the database.
    [[nodiscard]] base::Result<> remove(store::RunId run);
    [[nodiscard]] base::Result<store::CheckReport> check();

    [[nodiscard]] const std::filesystem::path &file() const { return m_file; }
    /// Sets how long later calls wait for locks of other processes.
    void setPatience(const store::Patience &patience);

private:
    template <class Use>
    auto with(Use use) -> decltype(use(std::declval<store::RunStore &>()));

    std::filesystem::path m_file;
    std::mutex m_mutex;
    store::Patience m_patience;
    std::optional<store::RunStore> m_store;
};

} // namespace stagelens::service
