#include "engine/base/processor_time.h"

#include <ctime>

namespace stagelens::base {

Nanos threadProcessorTime()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<Nanos>(time.tv_sec) * kNanosPerSecond + time.tv_nsec;
}

} // namespace stagelens::base
