#include "engine/backend/ordered_transport.h"

#include "engine/backend/comm_thread.h"

#include <mutex>
#include <utility>

namespace stagelens::backend {
namespace {

/// About the cost of a sleep and a wake-up.
constexpr std::chrono::microseconds kReceiveSpinTime{50};

class OrderedTransport final : public Transport {
public:
    explicit OrderedTransport(OrderedSettings settings)
        : Transport(settings.ranks), m_describe(std::move(settings.describe)),
          m_stalls(std::move(settings.progress), settings.stallTimeout),
          m_link(std::move(settings.stop), [end = m_end]() mutable { end.request_stop(); }),
          m_commThreads(static_cast<std::size_t>(settings.ranks))
    {
        const bool haveCores = 2 * settings.here.size() <= std::thread::hardware_concurrency();
        const std::scoped_lock lock(m_starting); // fail() of one thread reads the others
        for (OrderedRank &rank : settings.here) {
            const int number = rank.rank;
            std::unique_ptr<CommThread> &thread = m_commThreads[static_cast<std::size_t>(number)];
            thread = std::make_unique<CommThread>(std::move(rank), m_stalls, m_end.get_token(),
                                                  [this](const std::string &why) { fail(why); });
            if (haveCores)
                thread->received().spinFor(kReceiveSpinTime);
        }
    }

    ~OrderedTransport() override { (void)end(); }

    [[nodiscard]] bool end() final
    {
        for (const auto &thread : m_commThreads) // before joining any, so that they end concurrently
            if (thread)
                thread->leave();
        bool isOver = true;
        for (const auto &thread : m_commThreads)
            isOver = (!thread || thread->end()) && isOver;
        return isOver;
    }

    [[nodiscard]] bool isOrdered() const override { return true; }
    void announce(int rank, std::span<const Message> order) override { commThread(rank).announce(order); }
    void send(int from, int to, const MessageKey &key, Tensor tensor) override
    {
        if (from == to)
            return commThread(to).received().put(from, key, std::move(tensor));
        commThread(from).send({from, to, key, 0}, std::move(tensor));
    }
    Tensor receive(int from, int to, const MessageKey &key) override
    {
        return commThread(to).received().take(from, key, m_end.get_token());
    }
    [[nodiscard]] std::string problem() const override
    {
        const std::scoped_lock lock(m_mutex);
        return m_problem;
    }

private:
    CommThread &commThread(int rank) { return *m_commThreads[static_cast<std::size_t>(rank)]; }

    void fail(const std::string &why)
    {
        if (m_end.stop_requested()) // later failures follow from the first one
            return;
        std::string text = why;
        {
            const std::scoped_lock lock(m_starting);
            for (const auto &thread : m_commThreads)
                if (thread)
                    text += "; " + thread->position(m_describe);
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
    StallDetector m_stalls;
    std::stop_source m_end; ///< ends all waits; requested when the run stops or a rank fails
    std::stop_callback<std::function<void()>> m_link;
    mutable std::mutex m_mutex;
    std::string m_problem;
    std::mutex m_starting; ///< held while the threads are created
    std::vector<std::unique_ptr<CommThread>> m_commThreads;
};

} // namespace

std::unique_ptr<Transport> makeOrderedTransport(OrderedSettings settings)
{
    return std::make_unique<OrderedTransport>(std::move(settings));
}

} // namespace stagelens::backend
