#include "engine/runtime/executor/context.h"

#include <algorithm>

namespace stagelens::runtime {

Workspace::Workspace(backend::Pool &pool, const Shape &shape, std::int64_t rebuilt, backend::Compute &compute)
{
    const auto allocate = [&pool](std::int64_t floats) {
        return pool.allocate(size(floats), category(simulate::MemoryCategory::Workspace));
    };
    for (const std::int64_t width : shape.layer->recipe.scratch)
        scratch.push_back(allocate(shape.floats(shape.tokens() * width)));
    if (shape.precision == base::Precision::Fp32)
        attention = allocate(kernels::attentionScratch(shape.attention()));
    std::vector<float> values(size(shape.constantFloats()));
    if (!values.empty())
        kernels::rotaryAngles(values.data(), shape.sequence, shape.headSize, shape.rotation);
    constants = allocate(static_cast<std::int64_t>(values.size()));
    compute.write(constants.data(), static_cast<std::int64_t>(values.size()),
                  [&values](std::span<float> block, std::int64_t first) {
                      std::copy_n(values.data() + first, block.size(), block.data());
                  });
    if (rebuilt > 0)
        recomputed = allocate(rebuilt);
}

} // namespace stagelens::runtime
