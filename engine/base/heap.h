// Returns freed memory to the system.
#pragma once

namespace stagelens::base {

/// Returns freed memory to the system: after work on a large plan the allocator would keep hundreds of megabytes. Takes
/// milliseconds; does nothing if the C library has no such call.
void returnFreedMemory();

/// Sets two thresholds of the allocator for the whole process: blocks above 8 MiB are mapped, so that they return to the system
/// as soon as they are freed, and a heap keeps at most 16 MiB of freed memory at its top. By default, glibc raises both
/// thresholds when it frees the first large block. Does nothing if the C library has no such settings.
void keepLargeBlocksApart();

} // namespace stagelens::base
