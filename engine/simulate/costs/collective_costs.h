// Times of collectives among some ranks of a cluster: from measured tables where the hardware has them.
#pragma once

#include "engine/base/units.h"
#include "engine/layout/mesh.h"
#include "engine/model/presets.h"

namespace stagelens::simulate {

using GroupCollective = model::Collective;

/// Returns the bytes that a rank sends in a ring of n ranks (nccl-tests, doc/PERFORMANCE.md): 2 (n - 1) / n of the whole tensor
/// for an all-reduce, half of that for the others.
[[nodiscard]] double bytesSent(GroupCollective collective, int ranks, double bytes);

/// Returns the seconds of a collective among `ranks`, which lie on the nodes as `span` says, over a tensor of `bytes` in all:
/// of an all-gather what each rank has in the end, of an all-to-all what each rank holds. Any operation of any layout has a
/// time:
/// - A table of the operation, ranks and nodes gives the time at that size: log-log between its points, the time of the first
///   point below it, the rate of the last beyond it.
/// - Without one, the table of the nearest number of ranks (inside a node) or nodes gives the bus rate at that size. Operations
///   without tables use those of related operations; inside a node, at most at Hardware::ringBusRate.
/// - Between nodes the ranks of a node exchange among themselves, each then exchanges its part over the network, and the slower
///   of the two counts, for the parts of a long message overlap. Devices that share an adapter share its rate. In an all-to-all
///   each rank sends all that is for other nodes itself.
/// - Without any table: latency, and the bytes over the rate of the link.
[[nodiscard]] double collectiveSeconds(const model::Hardware &hardware, GroupCollective collective, int ranks,
                                       const layout::NodeSpan &span, double bytes);

} // namespace stagelens::simulate
