// Llama: RMSNorm, rotary positions, grouped-query attention, SwiGLU or a mixture of such experts, no biases. Hugging Face's
// LlamaForCausalLM and MixtralForCausalLM.
#include "engine/operators/architecture.h"
#include "engine/operators/blocks/feed_forward.h"

namespace stagelens::operators {
namespace {

FeedForward denseParameters(BlockBuilder &block, const model::ModelConfig &model)
{
    FeedForward made;
    made.gate = block.matrix("mlp.gate_proj.weight", model.hidden, model.ffn);
    made.up = block.matrix("mlp.up_proj.weight", model.hidden, model.ffn);
    made.down = block.matrix("mlp.down_proj.weight", model.ffn, model.hidden);
    for (const int each : {made.gate, made.up})
        block.cut(each, Cut::Outputs, {{model.ffn, model.ffn}});
    block.cut(made.down, Cut::Inputs);
    return made;
}

ValueId addDense(BlockBuilder &block, const FeedForward &mlp, ValueId x, ValueId residual, const model::ModelConfig &model)
{
    const ValueId gate = block.value("gate", model.ffn);
    const ValueId up = block.value("up", model.ffn);
    block.linear(x, {{mlp.gate, -1, gate}, {mlp.up, -1, up}});
    const ValueId activated = block.swiGlu("activated", gate, up);
    const ValueId down = block.linear("down", activated, mlp.down);
    return block.add("out", down, residual);
}

Block llamaBlock(const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    const std::int64_t queries = model.queryWidth();
    const std::int64_t keys = model.keyValueWidth();
    BlockBuilder block(h, WeightLayout::OutputByInput);
    const int query = block.matrix("self_attn.q_proj.weight", h, queries);
    const int key = block.matrix("self_attn.k_proj.weight", h, keys);
    const int value = block.matrix("self_attn.v_proj.weight", h, keys);
    const int attentionOut = block.matrix("self_attn.o_proj.weight", queries, h);
    const FeedForward mlp = model.hasExperts() ? expertParameters(block, model) : denseParameters(block, model);
    const int attentionNorm = block.vector("input_layernorm.weight", h, Initial::Ones);
    const int mlpNorm = block.vector("post_attention_layernorm.weight", h, Initial::Ones);
    block.cut(query, Cut::Outputs, {{queries, model.heads}});
    for (const int each : {key, value})
        block.cut(each, Cut::Outputs, {{keys, model.kvHeads}});
    block.cut(attentionOut, Cut::Inputs);

    const ValueId norm1 = block.rmsNorm("norm1", "statistics1", Block::kInput, attentionNorm);
    const ValueId qkv = block.value("qkv", queries + 2 * keys);
    block.linear(norm1, {{query, -1, qkv, 0}, {key, -1, qkv, queries}, {value, -1, qkv, queries + keys}});
    const ValueId rotated = block.rotary("rotated", qkv);
    const ValueId attention = block.attention("attention", rotated, model);
    const ValueId projected = block.linear("projected", attention, attentionOut);
    const ValueId middle = block.add("middle", projected, Block::kInput);
    const ValueId norm2 = block.rmsNorm("norm2", "statistics2", middle, mlpNorm);
    return block.build(model.hasExperts() ? addExperts(block, mlp, norm2, middle, model)
                                          : addDense(block, mlp, norm2, middle, model));
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
