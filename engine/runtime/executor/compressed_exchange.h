// What replicas exchange at the end of a step instead of their gradients, with compression (engine/operators/compression).
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"
#include "engine/operators/compression/compression.h"
#include "engine/runtime/executor/device_compression.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/executor/momentum_exchange.h"
#include "engine/runtime/layers/context.h"

#include <optional>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// One rank's part of the exchange of compressed gradients, in rounds like those of ReplicaExchange. It ends with the sum of
/// what all replicas have sent in the gradient of each parameter, and keeps the rest for the next step. Everything is added in
/// the order of the replicas, and compressed parameter by parameter, so that the bits depend neither on schedule nor transport.
/// Parameters that are not compressed have the bits of a plain all-reduce. Used by the thread of its device.
class CompressedExchange {
public:
    /// `transport` connects the replicas and context ranks of the device, of which this is `share`. Allocates its state.
    CompressedExchange(const RunPlan &plan, int share, const Context &context, DeviceModel &model,
                       backend::Transport &transport);

    [[nodiscard]] bool isOn() const { return m_method != nullptr; }
    /// Returns what a step leaves to the next: residuals and the state of the method, parameter by parameter, in the memory of
    /// the device.
    [[nodiscard]] std::vector<std::span<float>> kept();
    /// Chooses what the rounds of a step do: those before training.gradient_compression_after sum all numbers, with the bits of
    /// a plain all-reduce. With 1-bit Adam skipped steps, which leave no second moments, do not count.
    void beginStep(int step)
    {
        const bool countsUpdates = m_momentum && !m_model.parameters().empty();
        m_isExact = (countsUpdates ? std::min(step, m_model.parameters().front()->updates) : step) < m_after;
        if (m_momentum)
            m_momentum->beginStep(m_isExact);
    }
    [[nodiscard]] int rounds() const { return static_cast<int>(steps().size()); }
    /// Runs a round. Returns Cancelled if the run was stopped.
    [[nodiscard]] base::Result<> run(int round);
    /// Returns the bytes that this rank sends to others.
    [[nodiscard]] base::Bytes bytesSent() const;

private:
    struct Step {
        enum class Kind : unsigned char { Encode, SendParts, AddParts, TakeSums, SendAll, TakeAll, Momentum, Decode } kind;
        int message =
            0; ///< 0 and 1: sums; 2: of Exchange::Gathers; from kFirstWhole on: the gradients that are compressed later
        std::int64_t chunk = 0; ///< of Momentum: a round of m_momentum
    };
    /// A compressed parameter.
    struct Compressed {
        Parameter *parameter;
        backend::Buffer residual;
        backend::Buffer state;
        std::vector<float *> messages; ///< places in the buffers
    };
    void allocate(std::uint64_t seed);
    void planSteps();
    /// Appends the rounds that sum a message over the replicas.
    void addSum(std::vector<Step> &steps, int message, std::int64_t floats) const;
    [[nodiscard]] const std::vector<Step> &steps() const { return m_isExact ? m_exactSteps : m_steps; }
    /// Returns the numbers of a summed message.
    [[nodiscard]] float *dataOf(int message);
    [[nodiscard]] std::int64_t floatsOf(int message) const;
    [[nodiscard]] operators::CompressedPart partOf(Compressed &each) const;
    /// Calls `visit(parameter, place in the first sum)` for each parameter that is not compressed.
    template <class Visit>
    void eachExact(const Visit &visit);
    void encode(int message);
    void decode();
    /// Returns what a rank adds up of a chunk of a sum; may be empty.
    [[nodiscard]] operators::SummedPart chunkOf(const Step &step, int rank) const;
    /// Tells an ordered transport what a round sends: to the owner of each part, or from it to the others.
    enum class ToWhom : unsigned char { Owner, Others };
    void announce(std::uint8_t kind, const Step &step, ToWhom toWhom);
    void sendParts(const Step &step);
    [[nodiscard]] bool addParts(const Step &step);
    [[nodiscard]] bool takeSums(const Step &step);
    void sendAll(const Step &step);
    [[nodiscard]] bool takeAll(const Step &step);
    [[nodiscard]] operators::SummedPart gatheredChunk(const Step &step) const;
    [[nodiscard]] backend::Tensor messageOf(const float *from, const operators::SummedPart &part);

    const operators::CompressionChoice &m_choice;
    int m_after; ///< steps without compression
    bool m_isExact = false;
    const operators::Compression *m_method = nullptr; ///< null: nothing is compressed
    int m_rank;
    int m_ranks;
    const Context &m_context;
    DeviceCompression m_kernels;
    DeviceModel &m_model;
    backend::Transport &m_transport;
    operators::CompressedSizes m_sizes;
    std::int64_t m_chunk = 1; ///< floats of the longest message
    std::vector<Compressed> m_compressed;
    std::array<backend::Buffer, 2> m_sums;
    backend::Buffer m_gathered;                 ///< the message of each rank
    std::optional<MomentumExchange> m_momentum; ///< of Exchange::Serves
    std::vector<Step> m_steps;
    std::vector<Step> m_exactSteps; ///< of a step without compression
};

} // namespace stagelens::runtime
