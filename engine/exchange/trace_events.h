// The pass events of one trace file. Internal to the import.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/exchange/trace_import.h"
#include "engine/passes/pass.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

struct PassEvent {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    schedule::Pass pass;
};
struct TraceEvents {
    std::map<std::string, std::vector<PassEvent>> lanes; ///< by process and thread, or by GPU
    std::size_t passes = 0;                              ///< of all lanes
    std::size_t others = 0;                              ///< other names that begin with "PP:"
};

/// Parses "PP:0F12", also with the marks of profilers around it ("## PP:0F12 ##").
[[nodiscard]] std::optional<schedule::Pass> passOfEventName(std::string_view name);
/// Converts microseconds in JSON notation ("12.345", "1.7e15") to nanoseconds, without floating-point rounding if there is no
/// exponent. Returns nothing if the text is negative, not a number or beyond a hundred years.
[[nodiscard]] std::optional<base::Nanos> nanosOfMicros(std::string_view text);
/// The same of seconds.
[[nodiscard]] std::optional<base::Nanos> nanosOfSeconds(std::string_view text);
/// Reads block by block; memory grows only with the number of passes.
[[nodiscard]] base::Result<TraceEvents> readTraceEvents(const TraceInput &input);

} // namespace stagelens::exchange
