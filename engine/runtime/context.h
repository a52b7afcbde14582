// What every pass of a device works with.
#pragma once

#include "engine/backend/memory.h"
#include "engine/runtime/shape.h"
#include "kernels/include/interrupt.h"

#include <algorithm>

namespace stagelens::runtime {

/// Scratch that no pass leaves anything in.
struct Workspace {
    backend::Buffer wide;      ///< [b s, max(ffn, 3 h)]
    backend::Buffer narrow;    ///< [b s, h]
    backend::Buffer attention; ///< kernels::attentionScratch

    Workspace(backend::Pool &pool, const Shape &shape)
        : wide(pool.take(size(wideFloats(shape)), category(simulate::MemoryCategory::Workspace))),
          narrow(pool.take(size(shape.boundary()), category(simulate::MemoryCategory::Workspace))),
          attention(
              pool.take(size(kernels::attentionScratch(shape.attention())), category(simulate::MemoryCategory::Workspace)))
    {}
    [[nodiscard]] static std::int64_t wideFloats(const Shape &shape)
    {
        return shape.tokens() * std::max(shape.ffn, 3 * shape.hidden);
    }
    /// Floats of the whole.
    [[nodiscard]] static std::int64_t floats(const Shape &shape)
    {
        return wideFloats(shape) + shape.boundary() + kernels::attentionScratch(shape.attention());
    }
};

/// Belongs to one device, and to the thread that runs it.
struct Context {
    const Shape &shape;
    backend::Pool &pool;
    Workspace &workspace;
    kernels::Interrupt interrupt;
};

} // namespace stagelens::runtime
