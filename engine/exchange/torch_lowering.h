// From a schedule to PyTorch's "compute_comms": the passes with their messages, in the order in which PyTorch puts them.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/torch_csv.h"
#include "engine/schedule/schedule.h"

namespace stagelens::exchange {

/// What is added to the passes.
enum class TorchLowering : std::uint8_t {
    Messages, ///< sends and receives (PyTorch's _add_send_recv) alone
    Full, ///< what its runtime runs by default: before them UNSHARD and RESHARD of the next three stages (_add_unshard_reshard)
          ///< and REDUCE_GRAD behind a stage's last gradient (_add_reduce_grad)
};

/// The compute_comms files that a PyTorch reads: since 2.15 each send and each reduction of gradients needs its wait, which
/// earlier ones do not know.
enum class TorchRelease : std::uint8_t { UpTo2_14, Since2_15 };

/// PyTorch lowers rank after rank, round after round: in each round a rank emits its next action if its input is there, then
/// the send of its result, and puts the receive into the peer's row at that moment. Stages on one rank exchange no messages.
/// Where several stages are resharded at once, they go in the order of their UNSHARD; up to 2.14 in ascending order, where
/// PyTorch's follow the hash order of a Python set.
/// O(passes log devices). InvalidInput "schedule" where the ranks wait for each other, and what torchCsvOf refuses.
[[nodiscard]] base::Result<TorchCsv> lowered(const schedule::Schedule &schedule, TorchLowering lowering = TorchLowering::Full,
                                             TorchRelease release = TorchRelease::Since2_15);

} // namespace stagelens::exchange
