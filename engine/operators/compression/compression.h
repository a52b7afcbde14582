// Compression of gradients between replicas, with error feedback (Karimireddy et al., arXiv 1901.09847): one file each in this
// folder. The schema, memory plans, predictions and training read the description below.
//
// A replica adds the gradient of a step to the residual, which is the part that it has not sent. It sends a compressed form of
// the sum and keeps the rest. Everything sent plus all residuals therefore equals the sum of the gradients.
#pragma once

#include "engine/operators/compression/choice.h"
#include "engine/operators/optimizers/optimizer.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stagelens::kernels {
struct LowRank;
} // namespace stagelens::kernels

namespace stagelens::operators {

/// A matrix whose gradient a replica compresses, in the memory of its device, row after row.
struct CompressedPart {
    PartShape shape;
    float *gradient = nullptr; ///< becomes the sum over all replicas of the parts that were sent
    float *residual = nullptr; ///< at first also holds the gradient of the step; see addToResidual()
    float *state = nullptr;    ///< state of the method between steps
};

/// The kernels of compression, as kernels/include/compression.h documents them. The runtime runs them on a device.
class CompressionKernels {
public:
    CompressionKernels() = default;
    virtual ~CompressionKernels() = default;
    CompressionKernels(const CompressionKernels &) = delete;
    CompressionKernels &operator=(const CompressionKernels &) = delete;

    virtual void add(float *to, const float *from, std::int64_t count) = 0;
    virtual void addScaled(float *to, const float *from, float factor, std::int64_t count) = 0;
    [[nodiscard]] virtual double squares(const float *values, std::int64_t count) = 0;
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
};

struct Compression {
    std::string_view name;
    std::string_view caption;
    std::string_view description; ///< one line
    // The number after "=", as in powersgd=R. A method without one has an empty letter.
    std::string_view letter;
    std::string_view numberName;
    bool isWhole = false;
    double least = 0; ///< exclusive, unless whole
    double most = 0;
    double usual = 0;

    /// Whether the messages of all replicas are summed, in one or more exchanges; every replica receives those of every other;
    /// or each replica averages a part of all and sends it to the others (onebit.h, which has functions of its own).
    enum class Exchange : unsigned char { Sums, Gathers, Serves } exchange = Exchange::Gathers;
    int messages = 1; ///< of a step

    /// Returns whether the message is shorter than the gradient.
    bool (*shortens)(const CompressionChoice &choice, const PartShape &shape);
    /// Returns the floats of a message.
    std::int64_t (*floats)(const CompressionChoice &choice, const PartShape &shape, int message);
    /// Return the number of floats of the state, and initialise those of a parameter of the whole model; null: no state.
    std::int64_t (*stateFloats)(const CompressionChoice &choice, const PartShape &shape) = nullptr;
    void (*begin)(const CompressionChoice &choice, std::span<float> state, std::uint64_t seed, int parameter) = nullptr;
    // For the time of a prediction: bytes that a replica reads and writes for each element, and FLOPs.
    double bytesOfElement = 0;
    double (*flops)(const CompressionChoice &choice, const PartShape &shape) = nullptr;

    /// Writes a message of this replica to messages[message], or with Exchange::Gathers to messages[own]. With Sums, the
    /// previous messages contain their sums over the replicas.
    void (*encode)(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int message,
                   CompressionKernels &kernels) = nullptr;
    /// Writes the sum of the messages of `replicas` replicas to the gradient, and keeps the rest in the residual. `messages`
    /// are the sums, or the messages of each replica.
    void (*decode)(const CompressionChoice &choice, const CompressedPart &part, std::span<float *const> messages, int replicas,
                   CompressionKernels &kernels) = nullptr;

    /// Returns whether the gradient of a part is compressed. Vectors are not: they are small, and norms and biases are
    /// sensitive.
    [[nodiscard]] bool compresses(const CompressionChoice &choice, const PartShape &shape) const
    {
        return shape.kind != ParameterKind::Vector && shape.count() > 0 && shortens(choice, shape);
    }
};

/// Returns all methods, ordered by name.
[[nodiscard]] std::span<const Compression *const> compressions();
/// Returns the method of that name, or null.
[[nodiscard]] const Compression *findCompression(std::string_view name);

/// Adds the gradient of a step to the residual.
void addToResidual(const CompressedPart &part, CompressionKernels &kernels);

/// The data that replicas exchange for the parameters of a device, in floats. Everything is 0 without compression.
struct CompressedSizes {
    std::vector<bool> isCompressed;     ///< by parameter
    std::int64_t exact = 0;             ///< elements of the other parameters, which are summed without compression
    std::int64_t elements = 0;          ///< of the compressed parameters, each with a residual
    std::int64_t state = 0;             ///< beside the residuals
    std::array<std::int64_t, 2> sums{}; ///< floats of the messages that are summed one after the other; the first begins with
                                        ///< `exact`
    std::int64_t gathered = 0;          ///< floats of the message that each replica sends to all
    std::int64_t served = 0;            ///< floats of the message of a replica to a server, and of a server to all
    std::int64_t servedElements = 0;    ///< numbers of the residual of a server
    double flops = 0;
    double bytes = 0; ///< that a replica reads and writes to compress
    /// Returns the floats that a rank holds beside the messages in flight.
    [[nodiscard]] std::int64_t buffers(int ranks) const { return sums[0] + sums[1] + ranks * (gathered + 2 * served); }
    /// Returns the floats of all residuals and states of a rank.
    [[nodiscard]] std::int64_t kept() const { return elements + state + servedElements; }
};
[[nodiscard]] CompressedSizes compressedSizes(const CompressionChoice &choice, std::span<const PartShape> parts,
                                              int replicas = 2);

/// How replicas divide the numbers of a matrix, of which each serves a part: whole words of signs, as many for each.
class ServedCut {
public:
    ServedCut(std::int64_t count, int replicas);
    [[nodiscard]] std::int64_t first(int replica) const;
    [[nodiscard]] std::int64_t count(int replica) const { return first(replica + 1) - first(replica); }
    /// Returns the greatest part.
    [[nodiscard]] std::int64_t each() const { return m_each; }
    /// Returns the floats of a message.
    [[nodiscard]] std::int64_t floats() const;

private:
    std::int64_t m_count;
    std::int64_t m_each;
};

/// Returns the steps at the beginning of a training that exchange whole gradients: as many as are given, but 1-bit Adam, whose
/// second moments are those of these steps, has one at least, and 15 % of all steps if none are given.
[[nodiscard]] int uncompressedSteps(const CompressionChoice &choice, int given, int steps);
/// Returns whether the method exchanges momentum instead of gradients.
[[nodiscard]] bool exchangesMomentum(const CompressionChoice &choice);

/// Returns the elements of a buffer that a rank reduces for the others: [first, last).
struct SummedPart {
    std::int64_t first = 0;
    std::int64_t last = 0;
};
[[nodiscard]] SummedPart summedPart(std::int64_t floats, int ranks, int rank);
/// Returns the floats of the longest message in flight.
[[nodiscard]] std::int64_t compressedChunk(const CompressedSizes &sizes, int ranks);

} // namespace stagelens::operators
