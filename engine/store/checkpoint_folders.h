// The checkpoint folders of the runs of a database.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagelens::store {

/// The folders `<database>.checkpoints/run-<N>`. A file in each contains the id of its database. So the folder of a database
/// that had this path before is recognised: it may be renamed, but its content is not used, changed or removed.
class CheckpointFolders {
public:
    /// `database` is the result of RunStore::placeOf().
    CheckpointFolders(const std::filesystem::path &database, std::string id);

    [[nodiscard]] static std::filesystem::path folderOf(const std::filesystem::path &database, RunId run);
    /// Creates the folder of a new run. Renames an existing one of that name and logs it.
    [[nodiscard]] base::Result<> make(RunId run) const;
    /// Renames a folder whose name a new run needs.
    [[nodiscard]] base::Result<> setAside(RunId run) const;
    /// Fails with InvalidInput if the run's folder belongs to another database. A folder without an id counts as ours.
    [[nodiscard]] base::Result<> requireOurs(RunId run) const;
    /// Removes the run's folder if it is ours.
    [[nodiscard]] base::Result<> remove(RunId run) const;
    /// Removes incomplete checkpoints of a run, if the folder is ours.
    void removeParts(RunId run) const;
    /// Returns the runs with a folder of ours.
    [[nodiscard]] std::vector<RunId> ours() const;
    /// Writes our id to a folder without one.
    void adopt(RunId run) const;

private:
    [[nodiscard]] std::filesystem::path folder(RunId run) const;
    [[nodiscard]] std::string idOf(RunId run) const; ///< empty: none
    [[nodiscard]] bool isOurs(RunId run) const;

    std::filesystem::path m_database;
    std::string m_id;
};

} // namespace stagelens::store
