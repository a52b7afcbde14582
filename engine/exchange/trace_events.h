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
    std::size_t others = 0;                              ///< named "PP:" and something else
};

/// "PP:0F12", also with the marks that profilers put around a name ("## PP:0F12 ##").
[[nodiscard]] std::optional<schedule::Pass> passOfEventName(std::string_view name);
/// Microseconds as JSON writes them ("12.345", "1.7e15") in nanoseconds, without the rounding of a floating-point number where
/// there is no exponent. Nothing where it is negative, no number or beyond a hundred years.
[[nodiscard]] std::optional<base::Nanos> nanosOfMicros(std::string_view text);
/// Reads block after block; memory grows with the passes alone.
[[nodiscard]] base::Result<TraceEvents> readTraceEvents(const TraceInput &input);

} // namespace stagelens::exchange
