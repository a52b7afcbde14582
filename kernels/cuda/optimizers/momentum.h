// Optimizers whose state is one momentum, with master weights in float. Bytes per parameter: 12 read (value, gradient,
// momentum), 12 written (the gradient is cleared): memory-bound.
#pragma once

#include "kernels/cuda/elementwise.h"

namespace stagelens::kernels::gpu {

/// Rule: a settings struct whose update(value, momentum, gradient) is the step of one element.
template <class Rule, int W>
STAGELENS_KERNEL(kElementThreads, 4)
momentumKernel(float *values, float *gradient, float *momentum, Rule rule, std::int64_t count)
{
    eachPack<W, 1>(count, [&](std::int64_t at) {
        Pack<W> value = load<W>(values + at);
        Pack<W> m = load<W>(momentum + at);
        const Pack<W> g = load<W>(gradient + at);
#pragma unroll
        for (int i = 0; i < W; ++i)
            rule.update(value.at[i], m.at[i], g.at[i]);
        store<W>(values + at, value);
        store<W>(momentum + at, m);
        store<W>(gradient + at, Pack<W>{});
    });
}

template <class Rule>
Status momentumStep(Stream stream, float *values, float *gradient, float *momentum, const Rule &rule, std::int64_t count)
{
    const bool isWhole = isWide<Bf16>({values, gradient, momentum}, {count});
    const Launch how = overElements(count, isWhole ? 8 : 1, stream, 1);
    if (isWhole)
        return launch<momentumKernel<Rule, 8>>(how, values, gradient, momentum, rule, count);
    return launch<momentumKernel<Rule, 1>>(how, values, gradient, momentum, rule, count);
}

} // namespace stagelens::kernels::gpu
