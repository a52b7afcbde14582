#include "engine/backend/transport.h"

#include "engine/backend/compute.h"

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

Tensor Transport::reduce(int root, const MessageKey &key, Compute &compute)
{
    Tensor sum;
    for (int from = 0; from < m_ranks; ++from) {
        Tensor part = receive(from, root, key);
        if (!part)
            return nullptr;
        if (!sum) {
            sum = std::move(part);
            continue;
        }
        compute.add(sum->data(), part->data(), static_cast<std::int64_t>(sum->size()));
        compute.finish(); // before the part goes back
    }
    return sum;
}

Tensor Transport::reduceScaled(int root, const MessageKey &key, const float *factors, std::int64_t rows, Compute &compute)
{
    Tensor sum;
    for (int from = 0; from < m_ranks; ++from) {
        Tensor part = receive(from, root, key);
        if (!part)
            return nullptr;
        const float *factor = factors + from * rows;
        const std::int64_t width = static_cast<std::int64_t>(part->size()) / rows;
        if (!sum) {
            compute.scaleRows(part->data(), part->data(), factor, nullptr, {0, 0, width}, nullptr, 0, rows);
            sum = std::move(part);
            continue;
        }
        compute.addScaledRows(sum->data(), part->data(), factor, rows, width);
        compute.finish();
    }
    return sum;
}

} // namespace stagelens::backend
