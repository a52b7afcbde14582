#include "tests/cuda_emulator/access_watch.h"

#include "tests/cuda_emulator/fibres.h"

namespace stagelens::kernels::gpu::host {
namespace {

/// Whether two accesses of different threads are ordered.
bool areOrdered(const AccessPoint &before, const AccessPoint &now)
{
    if (before.thread < 0 || before.thread == now.thread || before.blockBarriers != now.blockBarriers)
        return true;
    return before.thread / kWarp == now.thread / kWarp && before.warpBarriers != now.warpBarriers;
}

std::string raceText(std::size_t byte, const AccessPoint &before, const AccessPoint &now, const char *does, const char *did)
{
    return "thread " + std::to_string(now.thread) + ' ' + does + " byte " + std::to_string(byte) +
           " of shared memory, which thread " + std::to_string(before.thread) + " has " + did + " without a barrier in between";
}

} // namespace

std::string SharedAccesses::add(std::size_t first, std::size_t count, const AccessPoint &at, bool isWrite)
{
    for (std::size_t i = first; i < first + count && i < m_bytes.size(); ++i) {
        Byte &byte = m_bytes[i];
        if (!areOrdered(byte.writer, at))
            return raceText(i, byte.writer, at, isWrite ? "writes" : "reads", "written");
        if (isWrite) {
            for (const AccessPoint &reader : {byte.reader, byte.otherReader})
                if (!areOrdered(reader, at))
                    return raceText(i, reader, at, "writes", "read");
            byte.writer = at;
            continue;
        }
        if (byte.reader.thread != at.thread)
            byte.otherReader = byte.reader;
        byte.reader = at;
    }
    return {};
}

} // namespace stagelens::kernels::gpu::host
