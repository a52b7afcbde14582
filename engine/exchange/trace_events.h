// The pass events of one trace file. Internal to the import.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/schedule/pass.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

struct PassEvent {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    schedule::Pass pass;
    std::string lane; ///< process and thread, or the GPU
};
struct TraceEvents {
    std::vector<PassEvent> passes;
    std::size_t others = 0; ///< named "PP:" and something else
};

/// "PP:0F12", also with the marks that profilers put around a name ("## PP:0F12 ##").
[[nodiscard]] std::optional<schedule::Pass> passOfEventName(std::string_view name);
/// Microseconds as JSON writes them ("12.345", "1.7e15") in nanoseconds, without the rounding of a floating-point number where
/// there is no exponent. Nothing where it is negative, no number or beyond a hundred years.
[[nodiscard]] std::optional<base::Nanos> nanosOfMicros(std::string_view text);
/// Reads as the file streams by; memory grows with its passes alone.
[[nodiscard]] base::Result<TraceEvents> readTraceEvents(const std::string &name, std::string_view text);

} // namespace stagelens::exchange
