// Where the engine's remarks go. The engine never writes to a stream of its own accord.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace stagelens::base {

enum class LogLevel : unsigned char { Debug, Info, Warning };
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Sets the sink for the whole process; an empty one silences. Thread-safe.
void setLogSink(LogSink sink);
/// Passes a remark to the sink. Thread-safe.
void log(LogLevel level, std::string_view message);

} // namespace stagelens::base
