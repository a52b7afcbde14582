#include "engine/runtime/norm.h"

#include "engine/runtime/architecture.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"

#include <algorithm>

namespace stagelens::runtime {

std::int64_t normStatistics(const Shape &shape)
{
    return (shape.architecture->anatomy().normsHaveBias ? 2 : 1) * shape.tokens();
}

void forwardNorm(const Norm &norm, float *out, float *statistics, const float *in, const Shape &shape)
{
    const float *weight = norm.weight->value.data();
    const std::int64_t rows = shape.tokens();
    if (norm.bias == nullptr)
        return kernels::rmsNormForward(out, statistics, in, weight, rows, shape.hidden);
    kernels::layerNormForward(out, statistics, statistics + rows, in, weight, norm.bias->value.data(), rows, shape.hidden);
}

void backwardNorm(const Norm &norm, float *inGradient, const float *outGradient, const float *in, const float *statistics,
                  const Shape &shape)
{
    const float *weight = norm.weight->value.data();
    float *weightGradient = norm.weight->gradient.data();
    const std::int64_t rows = shape.tokens();
    if (norm.bias == nullptr)
        return kernels::rmsNormBackward(inGradient, weightGradient, outGradient, in, statistics, weight, rows, shape.hidden);
    kernels::layerNormBackward(inGradient, weightGradient, norm.bias->gradient.data(), outGradient, in, statistics,
                               statistics + rows, weight, rows, shape.hidden);
}

void backwardNorm(const Norm &norm, float *gradient, const float *outGradient, float *in, const float *statistics,
                  Backward part, const Context &context)
{
    const std::int64_t floats = context.shape.boundary();
    float *before = context.workspace.wide.data();
    if (part == Backward::Inputs)
        std::copy_n(gradient, floats, before);
    backwardNorm(norm, gradient, outGradient, in, statistics, context.shape);
    if (part == Backward::Inputs)
        std::copy_n(before, floats, in);
}

} // namespace stagelens::runtime
