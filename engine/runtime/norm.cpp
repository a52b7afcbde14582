#include "engine/runtime/norm.h"

#include "engine/runtime/architecture.h"

namespace stagelens::runtime {

std::int64_t normStatistics(const Shape &shape)
{
    return (shape.architecture->anatomy().normsHaveBias ? 2 : 1) * shape.tokens();
}

void forwardNorm(const Norm &norm, float *out, float *statistics, const float *in, const Context &context)
{
    const float *weight = norm.weight->value.data();
    const std::int64_t rows = context.shape.tokens();
    const std::int64_t width = context.shape.hidden;
    if (norm.bias == nullptr)
        return context.compute.rmsNormForward(out, statistics, in, weight, rows, width);
    context.compute.layerNormForward(out, statistics, statistics + rows, in, weight, norm.bias->value.data(), rows, width);
}

void backwardNorm(const Norm &norm, float *inGradient, const float *outGradient, const float *in, const float *statistics,
                  const Context &context)
{
    const float *weight = norm.weight->value.data();
    float *weightGradient = norm.weight->gradient.data();
    const std::int64_t rows = context.shape.tokens();
    const std::int64_t width = context.shape.hidden;
    if (norm.bias == nullptr)
        return context.compute.rmsNormBackward(inGradient, weightGradient, outGradient, in, statistics, weight, rows, width);
    context.compute.layerNormBackward(inGradient, weightGradient, norm.bias->gradient.data(), outGradient, in, statistics,
                                      statistics + rows, weight, rows, width);
}

void backwardNorm(const Norm &norm, float *gradient, const float *outGradient, float *in, const float *statistics,
                  Backward part, const Context &context)
{
    const std::int64_t floats = context.shape.boundary();
    float *before = context.workspace.wide.data();
    if (part == Backward::Inputs)
        context.compute.copy(before, gradient, floats);
    backwardNorm(norm, gradient, outGradient, in, statistics, context);
    if (part == Backward::Inputs)
        context.compute.copy(in, before, floats);
}

} // namespace stagelens::runtime
