#include "tests/bench/heap.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<std::size_t> g_now = 0;
std::atomic<std::size_t> g_peak = 0; // of one thread; several may miss it by what they take at the same moment
std::atomic<std::size_t> g_allocations = 0;

} // namespace

void *operator new(std::size_t size)
{
    void *const memory = std::malloc(std::max<std::size_t>(size, 1));
    if (memory == nullptr)
        throw std::bad_alloc();
    const std::size_t heldNow = g_now += malloc_usable_size(memory);
    g_peak = std::max<std::size_t>(g_peak, heldNow);
    ++g_allocations;
    return memory;
}

void operator delete(void *memory) noexcept
{
    if (memory != nullptr)
        g_now -= malloc_usable_size(memory);
    std::free(memory);
}

void operator delete(void *memory, std::size_t /*size*/) noexcept
{
    operator delete(memory);
}

namespace stagelens::bench {

std::size_t heapNow()
{
    return g_now;
}

std::size_t allocations()
{
    return g_allocations;
}

std::size_t heapPeak()
{
    return g_peak;
}

void startPeak()
{
    g_peak = g_now.load();
}

} // namespace stagelens::bench
