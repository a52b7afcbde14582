#include "engine/runtime/executor/gang.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace stagelens::runtime {
namespace {

/// Adds the time that the work takes, with that of the kernels that it launches, and returns its result.
template <class Work>
auto timed(base::Nanos &spent, Device &device, const Work &work)
{
    const auto begin = std::chrono::steady_clock::now();
    auto done = work();
    device.compute().finish();
    spent += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
    return done;
}

base::Result<base::Nanos> exchange(std::span<Device *const> gang, std::span<PassRun *const> runs)
{
    std::vector<base::Nanos> spent(gang.size());
    const int rounds = gang.front()->rounds(runs.front()->exchange()->kind);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t rank = 0; rank < gang.size(); ++rank) {
            Device &device = *gang[rank];
            device.transport().join(device.place().device); // so that waiting for an unsent message ends
            const auto done = timed(spent[rank], device, [&] { return device.exchange(*runs[rank], round); });
            device.transport().leave(device.place().device);
            if (!done)
                return done.error();
        }
    return *std::ranges::max_element(spent);
}

} // namespace

base::Result<base::Nanos> computeTogether(std::span<Device *const> gang, std::span<PassRun *const> runs)
{
    base::Nanos total = 0;
    while (true) {
        base::Nanos longest = 0;
        for (std::size_t rank = 0; rank < gang.size(); ++rank) {
            base::Nanos spent = 0;
            if (auto done = timed(spent, *gang[rank], [&] { return gang[rank]->launch(*runs[rank]); }); !done)
                return done.error();
            longest = std::max(longest, spent);
        }
        total += longest;
        if (!runs.front()->exchange())
            return total;
        const auto exchanged = exchange(gang, runs);
        if (!exchanged)
            return exchanged;
        total += *exchanged;
    }
}

void Gang::add(Device &device)
{
    m_devices.push_back(&device);
    std::ranges::sort(m_devices, {}, [](const Device *each) {
        return std::tuple(each->place().replica, each->place().context, each->place().tensor);
    });
}

std::optional<base::Nanos> Gang::begin(std::span<const schedule::Pass> passes, base::Nanos free, const RunPlan &plan)
{
    m_units.clear(); // keeps its memory
    for (Device *device : m_devices)
        if (!m_units.emplace_back(*device, passes).begin())
            return std::nullopt;
    if (!m_copies)
        m_copies.emplace(plan.schedule.copies(m_devices.front()->place().device),
                         plan.experiment.schedule.offloadLanes == model::OffloadLanes::Half);
    const auto costOf = [this](std::size_t copy) {
        std::pair<base::Nanos, base::Bytes> most;
        for (Device *device : m_devices)
            for (const DeviceCopies::Done &done : device->hostCopies().done())
                if (done.copy == copy)
                    most = std::max(most, std::pair(done.duration, done.bytes));
        return most;
    };
    return m_copies->advance(m_devices.front()->hostCopies().position(), free, costOf);
}

std::optional<base::Nanos> Gang::receive()
{
    base::Nanos longest = 0;
    for (std::size_t rank = 0; rank < m_devices.size(); ++rank) {
        Device &device = *m_devices[rank];
        base::Nanos spent = 0;
        device.transport().join(device.place().device); // the only participant: waiting for an unsent message is a deadlock
        const bool isReceived = timed(spent, device, [&] { return m_units[rank].receive(); });
        longest = std::max(longest, spent);
        device.transport().leave(device.place().device);
        if (!isReceived)
            return std::nullopt;
    }
    return longest;
}

base::Result<base::Nanos> Gang::compute(std::size_t i)
{
    if (m_devices.size() == 1) {
        const auto done = m_units.front().compute(i);
        const Device::Span &span = m_devices.front()->lastPass();
        return done ? base::Result<base::Nanos>(span.end - span.begin) : done.error();
    }
    m_runs.clear();
    for (std::size_t rank = 0; rank < m_devices.size(); ++rank) {
        m_runs.push_back(&m_units[rank].run(i));
        m_devices[rank]->beginCompute(*m_runs.back());
    }
    auto duration = computeTogether(m_devices, m_runs);
    for (std::size_t rank = 0; rank < m_devices.size(); ++rank)
        m_devices[rank]->endCompute(*m_runs[rank]);
    return duration;
}

void Gang::publish()
{
    for (UnitOfWork &unit : m_units)
        unit.publish();
}

void Gang::noteCopies(timeline::Timeline &result) const
{
    if (!m_copies || m_copies->slices().empty())
        return;
    std::vector<timeline::AnchoredSlice> slices = m_copies->slices();
    std::ranges::stable_sort(slices, {}, &timeline::AnchoredSlice::begin);
    for (const Device *device : m_devices) {
        auto &lane = result.lanes[size(device->place().rank)].anchored;
        lane.insert(lane.end(), slices.begin(), slices.end());
    }
}

} // namespace stagelens::runtime
