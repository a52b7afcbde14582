// What every pass of a device works with.
#pragma once

#include "engine/backend/memory.h"
#include "engine/runtime/shape.h"
#include "kernels/include/interrupt.h"

#include <algorithm>

namespace stagelens::runtime {

/// Scratch that no pass leaves anything in, and the family's constants.
struct Workspace {
    backend::Buffer wide;      ///< [b s, max(ffn, width of queries, keys and values)]
    backend::Buffer narrow;    ///< [b s, h]
    backend::Buffer attention; ///< kernels::attentionScratch
    backend::Buffer constants; ///< Architecture::constantFloats

    Workspace(backend::Pool &pool, const Shape &shape);
    [[nodiscard]] static std::int64_t wideFloats(const Shape &shape)
    {
        return shape.tokens() * std::max(shape.ffn, shape.attention().qkvWidth());
    }
    /// Floats of the whole.
    [[nodiscard]] static std::int64_t floats(const Shape &shape);
};

/// Belongs to one device, and to the thread that runs it.
struct Context {
    const Shape &shape;
    backend::Pool &pool;
    Workspace &workspace;
    kernels::Interrupt interrupt;
};

} // namespace stagelens::runtime
