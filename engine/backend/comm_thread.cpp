#include "engine/backend/comm_thread.h"

#include "engine/base/log.h"
#include "engine/base/text.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <future>
#include <new>
#include <stdexcept>
#include <sys/prctl.h>

namespace stagelens::backend {
namespace {

/// Batches in the GPU's queue at a time: enough to keep it busy, few enough to stop the host from running ahead.
constexpr std::size_t kMostInFlight = 4;
/// Polling intervals. While batches are in flight the thread polls without a break for kBatchSpinTime, then sleeps 1 / 32 of
/// the time it has already waited, so that a completion is seen at most 3 % late. Without batches it sleeps until notified, at
/// most kIdleSleep.
constexpr std::chrono::microseconds kBatchSpinTime{100};
constexpr std::chrono::microseconds kShortestSleep{50};
constexpr std::chrono::microseconds kLongestSleep{1000};
constexpr int kSleepsPerWait = 32;
constexpr std::chrono::milliseconds kIdleSleep{50};
constexpr std::chrono::milliseconds kCheckInterval{10}; ///< for a stall
constexpr std::chrono::seconds kAbortTimeout{10};       ///< an abort that takes longer hangs (nccl#829)
constexpr std::chrono::seconds kLeaveTimeout{10};       ///< without a message

StallDetector::Clock::duration sleepAfter(StallDetector::Clock::duration idle)
{
    return std::clamp<StallDetector::Clock::duration>(idle / kSleepsPerWait, kShortestSleep, kLongestSleep);
}

} // namespace

CommThread::CommThread(OrderedRank rank, StallDetector &stalls, std::stop_token end,
                       std::function<void(const std::string &)> fail)
    : m_rank(std::move(rank)), m_stalls(stalls), m_end(std::move(end)), m_fail(std::move(fail)), m_thread([this] { run(); })
{}

CommThread::~CommThread()
{
    leave();
}

void CommThread::leave()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isLeaving = true;
    }
    m_wake.notify_one();
}

bool CommThread::end()
{
    leave();
    if (m_thread.joinable())
        m_thread.join();
    return !m_hangs;
}

void CommThread::announce(std::span<const Message> order)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_completed == m_announced)
            m_completed = m_announced = 0;
        for (const Message &message : order)
            if (message.from != message.to && (message.from == m_rank.rank || message.to == m_rank.rank)) {
                m_pending.push_back(message);
                ++m_announced;
            }
    }
    m_stalls.noteProgress();
    m_wake.notify_one();
}

void CommThread::send(const Message &message, Tensor tensor)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_outgoing.emplace(std::pair(message.key, message.to), std::move(tensor));
    }
    m_wake.notify_one();
}

std::string CommThread::position(const std::function<std::string(const Message &)> &describe)
{
    const std::scoped_lock lock(m_mutex);
    std::string text = fmt::format("{} has completed {} of {} announced messages", m_rank.name, m_completed, m_announced);
    for (const Message &message : m_inFlight)
        text += fmt::format("{}{}", &message == &m_inFlight.front() ? ", in flight is " : " and ", describe(message));
    if (m_pending.empty())
        return text;
    const Message &next = m_pending.front();
    return text +
           (next.to == m_rank.rank ? ", and next it receives "
            : canPost(next)        ? ", and next it sends "
                                   : ", and it has not computed ") +
           describe(next);
}

void CommThread::run()
{
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); // a sleep of 50 us must not take 100
    try {
        m_communicator = m_rank.connect();
        moveMessages();
    } catch (const std::bad_alloc &) {
        m_fail(m_rank.name + " ran out of memory for messages; lower parallel.microbatch_size");
    } catch (const std::exception &error) {
        m_fail(error.what());
    }
    cancel();
}

void CommThread::moveMessages()
{
    Clock::time_point leavingSince{};
    for (Clock::time_point active = Clock::now(); waitUntilReady();) {
        const bool moved = complete();
        if (post() || moved) {
            active = Clock::now();
            continue;
        }
        bool isLeaving = false;
        bool hasPending = false;
        bool isSending = false; // the messages that were sent go out; the others are cancelled
        {
            const std::scoped_lock lock(m_mutex);
            isLeaving = m_isLeaving;
            hasPending = !m_pending.empty();
            isSending = hasPending && !m_outgoing.empty() && canPost(m_pending.front());
        }
        if (isLeaving && leavingSince == Clock::time_point{})
            leavingSince = Clock::now();
        if (isLeaving &&
            ((hasPending && !isSending && m_batches.empty()) || Clock::now() - std::max(active, leavingSince) > kLeaveTimeout))
            return;
        if (isLeaving && !hasPending && m_batches.empty()) {
            m_stalls.noteProgress();
            m_communicator->finalize();
            if (waitUntilReady())
                m_communicator.reset();
            return;
        }
        sleep(Clock::now() - active);
    }
}

bool CommThread::waitUntilReady()
{
    const Clock::time_point since = Clock::now();
    while (!m_end.stop_requested()) {
        if (m_communicator->isReady())
            return true;
        if (Clock::now() - since < kBatchSpinTime) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(sleepAfter(Clock::now() - since));
        checkForStall();
    }
    return false;
}

bool CommThread::complete()
{
    const std::int64_t done = m_communicator->completed();
    const bool moved = m_completedBatches < done;
    for (; m_completedBatches < done; ++m_completedBatches) {
        for (InFlight &each : m_batches.front()) {
            {
                const std::scoped_lock lock(m_mutex);
                m_inFlight.pop_front();
                ++m_completed;
            }
            if (each.message.to == m_rank.rank)
                m_received.put(each.message.from, each.message.key,
                               std::move(each.tensor)); // the receiver gets the only reference
        }
        m_batches.pop_front();
    }
    if (moved)
        m_stalls.noteProgress();
    return moved;
}

bool CommThread::post()
{
    if (m_batches.size() >= kMostInFlight)
        return false;
    Batch batch = nextBatch();
    if (batch.empty())
        return false;
    std::vector<PointToPoint> operations;
    for (const InFlight &each : batch) {
        const bool isSend = each.message.from == m_rank.rank;
        operations.push_back(
            {each.tensor->data(), each.tensor->size() * sizeof(float), isSend ? each.message.to : each.message.from, isSend});
    }
    m_batches.push_back(std::move(batch)); // stored first: NCCL may use the memory even if post() throws
    m_communicator->post(operations);
    return true;
}

CommThread::Batch CommThread::nextBatch()
{
    std::vector<Message> next;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_pending.empty() || !canPost(m_pending.front()))
            return {};
        // Posts both directions with one peer together, and all messages with one key: those of a collective. No other message
        // of this rank is between them, and none of them depends on another.
        const auto isBeside = [&next](const Message &message) {
            const Message &first = next.front();
            const auto isSameLink = [&](const Message &each) { return each.from == message.from && each.to == message.to; };
            if (std::ranges::any_of(next, isSameLink))
                return false;
            return message.key == first.key || (next.size() == 1 && message.from == first.to && message.to == first.from);
        };
        do {
            next.push_back(m_pending.front());
            m_pending.pop_front();
        } while (!m_pending.empty() && isBeside(m_pending.front()) && canPost(m_pending.front()));
        m_inFlight.insert(m_inFlight.end(), next.begin(), next.end());
    }
    Batch batch;
    for (const Message &message : next)
        batch.push_back(withTensor(message));
    return batch;
}

bool CommThread::canPost(const Message &message) const
{
    return message.to == m_rank.rank || m_outgoing.contains(std::pair(message.key, message.to));
}

CommThread::InFlight CommThread::withTensor(const Message &message)
{
    if (message.to == m_rank.rank) {
        const auto count = static_cast<std::size_t>(message.floats);
        return {message, std::make_shared<Buffer>(m_rank.pool->allocate(count, kMessages))};
    }
    Tensor tensor;
    {
        const std::scoped_lock lock(m_mutex);
        // lower_bound: messages with equal keys are sent in the order of send().
        tensor = m_outgoing.extract(m_outgoing.lower_bound(std::pair(message.key, message.to))).mapped();
    }
    if (static_cast<std::int64_t>(tensor->size()) != message.floats)
        throw std::logic_error(fmt::format("{} sends {} floats to device {}, but {} were announced", m_rank.name,
                                           tensor->size(), message.to, message.floats));
    return {message, std::move(tensor)};
}

void CommThread::sleep(Clock::duration idle)
{
    if (!m_batches.empty() && idle < kBatchSpinTime)
        return std::this_thread::yield();
    {
        std::unique_lock lock(m_mutex);
        const bool wasLeaving = m_isLeaving;
        m_wake.wait_for(lock, m_end, m_batches.empty() ? Clock::duration(kIdleSleep) : sleepAfter(idle), [&] {
            const bool hasWork = m_batches.size() < kMostInFlight && !m_pending.empty() && canPost(m_pending.front());
            return hasWork || m_isLeaving != wasLeaving;
        });
        if (m_pending.empty() && m_batches.empty())
            return;
    }
    checkForStall();
}

void CommThread::checkForStall()
{
    if (Clock::now() - m_checked < kCheckInterval)
        return;
    m_checked = Clock::now();
    const Clock::duration stalled = m_stalls.stalledFor();
    if (stalled > Clock::duration{0})
        throw std::runtime_error(fmt::format(
            "no message and no pass has completed for {:.1f} s: a GPU or another process hangs; check both on every machine",
            std::chrono::duration<double>(stalled).count()));
}

void CommThread::cancel()
{
    if (!m_communicator)
        return;
    // The abort runs on a detached thread because it hangs if the GPU hangs. Then the buffers are leaked on purpose: NCCL may
    // still write to them.
    std::promise<void> promise;
    const std::future<void> ended = promise.get_future();
    std::thread([communicator = std::move(m_communicator), ended = std::move(promise)]() mutable {
        communicator->cancel();
        communicator.reset();
        ended.set_value();
    }).detach();
    if (ended.wait_for(kAbortTimeout) == std::future_status::ready)
        return m_batches.clear();
    base::log(base::LogLevel::Warning,
              fmt::format("NCCL could not be aborted on {} within {} s: its GPU hangs; end the process", m_rank.name,
                          kAbortTimeout.count()));
    (void)new std::deque<Batch>(std::move(m_batches));
    m_hangs = true;
}

} // namespace stagelens::backend
