#include "engine/schedule/order/squeeze.h"

#include "engine/schedule/order/squeeze_lanes.h"
#include "engine/schedule/order/wake_times.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace stagelens::schedule {

namespace {

using base::Nanos;

/// Number of microbatches whose sharded embeddings are computed ahead of F of the first stage.
constexpr std::size_t kEmbeddingsAhead = 2;
constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

/// The result of a device's search for its next pass.
struct Choice {
    Lane *lane = nullptr;          ///< the lane whose next pass runs; null if none can
    std::uint32_t rank = kNoPlace; ///< the lowest runs first
    /// Passes that will be ready at a known later time.
    struct Coming {
        Nanos ready;
        std::uint32_t place;
        std::uint32_t rank;
    };
    std::vector<Coming> coming;
    std::uint32_t blocked = kNoPlace; ///< the first forward that waits only for memory

    /// Clears the result and keeps its storage.
    void reset()
    {
        lane = nullptr;
        rank = blocked = kNoPlace;
        coming.clear();
    }
};

/// The progress of the microbatches of all directions through a stage whose successors run in microbatch order.
struct Crossing {
    std::vector<Nanos> ends;                 ///< of each microbatch
    std::size_t arrived = 0;                 ///< length of the prefix of microbatches that have arrived
    Nanos latest = 0;                        ///< latest end of these
    std::size_t released = 0;                ///< microbatches whose next pass is ready
    std::array<std::size_t, 2> releasedOf{}; ///< the same, of each direction

    void arrive(int microbatch, Nanos end)
    {
        ends[static_cast<std::size_t>(microbatch)] = end;
        for (; arrived < ends.size() && ends[arrived] < kNever; ++arrived)
            latest = std::max(latest, ends[arrived]);
    }
};

class Squeezer {
public:
    Squeezer(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options);
    TimedOrder run();

private:
    [[nodiscard]] std::uint32_t firstForward(LaneDevice &device) const;
    [[nodiscard]] bool fits(const LaneDevice &device, const Lane &forward, std::uint32_t firstRank) const;
    [[nodiscard]] bool mayRun(const LaneDevice &device, std::uint32_t place) const;
    void offer(const LaneDevice &device, Lane &lane, std::uint32_t rank);
    void offerReady(const LaneDevice &device, Lane &lane, Nanos now);
    void offerForwards(LaneDevice &device, Nanos now);
    void offerWeights(const LaneDevice &device);
    void look(std::size_t at, Nanos now);
    void start(std::size_t at, Lane &lane, Nanos now);
    void makeReady(Lane &lane, int device, std::size_t index, Nanos ready);
    void enter(int microbatch, Nanos end);
    void turn(int microbatch, Nanos end);
    void release(Crossing &crossing, LaneKind kind, int stage, std::size_t count);
    void wakeAt(std::size_t at, Nanos time);

    const LayerOrder &m_order;
    const SqueezeOptions &m_options;
    Lanes m_lanes;
    LayerOrder m_made;
    Choice m_choice;    ///< of the device that searches
    Crossing m_entries; ///< F of the first stage, with barriers
    Crossing m_turns;   ///< F of the last stage, with barriers
    WakeTimes m_wakes;
};

Squeezer::Squeezer(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options)
    : m_order(order), m_options(options),
      m_lanes(makeLanes(order, durations, options)), m_made{order.placement,
                                                            std::vector<std::vector<Pass>>(order.devices.size())},
      m_wakes(order.devices.size())
{
    if (options.barriers > 0) {
        std::size_t microbatches = 0;
        for (int direction = 0; direction < m_lanes.directions; ++direction)
            microbatches += m_lanes.at(Forward, direction, 0).places.size();
        m_entries.ends.assign(microbatches, kNever);
        m_turns.ends.assign(microbatches, kNever);
        release(m_entries, Forward, 0, kEmbeddingsAhead);
    }
    for (std::size_t at = 0; at < m_lanes.devices.size(); ++at) {
        m_made.devices[at].reserve(order.devices[at].size());
        m_wakes.wakeAt(at, 0);
    }
}

/// Returns the rank of the device's first forward that has not started.
std::uint32_t Squeezer::firstForward(LaneDevice &device) const
{
    std::uint32_t first = kNoPlace;
    for (const Lane *const lane : device.lanes[Forward])
        if (!lane->isDone())
            first = std::min(first, lane->ranks[lane->next]);
    for (Lane *const lane : device.lanes[Forward])
        while (lane->overtaken < lane->next && lane->ranks[lane->overtaken] < first)
            ++lane->overtaken;
    return first;
}

/// Returns whether the next pass of a lane may start. `firstRank` is the rank of the device's first forward that has not.
bool Squeezer::fits(const LaneDevice &device, const Lane &forward, std::uint32_t firstRank) const
{
    if (device.held >= device.cap)
        return false;
    if (forward.ranks[forward.next] == firstRank)
        return true;
    const std::size_t ahead = device.forwards - firstRank;
    const std::size_t aheadOfLane = forward.next - forward.overtaken;
    const std::size_t count = forward.next + 1 + ahead - aheadOfLane;
    return count < forward.firstRank.size() && firstRank >= forward.firstRank[count];
}

bool Squeezer::mayRun(const LaneDevice &device, std::uint32_t place) const
{
    const bool isBound =
        m_options.freedom == Freedom::None ||
        (m_options.freedom == Freedom::Ends && device.first > device.full && device.first < device.lastForward);
    return !isBound || place == device.first;
}

void Squeezer::offer(const LaneDevice &device, Lane &lane, std::uint32_t rank)
{
    const std::uint32_t place = lane.places[lane.next];
    if (rank >= m_choice.rank ||
        !(mayRun(device, place) || (lane.kind == Weight && m_options.weightsFill && m_options.freedom != Freedom::None)))
        return;
    m_choice.lane = &lane;
    m_choice.rank = rank;
}

/// Offers the next pass of a lane of F, B or I if it is ready.
void Squeezer::offerReady(const LaneDevice &device, Lane &lane, Nanos now)
{
    const Nanos ready = lane.ready[lane.next];
    const bool isLate = m_options.backwardsFirst && lane.kind == Forward;
    const std::uint32_t rank = lane.places[lane.next] + (isLate ? static_cast<std::uint32_t>(device.hasRun.size()) : 0);
    if (ready <= now)
        offer(device, lane, rank);
    else if (ready < kNever)
        m_choice.coming.push_back({ready, lane.places[lane.next], rank});
}

void Squeezer::offerForwards(LaneDevice &device, Nanos now)
{
    const std::uint32_t firstRank = firstForward(device);
    for (Lane *const lane : device.lanes[Forward]) {
        if (lane->isDone())
            continue;
        if (fits(device, *lane, firstRank))
            offerReady(device, *lane, now);
        else if (device.held >= device.cap && lane->ready[lane->next] <= now)
            m_choice.blocked = std::min(m_choice.blocked, lane->places[lane->next]);
    }
}

void Squeezer::offerWeights(const LaneDevice &device)
{
    // A W that fills gaps has the priority of the forward that it frees memory for; otherwise any other work goes first.
    if (m_options.weightsFill && m_choice.lane != nullptr && m_choice.blocked == kNoPlace)
        return;
    for (std::size_t i = 0; i < device.lanes[Weight].size(); ++i) {
        Lane &lane = *device.lanes[Weight][i];
        if (lane.isDone() || lane.next >= device.lanes[Backward][i]->next)
            continue;
        const std::uint32_t place = lane.places[lane.next];
        offer(device, lane, m_options.weightsFill ? std::min(m_choice.blocked, place) : place);
    }
}

/// Runs the best ready pass, if any.
void Squeezer::look(std::size_t at, Nanos now)
{
    LaneDevice &device = m_lanes.devices[at];
    m_choice.reset();
    offerForwards(device, now);
    for (Lane *const lane : device.lanes[Backward])
        if (!lane->isDone())
            offerReady(device, *lane, now);
    offerWeights(device);
    const auto isAwaited = [&](const Choice::Coming &coming) {
        return coming.rank < m_choice.rank && coming.ready < now + m_choice.lane->duration && mayRun(device, coming.place);
    };
    if (m_options.isPatient && m_choice.lane != nullptr && std::ranges::any_of(m_choice.coming, isAwaited))
        m_choice.lane = nullptr;
    if (m_choice.lane != nullptr)
        return start(at, *m_choice.lane, now);
    for (const Choice::Coming &coming : m_choice.coming)
        wakeAt(at, coming.ready);
}

void Squeezer::start(std::size_t at, Lane &lane, Nanos now)
{
    LaneDevice &device = m_lanes.devices[at];
    const std::size_t index = lane.next++;
    const std::uint32_t place = lane.places[index];
    const Pass &pass = m_order.devices[at][place];
    m_made.devices[at].push_back(pass);
    device.held += activationChange(pass.kind);
    device.forwards += pass.kind == PassKind::F ? 1 : 0;
    device.hasRun[place] = 1;
    while (device.first < device.hasRun.size() && device.hasRun[device.first] != 0)
        ++device.first;
    device.free = now + lane.duration;
    wakeAt(at, device.free);
    const bool isForwardInOrder = m_options.barriers > 0 && pass.kind == PassKind::F;
    if (isForwardInOrder && pass.stage == 0)
        enter(pass.microbatch, device.free);
    if (isForwardInOrder && pass.stage == m_order.placement.lastStage())
        turn(pass.microbatch, device.free);
    else if (lane.follower != nullptr)
        makeReady(*lane.follower, lane.followerDevice, index, device.free + lane.latency);
}

void Squeezer::makeReady(Lane &lane, int device, std::size_t index, Nanos ready)
{
    lane.ready[index] = ready;
    wakeAt(static_cast<std::size_t>(device), ready);
}

/// Handles the end of F of the first stage. Sharded embeddings are computed in microbatch order, two ahead.
void Squeezer::enter(int microbatch, Nanos end)
{
    m_entries.arrive(microbatch, end);
    release(m_entries, Forward, 0, m_entries.arrived + kEmbeddingsAhead);
}

/// Handles the end of F of the last stage, for which backwards may wait. The last F releases all remaining backwards.
void Squeezer::turn(int microbatch, Nanos end)
{
    m_turns.arrive(microbatch, end);
    const std::size_t barriers = m_turns.arrived < m_turns.ends.size() ? static_cast<std::size_t>(m_options.barriers) : 0;
    release(m_turns, Backward, m_order.placement.lastStage(), m_turns.arrived - std::min(m_turns.arrived, barriers));
}

/// Makes passes of a stage ready, over all directions, until those of `count` microbatches are.
void Squeezer::release(Crossing &crossing, LaneKind kind, int stage, std::size_t count)
{
    for (; crossing.released < std::min(count, crossing.ends.size()); ++crossing.released) {
        const int direction = m_order.placement.directionOf(static_cast<int>(crossing.released));
        makeReady(m_lanes.at(kind, direction, stage), m_order.placement.deviceOf(stage, direction),
                  crossing.releasedOf[static_cast<std::size_t>(direction)]++, crossing.latest);
    }
}

void Squeezer::wakeAt(std::size_t at, Nanos time)
{
    m_wakes.wakeAt(at, std::max(time, m_lanes.devices[at].free));
}

TimedOrder Squeezer::run()
{
    while (const auto wake = m_wakes.take())
        look(wake->second, wake->first);
    TimedOrder squeezed{std::move(m_made), 0};
    for (const LaneDevice &device : m_lanes.devices)
        squeezed.makespan = std::max(squeezed.makespan, device.free);
    assert(std::ranges::all_of(m_lanes.all, &Lane::isDone));
    return squeezed;
}

} // namespace

TimedOrder squeeze(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options)
{
    return Squeezer(order, durations, options).run();
}

} // namespace stagelens::schedule
