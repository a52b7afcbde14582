#include "engine/backend/cuda/gpu_optimizers.h"

namespace stagelens::backend {

namespace gpu = kernels::gpu;

void GpuOptimizers::adamwStep(float *values, Values rounded, float *gradient, float *first, float *second,
                              const kernels::AdamW &settings, std::int64_t count)
{
    const auto step = [&](auto *copy) {
        run([&] { return gpu::adamwStep(stream(), values, copy, gradient, first, second, settings, count); }, "adamwStep");
    };
    if (rounded.precision() == base::Precision::Fp16)
        step(rounded.as<kernels::Fp16>());
    else
        step(rounded.as<kernels::Bf16>());
}

void GpuOptimizers::sgdStep(float *values, float *gradient, float *momentum, const kernels::Sgd &settings, std::int64_t count)
{
    run([&] { return gpu::sgdStep(stream(), values, gradient, momentum, settings, count); }, "sgdStep");
}

void GpuOptimizers::lionStep(float *values, float *gradient, float *momentum, const kernels::Lion &settings, std::int64_t count)
{
    run([&] { return gpu::lionStep(stream(), values, gradient, momentum, settings, count); }, "lionStep");
}

void GpuOptimizers::adam8bitStep(float *values, float *gradient, const kernels::CodedMoments &moments, std::int64_t rows,
                                 std::int64_t columns, const kernels::AdamW &settings)
{
    run([&] { return gpu::adam8bitStep(stream(), values, gradient, moments, rows, columns, settings); }, "adam8bitStep");
}

void GpuOptimizers::adafactorSums(double *sums, const kernels::AdafactorRows &part, const kernels::Adafactor &settings)
{
    auto *const scratch = scratchOf<double>(gpu::adafactorScratch(part.rows, part.columns));
    run([&] { return gpu::adafactorSums(stream(), sums, part, settings, scratch); }, "adafactorSums");
}

void GpuOptimizers::adafactorStep(const kernels::AdafactorRows &part, double *sums, const kernels::Adafactor &settings)
{
    run([&] { return gpu::adafactorStep(stream(), part, sums, settings); }, "adafactorStep");
}

void GpuOptimizers::adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments,
                                        std::int64_t count, const kernels::Adafactor &settings)
{
    run([&] { return gpu::adafactorVectorSums(stream(), sums, values, gradient, moments, count, settings); },
        "adafactorVectorSums");
}

void GpuOptimizers::adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count,
                                        const double *sums, const kernels::Adafactor &settings)
{
    run([&] { return gpu::adafactorVectorStep(stream(), values, gradient, moments, count, sums, settings); },
        "adafactorVectorStep");
}

void GpuOptimizers::addDoubles(double *to, const double *from, std::int64_t count)
{
    run([&] { return gpu::addDoubles(stream(), to, from, count); }, "addDoubles");
}

} // namespace stagelens::backend
