#include "engine/backend/ordered_transport.h"

#include "engine/backend/courier.h"

#include <mutex>
#include <utility>

namespace stagelens::backend {
namespace {

/// About what a sleep and a wake-up cost.
constexpr std::chrono::microseconds kLooking{50};

class OrderedTransport final : public Transport {
public:
    explicit OrderedTransport(OrderedSettings settings)
        : Transport(settings.ranks), m_describe(std::move(settings.describe)),
          m_watch(std::move(settings.progress), settings.patience),
          m_link(std::move(settings.stop), [end = m_end]() mutable { end.request_stop(); }),
          m_couriers(static_cast<std::size_t>(settings.ranks))
    {
        const bool haveCores = 2 * settings.here.size() <= std::thread::hardware_concurrency();
        const std::scoped_lock lock(m_starting); // one that fails at once looks at the others
        for (OrderedRank &rank : settings.here) {
            const int number = rank.rank;
            std::unique_ptr<Courier> &courier = m_couriers[static_cast<std::size_t>(number)];
            courier = std::make_unique<Courier>(std::move(rank), m_watch, m_end.get_token(),
                                                [this](const std::string &why) { fail(why); });
            if (haveCores)
                courier->door().lookAgainFor(kLooking);
        }
    }

    ~OrderedTransport() override { (void)end(); }

    [[nodiscard]] bool end() final
    {
        for (const auto &courier : m_couriers) // all before one is waited for: they end together
            if (courier)
                courier->leave();
        bool isOver = true;
        for (const auto &courier : m_couriers)
            isOver = (!courier || courier->end()) && isOver;
        return isOver;
    }

    void announce(std::span<const Message> order) override
    {
        for (const auto &courier : m_couriers)
            if (courier)
                courier->announce(order);
    }
    void send(int from, int to, const MessageKey &key, Tensor tensor) override
    {
        if (from == to)
            return courier(to).door().put(from, key, std::move(tensor));
        courier(from).send({from, to, key, 0}, std::move(tensor));
    }
    Tensor receive(int from, int to, const MessageKey &key) override
    {
        return courier(to).door().take(from, key, m_end.get_token());
    }
    [[nodiscard]] std::string problem() const override
    {
        const std::scoped_lock lock(m_mutex);
        return m_problem;
    }

private:
    Courier &courier(int rank) { return *m_couriers[static_cast<std::size_t>(rank)]; }

    void fail(const std::string &why)
    {
        if (m_end.stop_requested()) // of what follows from the first one nobody wants to hear
            return;
        std::string text = why;
        {
            const std::scoped_lock lock(m_starting);
            for (const auto &courier : m_couriers)
                if (courier)
                    text += "; " + courier->position(m_describe);
        }
        {
            const std::scoped_lock lock(m_mutex);
            if (!m_problem.empty())
                return;
            m_problem = std::move(text);
        }
        m_end.request_stop();
    }

    std::function<std::string(const Message &)> m_describe;
    Watch m_watch;
    std::stop_source m_end; ///< of all waits: asked by the run's stop and by a failure
    std::stop_callback<std::function<void()>> m_link;
    mutable std::mutex m_mutex;
    std::string m_problem;
    std::mutex m_starting; ///< held while the couriers are made
    std::vector<std::unique_ptr<Courier>> m_couriers;
};

} // namespace

std::unique_ptr<Transport> makeOrderedTransport(OrderedSettings settings)
{
    return std::make_unique<OrderedTransport>(std::move(settings));
}

} // namespace stagelens::backend
