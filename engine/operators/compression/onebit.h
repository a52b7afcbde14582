// The exchange of momentum of 1-bit Adam (arXiv 2102.02888) for one matrix. The runtime and tests call it in this order.
#pragma once

#include "engine/operators/compression/compression.h"

#include <cstdint>
#include <span>

namespace stagelens::operators {

/// A matrix whose momentum is exchanged, in the memory of a device, row after row.
struct ServedPart {
    PartShape shape;
    float *gradient = nullptr;       ///< of the replica; becomes the momentum that all replicas take
    const float *momentum = nullptr; ///< of the step before, equal in all replicas
    float *residual = nullptr;       ///< what the replica has not sent
    float *served = nullptr;         ///< what it has not sent as a server: ServedCut::count() numbers of its part
};

/// Adds beta1 momentum + (1 - beta1) gradient to the residual, and writes signs of each server's part to its message: one scale
/// for the whole matrix, the root of the mean square. `messages`: by server, ServedCut::floats() each.
void sendMomentum(const ServedPart &part, float beta1, std::span<float *const> messages, CompressionKernels &kernels);
/// Averages the messages of all replicas to the server `own`, and writes the signs of the mean to `result`.
void serveMomentum(const ServedPart &part, int own, std::span<float *const> messages, float *result,
                   CompressionKernels &kernels);
/// Writes what the results of all servers say to the gradient.
void takeMomentum(const ServedPart &part, std::span<float *const> results, CompressionKernels &kernels);

} // namespace stagelens::operators
