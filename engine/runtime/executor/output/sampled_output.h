// The output layer of a sampled softmax: training compares the label of each token with words that are drawn for its
// microbatch (operators::WordSample), and an evaluation with all words.
#pragma once

#include "engine/operators/word_sample.h"
#include "engine/runtime/executor/output/output_shard.h"
#include "engine/runtime/executor/step_state.h"

#include <cstdint>
#include <vector>

namespace stagelens::runtime {

/// A step of the output layer, as PassRunner finds it.
struct OutputStep {
    schedule::PassStepKind kind = schedule::PassStepKind::Logits;
    TokenPart part;
    Labels labels = nullptr; ///< of all tokens of the microbatch
};

/// The operations of OutputShard that differ. The logits of a token are those of the drawn words of this shard and, in the last
/// column, that of its label. From each, the logarithm of the expected count of its word is subtracted; a drawn word that is
/// the label does not count. Used by the thread of its device, on processors.
class SampledOutput {
public:
    SampledOutput(const model::Experiment &experiment, const StepState &step)
        : m_seed(experiment.training.seed),
          m_sample(experiment.model.vocabularySize, experiment.model.sampledWords.value_or(0)), m_choice(experiment.schedule),
          m_step(step)
    {}

    /// Computes logits, statistics or exponentials; nothing in other steps.
    void run(const OutputStep &step, const OutputShard &output, const Context &context);
    /// As the functions of OutputShard.
    void weighRows(Values rows, const OutputStep &step, const OutputShard &output, const Context &context);
    void addWeightGradient(const kernels::SoftmaxStatistics &all, const OutputStep &step, const OutputShard &output,
                           const Context &context);

private:
    /// Chooses the words of a microbatch in a shard, and the column of the label of each token of a part.
    void choose(const OutputStep &step, const OutputShard &output);
    /// Computes a step with all words, for as many tokens at a time as have room.
    void evaluate(const OutputStep &step, const OutputShard &output, const Context &context) const;
    void logits(const OutputStep &step, const OutputShard &output, const Context &context);
    [[nodiscard]] std::int64_t columns() const { return std::ssize(m_words) + 1; }
    [[nodiscard]] backend::LogitShard logitShard(const TokenPart &part, const Context &context) const;
    /// Computes rows of the drawn words in the first scratch tensor, and returns them.
    [[nodiscard]] Values drawnRows(const OutputShard &output, const Context &context) const;

    std::uint64_t m_seed;
    operators::WordSample m_sample;
    const model::ScheduleChoice &m_choice;
    const StepState &m_step;
    std::int64_t m_number = -1;          ///< of the microbatch whose words are in m_drawn, among those of all steps
    std::vector<std::int32_t> m_drawn;   ///< in all shards
    std::vector<std::int32_t> m_words;   ///< of them: in this shard
    std::vector<float> m_logCounts;      ///< logarithms of their expected counts
    std::vector<std::int32_t> m_targets; ///< column of the label of each token, or -1
    std::vector<float> m_labelLogCounts;
};

} // namespace stagelens::runtime
