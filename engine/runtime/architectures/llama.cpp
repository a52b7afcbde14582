// Llama: RMSNorm, rotary positions, grouped-query attention, SwiGLU, no biases. Linear maps are stored [out, in].
#include "engine/base/text.h"
#include "engine/runtime/architectures/architecture.h"
#include "engine/runtime/architectures/norm.h"

#include <utility>

namespace stagelens::runtime {
namespace {

using kernels::Form;
using kernels::Turn;

/// The saved tensors of a layer in one slab.
struct LlamaSaved {
    Cutter cut;
    Values norm1;
    Values qkv; ///< with rotated queries and keys
    Values attention;
    Values middle; ///< input of the MLP half
    Values norm2;
    Values gate;
    Values up;
    Values activated; ///< silu(gate) * up
    float *statistics1;
    float *statistics2;
    float *logSumExp;

    LlamaSaved(float *slab, const Shape &shape)
        : cut(slab, shape.precision), norm1(cut.values(shape.boundary())),
          qkv(cut.values(shape.tokens() * shape.attention().qkvWidth())),
          attention(cut.values(shape.tokens() * shape.attention().width())), middle(cut.values(shape.boundary())),
          norm2(cut.values(shape.boundary())), gate(cut.values(shape.tokens() * shape.ffn)),
          up(cut.values(shape.tokens() * shape.ffn)), activated(cut.values(shape.tokens() * shape.ffn)),
          statistics1(cut.floats(normStatistics(shape))), statistics2(cut.floats(normStatistics(shape))),
          logSumExp(cut.floats(shape.tokens() * shape.heads))
    {}
};

/// Columns of a row-major matrix, as many as the weight has outputs.
template <class Address>
struct Columns {
    Address data;
    std::int64_t stride = 0;
};

/// out = in W^T (+ residual).
void forwardLinear(const Parameter &weight, const Columns<Values> &out, ConstValues in, ConstValues residual,
                   const Context &context)
{
    context.compute.multiply({.rows = context.shape.tokens(),
                              .columns = weight.rows,
                              .inner = weight.columns,
                              .a = {in, weight.columns},
                              .b = {weight.weights(), weight.columns, Form::Transposed},
                              .c = out.data,
                              .stride = out.stride,
                              .addend = residual});
}

/// inGradient = outGradient W + beta inGradient.
void backwardInput(const Parameter &weight, Values inGradient, const Columns<ConstValues> &outGradient, float beta,
                   const Context &context)
{
    context.compute.multiply({.rows = context.shape.tokens(),
                              .columns = weight.columns,
                              .inner = weight.rows,
                              .a = {outGradient.data, outGradient.stride},
                              .b = {weight.weights(), weight.columns},
                              .c = inGradient,
                              .stride = weight.columns,
                              .beta = beta});
}

/// dW += outGradient^T in.
void backwardWeight(Parameter &weight, const Columns<ConstValues> &outGradient, ConstValues in, const Context &context)
{
    context.compute.multiply({.rows = weight.rows,
                              .columns = weight.columns,
                              .inner = context.shape.tokens(),
                              .a = {outGradient.data, outGradient.stride, Form::Transposed},
                              .b = {in, weight.columns},
                              .c = weight.gradient.data(),
                              .stride = weight.columns,
                              .beta = 1});
}

class LlamaLayer : public Layer {
public:
    /// In the order of state_dict().
    explicit LlamaLayer(std::span<Parameter *const> p)
        : m_query(*p[0]), m_key(*p[1]), m_value(*p[2]), m_attentionOut(*p[3]), m_gate(*p[4]), m_up(*p[5]),
          m_down(*p[6]), m_attentionNorm{p[7]}, m_mlpNorm{p[8]}
    {}

    void forward(Values out, ConstValues in, float *saved, const Context &context) const override
    {
        const Shape &shape = context.shape;
        const LlamaSaved kept(saved, shape);
        forwardNorm(m_attentionNorm, kept.norm1, kept.statistics1, in, context);
        forEachOfQkv(kept.qkv, shape, [&](Parameter &weight, const Columns<Values> &part) {
            forwardLinear(weight, part, kept.norm1, {}, context);
        });
        turn(kept.qkv, Turn::Forwards, context);
        context.compute.attentionForward(kept.attention, kept.logSumExp, kept.qkv, shape.attention(),
                                         context.workspace.attention.data());
        forwardLinear(m_attentionOut, {kept.middle, shape.hidden}, kept.attention, in, context);
        forwardNorm(m_mlpNorm, kept.norm2, kept.statistics2, kept.middle, context);
        forwardLinear(m_gate, {kept.gate, shape.ffn}, kept.norm2, {}, context);
        forwardLinear(m_up, {kept.up, shape.ffn}, kept.norm2, {}, context);
        context.compute.swigluForward(kept.activated, kept.gate, kept.up, shape.tokens() * shape.ffn);
        if (out)
            forwardLinear(m_down, {out, shape.hidden}, kept.activated, kept.middle, context);
    }

    void backward(Values gradient, Values in, float *saved, Backward part, const Context &context) const override
    {
        const Shape &shape = context.shape;
        const LlamaSaved kept(saved, shape);
        const Values wide = context.wide();
        const Values narrow = context.narrow();
        const bool isWhole = part == Backward::Whole;
        if (isWhole)
            backwardWeight(m_down, {gradient, shape.hidden}, kept.activated, context);
        backwardInput(m_down, wide, {gradient, shape.hidden}, 0, context);
        // The gradients overwrite gate and up, where backwardMlpWeights() reads them.
        context.compute.swigluBackward(kept.gate, kept.up, wide, shape.tokens() * shape.ffn);
        if (isWhole)
            backwardMlpWeights(kept, context);
        backwardInput(m_gate, narrow, {kept.gate, shape.ffn}, 0, context);
        backwardInput(m_up, narrow, {kept.up, shape.ffn}, 1, context);
        backwardNorm(m_mlpNorm, gradient, narrow, kept.middle, kept.statistics2, part, context);
        if (isWhole)
            backwardWeight(m_attentionOut, {gradient, shape.hidden}, kept.attention, context);
        backwardInput(m_attentionOut, narrow, {gradient, shape.hidden}, 0, context);
        context.compute.attentionBackward(wide, narrow, kept.qkv, kept.attention, kept.logSumExp, shape.attention(),
                                          context.workspace.attention.data());
        turn(wide, Turn::Backwards, context);
        if (isWhole)
            backwardQkvWeights(wide, kept.norm1, context);
        else
            context.compute.copy(kept.qkv, wide, shape.tokens() * shape.attention().qkvWidth());
        float beta = 0;
        forEachOfQkv(ConstValues(wide), shape, [&](const Parameter &weight, const Columns<ConstValues> &columns) {
            backwardInput(weight, narrow, columns, std::exchange(beta, 1.0F), context);
        });
        backwardNorm(m_attentionNorm, gradient, narrow, in, kept.statistics1, part, context);
    }

    void backwardWeights(ConstValues in, float *saved, const Context &context) const override
    {
        const Shape &shape = context.shape;
        const LlamaSaved kept(saved, shape);
        backwardWeight(m_down, {kept.middle, shape.hidden}, kept.activated, context);
        backwardMlpWeights(kept, context);
        backwardWeight(m_attentionOut, {in, shape.hidden}, kept.attention, context);
        backwardQkvWeights(kept.qkv, kept.norm1, context);
    }

private:
    /// Calls `work(weight, its columns)` for queries, keys and values in fused rows.
    template <class Address, class Work>
    void forEachOfQkv(Address rows, const Shape &shape, const Work &work) const
    {
        const kernels::AttentionShape attention = shape.attention();
        const std::int64_t stride = attention.qkvWidth();
        work(m_query, Columns<Address>{rows, stride});
        work(m_key, Columns<Address>{rows + attention.width(), stride});
        work(m_value, Columns<Address>{rows + (attention.width() + attention.kvWidth()), stride});
    }
    void backwardQkvWeights(ConstValues qkvGradient, ConstValues input, const Context &context) const
    {
        forEachOfQkv(qkvGradient, context.shape, [&](Parameter &weight, const Columns<ConstValues> &columns) {
            backwardWeight(weight, columns, input, context);
        });
    }
    /// Computes the weight gradients of gate and up, after their gradients have overwritten them.
    void backwardMlpWeights(const LlamaSaved &kept, const Context &context) const
    {
        backwardWeight(m_gate, {kept.gate, context.shape.ffn}, kept.norm2, context);
        backwardWeight(m_up, {kept.up, context.shape.ffn}, kept.norm2, context);
    }
    /// Rotates queries and keys in place.
    static void turn(Values qkv, Turn direction, const Context &context)
    {
        const kernels::AttentionShape attention = context.shape.attention();
        context.compute.rotate(qkv, context.workspace.constants.data(),
                               {.rows = context.shape.tokens(),
                                .sequence = attention.sequence,
                                .heads = attention.heads + attention.kvHeads,
                                .size = attention.size,
                                .stride = attention.qkvWidth()},
                               direction);
    }

    Parameter &m_query;
    Parameter &m_key;
    Parameter &m_value;
    Parameter &m_attentionOut;
    Parameter &m_gate;
    Parameter &m_up;
    Parameter &m_down;
    Norm m_attentionNorm;
    Norm m_mlpNorm;
};

ParameterInfo norm(std::string name, std::int64_t width)
{
    return {std::move(name), 1, width, false, Fill::Ones, 0};
}

class LlamaArchitecture : public Architecture {
public:
    [[nodiscard]] Anatomy anatomy() const override { return {9, false, false}; }

    /// Initialises as transformers: every matrix is normal with the same deviation.
    [[nodiscard]] std::vector<ParameterInfo> parameters(const model::ModelConfig &model) const override
    {
        const std::int64_t h = model.hidden;
        const std::int64_t query = model::queryWidth(model);
        const std::int64_t keyValue = model::keyValueWidth(model);
        std::vector<ParameterInfo> list{normalMatrix("model.embed_tokens.weight", model.vocabularySize, h)};
        for (int layer = 0; layer < model.layers; ++layer) {
            const std::string name = base::concat("model.layers.", layer, ".");
            list.push_back(normalMatrix(name + "self_attn.q_proj.weight", query, h));
            list.push_back(normalMatrix(name + "self_attn.k_proj.weight", keyValue, h));
            list.push_back(normalMatrix(name + "self_attn.v_proj.weight", keyValue, h));
            list.push_back(normalMatrix(name + "self_attn.o_proj.weight", h, query));
            list.push_back(normalMatrix(name + "mlp.gate_proj.weight", model.ffn, h));
            list.push_back(normalMatrix(name + "mlp.up_proj.weight", model.ffn, h));
            list.push_back(normalMatrix(name + "mlp.down_proj.weight", h, model.ffn));
            list.push_back(norm(name + "input_layernorm.weight", h));
            list.push_back(norm(name + "post_attention_layernorm.weight", h));
        }
        list.push_back(norm("model.norm.weight", h));
        if (!model.tied)
            list.push_back(normalMatrix("lm_head.weight", model.vocabularySize, h));
        return list;
    }

    [[nodiscard]] std::int64_t savedFloats(const Shape &shape) const override
    {
        return LlamaSaved(nullptr, shape).cut.floats();
    }
    [[nodiscard]] std::unique_ptr<const Layer> makeLayer(std::span<Parameter *const> parameters) const override
    {
        return std::make_unique<LlamaLayer>(parameters);
    }

    /// Computes the angles of the rotary positions.
    [[nodiscard]] std::int64_t constantFloats(const Shape &shape) const override
    {
        return shape.sequence * shape.attention().size;
    }
    void fillConstants(float *constants, const Shape &shape) const override
    {
        kernels::rotaryAngles(constants, shape.sequence, shape.attention().size, shape.rotation);
    }
};

} // namespace

const Architecture &llamaArchitecture()
{
    static const LlamaArchitecture architecture;
    return architecture;
}

} // namespace stagelens::runtime
