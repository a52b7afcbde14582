// Writes the passes of a device with two stages, for families whose order is a fixed rule.
#pragma once

#include "engine/passes/pass.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace stagelens::schedule {

/// One of a device's two stages, with its microbatches: the first one and each `step`-th after it.
struct Chunk {
    int stage = 0;
    int firstMicrobatch = 0;
    int step = 1;
};

/// Writes the passes of each kind and chunk in microbatch order. A rule may request more microbatches than exist, to fill the
/// pipeline; their passes are omitted, and the order stays free of deadlock.
class ChunkWriter {
public:
    ChunkWriter(const std::array<Chunk, 2> &chunks, int microbatches) : m_chunks(chunks), m_microbatches(microbatches) {}

    void forward(std::size_t chunk) { emit(PassKind::F, chunk, m_forwards[chunk]++); }
    void backward(std::size_t chunk) { emit(PassKind::B, chunk, m_backwards[chunk]++); }
    void inputGradient(std::size_t chunk);
    /// W of the chunk's earliest I that has none yet; nothing if there is none.
    void weightGradient(std::size_t chunk);
    /// F of one chunk and B of the other, overlapped if both exist.
    void pair(std::size_t forwardChunk);

    /// Returns the number of F that the rule has requested.
    [[nodiscard]] int forwards(std::size_t chunk) const { return m_forwards[chunk]; }
    [[nodiscard]] bool hasPendingWeightGradient(std::size_t chunk) const { return m_nextWeight[chunk] < m_split[chunk].size(); }
    [[nodiscard]] std::vector<Pass> take() { return std::move(m_passes); }

private:
    void emit(PassKind kind, std::size_t chunk, int count);

    std::array<Chunk, 2> m_chunks;
    int m_microbatches;
    std::array<int, 2> m_forwards{};
    std::array<int, 2> m_backwards{};
    std::array<std::vector<int>, 2> m_split; ///< the backwards that are split
    std::array<std::size_t, 2> m_nextWeight{};
    std::vector<Pass> m_passes;
};

} // namespace stagelens::schedule
