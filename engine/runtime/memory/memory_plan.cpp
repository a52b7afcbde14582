#include "engine/runtime/memory/memory_plan.h"

#include "engine/backend/memory.h"
#include "engine/runtime/plan/parameter_list.h"
#include "engine/runtime/plan/shape.h"
#include "engine/simulate/costs/compression_costs.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/replica_costs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace stagelens::runtime {
namespace {

using simulate::PlannedBuffer;

std::int64_t blockFloats(std::int64_t floats)
{
    return static_cast<std::int64_t>(backend::Pool::blockFloats(size(floats)));
}

/// Free gaps below the highest offset in use.
class Gaps {
public:
    /// Allocates in the smallest sufficient gap (best fit; ties go to the lowest), else at the end.
    std::int64_t allocate(std::int64_t floats)
    {
        auto best = m_gaps.end();
        for (auto gap = m_gaps.begin(); gap != m_gaps.end(); ++gap)
            if (gap->second >= floats && (best == m_gaps.end() || gap->second < best->second))
                best = gap;
        if (best == m_gaps.end())
            return takeAtEnd(floats);
        const auto [place, length] = *best;
        m_gaps.erase(best);
        if (length > floats)
            m_gaps.emplace(place + floats, length - floats);
        return place;
    }
    void release(std::int64_t place, std::int64_t floats)
    {
        auto next = m_gaps.lower_bound(place);
        if (next != m_gaps.end() && place + floats == next->first) {
            floats += next->second;
            next = m_gaps.erase(next);
        }
        if (next != m_gaps.begin())
            if (const auto before = std::prev(next); before->first + before->second == place) {
                before->second += floats;
                return;
            }
        m_gaps.emplace(place, floats);
    }
    [[nodiscard]] std::int64_t end() const { return m_end; }

private:
    std::int64_t takeAtEnd(std::int64_t floats)
    {
        std::int64_t place = m_end;
        if (!m_gaps.empty())
            if (const auto last = std::prev(m_gaps.end()); last->first + last->second == m_end) {
                place = last->first;
                m_gaps.erase(last);
            }
        m_end = place + floats;
        return place;
    }
    std::map<std::int64_t, std::int64_t> m_gaps; ///< length by offset
    std::int64_t m_end = 0;
};

/// Offsets of buffers with known lifetimes.
struct Offsets {
    std::vector<std::int64_t> places; ///< of each
    std::int64_t end = 0;             ///< of the highest
    std::int64_t mostLive = 0;        ///< greatest number of floats in simultaneously live buffers
};

/// Assigns an offset to every buffer, in order of begin. `byEnd`: their indices in order of end.
template <class Buffers, class Indices, class Floats>
Offsets placed(const Buffers &buffers, const Indices &byEnd, const Floats &floatsOf)
{
    Offsets made;
    Gaps gaps;
    auto ended = byEnd.begin();
    std::int64_t live = 0;
    for (const auto &buffer : buffers) {
        for (; buffers[*ended].last < buffer.first; ++ended) {
            gaps.release(made.places[*ended], blockFloats(floatsOf(buffers[*ended])));
            live -= floatsOf(buffers[*ended]);
        }
        made.places.push_back(gaps.allocate(blockFloats(floatsOf(buffer))));
        made.mostLive = std::max(made.mostLive, live += floatsOf(buffer));
    }
    made.end = gaps.end();
    return made;
}

void place(DevicePlan &plan)
{
    const auto buffers = plan.buffers.buffers();
    Offsets device = placed(buffers, plan.buffers.byEnd(), [](const PlannedBuffer &each) { return each.floats; });
    plan.places = std::move(device.places);
    plan.bufferFloats = device.end;
    plan.mostLive = device.mostLive;

    const auto onHost = plan.buffers.hostBuffers();
    std::vector<std::size_t> byEnd(onHost.size());
    std::iota(byEnd.begin(), byEnd.end(), std::size_t{0});
    std::ranges::stable_sort(byEnd, {}, [&onHost](std::size_t i) { return onHost[i].last; });
    Offsets host = placed(onHost, byEnd, [&buffers](const simulate::HostBuffer &each) { return buffers[each.from].floats; });
    plan.hostPlaces = std::move(host.places);
    plan.hostFloats = host.end;
    plan.hostPeak = host.mostLive * static_cast<base::Bytes>(sizeof(float));
}

/// `dropped`: what a rank does not hold between passes that exchange among replicas (ZeRO); then `peak` is that of the passes.
void followBytes(DevicePlan &plan, const schedule::Schedule &schedule, int device, const model::ParallelPlan &parallel,
                 const simulate::MemoryByCategory &dropped)
{
    const std::span<const schedule::Pass> order = schedule.device(device);
    const simulate::UnitUse use(parallel, schedule.vocabulary());
    plan.after.assign(order.size(), {});
    simulate::MemoryByCategory now = plan.buffers.fixed();
    const bool exchanges = parallel.reducesEagerly();
    simulate::WholeParts whole;
    base::Bytes greatest = 0;
    const auto held = [&] {
        using simulate::MemoryCategory;
        simulate::MemoryByCategory bytes = now;
        if (exchanges && !whole.gradients)
            bytes[category(MemoryCategory::Gradients)] -= dropped[category(MemoryCategory::Gradients)];
        if (exchanges && !whole.parameters)
            bytes[category(MemoryCategory::Parameters)] -= dropped[category(MemoryCategory::Parameters)];
        return bytes;
    };
    const auto look = [&](const simulate::MemoryByCategory &bytes) {
        const base::Bytes total = std::accumulate(bytes.begin(), bytes.end(), base::Bytes{0});
        if (exchanges && total > std::exchange(greatest, std::max(greatest, total)))
            plan.peak = bytes;
    };
    look(held());
    const auto buffers = plan.buffers.buffers();
    auto begun = buffers.begin();
    auto ended = plan.buffers.byEnd().begin();
    const auto change = [&now](const PlannedBuffer &buffer, base::Bytes sign) {
        now[category(buffer.category)] += sign * buffer.floats * static_cast<base::Bytes>(sizeof(float));
    };
    for (std::size_t pass = 0; pass < order.size(); ++pass) {
        // The unit that waits for the end of a copy to the host frees the copied values.
        for (; ended != plan.buffers.byEnd().end() && buffers[*ended].last < pass; ++ended)
            change(buffers[*ended], -1);
        for (; begun != buffers.end() && begun->first == pass; ++begun)
            change(*begun, 1);
        whole.enter(use, order[pass].kind);
        look(held());
        for (; ended != plan.buffers.byEnd().end() && buffers[*ended].last == pass && !buffers[*ended].isOffloaded; ++ended)
            change(buffers[*ended], -1);
        whole.leave(use, order[pass].kind);
        plan.after[pass] = held();
    }
}

/// Returns the floats of the messages of compressed gradients that are shorter than the longest, because a pool reuses blocks
/// for messages of the same size only: the ends of what is sent in chunks, and in uncompressed steps those of whole gradients.
std::int64_t shortMessageFloats(const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
{
    const operators::CompressedSizes sizes = simulate::compressedSizes(experiment, schedule, device, tensor);
    const int ranks = experiment.parallel.gradientRanks();
    const std::int64_t chunk = operators::compressedChunk(sizes, ranks);
    if (chunk == 0)
        return 0;
    std::set<std::int64_t> lengths;
    const auto add = [&](std::int64_t floats) {
        for (const std::int64_t length : {std::min(floats, chunk), floats % chunk})
            if (length > 0 && length < chunk)
                lengths.insert(length);
    };
    const auto addSum = [&](std::int64_t floats) {
        for (int rank = 0; rank < ranks; ++rank) {
            const operators::SummedPart part = operators::summedPart(floats, ranks, rank);
            add(part.last - part.first);
        }
    };
    for (const std::int64_t sum : {sizes.sums[0], sizes.sums[1], sizes.exact})
        addSum(sum);
    const std::vector<operators::PartShape> parts = simulate::deviceParts(experiment, schedule, device, tensor);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (sizes.isCompressed[i])
            addSum(parts[i].count());
    add(sizes.gathered);
    add(sizes.served);
    std::int64_t floats = 0;
    for (const std::int64_t length : lengths)
        floats += simulate::replicaMessages(experiment.parallel) * blockFloats(length);
    return floats;
}

} // namespace

base::Result<std::vector<DevicePlan>> memoryPlan(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                 int share, int tensor)
{
    const base::Precision precision = operators::enginePrecision(experiment);
    const operators::EngineFloats floats = operators::engineFloats(experiment);
    std::vector<DevicePlan> plans;
    for (int device = 0; device < schedule.devices(); ++device) {
        auto buffers = simulate::BufferPlan::make(experiment, schedule, device, share, tensor);
        if (!buffers)
            return buffers.error();
        plans.emplace_back(std::move(buffers).value());
    }
    // BufferPlan::make() has checked the orders, as messageBounds() requires.
    const std::vector<MessageBound> messages =
        messageBounds(schedule, operators::engineFloatsOfSlices(experiment), schedule::recipeChoice(experiment));
    const auto parameters = static_cast<std::int64_t>(parameterList(experiment.model).size());
    for (int device = 0; device < schedule.devices(); ++device) {
        DevicePlan &plan = plans[size(device)];
        const auto &fixed = plan.buffers.fixed();
        plan.poolFloats = std::accumulate(fixed.begin(), fixed.end(), base::Bytes{0}) / static_cast<base::Bytes>(sizeof(float));
        // Blocks begin at cache lines: each version of a parameter (and in 16 bits its master), two gradients, the tensors of
        // the optimizer's state, its sums of tables, and the parts of the workspace lose less than one line each.
        plan.weightVersions = weightVersions(schedule, device);
        constexpr int kTensorSums = 2; // of gradients or statistics
        const int drops = simulate::dropFloats(experiment) > 0 ? 2 : 0;
        const int chunks =
            simulate::replicaMessages(experiment.parallel) + simulate::expertReplicaMessages(experiment.parallel) + drops +
            static_cast<int>(simulate::expertMessages(experiment)) + simulate::contextMessages(experiment.parallel) +
            (experiment.parallel.tensor > 1 ? simulate::tensorMessages(experiment.parallel.tensor) + kTensorSums : 0);
        const auto state = static_cast<int>(optimizerOf(experiment.training.optimizer).state.size());
        const int compressed = experiment.training.compression.isOn() ? 3 : 0; // residual and state, and the buffers
        const int slots = experiment.schedule.offloadParameters ? 2 : 0;       // of layers
        const int parts = compressed + plan.weightVersions + (precision == base::Precision::Fp32 ? 2 : 3) + std::max(state, 2);
        // Those of tables, and the scratch.
        const auto tables = 2 + static_cast<int>(experiment.model.tails().size());
        const int sums = optimizerOf(experiment.training.optimizer).sums != nullptr ? tables + 1 : 0;
        plan.poolFloats = blockFloats(plan.poolFloats + blockFloats(1) * (parameters * parts + floats.workspaceParts + chunks +
                                                                          sums + slots + 2 * compressed));
        plan.poolFloats += shortMessageFloats(experiment, schedule, device, tensor);
        for (const auto &[each, blocks] : messages[size(device)].blocks)
            plan.poolFloats += blocks * blockFloats(each);
        plan.peak = plan.buffers.peak();
        place(plan);
        if (const base::Bytes onHost = plan.buffers.hostState().total(); onHost > 0) {
            // Weights, the copy that is read of them, the state, and the gradient of the parameter that is updated.
            plan.hostPoolFloats =
                onHost / static_cast<base::Bytes>(sizeof(float)) + blockFloats(1) * (parameters * (2 + state) + 1);
            plan.hostPeak += onHost;
        }
        followBytes(plan, schedule, device, experiment.parallel,
                    simulate::engineDroppedBytes(experiment, schedule, device, share, tensor));
        plan.peak[category(simulate::MemoryCategory::Communication)] += messages[size(device)].bytes;
        plan.slabFloats = plan.poolFloats + plan.bufferFloats;
    }
    return plans;
}

} // namespace stagelens::runtime
