// The tokens of a step as the passes of a device read them.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/data/context_tokens.h"
#include "engine/runtime/executor/step_state.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Inputs and labels of a rank: those of its rows if sequences are cut, the rows of a hashed input, and the labels of several
/// output heads or of the head of an adaptive softmax. Used by the thread of its device.
class StepTokens {
public:
    StepTokens(const Shape &shape, const RankPlace &place) : m_shape(shape), m_cut(shape, place.context, place.tensor) {}

    /// Writes the tokens to the device and notes them in the step, whose purpose is known. The batch must live as long as the
    /// step.
    void load(const Batch &batch, int replica, int replicas, backend::Compute &compute, StepState &step);

private:
    /// Lists the rows of the tokens for a hashed input.
    void hash(std::span<const std::int32_t> ids, backend::Compute &compute, StepState &step);
    /// Notes the labels: `words` has those of all heads of a token.
    void label(const std::vector<std::int32_t> &words, backend::Compute &compute, StepState &step);

    const Shape &m_shape;
    ContextTokens m_cut;
    std::vector<std::vector<std::int32_t>> m_hashes; ///< of a hashed input: the rows of a step's tokens, by hash
    std::vector<std::int32_t> m_headLabels;          ///< of several output heads: [tokens, K]
    std::vector<std::int32_t> m_headRows;            ///< of an adaptive softmax: labels in its head
};

} // namespace stagelens::runtime
