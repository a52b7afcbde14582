#include "engine/runtime/layer.h"

#include "kernels/include/elementwise.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/matmul.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

using kernels::Form;

/// What a layer keeps, cut from one slab.
struct Saved {
    float *norm1;
    float *qkv;
    float *attention;
    float *middle; ///< input of the MLP half
    float *norm2;
    float *inner;     ///< before GELU
    float *activated; ///< after it
    float *mean1;
    float *rstd1;
    float *mean2;
    float *rstd2;
    float *logSumExp;

    Saved(float *slab, const Shape &shape)
    {
        const auto cut = [&slab](std::int64_t floats) {
            float *part = slab;
            slab += floats;
            return part;
        };
        const std::int64_t tokens = shape.tokens();
        norm1 = cut(shape.boundary());
        qkv = cut(3 * shape.boundary());
        attention = cut(shape.boundary());
        middle = cut(shape.boundary());
        norm2 = cut(shape.boundary());
        inner = cut(tokens * shape.ffn);
        activated = cut(tokens * shape.ffn);
        mean1 = cut(tokens);
        rstd1 = cut(tokens);
        mean2 = cut(tokens);
        rstd2 = cut(tokens);
        logSumExp = cut(tokens * shape.heads);
    }
};

/// out = in W + b (+ residual)
void forwardLinear(const Linear &map, float *out, const float *in, const float *residual, const Context &context)
{
    const std::int64_t rows = context.shape.tokens();
    const std::int64_t width = map.weight->columns;
    kernels::fillRows(out, map.bias->value.data(), residual, rows, width);
    kernels::multiply({.rows = rows,
                       .columns = width,
                       .inner = map.weight->rows,
                       .a = {in, map.weight->rows},
                       .b = {map.weight->value.data(), width},
                       .c = out,
                       .stride = width,
                       .beta = 1},
                      context.interrupt);
}

/// inGradient = outGradient W^T
void backwardInput(const Linear &map, float *inGradient, const float *outGradient, const Context &context)
{
    const std::int64_t inWidth = map.weight->rows;
    const std::int64_t width = map.weight->columns;
    kernels::multiply({.rows = context.shape.tokens(),
                       .columns = inWidth,
                       .inner = width,
                       .a = {outGradient, width},
                       .b = {map.weight->value.data(), width, Form::Transposed},
                       .c = inGradient,
                       .stride = inWidth},
                      context.interrupt);
}

/// dW += in^T outGradient, db += sum of its rows.
void backwardWeight(const Linear &map, const float *outGradient, const float *in, const Context &context)
{
    const std::int64_t rows = context.shape.tokens();
    const std::int64_t inWidth = map.weight->rows;
    const std::int64_t width = map.weight->columns;
    kernels::multiply({.rows = inWidth,
                       .columns = width,
                       .inner = rows,
                       .a = {in, inWidth, Form::Transposed},
                       .b = {outGradient, width},
                       .c = map.weight->gradient.data(),
                       .stride = width,
                       .beta = 1},
                      context.interrupt);
    kernels::addColumnSums(map.bias->gradient.data(), outGradient, rows, width);
}

void forwardNorm(const Norm &norm, float *out, float *mean, float *rstd, const float *in, const Shape &shape)
{
    kernels::layerNormForward(out, mean, rstd, in, norm.weight->value.data(), norm.bias->value.data(), shape.tokens(),
                              shape.hidden);
}

void backwardNorm(const Norm &norm, float *inGradient, const float *outGradient, const float *in, const float *mean,
                  const float *rstd, const Shape &shape)
{
    kernels::layerNormBackward(inGradient, norm.weight->gradient.data(), norm.bias->gradient.data(), outGradient, in, mean,
                               rstd, norm.weight->value.data(), shape.tokens(), shape.hidden);
}

} // namespace

std::int64_t savedFloats(const Shape &shape)
{
    return 7 * shape.boundary() + shape.tokens() * (2 * shape.ffn + 4 + shape.heads);
}

void forwardLayer(const LayerParameters &layer, float *out, const float *in, float *saved, const Context &context)
{
    const Shape &shape = context.shape;
    const Saved kept(saved, shape);
    forwardNorm(layer.attentionNorm, kept.norm1, kept.mean1, kept.rstd1, in, shape);
    forwardLinear(layer.queryKeyValue, kept.qkv, kept.norm1, nullptr, context);
    kernels::attentionForward(kept.attention, kept.logSumExp, kept.qkv, shape.attention(), context.workspace.attention.data(),
                              context.interrupt);
    forwardLinear(layer.attentionOut, kept.middle, kept.attention, in, context);
    forwardNorm(layer.mlpNorm, kept.norm2, kept.mean2, kept.rstd2, kept.middle, shape);
    forwardLinear(layer.mlpIn, kept.inner, kept.norm2, nullptr, context);
    kernels::geluForward(kept.activated, kept.inner, shape.tokens() * shape.ffn);
    if (out != nullptr)
        forwardLinear(layer.mlpOut, out, kept.activated, kept.middle, context);
}

void backwardLayer(const LayerParameters &layer, float *gradient, float *in, float *saved, Backward part,
                   const Context &context)
{
    const Shape &shape = context.shape;
    const Saved kept(saved, shape);
    float *wide = context.workspace.wide.data();
    float *narrow = context.workspace.narrow.data();
    const bool isWhole = part == Backward::Whole;
    const auto linear = [&](const Linear &map, float *inGradient, const float *outGradient, const float *input) {
        if (isWhole)
            backwardWeight(map, outGradient, input, context);
        backwardInput(map, inGradient, outGradient, context);
    };
    // The gradient before a norm is that of the linear map whose output joins the residual branch; the norm's input is free
    // to keep it, and so is `wide` in between.
    const auto norm = [&](const Norm &parameters, float *input, const float *mean, const float *rstd) {
        if (!isWhole)
            std::copy_n(gradient, shape.boundary(), wide);
        backwardNorm(parameters, gradient, narrow, input, mean, rstd, shape);
        if (!isWhole)
            std::copy_n(wide, shape.boundary(), input);
    };
    linear(layer.mlpOut, wide, gradient, kept.activated);
    kernels::geluBackward(wide, kept.inner, shape.tokens() * shape.ffn);
    linear(layer.mlpIn, narrow, wide, kept.norm2);
    if (!isWhole)
        std::copy_n(wide, shape.tokens() * shape.ffn, kept.inner);
    norm(layer.mlpNorm, kept.middle, kept.mean2, kept.rstd2);
    linear(layer.attentionOut, narrow, gradient, kept.attention);
    kernels::attentionBackward(wide, narrow, kept.qkv, kept.attention, kept.logSumExp, shape.attention(),
                               context.workspace.attention.data(), context.interrupt);
    linear(layer.queryKeyValue, narrow, wide, kept.norm1);
    if (!isWhole)
        std::copy_n(wide, 3 * shape.boundary(), kept.qkv);
    norm(layer.attentionNorm, in, kept.mean1, kept.rstd1);
}

void backwardWeights(const LayerParameters &layer, const float *in, float *saved, const Context &context)
{
    const Saved kept(saved, context.shape);
    backwardWeight(layer.mlpOut, kept.middle, kept.activated, context);
    backwardWeight(layer.mlpIn, kept.inner, kept.norm2, context);
    backwardWeight(layer.attentionOut, in, kept.attention, context);
    backwardWeight(layer.queryKeyValue, kept.qkv, kept.norm1, context);
}

} // namespace stagelens::runtime
