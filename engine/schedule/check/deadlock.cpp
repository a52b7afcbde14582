#include "engine/schedule/check/deadlock.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace stagelens::schedule {

namespace {

/// The schedule in progress; passes that are missing count as run.
class Execution {
public:
    Execution(const Schedule &schedule, const PassIndex &index, Sends sends);
    /// Executes every pass that can run.
    void run();
    /// Returns the device and pass that a stalled device waits for; nothing if it has finished.
    [[nodiscard]] std::optional<Wait> waitOf(int device) const;

private:
    /// Blocking sends: returns whether the device's messages have been received; otherwise the device waits.
    bool haveMessagesGone(int device);
    /// Returns how the first pass of the device whose result has not been received waits for the receiving pass.
    [[nodiscard]] std::optional<Wait> pendingSend(int device) const;
    /// Returns the place of the pass on another device that receives a pass's result.
    [[nodiscard]] std::optional<PassIndex::Place> receiverOf(const Pass &pass, int device) const;
    /// `owner`: where the needed pass is.
    [[nodiscard]] Wait waitFor(int device, bool isSend, std::size_t position, const PassIndex::Place &owner) const
    {
        return {device, isSend, position, m_schedule.device(owner.device)[*owner.position], owner.device, *owner.position};
    }
    [[nodiscard]] std::size_t numberOf(int device, std::size_t position) const
    {
        return m_schedule.firstIndex(device) + position;
    }

    const Schedule &m_schedule;
    const PassIndex &m_index;
    Sends m_sends;
    DevicesInOrder m_devices;
    std::vector<std::size_t> m_sent; ///< of each device, the position up to which its messages have been received
    std::vector<bool> m_arrived;     ///< by number of the pass: its device has reached it
    std::unordered_map<std::size_t, std::vector<int>> m_senders; ///< that wait until a device reaches a pass
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

std::optional<PassIndex::Place> Execution::receiverOf(const Pass &pass, int device) const
{
    const bool isBackward = provides(pass.kind, PassKind::B);
    const int stage = isBackward ? pass.stage - 1 : pass.stage + 1;
    if ((pass.kind != PassKind::F && !isBackward) || stage < 0 || stage > m_schedule.placement().lastStage())
        return std::nullopt;
    const PassIndex::Place receiver = m_index.placeOf(isBackward ? PassKind::B : PassKind::F, stage, pass.microbatch);
    return receiver.device == device || !receiver.position ? std::nullopt : std::optional(receiver);
}

std::optional<Wait> Execution::pendingSend(int device) const
{
    const std::span<const Pass> passes = m_schedule.device(device);
    for (std::size_t i = m_sent[static_cast<std::size_t>(device)]; i < m_devices.next(device); ++i)
        if (const auto receiver = receiverOf(passes[i], device);
            receiver && !m_arrived[numberOf(receiver->device, *receiver->position)])
            return waitFor(device, true, i, *receiver);
    return std::nullopt;
}

bool Execution::haveMessagesGone(int device)
{
    if (const auto pending = pendingSend(device)) {
        m_senders[numberOf(pending->neededDevice, pending->neededPosition)].push_back(device);
        return false;
    }
    const std::size_t next = m_devices.next(device);
    m_sent[static_cast<std::size_t>(device)] = next;
    for (std::size_t i = 0; i < m_devices.nextUnit(device).size(); ++i) {
        const std::size_t number = numberOf(device, next + i);
        if (m_arrived[number])
            continue;
        m_arrived[number] = true;
        if (const auto senders = m_senders.extract(number))
            for (const int sender : senders.mapped())
                m_devices.wake(sender);
    }
    return true;
}

std::optional<Wait> Execution::waitOf(int device) const
{
    if (m_devices.isDone(device))
        return std::nullopt;
    if (m_sends == Sends::Blocking)
        if (const auto pending = pendingSend(device))
            return pending;
    if (const auto lack = m_devices.frontier().missing(m_devices.nextUnit(device)))
        return waitFor(device, false, m_devices.next(device), ownerOf(lack->result, m_devices, m_index));
    return std::nullopt;
}

/// The passes of a schedule that belong to its plan, with their original positions.
struct PlannedPasses {
    std::vector<std::vector<Pass>> ofDevice;
    std::vector<std::vector<std::size_t>> positions;
};

PlannedPasses plannedPasses(const Schedule &schedule, const PassIndex &index)
{
    PlannedPasses planned;
    for (int device = 0; device < schedule.devices(); ++device) {
        const std::span<const Pass> passes = schedule.device(device);
        std::vector<Pass> &kept = planned.ofDevice.emplace_back();
        std::vector<std::size_t> &positions = planned.positions.emplace_back();
        for (std::size_t i = 0; i < passes.size(); ++i) {
            if (index.isAt(device, i)) {
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

PassIndex::Place ownerOf(std::size_t result, const DevicesInOrder &devices, const PassIndex &index)
{
    const Pass maker = devices.frontier().makerOf(result);
    std::optional<PassIndex::Place> absent;
    for (const int unit : index.makersOf(maker)) {
        const PassIndex::Place place = index.placeOf(maker.kind, unit, maker.microbatch);
        if (place.position && *place.position >= devices.next(place.device))
            return place;
        if (!place.position && !absent)
            absent = place;
    }
    return absent.value_or(PassIndex::Place{});
}

std::vector<WaitCircle> findWaitCircles(const Schedule &schedule, const PassIndex &index, Sends sends)
{
    if (index.added() != schedule.passCount()) {
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
