// The tensor, context and expert ranks of a device that one thread runs in turn.
#pragma once

#include "engine/runtime/executor/device.h"

#include <span>

namespace stagelens::runtime {

/// Computes a pass on every rank of a gang, which must have begun it (Device::beginCompute): each rank in turn up to an
/// exchange, then each round of the exchange. Returns how long that takes if the ranks work at the same time: the sum, over
/// launches and exchanges, of the time of the slowest rank. Ranks in other processes take part in the exchanges.
[[nodiscard]] base::Result<base::Nanos> computeTogether(std::span<Device *const> gang, std::span<PassRun *const> runs);

} // namespace stagelens::runtime
