// Locks that show whether the process that writes a run is alive. Internal to the store.
#pragma once

#include <cstdint>
#include <filesystem>

namespace stagelens::store {

/// Locks on runs: the byte of `<database>.locks` at the offset of the run's id, locked on the open file description. So the
/// kernel releases it when the process dies, other connections of this process do not affect it, and processes in other
/// containers, whose ids are not visible, are detected.
class RunLocks {
public:
    explicit RunLocks(const std::filesystem::path &database);
    RunLocks(RunLocks &&other) noexcept;
    RunLocks &operator=(RunLocks &&other) noexcept;
    ~RunLocks();

    /// False if the lock is held elsewhere or the file system has no locks.
    bool acquire(std::int64_t run);
    void release(std::int64_t run);
    /// Returns whether another object or process holds the lock.
    [[nodiscard]] bool isHeldElsewhere(std::int64_t run) const;

private:
    bool openFile(bool create) const;
    [[nodiscard]] bool control(int command, std::int64_t run, short type) const;

    std::filesystem::path m_file;
    mutable int m_fd = -1; ///< opened on first use
};

} // namespace stagelens::store
