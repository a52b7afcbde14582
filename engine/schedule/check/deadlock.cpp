#include "engine/schedule/check/deadlock.h"

#include "engine/schedule/devices_in_order.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace stagelens::schedule {

namespace {

/// The schedule in progress; passes that are missing count as run.
class Execution {
public:
    Execution(const Schedule &schedule, const PassIndex &index, Sends sends);
    /// Executes every pass that can run.
    void run();
    /// Returns the device and pass that a stalled device waits for; nothing if it has finished.
    [[nodiscard]] std::optional<Wait> waitOf(int device);

private:
    /// Blocking sends: returns whether the device's messages have been received; otherwise the device waits.
    bool haveMessagesGone(int device);
    /// Returns the first pass of the device whose result has not been received, with the number of the receiving pass.
    [[nodiscard]] std::optional<std::pair<std::size_t, std::uint32_t>> pendingSend(int device) const;
    /// Returns the number of the pass on another device that receives a pass's result, or kAbsent.
    [[nodiscard]] std::uint32_t receiverOf(const Pass &pass, int device) const;
    /// Returns a device that has not run its pass for a result.
    [[nodiscard]] int ownerOf(std::size_t result);
    [[nodiscard]] Wait waitFor(int device, std::size_t position, int owner, std::uint32_t number) const;

    const Schedule &m_schedule;
    const PassIndex &m_index;
    Sends m_sends;
    DevicesInOrder m_devices;
    std::vector<std::size_t> m_sent; ///< of each device, the position up to which its messages have been received
    std::vector<bool> m_arrived;     ///< by number of the pass: its device has reached it
    std::unordered_map<std::uint32_t, std::vector<int>> m_senders; ///< that wait until a device reaches a pass
    std::unordered_map<std::size_t, int> m_ownerOfShared;          ///< cached, because many devices may wait for one result
};

Execution::Execution(const Schedule &schedule, const PassIndex &index, Sends sends)
    : m_schedule(schedule), m_index(index), m_sends(sends), m_devices(schedule),
      m_sent(static_cast<std::size_t>(schedule.devices())), m_arrived(sends == Sends::Blocking ? schedule.passCount() : 0)
{
    for (const PassKind kind : index.kinds())
        for (int unit = 0; unit < index.units(kind); ++unit)
            for (int i = 0; i < schedule.microbatches(); ++i)
                if (index.at(kind, unit, i) == PassIndex::kAbsent)
                    m_devices.frontier().complete(makePass(kind, isVocabularyPass(kind) ? 0 : unit, i), 0, [](std::size_t) {});
}

void Execution::run()
{
    m_devices.run([](int, std::span<const Pass>, base::Nanos) { return 0; },
                  [this](int device, base::Nanos &) { return m_sends == Sends::Buffered || haveMessagesGone(device); });
}

std::uint32_t Execution::receiverOf(const Pass &pass, int device) const
{
    const Placement &placement = m_schedule.placement();
    const bool isBackward = provides(pass.kind, PassKind::B);
    const int stage = isBackward ? pass.stage - 1 : pass.stage + 1;
    if ((pass.kind != PassKind::F && !isBackward) || stage < 0 || stage > placement.lastStage() ||
        placement.deviceOf(stage, placement.directionOf(pass.microbatch)) == device)
        return PassIndex::kAbsent;
    return m_index.at(isBackward ? PassKind::B : PassKind::F, stage, pass.microbatch);
}

std::optional<std::pair<std::size_t, std::uint32_t>> Execution::pendingSend(int device) const
{
    const std::span<const Pass> passes = m_schedule.device(device);
    for (std::size_t i = m_sent[static_cast<std::size_t>(device)]; i < m_devices.next(device); ++i) {
        const std::uint32_t receiver = receiverOf(passes[i], device);
        if (receiver != PassIndex::kAbsent && !m_arrived[receiver])
            return std::pair(i, receiver);
    }
    return std::nullopt;
}

bool Execution::haveMessagesGone(int device)
{
    if (const auto pending = pendingSend(device)) {
        m_senders[pending->second].push_back(device);
        return false;
    }
    const std::size_t next = m_devices.next(device);
    m_sent[static_cast<std::size_t>(device)] = next;
    for (std::size_t i = 0; i < m_devices.nextUnit(device).size(); ++i) {
        const std::size_t number = m_schedule.firstIndex(device) + next + i;
        if (m_arrived[number])
            continue;
        m_arrived[number] = true;
        if (const auto senders = m_senders.extract(static_cast<std::uint32_t>(number)))
            for (const int sender : senders.mapped())
                m_devices.wake(sender);
    }
    return true;
}

int Execution::ownerOf(std::size_t result)
{
    const Pass maker = m_devices.frontier().makerOf(result);
    if (!isVocabularyPass(maker.kind))
        return m_schedule.placement().deviceOf(maker);
    int &device = m_ownerOfShared[result];
    for (;; ++device) {
        const std::uint32_t number = m_index.at(maker.kind, device, maker.microbatch);
        if (number != PassIndex::kAbsent && number - m_schedule.firstIndex(device) >= m_devices.next(device))
            return device;
    }
}

Wait Execution::waitFor(int device, std::size_t position, int owner, std::uint32_t number) const
{
    const std::size_t needed = number - m_schedule.firstIndex(owner);
    return {device, false, position, m_schedule.device(owner)[needed], owner, needed};
}

std::optional<Wait> Execution::waitOf(int device)
{
    if (m_devices.isDone(device))
        return std::nullopt;
    if (m_sends == Sends::Blocking) {
        if (const auto pending = pendingSend(device)) {
            int owner = 0;
            while (owner + 1 < m_schedule.devices() && m_schedule.firstIndex(owner + 1) <= pending->second)
                ++owner;
            Wait wait = waitFor(device, pending->first, owner, pending->second);
            wait.isSend = true;
            return wait;
        }
    }
    for (const Pass &pass : m_devices.nextUnit(device)) {
        const std::optional<std::size_t> result = m_devices.frontier().missing(pass);
        if (!result)
            continue;
        const Pass maker = m_devices.frontier().makerOf(*result);
        const int owner = ownerOf(*result);
        return waitFor(device, m_devices.next(device), owner,
                       m_index.at(maker.kind, isVocabularyPass(maker.kind) ? owner : maker.stage, maker.microbatch));
    }
    return std::nullopt;
}

/// The passes of a schedule that belong to its plan, with their original positions.
struct PlannedPasses {
    std::vector<std::vector<Pass>> ofDevice;
    std::vector<std::vector<std::size_t>> positions;
};

bool isPlanned(const Schedule &schedule, const PassIndex &index, int device, std::size_t position)
{
    return index.at(schedule.device(device)[position], device) == schedule.firstIndex(device) + position;
}

bool areAllPlanned(const Schedule &schedule, const PassIndex &index)
{
    for (int device = 0; device < schedule.devices(); ++device)
        for (std::size_t i = 0; i < schedule.device(device).size(); ++i)
            if (!isPlanned(schedule, index, device, i))
                return false;
    return true;
}

PlannedPasses plannedPasses(const Schedule &schedule, const PassIndex &index)
{
    PlannedPasses planned;
    for (int device = 0; device < schedule.devices(); ++device) {
        const std::span<const Pass> passes = schedule.device(device);
        std::vector<Pass> &kept = planned.ofDevice.emplace_back();
        std::vector<std::size_t> &positions = planned.positions.emplace_back();
        for (std::size_t i = 0; i < passes.size(); ++i) {
            if (isPlanned(schedule, index, device, i)) {
                kept.push_back(passes[i]);
                positions.push_back(i);
            } else if (!positions.empty() && positions.back() + 1 == i) {
                kept.back().pairedWithNext = false;
            }
        }
    }
    return planned;
}

bool hasLesserDevice(const Wait &a, const Wait &b)
{
    return a.device < b.device;
}

} // namespace

std::vector<WaitCircle> findWaitCircles(const Schedule &schedule, const PassIndex &index, Sends sends)
{
    if (!areAllPlanned(schedule, index)) {
        const PlannedPasses planned = plannedPasses(schedule, index);
        const Schedule part(schedule.family(), schedule.placement(), schedule.microbatches(), schedule.vocabulary(),
                            planned.ofDevice);
        std::vector<WaitCircle> circles = findWaitCircles(part, indexOf(part), sends);
        for (WaitCircle &circle : circles) {
            for (Wait &wait : circle) {
                wait.position = planned.positions[static_cast<std::size_t>(wait.device)][wait.position];
                wait.neededPosition = planned.positions[static_cast<std::size_t>(wait.neededDevice)][wait.neededPosition];
            }
        }
        return circles;
    }
    Execution execution(schedule, index, sends);
    execution.run();
    // Every stalled device waits for exactly one other: follow the waits until a device repeats.
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
        // Starts at the lowest device, independently of where the walk entered the cycle.
        std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end(), hasLesserDevice), circle.end());
    }
    return circles;
}

} // namespace stagelens::schedule
