// Llama: RMSNorm, rotary positions, grouped-query attention, SwiGLU, no biases. Hugging Face's LlamaForCausalLM.
#include "engine/operators/architecture.h"

namespace stagelens::operators {
namespace {

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
    const int gateIn = block.matrix("mlp.gate_proj.weight", h, model.ffn);
    const int upIn = block.matrix("mlp.up_proj.weight", h, model.ffn);
    const int downIn = block.matrix("mlp.down_proj.weight", model.ffn, h);
    const int attentionNorm = block.vector("input_layernorm.weight", h, Initial::Ones);
    const int mlpNorm = block.vector("post_attention_layernorm.weight", h, Initial::Ones);
    block.cut(query, Cut::Outputs, {{queries, model.heads}});
    for (const int each : {key, value})
        block.cut(each, Cut::Outputs, {{keys, model.kvHeads}});
    for (const int each : {gateIn, upIn})
        block.cut(each, Cut::Outputs, {{model.ffn, model.ffn}});
    for (const int each : {attentionOut, downIn})
        block.cut(each, Cut::Inputs);

    const ValueId norm1 = block.rmsNorm("norm1", "statistics1", Block::kInput, attentionNorm);
    const ValueId qkv = block.value("qkv", queries + 2 * keys);
    block.linear(norm1, {{query, -1, qkv, 0}, {key, -1, qkv, queries}, {value, -1, qkv, queries + keys}});
    const ValueId rotated = block.rotary("rotated", qkv);
    const ValueId attention = block.attention("attention", rotated, model);
    const ValueId projected = block.linear("projected", attention, attentionOut);
    const ValueId middle = block.add("middle", projected, Block::kInput);
    const ValueId norm2 = block.rmsNorm("norm2", "statistics2", middle, mlpNorm);
    const ValueId gate = block.value("gate", model.ffn);
    const ValueId up = block.value("up", model.ffn);
    block.linear(norm2, {{gateIn, -1, gate}, {upIn, -1, up}});
    const ValueId activated = block.swiGlu("activated", gate, up);
    const ValueId down = block.linear("down", activated, downIn);
    return block.build(block.add("out", down, middle));
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
