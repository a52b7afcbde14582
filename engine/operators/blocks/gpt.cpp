// GPT-2: learned positions, LayerNorm, fused queries, keys and values, tanh-GELU, biases. Hugging Face's GPT2LMHeadModel.
#include "engine/operators/architecture.h"

namespace stagelens::operators {
namespace {

/// A weight and its bias.
struct Pair {
    int weight;
    int bias;
};

Block gptBlock(const model::ModelConfig &model)
{
    const std::int64_t h = model.hidden;
    BlockBuilder block(h, WeightLayout::InputByOutput);
    const auto norm = [&](std::string_view weight, std::string_view bias) -> Pair {
        const int first = block.vector(weight, h, Initial::Ones);
        return {first, block.vector(bias, h, Initial::Zeros)};
    };
    const auto linear = [&](std::string_view weight, std::string_view bias, std::int64_t in, std::int64_t out,
                            Initial initial) -> Pair {
        const int first = block.matrix(weight, in, out, initial);
        return {first, block.vector(bias, out, Initial::Zeros)};
    };
    const auto cutOutputs = [&](const Pair &pair, const std::vector<Section> &sections) {
        block.cut(pair.weight, Cut::Outputs, sections);
        block.cut(pair.bias, Cut::Outputs, sections);
    };
    const Pair ln1 = norm("ln_1.weight", "ln_1.bias");
    const std::int64_t qkvWidth = model.queryWidth() + 2 * model.keyValueWidth();
    const Pair attentionIn = linear("attn.c_attn.weight", "attn.c_attn.bias", h, qkvWidth, Initial::Normal);
    const Pair attentionOut = linear("attn.c_proj.weight", "attn.c_proj.bias", model.queryWidth(), h, Initial::NormalResidual);
    const Pair ln2 = norm("ln_2.weight", "ln_2.bias");
    const Pair mlpIn = linear("mlp.c_fc.weight", "mlp.c_fc.bias", h, model.ffn, Initial::Normal);
    const Pair mlpOut = linear("mlp.c_proj.weight", "mlp.c_proj.bias", model.ffn, h, Initial::NormalResidual);

    const Section keys{model.keyValueWidth(), model.kvHeads};
    cutOutputs(attentionIn, {{model.queryWidth(), model.heads}, keys, keys});
    block.cut(attentionOut.weight, Cut::Inputs);
    cutOutputs(mlpIn, {{model.ffn, model.ffn}});
    block.cut(mlpOut.weight, Cut::Inputs);

    const ValueId norm1 = block.layerNorm("norm1", "statistics1", Block::kInput, ln1.weight, ln1.bias);
    const ValueId qkv = block.linear("qkv", norm1, attentionIn.weight, attentionIn.bias);
    const ValueId attention = block.attention("attention", qkv, model);
    const ValueId projected = block.linear("projected", attention, attentionOut.weight, attentionOut.bias);
    const ValueId middle = block.add("middle", projected, Block::kInput);
    const ValueId norm2 = block.layerNorm("norm2", "statistics2", middle, ln2.weight, ln2.bias);
    const ValueId inner = block.linear("inner", norm2, mlpIn.weight, mlpIn.bias);
    const ValueId activated = block.activation("activated", inner, kernels::Activation::Gelu);
    const ValueId down = block.linear("down", activated, mlpOut.weight, mlpOut.bias);
    Block made = block.build(block.add("out", down, middle));
    made.dropouts = 2; // after either half (Korthikanti et al. 2022, arXiv 2205.05198, section 4.1)
    return made;
}

} // namespace

const Architecture kGpt{.block = gptBlock,
                        .tokenTable = "transformer.wte.weight",
                        .positionTable = "transformer.wpe.weight",
                        .layers = "transformer.h.",
                        .finalNorm = "transformer.ln_f",
                        .output = "lm_head.weight",
                        .normsHaveBias = true};

} // namespace stagelens::operators
