// The published order of V-Half with vocabulary passes.
#pragma once

#include "engine/schedule/order/layer_order.h"

#include <vector>

namespace stagelens::schedule {

/// Puts S, (U,) T, EF and EB into V-Half's pattern at times that device 0 gives, which has both the first and the last stage
/// (arXiv 2411.05288, appendix D): S a backward's time after the last stage's F, U and T with the S of the next microbatches,
/// EF an interval before the first stage's F, EB an interval after its backward. The pattern has an interval more for each
/// barrier, its W stand where it left a place, and neither filling nor draining is reordered. The times are those of F, I and W
/// of equal length, whatever the costs. The paper has it for Vocab1; the others follow by their number of barriers.
[[nodiscard]] std::vector<std::vector<Pass>> vHalfWithStamps(const LayerOrder &pattern, int microbatches, int barriers);

} // namespace stagelens::schedule
