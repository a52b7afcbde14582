#include "engine/runtime/layers/context.h"

#include "engine/runtime/memory/gpu_memory.h"

#include <algorithm>

namespace stagelens::runtime {

Workspace::Workspace(backend::Pool &pool, const Shape &shape, int contextRank, std::int64_t rebuilt, backend::Compute &compute)
{
    const auto allocate = [&pool](std::int64_t floats) {
        return pool.allocate(size(floats), category(simulate::MemoryCategory::Workspace));
    };
    for (const std::int64_t width : shape.layer->recipe.scratch)
        scratch.push_back(allocate(shape.floats(shape.tokens() * width)));
    if (shape.precision == base::Precision::Fp32)
        attention = allocate(kernels::attentionScratch(shape.attention(contextRank)));
    std::vector<float> values(size(shape.constantFloats()));
    if (!values.empty()) {
        std::vector<float> all(size(shape.wholeSequence() * shape.headSize));
        kernels::rotaryAngles(all.data(), shape.wholeSequence(), shape.headSize, shape.rotation);
        shape.contextCut(contextRank)
            .eachRun({0, shape.wholeSequence() / shape.split.context}, [&](auto row, auto position, auto rows) {
                std::copy_n(all.data() + position * shape.headSize, rows * shape.headSize,
                            values.data() + row * shape.headSize);
            });
    }
    constants = allocate(static_cast<std::int64_t>(values.size()));
    compute.write(constants.data(), static_cast<std::int64_t>(values.size()),
                  [&values](std::span<float> block, std::int64_t first) {
                      std::copy_n(values.data() + first, block.size(), block.data());
                  });
    compute.reserveRounded(roundedNumbers(shape));
    if (rebuilt > 0)
        recomputed = allocate(rebuilt);
    if (!shape.packsActivations())
        return;
    if (!shape.areAllWhole)
        saved = allocate(shape.layer->partly.kept.floats);
    for (backend::Buffer &input : inputs)
        input = allocate(shape.floats(shape.boundary()));
    stageInput = allocate(shape.floats(shape.boundary()));
}

} // namespace stagelens::runtime
