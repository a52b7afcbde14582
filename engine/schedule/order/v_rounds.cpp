#include "engine/schedule/order/v_rounds.h"

#include "engine/schedule/order/gap_filling.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

using base::Nanos;

/// Where a W may be put into a gap shorter than itself, if the device has idled more than its slack.
struct RoundChoices {
    bool beforeForwards = false;
    bool beforeUpwardGradients = false; ///< before I of the stages on the way up; before the others always
    /// Idle time of each device in the previous attempt, which it may idle again; empty in the first attempt.
    std::vector<Nanos> idled = {};

    [[nodiscard]] Nanos mostIdled() const { return idled.empty() ? 0 : *std::ranges::max_element(idled); }
};

class VRounds {
public:
    VRounds(const Placement &placement, int microbatches, const Durations &durations, const std::vector<std::int64_t> &limits,
            const RoundChoices &choices)
        : m_devices(placement.devices), m_microbatches(microbatches), m_durations(durations), m_choices(choices),
          m_mostIdled(choices.mostIdled()), m_filling(placement, microbatches, durations, limits)
    {}
    /// Returns nothing if the limit is too low for the rounds.
    std::optional<TimedOrder> run();
    [[nodiscard]] std::vector<Nanos> idled() const;

private:
    [[nodiscard]] int up(int device) const { return 2 * m_devices - 1 - device; }
    [[nodiscard]] int forwards(int stage) const { return m_filling.count(PassKind::F, stage); }
    [[nodiscard]] int gradients(int stage) const { return m_filling.count(PassKind::I, stage); }
    [[nodiscard]] Nanos slack(int device) const;
    bool lead();
    bool level();
    [[nodiscard]] bool isBehind(int device) const;
    [[nodiscard]] bool prefersDownwardGradient(int device) const;
    [[nodiscard]] std::optional<int> nextForward(int device) const;
    bool placeGradients();
    bool placeForwards();
    bool placeFilled(PassKind kind, int device, int stage, bool whereLonger);

    int m_devices;
    int m_microbatches;
    const Durations &m_durations;
    const RoundChoices &m_choices;
    Nanos m_mostIdled;
    GapFilling m_filling;
};

std::vector<Nanos> VRounds::idled() const
{
    std::vector<Nanos> idled;
    for (int device = 0; device < m_devices; ++device)
        idled.push_back(m_filling.idle(device));
    return idled;
}

/// Returns how long a device may idle without exceeding the idle time of the others, or its own in the previous attempt.
Nanos VRounds::slack(int device) const
{
    const Nanos before = m_choices.idled.empty() ? 0 : m_mostIdled - m_choices.idled[static_cast<std::size_t>(device)];
    return std::max(m_filling.mostIdle(), before) - m_filling.idle(device);
}

/// Runs the first microbatch down and up. Until it is back, earlier devices run further forwards on the way down.
bool VRounds::lead()
{
    bool isPlaced = true;
    for (int device = 0; device < m_devices; ++device)
        isPlaced = isPlaced && m_filling.place(PassKind::F, device);
    for (int device = m_devices; isPlaced && device-- > 0;) {
        const std::optional<Nanos> back = m_filling.arrival(PassKind::F, up(device));
        while (isPlaced && back && forwards(device) < m_microbatches && m_filling.fits(device, 2 + 2 * device) &&
               m_filling.end(device) + m_durations.pass(PassKind::F, device) <= *back)
            for (int before = 0; before <= device; ++before)
                isPlaced = isPlaced && m_filling.place(PassKind::F, before);
        isPlaced = isPlaced && m_filling.place(PassKind::F, up(device));
    }
    return isPlaced;
}

/// Returns whether a device has run fewer forwards than the one before it, or not yet one more on the way up.
bool VRounds::isBehind(int device) const
{
    const int before = device - 1;
    return forwards(device) + forwards(up(device)) < forwards(before) + forwards(up(before)) ||
           (forwards(up(device)) <= forwards(up(before)) && forwards(up(before)) < m_microbatches);
}

/// Alternates forwards down and up until all devices have run equally many.
bool VRounds::level()
{
    bool isPlaced = true;
    bool goesUp = false;
    for (int device = 1; device < m_devices; ++device)
        for (; isPlaced && isBehind(device); goesUp = !goesUp)
            for (int later = m_devices - 1; later >= device; --later)
                if (const int stage = goesUp ? up(later) : later; forwards(stage) < m_microbatches)
                    isPlaced = isPlaced && m_filling.place(PassKind::F, stage);
    return isPlaced;
}

bool VRounds::placeFilled(PassKind kind, int device, int stage, bool whereLonger)
{
    if (const std::optional<Nanos> ready = m_filling.arrival(kind, stage))
        m_filling.fillGap(device, *ready, slack(device), whereLonger, false);
    return m_filling.place(kind, stage);
}

bool VRounds::prefersDownwardGradient(int device) const
{
    if (gradients(device) >= gradients(up(device)))
        return false;
    return device == m_devices - 1 || gradients(up(device)) >= m_microbatches || gradients(device) < gradients(device + 1);
}

bool VRounds::placeGradients()
{
    std::vector<char> isDownward;
    for (int device = 0; device < m_devices; ++device)
        isDownward.push_back(prefersDownwardGradient(device) ? 1 : 0);
    bool isPlaced = true;
    for (int device = m_devices; device-- > 0;)
        if (isDownward[static_cast<std::size_t>(device)] != 0)
            isPlaced = isPlaced && placeFilled(PassKind::I, device, device, true);
    for (int device = 0; device < m_devices; ++device)
        if (isDownward[static_cast<std::size_t>(device)] == 0)
            isPlaced = isPlaced && placeFilled(PassKind::I, device, up(device), m_choices.beforeUpwardGradients);
    return isPlaced;
}

/// Returns the stage whose forward the device runs next; nothing if none is left or its input does not exist yet.
std::optional<int> VRounds::nextForward(int device) const
{
    if (forwards(up(device)) >= m_microbatches)
        return std::nullopt;
    if (forwards(up(device)) >= forwards(device))
        return device;
    if (m_filling.isReady(PassKind::F, up(device)))
        return up(device);
    return m_filling.isReady(PassKind::F, device) ? std::optional(device) : std::nullopt;
}

bool VRounds::placeForwards()
{
    bool isPlaced = true;
    for (int device = 0; device < m_devices; ++device)
        if (const std::optional<int> stage = nextForward(device))
            isPlaced = isPlaced && placeFilled(PassKind::F, device, *stage, m_choices.beforeForwards);
    return isPlaced;
}

std::optional<TimedOrder> VRounds::run()
{
    bool isPlaced = lead() && level();
    for (int round = 0; isPlaced && round < 2 * m_microbatches; ++round)
        isPlaced = placeGradients() && placeForwards();
    if (!isPlaced)
        return std::nullopt;
    for (int device = 0; device < m_devices; ++device)
        m_filling.placeAllWeights(device);
    return m_filling.take();
}

} // namespace

void takeShorterVRounds(TimedOrder &best, int microbatches, const Durations &durations, int limit)
{
    constexpr int kMostTries = 8; // measured: later ones change nothing
    const Placement placement = best.order.placement;
    const std::vector<std::int64_t> limits(static_cast<std::size_t>(placement.devices), limit);
    const Nanos least = leastMakespan(placement, microbatches, durations);
    for (unsigned bits = 0; bits < 4; ++bits) {
        RoundChoices choices{(bits & 1U) != 0, (bits & 2U) != 0};
        for (int attempt = 0; attempt < kMostTries && !isAsGoodAs(best.makespan, least); ++attempt) {
            VRounds rounds(placement, microbatches, durations, limits, choices);
            std::optional<TimedOrder> made = rounds.run();
            if (!made)
                break;
            takeIfShorter(best, *std::move(made));
            const Nanos idledBefore = choices.mostIdled();
            choices.idled = rounds.idled();
            if (attempt > 0 && choices.mostIdled() >= idledBefore)
                break;
        }
    }
}

} // namespace stagelens::schedule
