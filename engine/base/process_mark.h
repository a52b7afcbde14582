// Whether a process still lives.
#pragma once

#include <cstdint>
#include <string>

namespace stagelens::base {

/// Identifies a process, also after its pid is reused.
struct ProcessMark {
    std::string bootId; ///< of the machine's current start
    std::int64_t pid = 0;
    std::int64_t startTicks = 0; ///< since that start
    friend bool operator==(const ProcessMark &, const ProcessMark &) = default;
};
/// The mark of this process.
[[nodiscard]] ProcessMark ownProcess();
/// True if that very process runs on this machine.
[[nodiscard]] bool isRunning(const ProcessMark &mark);
/// True if that very process is visible here and has ended: its parent has not waited for it, or some of its threads still end.
[[nodiscard]] bool isZombie(const ProcessMark &mark);

} // namespace stagelens::base
