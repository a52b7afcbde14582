// The sanitizers of the build, for tests that depend on them.
#pragma once

namespace stagelens::test {

/// Under a sanitizer everything takes several times as long, and fibres more: rows of one kind say no more than one of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

} // namespace stagelens::test
