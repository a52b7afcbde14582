// What a device computes with.
#pragma once

#include "engine/backend/memory.h"
#include "engine/base/units.h"
#include "kernels/include/adamw.h"
#include "kernels/include/attention.h"
#include "kernels/include/embedding.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/matmul.h"
#include "kernels/include/rotary.h"
#include "kernels/include/softmax.h"
#include "kernels/include/statistics.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace stagelens::backend {

/// A device's clock beside the steady clock, over a step.
struct ClockFit {
    base::Nanos from = 0;        ///< a moment at which they were the same
    double rate = 1;             ///< steady nanoseconds in a nanosecond of the device's
    base::Nanos uncertainty = 0; ///< of a time, either way; 0 where the device's clock is the steady one
    [[nodiscard]] base::Nanos corrected(base::Nanos time) const
    {
        return time + std::llround(static_cast<double>(time - from) * (rate - 1));
    }
};

/// A pass, for those who watch a device.
struct PassLabel {
    std::string_view kind; ///< "F"
    int stage = 0;
    int microbatch = 0;
    std::uint64_t owner = 0; ///< what its kernels are known by in Gpus::stopRecording()
};

/// The kernels of one device, on its own memory and in the order of the calls: a call may return before its work is done, and
/// only what is answered, and what finish() waits for, is there for others. Pointers are to memory() of this device; tensors of
/// another device's may be read as well. What each kernel does is said where kernels/include declares the function of its name.
/// Once the interrupt of its making says yes, results are worthless.
///
/// Belongs to the thread of its device. Throws std::bad_alloc where memory is missing, and std::exception with a sentence for
/// people where the device fails.
class Compute {
public:
    /// A moment in the device's work: when all that was asked for before it is done.
    using Mark = std::int64_t;

    Compute() = default;
    virtual ~Compute() = default;
    Compute(const Compute &) = delete;
    Compute &operator=(const Compute &) = delete;

    /// Where its tensors lie.
    [[nodiscard]] virtual Memory &memory() = 0;

    /// Marks of before are forgotten.
    virtual void beginStep() = 0;
    [[nodiscard]] virtual Mark mark() = 0;
    /// Waits until all is done.
    virtual void finish() = 0;
    /// After finish(), by the steady clock.
    [[nodiscard]] virtual base::Nanos timeOf(Mark mark) = 0;

    /// How the times of this step that timeOf() has answered are to be corrected: the clocks are laid side by side once more.
    [[nodiscard]] virtual ClockFit endStep() { return {}; }

    /// What the calling thread asks for until endPass() belongs to that pass.
    virtual void beginPass(const PassLabel & /*pass*/) {}
    virtual void endPass() {}

    /// Makes values on the host, a block after the other: `make(block, first)` fills those from the first-th on.
    virtual void write(float *to, std::int64_t count,
                       const std::function<void(std::span<float> block, std::int64_t first)> &make) = 0;
    virtual void read(std::span<float> to, const float *from) = 0;
    /// Token ids where kernels can read them. The span must stay; what was answered is valid until the next beginStep().
    [[nodiscard]] virtual const std::int32_t *tokens(std::span<const std::int32_t> ids) = 0;

    virtual void copy(float *to, const float *from, std::int64_t count) = 0;
    virtual void zero(float *to, std::int64_t count) = 0;
    virtual void add(float *to, const float *from, std::int64_t count) = 0;
    virtual void scale(float *to, const float *from, float factor, std::int64_t count) = 0;
    virtual void addScaled(float *to, const float *from, float factor, std::int64_t count) = 0;
    virtual void addScaledRows(float *to, const float *from, const float *factor, std::int64_t rows, std::int64_t width) = 0;
    virtual void fillRows(float *out, const float *bias, const float *residual, std::int64_t rows, std::int64_t width) = 0;
    virtual void addColumnSums(float *sums, const float *in, std::int64_t rows, std::int64_t width) = 0;
    [[nodiscard]] virtual double sumOfSquares(const float *values, std::int64_t count) = 0;
    virtual void adamwStep(float *values, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                           std::int64_t count) = 0;

    virtual void multiply(const kernels::Product &product) = 0;

    virtual void layerNormForward(float *out, float *mean, float *rstd, const float *in, const float *weight, const float *bias,
                                  std::int64_t rows, std::int64_t width) = 0;
    virtual void layerNormBackward(float *inGradient, float *weightGradient, float *biasGradient, const float *outGradient,
                                   const float *in, const float *mean, const float *rstd, const float *weight,
                                   std::int64_t rows, std::int64_t width) = 0;
    virtual void rmsNormForward(float *out, float *rstd, const float *in, const float *weight, std::int64_t rows,
                                std::int64_t width) = 0;
    virtual void rmsNormBackward(float *inGradient, float *weightGradient, const float *outGradient, const float *in,
                                 const float *rstd, const float *weight, std::int64_t rows, std::int64_t width) = 0;
    virtual void geluForward(float *out, const float *in, std::int64_t count) = 0;
    virtual void geluBackward(float *gradient, const float *in, std::int64_t count) = 0;
    virtual void swigluForward(float *out, const float *gate, const float *up, std::int64_t count) = 0;
    virtual void swigluBackward(float *gate, float *up, const float *outGradient, std::int64_t count) = 0;
    virtual void rotate(float *rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) = 0;
    /// `scratch` has kernels::attentionScratch() floats.
    virtual void attentionForward(float *out, float *logSumExp, const float *qkv, const kernels::AttentionShape &shape,
                                  float *scratch) = 0;
    virtual void attentionBackward(float *qkvGradient, const float *outGradient, const float *qkv, const float *out,
                                   const float *logSumExp, const kernels::AttentionShape &shape, float *scratch) = 0;

    virtual void gatherRows(float *out, const float *table, const kernels::TableShard &shard, const std::int32_t *ids,
                            std::int64_t tokens) = 0;
    virtual void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, const float *in,
                                float factor, std::int64_t tokens) = 0;
    virtual void scaleRows(float *out, const float *in, const float *factor, const float *table,
                           const kernels::TableShard &shard, const std::int32_t *ids, float weight, std::int64_t tokens) = 0;

    virtual void rowMaxima(float *maximum, float *target, const kernels::LogitShard &shard, const std::int32_t *labels) = 0;
    virtual void exponentiate(float *sum, const float *maximum, const kernels::LogitShard &shard) = 0;
    virtual void localSoftmax(float *maximum, float *sum, float *target, const kernels::LogitShard &shard,
                              const std::int32_t *labels) = 0;
    virtual void combineShards(const kernels::SoftmaxStatistics &all, kernels::ShardParts parts) = 0;
    virtual void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) = 0;
    virtual void combineSums(const kernels::SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) = 0;
    virtual void shardFactors(float *factors, kernels::ShardParts parts, const kernels::SoftmaxStatistics &all) = 0;
    virtual void tokenFactors(float *factors, const kernels::SoftmaxStatistics &shard, const kernels::SoftmaxStatistics &all,
                              float weight) = 0;
    [[nodiscard]] virtual double lossSum(const kernels::SoftmaxStatistics &all) = 0;
};

/// This machine's processors, a call's work on its caller's thread. All is done when a call returns.
[[nodiscard]] std::unique_ptr<Compute> makeCpuCompute(const kernels::Interrupt &interrupt = {});

} // namespace stagelens::backend
