// What the process gives back to the system.
#pragma once

namespace stagelens::base {

/// Gives freed memory back: after work on a large plan the allocator would keep hundreds of megabytes for the next one. Takes
/// milliseconds; does nothing where the C library knows no such call.
void returnFreedMemory();

} // namespace stagelens::base
