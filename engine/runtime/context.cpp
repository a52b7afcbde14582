#include "engine/runtime/context.h"

#include "engine/runtime/architecture.h"

namespace stagelens::runtime {

Workspace::Workspace(backend::Pool &pool, const Shape &shape)
{
    const auto take = [&pool](std::int64_t floats) {
        return pool.take(size(floats), category(simulate::MemoryCategory::Workspace));
    };
    wide = take(wideFloats(shape));
    narrow = take(shape.boundary());
    attention = take(kernels::attentionScratch(shape.attention()));
    constants = take(shape.architecture->constantFloats(shape));
    shape.architecture->fillConstants(constants.data(), shape);
}

std::int64_t Workspace::floats(const Shape &shape)
{
    return wideFloats(shape) + shape.boundary() + kernels::attentionScratch(shape.attention()) +
           shape.architecture->constantFloats(shape);
}

} // namespace stagelens::runtime
