// What a test says to the mock of NCCL (mock_nccl.cpp). C's names, for the plug-in of the tests is loaded.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default) // the plug-in hides what it does not export
extern "C" {

/// How a rank of the mock fails.
enum StagelensMockFault : int {
    kMockLost = 1, ///< its connection breaks; the others are told, as NCCL does where it can see it
    kMockHung = 2, ///< nothing of it moves any more, and nobody is told
};
/// The rank fails when it has begun so many more sends and receives; a negative number: it does not. Of communicators made
/// before or after.
void stagelensFailMockNccl(int rank, int operations, int fault);
/// Messages that have gone from one rank to another, ever.
[[nodiscard]] std::int64_t stagelensMockNcclMessages();
/// Communicators that have been neither destroyed nor aborted.
[[nodiscard]] int stagelensMockNcclOpen();
}
#pragma GCC visibility pop
