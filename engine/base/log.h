// The log of the engine, which never writes to a standard stream itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace stagelens::base {

enum class LogLevel : unsigned char { Debug, Info, Warning };
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Sets the sink of the process; an empty one drops all messages. Thread-safe.
void setLogSink(LogSink sink);
/// Passes a message to the sink. Thread-safe.
void log(LogLevel level, std::string_view message);

} // namespace stagelens::base
