// Returns freed memory to the system.
#pragma once

namespace stagelens::base {

/// Returns freed memory to the system: after work on a large plan the allocator would keep hundreds of megabytes. Takes
/// milliseconds; does nothing if the C library has no such call.
void returnFreedMemory();

} // namespace stagelens::base
