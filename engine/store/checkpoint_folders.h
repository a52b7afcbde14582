// Where the runs of a database keep their checkpoints.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagelens::store {

/// The folders `<database>.checkpoints/run-<N>`. A file in each bears the id of its database, so that the folder of a database
/// that had this path before is told apart: it may be renamed, but nothing in it is used, changed or removed.
class CheckpointFolders {
public:
    /// `database` as RunStore::placeOf() gives it.
    CheckpointFolders(const std::filesystem::path &database, std::string id);

    [[nodiscard]] static std::filesystem::path folderOf(const std::filesystem::path &database, RunId run);
    /// Makes the folder of a new run. Another one of that name is renamed, which the log says.
    [[nodiscard]] base::Result<> make(RunId run) const;
    /// Renames a folder that is in the way of a new run.
    [[nodiscard]] base::Result<> setAside(RunId run) const;
    /// InvalidInput where the run's folder belongs to another database. One without an id counts as ours.
    [[nodiscard]] base::Result<> requireOurs(RunId run) const;
    /// Removes the run's folder if it is ours.
    [[nodiscard]] base::Result<> remove(RunId run) const;
    /// Removes checkpoints of a run that were never completed, if the folder is ours.
    void removeParts(RunId run) const;
    /// The runs that have a folder of ours.
    [[nodiscard]] std::vector<RunId> ours() const;
    /// Gives a folder without an id ours.
    void adopt(RunId run) const;

private:
    [[nodiscard]] std::filesystem::path folder(RunId run) const;
    [[nodiscard]] std::string idOf(RunId run) const; ///< empty: none
    [[nodiscard]] bool isOurs(RunId run) const;

    std::filesystem::path m_database;
    std::string m_id;
};

} // namespace stagelens::store
