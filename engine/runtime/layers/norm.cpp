#include "engine/runtime/layers/norm.h"

namespace stagelens::runtime {

void forwardNorm(const Norm &norm, Values out, float *statistics, ConstValues in, const Context &context)
{
    const ConstValues weight = norm.weight->weights();
    const std::int64_t rows = context.shape.ownTokens();
    const std::int64_t width = context.shape.hidden;
    if (norm.bias == nullptr)
        return context.compute.rmsNormForward(out, statistics, in, weight, rows, width, context.shape.normEpsilon);
    context.compute.layerNormForward(out, statistics, statistics + rows, in, weight, norm.bias->weights(), rows, width);
}

void backwardNorm(const Norm &norm, Values inGradient, ConstValues outGradient, ConstValues in, const float *statistics,
                  const Context &context)
{
    const ConstValues weight = norm.weight->weights();
    float *weightGradient = norm.weight->gradient.data();
    const std::int64_t rows = context.shape.ownTokens();
    const std::int64_t width = context.shape.hidden;
    if (norm.bias == nullptr)
        return context.compute.rmsNormBackward(inGradient, weightGradient, outGradient, in, statistics, weight, rows, width);
    context.compute.layerNormBackward(inGradient, weightGradient, norm.bias->gradient.data(), outGradient, in, statistics,
                                      statistics + rows, weight, rows, width);
}

} // namespace stagelens::runtime
