#include "engine/runtime/executor/step_tokens.h"

#include "engine/runtime/executor/output/output_heads.h"
#include "engine/runtime/executor/output/output_tail.h"

#include <algorithm>

namespace stagelens::runtime {

void StepTokens::load(const Batch &batch, int replica, int replicas, backend::Compute &compute, StepState &step)
{
    const int ranks = m_shape.split.context * m_shape.split.vocabularyRanks();
    const bool isCut = ranks > 1 || !m_shape.slices.empty();
    if (m_shape.outputHeads > 1)
        m_headLabels = headLabels(batch.allLabels(), m_shape.wholeSequence(), m_shape.outputHeads);
    const std::vector<std::int32_t> &labels = m_shape.outputHeads > 1 ? m_headLabels : batch.allLabels();
    const bool hasOneMicrobatch = step.use == StepUse::Evaluation; // each replica has a batch of its own
    if (isCut)
        m_cut.load(batch, labels, hasOneMicrobatch ? 0 : replica, hasOneMicrobatch ? 1 : replicas);
    const std::vector<std::int32_t> &inputs = isCut ? m_cut.inputs() : batch.allInputs();
    step.allInputs = compute.tokens(inputs);
    hash(inputs, compute, step);
    label(isCut ? m_cut.labels() : labels, compute, step);
    step.tokens = m_shape.wholeTokens() / ranks;
    step.slicePlaces.resize(size(m_shape.sliceCount()));
    for (std::size_t slice = 0; slice < m_shape.slices.size(); ++slice)
        step.slicePlaces[slice] = m_shape.batch * m_shape.slices[slice].begin / m_shape.split.vocabularyRanks();
    step.firstNumber = batch.number(replica);
    step.numberStride = replicas;
    const bool isAlone = isCut || hasOneMicrobatch;
    step.replica = isAlone ? 0 : replica;
    step.replicas = isAlone ? 1 : replicas;
    step.countedTokens = isCut ? m_cut.countedTokens() : std::vector{batch.countedTokens()};
}

void StepTokens::hash(std::span<const std::int32_t> ids, backend::Compute &compute, StepState &step)
{
    const model::ModelConfig &model = m_shape.model;
    const std::int64_t base = model.isHashed() ? model.hashBase() : 1;
    m_hashes.resize(static_cast<std::size_t>(model.inputHashes));
    step.hashes.clear();
    std::int64_t power = 1;
    for (std::size_t hash = 0; hash < m_hashes.size(); ++hash) {
        m_hashes[hash].assign(ids.begin(), ids.end());
        for (std::int32_t &id : m_hashes[hash])
            id = static_cast<std::int32_t>(static_cast<std::int64_t>(hash) * base + id / power % base);
        step.hashes.push_back(compute.tokens(m_hashes[hash]));
        power = std::min<std::int64_t>(power * base, std::int64_t{1} << 31); // beyond every id
    }
}

void StepTokens::label(const std::vector<std::int32_t> &words, backend::Compute &compute, StepState &step)
{
    step.outputHeads = m_shape.outputHeads;
    if (!m_shape.model.isAdaptive()) {
        step.allLabels = compute.tokens(words);
        return;
    }
    m_headRows = headRows(words, m_shape.model);
    step.allLabels = compute.tokens(m_headRows);
    step.allWords = compute.tokens(words);
}

} // namespace stagelens::runtime
