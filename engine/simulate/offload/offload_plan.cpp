#include "engine/simulate/offload/offload_plan.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/simulate/costs/copy_costs.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/offload/lane_rule.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace stagelens::simulate {

using base::Bytes;
using base::Nanos;
using schedule::Copy;
using schedule::CopyKind;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// How many times as long passes are taken to be, in turn, until all copies fit beside them.
constexpr std::array kStretches{1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0};

/// In slots, activations stay on the device that are needed sooner, in times of both copies
/// (PipeOffload's code).
constexpr int kShortestInSlots = 3;

struct Kept {
    int stage = 0;
    int microbatch = 0;
    std::size_t forward = 0; ///< positions in the lane
    std::size_t backward = 0;
};

/// The copies of one device.
class DeviceOffload {
public:
    DeviceOffload(const timeline::Lane &lane, const CostModel &costs) : m_lane(lane), m_costs(costs) { collect(); }

    /// How long a stage holds its activations on average, from the end of F to the begin of the backward.
    struct Lifespan {
        Nanos mean = 0;
        int stage = 0;
    };
    [[nodiscard]] std::vector<Lifespan> lifespans() const;
    /// Leaves that part of the activations: those of the stages that hold theirs longest; of one of them, evenly spread
    /// microbatches. `longest` are the stages to choose from, in any order.
    void choose(std::vector<Lifespan> longest, double fraction);
    /// Leaves the activations that are not needed so soon that they hardly add to the peak.
    void leaveOutShort();

    /// `mayDelay`: also the copies that keep passes waiting.
    [[nodiscard]] std::vector<Copy> plan(LaneSharing lane, bool mayDelay) const
    {
        std::vector<Copy> copies = anchored(lane, 1);
        if (!mayDelay)
            return copies;
        const std::size_t most = anchored(lane, kStretches.back()).size();
        for (const double stretch : kStretches) {
            if (copies.size() >= most)
                break;
            copies = anchored(lane, stretch);
        }
        return copies;
    }

private:
    void collect();
    /// Returns the copies placed as if passes took `stretch` times as long.
    [[nodiscard]] std::vector<Copy> anchored(LaneSharing lane, double stretch) const;
    /// An offload behind a reload that is launched before the same unit cannot end before the memory of that reload begins:
    /// lets the next unit join it, or drops both of its copies.
    void joinLater(std::vector<Copy> &copies) const;
    [[nodiscard]] Nanos begin(std::size_t i, double stretch) const { return scaled(m_lane.begin[i], stretch); }
    [[nodiscard]] Nanos end(std::size_t i, double stretch) const { return scaled(m_lane.end[i], stretch); }
    static Nanos scaled(Nanos time, double stretch)
    {
        return stretch == 1 ? time : static_cast<Nanos>(static_cast<double>(time) * stretch);
    }
    [[nodiscard]] bool isSecond(std::size_t i) const { return i > 0 && i < m_lane.size() && m_lane.pass[i - 1].pairedWithNext; }
    /// Returns the begin of the unit at a position, or of the one after it.
    [[nodiscard]] std::size_t unitOf(std::size_t i) const { return isSecond(i) ? i - 1 : i; }
    [[nodiscard]] std::size_t unitAfter(std::size_t i) const { return isSecond(i) ? i + 1 : i; }
    /// Returns the first unit that ends after a time: a copy that begins then is launched before it.
    [[nodiscard]] std::size_t runningAt(Nanos time, double stretch) const
    {
        const auto at = std::ranges::upper_bound(m_lane.end, time, {}, [&](Nanos each) { return scaled(each, stretch); });
        return static_cast<std::size_t>(at - m_lane.end.begin());
    }
    [[nodiscard]] std::size_t beginningFrom(Nanos time, double stretch) const
    {
        const auto at = std::ranges::lower_bound(m_lane.begin, time, {}, [&](Nanos each) { return scaled(each, stretch); });
        return static_cast<std::size_t>(at - m_lane.begin.begin());
    }

    const timeline::Lane &m_lane;
    const CostModel &m_costs;
    std::vector<Kept> m_kept; ///< in the order of their forwards
};

void DeviceOffload::collect()
{
    std::map<std::pair<int, int>, std::size_t> open; ///< place in m_kept
    std::vector<bool> isOver;
    for (std::size_t i = 0; i < m_lane.size(); ++i) {
        const Pass &pass = m_lane.pass[i];
        if (pass.kind == PassKind::F && m_costs.copy(pass.stage).isCopied) {
            open[{pass.stage, pass.microbatch}] = m_kept.size();
            m_kept.push_back({pass.stage, pass.microbatch, i, i});
        }
        if (pass.kind != PassKind::B && pass.kind != PassKind::I)
            continue;
        if (const auto found = open.find({pass.stage, pass.microbatch}); found != open.end())
            m_kept[found->second].backward = i;
    }
    std::erase_if(m_kept, [](const Kept &each) { return each.backward <= each.forward; });
}

std::vector<DeviceOffload::Lifespan> DeviceOffload::lifespans() const
{
    std::map<int, std::pair<Nanos, Nanos>> ofStage; // sum and count
    for (const Kept &each : m_kept) {
        auto &[sum, count] = ofStage[each.stage];
        sum += m_lane.begin[each.backward] - m_lane.end[each.forward];
        ++count;
    }
    std::vector<Lifespan> all;
    for (const auto &[stage, sums] : ofStage)
        all.push_back({sums.first / sums.second, stage});
    return all;
}

void DeviceOffload::choose(std::vector<Lifespan> longest, double fraction)
{
    std::ranges::stable_sort(longest, std::ranges::greater(), &Lifespan::mean);
    std::map<int, double> shares;
    double left = fraction * static_cast<double>(longest.size());
    for (const Lifespan &each : longest) {
        shares[each.stage] = std::clamp(left, 0.0, 1.0);
        left -= shares[each.stage];
    }
    std::map<int, int> seen;
    std::erase_if(m_kept, [&](const Kept &each) {
        const double share = shares[each.stage];
        const int before = seen[each.stage]++;
        return static_cast<std::size_t>(share * (before + 1) + 1e-9) <= static_cast<std::size_t>(share * before + 1e-9);
    });
}

void DeviceOffload::leaveOutShort()
{
    std::erase_if(m_kept, [this](const Kept &each) {
        const CopyCost cost = m_costs.copy(each.stage);
        return m_lane.begin[each.backward] - m_lane.end[each.forward] <= kShortestInSlots * (cost.out + cost.in);
    });
}

std::vector<Copy> DeviceOffload::anchored(LaneSharing lane, double stretch) const
{
    std::vector<Activation> activations;
    for (const Kept &each : m_kept) {
        const CopyCost cost = m_costs.copy(each.stage);
        activations.push_back(
            {end(unitAfter(each.forward + 1) - 1, stretch), begin(unitOf(each.backward), stretch), cost.out, cost.in});
    }
    const auto placed = placeCopies(activations, lane);
    std::vector<std::tuple<std::size_t, Nanos, Copy>> sorted;
    const auto add = [&](const Kept &kept, CopyKind kind, Nanos time, std::size_t launch, std::size_t join) {
        const Nanos before = launch > 0 ? end(launch - 1, stretch) : 0;
        const Nanos offset = stretch == 1 ? std::max<Nanos>(0, time - before) : 0;
        sorted.emplace_back(launch, time,
                            Copy{offset, static_cast<std::uint32_t>(launch), static_cast<std::uint32_t>(join), kept.microbatch,
                                 static_cast<std::uint16_t>(kept.stage), kind});
    };
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        if (!placed[i])
            continue;
        const Kept &each = m_kept[i];
        const std::size_t needed = unitOf(each.backward);
        const std::size_t out = std::max(unitAfter(each.forward + 1), unitAfter(runningAt(placed[i]->out, stretch)));
        const std::size_t off = std::max(out, unitAfter(beginningFrom(placed[i]->out + activations[i].out, stretch)));
        const std::size_t in = std::min(needed, unitOf(runningAt(placed[i]->in, stretch)));
        if (out > needed || off > in) // never away during a pass
            continue;
        add(each, CopyKind::Offload, placed[i]->out, out, off);
        add(each, CopyKind::Reload, placed[i]->in, in, needed);
    }
    std::ranges::stable_sort(sorted, {}, [](const auto &each) { return std::pair(std::get<0>(each), std::get<1>(each)); });
    std::vector<Copy> copies;
    for (const auto &each : sorted)
        copies.push_back(std::get<Copy>(each));
    joinLater(copies);
    return copies;
}

void DeviceOffload::joinLater(std::vector<Copy> &copies) const
{
    std::map<std::pair<int, int>, std::uint32_t> reloads; // launches
    for (const Copy &copy : copies)
        if (copy.kind == CopyKind::Reload)
            reloads[{copy.stage, copy.microbatch}] = copy.launch;
    std::set<std::pair<int, int>> dropped;
    for (std::size_t i = 0, reloading = 0; i < copies.size(); ++i) {
        Copy &copy = copies[i];
        if (copy.kind == CopyKind::Reload)
            reloading = copy.launch + std::size_t{1};
        if (copy.kind == CopyKind::Reload || copy.join > copy.launch || reloading != copy.launch + std::size_t{1})
            continue;
        copy.join = static_cast<std::uint32_t>(unitAfter(copy.launch + std::size_t{1}));
        if (copy.join > reloads[{copy.stage, copy.microbatch}])
            dropped.insert({copy.stage, copy.microbatch});
    }
    std::erase_if(copies, [&](const Copy &copy) { return dropped.contains({copy.stage, copy.microbatch}); });
}

/// Leaves on each device the activations that are offloaded: of each device those that the experiment chooses, or whole stages
/// of the pipeline that its family chooses.
void chooseLongest(std::vector<DeviceOffload> &devices, const model::ScheduleChoice &schedule)
{
    const double fraction = model::offloadOf(schedule).fraction;
    std::vector<DeviceOffload::Lifespan> ofPipeline;
    for (const DeviceOffload &each : devices)
        std::ranges::copy(each.lifespans(), std::back_inserter(ofPipeline));
    const auto stages = static_cast<double>(ofPipeline.size());
    const double ofStages = stages > 0 ? std::floor(fraction * stages) / stages : 0;
    for (DeviceOffload &each : devices) {
        if (schedule.offload.isOn())
            each.choose(each.lifespans(), fraction);
        else
            each.choose(ofPipeline, ofStages);
    }
}

} // namespace

base::Result<schedule::Schedule> withOffload(const model::Experiment &experiment, schedule::Schedule schedule,
                                             const CostModel &costs)
{
    const auto timeline = simulate(schedule, costs);
    if (!timeline)
        return timeline.error();
    const model::OffloadChoice choice = model::offloadOf(experiment.schedule);
    std::vector<DeviceOffload> devices;
    for (const timeline::Lane &lane : timeline->lanes)
        devices.emplace_back(lane, costs);
    if (!choice.isAuto)
        chooseLongest(devices, experiment.schedule);
    const bool isOfFamily = !experiment.schedule.offload.isOn();
    const LaneSharing lane = !costs.copiesTakeTurns ? LaneSharing::OneEach
                             : isOfFamily           ? LaneSharing::Slots
                                                    : LaneSharing::Shared;
    const bool mayDelay = !choice.isAuto && (!isOfFamily || choice.fraction == 1);
    std::vector<std::vector<Copy>> copies;
    for (DeviceOffload &each : devices) {
        if (lane == LaneSharing::Slots)
            each.leaveOutShort();
        copies.push_back(each.plan(lane, mayDelay));
    }
    return schedule.withCopies(std::move(copies));
}

base::Result<schedule::Schedule> withOffload(const model::Experiment &experiment, schedule::Schedule schedule)
{
    if (!model::offloadOf(experiment.schedule).isOn())
        return schedule;
    const auto costs = plannedCosts(experiment, schedule);
    return costs ? withOffload(experiment, std::move(schedule), *costs) : costs.error();
}

base::Result<> checkHostMemory(const model::Experiment &experiment, const std::vector<Bytes> &hostBytes)
{
    const auto room = hostMemoryOfNode(experiment);
    if (!room)
        return room.error();
    const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    const auto hardware = preset != nullptr ? model::hardwareOf(*preset) : base::Result<model::Hardware>(model::Hardware());
    if (!hardware)
        return hardware.error();
    const std::int64_t others = experiment.parallel.ranks(1); // of each device
    const bool isKnown = experiment.schedule.hostMemory.has_value() || *room > 0;
    // Ranks of a device are adjacent, so the fullest node has those with the greatest needs at worst.
    std::vector<Bytes> needs = hostBytes;
    std::ranges::sort(needs, std::ranges::greater());
    Bytes need = 0;
    std::int64_t left = preset != nullptr ? hardware->devicesPerNode : others * static_cast<std::int64_t>(needs.size());
    for (const Bytes each : needs) {
        const std::int64_t ranks = std::min(left, others);
        need += ranks * each;
        left -= ranks;
    }
    if (!isKnown || need <= *room)
        return {};
    if (experiment.schedule.offloadOptimizer)
        return base::Error::invalid("schedule.host_memory",
                                    fmt::format("a node has {} for what its devices keep on the host, but they need {}; raise "
                                                "it, or choose --no-offload-optimizer",
                                                base::bytesText(*room), base::bytesText(need)));
    const model::OffloadChoice choice = model::offloadOf(experiment.schedule);
    return base::Error::invalid(
        "schedule.host_memory",
        fmt::format("a node has {} for offloaded activations, but they need {}; raise it, or lower --offload (it is {})",
                    base::bytesText(*room), base::bytesText(need),
                    choice.isAuto ? "auto" : fmt::format("{:g}", choice.fraction)));
}

double anchoredPeakMicrobatches(const schedule::Schedule &schedule, int device)
{
    const std::span<const Pass> order = schedule.device(device);
    const std::span<const Copy> copies = schedule.copies(device);
    const std::vector<std::uint32_t> offloads = schedule::byJoin(copies, CopyKind::Offload);
    auto joined = offloads.begin();
    auto launched = copies.begin();
    int held = 0;
    int most = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (; joined != offloads.end() && copies[*joined].join <= i; ++joined)
            --held;
        for (; launched != copies.end() && launched->launch <= i; ++launched)
            held += launched->kind == CopyKind::Reload ? 1 : 0;
        const int change = schedule::activationChange(order[i].kind);
        most = std::max(most, held + std::max(change, 0));
        held += change;
    }
    return static_cast<double>(most) / schedule.placement().chunks() / schedule.slices();
}

} // namespace stagelens::simulate
