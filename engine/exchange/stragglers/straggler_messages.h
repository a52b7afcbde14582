// Which rows of a straggler trace are the two ends of each message. Internal to the import.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/stragglers/straggler_groups.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace stagelens::exchange {

/// The rows of a message, as their numbers among the rows of that operation and end of a worker; -1: not recorded. Passes are
/// positions in the order of their device.
struct MessageRows {
    simulate::JobOperation operation = simulate::JobOperation::ForwardTransfer;
    int sender = 0;   ///< device
    int receiver = 0; ///< device
    std::size_t sendingPass = 0;
    std::size_t receivingPass = 0;
    std::int32_t send = -1;
    std::int32_t receive = -1;
};

/// Finds the messages that the first step and replica recorded; by the microbatches of their rows, or, if those are not
/// given, by their order: the n-th row belongs to the n-th forward or backward. Rows of profilers that record sends and
/// receives which were not launched, at the begin and end of a step and at the ends of the model, belong to none. Fails if a
/// worker has another number of rows than passes.
[[nodiscard]] base::Result<std::vector<MessageRows>> messagesOf(const StragglerGroups &groups,
                                                                const schedule::Schedule &schedule);

} // namespace stagelens::exchange
