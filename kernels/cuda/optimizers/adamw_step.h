// The settings of AdamW in the form that each element uses.
#pragma once

#include "kernels/include/adamw.h"

#include <cmath>

namespace stagelens::kernels::gpu {

struct AdamWStep {
    AdamW settings;
    float keep;           ///< factor of a value for weight decay
    float size;           ///< learning rate / correction1
    float rootCorrection; ///< square root of correction2
};

inline AdamWStep stepOf(const AdamW &settings)
{
    return {settings, 1.0F - settings.learningRate * settings.weightDecay, settings.learningRate / settings.correction1,
            std::sqrt(settings.correction2)};
}

} // namespace stagelens::kernels::gpu
