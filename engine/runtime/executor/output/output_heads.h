// Output heads that predict tokens further ahead. Head j of a token has no label if the sequence ends before: such rows of the
// output layer are 0, so that they change no gradient, and the loss leaves them out.
#pragma once

#include "engine/runtime/layers/context.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Returns the labels of all heads of each token, [tokens, K], from the next tokens of whole sequences; 0 where there is none.
[[nodiscard]] std::vector<std::int32_t> headLabels(std::span<const std::int32_t> next, std::int64_t sequence,
                                                   std::int64_t heads);
/// Sets the rows without a label to 0. `rows`: of the output layer, for `tokens` tokens of the context rank from `first` on.
void clearUnlabelled(Values rows, std::int64_t first, std::int64_t tokens, const Context &context);
/// Returns the sum of the losses of the labels of the first `counted` tokens of a rank's vocabulary layers, whose rows without
/// a label are 0. `first`: of these tokens among those of the context rank.
[[nodiscard]] double lossOfHeads(const kernels::SoftmaxStatistics &all, std::int64_t first, std::int64_t counted,
                                 const Context &context);

} // namespace stagelens::runtime
