// The tensor sizes of a microbatch.
#pragma once

#include "engine/backend/memory.h"
#include "engine/model/accounting.h"
#include "engine/model/experiment.h"
#include "engine/simulate/memory.h"
#include "kernels/include/attention.h"
#include "kernels/include/rotary.h"

#include <cstdint>

namespace stagelens::runtime {

class Architecture;
/// Returns the architecture of a family; there is one instance per family.
[[nodiscard]] const Architecture &architectureOf(model::ModelFamily family);

/// The arguments of all kernels.
struct Shape {
    const Architecture *architecture;
    std::int64_t batch = 0; ///< sequences of a microbatch
    std::int64_t sequence = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t ffn = 0;
    std::int64_t vocabulary = 0;
    std::int64_t microbatches = 0;
    std::int64_t headSize = 0;
    float normEpsilon = 0;        ///< of RMSNorm
    kernels::RotaryRule rotation; ///< of rotary positions
    base::Precision precision;    ///< of weights as kernels read them, activations and messages

    explicit Shape(const model::Experiment &experiment)
        : architecture(&architectureOf(experiment.model.family)), batch(experiment.parallel.microbatchSize),
          sequence(experiment.model.sequence), hidden(experiment.model.hidden), heads(experiment.model.heads),
          kvHeads(experiment.model.kvHeads), ffn(experiment.model.ffn), vocabulary(experiment.model.vocabularySize),
          microbatches(experiment.parallel.microbatches), headSize(experiment.model.headSize()),
          normEpsilon(static_cast<float>(experiment.model.rmsNormEpsilon)), rotation(rotationOf(experiment.model)),
          precision(model::enginePrecision(experiment))
    {}

    [[nodiscard]] static kernels::RotaryRule rotationOf(const model::ModelConfig &model)
    {
        kernels::RotaryRule rule{model.ropeTheta};
        if (const auto &scaling = model.ropeScaling)
            rule.scaling = {scaling->factor, scaling->lowFrequencyFactor, scaling->highFrequencyFactor,
                            static_cast<double>(scaling->originalSequence)};
        return rule;
    }
    [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }
    [[nodiscard]] std::int64_t boundary() const { return tokens() * hidden; } ///< numbers of a [b s, h] tensor
    /// Returns the floats that a tensor of `numbers` occupies.
    [[nodiscard]] std::int64_t floats(std::int64_t numbers) const { return base::floatsOf(numbers, precision); }
    /// Returns the weight of a token in the loss of the step, which is the mean over all tokens.
    [[nodiscard]] float tokenWeight() const { return 1.0F / static_cast<float>(microbatches * tokens()); }
    [[nodiscard]] kernels::AttentionShape attention() const { return {batch, sequence, heads, kvHeads, headSize}; }
};

[[nodiscard]] constexpr std::size_t size(std::int64_t count)
{
    return static_cast<std::size_t>(count);
}
[[nodiscard]] constexpr std::uint8_t category(simulate::MemoryCategory use)
{
    return static_cast<std::uint8_t>(use);
}
static_assert(backend::kCategories == simulate::kMemoryCategoryCount);
static_assert(backend::kMessages == category(simulate::MemoryCategory::Communication));

} // namespace stagelens::runtime
