#include "engine/schedule/order/chunk_writer.h"

namespace stagelens::schedule {

void ChunkWriter::inputGradient(std::size_t chunk)
{
    m_split[chunk].push_back(m_backwards[chunk]);
    emit(PassKind::I, chunk, m_backwards[chunk]++);
}

void ChunkWriter::weightGradient(std::size_t chunk)
{
    if (hasPendingWeightGradient(chunk))
        emit(PassKind::W, chunk, m_split[chunk][m_nextWeight[chunk]++]);
}

void ChunkWriter::pair(std::size_t forwardChunk)
{
    const std::size_t begin = m_passes.size();
    forward(forwardChunk);
    backward(1 - forwardChunk);
    if (m_passes.size() == begin + 2)
        m_passes[begin].pairedWithNext = true;
}

void ChunkWriter::emit(PassKind kind, std::size_t chunk, int count)
{
    const Chunk &own = m_chunks[chunk];
    const std::int64_t microbatch = own.firstMicrobatch + std::int64_t{count} * own.step;
    if (microbatch < m_microbatches)
        m_passes.push_back(makePass(kind, own.stage, static_cast<int>(microbatch)));
}

} // namespace stagelens::schedule
