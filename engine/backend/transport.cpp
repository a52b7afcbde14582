#include "engine/backend/transport.h"

#include "engine/backend/compute.h"

#include <array>
#include <cstddef>
#include <memory_resource>

namespace stagelens::backend {
namespace {

/// The parts of a reduction. Allocates on the stack if there are few.
class PartsOfAll {
public:
    /// Returns false if the run was stopped.
    [[nodiscard]] bool receive(Transport &transport, int root, const MessageKey &key, base::Precision precision)
    {
        for (int from = 0; from < transport.ranks(); ++from) {
            const Tensor &part = m_tensors.emplace_back(transport.receive(from, root, key));
            if (!part)
                return false;
            m_values.emplace_back(part->data(), precision);
        }
        return true;
    }
    [[nodiscard]] std::span<const Values> values() const { return m_values; }
    /// Each part begins so many numbers later.
    void advance(std::int64_t numbers)
    {
        for (Values &each : m_values)
            each = each + numbers;
    }
    [[nodiscard]] const Tensor &first() const { return m_tensors.front(); }

private:
    std::array<std::byte, 4096> m_bytes;
    std::pmr::monotonic_buffer_resource m_memory{m_bytes.data(), m_bytes.size()};
    std::pmr::vector<Tensor> m_tensors{&m_memory};
    std::pmr::vector<Values> m_values{&m_memory};
};

} // namespace

void Transport::broadcast(int root, const MessageKey &key, Tensor tensor)
{
    for (int rank = 0; rank + 1 < m_ranks; ++rank)
        send(root, rank, key, tensor);
    send(root, m_ranks - 1, key, std::move(tensor)); // moves the last reference
}

bool Transport::gather(int rank, const MessageKey &key, std::vector<Tensor> &parts)
{
    parts.clear();
    for (int from = 0; from < m_ranks; ++from) {
        parts.push_back(receive(from, rank, key));
        if (!parts.back())
            return false;
    }
    return true;
}

Tensor Transport::reduce(int root, const MessageKey &key, Compute &compute, std::optional<base::Precision> precision)
{
    const base::Precision each = precision.value_or(compute.precision());
    PartsOfAll parts;
    if (!parts.receive(*this, root, key, each))
        return nullptr;
    const auto bytes = static_cast<std::int64_t>(parts.first()->values().size_bytes());
    compute.sumParts(parts.values(), bytes / base::elementBytes(each));
    compute.finish(); // before the parts are released
    return parts.first();
}

Tensor Transport::reduceScaled(int root, const MessageKey &key, const float *factors, std::span<const RowBlock> blocks,
                               Compute &compute)
{
    PartsOfAll parts;
    if (!parts.receive(*this, root, key, compute.precision()))
        return nullptr;
    for (const RowBlock &block : blocks) {
        compute.sumScaledParts(parts.values(), factors, block.rows, block.width);
        factors += m_ranks * block.rows;
        parts.advance(block.rows * block.width);
    }
    compute.finish();
    return parts.first();
}

} // namespace stagelens::backend
