#include "engine/simulate/buffers.h"

#include "engine/base/text.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/device_share.h"

#include <algorithm>
#include <array>

namespace stagelens::simulate {

using schedule::Pass;
using schedule::PassKind;

namespace {

MemoryCategory categoryOf(BufferKind kind)
{
    return kind < BufferKind::OutputInput ? MemoryCategory::Activations : MemoryCategory::Vocabulary;
}

/// How a pass uses a buffer.
enum class Use : unsigned char {
    Makes,
    Reads,
    Frees,
    Shares, ///< the first of two passes makes it, the second frees it
};

} // namespace

std::string_view name(BufferKind kind)
{
    constexpr std::array<std::string_view, kBufferKinds> kNames{
        "input of the stage",      "activations of the layers",    "recomputed activations",    "gradient of the embedding",
        "input of the last norm",  "statistics of the last norm",  "input of the output layer", "exponentials of the logits",
        "statistics of the shard", "statistics of the vocabulary", "factors of the shards"};
    return kNames[static_cast<std::size_t>(kind)];
}

MemoryByCategory engineFixedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const DeviceParameters parameters = deviceParameters(experiment, schedule, device);
    const base::Precision precision = operators::enginePrecision(experiment);
    const operators::EngineFloats floats = operators::engineFloats(experiment);
    const std::int64_t again = experiment.schedule.recompute == model::Recompute::Full ? floats.layer : 0;
    MemoryByCategory bytes{};
    // Passes read a version of the weights; in bf16 these are copies of the fp32 master weights.
    const std::int64_t master = precision == base::Precision::Fp32 ? 0 : kFloatBytes;
    bytes[at(MemoryCategory::Parameters)] =
        parameters.count * (master + base::elementBytes(precision) * weightVersions(schedule, device));
    bytes[at(MemoryCategory::Gradients)] = kFloatBytes * (parameters.count + parameters.tied);
    bytes[at(MemoryCategory::Optimizer)] = optimizerOf(experiment.training.optimizer).stateBytes() * parameters.count;
    bytes[at(MemoryCategory::Workspace)] = kFloatBytes * (floats.workspace + again);
    return bytes;
}

/// Visits the passes of a device and collects the lifetimes of its buffers.
class BufferPlan::Walk {
public:
    Walk(BufferPlan &plan, const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
        : m_plan(plan), m_schedule(schedule), m_order(schedule.device(device)), m_device(device),
          m_floats(operators::engineFloats(experiment)), m_layers(layersOfStages(experiment, schedule)),
          m_rows(shardRows(experiment, schedule, device)),
          m_recomputes(experiment.schedule.recompute == model::Recompute::Full), m_method(model::traits(schedule.vocabulary()))
    {}

    base::Result<> run()
    {
        for (m_position = 0; m_position < m_order.size(); ++m_position) {
            if (m_position == 0 || !m_order[m_position - 1].pairedWithNext)
                m_begin = m_position;
            visit(m_order[m_position]);
            if (!m_problem.empty())
                return base::Error::invalid("schedule", m_problem);
        }
        for (std::uint32_t i = 0; i < m_plan.m_buffers.size(); ++i)
            if (!m_isFreed[i])
                end(i);
        return {};
    }

private:
    void visit(const Pass &pass);
    void visitForward(const Pass &pass);
    void visitBackward(const Pass &pass);
    void visitWeights(const Pass &pass);
    void visitOutput(Use use, int microbatch);
    /// Visits the statistics of all shards, for T or for the last backward of VOCAB-2.
    void visitStatistics(const Pass &pass);
    void use(Use how, BufferKind kind, int stage, int microbatch, std::int64_t floats = 0);
    void make(std::uint32_t &place, const BufferKey &key, std::int64_t floats);
    void end(std::uint32_t place)
    {
        m_plan.m_buffers[place].last = static_cast<std::uint32_t>(std::min(m_position, m_order.size() - 1));
        m_plan.m_byEnd.push_back(place);
        m_isFreed[place] = true;
    }
    [[nodiscard]] bool isLast(const Pass &pass) const { return pass.stage == m_schedule.placement().lastStage(); }
    [[nodiscard]] bool isOnLastDevice(int microbatch) const
    {
        const schedule::Placement &placement = m_schedule.placement();
        return placement.deviceOf(placement.lastStage(), placement.directionOf(microbatch)) == m_device;
    }
    /// Returns the floats of the outputs between layers, and of the saved tensors unless they are recomputed.
    [[nodiscard]] std::int64_t slots(int stage) const
    {
        const std::int64_t layers = m_layers[static_cast<std::size_t>(stage)];
        return layers == 0 ? 0 : (layers - 1) * m_floats.boundary + (m_recomputes ? 0 : layers * m_floats.layer);
    }

    BufferPlan &m_plan;
    const schedule::Schedule &m_schedule;
    std::span<const Pass> m_order;
    int m_device;
    operators::EngineFloats m_floats;
    std::vector<int> m_layers;
    std::int64_t m_rows;
    bool m_recomputes;
    const model::VocabularyTraits &m_method;
    std::size_t m_position = 0;
    std::size_t m_begin = 0; ///< of the pair, if the pass is in one
    std::vector<bool> m_isFreed;
    std::string m_problem;
};

void BufferPlan::Walk::make(std::uint32_t &place, const BufferKey &key, std::int64_t floats)
{
    place = static_cast<std::uint32_t>(m_plan.m_buffers.size());
    m_plan.m_buffers.push_back({key, categoryOf(key.kind), floats, static_cast<std::uint32_t>(m_begin), 0});
    m_isFreed.push_back(false);
}

void BufferPlan::Walk::use(Use how, BufferKind kind, int stage, int microbatch, std::int64_t floats)
{
    const BufferKey key{kind, stage, microbatch};
    const auto complain = [&](const auto &...why) {
        if (m_problem.empty())
            m_problem = base::concat("device ", m_device, ", position ", m_position, ": ", schedule::text(m_order[m_position]),
                                     " needs the ", name(kind), " of microbatch ", microbatch, ", which ", why...);
    };
    const std::size_t cell = m_plan.cell(key);
    if (cell >= m_plan.m_table.size())
        return complain("belongs to no stage of this device");
    std::uint32_t &place = m_plan.m_table[cell];
    const bool isMade = place != kAbsent;
    if (how == Use::Makes && isMade)
        return complain("was made before, by ", schedule::text(m_order[m_plan.m_buffers[place].first]));
    if (how == Use::Makes || (how == Use::Shares && !isMade))
        return make(place, key, floats);
    if (!isMade)
        return complain("no earlier pass has made; put its forward (or the first half of its backward) before it");
    if (m_isFreed[place])
        return complain("was freed by ", schedule::text(m_order[m_plan.m_buffers[place].last]), " at position ",
                        m_plan.m_buffers[place].last, "; let the pass that frees it stand last");
    if (how != Use::Reads)
        end(place);
}

void BufferPlan::Walk::visitOutput(Use how, int microbatch)
{
    use(how, BufferKind::OutputInput, 0, microbatch, m_floats.boundary);
    use(how, BufferKind::Exponentials, 0, microbatch, base::floatsOf(m_floats.tokens * m_rows, m_floats.precision));
    use(how, BufferKind::LocalStatistics, 0, microbatch, 3 * m_floats.tokens);
}

void BufferPlan::Walk::visitStatistics(const Pass &pass)
{
    const bool isNeededTwice = m_method.isGradientFromS && isOnLastDevice(pass.microbatch);
    use(Use::Shares, BufferKind::GlobalStatistics, 0, pass.microbatch, 3 * m_floats.tokens);
    if (!isNeededTwice)
        return use(Use::Frees, BufferKind::GlobalStatistics, 0, pass.microbatch);
    use(Use::Shares, BufferKind::ShardFactors, 0, pass.microbatch, m_schedule.devices() * m_floats.tokens);
}

void BufferPlan::Walk::visitForward(const Pass &pass)
{
    const int microbatch = pass.microbatch;
    if (m_layers[pass.stage] > 0) {
        use(Use::Makes, BufferKind::StageInput, pass.stage, microbatch, m_floats.boundary);
        if (slots(pass.stage) > 0)
            use(Use::Makes, BufferKind::StageSlots, pass.stage, microbatch, slots(pass.stage));
    }
    if (!isLast(pass))
        return;
    use(Use::Makes, BufferKind::NormInput, pass.stage, microbatch, m_floats.boundary);
    use(Use::Makes, BufferKind::NormStatistics, pass.stage, microbatch, m_floats.normStatistics);
    if (!m_method.isSharded)
        visitOutput(Use::Makes, microbatch);
}

void BufferPlan::Walk::visitBackward(const Pass &pass)
{
    const int microbatch = pass.microbatch;
    const bool isSplit = pass.kind == PassKind::I;
    const Use layers = isSplit ? Use::Reads : Use::Frees;
    if (m_layers[pass.stage] > 0) {
        use(layers, BufferKind::StageInput, pass.stage, microbatch);
        if (slots(pass.stage) > 0)
            use(layers, BufferKind::StageSlots, pass.stage, microbatch);
        if (isSplit && m_recomputes)
            use(Use::Makes, BufferKind::Recomputed, pass.stage, microbatch, m_layers[pass.stage] * m_floats.layer);
    }
    if (isSplit && pass.stage == 0 && !m_method.isSharded)
        use(Use::Makes, BufferKind::EmbeddingGradient, pass.stage, microbatch, m_floats.boundary);
    if (!isLast(pass))
        return;
    use(Use::Frees, BufferKind::NormInput, pass.stage, microbatch);
    use(Use::Frees, BufferKind::NormStatistics, pass.stage, microbatch);
    if (!m_method.isSharded)
        visitOutput(Use::Frees, microbatch);
    else if (m_method.isGradientFromS)
        visitStatistics(pass);
}

void BufferPlan::Walk::visitWeights(const Pass &pass)
{
    if (m_layers[pass.stage] > 0) {
        use(Use::Frees, BufferKind::StageInput, pass.stage, pass.microbatch);
        if (slots(pass.stage) > 0)
            use(Use::Frees, BufferKind::StageSlots, pass.stage, pass.microbatch);
        if (m_recomputes)
            use(Use::Frees, BufferKind::Recomputed, pass.stage, pass.microbatch);
    }
    if (pass.stage == 0 && !m_method.isSharded)
        use(Use::Frees, BufferKind::EmbeddingGradient, pass.stage, pass.microbatch);
}

void BufferPlan::Walk::visit(const Pass &pass)
{
    if (pass.stage >= m_layers.size() || pass.microbatch < 0 || pass.microbatch >= m_schedule.microbatches()) {
        m_problem = base::concat("device ", m_device, ", position ", m_position, ": ", schedule::text(pass),
                                 " is of a stage or microbatch that the plan does not have; take it away");
        return;
    }
    switch (pass.kind) {
    case PassKind::F: visitForward(pass); break;
    case PassKind::B:
    case PassKind::I: visitBackward(pass); break;
    case PassKind::W: visitWeights(pass); break;
    case PassKind::S:
        visitOutput(Use::Makes, pass.microbatch);
        if (!m_method.joinsSAndT) // its T is part of it
            break;
        [[fallthrough]];
    case PassKind::T:
        visitStatistics(pass);
        visitOutput(Use::Frees, pass.microbatch);
        break;
    case PassKind::U: visitOutput(Use::Reads, pass.microbatch); break;
    case PassKind::EF:
    case PassKind::EB:
    case PassKind::O: break;
    }
}

BufferPlan::BufferPlan(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
    : m_fixed(engineFixedBytes(experiment, schedule, device)), m_chunk(static_cast<std::size_t>(schedule.stages()), -1),
      m_microbatches(static_cast<std::size_t>(schedule.microbatches()))
{
    int chunks = 0;
    for (const int stage : schedule.placement().stagesOf(device))
        if (int &chunk = m_chunk[static_cast<std::size_t>(stage)]; chunk < 0)
            chunk = chunks++;
    m_chunks = static_cast<std::size_t>(std::max(1, chunks));
    m_table.assign(kBufferKinds * m_chunks * m_microbatches, kAbsent);
}

std::size_t BufferPlan::cell(const BufferKey &key) const
{
    const bool isOutput = key.kind >= BufferKind::OutputInput;
    const int chunk = isOutput ? 0 : m_chunk[static_cast<std::size_t>(key.stage)];
    if (chunk < 0)
        return m_table.size();
    const std::size_t row = static_cast<std::size_t>(key.kind) * m_chunks + static_cast<std::size_t>(chunk);
    return row * m_microbatches + static_cast<std::size_t>(key.microbatch);
}

std::uint32_t BufferPlan::find(const BufferKey &key) const
{
    const std::size_t place = cell(key);
    return place < m_table.size() ? m_table[place] : kAbsent;
}

base::Result<BufferPlan> BufferPlan::make(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    model::Experiment computed = experiment;
    if (!operators::isEnginePlan(experiment))
        computed.model.dtype = model::DataType::Fp32;
    BufferPlan plan(computed, schedule, device);
    if (auto sound = Walk(plan, computed, schedule, device).run(); !sound)
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
