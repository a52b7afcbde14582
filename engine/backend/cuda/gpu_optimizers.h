// The optimizers of a device on a GPU.
#pragma once

#include "engine/backend/cuda/gpu_compression.h"

#include <cstdint>

namespace stagelens::backend {

/// Compute with the kernels of optimizers, which are the same for every precision of a run.
class GpuOptimizers : public GpuCompression {
public:
    using GpuCompression::GpuCompression;

    void adamwStep(float *values, Values rounded, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                   std::int64_t count) final;
    void sgdStep(float *values, float *gradient, float *momentum, const kernels::Sgd &settings, std::int64_t count) final;
    void lionStep(float *values, float *gradient, float *momentum, const kernels::Lion &settings, std::int64_t count) final;
    void adam8bitStep(float *values, float *gradient, const kernels::CodedMoments &moments, std::int64_t rows,
                      std::int64_t columns, const kernels::AdamW &settings) final;
    void adafactorSums(double *sums, const kernels::AdafactorRows &part, const kernels::Adafactor &settings) final;
    void adafactorStep(const kernels::AdafactorRows &part, double *sums, const kernels::Adafactor &settings) final;
    void adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments, std::int64_t count,
                             const kernels::Adafactor &settings) final;
    void adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count, const double *sums,
                             const kernels::Adafactor &settings) final;
    void addDoubles(double *to, const double *from, std::int64_t count) final;
};

} // namespace stagelens::backend
