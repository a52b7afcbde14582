// Times of collectives among some ranks of a cluster, from measured tables if the hardware has them.
#pragma once

#include "engine/base/units.h"
#include "engine/layout/mesh.h"
#include "engine/model/presets.h"

namespace stagelens::simulate {

using GroupCollective = model::Collective;

/// Returns the bytes that a rank sends in a ring of n ranks (nccl-tests, doc/PERFORMANCE.md): 2 (n - 1) / n of the whole tensor
/// for an all-reduce, half of that for the others.
[[nodiscard]] double bytesSent(GroupCollective collective, int ranks, double bytes);

/// Returns the seconds of a collective among `ranks`, which are placed on the nodes as in `span`, over a tensor of `bytes` in
/// all: for an all-gather the bytes that each rank has at the end, for an all-to-all those that each rank holds. There is a
/// time for any operation and layout:
/// - A table of the operation, ranks and nodes gives the time at that size: log-log between its points, the time of the first
///   point below it, the rate of the last above it.
/// - Without one, the table of the nearest number of ranks (inside a node) or nodes gives the bus rate at that size. Operations
///   without tables use those of related operations; inside a node, at most at Hardware::ringBusRate.
/// - Between nodes, the ranks of a node exchange among themselves and each exchanges its part over the network. The slower
///   phase counts, because the parts of a long message overlap. Devices that share an adapter share its rate. In an all-to-all
///   each rank itself sends all data for other nodes.
/// - Without any table: latency plus bytes divided by the rate of the link.
[[nodiscard]] double collectiveSeconds(const model::Hardware &hardware, GroupCollective collective, int ranks,
                                       const layout::NodeSpan &span, double bytes);

/// Returns the seconds of an all-to-all of ranks on `span` in which each rank sends `between` bytes to other nodes, whose ranks
/// forward them: `inside` are the bytes that each rank holds for the ranks of its node. The slower phase counts, because the
/// parts of a long message overlap.
[[nodiscard]] double forwardedSeconds(const model::Hardware &hardware, const layout::NodeSpan &span, double between,
                                      double inside);

} // namespace stagelens::simulate
