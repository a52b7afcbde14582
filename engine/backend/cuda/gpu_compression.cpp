#include "engine/backend/cuda/gpu_compression.h"

#include "kernels/include/parts.h"

#include <algorithm>
#include <stdexcept>

namespace stagelens::backend {

namespace gpu = kernels::gpu;

namespace {

gpu::Parts<float> partsOf(std::span<float *const> messages)
{
    if (messages.size() > static_cast<std::size_t>(gpu::kMostParts))
        throw std::runtime_error("the GPU's kernels add the messages of at most 64 replicas; choose fewer, or powersgd");
    gpu::Parts<float> parts;
    std::ranges::copy(messages, parts.at);
    parts.count = static_cast<int>(messages.size());
    return parts;
}

} // namespace

void GpuCompression::encodeSigns(float *message, float *residual, std::int64_t count)
{
    auto *const scratch = scratchOf<double>(gpu::signsScratch(count));
    run([&] { return gpu::encodeSigns(stream(), message, residual, count, scratch); }, "encodeSigns");
}

void GpuCompression::encodeSignsOf(float scale, float *message, float *residual, std::int64_t count)
{
    run([&] { return gpu::encodeSignsOf(stream(), scale, message, residual, count); }, "encodeSignsOf");
}

void GpuCompression::decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count)
{
    run([&] { return gpu::decodeSigns(stream(), sum, partsOf(messages), count); }, "decodeSigns");
}

void GpuCompression::encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen)
{
    auto *const scratch = scratchOf<std::int64_t>(gpu::greatestScratch(count));
    run([&] { return gpu::encodeGreatest(stream(), message, residual, count, chosen, scratch); }, "encodeGreatest");
}

void GpuCompression::decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen)
{
    run([&] { return gpu::decodeGreatest(stream(), sum, partsOf(messages), count, chosen); }, "decodeGreatest");
}

void GpuCompression::multiplyByRight(float *left, const float *matrix, const float *right, const kernels::LowRank &shape)
{
    multiply({.rows = shape.rows,
              .columns = shape.rank,
              .inner = shape.columns,
              .a = {matrix, shape.columns},
              .b = {right, shape.rank},
              .c = left,
              .stride = shape.rank});
}

void GpuCompression::multiplyByLeft(float *right, const float *matrix, const float *left, const kernels::LowRank &shape)
{
    multiply({.rows = shape.columns,
              .columns = shape.rank,
              .inner = shape.rows,
              .a = {matrix, shape.columns, kernels::Form::Transposed},
              .b = {left, shape.rank},
              .c = right,
              .stride = shape.rank});
}

void GpuCompression::orthonormalise(float *left, const kernels::LowRank &shape)
{
    run([&] { return gpu::orthonormalise(stream(), left, shape); }, "orthonormalise");
}

void GpuCompression::decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right,
                                   const kernels::LowRank &shape, int replicas)
{
    run([&] { return gpu::decodeLowRank(stream(), sum, residual, state, left, right, shape, replicas); }, "decodeLowRank");
}

} // namespace stagelens::backend
