#include "engine/model/schema/row.h"

namespace stagelens::model {

namespace {

// Larger than any real plan, and small enough that no product of sizes overflows.
constexpr double kLargestSize = 1 << 24;
constexpr double kMostExperts = 4096;
constexpr double kMostLayers = 1 << 16;
constexpr double kMostHashes = 8;
constexpr double kMostHeads = 16;

} // namespace

std::vector<Field> modelRows()
{
    using Kind = Field::Kind;
    return {
        row("model.preset", "--model", "PRESET|FILE", "Model", "a preset (see `list models`) or a Hugging Face config.json",
            MEMBER(model.preset), as(Kind::Choice)),
        row("model.family", "--family", "NAME", "Architecture", "what a layer is made of: gpt or llama", MEMBER(model.family),
            oneOf({{"gpt", "GPT-2", "Learned positions, LayerNorm, GELU, biases"},
                   {"llama", "Llama", "Rotary positions, RMSNorm, SwiGLU, grouped-query attention"}}),
            where(kHasModel)),
        row("model.layers", "--layers", "L", "Layers", "transformer layers", MEMBER(model.layers), range(1, kMostLayers),
            where(kHasModel), sweep({"8, 16, 32", 5, true})),
        row("model.hidden", "--hidden", "h", "Hidden width", "hidden size: width of the residual stream", MEMBER(model.hidden),
            range(1, kLargestSize), where(kHasModel)),
        row("model.heads", "--heads", "a", "Heads", "attention heads; they divide the hidden size unless --head-dim is given",
            MEMBER(model.heads), range(1, kLargestSize), where(kHasModel)),
        row("model.kv_heads", "--kv-heads", "N", "Key/value heads",
            "key and value heads; they divide the heads (default: as many as heads)", MEMBER(model.kvHeads),
            range(1, kLargestSize), where([](const Experiment &e) {
                return e.hasModel && (e.model.family == ModelFamily::Llama || e.model.kvHeads != e.model.heads);
            })),
        row("model.ffn", "--ffn", "N", "Inner width", "inner width of the MLP (default: 4h; llama 8h/3)", MEMBER(model.ffn),
            range(1, kLargestSize), where(kHasModel)),
        row("model.sequence", "--sequence", "s", "Sequence length", "tokens of a sequence, the context length",
            MEMBER(model.sequence), range(1, kLargestSize), where(kHasModel), sweep({"128, 256, 512, 1Ki", 6, true})),
        row("model.vocabulary_size", "--vocabulary-size", "V", "Vocabulary size",
            "tokens of the vocabulary: what the output layer's work grows with", MEMBER(model.vocabularySize), as(Kind::Size),
            range(1, kLargestSize), oneOf({{"2048"}, {"8192"}, {"32768"}, {"65536"}, {"131072"}, {"262144"}}), where(kHasModel),
            sweep({"32k, 64k, 128k, 256k", 1, true})),
        row("model.vocabulary_width", "--vocabulary-width", "E", "Vocabulary width",
            "columns of a factorised vocabulary: tables V x E, and maps E x h to the layers and from them, which is another "
            "model (default: tables V x h)",
            MEMBER(model.vocabularyWidth), range(1, kLargestSize), orElse("full"), omitted(), where(kHasModel),
            sweep({"32, 64, 128", 11, true})),
        row("model.input_hashes", "--input-hashes", "K", "Input hashes",
            "rows of a short input table that add up to the embedding of a token, which is another model (0: a row for each "
            "token)",
            MEMBER(model.inputHashes), range(0, kMostHashes), omitted(), where(kHasModel)),
        row("model.output_heads", "--output-heads", "K", "Output heads",
            "heads of the output layer, of which each predicts a token one position further ahead (multi-token prediction), "
            "which is another model (1: the next token)",
            MEMBER(model.outputHeads), range(1, kMostHeads), omitted(), where(kHasModel)),
        row("model.adaptive_softmax", "--adaptive-softmax", "C/C/...", "Adaptive softmax",
            "cut-offs of the vocabulary, such as 8192/65536: words below the first have a softmax of their own, and rarer ones "
            "share one and have narrower tables, which is another model (default: one softmax)",
            MEMBER(model.adaptiveCutoffs), orElse("one softmax"), omitted(), where(kHasModel)),
        row("model.sampled_softmax", "--sampled-softmax", "N", "Sampled softmax",
            "words that training draws for each microbatch to compare its labels with, which is another model; an evaluation "
            "compares them with all words (default: all words)",
            MEMBER(model.sampledWords), range(1, kLargestSize), orElse("all words"), omitted(), where(kHasModel)),
        row("model.tied", "--tied", "--untied", "Tied embeddings", "input embedding and output projection share one matrix",
            MEMBER(model.tied), where(kHasModel)),
        row("model.dtype", "--dtype", "TYPE", "Number format",
            "fp32, bf16 or fp16, of weights, activations and messages, or fp8: bf16, with the products of layers in 8 bits; "
            "processors emulate all but fp32, GPUs only fp8",
            MEMBER(model.dtype), oneOf({{"fp32", "fp32"}, {"bf16", "bf16"}, {"fp16", "fp16"}, {"fp8", "fp8"}}),
            where(kHasModel)),
        row("model.head_dim", "--head-dim", "N", "Width of a head",
            "channels of one head of a llama, an even number (default: h / a)", MEMBER(model.headDim), range(1, kLargestSize),
            orElse("hidden / heads"), omitted(),
            where([](const Experiment &e) { return e.hasModel && (e.model.family == ModelFamily::Llama || e.model.headDim); })),
        row("model.rms_norm_eps", {}, {}, "Epsilon of RMSNorm", "added to the mean of squares", MEMBER(model.rmsNormEpsilon),
            range(1e-30, 1), omitted()),
        row("model.rope_theta", {}, {}, "Base of rotary positions",
            "pair i of a head turns by position x theta^(-2 i / head size)", MEMBER(model.ropeTheta), range(1, 1e12),
            omitted()),
        row("model.experts", "--experts", "E", "Experts",
            "experts of each layer of a llama, of which a router chooses some for each token (0: one MLP for all)",
            MEMBER(model.experts), range(0, kMostExperts), omitted(), where([](const Experiment &e) {
                return e.hasModel && (e.model.family == ModelFamily::Llama || e.model.hasExperts());
            })),
        row("model.top_k", "--top-k", "k", "Experts of a token", "experts that compute each token; 1 is Switch's rule",
            MEMBER(model.topK), range(1, kMostExperts), omitted(), where(kHasExperts)),
        row("model.expert_ffn", "--expert-ffn", "f", "Expert width", "inner width of an expert (default: that of the MLP)",
            MEMBER(model.expertFfn), range(1, kLargestSize), orElse("inner width"), omitted(), where(kHasExperts)),
        row("model.aux_loss", "--aux-loss", "c", "Balance loss",
            "coefficient of the loss that keeps the tokens of the experts of a microbatch equal (0: off)",
            MEMBER(model.auxLoss), range(0, 1e3), omitted(), where(kHasExperts)),
        row("model.z_loss", "--z-loss", "c", "Router z-loss",
            "coefficient of the loss that keeps the router's logits small (0: off)", MEMBER(model.zLoss), range(0, 1e3),
            omitted(), where(kHasExperts)),
        row("model.shared_experts", "--shared-experts", "n", "Shared experts",
            "experts beside the routed ones that compute every token, as one MLP of n times the width of an expert",
            MEMBER(model.sharedExperts), range(0, kMostExperts), omitted(), where(kHasExperts)),
        row("model.dense_layers", "--dense-layers", "n", "First dense layers",
            "first layers that have one MLP for all tokens all the same", MEMBER(model.denseLayers), range(0, kMostLayers),
            omitted(), where(kHasExperts)),
        row("model.expert_every", "--moe-every", "k", "Expert layers",
            "of the layers after the first dense ones, every k-th has experts and the others have one MLP",
            MEMBER(model.expertEvery), range(1, kMostLayers), omitted(), where(kHasExperts)),
        row("model.router", "--router", "NAME", "Router", "how a router weighs experts", MEMBER(model.router),
            oneOf({{"softmax", "Softmax", "Gates are the softmax of a token's chosen logits"},
                   {"sigmoid", "Sigmoid and bias",
                    "Gates are sigmoids that add up to 1; a bias of each expert, which counts for the choice alone, is moved "
                    "by each step"}}),
            omitted(), where(kHasExperts)),
        row("model.router_bias_rate", "--router-bias-rate", "G", "Bias step",
            "with sigmoid routers: each step raises the bias of experts with fewer tokens than the mean by G, and lowers that "
            "of the others (0: leaves it)",
            MEMBER(model.routerBiasRate), range(0, 1), omitted(), where(kHasSigmoidRouter)),
        row("model.router_scale", "--router-scale", "F", "Gate factor", "with sigmoid routers: factor of all gates",
            MEMBER(model.routerScale), range(1e-3, 1e3), omitted(), where(kHasSigmoidRouter)),
        row("model.router_groups", "--router-groups", "N", "Expert groups",
            "with sigmoid routers: groups of adjacent experts, such as those of a node", MEMBER(model.routerGroups),
            range(1, kMostExperts), omitted(), where(kHasSigmoidRouter)),
        row("model.router_group_limit", "--router-group-limit", "M", "Groups of a token",
            "with sigmoid routers: groups from which a token chooses (0: all)", MEMBER(model.routerGroupLimit),
            range(0, kMostExperts), omitted(), where(kHasSigmoidRouter)),
        row("model.capacity_factor", "--capacity-factor", "CF", "Capacity",
            "rows that an expert takes of a microbatch, relative to the mean; it drops the others",
            MEMBER(model.capacityFactor), range(0.01, kMostExperts), orElse("dropless"), omitted(), where(kHasExperts)),
        row("model.drop_rule", "--drop", "RULE", "Dropped rows", "which rows an expert drops beyond its capacity",
            MEMBER(model.dropRule),
            oneOf({{"gate", "Least gates", "The rows of the least gates; ties keep the earlier token"},
                   {"position", "Last tokens", "The rows of the last tokens of the microbatch"}}),
            omitted(), where([](const Experiment &e) { return kHasExperts(e) && e.model.capacityFactor; })),
    };
}

} // namespace stagelens::model
