#include "engine/exchange/timeline_json.h"
#include "engine/schedule/pass_index.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace stagelens::exchange {
namespace {

/// Passes and transfers are two processes, so that Perfetto groups them.
constexpr int kPasses = 0;
constexpr int kTransfers = 1;

/// Microseconds, the unit of the format, without losing a nanosecond: "12.345".
std::string microseconds(base::Nanos time)
{
    const bool negative = time < 0;
    const base::Nanos size = negative ? -time : time;
    std::string fraction = std::to_string(size % base::kNanosPerMicro);
    fraction.insert(0, 3 - fraction.size(), '0');
    return (negative ? "-" : "") + std::to_string(size / base::kNanosPerMicro) + '.' + fraction;
}

/// Writes events one after the other; every word in them is ours and needs no escapes, but for names of kernels.
class Trace {
public:
    template <class... Parts>
    void event(const Parts &...parts)
    {
        m_text += m_text.empty() ? "\n{" : ",\n{";
        ((m_text += parts), ...);
        m_text += '}';
    }
    void name(std::string_view what, int process, int thread, const std::string &name)
    {
        event(R"("ph":"M","name":")", what, R"(","pid":)", std::to_string(process), R"(,"tid":)", std::to_string(thread),
              R"(,"args":{"name":")", name, R"("})");
    }
    void complete(const std::string &name, std::string_view category, int thread, base::Nanos begin, base::Nanos end,
                  const std::string &arguments)
    {
        event(R"("ph":"X","name":")", name, R"(","cat":")", category, R"(","pid":0,"tid":)", std::to_string(thread),
              R"(,"ts":)", microseconds(begin), R"(,"dur":)", microseconds(end - begin), R"(,"args":{)", arguments, '}');
    }
    [[nodiscard]] const std::string &text() const { return m_text; }

private:
    std::string m_text;
};

/// "3", or "3.1" for slice 1 of microbatch 3.
std::string numberOf(int microbatch, int slices)
{
    return slices == 1 ? std::to_string(microbatch) : fmt::format("{}.{}", microbatch / slices, microbatch % slices);
}

void addLane(Trace &trace, const timeline::Timeline &timeline, int device, const simulate::LaneWaits *waits)
{
    const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
    const int slices = timeline.slices;
    trace.name("thread_name", kPasses, device, fmt::format("device {}", device));
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const schedule::Pass &pass = lane.pass[i];
        std::string arguments =
            R"("stage":)" + std::to_string(pass.stage) + R"(,"microbatch":)" + std::to_string(pass.microbatch / slices);
        if (slices > 1)
            arguments += R"(,"sequence_slice":)" + std::to_string(pass.microbatch % slices);
        if (timeline.iterations > 1)
            arguments += R"(,"iteration":)" + std::to_string(timeline.stepOf(pass));
        if (const std::optional<int> version = timeline.weightVersionOf(pass))
            arguments += R"(,"weight_version":)" + std::to_string(*version);
        if (i < lane.vocabulary.size())
            arguments += R"(,"vocabulary_us":)" + microseconds(lane.vocabulary[i]);
        if (waits != nullptr) {
            arguments += R"(,"slack_us":)" + microseconds(waits->slack[i]);
            arguments += waits->isCritical[i] != 0 ? R"(,"critical":true)" : "";
        }
        trace.complete(std::string(schedule::name(pass.kind)) + numberOf(pass.microbatch, slices), schedule::name(pass.kind),
                       device, lane.begin[i], lane.end[i], arguments);
    }
    for (const auto &[begin, end] : timeline.tails(device))
        trace.complete("O", "O", device, begin, end, {});
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        trace.complete(std::string(timeline::name(slice.kind)), "data", device, slice.begin, slice.end,
                       R"("bytes":)" + std::to_string(slice.bytes));
}

/// A name of a kernel as it may be between quotes in JSON: it comes from a library, perhaps with quotes or bytes that are no
/// UTF-8.
std::string escaped(const std::string &name)
{
    const std::string text = nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.substr(1, text.size() - 2);
}

/// On the thread of their device: viewers draw events inside a pass below it.
void addKernels(Trace &trace, const timeline::KernelTrace &kernels)
{
    std::vector<std::string> names;
    std::ranges::transform(kernels.names, std::back_inserter(names), escaped);
    for (const timeline::KernelSlice &slice : kernels.slices)
        trace.complete(names[static_cast<std::size_t>(slice.name)], "kernel", slice.device, slice.begin, slice.end, {});
}

/// Transfers overlap on a device, so they are asynchronous events, each with an id of its own.
void addTransfer(Trace &trace, const timeline::TransferSlice &slice, int slices, std::size_t id)
{
    const std::string word(transferWord(slice.transfer));
    const auto half = [&](char phase, base::Nanos time, const std::string &arguments) {
        trace.event(R"("ph":")", phase, R"(","name":")", word, ' ', numberOf(slice.microbatch, slices),
                    R"(","cat":"transfer","id":)", std::to_string(id), R"(,"pid":1,"tid":)", std::to_string(slice.device),
                    R"(,"ts":)", microseconds(time), R"(,"args":{)", arguments, '}');
    };
    half('b', slice.begin, R"("to":)" + (slice.peer < 0 ? std::string(R"("all")") : std::to_string(slice.peer)));
    half('e', slice.end, {});
}

void addMemory(Trace &trace, const simulate::MemoryProfile &profile, std::size_t device)
{
    for (const simulate::MemoryStep &step : profile.steps)
        trace.event(R"("ph":"C","name":"device )", std::to_string(device), R"( live bytes","pid":0,"ts":)",
                    microseconds(step.time), R"(,"args":{"bytes":)", std::to_string(step.total()), '}');
}

/// Arrows from the pass that sends to the pass that receives. Viewers tie an arrow's ends to the slices that they lie in, so it
/// leaves in the sender's last nanosecond; passes of no length have none.
class Arrows {
public:
    Arrows(Trace &trace, const timeline::Timeline &timeline, const schedule::Schedule &schedule)
        : m_trace(trace), m_timeline(timeline), m_schedule(schedule), m_index(schedule)
    {
        for (int device = 0; device < timeline.devices(); ++device) {
            const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
            for (std::size_t i = 0; i < lane.size(); ++i) {
                m_index.add(lane.pass[i], device, m_slices.size());
                m_slices.push_back({device, i});
            }
        }
    }
    void add()
    {
        for (const timeline::SliceId &slice : m_slices)
            schedule::forEachRequirement(m_schedule.rules(), passOf(slice), [&](const schedule::Requirement &need) {
                if (need.transfer == schedule::Transfer::Send)
                    addArrow(m_index.at(need.kind, need.stage, passOf(slice).microbatch), slice);
            });
    }

private:
    [[nodiscard]] const timeline::Lane &laneOf(const timeline::SliceId &slice) const
    {
        return m_timeline.lanes[static_cast<std::size_t>(slice.device)];
    }
    [[nodiscard]] const schedule::Pass &passOf(const timeline::SliceId &slice) const { return laneOf(slice).pass[slice.index]; }
    [[nodiscard]] bool hasLength(const timeline::SliceId &slice) const
    {
        return laneOf(slice).end[slice.index] > laneOf(slice).begin[slice.index];
    }
    void addArrow(std::uint32_t from, const timeline::SliceId &to)
    {
        if (from == schedule::PassIndex::kAbsent)
            return;
        const timeline::SliceId &maker = m_slices[from];
        if (maker.device == to.device || !hasLength(maker) || !hasLength(to))
            return;
        const std::string id = std::to_string(m_count++);
        const auto half = [&](std::string_view phase, const timeline::SliceId &slice, base::Nanos time) {
            m_trace.event(R"("ph":)", phase, R"(,"name":"message","cat":"message","id":)", id, R"(,"pid":0,"tid":)",
                          std::to_string(slice.device), R"(,"ts":)", microseconds(time));
        };
        half(R"("s")", maker, laneOf(maker).end[maker.index] - 1);
        half(R"("f","bp":"e")", to, laneOf(to).begin[to.index]);
    }

    Trace &m_trace;
    const timeline::Timeline &m_timeline;
    const schedule::Schedule &m_schedule;
    schedule::PassIndex m_index;
    std::vector<timeline::SliceId> m_slices;
    std::size_t m_count = 0;
};

} // namespace

std::string chromeTrace(const timeline::Timeline &timeline, const ChromeTraceParts &parts)
{
    const std::string kind(timeline::name(timeline.provenance));
    Trace trace;
    trace.name("process_name", kPasses, 0, "passes, " + kind);
    for (int device = 0; device < timeline.devices(); ++device)
        addLane(trace, timeline, device,
                parts.explanation == nullptr ? nullptr : &parts.explanation->path.lanes[static_cast<std::size_t>(device)]);
    if (parts.kernels != nullptr)
        addKernels(trace, *parts.kernels);
    if (!timeline.transfers.empty())
        trace.name("process_name", kTransfers, 0, "transfers, " + kind);
    for (std::size_t id = 0; id < timeline.transfers.size(); ++id)
        addTransfer(trace, timeline.transfers[id], timeline.slices, id);
    for (std::size_t device = 0; device < parts.memory.size(); ++device)
        addMemory(trace, parts.memory[device], device);
    if (parts.schedule != nullptr)
        Arrows(trace, timeline, *parts.schedule).add();
    return R"({"displayTimeUnit":"ns","otherData":{"stagelens":"timeline/1","kind":")" + kind + R"("},"traceEvents":[)" +
           trace.text() + "\n]}\n";
}

} // namespace stagelens::exchange
