#include "tests/kernel_accesses/arrays.h"

#include "tests/cuda_emulator/fibres.h"

#include <iterator>
#include <map>
#include <pthread.h>

namespace stagelens::test {
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

} // namespace

void allowArray(const void *array, std::size_t bytes)
{
    arrays[static_cast<const std::byte *>(array)] = bytes;
    kernels::gpu::host::watchAccesses([](const void *address, std::size_t size) {
        const auto *const at = static_cast<const std::byte *>(address);
        return isAllowed(at, size) || isOfEmulator(at);
    });
}

void forbidArray(const void *array)
{
    arrays.erase(static_cast<const std::byte *>(array));
}

} // namespace stagelens::test
