// Returns freed memory to the system.
#pragma once

namespace stagelens::base {

/// Returns freed memory to the system: after work on a large plan the allocator would keep hundreds of megabytes. Takes
/// milliseconds; does nothing if the C library has no such call.
void returnFreedMemory();

/// Makes blocks of more than 8 MiB mappings of their own from here on, so that each returns to the system when it is freed,
/// whoever frees it and whenever, and keeps at most 16 MiB of freed memory at the end of a heap; the allocator would else learn
/// from the first large block to keep the next. Does nothing if the C library has no such settings.
void keepLargeBlocksApart();

} // namespace stagelens::base
