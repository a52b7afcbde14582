// The published order of V-Half with vocabulary passes.
#pragma once

#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// Inserts S, (U,) T, EF and EB into V-Half's pattern at times that device 0 determines, which has both the first and the last
/// stage (arXiv 2411.05288, appendix D). S runs one backward after the last stage's F, U and T with the S of the next
/// microbatches, EF one interval before the first stage's F, and EB one interval after its backward. The pattern has one more
/// interval for each barrier, W fills its free slots, and fill and drain are not reordered. The times assume F = I = W,
/// whatever the costs. The paper describes Vocab1; the other methods differ by their number of barriers.
[[nodiscard]] std::vector<std::vector<Pass>> vHalfWithStamps(const LayerOrder &pattern, int microbatches, int barriers);

} // namespace stagelens::schedule
