// Configures the mock of NCCL (mock_nccl.cpp). Has C linkage, because the plug-in of the tests is loaded at run time.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default) // the plug-in hides what it does not export
extern "C" {

/// How a rank of the mock fails.
enum StagelensMockFault : int {
    kMockLost = 1, ///< its connection breaks, and the other ranks get an error, as from NCCL if it can detect the loss
    kMockHung = 2, ///< it hangs, and no rank gets an error
};
/// Makes the rank fail after it has begun that many more sends and receives; negative: never. Applies to existing and new
/// communicators.
void stagelensFailMockNccl(int rank, int operations, int fault);
/// Returns the total number of messages between ranks.
[[nodiscard]] std::int64_t stagelensMockNcclMessages();
/// Returns the number of communicators that were neither destroyed nor aborted.
[[nodiscard]] int stagelensMockNcclOpen();
}
#pragma GCC visibility pop
