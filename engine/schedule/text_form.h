// Schedules as text: one line a device, passes as "F0 F1 S0 B0" (microbatches from 0; "F0@3" names a stage that is not the
// device's first).
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace stagelens::schedule {

[[nodiscard]] std::string toText(const Schedule &schedule);
/// Reads what toText writes. The error names line and word.
[[nodiscard]] base::Result<Schedule> scheduleFromText(std::string_view text);

} // namespace stagelens::schedule
