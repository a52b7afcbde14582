#include "engine/runtime/executor/context.h"

#include "engine/runtime/architectures/architecture.h"

#include <algorithm>

namespace stagelens::runtime {

Workspace::Workspace(backend::Pool &pool, const Shape &shape, bool recomputes, backend::Compute &compute)
{
    const auto allocate = [&pool](std::int64_t floats) {
        return pool.allocate(size(floats), category(simulate::MemoryCategory::Workspace));
    };
    wide = allocate(shape.floats(shape.tokens() * std::max({shape.hidden, shape.ffn, shape.attention().qkvWidth()})));
    narrow = allocate(shape.floats(shape.tokens() * std::max(shape.hidden, shape.attention().width())));
    if (shape.precision == base::Precision::Fp32)
        attention = allocate(kernels::attentionScratch(shape.attention()));
    std::vector<float> values(size(shape.architecture->constantFloats(shape)));
    shape.architecture->fillConstants(values.data(), shape);
    constants = allocate(static_cast<std::int64_t>(values.size()));
    compute.write(constants.data(), static_cast<std::int64_t>(values.size()),
                  [&values](std::span<float> block, std::int64_t first) {
                      std::copy_n(values.data() + first, block.size(), block.data());
                  });
    if (recomputes)
        recomputed = allocate(savedFloats(shape));
}

} // namespace stagelens::runtime
