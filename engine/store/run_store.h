// The run database, a file of SQLite.
#pragma once

#include "engine/base/result.h"
#include "engine/store/checkpoint_folders.h"
#include "engine/store/database_check.h"
#include "engine/store/patience.h"
#include "engine/store/run_editor.h"
#include "engine/store/run_reader.h"

#include <filesystem>
#include <memory>

namespace stagelens::store {

/// One open database. Not thread-safe: each thread opens its own. Two processes may write into one file.
class RunStore {
public:
    /// Opens or creates the file, migrates it (with a backup beside it first), marks runs whose process is gone as interrupted
    /// and removes checkpoints that nothing refers to any more (a warning in the log where that cannot be done). Errors tell
    /// apart: not ours, from a newer version, locked, read-only, full, damaged; nothing is changed then.
    [[nodiscard]] static base::Result<RunStore> open(const std::filesystem::path &file, const Patience &patience = {});
    /// How long later calls wait for other writers.
    void setPatience(const Patience &patience);
    /// Returns runs.db in base::dataFolder().
    [[nodiscard]] static std::filesystem::path defaultFile();
    /// Returns the absolute path of a database with all symbolic links resolved.
    [[nodiscard]] static std::filesystem::path placeOf(const std::filesystem::path &file);

    RunStore(RunStore &&) noexcept;
    RunStore &operator=(RunStore &&) noexcept;
    ~RunStore();

    // Usable as long as the store is open.
    [[nodiscard]] RunReader read() { return RunReader(*m_runs); }
    [[nodiscard]] RunEditor edit() { return RunEditor(*m_runs); }
    /// With its checkpoints. Those that cannot be removed are left to the next opening, which the log says.
    [[nodiscard]] base::Result<> remove(RunId run);
    [[nodiscard]] base::Result<CheckReport> check();
    [[nodiscard]] const CheckpointFolders &checkpoints() const;

private:
    explicit RunStore(std::unique_ptr<RunDatabase> runs);
    std::unique_ptr<RunDatabase> m_runs;
};

} // namespace stagelens::store
