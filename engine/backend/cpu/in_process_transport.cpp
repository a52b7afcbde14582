#include "engine/backend/transport.h"
#include "kernels/include/elementwise.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

namespace stagelens::backend {
namespace {

/// What lies at one rank's door, by sender and key.
class Doorstep {
public:
    void put(int from, const MessageKey &key, Tensor tensor)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_tensors.emplace(std::pair(key, from), std::move(tensor));
        }
        m_arrived.notify_one();
    }

    /// Null when the run was stopped before the tensor came.
    Tensor take(int from, const MessageKey &key, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        auto found = m_tensors.end();
        const bool came = m_arrived.wait(lock, stop, [&] {
            found = m_tensors.find(std::pair(key, from));
            return found != m_tensors.end();
        });
        return came ? m_tensors.extract(found).mapped() : nullptr;
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_arrived; ///< one reader: the rank itself
    std::map<std::pair<MessageKey, int>, Tensor> m_tensors;
};

class InProcessTransport final : public Transport {
public:
    InProcessTransport(int ranks, std::stop_token stop) : m_doors(static_cast<std::size_t>(ranks)), m_stop(std::move(stop)) {}

    void send(int from, int to, const MessageKey &key, Tensor tensor) override { door(to).put(from, key, std::move(tensor)); }
    Tensor receive(int from, int to, const MessageKey &key) override { return door(to).take(from, key, m_stop); }

    void broadcast(int root, const MessageKey &key, Tensor tensor) override
    {
        for (Doorstep &each : m_doors)
            each.put(root, key, tensor);
    }
    Tensor receiveBroadcast(int root, int rank, const MessageKey &key) override { return receive(root, rank, key); }

    void giveToAll(int rank, const MessageKey &key, Tensor part) override { broadcast(rank, key, std::move(part)); }
    std::vector<Tensor> gather(int rank, const MessageKey &key) override
    {
        std::vector<Tensor> parts;
        for (int from = 0; from < ranks(); ++from) {
            parts.push_back(receive(from, rank, key));
            if (!parts.back())
                return {};
        }
        return parts;
    }

    void giveToRoot(int rank, int root, const MessageKey &key, Tensor part) override { send(rank, root, key, std::move(part)); }
    Tensor reduce(int root, const MessageKey &key) override
    {
        Tensor sum;
        for (int from = 0; from < ranks(); ++from) {
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
    Tensor reduceScaled(int root, const MessageKey &key, const std::vector<std::vector<float>> &factors) override
    {
        Tensor sum;
        for (int from = 0; from < ranks(); ++from) {
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

private:
    [[nodiscard]] int ranks() const { return static_cast<int>(m_doors.size()); }
    Doorstep &door(int rank) { return m_doors[static_cast<std::size_t>(rank)]; }

    std::vector<Doorstep> m_doors;
    std::stop_token m_stop;
};

} // namespace

std::unique_ptr<Transport> makeInProcessTransport(int ranks, std::stop_token stop)
{
    return std::make_unique<InProcessTransport>(ranks, std::move(stop));
}

} // namespace stagelens::backend
