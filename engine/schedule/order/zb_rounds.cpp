#include "engine/schedule/order/zb_rounds.h"

#include "engine/schedule/order/gap_filling.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stagelens::schedule {

namespace {

using base::Nanos;

/// None of these is the best for all costs.
struct GapChoices {
    bool mayDelayGradient = false; ///< the last forward before the first gradient may end after its arrival
    bool skipsForwards = false;    ///< a device that is two forwards ahead of the next leaves one out if the next is late
    bool fillsShortGaps = false;   ///< a W may delay a pass while another device idles more
};

class Rounds {
public:
    Rounds(const Placement &placement, int microbatches, const Durations &durations, const std::vector<std::int64_t> &limits,
           const GapChoices &choices)
        : m_devices(placement.devices), m_microbatches(microbatches), m_durations(durations), m_choices(choices),
          m_filling(placement, microbatches, durations, limits)
    {}
    /// Returns nothing if the limits are too low for the rounds.
    std::optional<TimedOrder> run();

private:
    [[nodiscard]] std::vector<int> leads() const;
    [[nodiscard]] bool wantsForward(int device) const;
    bool warmUp();
    bool round();
    bool placeFilled(PassKind kind, int device);
    [[nodiscard]] Nanos slack(int device) const { return m_filling.mostIdle() - m_filling.idle(device); }
    [[nodiscard]] bool hasForward(int device) const { return m_filling.count(PassKind::F, device) < m_microbatches; }

    int m_devices;
    int m_microbatches;
    const Durations &m_durations;
    GapChoices m_choices;
    GapFilling m_filling;
};

/// Returns the number of forwards of each device between its first one and the arrival of its first gradient. Each device leads
/// the next by one.
std::vector<int> Rounds::leads() const
{
    const Nanos send = m_durations.transfer(Transfer::Send);
    std::vector<int> leads(static_cast<std::size_t>(m_devices));
    Nanos gradient = m_filling.end(m_devices - 1) + m_durations.pass(PassKind::I, m_devices - 1);
    for (int device = m_devices - 2; device >= 0; --device) {
        int &lead = leads[static_cast<std::size_t>(device)];
        const Nanos forward = m_durations.pass(PassKind::F, device);
        Nanos time = m_filling.end(device);
        const auto isInTime = [&] {
            return m_choices.mayDelayGradient ? time < gradient + send : time + forward <= gradient + send;
        };
        for (; lead + 1 < m_microbatches && m_filling.fits(device, lead + 1) && isInTime(); ++lead)
            time += forward;
        gradient = std::max(time, gradient + send) + m_durations.pass(PassKind::I, device);
    }
    for (std::size_t device = 1; device < leads.size(); ++device)
        if (leads[device] + 1 < m_microbatches)
            leads[device] = std::min(leads[device], std::max(0, leads[device - 1] - 1));
    return leads;
}

bool Rounds::warmUp()
{
    bool isPlaced = true;
    for (int device = 0; device < m_devices; ++device)
        isPlaced = isPlaced && m_filling.place(PassKind::F, device);
    const std::vector<int> lead = leads();
    for (int device = 0; device < m_devices; ++device)
        for (int i = 0; i < lead[static_cast<std::size_t>(device)]; ++i)
            isPlaced = isPlaced && m_filling.place(PassKind::F, device);
    for (int device = m_devices; device-- > 0;)
        isPlaced = isPlaced && m_filling.place(PassKind::I, device);
    return isPlaced;
}

/// Returns whether the device runs a forward in this round, judged by its own progress and that of the next device.
bool Rounds::wantsForward(int device) const
{
    if (!hasForward(device))
        return false;
    const int next = device + 1;
    if (!m_choices.skipsForwards || next == m_devices ||
        m_filling.count(PassKind::F, device) < m_filling.count(PassKind::F, next) + 2)
        return true;
    const Nanos gradient = m_filling.end(next) + m_durations.pass(PassKind::F, next) + m_durations.pass(PassKind::I, next) +
                           m_durations.transfer(Transfer::Send);
    const Nanos wait = gradient - m_filling.end(device);
    const Nanos needed = m_filling.timeToMakeRoom(device) + m_durations.pass(PassKind::F, device);
    return wait > 0 && (needed <= wait || wait > slack(device));
}

bool Rounds::placeFilled(PassKind kind, int device)
{
    if (const std::optional<Nanos> ready = m_filling.arrival(kind, device))
        m_filling.fillGap(device, *ready, slack(device), true, m_choices.fillsShortGaps);
    return m_filling.place(kind, device);
}

bool Rounds::round()
{
    std::vector<char> wants(static_cast<std::size_t>(m_devices));
    for (int device = 0; device < m_devices; ++device)
        wants[static_cast<std::size_t>(device)] = wantsForward(device) ? 1 : 0;
    for (std::size_t device = wants.size() - 1; device-- > 0;)
        wants[device] = std::min(wants[device], wants[device + 1]);
    bool isPlaced = true;
    for (int device = 0; device < m_devices; ++device)
        if (wants[static_cast<std::size_t>(device)] != 0)
            isPlaced = isPlaced && placeFilled(PassKind::F, device);
    for (int device = m_devices; device-- > 0;) {
        if (device == 0 && !hasForward(0))
            m_filling.placeAllWeights(0);
        isPlaced = isPlaced && placeFilled(PassKind::I, device);
    }
    return isPlaced;
}

std::optional<TimedOrder> Rounds::run()
{
    bool isPlaced = warmUp();
    for (int i = 1; i < m_microbatches; ++i)
        isPlaced = isPlaced && round();
    if (!isPlaced)
        return std::nullopt;
    for (int device = 0; device < m_devices; ++device)
        m_filling.placeAllWeights(device);
    return m_filling.take();
}

} // namespace

void takeShorterRounds(TimedOrder &best, int microbatches, const Durations &durations, const std::vector<std::int64_t> &limits)
{
    const Placement placement = best.order.placement;
    const Nanos least = leastMakespan(placement, microbatches, durations);
    for (unsigned bits = 0; bits < 8 && !isAsGoodAs(best.makespan, least); ++bits) {
        const GapChoices choices{(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0};
        if (std::optional<TimedOrder> made = Rounds(placement, microbatches, durations, limits, choices).run())
            takeIfShorter(best, *std::move(made));
    }
}

} // namespace stagelens::schedule
