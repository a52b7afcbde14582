#include "engine/runtime/deadlock_report.h"

#include "engine/base/text.h"
#include "engine/runtime/unit_of_work.h"
#include "engine/schedule/dependencies.h"
#include "engine/schedule/pass_index.h"

#include <numeric>
#include <optional>
#include <string>

namespace stagelens::runtime {
namespace {

using schedule::Pass;
using schedule::PassKind;
using schedule::Requirement;
using schedule::Transfer;

std::string_view messageName(const Requirement &need)
{
    switch (need.transfer) {
    case Transfer::Local: return "";
    case Transfer::Send: return need.kind == PassKind::F ? "the output of " : "the gradient of ";
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
    Report(const RunPlan &plan, const std::vector<std::size_t> &done)
        : m_schedule(plan.schedule), m_done(done), m_index(plan.schedule)
    {
        for (int device = 0; device < m_schedule.devices(); ++device)
            for (std::size_t i = 0; i < m_schedule.device(device).size(); ++i)
                m_index.add(m_schedule.device(device)[i], device, m_schedule.firstIndex(device) + i);
    }

    /// "device 0 waits at position 3 (B0@0) for the gradient of B0@1 from device 1, which has it at position 5"
    [[nodiscard]] std::string waitOf(int device) const
    {
        const std::size_t at = m_done[size(device)];
        std::string text = base::concat("device ", device, " waits at position ", at, " (",
                                        schedule::text(m_schedule.device(device)[at]), ") for ");
        for (const Pass &pass : unitOf(m_schedule.device(device).subspan(at)))
            for (const Requirement &need : schedule::requirementsOf(m_schedule, pass))
                if (const auto lack = lackOf(need, pass))
                    return text + *lack;
        return text + "a message that nobody has sent";
    }

private:
    [[nodiscard]] std::optional<std::string> lackOf(const Requirement &need, const Pass &pass) const
    {
        const schedule::Placement &placement = m_schedule.placement();
        const int first = need.allDevices ? 0 : need.stage;
        const int last = need.allDevices ? m_schedule.devices() - 1 : need.stage;
        for (int unit = first; unit <= last; ++unit) {
            const int device = need.allDevices ? unit : placement.deviceOf(unit, placement.replicaOf(pass.microbatch));
            const std::uint32_t number = m_index.at(need.kind, unit, pass.microbatch);
            const std::size_t begin = m_schedule.firstIndex(device);
            if (number == schedule::PassIndex::kAbsent)
                return base::concat(messageName(need), schedule::name(need.kind), pass.microbatch, " from device ", device,
                                    ", which does not have that pass");
            if (number - begin >= m_done[size(device)])
                return base::concat(messageName(need), schedule::text(m_schedule.device(device)[number - begin]),
                                    " from device ", device, ", which has it at position ", number - begin);
        }
        return std::nullopt;
    }

    const schedule::Schedule &m_schedule;
    const std::vector<std::size_t> &m_done;
    schedule::PassIndex m_index;
};

} // namespace

base::Error deadlockError(const RunPlan &plan, const std::vector<std::size_t> &done)
{
    constexpr int kMostShown = 16;
    const Report report(plan, done);
    std::string text = base::concat("the devices wait for each other after ", std::accumulate(done.begin(), done.end(), 0UL),
                                    " of ", plan.schedule.passCount(), " passes");
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
