#include "engine/backend/courier.h"

#include "engine/base/log.h"
#include "engine/base/text.h"

#include <algorithm>
#include <exception>
#include <future>
#include <new>
#include <stdexcept>
#include <sys/prctl.h>

namespace stagelens::backend {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Posts in the GPU's queue at a time: enough to keep it busy, few enough to stop the host from running ahead.
constexpr std::size_t kMostOnTheWay = 4;
/// What is under way is looked at all the time for so long, and then the less often the longer nothing has come: what comes in
/// the end is seen late by a thirty-second part of the time that was waited for it. With nothing under way the thread sleeps
/// until it is called, or kLongRest is over.
constexpr microseconds kPatience{100};
constexpr microseconds kShortRest{50};
constexpr microseconds kMostRest{1000};
constexpr int kRestsPerWait = 32;
constexpr milliseconds kLongRest{50};
constexpr milliseconds kLookInterval{10}; ///< at the least
/// An abort that takes longer hangs (nccl#829).
constexpr seconds kAbort{10};
/// For what is under way at the transport's end.
constexpr seconds kFarewell{10};

constexpr int kMostTimesLongest = 20;
constexpr int kColdFactor = 6;

Watch::Clock::duration restAfter(Watch::Clock::duration idle)
{
    return std::clamp<Watch::Clock::duration>(idle / kRestsPerWait, kShortRest, kMostRest);
}

} // namespace

void Watch::moved()
{
    const std::scoped_lock lock(m_mutex);
    m_changed = Clock::now();
}

void Watch::see(std::int64_t passes, Clock::time_point now)
{
    if (passes == m_passes)
        return;
    if (m_isWarm)
        m_longest = std::max(m_longest, now - m_changed);
    m_isWarm = true;
    m_passes = passes;
    m_changed = now;
}

Watch::Clock::duration Watch::stalledFor()
{
    const std::int64_t passes = m_progress();
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(m_mutex);
    see(passes, now);
    const Clock::duration most = m_isWarm ? std::max(m_patience, kMostTimesLongest * m_longest) : kColdFactor * m_patience;
    return now - m_changed > most ? now - m_changed : Clock::duration{0};
}

Courier::Courier(OrderedRank rank, Watch &watch, std::stop_token end, std::function<void(const std::string &)> fail)
    : m_rank(std::move(rank)), m_watch(watch), m_end(std::move(end)), m_fail(std::move(fail)), m_thread([this] { run(); })
{}

Courier::~Courier()
{
    leave();
}

void Courier::leave()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isLeaving = true;
    }
    m_called.notify_one();
}

bool Courier::end()
{
    leave();
    if (m_thread.joinable())
        m_thread.join();
    return !m_hangs;
}

void Courier::announce(std::span<const Message> order)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_over == m_announced)
            m_over = m_announced = 0;
        for (const Message &message : order)
            if (message.from != message.to && (message.from == m_rank.rank || message.to == m_rank.rank)) {
                m_due.push_back(message);
                ++m_announced;
            }
    }
    m_watch.moved();
    m_called.notify_one();
}

void Courier::send(const Message &message, Tensor tensor)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_outgoing.emplace(std::pair(message.key, message.to), std::move(tensor));
    }
    m_called.notify_one();
}

std::string Courier::position(const std::function<std::string(const Message &)> &describe)
{
    const std::scoped_lock lock(m_mutex);
    std::string text =
        base::concat("device ", m_rank.rank, " has carried ", m_over, " of its ", m_announced, " messages of this round");
    for (const Message &message : m_posted)
        text += base::concat(&message == &m_posted.front() ? ", under way is " : " and ", describe(message));
    if (m_due.empty())
        return text;
    const Message &next = m_due.front();
    return text +
           (next.to == m_rank.rank ? ", and next it receives "
            : canGo(next)          ? ", and next it sends "
                                   : ", and it has not made ") +
           describe(next);
}

void Courier::run()
{
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); // rests of 50 us shall not become 100
    try {
        m_communicator = m_rank.connect();
        carry();
    } catch (const std::bad_alloc &) {
        m_fail(base::concat("device ", m_rank.rank, " has no memory left for messages; lower parallel.microbatch_size"));
    } catch (const std::exception &error) {
        m_fail(error.what());
    }
    giveUp();
}

void Courier::carry()
{
    Clock::time_point leavingSince{};
    for (Clock::time_point active = Clock::now(); awaitReady();) {
        const bool moved = deliver();
        if (issue() || moved) {
            active = Clock::now();
            continue;
        }
        bool isLeaving = false;
        bool hasDue = false;
        {
            const std::scoped_lock lock(m_mutex);
            isLeaving = m_isLeaving;
            hasDue = !m_due.empty();
        }
        if (isLeaving && leavingSince == Clock::time_point{})
            leavingSince = Clock::now();
        // What has not been posted by now nobody will give or want any more.
        if (isLeaving && (hasDue || Clock::now() - leavingSince > kFarewell))
            return;
        if (isLeaving && m_onTheWay.empty()) {
            m_watch.moved();
            m_communicator->finalize();
            if (awaitReady())
                m_communicator.reset();
            return;
        }
        rest(Clock::now() - active);
    }
}

bool Courier::awaitReady()
{
    const Clock::time_point since = Clock::now();
    while (!m_end.stop_requested()) {
        if (m_communicator->isReady())
            return true;
        if (Clock::now() - since < kPatience) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(restAfter(Clock::now() - since));
        lookForStall();
    }
    return false;
}

bool Courier::deliver()
{
    const std::int64_t done = m_communicator->done();
    const bool moved = m_delivered < done;
    for (; m_delivered < done; ++m_delivered) {
        for (Carried &carried : m_onTheWay.front()) {
            {
                const std::scoped_lock lock(m_mutex);
                m_posted.pop_front();
                ++m_over;
            }
            if (carried.message.to == m_rank.rank)
                m_door.put(carried.message.from, carried.message.key, std::move(carried.tensor)); // nothing of it stays here
        }
        m_onTheWay.pop_front();
    }
    if (moved)
        m_watch.moved();
    return moved;
}

bool Courier::issue()
{
    if (m_onTheWay.size() >= kMostOnTheWay)
        return false;
    Batch batch = nextBatch();
    if (batch.empty())
        return false;
    std::vector<Parcel> parcels;
    for (const Carried &carried : batch) {
        const bool isSend = carried.message.from == m_rank.rank;
        parcels.push_back({carried.tensor->data(), carried.tensor->size() * sizeof(float),
                           isSend ? carried.message.to : carried.message.from, isSend});
    }
    m_onTheWay.push_back(std::move(batch)); // kept whatever becomes of the call
    m_communicator->post(parcels);
    return true;
}

Courier::Batch Courier::nextBatch()
{
    std::vector<Message> next;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_due.empty() || !canGo(m_due.front()))
            return {};
        next.push_back(m_due.front());
        m_due.pop_front();
        // Both directions of one peer at once. Nothing of this rank lies between the two, so that neither needs the other.
        if (!m_due.empty() && m_due.front().from == next.front().to && m_due.front().to == next.front().from &&
            canGo(m_due.front())) {
            next.push_back(m_due.front());
            m_due.pop_front();
        }
        m_posted.insert(m_posted.end(), next.begin(), next.end());
    }
    Batch batch;
    for (const Message &message : next)
        batch.push_back(pickUp(message));
    return batch;
}

bool Courier::canGo(const Message &message) const
{
    return message.to == m_rank.rank || m_outgoing.contains(std::pair(message.key, message.to));
}

Courier::Carried Courier::pickUp(const Message &message)
{
    if (message.to == m_rank.rank) {
        const auto count = static_cast<std::size_t>(message.floats);
        return {message, std::make_shared<Buffer>(m_rank.pool->take(count, kMessages))};
    }
    Tensor tensor;
    {
        const std::scoped_lock lock(m_mutex);
        // Of equal ones that which was given first.
        tensor = m_outgoing.extract(m_outgoing.lower_bound(std::pair(message.key, message.to))).mapped();
    }
    if (static_cast<std::int64_t>(tensor->size()) != message.floats)
        throw std::logic_error(base::concat("device ", m_rank.rank, " sends ", tensor->size(), " floats to device ", message.to,
                                            " where ", message.floats, " were announced"));
    return {message, std::move(tensor)};
}

void Courier::rest(Clock::duration idle)
{
    if (!m_onTheWay.empty() && idle < kPatience)
        return std::this_thread::yield();
    {
        std::unique_lock lock(m_mutex);
        const bool wasLeaving = m_isLeaving;
        m_called.wait_for(lock, m_end, m_onTheWay.empty() ? Clock::duration(kLongRest) : restAfter(idle), [&] {
            const bool hasWork = m_onTheWay.size() < kMostOnTheWay && !m_due.empty() && canGo(m_due.front());
            return hasWork || m_isLeaving != wasLeaving;
        });
        if (m_due.empty() && m_onTheWay.empty())
            return;
    }
    lookForStall();
}

void Courier::lookForStall()
{
    if (Clock::now() - m_looked < kLookInterval)
        return;
    m_looked = Clock::now();
    const Clock::duration stalled = m_watch.stalledFor();
    if (stalled > Clock::duration{0})
        throw std::runtime_error(base::concat("nothing has moved for ",
                                              base::fixedText(std::chrono::duration<double>(stalled).count(), 1),
                                              " s: a GPU hangs, or a process that has its other end"));
}

void Courier::giveUp()
{
    if (!m_communicator)
        return;
    // On a thread of its own, for it may hang where the GPU does; then what it still writes to must never be used again.
    std::promise<void> promise;
    const std::future<void> ended = promise.get_future();
    std::thread([communicator = std::move(m_communicator), ended = std::move(promise)]() mutable {
        communicator->giveUp();
        communicator.reset();
        ended.set_value();
    }).detach();
    if (ended.wait_for(kAbort) == std::future_status::ready)
        return m_onTheWay.clear();
    base::log(base::LogLevel::Warning, base::concat("NCCL could not be aborted on device ", m_rank.rank, " within ",
                                                    kAbort.count(), " s: its GPU hangs; end the process"));
    (void)new std::deque<Batch>(std::move(m_onTheWay));
    m_hangs = true;
}

} // namespace stagelens::backend
