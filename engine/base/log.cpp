#include "engine/base/log.h"

#include <mutex>
#include <utility>

namespace stagelens::base {
namespace {

struct Sink {
    std::mutex mutex;
    LogSink write;
};

Sink &sink()
{
    static Sink instance;
    return instance;
}

} // namespace

void setLogSink(LogSink write)
{
    const std::scoped_lock lock(sink().mutex);
    sink().write = std::move(write);
}

void log(LogLevel level, std::string_view message)
{
    const std::scoped_lock lock(sink().mutex);
    if (sink().write)
        sink().write(level, message);
}

} // namespace stagelens::base
