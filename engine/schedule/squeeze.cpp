#include "engine/schedule/squeeze.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace stagelens::schedule {

namespace {

using base::Nanos;

constexpr Nanos kNever = std::numeric_limits<Nanos>::max();
/// Microbatches whose sharded embeddings are made ahead of the first stage's F.
constexpr std::size_t kEmbeddingsAhead = 2;
constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

enum LaneKind : std::size_t { Forward, Backward, Weight, kLaneKinds };

LaneKind laneKindOf(PassKind kind)
{
    switch (kind) {
    case PassKind::F: return Forward;
    case PassKind::W: return Weight;
    default: return Backward;
    }
}

int heldAfter(int held, PassKind kind)
{
    return held + (kind == PassKind::F ? 1 : kind == PassKind::I ? 0 : -1);
}

/// The passes of one kind and stage of one replica, which run in their order.
struct Lane {
    std::vector<std::uint32_t> places; ///< in the device's order
    std::vector<Nanos> ready;          ///< when what each pass needs is there; unused for W, which its own I makes ready
    std::size_t next = 0;
    Nanos duration = 0;
    LaneKind kind = Forward;
    Lane *follower = nullptr; ///< its passes need this lane's
    int followerDevice = 0;
    Nanos latency = 0; ///< from here to the follower
    // Forwards only:
    std::vector<std::uint32_t> ranks; ///< among the device's forwards
    /// firstRank[n]: while forwards of no other stage have overtaken any, the first n of this lane may have started once the
    /// device's forwards below that rank have: n can then be held beside all that the order has there.
    std::vector<std::uint32_t> firstRank;
    std::size_t overtaken = 0; ///< passes of this lane below the device's first forward that has not started

    [[nodiscard]] bool isDone() const { return next == places.size(); }
};

struct Device {
    std::array<std::vector<Lane *>, kLaneKinds> lanes; ///< in the order of the model
    int held = 0;
    int cap = 0;
    std::size_t forwards = 0; ///< started
    Nanos wake = 0;           ///< when it looks for a pass again
    Nanos free = 0;
    std::vector<bool> hasRun; ///< by place
    std::size_t first = 0;    ///< place of the first pass that has not run
    std::size_t full = 0;     ///< place where the order first holds as much as the cap allows
    std::size_t lastForward = 0;
};

/// What a device finds when it looks for a pass.
struct Choice {
    Lane *lane = nullptr; ///< whose next pass to run; none if null
    std::uint32_t place = kNoPlace;
    std::uint32_t rank = kNoPlace; ///< the least is taken
    /// Passes that are not ready, but known to be at a later time.
    struct Coming {
        Nanos ready;
        std::uint32_t place;
        std::uint32_t rank;
    };
    std::vector<Coming> coming;
    std::uint32_t blocked = kNoPlace; ///< the first forward that waits for memory alone
};

/// How the microbatches of all replicas come through a stage, where what follows keeps to their order.
struct Crossing {
    std::vector<Nanos> ends;                 ///< of each microbatch
    std::size_t arrived = 0;                 ///< microbatches that have come, and all before them
    Nanos latest = 0;                        ///< end of those
    std::size_t released = 0;                ///< microbatches whose next pass is ready
    std::array<std::size_t, 2> releasedOf{}; ///< the same, of each replica

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
    Squeezed run();

private:
    [[nodiscard]] Lane &lane(LaneKind kind, int replica, int stage)
    {
        const int stages = m_order.placement.stages();
        return m_lanes[(kind * static_cast<std::size_t>(m_order.placement.replicas) + static_cast<std::size_t>(replica)) *
                           static_cast<std::size_t>(stages) +
                       static_cast<std::size_t>(stage)];
    }
    void sortIntoLanes();
    void connect(int replica, int stage);
    void prepare(Device &device, const std::vector<Pass> &passes);
    [[nodiscard]] std::uint32_t firstForward(Device &device) const;
    [[nodiscard]] bool fits(const Device &device, const Lane &forward, std::uint32_t firstRank) const;
    [[nodiscard]] bool mayRun(const Device &device, std::uint32_t place) const;
    void offer(const Device &device, Lane &lane, std::uint32_t rank);
    void offerReady(const Device &device, Lane &lane, Nanos now);
    void offerForwards(Device &device, Nanos now);
    void offerWeights(const Device &device);
    void look(std::size_t at, Nanos now);
    void start(std::size_t at, Lane &lane, Nanos now);
    void makeReady(Lane &lane, int device, std::size_t index, Nanos ready);
    void enter(int microbatch, Nanos end);
    void turn(int microbatch, Nanos end);
    void release(Crossing &crossing, LaneKind kind, int stage, std::size_t count);
    void wakeAt(std::size_t at, Nanos time);

    const LayerOrder &m_order;
    const Durations &m_durations;
    const SqueezeOptions &m_options;
    std::vector<Lane> m_lanes;
    std::vector<Device> m_devices;
    LayerOrder m_made;
    Choice m_choice;                             ///< of the device that looks
    Crossing m_entries;                          ///< F of the first stage, with barriers
    Crossing m_turns;                            ///< F of the last stage, with barriers
    using Event = std::pair<Nanos, std::size_t>; ///< time and device
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
};

Squeezer::Squeezer(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options)
    : m_order(order), m_durations(durations), m_options(options), m_lanes(kLaneKinds * order.placement.stageDevice.size()),
      m_devices(order.devices.size()), m_made{order.placement, std::vector<std::vector<Pass>>(order.devices.size())}
{
    const std::vector<int> least = mostHeld(order);
    sortIntoLanes();
    for (int replica = 0; replica < order.placement.replicas; ++replica)
        for (int stage = 0; stage < order.placement.stages(); ++stage)
            connect(replica, stage);
    if (options.barriers > 0) {
        std::size_t microbatches = 0;
        for (int replica = 0; replica < order.placement.replicas; ++replica)
            microbatches += lane(Forward, replica, 0).places.size();
        m_entries.ends.assign(microbatches, kNever);
        m_turns.ends.assign(microbatches, kNever);
        release(m_entries, Forward, 0, kEmbeddingsAhead);
    }
    for (std::size_t at = 0; at < m_devices.size(); ++at) {
        m_devices[at].cap = options.mostHeld.empty() ? least[at] : std::max(least[at], options.mostHeld[at]);
        prepare(m_devices[at], order.devices[at]);
        m_made.devices[at].reserve(order.devices[at].size());
        m_events.emplace(0, at);
    }
}

void Squeezer::sortIntoLanes()
{
    for (const std::vector<Pass> &passes : m_order.devices) {
        std::uint32_t place = 0;
        std::uint32_t rank = 0;
        for (const Pass &pass : passes) {
            Lane &own = lane(laneKindOf(pass.kind), m_order.placement.replicaOf(pass.microbatch), pass.stage);
            own.duration = m_durations.pass(pass.kind, pass.stage);
            own.kind = laneKindOf(pass.kind);
            own.places.push_back(place++);
            if (pass.kind == PassKind::F)
                own.ranks.push_back(rank++);
        }
    }
}

void Squeezer::connect(int replica, int stage)
{
    const Placement &placement = m_order.placement;
    const int device = placement.deviceOf(stage, replica);
    const auto follow = [&](Lane &from, LaneKind kind, int next) {
        from.follower = &lane(kind, replica, next);
        from.followerDevice = placement.deviceOf(next, replica);
        from.latency = from.followerDevice == device ? 0 : m_durations.transfer(Transfer::Send);
    };
    Lane &forward = lane(Forward, replica, stage);
    Lane &backward = lane(Backward, replica, stage);
    if (stage < placement.lastStage())
        follow(forward, Forward, stage + 1);
    else
        follow(forward, Backward, stage);
    if (stage > 0)
        follow(backward, Backward, stage - 1);
    forward.ready.assign(forward.places.size(), stage == 0 && m_options.barriers == 0 ? 0 : kNever);
    backward.ready.assign(backward.places.size(), kNever);
    Device &own = m_devices[static_cast<std::size_t>(device)];
    for (const LaneKind kind : {Forward, Backward, Weight})
        own.lanes[kind].push_back(&lane(kind, replica, stage));
}

/// With the first n forwards of a lane started, and all others of the device below some rank, the device holds at rank i, where
/// the order has `held` and `started` of the lane's forwards, n - started more than the order does (if that is above 0).
void Squeezer::prepare(Device &device, const std::vector<Pass> &passes)
{
    std::vector<int> room; // after each forward
    int held = 0;
    device.hasRun.assign(passes.size(), false);
    device.full = passes.size();
    for (std::size_t place = 0; place < passes.size(); ++place) {
        held = heldAfter(held, passes[place].kind);
        if (passes[place].kind != PassKind::F)
            continue;
        room.push_back(device.cap - held);
        device.lastForward = place;
        if (room.back() == 0)
            device.full = std::min(device.full, place);
    }
    for (Lane *const forward : device.lanes[Forward]) {
        const std::size_t most = forward->ranks.size() + static_cast<std::size_t>(device.cap);
        forward->firstRank.assign(most + 1, 0);
        std::size_t started = forward->ranks.size();
        std::size_t allowed = most; // by all ranks from here on
        for (std::size_t rank = room.size(); rank-- > 0;) {
            for (; allowed > started + static_cast<std::size_t>(room[rank]); --allowed)
                forward->firstRank[allowed] = static_cast<std::uint32_t>(rank) + 1;
            if (started > 0 && forward->ranks[started - 1] == rank)
                --started;
        }
    }
}

/// Rank of the device's first forward that has not started.
std::uint32_t Squeezer::firstForward(Device &device) const
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

/// Whether the next pass of a lane may start on a device whose first forward that has not started is `firstRank`.
bool Squeezer::fits(const Device &device, const Lane &forward, std::uint32_t firstRank) const
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

bool Squeezer::mayRun(const Device &device, std::uint32_t place) const
{
    const bool isBound =
        m_options.freedom == Freedom::None ||
        (m_options.freedom == Freedom::Ends && device.first > device.full && device.first < device.lastForward);
    return !isBound || place == device.first;
}

void Squeezer::offer(const Device &device, Lane &lane, std::uint32_t rank)
{
    const std::uint32_t place = lane.places[lane.next];
    if (rank >= m_choice.rank ||
        !(mayRun(device, place) || (lane.kind == Weight && m_options.weightsFill && m_options.freedom != Freedom::None)))
        return;
    m_choice.lane = &lane;
    m_choice.place = place;
    m_choice.rank = rank;
}

/// Offers the next pass of a lane of F, B or I if it is ready.
void Squeezer::offerReady(const Device &device, Lane &lane, Nanos now)
{
    const Nanos ready = lane.ready[lane.next];
    const bool isLate = m_options.backwardsFirst && lane.kind == Forward;
    const std::uint32_t rank = lane.places[lane.next] + (isLate ? static_cast<std::uint32_t>(device.hasRun.size()) : 0);
    if (ready <= now)
        offer(device, lane, rank);
    else if (ready < kNever)
        m_choice.coming.push_back({ready, lane.places[lane.next], rank});
}

void Squeezer::offerForwards(Device &device, Nanos now)
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

void Squeezer::offerWeights(const Device &device)
{
    // A W that fills gaps is worth as much as the forward that it makes room for, and else nothing beside other work.
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

/// Runs the pass that is to be run now, if there is one.
void Squeezer::look(std::size_t at, Nanos now)
{
    Device &device = m_devices[at];
    m_choice = {nullptr, kNoPlace, kNoPlace, std::move(m_choice.coming), kNoPlace};
    m_choice.coming.clear();
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
    Device &device = m_devices[at];
    const std::size_t index = lane.next++;
    const std::uint32_t place = lane.places[index];
    const Pass &pass = m_order.devices[at][place];
    m_made.devices[at].push_back(pass);
    device.held = heldAfter(device.held, pass.kind);
    device.forwards += pass.kind == PassKind::F ? 1 : 0;
    device.hasRun[place] = true;
    while (device.first < device.hasRun.size() && device.hasRun[device.first])
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

/// The first stage's F of a microbatch ends. The sharded embeddings are made in microbatch order, two ahead.
void Squeezer::enter(int microbatch, Nanos end)
{
    m_entries.arrive(microbatch, end);
    release(m_entries, Forward, 0, m_entries.arrived + kEmbeddingsAhead);
}

/// The last stage's F of a microbatch ends, for which backwards may have waited. The last microbatches have none so many later.
void Squeezer::turn(int microbatch, Nanos end)
{
    m_turns.arrive(microbatch, end);
    const std::size_t barriers = m_turns.arrived < m_turns.ends.size() ? static_cast<std::size_t>(m_options.barriers) : 0;
    release(m_turns, Backward, m_order.placement.lastStage(), m_turns.arrived - std::min(m_turns.arrived, barriers));
}

/// Makes the next passes of a stage ready, over all replicas, until those of `count` microbatches are.
void Squeezer::release(Crossing &crossing, LaneKind kind, int stage, std::size_t count)
{
    for (; crossing.released < std::min(count, crossing.ends.size()); ++crossing.released) {
        const int replica = m_order.placement.replicaOf(static_cast<int>(crossing.released));
        makeReady(lane(kind, replica, stage), m_order.placement.deviceOf(stage, replica),
                  crossing.releasedOf[static_cast<std::size_t>(replica)]++, crossing.latest);
    }
}

void Squeezer::wakeAt(std::size_t at, Nanos time)
{
    Device &device = m_devices[at];
    time = std::max(time, device.free);
    if (time >= device.wake)
        return;
    device.wake = time;
    m_events.emplace(time, at);
}

Squeezed Squeezer::run()
{
    while (!m_events.empty()) {
        const auto [now, at] = m_events.top();
        m_events.pop();
        Device &device = m_devices[at];
        if (device.wake != now)
            continue;
        device.wake = kNever;
        look(at, now);
    }
    Squeezed squeezed{std::move(m_made), 0};
    for (const Device &device : m_devices)
        squeezed.makespan = std::max(squeezed.makespan, device.free);
    assert(std::ranges::all_of(m_lanes, &Lane::isDone));
    return squeezed;
}

} // namespace

std::vector<int> mostHeld(const LayerOrder &order)
{
    std::vector<int> most;
    for (const std::vector<Pass> &passes : order.devices) {
        int held = 0;
        int greatest = 0;
        for (const Pass &pass : passes) {
            held = heldAfter(held, pass.kind);
            greatest = std::max(greatest, held);
        }
        most.push_back(greatest);
    }
    return most;
}

Squeezed squeeze(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options)
{
    return Squeezer(order, durations, options).run();
}

} // namespace stagelens::schedule
