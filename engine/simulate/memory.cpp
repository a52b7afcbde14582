#include "engine/simulate/memory.h"

#include "engine/operators/partition.h"
#include "engine/operators/slices.h"
#include "engine/schedule/vocabulary_tables.h"
#include "engine/simulate/buffers.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/replica_costs.h"
#include "engine/simulate/pass_bytes.h"
#include "engine/simulate/static_memory.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace stagelens::simulate {

using base::Bytes;
using base::Nanos;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// Bytes that are allocated (above 0) or freed at a time.
struct Change {
    Nanos time = 0;
    MemoryCategory category = MemoryCategory::Activations;
    Bytes bytes = 0;
};

/// Returns the end of the first stage's pass of that kind by microbatch; 0 if there is none.
std::vector<Nanos> endsOfFirstStage(const schedule::Schedule &schedule, const timeline::Timeline &timeline, PassKind kind)
{
    std::vector<Nanos> ends(static_cast<std::size_t>(schedule.microbatches()));
    for (int direction = 0; direction < schedule.placement().directions; ++direction) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(schedule.placement().deviceOf(0, direction))];
        for (std::size_t i = 0; i < lane.size(); ++i)
            if (lane.pass[i].stage == 0 && provides(lane.pass[i].kind, kind))
                ends[static_cast<std::size_t>(lane.pass[i].microbatch)] = lane.end[i];
    }
    return ends;
}

/// Returns the exact buffers of a plan of the engine; nothing for other plans and for an order that cannot run.
std::optional<BufferPlan> engineBuffers(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    if (!operators::isEnginePlan(experiment))
        return std::nullopt;
    auto plan = BufferPlan::make(experiment, schedule, device);
    return plan ? std::optional(std::move(plan).value()) : std::nullopt;
}

/// Collects the allocations and releases of one device's passes.
class ProfileBuilder {
public:
    ProfileBuilder(const model::Experiment &experiment, const schedule::Schedule &schedule, const timeline::Timeline &timeline,
                   int device);
    MemoryProfile build();
    MemoryPeak peak();

private:
    /// Collects every change of the device, sorted by time.
    void collect();
    /// Calls `visit(time, bytes)` at time 0 and at each change. The lifetime of a message depends on its receiver, so room for
    /// the maximum number of messages is counted all the time.
    template <class Visit>
    void walk(Visit visit);
    /// Returns the peak bytes of messages. Call after collect().
    [[nodiscard]] Bytes roomForMessages() const;
    void addBuffers();
    /// Adds what ZeRO-2 and 3 hold for a part of the step only.
    void addShards();
    /// Adds what a pass gathers and reduces.
    void addUnits(const Pass &pass, Nanos begin, Nanos end);
    void addMessages(const Pass &pass, Nanos begin, Nanos end);
    void addSlice(const Pass &pass, Nanos begin, Nanos end);
    /// Frees what the unit at a position joins as offloaded, and allocates what is reloaded before it.
    void addCopies(std::size_t position, Nanos begin);
    void addOutputLayer(const Pass &pass, Nanos begin, Nanos end);
    /// Frees activations at the end of the last pass that needs them.
    void release(const Pass &pass, Nanos end);
    /// Keys and values of a sequence live from the forward of its first slice to the backward of it, the sums of their
    /// gradients from the backward of its last slice.
    void addKeys(const Pass &pass, Nanos begin, Nanos end);
    [[nodiscard]] Bytes kept(const Pass &pass) const;
    /// Returns the part of a sequence's bytes that its slice has.
    [[nodiscard]] Bytes ofSlice(Bytes bytes, const Pass &pass) const
    {
        if (m_shares.empty())
            return bytes;
        const double share = m_shares[static_cast<std::size_t>(pass.microbatch % m_schedule.slices())].tokens;
        return static_cast<Bytes>(share * static_cast<double>(bytes));
    }
    void hold(Nanos from, Nanos until, MemoryCategory category, Bytes bytes)
    {
        m_changes.push_back({from, category, bytes});
        m_changes.push_back({std::max(from, until), category, -bytes});
    }

    const schedule::Schedule &m_schedule;
    const schedule::RecipeBook &m_recipes;
    int m_device;
    const timeline::Lane &m_lane;
    PassBytes m_bytes;
    std::vector<operators::SliceShare> m_shares; ///< empty: sequences are whole
    std::optional<BufferPlan> m_buffers;         ///< of the engine
    std::span<const schedule::Copy> m_copies;
    std::vector<std::uint32_t> m_offloads; ///< of them, in the order of their joins
    std::size_t m_launched = 0;
    std::size_t m_joined = 0;
    MemoryByCategory m_constant;
    MemoryByCategory m_dropped; ///< of `m_constant`
    model::ParallelPlan m_parallel;
    UnitUse m_unitUse;
    WholeParts m_whole;
    std::vector<Nanos> m_firstForward;
    std::vector<Nanos> m_firstBackward;
    std::vector<Change> m_changes;
};

ProfileBuilder::ProfileBuilder(const model::Experiment &experiment, const schedule::Schedule &schedule,
                               const timeline::Timeline &timeline, int device)
    : m_schedule(schedule),
      m_recipes(schedule::recipeBook(schedule.vocabulary(), {.kind = experiment.schedule.vocabularyKind,
                                                             .mapsInput = experiment.model.isFactorised(),
                                                             .mapsOutput = experiment.model.mapsOutput(),
                                                             .hasTails = schedule::recipeChoice(experiment).hasTails})),
      m_device(device), m_lane(timeline.lanes[static_cast<std::size_t>(device)]),
      m_bytes(passBytes(experiment, schedule, device)), m_buffers(engineBuffers(experiment, schedule, device)),
      m_constant(staticBytes(experiment, schedule, device)), m_dropped(droppedBytes(experiment, schedule, device)),
      m_parallel(experiment.parallel), m_unitUse(experiment.parallel, schedule.vocabulary())
{
    m_copies = schedule.copies(device);
    m_offloads = schedule::byJoin(m_copies, schedule::CopyKind::Offload);
    if (schedule.slices() > 1)
        m_shares = operators::sliceShares(experiment);
    if (schedule::VocabularyTables(schedule).areDivided()) {
        m_firstForward = endsOfFirstStage(schedule, timeline, PassKind::F);
        m_firstBackward = endsOfFirstStage(schedule, timeline, PassKind::B);
    }
    m_changes.reserve(2 * m_lane.size());
}

Bytes ProfileBuilder::kept(const Pass &pass) const
{
    return ofSlice(m_bytes.kept(pass.stage, pass.stage == m_schedule.placement().lastStage()), pass);
}

void ProfileBuilder::addOutputLayer(const Pass &pass, Nanos begin, Nanos end)
{
    // All that the output layer keeps lives as long as its input, or as its exponentials.
    const schedule::PassRole role = schedule::roleOf(pass, m_schedule.placement(), true, m_device);
    for (const schedule::KeptUse &each : m_recipes.of(role).uses) {
        const bool isInput = each.value == schedule::PassValue::OutputInput;
        if (!isInput && each.value != schedule::PassValue::Exponentials)
            continue;
        const Bytes bytes = ofSlice(isInput ? m_bytes.vocabulary : m_bytes.exponentials, pass);
        if (each.use == schedule::Use::Makes || each.use == schedule::Use::MakesAndFrees)
            m_changes.push_back({begin, MemoryCategory::Vocabulary, bytes});
        if (each.use == schedule::Use::Frees || each.use == schedule::Use::MakesAndFrees)
            m_changes.push_back({end, MemoryCategory::Vocabulary, -bytes});
    }
}

void ProfileBuilder::release(const Pass &pass, Nanos end)
{
    m_changes.push_back({end, MemoryCategory::Activations, -kept(pass)});
}

void ProfileBuilder::addBuffers()
{
    for (const PlannedBuffer &buffer : m_buffers->buffers())
        if (buffer.last < m_lane.size()) // a stopped step has fewer passes
            hold(m_lane.begin[buffer.first],
                 buffer.isOffloaded && buffer.last + 1 < m_lane.size() ? m_lane.begin[buffer.last + 1]
                                                                       : m_lane.end[buffer.last],
                 buffer.category, buffer.floats * kFloatBytes);
}

void ProfileBuilder::addUnits(const Pass &pass, Nanos begin, Nanos end)
{
    if (m_buffers && m_parallel.reducesEagerly()) {
        const WholeParts before = m_whole;
        m_whole.enter(m_unitUse, pass.kind);
        const WholeParts during = m_whole;
        m_whole.leave(m_unitUse, pass.kind);
        const auto change = [&](Nanos time, MemoryCategory category, Bytes bytes, bool was, bool is) {
            if (was != is)
                m_changes.push_back({time, category, is ? bytes : -bytes});
        };
        const Bytes gathered = m_bytes.gatheredBy(pass);
        const Bytes reduced = m_bytes.reducedBy(pass);
        change(begin, MemoryCategory::Parameters, gathered, before.parameters, during.parameters);
        change(begin, MemoryCategory::Gradients, reduced, before.gradients, during.gradients);
        change(end, MemoryCategory::Parameters, gathered, during.parameters, m_whole.parameters);
        change(end, MemoryCategory::Gradients, reduced, during.gradients, m_whole.gradients);
        return;
    }
    if (m_unitUse.uses(pass.kind))
        hold(begin, end, MemoryCategory::Parameters, m_bytes.gatheredBy(pass));
    if (m_unitUse.reduces(pass.kind))
        hold(begin, end, MemoryCategory::Gradients, m_bytes.reducedBy(pass));
}

void ProfileBuilder::addShards()
{
    if (m_parallel.reducesEagerly()) { // shares are all that lasts
        for (std::size_t i = 0; i < m_constant.size(); ++i)
            m_constant[i] -= m_dropped[i];
        return;
    }
    const Nanos passesEnd = m_lane.size() > 0 ? m_lane.end.back() : 0;
    Nanos gathered = 0;
    Nanos reduced = passesEnd;
    for (const timeline::AnchoredSlice &slice : m_lane.anchored) {
        if (slice.kind == timeline::AnchoredKind::GatherParameters)
            gathered = slice.begin;
        if (slice.kind == timeline::AnchoredKind::ReduceGradients)
            reduced = slice.end;
    }
    if (const Bytes gradients = m_dropped[at(MemoryCategory::Gradients)]; gradients > 0)
        m_changes.push_back({reduced, MemoryCategory::Gradients, -gradients});
    if (const Bytes parameters = m_dropped[at(MemoryCategory::Parameters)]; parameters > 0) {
        m_constant[at(MemoryCategory::Parameters)] -= parameters;
        hold(gathered, std::max(reduced, m_lane.tailEnd), MemoryCategory::Parameters, parameters);
    }
}

void ProfileBuilder::addMessages(const Pass &pass, Nanos begin, Nanos end)
{
    const auto microbatch = static_cast<std::size_t>(pass.microbatch);
    const Bytes boundary = ofSlice(m_bytes.boundary, pass);
    const Bytes rows = ofSlice(m_bytes.tableRows, pass);
    const Bytes packed = m_schedule.placement().crossesDevices(pass) ? ofSlice(m_bytes.packed, pass) : 0;
    if (packed > 0 && pass.kind == PassKind::F)
        hold(begin, end, MemoryCategory::Communication, boundary + packed);
    switch (pass.kind) {
    case PassKind::B:
    case PassKind::I: hold(begin, end, MemoryCategory::Communication, boundary + packed); break;
    // Partial embeddings live until the first stage has used their sum, their gradient from its arrival to the scatter.
    case PassKind::EF: hold(begin, m_firstForward[microbatch], MemoryCategory::Communication, rows); break;
    case PassKind::EB: hold(m_firstBackward[microbatch], end, MemoryCategory::Communication, rows); break;
    default: break;
    }
}

void ProfileBuilder::addKeys(const Pass &pass, Nanos begin, Nanos end)
{
    if (m_shares.empty())
        return;
    const int slice = pass.microbatch % m_schedule.slices();
    const bool isBackward = pass.kind == PassKind::B || pass.kind == PassKind::I;
    const Bytes layers = m_bytes.layers[pass.stage];
    const Bytes both = m_bytes.keys + m_bytes.keyGradients;
    if (pass.kind == PassKind::F && slice == 0)
        m_changes.push_back({begin, MemoryCategory::Activations, layers * m_bytes.keys});
    if (isBackward && slice == m_schedule.slices() - 1)
        m_changes.push_back({begin, MemoryCategory::Activations, layers * m_bytes.keyGradients});
    if (isBackward && slice == 0)
        m_changes.push_back({end, MemoryCategory::Activations, -layers * both});
}

void ProfileBuilder::addSlice(const Pass &pass, Nanos begin, Nanos end)
{
    if (pass.kind == PassKind::F)
        m_changes.push_back({begin, MemoryCategory::Activations, kept(pass)});
    if (const Bytes workspace = m_bytes.workspaceOf(pass); workspace > 0)
        hold(begin, end, MemoryCategory::Workspace, ofSlice(workspace, pass));
    addOutputLayer(pass, begin, end);
    addKeys(pass, begin, end);
    const Bytes recomputed = ofSlice(m_bytes.rebuiltBy(pass.stage), pass);
    if (pass.kind == PassKind::I)
        m_changes.push_back({end, MemoryCategory::Activations, recomputed});
    if (pass.kind == PassKind::W)
        m_changes.push_back({end, MemoryCategory::Activations, -recomputed});
    if (pass.kind == PassKind::B || pass.kind == PassKind::W)
        release(pass, end);
}

void ProfileBuilder::addCopies(std::size_t position, Nanos begin)
{
    for (; m_joined < m_offloads.size() && m_copies[m_offloads[m_joined]].join == position; ++m_joined)
        m_changes.push_back({begin, MemoryCategory::Activations, -m_bytes.ofLayers(m_copies[m_offloads[m_joined]].stage)});
    for (; m_launched < m_copies.size() && m_copies[m_launched].launch == position; ++m_launched)
        if (m_copies[m_launched].kind == schedule::CopyKind::Reload)
            m_changes.push_back({begin, MemoryCategory::Activations, m_bytes.ofLayers(m_copies[m_launched].stage)});
}

void ProfileBuilder::collect()
{
    addShards();
    if (m_buffers)
        addBuffers();
    for (std::size_t i = 0; i < m_lane.size(); ++i) {
        addMessages(m_lane.pass[i], m_lane.begin[i], m_lane.end[i]);
        addUnits(m_lane.pass[i], m_lane.begin[i], m_lane.end[i]);
        if (!m_buffers)
            addCopies(i, m_lane.begin[i]);
        if (!m_buffers)
            addSlice(m_lane.pass[i], m_lane.begin[i], m_lane.end[i]);
    }
    // Stable: at equal times, the release of a pass precedes the allocation of the next.
    std::ranges::stable_sort(m_changes, {}, &Change::time);
}

Bytes ProfileBuilder::roomForMessages() const
{
    Bytes held = m_constant[at(MemoryCategory::Communication)];
    Bytes most = held;
    for (const Change &change : m_changes) {
        held += change.category == MemoryCategory::Communication ? change.bytes : 0;
        most = std::max(most, held);
    }
    return most;
}

MemoryPeak ProfileBuilder::peak()
{
    MemoryPeak peak;
    const auto look = [&peak](Nanos, const MemoryByCategory &now) {
        if (const Bytes total = std::accumulate(now.begin(), now.end(), Bytes{0}); total > peak.total)
            peak = {total, now};
    };
    walk(look);
    return peak;
}

MemoryProfile ProfileBuilder::build()
{
    MemoryProfile profile;
    walk([&profile](Nanos time, const MemoryByCategory &now) { profile.steps.push_back({time, now}); });
    return profile;
}

template <class Visit>
void ProfileBuilder::walk(Visit visit)
{
    collect();
    MemoryByCategory now = m_constant;
    now[at(MemoryCategory::Communication)] = roomForMessages();
    visit(Nanos{0}, now);
    for (const Change &change : m_changes) {
        if (change.category == MemoryCategory::Communication)
            continue;
        now[at(change.category)] += change.bytes;
        visit(change.time, now);
    }
}

} // namespace

std::string_view name(MemoryCategory category)
{
    constexpr std::array<std::string_view, kMemoryCategoryCount> kNames{
        "parameters", "gradients", "optimizer", "activations", "vocabulary", "communication", "workspace"};
    return kNames[at(category)];
}

Bytes MemoryStep::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

Bytes MemoryProfile::peak() const
{
    Bytes peak = 0;
    for (const MemoryStep &step : steps)
        peak = std::max(peak, step.total());
    return peak;
}

MemoryByCategory MemoryProfile::atPeak() const
{
    const auto highest = std::ranges::max_element(steps, {}, &MemoryStep::total);
    return highest == steps.end() ? MemoryByCategory{} : highest->bytes;
}

MemoryPeak memoryPeak(const model::Experiment &experiment, const schedule::Schedule &schedule,
                      const timeline::Timeline &timeline, int device)
{
    if (!experiment.hasModel)
        return {};
    return ProfileBuilder(experiment, schedule, timeline, device).peak();
}

MemoryProfile memoryProfile(const model::Experiment &experiment, const schedule::Schedule &schedule,
                            const timeline::Timeline &timeline, int device)
{
    if (!experiment.hasModel)
        return {};
    return ProfileBuilder(experiment, schedule, timeline, device).build();
}

double peakActivationMicrobatches(const timeline::Timeline &timeline, const schedule::Placement &placement, int device)
{
    const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
    // Sorted by time; what ends precedes what begins, and a pass that keeps nothing has no place of its own.
    std::vector<std::pair<Nanos, int>> changes;
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        if (timeline::isCopy(slice.kind))
            changes.emplace_back(slice.kind == timeline::AnchoredKind::Offload ? slice.end : slice.begin,
                                 slice.kind == timeline::AnchoredKind::Offload ? -1 : 1);
    const bool hasCopies = !changes.empty();
    int held = 0;
    int most = 0;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const int change = schedule::activationChange(lane.pass[i].kind);
        if (hasCopies && change != 0)
            changes.emplace_back(change > 0 ? lane.begin[i] : lane.end[i], change);
        held += change;
        most = std::max(most, held);
    }
    if (hasCopies) {
        std::ranges::sort(changes);
        held = most = 0;
        for (const auto &[time, change] : changes)
            most = std::max(most, held += change);
    }
    return static_cast<double>(most) / placement.chunks() / timeline.slices;
}

} // namespace stagelens::simulate
