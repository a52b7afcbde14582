// Lowers a schedule to PyTorch's "compute_comms": the passes with their messages, in PyTorch's order.
#pragma once

#include "engine/base/result.h"
#include "engine/exchange/torch_csv.h"
#include "engine/schedule/schedule.h"

namespace stagelens::exchange {

/// The actions added to the passes.
enum class TorchLowering : std::uint8_t {
    Messages, ///< sends and receives (PyTorch's _add_send_recv) alone
    Replicas, ///< these, and REDUCE_GRAD behind a stage's last gradient (_add_reduce_grad): replicas with whole parameters
    Full, ///< what its runtime runs by default: before them UNSHARD and RESHARD of the next three stages (_add_unshard_reshard)
          ///< and REDUCE_GRAD behind a stage's last gradient (_add_reduce_grad)
};

/// The format of compute_comms files: since PyTorch 2.15 each send and each reduction of gradients needs a wait action, which
/// earlier releases do not know.
enum class TorchRelease : std::uint8_t { UpTo2_14, Since2_15 };

/// PyTorch lowers in rounds over the ranks. In each round a rank emits its next action if its input is available, then the send
/// of its result, and adds the receive to the peer's row at that moment. Stages on one rank exchange no messages. Several
/// stages resharded at once follow the order of their UNSHARD; up to 2.14 ascending order, where PyTorch uses the hash order of
/// a Python set. O(passes log devices). Fails with InvalidInput "schedule" if the ranks wait for each other, and as
/// torchCsvOf() does.
[[nodiscard]] base::Result<TorchCsv> lowered(const schedule::Schedule &schedule, TorchLowering lowering = TorchLowering::Full,
                                             TorchRelease release = TorchRelease::Since2_15);

} // namespace stagelens::exchange
