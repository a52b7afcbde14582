// The kernels of compression on the device of a rank.
#pragma once

#include "engine/backend/compute.h"
#include "engine/operators/compression/compression.h"

namespace stagelens::runtime {

class DeviceCompression final : public operators::CompressionKernels {
public:
    explicit DeviceCompression(backend::Compute &compute) : m_compute(compute) {}

    void add(float *to, const float *from, std::int64_t count) override { m_compute.add(to, from, count); }
    void addScaled(float *to, const float *from, float factor, std::int64_t count) override
    {
        m_compute.addScaled(to, from, factor, count);
    }
    double squares(const float *values, std::int64_t count) override { return m_compute.sumOfSquares(values, count); }
    void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count) override
    {
        m_compute.encodeSignsOf(scale, message, residual, count);
    }
    void encodeSigns(float *message, float *residual, std::int64_t count) override
    {
        m_compute.encodeSigns(message, residual, count);
    }
    void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count) override
    {
        m_compute.decodeSigns(sum, messages, count);
    }
    void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen) override
    {
        m_compute.encodeGreatest(message, residual, count, chosen);
    }
    void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen) override
    {
        m_compute.decodeGreatest(sum, messages, count, chosen);
    }
    void multiplyByRight(float *left, const float *matrix, const float *right, const kernels::LowRank &shape) override
    {
        m_compute.multiplyByRight(left, matrix, right, shape);
    }
    void multiplyByLeft(float *right, const float *matrix, const float *left, const kernels::LowRank &shape) override
    {
        m_compute.multiplyByLeft(right, matrix, left, shape);
    }
    void orthonormalise(float *left, const kernels::LowRank &shape) override { m_compute.orthonormalise(left, shape); }
    void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right,
                       const kernels::LowRank &shape, int replicas) override
    {
        m_compute.decodeLowRank(sum, residual, state, left, right, shape, replicas);
    }

private:
    backend::Compute &m_compute;
};

} // namespace stagelens::runtime
