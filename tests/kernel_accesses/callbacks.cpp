// What the compiler calls with -fsanitize=thread, instead of the runtime of ThreadSanitizer (LLVM,
// compiler-rt/lib/tsan/rtl/tsan_interface.h).
#include "tests/cuda_emulator/fibres.h"

#include <cstdint>

// NOLINTBEGIN: the names are the compiler's
extern "C" {

#define STAGELENS_ACCESS(bytes)                                                                                                \
    void __tsan_read##bytes(void *address)                                                                                     \
    {                                                                                                                          \
        stagelens::kernels::gpu::host::onAccess(address, bytes, false);                                                        \
    }                                                                                                                          \
    void __tsan_write##bytes(void *address)                                                                                    \
    {                                                                                                                          \
        stagelens::kernels::gpu::host::onAccess(address, bytes, true);                                                         \
    }                                                                                                                          \
    void __tsan_unaligned_read##bytes(void *address)                                                                           \
    {                                                                                                                          \
        stagelens::kernels::gpu::host::onAccess(address, bytes, false);                                                        \
    }                                                                                                                          \
    void __tsan_unaligned_write##bytes(void *address)                                                                          \
    {                                                                                                                          \
        stagelens::kernels::gpu::host::onAccess(address, bytes, true);                                                         \
    }
STAGELENS_ACCESS(1)
STAGELENS_ACCESS(2)
STAGELENS_ACCESS(4)
STAGELENS_ACCESS(8)
STAGELENS_ACCESS(16)
#undef STAGELENS_ACCESS
void __tsan_read_range(void *address, std::size_t bytes)
{
    stagelens::kernels::gpu::host::onAccess(address, bytes, false);
}
void __tsan_write_range(void *address, std::size_t bytes)
{
    stagelens::kernels::gpu::host::onAccess(address, bytes, true);
}
std::uint32_t __tsan_atomic32_fetch_add(volatile std::uint32_t *at, std::uint32_t value, int /*order*/)
{
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}
}
// NOLINTEND
