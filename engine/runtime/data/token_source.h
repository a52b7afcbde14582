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

/// Tokens for training. Immutable once open: every member may be called from several threads at once.
class TokenSource {
public:
    virtual ~TokenSource() = default;
    /// Fills one microbatch, both spans [microbatchSize x sequence] row-major; labels are the next tokens, already shifted.
    /// The answer depends on the seed, the step and the microbatch alone.
    virtual void batch(std::int64_t step, int microbatch, std::span<std::int32_t> inputs,
                       std::span<std::int32_t> labels) const = 0;
    /// Fills a microbatch with tokens that no batch() ever has, to evaluate with. The microbatches hold heldBackSequences()
    /// sequences one after another, the same whatever the schedule, devices and microbatches; rows of the last microbatch
    /// beyond them repeat the first ones and must not be counted.
    virtual void heldBack(int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const = 0;
    /// 0 where there are too few tokens to hold any back.
    [[nodiscard]] virtual int heldBackSequences() const = 0;
    /// One line for the run's environment: "text docs.txt, BPE 512 of 512 tokens, 123456 tokens".
    [[nodiscard]] virtual std::string description() const = 0;
};

/// Opens `training.data`: "synthetic", a `.bin` token file, a text file, or a folder with *.md and *.txt files. A text is
/// tokenized by a byte-level BPE trained on it to the model's vocabulary size; that is cached in dataFolder()/tokenizers.
/// Every token is smaller than the vocabulary size. Cancelled where `stop` asks for it.
[[nodiscard]] base::Result<std::unique_ptr<TokenSource>> openTokens(const model::Experiment &experiment, std::stop_token stop);

} // namespace stagelens::runtime
