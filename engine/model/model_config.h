// The shape of the transformer language model that is trained.
#pragma once

#include "engine/base/units.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagelens::model {

/// Architecture family. `Gpt` is GPT-2's (learned positions, LayerNorm, tanh-GELU, biases); `Llama` has RMSNorm, rotary
/// positions, SwiGLU and grouped-query attention.
enum class ModelFamily : unsigned char { Gpt, Llama };

/// Number format of parameters and activations in training (processors emulate 16 bits). Fp8: bf16, and the products of layers
/// read numbers rounded to e4m3 with a factor for every tile; attention, routers and vocabulary layers stay in bf16.
enum class DataType : unsigned char { Fp32, Bf16, Fp16, Fp8 };

/// How a router weights experts: by the softmax of its logits, or by the sigmoid of each logit, with a bias per expert that
/// affects only the choice (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
enum class RouterScore : unsigned char { Softmax, Sigmoid };

/// Which tokens an expert drops beyond its capacity: those with the smallest gates, or the last of the microbatch.
enum class DropRule : unsigned char { Gate, Position };

/// Slows the rotation of pairs of a head that complete few turns within the sequences of pre-training: the rule of Llama 3.1
/// (transformers' rope_type "llama3").
struct RopeScaling {
    double factor = 8;              ///< slow pairs rotate slower by this factor
    double lowFrequencyFactor = 1;  ///< pairs that rotate fewer times in originalSequence are slow
    double highFrequencyFactor = 4; ///< pairs that rotate more times keep their speed; speeds in between are interpolated
    int originalSequence = 8192;
    friend bool operator==(const RopeScaling &, const RopeScaling &) = default;
};

/// Attention whose queries, keys and values are made from narrow latent vectors (DeepSeek-V2, arXiv 2405.04434, section 2.1).
struct LatentAttention {
    int queryRank = 0;    ///< width of the queries' latent vector
    int keyValueRank = 0; ///< width of the latent vector of keys and values
    int plainSize = 0;    ///< numbers of a head's queries and keys that are not rotated
    int rotarySize = 0;   ///< numbers that are rotated; all heads share those of the keys
    int valueSize = 0;    ///< width of a head's values
    friend bool operator==(const LatentAttention &, const LatentAttention &) = default;
};

/// The words of an adaptive softmax from `first` to `end`, which are computed from `width` numbers of a token.
struct VocabularyTail {
    int first = 0;
    int end = 0;
    int width = 0;
    [[nodiscard]] int words() const { return end - first; }
};

/// Shape of a model. All sizes of a valid model are positive; see validate().
struct ModelConfig {
    std::string preset = "gpt-demo"; ///< name of the preset; "custom" if any field was changed
    ModelFamily family = ModelFamily::Gpt;
    int layers = 8;            ///< L
    int hidden = 128;          ///< h
    int heads = 4;             ///< a; divides hidden unless headDim is given
    int kvHeads = 4;           ///< key and value heads; divides heads
    int ffn = 512;             ///< inner width of the MLP
    int sequence = 128;        ///< s
    int vocabularySize = 8192; ///< V
    bool tied = false;         ///< input embedding and output projection share one matrix
    DataType dtype = DataType::Fp32;
    std::optional<int> headDim; ///< width of a head; absent: hidden / heads. This and the following are for Llama
    double rmsNormEpsilon = 1e-6;
    double ropeTheta = 10000; ///< pair i of a head is rotated by position x theta^(-2 i / head size)
    std::optional<RopeScaling> ropeScaling;
    std::optional<LatentAttention> latentAttention; ///< only predicted
    /// E: a factorised vocabulary, whose tables are [V, E] and are joined to the layers by maps [E, h]; absent: tables [V, h].
    std::optional<int> vocabularyWidth;
    /// K: a hashed input, which adds up K rows of a short table for each token; 0: the input table has a row for each token.
    int inputHashes = 0;
    /// K: heads of the output layer. Head j predicts the token j + 1 positions ahead, and has a map of its own before the
    /// common table; 1: the output layer of the next token.
    int outputHeads = 1;
    /// Cut-offs of an adaptive softmax: words below the first are in its head, those from each to the next, or to V, in a tail.
    /// Empty: one softmax over all words.
    std::vector<int> adaptiveCutoffs;
    /// N: training compares each label with N words that are drawn for each microbatch (sampled softmax); absent: with all.
    std::optional<int> sampledWords;
    // A mixture of experts instead of each layer's MLP.
    int experts = 0;              ///< E, of a layer; 0: a dense MLP
    int topK = 2;                 ///< k, experts that compute a token
    std::optional<int> expertFfn; ///< f, inner width of an expert; absent: ffn
    double auxLoss = 0;           ///< coefficient of the loss that balances the experts
    double zLoss = 0;             ///< coefficient of the loss that keeps the router's logits small
    int sharedExperts = 0;        ///< experts that compute every token, as one MLP of as many times the width of an expert
    RouterScore router = RouterScore::Softmax;
    double routerBiasRate = 0.001;        ///< of sigmoid routers: change of each expert's bias per step
    double routerScale = 1;               ///< of sigmoid routers: factor of the gates
    int routerGroups = 1;                 ///< of sigmoid routers: groups of adjacent experts, such as those of a node
    int routerGroupLimit = 0;             ///< groups from which a token chooses; 0: all
    std::optional<double> capacityFactor; ///< rows of an expert relative to the mean, beyond which it drops; absent: none
    DropRule dropRule = DropRule::Gate;
    int denseLayers = 0; ///< number of first layers that have a dense MLP
    int expertEvery = 1; ///< n: of the following layers every n-th has experts; the others are dense

    [[nodiscard]] bool isFactorised() const { return vocabularyWidth.has_value(); }
    /// Returns the columns of the token tables.
    [[nodiscard]] int tableWidth() const { return vocabularyWidth.value_or(hidden); }
    [[nodiscard]] bool isAdaptive() const { return !adaptiveCutoffs.empty(); }
    /// Returns the tails of an adaptive softmax, each of a quarter of the width of the one before.
    [[nodiscard]] std::vector<VocabularyTail> tails() const
    {
        std::vector<VocabularyTail> all;
        for (std::size_t i = 0; i < adaptiveCutoffs.size() && adaptiveCutoffs[i] < vocabularySize; ++i)
            all.push_back({adaptiveCutoffs[i], i + 1 < adaptiveCutoffs.size() ? adaptiveCutoffs[i + 1] : vocabularySize,
                           std::max(1, (all.empty() ? hidden : all.back().width) / 4)});
        return all;
    }
    /// Returns the rows of the output table: a word each, or those of the head of an adaptive softmax, with one for each tail.
    [[nodiscard]] int outputRows() const
    {
        return isAdaptive() ? adaptiveCutoffs.front() + static_cast<int>(tails().size()) : vocabularySize;
    }
    [[nodiscard]] bool isSampled() const { return sampledWords.has_value(); }
    /// Returns the logits of a token in training: one for each row of the output table, or for each drawn word and the label.
    [[nodiscard]] int logitColumns() const { return sampledWords ? *sampledWords + 1 : outputRows(); }
    /// Returns whether a map [K E, h] precedes the output table: that of a factorised vocabulary, or those of several heads.
    [[nodiscard]] bool mapsOutput() const { return isFactorised() || outputHeads > 1; }
    /// Returns the numbers that the output layer reads of a token: those of all heads.
    [[nodiscard]] std::int64_t outputWidth() const { return std::int64_t{outputHeads} * tableWidth(); }
    /// Returns the labels of a sequence: head j has none for its last j tokens.
    [[nodiscard]] std::int64_t labelsOfSequence() const
    {
        return std::int64_t{outputHeads} * sequence - std::int64_t{outputHeads} * (outputHeads - 1) / 2;
    }
    [[nodiscard]] bool isHashed() const { return inputHashes > 0; }
    /// Returns the rows that each hash function chooses from: the least B with B^K >= V, so that no two tokens share all rows.
    [[nodiscard]] int hashBase() const
    {
        const auto reaches = [this](std::int64_t base) {
            std::int64_t codes = 1;
            for (int digit = 0; digit < inputHashes && codes < vocabularySize; ++digit)
                codes *= base;
            return codes >= vocabularySize;
        };
        int base = 1;
        for (int step = 1 << 30; step > 0; step /= 2)
            if (base <= vocabularySize - step && !reaches(base + step - 1))
                base += step;
        return base;
    }
    /// Returns the rows of the input table: hash k of a token is digit k of its id in base B, and chooses row k B + digit.
    [[nodiscard]] int inputRows() const { return isHashed() ? inputHashes * hashBase() : vocabularySize; }
    [[nodiscard]] bool hasExperts() const { return experts > 0; }
    [[nodiscard]] bool hasExpertsAt(int layer) const
    {
        return hasExperts() && layer >= denseLayers && (layer - denseLayers + 1) % expertEvery == 0;
    }
    /// Returns how many of the first layers have experts.
    [[nodiscard]] int expertLayers(int first) const
    {
        return hasExperts() && first > denseLayers ? (first - denseLayers) / expertEvery : 0;
    }
    [[nodiscard]] bool mixesLayers() const { return hasExperts() && (denseLayers > 0 || expertEvery > 1); }
    [[nodiscard]] bool hasRouterBias() const { return hasExperts() && router == RouterScore::Sigmoid; }
    /// Returns the number of groups from which a token chooses.
    [[nodiscard]] int chosenGroups() const { return routerGroupLimit > 0 ? routerGroupLimit : routerGroups; }
    [[nodiscard]] int expertWidth() const { return expertFfn.value_or(ffn); }
    /// Returns the inner width of all MLPs that compute a token.
    [[nodiscard]] std::int64_t innerWidth() const { return hasExperts() ? std::int64_t{topK} * expertWidth() : ffn; }
    /// Width of a head.
    [[nodiscard]] int headSize() const { return headDim.value_or(heads > 0 ? hidden / heads : 0); }
    /// Width of the queries of all heads; width of the keys (and also of the values) of all heads.
    [[nodiscard]] std::int64_t queryWidth() const { return std::int64_t{headSize()} * heads; }
    [[nodiscard]] std::int64_t keyValueWidth() const { return std::int64_t{headSize()} * kvHeads; }
    friend bool operator==(const ModelConfig &, const ModelConfig &) = default;
};

} // namespace stagelens::model
