#include "engine/schedule/deadlock.h"

#include "engine/schedule/dependencies.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace stagelens::schedule {

namespace {

constexpr std::int32_t kNobody = -1;

/// The schedule in progress. A device that must wait hangs in the list of what it waits for: one pass, or the passes of one
/// kind and microbatch on all devices (a group).
class Execution {
public:
    Execution(const Schedule &schedule, const PassIndex &index, Sends sends);
    /// Carries out all that can be carried out.
    void run();
    /// The device that the stalled one waits for, with the pass; nothing if it has reached its end.
    [[nodiscard]] std::optional<Wait> waitOf(int device);

private:
    void advance(int device);
    /// Blocking sends: hangs the device until its messages are taken; false if they are.
    bool hangInSend(int device);
    /// The first pass of the unit before the device's position whose receiver has not come, with the receiving pass's number.
    [[nodiscard]] std::optional<std::pair<std::size_t, std::uint32_t>> pendingSend(int device) const;
    /// The number of the pass on another device that takes a pass's result, or kAbsent.
    [[nodiscard]] std::uint32_t receiverOf(const Pass &pass, int device) const;
    /// Hangs the device where it must wait; false if nothing holds it.
    bool hang(int device, const Pass &pass);
    void finish(const Pass &pass, int device, std::size_t number);
    void wake(std::int32_t &list);
    [[nodiscard]] bool isPlanned(const Pass &pass, int device, std::size_t number) const
    {
        return m_index.at(pass, device) == number;
    }
    [[nodiscard]] std::size_t group(PassKind kind, int microbatch) const
    {
        return static_cast<std::size_t>(kind) * static_cast<std::size_t>(m_schedule.microbatches()) +
               static_cast<std::size_t>(microbatch);
    }
    /// Passes that start together: two where they overlap, else one.
    [[nodiscard]] std::span<const Pass> unitAt(int device, std::size_t position) const;
    /// The first unit (stage or device) whose required pass has not run; nothing if all have.
    [[nodiscard]] std::optional<int> unfinishedUnit(const Requirement &requirement, int microbatch);
    [[nodiscard]] bool isUnfinished(PassKind kind, int unit, int microbatch) const;

    const Schedule &m_schedule;
    const PassIndex &m_index;
    Sends m_sends;
    std::vector<std::size_t> m_sent; ///< of each device, the position up to which its messages are taken
    std::vector<bool> m_arrived;     ///< by number of the pass: its device has come to it
    std::vector<std::int32_t> m_arrivalWaiters;
    std::vector<std::size_t> m_next; ///< of each device, the position that it has reached
    std::vector<bool> m_done;        ///< by number of the pass
    std::vector<std::int32_t> m_passWaiters;
    std::vector<std::int32_t> m_groupLeft;
    std::vector<std::int32_t> m_groupWaiters;
    std::vector<std::int32_t> m_nextWaiter; ///< links devices that wait for the same
    std::vector<std::int32_t> m_runnable;
    std::unordered_map<std::size_t, int> m_unfinishedOfGroup;
};

Execution::Execution(const Schedule &schedule, const PassIndex &index, Sends sends)
    : m_schedule(schedule), m_index(index), m_sends(sends), m_sent(static_cast<std::size_t>(schedule.devices())),
      m_arrived(sends == Sends::Blocking ? schedule.passCount() : 0), m_arrivalWaiters(m_arrived.size(), kNobody),
      m_next(static_cast<std::size_t>(schedule.devices())), m_done(schedule.passCount()),
      m_passWaiters(schedule.passCount(), kNobody), m_nextWaiter(static_cast<std::size_t>(schedule.devices()), kNobody)
{
    if (!model::isSharded(schedule.vocabulary()))
        return;
    const std::size_t groups = group(PassKind::O, 0);
    m_groupLeft.assign(groups, 0);
    m_groupWaiters.assign(groups, kNobody);
    for (const PassKind kind : index.kinds())
        for (int device = 0; isVocabularyPass(kind) && device < schedule.devices(); ++device)
            for (int i = 0; i < schedule.microbatches(); ++i)
                m_groupLeft[group(kind, i)] += index.at(kind, device, i) == PassIndex::kAbsent ? 0 : 1;
}

std::span<const Pass> Execution::unitAt(int device, std::size_t position) const
{
    const std::span<const Pass> rest = m_schedule.device(device).subspan(position);
    return rest.first(rest.front().pairedWithNext ? std::min<std::size_t>(2, rest.size()) : 1);
}

void Execution::run()
{
    for (int device = m_schedule.devices() - 1; device >= 0; --device)
        m_runnable.push_back(device);
    while (!m_runnable.empty()) {
        const std::int32_t device = m_runnable.back();
        m_runnable.pop_back();
        advance(device);
    }
}

void Execution::advance(int device)
{
    std::size_t &next = m_next[static_cast<std::size_t>(device)];
    const std::size_t first = m_schedule.firstIndex(device);
    const std::size_t count = m_schedule.device(device).size();
    while (next < count) {
        const std::span<const Pass> unit = unitAt(device, next);
        if (m_sends == Sends::Blocking && hangInSend(device))
            return;
        for (std::size_t i = 0; i < unit.size(); ++i)
            if (isPlanned(unit[i], device, first + next + i) && hang(device, unit[i]))
                return;
        for (std::size_t i = 0; i < unit.size(); ++i)
            finish(unit[i], device, first + next + i);
        next += unit.size();
    }
}

std::uint32_t Execution::receiverOf(const Pass &pass, int device) const
{
    const Placement &placement = m_schedule.placement();
    const bool isBackward = provides(pass.kind, PassKind::B);
    const int stage = isBackward ? pass.stage - 1 : pass.stage + 1;
    if ((pass.kind != PassKind::F && !isBackward) || stage < 0 || stage > placement.lastStage() ||
        placement.deviceOf(stage, placement.replicaOf(pass.microbatch)) == device)
        return PassIndex::kAbsent;
    return m_index.at(isBackward ? PassKind::B : PassKind::F, stage, pass.microbatch);
}

std::optional<std::pair<std::size_t, std::uint32_t>> Execution::pendingSend(int device) const
{
    const std::span<const Pass> passes = m_schedule.device(device);
    const std::size_t next = m_next[static_cast<std::size_t>(device)];
    for (std::size_t i = m_sent[static_cast<std::size_t>(device)]; i < next; ++i) {
        if (!isPlanned(passes[i], device, m_schedule.firstIndex(device) + i))
            continue;
        const std::uint32_t receiver = receiverOf(passes[i], device);
        if (receiver != PassIndex::kAbsent && !m_arrived[receiver])
            return std::pair(i, receiver);
    }
    return std::nullopt;
}

bool Execution::hangInSend(int device)
{
    if (const auto pending = pendingSend(device)) {
        std::int32_t &list = m_arrivalWaiters[pending->second];
        m_nextWaiter[static_cast<std::size_t>(device)] = list;
        list = device;
        return true;
    }
    const std::size_t next = m_next[static_cast<std::size_t>(device)];
    m_sent[static_cast<std::size_t>(device)] = next;
    for (std::size_t i = 0; i < unitAt(device, next).size(); ++i) {
        const std::size_t number = m_schedule.firstIndex(device) + next + i;
        if (!m_arrived[number]) {
            m_arrived[number] = true;
            wake(m_arrivalWaiters[number]);
        }
    }
    return false;
}

bool Execution::hang(int device, const Pass &pass)
{
    for (const Requirement &requirement : requirementsOf(m_schedule, pass)) {
        std::int32_t *list = nullptr;
        if (requirement.allDevices) {
            const std::size_t needed = group(requirement.kind, pass.microbatch);
            if (m_groupLeft[needed] > 0)
                list = &m_groupWaiters[needed];
        } else {
            const std::uint32_t needed = m_index.at(requirement.kind, requirement.stage, pass.microbatch);
            if (needed != PassIndex::kAbsent && !m_done[needed])
                list = &m_passWaiters[needed];
        }
        if (list != nullptr) {
            m_nextWaiter[static_cast<std::size_t>(device)] = *list;
            *list = device;
            return true;
        }
    }
    return false;
}

void Execution::finish(const Pass &pass, int device, std::size_t number)
{
    if (!isPlanned(pass, device, number))
        return;
    m_done[number] = true;
    wake(m_passWaiters[number]);
    if (isVocabularyPass(pass.kind) && --m_groupLeft[group(pass.kind, pass.microbatch)] == 0)
        wake(m_groupWaiters[group(pass.kind, pass.microbatch)]);
}

void Execution::wake(std::int32_t &list)
{
    for (std::int32_t device = list; device != kNobody; device = m_nextWaiter[static_cast<std::size_t>(device)])
        m_runnable.push_back(device);
    list = kNobody;
}

bool Execution::isUnfinished(PassKind kind, int unit, int microbatch) const
{
    const std::uint32_t number = m_index.at(kind, unit, microbatch);
    return number != PassIndex::kAbsent && !m_done[number];
}

std::optional<int> Execution::unfinishedUnit(const Requirement &requirement, int microbatch)
{
    if (!requirement.allDevices)
        return isUnfinished(requirement.kind, requirement.stage, microbatch) ? std::optional<int>(requirement.stage)
                                                                             : std::nullopt;
    const std::size_t key = group(requirement.kind, microbatch);
    if (m_groupLeft[key] == 0)
        return std::nullopt;
    // Remembered, since many devices may wait for one group.
    int &unit = m_unfinishedOfGroup[key];
    while (!isUnfinished(requirement.kind, unit, microbatch))
        ++unit;
    return unit;
}

std::optional<Wait> Execution::waitOf(int device)
{
    const std::size_t position = m_next[static_cast<std::size_t>(device)];
    if (position == m_schedule.device(device).size())
        return std::nullopt;
    if (m_sends == Sends::Blocking) {
        if (const auto pending = pendingSend(device)) {
            int owner = 0;
            while (owner + 1 < m_schedule.devices() && m_schedule.firstIndex(owner + 1) <= pending->second)
                ++owner;
            const std::size_t needed = pending->second - m_schedule.firstIndex(owner);
            return Wait{device, true, pending->first, m_schedule.device(owner)[needed], owner, needed};
        }
    }
    for (const Pass &pass : unitAt(device, position)) {
        for (const Requirement &requirement : requirementsOf(m_schedule, pass)) {
            const std::optional<int> unit = unfinishedUnit(requirement, pass.microbatch);
            if (!unit)
                continue;
            const Placement &placement = m_schedule.placement();
            const int owner = requirement.allDevices ? *unit : placement.deviceOf(*unit, placement.replicaOf(pass.microbatch));
            const std::size_t needed = m_index.at(requirement.kind, *unit, pass.microbatch) - m_schedule.firstIndex(owner);
            return Wait{device, false, position, m_schedule.device(owner)[needed], owner, needed};
        }
    }
    return std::nullopt;
}

bool hasLesserDevice(const Wait &a, const Wait &b)
{
    return a.device < b.device;
}

} // namespace

std::vector<WaitCircle> findWaitCircles(const Schedule &schedule, const PassIndex &index, Sends sends)
{
    Execution execution(schedule, index, sends);
    execution.run();
    // Every stalled device waits for one other: follow the waits until a device comes again.
    std::vector<WaitCircle> circles;
    std::vector<int> walkOf(static_cast<std::size_t>(schedule.devices()), 0);
    std::vector<Wait> walk;
    for (int start = 0; start < schedule.devices(); ++start) {
        walk.clear();
        int device = start;
        while (walkOf[static_cast<std::size_t>(device)] == 0) {
            const std::optional<Wait> wait = execution.waitOf(device);
            if (!wait)
                break;
            walkOf[static_cast<std::size_t>(device)] = start + 1;
            walk.push_back(*wait);
            device = wait->neededDevice;
        }
        if (walk.empty() || walkOf[static_cast<std::size_t>(device)] != start + 1)
            continue;
        const auto begin = std::find_if(walk.begin(), walk.end(), [&](const Wait &wait) { return wait.device == device; });
        WaitCircle &circle = circles.emplace_back(begin, walk.end());
        // Told from its first device, wherever the walk came in.
        std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end(), hasLesserDevice), circle.end());
    }
    return circles;
}

} // namespace stagelens::schedule
