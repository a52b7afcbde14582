// What a device computes with.
#pragma once

#include "engine/backend/memory.h"
#include "engine/backend/values.h"
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

/// A row-major operand: element (i, j) of the stored matrix is number i * stride + j.
struct Operand {
    ConstValues data;
    std::int64_t stride = 0;
    kernels::Form form = kernels::Form::Plain;
};

/// C[rows, columns] = epilogue(op(A)[rows, inner] op(B)[inner, columns] + D), row-major, where D is `addend`, or beta C where
/// there is none. All are in the run's precision, but for a C of float: a weight's gradient, in which products add up.
struct Product {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;
    Operand a;
    Operand b;
    Values c;
    std::int64_t stride = 0; ///< of C; with an addend or an epilogue it is `columns`
    float beta = 0;
    kernels::Epilogue epilogue = kernels::Epilogue::None;
    ConstValues addend = {}; ///< a residual, say
    ConstValues bias = {};
    Values between = {}; ///< what stands between product and GELU
};

/// Where the rows of a shard of logits stand; see kernels::LogitShardOf.
struct LogitShard {
    Values logits;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t first = 0;
};

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
/// another device's may be read as well. Values are in the run's precision, precision(), where it is not said that they may be
/// in fp32; sums are made in float and rounded once. What each kernel does is said where kernels/include declares the function
/// of its name. Once the interrupt of its making says yes, results are worthless.
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

    /// In which it computes.
    [[nodiscard]] virtual base::Precision precision() const = 0;
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

    /// Makes numbers on the host, a block after the other: `make(block, first)` fills those from the first-th on. They are
    /// rounded to the precision of `to`.
    virtual void write(Values to, std::int64_t count,
                       const std::function<void(std::span<float> block, std::int64_t first)> &make) = 0;
    /// In whichever precision they are.
    virtual void read(std::span<float> to, ConstValues from) = 0;
    /// Token ids where kernels can read them. The span must stay; what was answered is valid until the next beginStep().
    [[nodiscard]] virtual const std::int32_t *tokens(std::span<const std::int32_t> ids) = 0;

    /// In one precision, whichever it is.
    virtual void copy(Values to, ConstValues from, std::int64_t count) = 0;
    virtual void zero(Values to, std::int64_t count) = 0;
    /// to = from, rounded to the precision of `to`.
    virtual void round(Values to, const float *from, std::int64_t count) = 0;
    virtual void add(float *to, const float *from, std::int64_t count) = 0;
    virtual void scale(Values to, ConstValues from, float factor, std::int64_t count) = 0;
    virtual void addScaled(Values to, ConstValues from, float factor, std::int64_t count) = 0;
    /// The first part becomes the sum of all, added in their order; then the same of parts [rows, width] whose rows are first
    /// multiplied with factors[part, rows].
    virtual void sumParts(std::span<const Values> parts, std::int64_t count) = 0;
    virtual void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) = 0;
    virtual void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) = 0;
    [[nodiscard]] virtual double sumOfSquares(const float *values, std::int64_t count) = 0;
    /// `rounded`, where there is one, gets the new values.
    virtual void adamwStep(float *values, Values rounded, float *gradient, float *first, float *second,
                           const kernels::AdamW &settings, std::int64_t count) = 0;

    virtual void multiply(const Product &product) = 0;

    virtual void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                                  std::int64_t rows, std::int64_t width) = 0;
    virtual void layerNormBackward(Values inGradient, float *weightGradient, float *biasGradient, ConstValues outGradient,
                                   ConstValues in, const float *mean, const float *rstd, ConstValues weight, std::int64_t rows,
                                   std::int64_t width) = 0;
    virtual void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows,
                                std::int64_t width, float epsilon) = 0;
    virtual void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in,
                                 const float *rstd, ConstValues weight, std::int64_t rows, std::int64_t width) = 0;
    virtual void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) = 0;
    virtual void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) = 0;
    virtual void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) = 0;
    /// `scratch` has kernels::attentionScratch() floats where the precision is fp32.
    virtual void attentionForward(Values out, float *logSumExp, ConstValues qkv, const kernels::AttentionShape &shape,
                                  float *scratch) = 0;
    virtual void attentionBackward(Values qkvGradient, ConstValues outGradient, ConstValues qkv, ConstValues out,
                                   const float *logSumExp, const kernels::AttentionShape &shape, float *scratch) = 0;

    virtual void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                            std::int64_t tokens) = 0;
    virtual void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in,
                                float factor, std::int64_t tokens) = 0;
    virtual void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                           const std::int32_t *ids, float weight, std::int64_t tokens) = 0;
    /// rows[batch, sequence, width] += table[sequence, width]: the positions of each sequence.
    virtual void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) = 0;
    /// table += the rows of each sequence, one sequence after the other.
    virtual void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                                      std::int64_t width) = 0;

    virtual void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) = 0;
    virtual void exponentiate(float *sum, const float *maximum, const LogitShard &shard) = 0;
    virtual void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard,
                              const std::int32_t *labels) = 0;
    virtual void combineShards(const kernels::SoftmaxStatistics &all, kernels::ShardParts parts) = 0;
    virtual void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) = 0;
    virtual void combineSums(const kernels::SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) = 0;
    virtual void shardFactors(float *factors, kernels::ShardParts parts, const kernels::SoftmaxStatistics &all) = 0;
    virtual void tokenFactors(float *factors, const kernels::SoftmaxStatistics &shard, const kernels::SoftmaxStatistics &all,
                              float weight) = 0;
    /// Of the first `counted` tokens.
    [[nodiscard]] virtual double lossSum(const kernels::SoftmaxStatistics &all, std::int64_t counted) = 0;
};

/// This machine's processors, in fp32, a call's work on its caller's thread. All is done when a call returns.
[[nodiscard]] std::unique_ptr<Compute> makeCpuCompute(const kernels::Interrupt &interrupt = {});

} // namespace stagelens::backend
