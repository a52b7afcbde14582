// Llama: RMSNorm, rotary positions, grouped-query attention, SwiGLU or a mixture of such experts, no biases. Hugging Face's
// LlamaForCausalLM and MixtralForCausalLM.
#include "engine/operators/architecture.h"
#include "engine/operators/blocks/feed_forward.h"

namespace stagelens::operators {
namespace {

/// The parameters of latent attention, named as those of Hugging Face's DeepseekV3ForCausalLM, of which one matrix makes the
/// latent vector of keys and values and the rotated keys.
struct LatentParameters {
    int queryDown, queryNorm, queryUp, keyDown, rotated, keyNorm, keyUp;
};
struct AttentionParameters {
    int query = 0;
    int key = 0;
    int value = 0;
    int out = 0;
    std::optional<LatentParameters> latent;
};

AttentionParameters attentionParameters(BlockBuilder &block, const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    AttentionParameters made;
    if (const auto &latent = model.latentAttention) {
        const std::int64_t heads = model.heads;
        LatentParameters &each = made.latent.emplace();
        each.queryDown = block.matrix("self_attn.q_a_proj.weight", h, latent->queryRank);
        each.queryNorm = block.vector("self_attn.q_a_layernorm.weight", latent->queryRank, Initial::Ones);
        each.queryUp =
            block.matrix("self_attn.q_b_proj.weight", latent->queryRank, heads * (latent->plainSize + latent->rotarySize));
        each.keyDown = block.matrix("self_attn.kv_a_proj_with_mqa.weight", h, latent->keyValueRank);
        each.rotated = block.matrix("self_attn.kv_a_proj_with_mqa.weight (rotated)", h, latent->rotarySize);
        each.keyNorm = block.vector("self_attn.kv_a_layernorm.weight", latent->keyValueRank, Initial::Ones);
        each.keyUp =
            block.matrix("self_attn.kv_b_proj.weight", latent->keyValueRank, heads * (latent->plainSize + latent->valueSize));
        made.out = block.matrix("self_attn.o_proj.weight", heads * latent->valueSize, h);
        return made;
    }
    const std::int64_t queries = model.queryWidth();
    const std::int64_t keys = model.keyValueWidth();
    made.query = block.matrix("self_attn.q_proj.weight", h, queries);
    made.key = block.matrix("self_attn.k_proj.weight", h, keys);
    made.value = block.matrix("self_attn.v_proj.weight", h, keys);
    made.out = block.matrix("self_attn.o_proj.weight", queries, h);
    block.cut(made.query, Cut::Outputs, {{queries, model.heads}});
    for (const int each : {made.key, made.value})
        block.cut(each, Cut::Outputs, {{keys, model.kvHeads}});
    block.cut(made.out, Cut::Inputs);
    return made;
}

ValueId addAttention(BlockBuilder &block, const AttentionParameters &parameters, ValueId x, const model::ModelConfig &model)
{
    const std::int64_t queries = model.queryWidth();
    const std::int64_t keys = model.keyValueWidth();
    const ValueId qkv = block.value("qkv", queries + 2 * keys);
    block.linear(
        x, {{parameters.query, -1, qkv, 0}, {parameters.key, -1, qkv, queries}, {parameters.value, -1, qkv, queries + keys}});
    return block.attention("attention", block.rotary("rotated", qkv), model);
}

ValueId addLatent(BlockBuilder &block, const LatentParameters &parameters, ValueId x, const model::ModelConfig &model)
{
    const ValueId query = block.linear("latent query", x, parameters.queryDown);
    const ValueId normed = block.rmsNorm("latent query norm", "query statistics", query, parameters.queryNorm);
    const ValueId queries = block.linear("queries", normed, parameters.queryUp);
    const ValueId latent = block.value("latent", model.latentAttention->keyValueRank);
    const ValueId rotated = block.value("rotated keys", model.latentAttention->rotarySize);
    block.linear(x, {{parameters.keyDown, -1, latent}, {parameters.rotated, -1, rotated}});
    const ValueId keyValue = block.rmsNorm("latent norm", "latent statistics", latent, parameters.keyNorm);
    const ValueId keys = block.linear("keys and values", keyValue, parameters.keyUp);
    return block.latentAttention("attention", queries, keys, rotated, model);
}

Block llamaBlock(const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    BlockBuilder block(h, WeightLayout::OutputByInput);
    const AttentionParameters attention = attentionParameters(block, model);
    std::optional<FeedForward> mlp;
    std::optional<MixtureOfExperts> mixture;
    if (model.hasExperts())
        mixture = expertParameters(block, model);
    else
        mlp = denseParameters(block, model);
    const int attentionNorm = block.vector("input_layernorm.weight", h, Initial::Ones);
    const int mlpNorm = block.vector("post_attention_layernorm.weight", h, Initial::Ones);

    const ValueId norm1 = block.rmsNorm("norm1", "statistics1", Block::kInput, attentionNorm);
    const ValueId mixed =
        attention.latent ? addLatent(block, *attention.latent, norm1, model) : addAttention(block, attention, norm1, model);
    const ValueId projected = block.linear("projected", mixed, attention.out);
    const ValueId middle = block.add("middle", projected, Block::kInput);
    const ValueId norm2 = block.rmsNorm("norm2", "statistics2", middle, mlpNorm);
    return block.build(mixture ? addExperts(block, *mixture, norm2, middle, model)
                               : addDense(block, *mlp, norm2, middle, model));
}

} // namespace

const Architecture kLlama{.block = llamaBlock,
                          .tokenTable = "model.embed_tokens.weight",
                          .positionTable = {},
                          .layers = "model.layers.",
                          .finalNorm = "model.norm",
                          .output = "lm_head.weight",
                          .normsHaveBias = false};

} // namespace stagelens::operators
