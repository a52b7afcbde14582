#include "engine/simulate/buffers.h"

#include "engine/base/text.h"
#include "engine/operators/recompute.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace stagelens::simulate {

using schedule::Pass;
using schedule::PassValue;
using schedule::Use;

namespace {

MemoryCategory categoryOf(PassValue value)
{
    return schedule::isOfVocabulary(value) ? MemoryCategory::Vocabulary : MemoryCategory::Activations;
}

} // namespace

/// Visits the passes of a device and collects the lifetimes of its buffers.
class BufferPlan::Walk {
public:
    Walk(BufferPlan &plan, const model::Experiment &experiment, const schedule::Schedule &schedule, int device, int tensor)
        : m_plan(plan), m_schedule(schedule), m_order(schedule.device(device)), m_device(device),
          m_floats(operators::engineFloatsOfSlices(experiment)), m_layers(layersOfStages(experiment, schedule)),
          m_rows(operators::paddedRows(shardRows(experiment, schedule, device, tensor), operators::outputMultiple(experiment))),
          m_columns(experiment.model.isSampled() ? logitColumns(experiment, schedule, device, tensor).most : m_rows),
          m_shards(tableShards(experiment, schedule)), m_whole(operators::recomputedLayers(experiment.schedule, m_layers)),
          m_recipes(schedule::recipeBook(schedule.vocabulary(), schedule::recipeChoice(experiment))),
          m_choice(experiment.schedule), m_model(experiment.model)
    {}

    base::Result<> run()
    {
        for (m_position = 0; m_position < m_order.size(); ++m_position) {
            if (m_position == 0 || !m_order[m_position - 1].pairedWithNext)
                m_begin = m_position;
            moveCopied();
            visit(m_order[m_position]);
            if (!m_problem.empty())
                return base::Error::invalid("schedule", m_problem);
        }
        for (std::uint32_t i = 0; i < m_plan.m_buffers.size(); ++i)
            if (!m_isFreed[i])
                end(i);
        pairCopied();
        return {};
    }

private:
    void visit(const Pass &pass);
    /// Ends the parts of values that the unit joins as offloaded, and begins those that are reloaded before it.
    void moveCopied();
    /// Calls `move(place in the table)` for each value of a copy that exists.
    template <class Move>
    void eachCopied(const schedule::Copy &copy, Move move);
    /// Lists the values on the host, when all parts on the device are known.
    void pairCopied();
    void use(Use how, PassValue value, const Pass &pass);
    void make(std::uint32_t &place, const BufferKey &key, std::int64_t floats);
    void end(std::uint32_t place)
    {
        m_plan.m_buffers[place].last = static_cast<std::uint32_t>(std::min(m_position, m_order.size() - 1));
        m_plan.m_byEnd.push_back(place);
        m_isFreed[place] = true;
    }
    /// The keys and values that the slices of a sequence share.
    void useKeys(const Pass &pass);
    [[nodiscard]] std::int64_t floats(PassValue value, const Pass &pass) const;

    BufferPlan &m_plan;
    const schedule::Schedule &m_schedule;
    std::span<const Pass> m_order;
    int m_device;
    std::vector<operators::EngineFloats> m_floats; ///< of each slice of a sequence
    std::vector<int> m_layers;
    std::int64_t m_rows;      ///< of the output projection, padded
    std::int64_t m_columns;   ///< logits of a token: one for each row, or for each word that a sampled softmax draws of them
    int m_shards;             ///< over which a table is divided
    std::vector<int> m_whole; ///< of them: recomputed as a whole
    const schedule::RecipeBook &m_recipes;
    const model::ScheduleChoice &m_choice;
    const model::ModelConfig &m_model;
    std::size_t m_position = 0;
    std::size_t m_begin = 0; ///< of the pair, if the pass is in one
    std::vector<bool> m_isFreed;
    std::span<const schedule::Copy> m_copies = m_schedule.copies(m_device);
    std::vector<std::uint32_t> m_offloads = schedule::byJoin(m_copies, schedule::CopyKind::Offload);
    std::size_t m_joined = 0;
    std::size_t m_launched = 0;
    std::string m_problem;
};

void BufferPlan::Walk::make(std::uint32_t &place, const BufferKey &key, std::int64_t floats)
{
    const std::uint32_t before = place;
    place = static_cast<std::uint32_t>(m_plan.m_buffers.size());
    m_plan.m_buffers.push_back({key, categoryOf(key.value), floats, static_cast<std::uint32_t>(m_begin), 0});
    m_plan.m_buffers.back().before = before == kAbsent ? kNoPart : before;
    m_isFreed.push_back(false);
}

template <class Move>
void BufferPlan::Walk::eachCopied(const schedule::Copy &copy, Move move)
{
    for (const PassValue value : kCopiedValues) {
        const std::size_t cell = m_plan.cell({value, copy.stage, copy.microbatch});
        if (cell < m_plan.m_table.size() && m_plan.m_table[cell] != kAbsent)
            move(m_plan.m_table[cell]);
    }
}

void BufferPlan::Walk::moveCopied()
{
    for (; m_joined < m_offloads.size() && m_copies[m_offloads[m_joined]].join <= m_position; ++m_joined)
        eachCopied(m_copies[m_offloads[m_joined]], [this](std::uint32_t place) {
            PlannedBuffer &buffer = m_plan.m_buffers[place];
            buffer.last = static_cast<std::uint32_t>(m_position) - 1;
            buffer.isOffloaded = true;
            m_plan.m_byEnd.push_back(place);
            m_isFreed[place] = true;
        });
    for (; m_launched < m_copies.size() && m_copies[m_launched].launch <= m_position; ++m_launched) {
        if (m_copies[m_launched].kind != schedule::CopyKind::Reload)
            continue;
        eachCopied(m_copies[m_launched], [this](std::uint32_t &place) {
            const PlannedBuffer before = m_plan.m_buffers[place];
            make(place, before.key, before.floats);
        });
    }
}

void BufferPlan::Walk::pairCopied()
{
    std::map<std::pair<int, int>, std::size_t> offloads; // by stage and microbatch
    m_plan.m_movedBy.resize(m_copies.size());
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
        const schedule::Copy &copy = m_copies[i];
        if (copy.kind != schedule::CopyKind::Offload)
            continue;
        const auto first = static_cast<std::uint32_t>(m_plan.m_hostBuffers.size());
        eachCopied(copy, [&](std::uint32_t place) {
            if (m_plan.m_buffers[place].before != kNoPart)
                m_plan.m_hostBuffers.push_back({m_plan.m_buffers[place].before, place, copy.launch, copy.join});
        });
        m_plan.m_movedBy[i] = {first, static_cast<std::uint32_t>(m_plan.m_hostBuffers.size())};
        offloads[{copy.stage, copy.microbatch}] = i;
    }
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
        const auto offload = offloads.find({m_copies[i].stage, m_copies[i].microbatch});
        if (m_copies[i].kind != schedule::CopyKind::Reload || offload == offloads.end())
            continue;
        m_plan.m_movedBy[i] = m_plan.m_movedBy[offload->second];
        for (auto [at, end] = m_plan.m_movedBy[i]; at != end; ++at)
            m_plan.m_hostBuffers[at].last = m_copies[i].join;
    }
}

std::int64_t BufferPlan::Walk::floats(PassValue value, const Pass &pass) const
{
    const int layers = m_layers[pass.stage];
    const int whole = m_whole[pass.stage];
    const operators::EngineFloats &each = m_floats[static_cast<std::size_t>(pass.microbatch) % m_floats.size()];
    switch (value) {
    case PassValue::StageSlots: return each.keptByStage(layers, whole);
    case PassValue::Recomputed: return each.rebuiltByStage(layers, whole);
    case PassValue::Keys:
    case PassValue::KeyGradients: return layers * each.keys;
    case PassValue::NormStatistics: return each.normStatistics;
    case PassValue::Exponentials:
        return base::floatsOf(
            operators::logitNumbers(m_choice.logitTokens(each.outputTokens), m_columns, m_rows, m_model, m_shards),
            each.precision);
    case PassValue::LocalStatistics: // with the shard's own maxima of the tails, which it adds
        return 3 * each.statisticRows + (each.statisticRows - each.outputTokens);
    case PassValue::GlobalStatistics: return 3 * each.statisticRows;
    case PassValue::ShardFactors: return m_schedule.devices() * each.statisticRows;
    case PassValue::OutputInput: return each.outputInput;
    case PassValue::TokenRows:
    case PassValue::EmbeddingGradient: return each.tableRows;
    case PassValue::StageInput: return each.keptInput;
    default: return each.boundary;
    }
}

void BufferPlan::Walk::use(Use how, PassValue value, const Pass &pass)
{
    const BufferKey key{value, schedule::isOfVocabulary(value) ? kVocabularyStage : pass.stage, pass.microbatch};
    // One recomputed layer keeps nothing but the stage's input, and a stage may recompute nothing.
    if ((value == PassValue::StageSlots || value == PassValue::Recomputed) && floats(value, pass) == 0)
        return;
    const auto complain = [&](std::string_view why) {
        if (m_problem.empty())
            m_problem = fmt::format("device {}, position {}: {} needs the {} of microbatch {}, which {}", m_device, m_position,
                                    schedule::text(pass), schedule::description(value), pass.microbatch, why);
    };
    const std::size_t cell = m_plan.cell(key);
    if (cell >= m_plan.m_table.size())
        return complain("belongs to no stage of this device");
    std::uint32_t &place = m_plan.m_table[cell];
    const bool isMade = place != kAbsent;
    const bool makes = how == Use::Makes || how == Use::MakesAndFrees;
    const bool isRebuilt = m_choice.vocabularyKind != model::VocabularyKind::Full && value == PassValue::Exponentials;
    const bool isAgain = isMade && isRebuilt && m_isFreed[place];
    if (makes && isMade && !isAgain)
        return complain(fmt::format("was made before, by {}", schedule::text(m_order[m_plan.m_buffers[place].first])));
    if (makes || (how == Use::Shares && !isMade)) {
        make(place, key, floats(value, pass));
        return how == Use::MakesAndFrees ? end(place) : void();
    }
    if (!isMade)
        return complain("no earlier pass has made; put its forward (or the first half of its backward) before it");
    if (m_isFreed[place])
        return complain(fmt::format("was freed by {} at position {}; let the pass that frees it stand last",
                                    schedule::text(m_order[m_plan.m_buffers[place].last]), m_plan.m_buffers[place].last));
    if (how != Use::Reads)
        end(place);
}

void BufferPlan::Walk::visit(const Pass &pass)
{
    if (pass.stage >= m_layers.size() || pass.microbatch < 0 || pass.microbatch >= m_schedule.microbatches()) {
        m_problem =
            fmt::format("device {}, position {}: {} is of a stage or microbatch that the plan does not have; take it away",
                        m_device, m_position, schedule::text(pass));
        return;
    }
    const bool hasLayers = m_layers[pass.stage] > 0;
    for (const schedule::KeptUse &each : m_recipes.of(schedule::roleOf(pass, m_schedule.placement(), hasLayers, m_device)).uses)
        use(each.use, each.value, pass);
    if (hasLayers && m_floats.size() > 1)
        useKeys(pass);
}

void BufferPlan::Walk::useKeys(const Pass &pass)
{
    const auto slices = static_cast<int>(m_floats.size());
    const int slice = pass.microbatch % slices;
    const Pass sequence = schedule::makePass(pass.kind, pass.stage, pass.microbatch - slice);
    if (pass.kind == schedule::PassKind::F)
        use(slice == 0 ? Use::Makes : Use::Reads, PassValue::Keys, sequence);
    if (pass.kind != schedule::PassKind::B && pass.kind != schedule::PassKind::I)
        return;
    use(slice == 0 ? Use::Frees : Use::Reads, PassValue::Keys, sequence);
    if (slice == slices - 1)
        use(Use::Makes, PassValue::KeyGradients, sequence);
    if (slice < slices - 1)
        use(slice == 0 ? Use::Frees : Use::Reads, PassValue::KeyGradients, sequence);
}

BufferPlan::BufferPlan(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                       std::optional<int> replica, int tensor)
    : m_fixed(engineFixedBytes(experiment, schedule, device, replica, tensor)),
      m_hostState(simulate::hostState(experiment, schedule, device, replica, tensor)),
      m_chunk(static_cast<std::size_t>(schedule.stages()), -1),
      m_microbatches(static_cast<std::size_t>(schedule.microbatches()))
{
    int chunks = 0;
    for (const int stage : schedule.placement().stagesOf(device))
        if (int &chunk = m_chunk[static_cast<std::size_t>(stage)]; chunk < 0)
            chunk = chunks++;
    m_chunks = static_cast<std::size_t>(std::max(1, chunks));
    m_table.assign(schedule::kKeptValues * m_chunks * m_microbatches, kAbsent);
}

std::size_t BufferPlan::cell(const BufferKey &key) const
{
    const bool isOutput = schedule::isOfVocabulary(key.value);
    const int chunk = isOutput ? 0 : m_chunk[static_cast<std::size_t>(key.stage)];
    if (chunk < 0)
        return m_table.size();
    const std::size_t row = static_cast<std::size_t>(key.value) * m_chunks + static_cast<std::size_t>(chunk);
    return row * m_microbatches + static_cast<std::size_t>(key.microbatch);
}

std::uint32_t BufferPlan::find(const BufferKey &key) const
{
    const std::size_t place = cell(key);
    return place < m_table.size() ? m_table[place] : kAbsent;
}

base::Result<BufferPlan> BufferPlan::make(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                          std::optional<int> replica, int tensor)
{
    model::Experiment computed = experiment;
    if (experiment.training.backend == "cpu")
        computed.cost.source = model::HardwarePreset{}; // the engine's buffers, whatever machine the plan describes
    else if (!operators::isEnginePlan(experiment))
        computed.model.dtype = model::DataType::Fp32;
    BufferPlan plan(computed, schedule, device, replica, tensor);
    if (auto sound = Walk(plan, computed, schedule, device, tensor).run(); !sound)
        return sound.error();
    return plan;
}

MemoryByCategory BufferPlan::peak() const
{
    MemoryByCategory now = m_fixed;
    MemoryByCategory most = m_fixed;
    base::Bytes total = 0;
    base::Bytes greatest = 0;
    auto ended = m_byEnd.begin();
    for (const PlannedBuffer &buffer : m_buffers) {
        for (; m_buffers[*ended].last < buffer.first; ++ended) {
            now[at(m_buffers[*ended].category)] -= kFloatBytes * m_buffers[*ended].floats;
            total -= m_buffers[*ended].floats;
        }
        now[at(buffer.category)] += kFloatBytes * buffer.floats;
        total += buffer.floats;
        if (total > greatest) {
            greatest = total;
            most = now;
        }
    }
    return most;
}

} // namespace stagelens::simulate
