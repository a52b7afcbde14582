#include "engine/backend/transport.h"

#include "kernels/include/elementwise.h"

namespace stagelens::backend {

void Transport::broadcast(int root, const MessageKey &key, Tensor tensor)
{
    for (int rank = 0; rank + 1 < m_ranks; ++rank)
        send(root, rank, key, tensor);
    send(root, m_ranks - 1, key, std::move(tensor)); // nothing of it stays behind
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

Tensor Transport::reduce(int root, const MessageKey &key)
{
    Tensor sum;
    for (int from = 0; from < m_ranks; ++from) {
        Tensor part = receive(from, root, key);
        if (!part)
            return nullptr;
        if (sum)
            kernels::add(sum->data(), part->data(), static_cast<std::int64_t>(sum->size()));
        else
            sum = std::move(part);
    }
    return sum;
}

Tensor Transport::reduceScaled(int root, const MessageKey &key, std::span<const float> factors)
{
    const std::size_t rows = factors.size() / static_cast<std::size_t>(m_ranks);
    Tensor sum;
    for (int from = 0; from < m_ranks; ++from) {
        Tensor part = receive(from, root, key);
        if (!part)
            return nullptr;
        const std::span<const float> factor = factors.subspan(static_cast<std::size_t>(from) * rows, rows);
        const auto width = static_cast<std::int64_t>(part->size() / rows);
        Tensor &to = sum ? sum : part;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::int64_t offset = static_cast<std::int64_t>(row) * width;
            if (sum)
                kernels::addScaled(to->data() + offset, part->data() + offset, factor[row], width);
            else
                kernels::scale(to->data() + offset, part->data() + offset, factor[row], width);
        }
        if (!sum)
            sum = std::move(part);
    }
    return sum;
}

} // namespace stagelens::backend
