#include "engine/runtime/executor/deadlock_report.h"

#include "engine/schedule/check/deadlock.h"

#include <fmt/format.h>
#include <numeric>
#include <string>

namespace stagelens::runtime {
namespace {

using schedule::Pass;
using schedule::PassKind;
using schedule::Transfer;

std::string_view messageName(Transfer transfer, PassKind maker)
{
    switch (transfer) {
    case Transfer::Local: return "";
    case Transfer::Send: return maker == PassKind::F ? "the output of " : "the gradient of ";
    case Transfer::BroadcastX: return "the last stage's output of ";
    case Transfer::Statistics: return "the softmax statistics of ";
    case Transfer::ReduceGradient: return "the last stage's gradient of ";
    case Transfer::EmbedReduce: return "the embeddings of ";
    case Transfer::EmbedBroadcast: return "the embeddings' gradient of ";
    }
    return "";
}

class Report {
public:
    Report(const schedule::Schedule &schedule, const std::vector<std::size_t> &done)
        : m_schedule(schedule), m_index(indexOf(schedule)), m_devices(schedule)
    {
        for (int device = 0; device < schedule.devices(); ++device)
            while (m_devices.next(device) < done[size(device)])
                m_devices.finish(device, 0, [](int) {});
    }

    /// Returns "device 0 waits at position 3 (B0@0) for the gradient of B0@1 from device 1, which has it at position 5".
    [[nodiscard]] std::string waitOf(int device) const
    {
        const std::span<const Pass> unit = m_devices.nextUnit(device);
        std::string text = fmt::format("device {} waits at position {} ({}) for ", device, m_devices.next(device),
                                       schedule::text(unit.front()));
        const auto lack = m_devices.frontier().missing(unit);
        if (!lack)
            return text + "a message that no device sends";
        const Pass maker = m_devices.frontier().makerOf(lack->result);
        const auto [owner, position] = ownerOf(lack->result, m_devices, m_index);
        text += messageName(lack->transfer, maker.kind);
        if (!position)
            return fmt::format("{}{}{} from device {}, which does not have that pass", text, schedule::name(maker.kind),
                               maker.microbatch, owner);
        return fmt::format("{}{} from device {}, which has it at position {}", text,
                           schedule::text(m_schedule.device(owner)[*position]), owner, *position);
    }

private:
    const schedule::Schedule &m_schedule;
    schedule::PassIndex m_index;
    schedule::DevicesInOrder m_devices;
};

} // namespace

base::Error deadlockError(const RunPlan &plan, const std::vector<std::size_t> &done)
{
    constexpr int kMostShown = 16;
    const Report report(plan.schedule, done);
    std::string text = fmt::format("the devices wait for each other after {} of {} passes",
                                   std::accumulate(done.begin(), done.end(), 0UL), plan.schedule.passCount());
    int shown = 0;
    for (int device = 0; device < plan.schedule.devices(); ++device) {
        if (done[size(device)] == plan.schedule.device(device).size())
            continue;
        if (++shown > kMostShown)
            return base::Error::failed(text + "; and so on; validate the schedule", "schedule");
        text += (shown == 1 ? ": " : "; ") + report.waitOf(device);
    }
    return base::Error::failed(text + "; validate the schedule", "schedule");
}

} // namespace stagelens::runtime
