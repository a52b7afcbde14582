// What every pass of a device works with.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/device_memory.h"
#include "engine/runtime/shape.h"

namespace stagelens::runtime {

/// Scratch that no pass leaves anything in, and the family's constants.
struct Workspace {
    backend::Buffer wide;      ///< [b s, max(ffn, width of queries, keys and values)]
    backend::Buffer narrow;    ///< [b s, h]
    backend::Buffer attention; ///< kernels::attentionScratch
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
};

} // namespace stagelens::runtime
