#include "engine/schedule/families/zb_auto.h"

#include "engine/schedule/order/layer_order.h"
#include "engine/schedule/order/list_schedule.h"
#include "engine/schedule/order/vocabulary_insertion.h"
#include "engine/schedule/order/zb_rounds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace stagelens::schedule {

namespace {

using base::Nanos;

/// One way to put the passes in order.
struct Trial {
    bool fillsGaps = true; ///< W only where it delays nothing that is known to come
    /// Forwards that go before the first backward besides those that fill the time until it comes; absent: as many as can be.
    std::optional<int> more;
};

class Search {
public:
    Search(const model::Experiment &experiment, const Durations &durations)
        : m_devices(experiment.parallel.devices), m_microbatches(experiment.parallel.microbatches), m_durations(durations),
          m_room(roomBesideBarriers(experiment, durations))
    {}
    /// The shortest order within the limit.
    TimedOrder run();
    [[nodiscard]] std::vector<std::int64_t> limits() const;

private:
    [[nodiscard]] std::int64_t limitOf(int device) const
    {
        return m_room.empty() ? std::int64_t{2} * m_devices : m_room[static_cast<std::size_t>(device)];
    }
    /// Forwards of a device while its first microbatch goes to the end of the pipeline and back.
    [[nodiscard]] int leadOf(int device) const;
    [[nodiscard]] DeviceWork workOf(int device, const Trial &trial) const;
    [[nodiscard]] PassQueue queueOf(PassKind kind, int stage, int rank) const;

    int m_devices;
    int m_microbatches;
    const Durations &m_durations;
    std::vector<std::int64_t> m_room;
};

int Search::leadOf(int device) const
{
    Nanos away = 0;
    for (int later = device + 1; later < m_devices; ++later)
        away += m_durations.pass(PassKind::F, later) + m_durations.pass(PassKind::I, later) +
                2 * m_durations.transfer(Transfer::Send);
    const Nanos forward = std::max<Nanos>(1, m_durations.pass(PassKind::F, device));
    return 1 + static_cast<int>(std::min<Nanos>(away / forward, m_microbatches));
}

PassQueue Search::queueOf(PassKind kind, int stage, int rank) const
{
    PassQueue queue;
    queue.rank = rank;
    for (int i = 0; i < m_microbatches; ++i)
        queue.passes.push_back(makePass(kind, stage, i));
    return queue;
}

DeviceWork Search::workOf(int device, const Trial &trial) const
{
    DeviceWork work;
    work.memoryLimit = limitOf(device);
    work.queues = {queueOf(PassKind::I, device, 0), queueOf(PassKind::F, device, 1), queueOf(PassKind::W, device, 2)};
    work.queues[2].fillsGaps = trial.fillsGaps;
    if (trial.more) {
        const int lead = leadOf(device) + *trial.more;
        auto &gates = work.queues[1].gates;
        gates.resize(static_cast<std::size_t>(m_microbatches));
        if (lead < m_microbatches)
            gates[static_cast<std::size_t>(lead)] = makePass(PassKind::B, device, 0);
    }
    return work;
}

std::vector<std::int64_t> Search::limits() const
{
    std::vector<std::int64_t> limits;
    for (int device = 0; device < m_devices; ++device)
        limits.push_back(limitOf(device));
    return limits;
}

TimedOrder Search::run()
{
    constexpr std::array kTrials{Trial{true, 0},  Trial{true, 1},  Trial{true, 2},  Trial{true, std::nullopt},
                                 Trial{false, 0}, Trial{false, 1}, Trial{false, 2}, Trial{false, std::nullopt}};
    TimedOrder best{{Placement::linear(m_devices), {}}, std::numeric_limits<Nanos>::max()};
    for (const Trial &trial : kTrials) {
        ListTask task{.placement = best.order.placement, .microbatches = m_microbatches, .devices = {}};
        for (int device = 0; device < m_devices; ++device)
            task.devices.push_back(workOf(device, trial));
        ListOutcome outcome = listSchedule(task, m_durations);
        if (outcome.isComplete)
            takeIfShorter(best, {{best.order.placement, std::move(outcome.devices)}, outcome.makespan});
    }
    return best;
}

} // namespace

base::Result<Schedule> zbAuto(const model::Experiment &experiment, const Durations &durations)
{
    const std::vector<std::int64_t> room = roomBesideBarriers(experiment, durations);
    if (const auto poor = std::ranges::find_if(room, [](std::int64_t each) { return each < 1; }); poor != room.end()) {
        const auto device = poor - room.begin();
        const std::int64_t limit = durations.activationLimit[static_cast<std::size_t>(device)];
        return base::Error::invalid(
            "schedule.memory_limit",
            fmt::format("device {} has room for the activations of {} microbatches and needs {}; raise memory_limit", device,
                        std::max<std::int64_t>(0, limit), 1 + limit - *poor));
    }
    Search search(experiment, durations);
    const TimedOrder listed = search.run();
    TimedOrder shortest = listed;
    takeShorterRounds(shortest, experiment.parallel.microbatches, durations, search.limits());
    return withVocabularyOfShorter("zb-auto", listed.order, shortest.order, experiment, durations);
}

} // namespace stagelens::schedule
