// What every pass of a device works with.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/architectures/shape.h"
#include "engine/runtime/memory/device_memory.h"

namespace stagelens::runtime {

using backend::ConstValues;
using backend::Values;

/// Scratch that no pass leaves anything in, and the family's constants.
struct Workspace {
    backend::Buffer wide;      ///< [b s, max(h, ffn, width of queries, keys and values)]
    backend::Buffer narrow;    ///< [b s, max(h, width of queries)]
    backend::Buffer attention; ///< kernels::attentionScratch in fp32
    backend::Buffer constants; ///< Architecture::constantFloats
    backend::Buffer again;     ///< what a layer keeps, where that is recomputed in each pass

    Workspace(backend::Pool &pool, const Shape &shape, bool recomputes, backend::Compute &compute);
};

/// Belongs to one device, and to the thread that runs it.
struct Context {
    const Shape &shape;
    DeviceMemory &memory;
    Workspace &workspace;
    backend::Compute &compute;

    [[nodiscard]] Values wide() const { return values(workspace.wide.data()); }
    [[nodiscard]] Values narrow() const { return values(workspace.narrow.data()); }
    /// A planned tensor in the run's precision; see DeviceMemory::at().
    [[nodiscard]] Values at(simulate::BufferKind kind, int stage, int microbatch) const
    {
        return values(memory.at(kind, stage, microbatch));
    }
    [[nodiscard]] Values of(const backend::Tensor &message) const { return values(message->data()); }
    [[nodiscard]] Values values(float *address) const { return {address, shape.precision}; }
    /// A [b s, h] tensor to give away.
    [[nodiscard]] backend::Tensor newMessage() const { return memory.takeMessage(shape.floats(shape.boundary())); }
};

} // namespace stagelens::runtime
