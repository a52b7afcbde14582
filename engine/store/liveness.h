// Locks that show whether the process that writes a run still lives. Internal to the store.
#pragma once

#include <cstdint>
#include <filesystem>

namespace stagelens::store {

/// Locks on runs: the byte of `<database>.locks` whose offset is the run's id, locked on the open file description, so that the
/// kernel drops it when the process dies, other connections of this process do not disturb it, and a process in another
/// container, whose number we cannot see, still shows.
class RunLocks {
public:
    explicit RunLocks(const std::filesystem::path &database);
    RunLocks(RunLocks &&other) noexcept;
    RunLocks &operator=(RunLocks &&other) noexcept;
    ~RunLocks();

    /// False if the lock is held elsewhere or the file system has no locks.
    bool acquire(std::int64_t run);
    void release(std::int64_t run);
    /// True if somebody other than this object holds the lock.
    [[nodiscard]] bool isHeldElsewhere(std::int64_t run) const;

private:
    bool openFile(bool create) const;
    [[nodiscard]] bool control(int command, std::int64_t run, short type) const;

    std::filesystem::path m_file;
    mutable int m_fd = -1; ///< opened when it is first needed
};

} // namespace stagelens::store
