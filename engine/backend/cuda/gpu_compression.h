// The compression of gradients on a GPU.
#pragma once

#include "engine/backend/cuda/gpu_queue.h"

#include <cstdint>
#include <span>

namespace stagelens::backend {

/// Compute with the kernels of compressed gradients, which are the same for every precision of a run.
class GpuCompression : public GpuQueue {
public:
    using GpuQueue::GpuQueue;

    void encodeSigns(float *message, float *residual, std::int64_t count) final;
    void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count) final;
    void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count) final;
    void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen) final;
    void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen) final;
    void multiplyByRight(float *left, const float *matrix, const float *right, const kernels::LowRank &shape) final;
    void multiplyByLeft(float *right, const float *matrix, const float *left, const kernels::LowRank &shape) final;
    void orthonormalise(float *left, const kernels::LowRank &shape) final;
    void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right,
                       const kernels::LowRank &shape, int replicas) final;
};

} // namespace stagelens::backend
