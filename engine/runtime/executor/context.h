// The memory and kernels that the passes of a device use.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/architectures/shape.h"
#include "engine/runtime/memory/device_memory.h"

namespace stagelens::runtime {

using backend::ConstValues;
using backend::Values;

/// Scratch memory, which is not preserved between passes, and the constants of the architecture.
struct Workspace {
    backend::Buffer wide;       ///< [b s, max(h, ffn, width of queries, keys and values)]
    backend::Buffer narrow;     ///< [b s, max(h, width of queries)]
    backend::Buffer attention;  ///< kernels::attentionScratch in fp32
    backend::Buffer constants;  ///< Architecture::constantFloats
    backend::Buffer recomputed; ///< saved tensors of a layer if every pass recomputes them

    Workspace(backend::Pool &pool, const Shape &shape, bool recomputes, backend::Compute &compute);
};

/// Used by the thread of its device.
struct Context {
    const Shape &shape;
    DeviceMemory &memory;
    Workspace &workspace;
    backend::Compute &compute;

    [[nodiscard]] Values wide() const { return values(workspace.wide.data()); }
    [[nodiscard]] Values narrow() const { return values(workspace.narrow.data()); }
    /// Returns a planned tensor in the precision of the run; see DeviceMemory::at().
    [[nodiscard]] Values at(simulate::BufferKind kind, int stage, int microbatch) const
    {
        return values(memory.at(kind, stage, microbatch));
    }
    [[nodiscard]] Values of(const backend::Tensor &message) const { return values(message->data()); }
    [[nodiscard]] Values values(float *address) const { return {address, shape.precision}; }
    /// Allocates a [b s, h] message.
    [[nodiscard]] backend::Tensor newMessage() const { return memory.allocateMessage(shape.floats(shape.boundary())); }
};

} // namespace stagelens::runtime
