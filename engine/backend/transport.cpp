#include "engine/backend/transport.h"

#include "kernels/include/elementwise.h"

namespace stagelens::backend {

void Transport::broadcast(int root, const MessageKey &key, Tensor tensor)
{
    for (int rank = 0; rank + 1 < m_ranks; ++rank)
        send(root, rank, key, tensor);
    send(root, m_ranks - 1, key, std::move(tensor)); // nothing of it stays behind
}

std::vector<Tensor> Transport::gather(int rank, const MessageKey &key)
{
    std::vector<Tensor> parts;
    for (int from = 0; from < m_ranks; ++from) {
        parts.push_back(receive(from, rank, key));
        if (!parts.back())
            return {};
    }
    return parts;
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

Tensor Transport::reduceScaled(int root, const MessageKey &key, const std::vector<std::vector<float>> &factors)
{
    Tensor sum;
    for (int from = 0; from < m_ranks; ++from) {
        Tensor part = receive(from, root, key);
        if (!part)
            return nullptr;
        const std::vector<float> &factor = factors[static_cast<std::size_t>(from)];
        const auto width = static_cast<std::int64_t>(part->size() / factor.size());
        Tensor &to = sum ? sum : part;
        for (std::size_t row = 0; row < factor.size(); ++row) {
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
