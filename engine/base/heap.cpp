#include "engine/base/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace stagelens::base {

void returnFreedMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void keepLargeBlocksApart()
{
#ifdef __GLIBC__
    constexpr int kLarge = 8 << 20;
    constexpr int kKept = 16 << 20; // if lower, every edit returns pages to the system and faults them in again
    mallopt(M_MMAP_THRESHOLD, kLarge);
    mallopt(M_TRIM_THRESHOLD, kKept);
    // malloc_trim merges what fast bins hold into the last block of a thread's arena, and cannot return that block.
    mallopt(M_MXFAST, 0);
#endif
}

} // namespace stagelens::base
