#include "engine/runtime/context.h"

#include "engine/runtime/architecture.h"

#include <algorithm>

namespace stagelens::runtime {

Workspace::Workspace(backend::Pool &pool, const Shape &shape, bool recomputes)
{
    const auto take = [&pool](std::int64_t floats) {
        return pool.take(size(floats), category(simulate::MemoryCategory::Workspace));
    };
    wide = take(shape.tokens() * std::max(shape.ffn, shape.attention().qkvWidth()));
    narrow = take(shape.boundary());
    attention = take(kernels::attentionScratch(shape.attention()));
    constants = take(shape.architecture->constantFloats(shape));
    shape.architecture->fillConstants(constants.data(), shape);
    if (recomputes)
        again = take(savedFloats(shape));
}

} // namespace stagelens::runtime
