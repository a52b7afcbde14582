// A stack of its own that takes turns with the thread which resumes it; AddressSanitizer is told of each change.
#pragma once

#include <cstddef>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STAGELENS_TELL_ASAN(call) call
#else
#define STAGELENS_TELL_ASAN(call) static_cast<void>(0)
#endif

namespace stagelens::kernels::gpu::host {

class Fibre {
public:
    /// Prepares to run `entry`, which begins with begun() and whose last statement is ending().
    void prepare(std::byte *stack, std::size_t bytes, void (*entry)())
    {
        m_stack = stack;
        m_bytes = bytes;
        getcontext(&m_own);
        m_own.uc_stack.ss_sp = stack;
        m_own.uc_stack.ss_size = bytes;
        m_own.uc_link = &m_home;
        makecontext(&m_own, entry, 0);
        // Its own swapcontext() would clear what it knows of the whole stack at each change; told by us, it need not.
        STAGELENS_TELL_ASAN(m_own.uc_stack.ss_size = 0);
        STAGELENS_TELL_ASAN(__asan_unpoison_memory_region(stack, bytes));
    }
    /// Runs the fibre until it suspends or ends.
    void resume()
    {
        STAGELENS_TELL_ASAN(__sanitizer_start_switch_fiber(&m_homeFake, m_stack, m_bytes));
        swapcontext(&m_home, &m_own);
        STAGELENS_TELL_ASAN(__sanitizer_finish_switch_fiber(m_homeFake, nullptr, nullptr));
    }
    /// From inside: back to who resumed it.
    void suspend()
    {
        STAGELENS_TELL_ASAN(__sanitizer_start_switch_fiber(&m_ownFake, m_homeStack, m_homeBytes));
        swapcontext(&m_own, &m_home);
        STAGELENS_TELL_ASAN(__sanitizer_finish_switch_fiber(m_ownFake, &m_homeStack, &m_homeBytes));
    }
    void begun() { STAGELENS_TELL_ASAN(__sanitizer_finish_switch_fiber(nullptr, &m_homeStack, &m_homeBytes)); }
    void ending() { STAGELENS_TELL_ASAN(__sanitizer_start_switch_fiber(nullptr, m_homeStack, m_homeBytes)); }

private:
    ucontext_t m_own{};
    ucontext_t m_home{};
    std::byte *m_stack = nullptr;
    std::size_t m_bytes = 0;
    [[maybe_unused]] void *m_ownFake = nullptr;
    [[maybe_unused]] void *m_homeFake = nullptr;
    [[maybe_unused]] const void *m_homeStack = nullptr;
    [[maybe_unused]] std::size_t m_homeBytes = 0;
};

} // namespace stagelens::kernels::gpu::host
