// What replicas exchange with 1-bit Adam (engine/operators/compression/onebit.h).
#pragma once

#include "engine/backend/transport.h"
#include "engine/operators/compression/onebit.h"
#include "engine/runtime/executor/device_compression.h"
#include "engine/runtime/executor/device_model.h"
#include "engine/runtime/layers/context.h"

#include <span>
#include <vector>

namespace stagelens::runtime {

/// One rank's part of the exchange of momentum, in rounds like those of CompressedExchange: signs to each server, their mean,
/// and its signs to all. Used by the thread of its device.
class MomentumExchange {
public:
    /// Allocates the messages. `chunk`: floats of the longest message in flight.
    MomentumExchange(const RunPlan &plan, int rank, const operators::CompressedSizes &sizes, std::int64_t chunk,
                     const Context &context, DeviceModel &model, backend::Transport &transport);

    /// Adds a parameter, whose residual another owns, and allocates its residual as a server.
    void add(Parameter &parameter, float *residual);
    /// Appends the residuals of the server.
    void addKept(std::vector<std::span<float>> &all);
    /// Chooses whether the updates of the step change the second moments, and what the gradients then are.
    void beginStep(bool isWarmUp);
    void encode();
    [[nodiscard]] int rounds() const { return 4 * m_chunks + 1; }
    /// Returns false if the run was stopped.
    [[nodiscard]] bool run(int round);
    void decode();
    /// Returns the floats that this rank sends to others.
    [[nodiscard]] std::int64_t floatsSent() const { return 2 * m_floats * (m_ranks - 1); }

private:
    struct Part {
        Parameter *parameter;
        float *residual;
        backend::Buffer served;        ///< residual of the server
        std::vector<float *> messages; ///< places of the messages to each server, then of those from each
        std::vector<float *> arrived;  ///< of the messages of all replicas to this server
    };
    [[nodiscard]] operators::ServedPart served(Part &part) const;
    /// Tells an ordered transport what a round sends: a chunk from each rank to each other.
    void announce(std::uint8_t kind, int chunk);
    [[nodiscard]] backend::Tensor messageOf(const backend::Buffer &from, int rank, int chunk);
    [[nodiscard]] bool take(std::uint8_t kind, int chunk, backend::Buffer &to);
    [[nodiscard]] operators::SummedPart partOf(int chunk) const;
    void serve();

    float m_beta1;
    int m_rank;
    int m_ranks;
    std::int64_t m_floats; ///< of a message
    std::int64_t m_chunk;
    int m_chunks;
    const Context &m_context;
    DeviceCompression m_kernels;
    DeviceModel &m_model;
    backend::Transport &m_transport;
    backend::Buffer m_messages; ///< one for each rank
    backend::Buffer m_arrived;
    std::int64_t m_used = 0; ///< of a message, by the parameters so far
    std::vector<Part> m_parts;
};

} // namespace stagelens::runtime
