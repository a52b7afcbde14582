// The tokens of one step, or of the steps between which the pipeline does not drain.
#pragma once

#include "engine/runtime/data/token_source.h"
#include "engine/runtime/plan/shape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Inputs and labels (the next tokens) of every microbatch of a step, each [sequences, sequence]. Microbatch i of replica k of
/// d is microbatch i d + k of the step, so that steps with equal m d have equal tokens.
class Batch {
public:
    explicit Batch(const Shape &shape)
        : m_tokens(size(shape.wholeTokens())), m_counted(shape.wholeTokens()), m_ofStep(size(shape.stepMicrobatches())),
          m_inputs(size(shape.iterations) * m_ofStep * m_tokens), m_labels(m_inputs.size())
    {}

    /// Loads the steps from `step` on.
    void load(const TokenSource &source, std::int64_t step)
    {
        m_first = step * static_cast<std::int64_t>(m_ofStep);
        for (std::size_t microbatch = 0; microbatch * m_tokens < m_inputs.size(); ++microbatch)
            source.batch(step + static_cast<std::int64_t>(microbatch / m_ofStep), static_cast<int>(microbatch % m_ofStep),
                         part(std::span(m_inputs), microbatch), part(std::span(m_labels), microbatch));
    }
    /// Fills the only microbatch with held-back tokens. The loss counts its first `counted` tokens.
    void loadHeldBack(const TokenSource &source, int microbatch, std::int64_t counted)
    {
        source.heldBack(microbatch, m_inputs, m_labels);
        m_counted = counted;
    }
    /// Returns the number of a microbatch among those of all steps.
    [[nodiscard]] std::int64_t number(int microbatch) const { return m_first + microbatch; }
    /// Returns how many tokens of each microbatch the loss counts, from the first on.
    [[nodiscard]] std::int64_t countedTokens() const { return m_counted; }
    [[nodiscard]] std::span<const std::int32_t> inputs(int microbatch) const
    {
        return part(std::span(m_inputs), size(microbatch));
    }
    [[nodiscard]] std::span<const std::int32_t> labels(int microbatch) const
    {
        return part(std::span(m_labels), size(microbatch));
    }
    [[nodiscard]] const std::vector<std::int32_t> &allInputs() const { return m_inputs; }
    [[nodiscard]] const std::vector<std::int32_t> &allLabels() const { return m_labels; }

private:
    template <class Token>
    [[nodiscard]] std::span<Token> part(std::span<Token> tokens, std::size_t microbatch) const
    {
        return tokens.subspan(microbatch * m_tokens, m_tokens);
    }
    std::size_t m_tokens; ///< of a microbatch
    std::int64_t m_counted;
    std::size_t m_ofStep;     ///< microbatches
    std::int64_t m_first = 0; ///< number of the first
    std::vector<std::int32_t> m_inputs;
    std::vector<std::int32_t> m_labels;
};

} // namespace stagelens::runtime
