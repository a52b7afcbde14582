// Where the tokens of a training run come from.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace stagelens::runtime {

/// Provides training tokens. Immutable, so every function may be called from several threads at once.
class TokenSource {
public:
    virtual ~TokenSource() = default;
    /// Fills one microbatch; both spans are [microbatchSize x sequence], row-major. Labels are the next tokens. The result
    /// depends only on the seed, the step and the microbatch.
    virtual void batch(std::int64_t step, int microbatch, std::span<std::int32_t> inputs,
                       std::span<std::int32_t> labels) const = 0;
    /// Fills a microbatch with tokens that batch() never returns, for evaluation. The microbatches hold heldBackSequences()
    /// sequences in order, whatever the schedule, devices and microbatches. Excess rows of the last microbatch repeat the first
    /// ones and must not be counted.
    virtual void heldBack(int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const = 0;
    /// Returns 0 if there are too few tokens to hold any back.
    [[nodiscard]] virtual int heldBackSequences() const = 0;
    /// Returns a line for the environment of the run: "text docs.txt, BPE 512 of 512 tokens, 123456 tokens".
    [[nodiscard]] virtual std::string description() const = 0;
};

/// Opens `training.data`: "synthetic", a `.bin` token file, a text file, or a folder with *.md and *.txt files. A byte-level
/// BPE with the vocabulary size of the model is trained on a text and cached in dataFolder()/tokenizers. All tokens are below
/// the vocabulary size. Cancelled after a stop of `stop`.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> openTokens(const model::Experiment &experiment, std::stop_token stop);

} // namespace stagelens::runtime
