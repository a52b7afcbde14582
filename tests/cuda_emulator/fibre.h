// A coroutine with a stack of its own. Reports switches to AddressSanitizer.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STAGELENS_TELL_ASAN(call) call
#else
#define STAGELENS_TELL_ASAN(call) static_cast<void>(0)
#endif

namespace stagelens::kernels::gpu::host {

#if defined(__x86_64__)

/// A suspended stack: the address of its saved registers.
using Place = void *;

// swapcontext() makes two system calls for the signal mask, which take ten times as long as the rest of a test. A call
// preserves only these six registers and the stack (System V ABI, AMD64, 3.2.1).
[[gnu::naked, gnu::noinline, gnu::no_sanitize("thread", "address", "undefined")]] inline void
changeStack([[maybe_unused]] Place *from, [[maybe_unused]] Place *to)
{
    asm("pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "movq %rsp, (%rdi)\n movq (%rsi), %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret");
}

/// Returns a suspended stack that will enter `entry`, which never returns.
inline Place placeBefore(void (*entry)(), std::byte *stack, std::size_t bytes)
{
    constexpr std::ptrdiff_t kSaved = 6;
    // At entry a stack is eight bytes off 16-byte alignment, because of the return address.
    void **top = reinterpret_cast<void **>(stack + bytes) - 2 - kSaved;
    top[kSaved] = reinterpret_cast<void *>(entry);
    return top;
}

#else

using Place = ucontext_t;

inline void changeStack(Place *from, Place *to)
{
    swapcontext(from, to);
}

inline Place placeBefore(void (*entry)(), std::byte *stack, std::size_t bytes)
{
    Place place;
    getcontext(&place);
    place.uc_stack.ss_sp = stack;
    place.uc_stack.ss_size = bytes;
    makecontext(&place, entry, 0);
    // The swapcontext() of ASan would clear its shadow of the whole stack at each switch, which these annotations avoid.
    STAGELENS_TELL_ASAN(place.uc_stack.ss_size = 0);
    return place;
}

#endif

class Fibre {
public:
    /// Runs `entry` on the first resume. It must call begun() first and end() last, and never return.
    explicit Fibre(void (*entry)())
        : m_stack(static_cast<std::byte *>(
              mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)))
    {
        if (m_stack == MAP_FAILED)
            throw std::bad_alloc();
        m_own = placeBefore(entry, m_stack, kStackBytes);
    }
    ~Fibre()
    {
        // Clears the shadow of frames that never returned, because the addresses are reused.
        STAGELENS_TELL_ASAN(__asan_unpoison_memory_region(m_stack, kStackBytes));
        munmap(m_stack, kStackBytes);
    }
    Fibre(const Fibre &) = delete;
    Fibre &operator=(const Fibre &) = delete;

    [[nodiscard]] bool hasOnStack(const void *address) const
    {
        const auto *const at = static_cast<const std::byte *>(address);
        return at >= m_stack && at < m_stack + kStackBytes;
    }

    /// Runs the fibre until it suspends or ends.
    void resume()
    {
        STAGELENS_TELL_ASAN(__sanitizer_start_switch_fiber(&m_homeFake, m_stack, kStackBytes));
        changeStack(&m_home, &m_own);
        STAGELENS_TELL_ASAN(__sanitizer_finish_switch_fiber(m_homeFake, nullptr, nullptr));
    }
    void begun() { STAGELENS_TELL_ASAN(__sanitizer_finish_switch_fiber(nullptr, &m_homeStack, &m_homeBytes)); }
    /// Called inside the fibre: returns to its resumer.
    void suspend()
    {
        STAGELENS_TELL_ASAN(__sanitizer_start_switch_fiber(&m_ownFake, m_homeStack, m_homeBytes));
        changeStack(&m_own, &m_home);
        STAGELENS_TELL_ASAN(__sanitizer_finish_switch_fiber(m_ownFake, &m_homeStack, &m_homeBytes));
    }
    void end()
    {
        STAGELENS_TELL_ASAN(__sanitizer_start_switch_fiber(nullptr, m_homeStack, m_homeBytes));
        changeStack(&m_own, &m_home);
    }

private:
    static constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

    std::byte *m_stack;
    Place m_own{};
    Place m_home{};
    [[maybe_unused]] void *m_ownFake = nullptr;
    [[maybe_unused]] void *m_homeFake = nullptr;
    [[maybe_unused]] const void *m_homeStack = nullptr;
    [[maybe_unused]] std::size_t m_homeBytes = 0;
};

} // namespace stagelens::kernels::gpu::host
