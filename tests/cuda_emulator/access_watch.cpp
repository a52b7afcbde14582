#include "tests/cuda_emulator/access_watch.h"

#include "tests/cuda_emulator/fibres.h"

#include <map>
#include <pthread.h>

namespace stagelens::kernels::gpu::host {
namespace {

thread_local std::map<const std::byte *, std::size_t> arrays; ///< bytes by address

bool isWithin(const std::byte *address, const std::byte *begin, std::size_t bytes)
{
    return address >= begin && address < begin + bytes;
}

bool isAllowed(const std::byte *address, std::size_t bytes)
{
    const auto after = arrays.upper_bound(address);
    if (after == arrays.begin())
        return false;
    const auto [begin, length] = *std::prev(after);
    return address + bytes <= begin + length;
}

/// Returns whether it is a variable or constant of the program, or on the stack of the host thread, where the emulator has its
/// own state.
bool isOfEmulator(const std::byte *address)
{
    struct Stack {
        void *begin = nullptr;
        std::size_t bytes = 0;
        Stack()
        {
            pthread_attr_t attributes;
            if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
                pthread_attr_getstack(&attributes, &begin, &bytes);
                pthread_attr_destroy(&attributes);
            }
        }
    };
    static thread_local const Stack stack;
    extern const char programBegin[] asm("__executable_start");
    extern const char programEnd[] asm("_end");
    const auto *const begin = reinterpret_cast<const std::byte *>(programBegin);
    return isWithin(address, begin, static_cast<std::size_t>(programEnd - programBegin)) ||
           isWithin(address, static_cast<const std::byte *>(stack.begin), stack.bytes);
}

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

void allowArray(const void *array, std::size_t bytes)
{
    arrays[static_cast<const std::byte *>(array)] = bytes;
    watchAccesses([](const void *address, std::size_t size) {
        const auto *const at = static_cast<const std::byte *>(address);
        return isAllowed(at, size) || isOfEmulator(at);
    });
}

void forbidArray(const void *array)
{
    arrays.erase(static_cast<const std::byte *>(array));
}

} // namespace stagelens::kernels::gpu::host
