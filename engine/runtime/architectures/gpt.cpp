// GPT-2: learned positions, LayerNorm, fused queries, keys and values, tanh-GELU, biases. Linear maps are stored [in, out].
#include "engine/base/text.h"
#include "engine/runtime/architectures/architecture.h"
#include "engine/runtime/architectures/norm.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime {
namespace {

using kernels::Epilogue;
using kernels::Form;

struct Linear {
    Parameter *weight = nullptr; ///< [in, out]
    Parameter *bias = nullptr;
};

/// The saved tensors of a layer in one slab.
struct GptSaved {
    Cutter cut;
    Values norm1;
    Values qkv;
    Values attention;
    Values middle; ///< input of the MLP half
    Values norm2;
    Values inner;     ///< before GELU
    Values activated; ///< after it
    float *statistics1;
    float *statistics2;
    float *logSumExp;

    GptSaved(float *slab, const Shape &shape)
        : cut(slab, shape.precision), norm1(cut.values(shape.boundary())), qkv(cut.values(3 * shape.boundary())),
          attention(cut.values(shape.boundary())), middle(cut.values(shape.boundary())), norm2(cut.values(shape.boundary())),
          inner(cut.values(shape.tokens() * shape.ffn)), activated(cut.values(shape.tokens() * shape.ffn)),
          statistics1(cut.floats(normStatistics(shape))), statistics2(cut.floats(normStatistics(shape))),
          logSumExp(cut.floats(shape.tokens() * shape.heads))
    {}
};

/// Returns the product in W + b.
backend::Product forwardProduct(const Linear &map, Values out, ConstValues in, const Context &context)
{
    const std::int64_t width = map.weight->columns;
    return {.rows = context.shape.tokens(),
            .columns = width,
            .inner = map.weight->rows,
            .a = {in, map.weight->rows},
            .b = {map.weight->weights(), width},
            .c = out,
            .stride = width,
            .epilogue = Epilogue::Bias,
            .bias = map.bias->weights()};
}

/// out = in W + b (+ residual)
void forwardLinear(const Linear &map, Values out, ConstValues in, ConstValues residual, const Context &context)
{
    backend::Product product = forwardProduct(map, out, in, context);
    product.addend = residual;
    context.compute.multiply(product);
}

/// inner = in W + b; out = GELU of that
void forwardLinearGelu(const Linear &map, Values out, Values inner, ConstValues in, const Context &context)
{
    backend::Product product = forwardProduct(map, out, in, context);
    product.epilogue = Epilogue::Gelu;
    product.between = inner;
    context.compute.multiply(product);
}

/// inGradient = outGradient W^T, times the derivative of GELU at `inner` unless that is null.
void backwardInput(const Linear &map, Values inGradient, ConstValues outGradient, Values inner, const Context &context)
{
    const std::int64_t inWidth = map.weight->rows;
    const std::int64_t width = map.weight->columns;
    context.compute.multiply({.rows = context.shape.tokens(),
                              .columns = inWidth,
                              .inner = width,
                              .a = {outGradient, width},
                              .b = {map.weight->weights(), width, Form::Transposed},
                              .c = inGradient,
                              .stride = inWidth,
                              .epilogue = inner ? Epilogue::GeluBackward : Epilogue::None,
                              .between = inner});
}

/// dW += in^T outGradient, db += sum of its rows.
void backwardWeight(const Linear &map, ConstValues outGradient, ConstValues in, const Context &context)
{
    const std::int64_t rows = context.shape.tokens();
    const std::int64_t inWidth = map.weight->rows;
    const std::int64_t width = map.weight->columns;
    context.compute.multiply({.rows = inWidth,
                              .columns = width,
                              .inner = rows,
                              .a = {in, inWidth, Form::Transposed},
                              .b = {outGradient, width},
                              .c = map.weight->gradient.data(),
                              .stride = width,
                              .beta = 1});
    context.compute.addColumnSums(map.bias->gradient.data(), outGradient, rows, width);
}

class GptLayer : public Layer {
public:
    /// In the order of state_dict().
    explicit GptLayer(std::span<Parameter *const> p)
        : m_attentionNorm{p[0], p[1]}, m_queryKeyValue{p[2], p[3]},
          m_attentionOut{p[4], p[5]}, m_mlpNorm{p[6], p[7]}, m_mlpIn{p[8], p[9]}, m_mlpOut{p[10], p[11]}
    {}

    void forward(Values out, ConstValues in, float *saved, const Context &context) const override
    {
        const Shape &shape = context.shape;
        const GptSaved kept(saved, shape);
        forwardNorm(m_attentionNorm, kept.norm1, kept.statistics1, in, context);
        forwardLinear(m_queryKeyValue, kept.qkv, kept.norm1, {}, context);
        context.compute.attentionForward(kept.attention, kept.logSumExp, kept.qkv, shape.attention(),
                                         context.workspace.attention.data());
        forwardLinear(m_attentionOut, kept.middle, kept.attention, in, context);
        forwardNorm(m_mlpNorm, kept.norm2, kept.statistics2, kept.middle, context);
        forwardLinearGelu(m_mlpIn, kept.activated, kept.inner, kept.norm2, context);
        if (out)
            forwardLinear(m_mlpOut, out, kept.activated, kept.middle, context);
    }

    void backward(Values gradient, Values in, float *saved, Backward part, const Context &context) const override
    {
        const Shape &shape = context.shape;
        const GptSaved kept(saved, shape);
        const Values wide = context.wide();
        const Values narrow = context.narrow();
        const bool isWhole = part == Backward::Whole;
        const auto linear = [&](const Linear &map, Values inGradient, ConstValues outGradient, ConstValues input,
                                Values inner = {}) {
            if (isWhole)
                backwardWeight(map, outGradient, input, context);
            backwardInput(map, inGradient, outGradient, inner, context);
        };
        linear(m_mlpOut, wide, gradient, kept.activated, kept.inner);
        linear(m_mlpIn, narrow, wide, kept.norm2);
        if (!isWhole)
            context.compute.copy(kept.inner, wide, shape.tokens() * shape.ffn);
        backwardNorm(m_mlpNorm, gradient, narrow, kept.middle, kept.statistics2, part, context);
        linear(m_attentionOut, narrow, gradient, kept.attention);
        context.compute.attentionBackward(wide, narrow, kept.qkv, kept.attention, kept.logSumExp, shape.attention(),
                                          context.workspace.attention.data());
        linear(m_queryKeyValue, narrow, wide, kept.norm1);
        if (!isWhole)
            context.compute.copy(kept.qkv, wide, 3 * shape.boundary());
        backwardNorm(m_attentionNorm, gradient, narrow, in, kept.statistics1, part, context);
    }

    void backwardWeights(ConstValues in, float *saved, const Context &context) const override
    {
        const GptSaved kept(saved, context.shape);
        backwardWeight(m_mlpOut, kept.middle, kept.activated, context);
        backwardWeight(m_mlpIn, kept.inner, kept.norm2, context);
        backwardWeight(m_attentionOut, in, kept.attention, context);
        backwardWeight(m_queryKeyValue, kept.qkv, kept.norm1, context);
    }

private:
    Norm m_attentionNorm;
    Linear m_queryKeyValue;
    Linear m_attentionOut;
    Norm m_mlpNorm;
    Linear m_mlpIn;
    Linear m_mlpOut;
};

void addNorm(std::vector<ParameterInfo> &list, const std::string &name, std::int64_t width)
{
    list.push_back({name + ".weight", 1, width, false, Fill::Ones, 0});
    list.push_back({name + ".bias", 1, width, false, Fill::Zeros, 0});
}

void addLinear(std::vector<ParameterInfo> &list, const std::string &name, std::int64_t in, std::int64_t out, double deviation)
{
    list.push_back(normalMatrix(name + ".weight", in, out, deviation));
    list.push_back({name + ".bias", 1, out, false, Fill::Zeros, 0});
}

class GptArchitecture : public Architecture {
public:
    [[nodiscard]] Anatomy anatomy() const override { return {12, true, true}; }

    /// Initialises as GPT-2: projections into the residual stream are divided by sqrt(2 L).
    [[nodiscard]] std::vector<ParameterInfo> parameters(const model::ModelConfig &model) const override
    {
        const std::int64_t h = model.hidden;
        const double residual = kInitialDeviation / std::sqrt(2.0 * std::max(1, model.layers));
        std::vector<ParameterInfo> list{normalMatrix("transformer.wte.weight", model.vocabularySize, h),
                                        normalMatrix("transformer.wpe.weight", model.sequence, h)};
        for (int layer = 0; layer < model.layers; ++layer) {
            const std::string name = base::concat("transformer.h.", layer, ".");
            addNorm(list, name + "ln_1", h);
            addLinear(list, name + "attn.c_attn", h, 3 * h, kInitialDeviation);
            addLinear(list, name + "attn.c_proj", h, h, residual);
            addNorm(list, name + "ln_2", h);
            addLinear(list, name + "mlp.c_fc", h, model.ffn, kInitialDeviation);
            addLinear(list, name + "mlp.c_proj", model.ffn, h, residual);
        }
        addNorm(list, "transformer.ln_f", h);
        if (!model.tied)
            list.push_back(normalMatrix("lm_head.weight", model.vocabularySize, h));
        return list;
    }

    [[nodiscard]] std::int64_t savedFloats(const Shape &shape) const override { return GptSaved(nullptr, shape).cut.floats(); }
    [[nodiscard]] std::unique_ptr<const Layer> makeLayer(std::span<Parameter *const> parameters) const override
    {
        return std::make_unique<GptLayer>(parameters);
    }
};

} // namespace

const Architecture &gptArchitecture()
{
    static const GptArchitecture architecture;
    return architecture;
}

} // namespace stagelens::runtime
