#include "kernels/include/swiglu.h"

#include "kernels/cpu/lanes.h"

namespace stagelens::kernels {
namespace {

STAGELENS_INLINE void swigluForwardLoop(float *__restrict out, const float *__restrict gate, const float *__restrict up,
                                        std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = gate[i] * sigmoidOf(gate[i]) * up[i];
}

STAGELENS_INLINE void swigluBackwardLoop(float *__restrict gate, float *__restrict up, const float *__restrict outGradient,
                                         std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float x = gate[i];
        const float sigmoid = sigmoidOf(x);
        const float slope = sigmoid * (1.0F + x * (1.0F - sigmoid));
        gate[i] = outGradient[i] * up[i] * slope;
        up[i] = outGradient[i] * x * sigmoid;
    }
}

} // namespace

void swigluForward(float *out, const float *gate, const float *up, std::int64_t count)
{
    runBest<swigluForwardLoop>(out, gate, up, count);
}

void swigluBackward(float *gate, float *up, const float *outGradient, std::int64_t count)
{
    runBest<swigluBackwardLoop>(gate, up, outGradient, count);
}

} // namespace stagelens::kernels
