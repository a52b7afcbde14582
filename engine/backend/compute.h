// The kernels of a device, behind one interface for processors and GPUs.
#pragma once

#include "engine/backend/host_lane.h"
#include "engine/backend/memory.h"
#include "engine/backend/values.h"
#include "engine/base/units.h"
#include "kernels/include/adafactor.h"
#include "kernels/include/adam8bit.h"
#include "kernels/include/adamw.h"
#include "kernels/include/attention.h"
#include "kernels/include/codec.h"
#include "kernels/include/compression.h"
#include "kernels/include/embedding.h"
#include "kernels/include/experts.h"
#include "kernels/include/interrupt.h"
#include "kernels/include/lion.h"
#include "kernels/include/matmul.h"
#include "kernels/include/rotary.h"
#include "kernels/include/sampled.h"
#include "kernels/include/sgd.h"
#include "kernels/include/softmax.h"
#include "kernels/include/statistics.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace stagelens::backend {

/// A row-major operand: element (i, j) of the stored matrix has the offset i * stride + j.
struct Operand {
    ConstValues data;
    std::int64_t stride = 0;
    kernels::Form form = kernels::Form::Plain;
};

/// Arrays of numbers of 16 bits that begin this many numbers apart are aligned to 16 bytes.
inline constexpr std::int64_t kAlignedNumbers = 8;

/// Which operands a product rounds to 8 bits (kernels::roundTiles()) before it multiplies them.
enum class Rounding : unsigned char {
    None,
    ByWeight, ///< those of a product whose B is a weight: A in tiles of kCodecTile along `inner`, B in squares of tiles
    OfTokens, ///< those of a product over tokens, the gradient of a weight: both in tiles along `inner`
};

/// C[rows, columns] = epilogue(op(A)[rows, inner] op(B)[inner, columns] + D), row-major, where D is `addend` if given, else
/// beta C. All operands have the precision of the run, except that C may be float: the gradient of a weight, which accumulates
/// products; and in a product of an optimizer all may be float.
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
    ConstValues addend = {}; ///< a residual, for example
    ConstValues bias = {};
    Values between = {};                                        ///< receives the input of the activation function
    kernels::Activation activation = kernels::Activation::Gelu; ///< of the epilogue
    Rounding rounding = Rounding::None;                         ///< other than None in 16 bits only
};

/// A product for each expert that has rows. The operands of `each` are those of expert 0, as if it had all rows.
struct ExpertProduct {
    using Of = kernels::ExpertResult;
    Of of = Of::Rows;
    Product each;
    std::int64_t matrix = 0; ///< numbers of an expert's matrix
    const std::int32_t *routes = nullptr;
    kernels::RoutingShape shape;
};

/// The logits of a vocabulary shard; see kernels::LogitShardOf.
struct LogitShard {
    Values logits;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t first = 0;
    std::int64_t stride = 0; ///< of rows; `columns` on processors
};

/// The drift of a device's clock against the steady clock over a step.
struct ClockFit {
    base::Nanos from = 0;        ///< the moment at which both clocks agree
    double rate = 1;             ///< steady nanoseconds per nanosecond of the device
    base::Nanos uncertainty = 0; ///< error bound of a time, in either direction; 0 if the device uses the steady clock
    [[nodiscard]] base::Nanos corrected(base::Nanos time) const
    {
        return time + std::llround(static_cast<double>(time - from) * (rate - 1));
    }
};

/// Identifies a pass to profilers.
struct PassLabel {
    std::string_view kind; ///< "F"
    int stage = 0;
    int microbatch = 0;
    std::uint64_t owner = 0; ///< identifies its kernels in Gpus::stopRecording()
};

/// Launches the kernels of one device, in the order of the calls. A call may return before its work is done; only values that a
/// function returns, and everything before a finish(), may be used elsewhere. Pointers refer to memory() of this device;
/// tensors that another device owns may be read too. Values have the precision of the run, precision(), unless a comment allows
/// fp32; sums accumulate in float and are rounded once. kernels/include documents each kernel under the name of its function
/// here. After the interrupt is requested, results are undefined.
///
/// Used by the thread of its device. Throws std::bad_alloc if memory is exhausted, and std::exception with a readable message
/// if the device fails.
class Compute {
public:
    /// A point in the device's work: all work enqueued before it has completed.
    using Mark = std::int64_t;

    Compute() = default;
    virtual ~Compute() = default;
    Compute(const Compute &) = delete;
    Compute &operator=(const Compute &) = delete;

    /// Returns the precision of its operands.
    [[nodiscard]] virtual base::Precision precision() const = 0;
    /// Returns the memory that its tensors are allocated from.
    [[nodiscard]] virtual Memory &memory() = 0;
    /// Returns the memory of the host that is copied from and to memory().
    [[nodiscard]] virtual Memory &linkedMemory() = 0;
    /// Creates a lane of copies between the two, which must not outlive this object. Null on processors, where threads copy.
    [[nodiscard]] virtual std::unique_ptr<HostLane> makeHostLane() { return nullptr; }

    /// Begins a step. Marks of earlier steps become invalid.
    virtual void beginStep() = 0;
    [[nodiscard]] virtual Mark mark() = 0;
    /// Blocks until all enqueued work has completed.
    virtual void finish() = 0;
    /// Returns when the mark was reached, by the steady clock. Call after finish().
    [[nodiscard]] virtual base::Nanos timeOf(Mark mark) = 0;

    /// Returns the processor time of the calling thread if kernels run on it; nothing if they run on a device of their own.
    [[nodiscard]] virtual std::optional<base::Nanos> processorTime() { return std::nullopt; }

    /// Compares the clocks again and returns the correction for the times that timeOf() returned in this step.
    [[nodiscard]] virtual ClockFit endStep() { return {}; }

    /// Attributes the work that this thread enqueues until endPass() to the pass.
    virtual void beginPass(const PassLabel & /*pass*/) {}
    virtual void endPass() {}

    /// Fills `to` block by block with numbers that are computed on the host: `make(block, first)` writes the elements from
    /// `first` on. Rounds them to the precision of `to`.
    virtual void write(Values to, std::int64_t count,
                       const std::function<void(std::span<float> block, std::int64_t first)> &make) = 0;
    /// Copies to the host, converting from either precision.
    virtual void read(std::span<float> to, ConstValues from) = 0;
    /// Makes token ids readable by kernels. `ids` must stay valid; the result is valid until the next beginStep().
    [[nodiscard]] virtual const std::int32_t *tokens(std::span<const std::int32_t> ids) = 0;

    /// Copies numbers; both have the same precision.
    virtual void copy(Values to, ConstValues from, std::int64_t count) = 0;
    /// Copies the first `width` numbers of rows that are `toStride` and `fromStride` numbers apart.
    virtual void copyRows(Values to, std::int64_t toStride, ConstValues from, std::int64_t fromStride, std::int64_t rows,
                          std::int64_t width);
    virtual void zero(Values to, std::int64_t count) = 0;
    /// Computes to = from, rounded to the precision of `to`.
    virtual void round(Values to, const float *from, std::int64_t count) = 0;
    virtual void add(float *to, const float *from, std::int64_t count) = 0;
    // Between numbers of either precision and packed rows.
    virtual void pack(float *to, ConstValues from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) = 0;
    virtual void unpack(Values to, const float *from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) = 0;
    // Of either precision, the same for both.
    virtual void scale(Values to, ConstValues from, float factor, std::int64_t count) = 0;
    virtual void addScaled(Values to, ConstValues from, float factor, std::int64_t count) = 0;
    /// Replaces the first part by the sum of all parts, added in order. sumScaledParts() first multiplies row i of part k
    /// [rows, width] by factors[k, i].
    virtual void sumParts(std::span<const Values> parts, std::int64_t count) = 0;
    virtual void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) = 0;
    virtual void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) = 0;
    [[nodiscard]] virtual double sumOfSquares(const float *values, std::int64_t count) = 0;
    /// Returns the sum of each array, having waited once for all of them.
    [[nodiscard]] virtual std::vector<double> sumsOfSquares(std::span<const std::span<const float>> arrays)
    {
        std::vector<double> sums;
        for (const std::span<const float> array : arrays)
            sums.push_back(sumOfSquares(array.data(), std::ssize(array)));
        return sums;
    }
    /// Updates a parameter; also writes the new values to `rounded` if it is set.
    virtual void adamwStep(float *values, Values rounded, float *gradient, float *first, float *second,
                           const kernels::AdamW &settings, std::int64_t count) = 0;
    // Of other optimizers, in fp32.
    virtual void sgdStep(float *values, float *gradient, float *momentum, const kernels::Sgd &settings, std::int64_t count) = 0;
    virtual void lionStep(float *values, float *gradient, float *momentum, const kernels::Lion &settings,
                          std::int64_t count) = 0;
    virtual void adam8bitStep(float *values, float *gradient, const kernels::CodedMoments &moments, std::int64_t rows,
                              std::int64_t columns, const kernels::AdamW &settings) = 0;
    virtual void adafactorSums(double *sums, const kernels::AdafactorRows &part, const kernels::Adafactor &settings) = 0;
    virtual void adafactorStep(const kernels::AdafactorRows &part, double *sums, const kernels::Adafactor &settings) = 0;
    virtual void adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments,
                                     std::int64_t count, const kernels::Adafactor &settings) = 0;
    virtual void adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count,
                                     const double *sums, const kernels::Adafactor &settings) = 0;
    /// Adds sums of several devices.
    virtual void addDoubles(double *to, const double *from, std::int64_t count) = 0;

    // Of compressed gradients, in fp32.
    virtual void encodeSigns(float *message, float *residual, std::int64_t count) = 0;
    virtual void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count) = 0;
    virtual void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count) = 0;
    virtual void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen) = 0;
    virtual void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen) = 0;
    virtual void multiplyByRight(float *left, const float *matrix, const float *right, const kernels::LowRank &shape) = 0;
    virtual void multiplyByLeft(float *right, const float *matrix, const float *left, const kernels::LowRank &shape) = 0;
    virtual void orthonormalise(float *left, const kernels::LowRank &shape) = 0;
    virtual void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right,
                               const kernels::LowRank &shape, int replicas) = 0;

    virtual void multiply(const Product &product) = 0;
    /// Makes room for the greatest operands of a product that rounds them, both together.
    virtual void reserveRounded(std::int64_t numbers) { (void)numbers; }

    // Of mixtures of experts. Routes, gates, excess and bias are not of the precision of the run.
    virtual void multiplyExperts(const ExpertProduct &product) = 0;
    virtual void routeForward(float *gates, std::int32_t *routes, ConstValues logits, const float *bias,
                              const kernels::RoutingShape &shape, const kernels::RouterRule &rule) = 0;
    virtual void routeBackward(Values logits, ConstValues gateGradient, const float *gates, const std::int32_t *routes,
                               const kernels::RoutingShape &shape, const kernels::RouterRule &rule,
                               const kernels::RouterLosses &losses) = 0;
    virtual void addExcess(float *excess, const std::int32_t *routes, const kernels::RoutingShape &shape) = 0;
    virtual void balanceStep(float *bias, const float *excess, float rate, std::int64_t count) = 0;
    virtual void addRouterTotals(double *totals, const std::int32_t *routes, ConstValues logits,
                                 const kernels::RoutingShape &shape, bool isSigmoid) = 0;
    virtual void dispatchRows(Values out, ConstValues in, const std::int32_t *routes, const kernels::RoutingShape &shape,
                              std::int64_t width) = 0;
    virtual void combineRows(Values out, ConstValues rows, ConstValues addend, const std::int32_t *routes,
                             const kernels::RoutingShape &shape, std::int64_t width) = 0;
    virtual void expertSwigluForward(Values out, ConstValues gate, ConstValues up, const float *gates,
                                     const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width) = 0;
    virtual void expertSwigluBackward(Values gate, Values up, Values gateGradient, ConstValues outGradient, const float *gates,
                                      const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width) = 0;

    virtual void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                                  std::int64_t rows, std::int64_t width) = 0;
    virtual void layerNormBackward(Values inGradient, float *weightGradient, float *biasGradient, ConstValues outGradient,
                                   ConstValues in, const float *mean, const float *rstd, ConstValues weight, std::int64_t rows,
                                   std::int64_t width) = 0;
    virtual void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows,
                                std::int64_t width, float epsilon) = 0;
    virtual void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in,
                                 const float *rstd, ConstValues weight, std::int64_t rows, std::int64_t width) = 0;
    virtual void activationForward(kernels::Activation activation, Values out, ConstValues in, std::int64_t count) = 0;
    virtual void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) = 0;
    virtual void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) = 0;
    virtual void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) = 0;
    /// `scratch` needs kernels::attentionScratch() floats in fp32, none otherwise. `probabilities` may be null, and is on GPUs.
    /// `keys` and `keyGradient` are null unless the shape has AttentionShape::keys.
    virtual void attentionForward(Values out, float *logSumExp, Values probabilities, ConstValues qkv, ConstValues keys,
                                  const kernels::AttentionShape &shape, float *scratch) = 0;
    virtual void attentionBackward(Values qkvGradient, Values keyGradient, ConstValues outGradient, ConstValues qkv,
                                   ConstValues keys, ConstValues out, const float *logSumExp, ConstValues probabilities,
                                   const kernels::AttentionShape &shape, float *scratch) = 0;

    virtual void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                            std::int64_t tokens) = 0;
    virtual void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in,
                                float factor, std::int64_t tokens) = 0;
    virtual void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                           const std::int32_t *ids, float weight, std::int64_t tokens) = 0;
    /// rows[batch, sequence, width] += table[sequence, width]: adds position embeddings.
    virtual void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) = 0;
    /// table += the rows of each sequence, in sequence order.
    virtual void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                                      std::int64_t width) = 0;

    virtual void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) = 0;
    virtual void exponentiate(float *sum, const float *maximum, const LogitShard &shard) = 0;
    virtual void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard,
                              const std::int32_t *labels) = 0;
    /// Only on processors, in fp32.
    virtual void correctSample(float *logits, const kernels::SampledWords &sample, const kernels::SampledTokens &tokens)
    {
        (void)logits, (void)sample, (void)tokens;
        throw std::logic_error("this device does not train with a sampled softmax");
    }
    virtual void combineShards(const kernels::SoftmaxStatistics &all, kernels::ShardParts parts) = 0;
    virtual void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) = 0;
    virtual void combineSums(const kernels::SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) = 0;
    virtual void shardFactors(float *factors, kernels::ShardParts parts, const kernels::SoftmaxStatistics &all) = 0;
    virtual void tokenFactors(float *factors, const kernels::SoftmaxStatistics &shard, const kernels::SoftmaxStatistics &all,
                              float weight) = 0;
    /// Returns the sum of the losses of the first `counted` tokens.
    [[nodiscard]] virtual double lossSum(const kernels::SoftmaxStatistics &all, std::int64_t counted) = 0;
};

/// Computes on the processors of this machine in fp32. Each call runs on its caller's thread and returns when its work is done.
[[nodiscard]] std::unique_ptr<Compute> makeCpuCompute(const kernels::Interrupt &interrupt = {});
/// Emulates bf16 or fp16: values are stored in that precision and converted for kernels in fp32, whose results are rounded
/// once.
[[nodiscard]] std::unique_ptr<Compute> makeNarrowCpuCompute(base::Precision precision,
                                                            const kernels::Interrupt &interrupt = {});

} // namespace stagelens::backend
