// The sanitizers of the build, and what tests leave out under them.
#pragma once

#include <cmath>
#include <numbers>

namespace stagelens::test {

/// Under a sanitizer everything takes several times as long, and fibres more: rows of one kind say no more than one of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// ThreadSanitizer looks at what threads do to each other, and numbers that differ do not change that.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kIsThreadSanitized = true;
#else
inline constexpr bool kIsThreadSanitized = false;
#endif

/// In a test of numbers or bytes, whose threads are those of other tests.
#define STAGELENS_NOT_UNDER_TSAN()                                                                                             \
    do {                                                                                                                       \
        if constexpr (stagelens::test::kIsThreadSanitized)                                                                     \
            QSKIP("its threads are those of other tests");                                                                     \
    } while (false)

/// In a test of numbers or bytes whose code, with its accesses to memory, is that of other tests.
#define STAGELENS_NOT_SANITIZED()                                                                                              \
    do {                                                                                                                       \
        if constexpr (stagelens::test::kIsSanitized)                                                                           \
            QSKIP("its code is that of other tests");                                                                          \
    } while (false)

/// Chooses among combinations that are alike: all of them, a seventh under ASan, a tenth under ThreadSanitizer. Multiples of
/// the golden ratio spread evenly, whatever the loops around them repeat.
class Sample {
public:
    /// Turn 0 is chosen; of several samples, each can begin elsewhere.
    explicit Sample(int begin = 0) : m_turn(begin) {}
    [[nodiscard]] bool leavesOut()
    {
        const double turns = std::numbers::phi * m_turn++;
        return turns - std::floor(turns) >= kShare;
    }

private:
    static constexpr double kShare = kIsThreadSanitized ? 0.1 : kIsSanitized ? 0.15 : 1;
    int m_turn;
};

} // namespace stagelens::test
