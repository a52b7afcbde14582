// Times of collectives among some ranks of a cluster: from measured tables where the hardware has them.
#pragma once

#include "engine/base/units.h"
#include "engine/layout/mesh.h"
#include "engine/model/presets.h"

namespace stagelens::simulate {

enum class GroupCollective : unsigned char { AllReduce, ReduceScatter, AllGather };

/// Returns the bytes that a rank sends in a ring of n ranks (nccl-tests, doc/PERFORMANCE.md): 2 (n - 1) / n of the whole tensor
/// for an all-reduce, half of that for the others.
[[nodiscard]] double bytesSent(GroupCollective collective, int ranks, double bytes);

/// Returns the seconds of a collective over a tensor of `bytes` in all. Inside a node the measured bus rate at that size,
/// interpolated between the logarithms of table sizes, serves groups of any number of ranks; between nodes the ranks of a node
/// reduce among themselves, each then exchanges its part over a network adapter of its own, and the slower of the two parts
/// counts, for the parts of a long message overlap. Without a table: latency, and the bytes over the rate of the link.
[[nodiscard]] double collectiveSeconds(const model::Hardware &hardware, GroupCollective collective, int ranks,
                                       const layout::NodeSpan &span, double bytes);

} // namespace stagelens::simulate
