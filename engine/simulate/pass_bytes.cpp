#include "engine/simulate/pass_bytes.h"

#include "engine/operators/engine_floats.h"
#include "engine/operators/packing.h"
#include "engine/operators/partition.h"
#include "engine/operators/recompute.h"
#include "engine/operators/slices.h"
#include "engine/schedule/vocabulary_tables.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/replica_costs.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/static_memory.h"

#include <algorithm>
#include <numeric>

namespace stagelens::simulate {

using base::Bytes;

namespace {

/// Returns the parts of the gradient of X that S sends with the statistics, and keeps until they have arrived.
int partsWithStatistics(model::VocabularyMethod method)
{
    int parts = 0;
    for (const schedule::PassValue message : schedule::recipeBook(method).sentBy({.kind = schedule::PassKind::S})) {
        const schedule::MessageTraits &traits = schedule::traits(message);
        parts += traits.transfer == schedule::Transfer::Statistics && traits.statistics == 0 ? 1 : 0;
    }
    return parts;
}

} // namespace

/// Layers that are not recomputed as a whole drop the probabilities of attention by the policy, and outputs of operators.
static model::Recompute keptPolicy(const model::ScheduleChoice &schedule)
{
    return schedule.recompute == model::Recompute::Full ? model::Recompute::None : schedule.recompute;
}

/// Separates the exponentials of the output layer, where they have lifetimes of their own. `tokens`: of a microbatch, with each
/// once for every output head.
static void divideVocabulary(PassBytes &bytes, const model::ScheduleChoice &schedule, std::int64_t tokens)
{
    if (schedule.vocabularyKind == model::VocabularyKind::Full) {
        bytes.exponentials = 0;
        return;
    }
    bytes.vocabulary -= bytes.exponentials;
    if (const std::int64_t part = schedule.logitTokens(tokens); part < tokens)
        bytes.exponentials = bytes.exponentials / tokens * part;
}

double storingBytes(const model::Experiment &experiment, int layers, int whole)
{
    const model::ScheduleChoice &schedule = experiment.schedule;
    if (!schedule.packsActivations())
        return 0;
    const auto moved = [&](model::Recompute policy) {
        const auto kept = [&](model::PackedPrecision stored) {
            return operators::layerActivationBytes(experiment.model, experiment.parallel.microbatchSize, policy,
                                                   schedule.attention, operators::splitOf(experiment.parallel),
                                                   schedule.recomputeModules, stored);
        };
        return static_cast<double>(kept(model::PackedPrecision::Same) + kept(schedule.storedActivations));
    };
    return (layers - whole) * moved(keptPolicy(schedule)) + whole * moved(model::Recompute::Full);
}

PassBytes passBytes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const model::ModelConfig &model = experiment.model;
    const int b = experiment.parallel.microbatchSize;
    const model::Attention attention = experiment.schedule.attention;
    PassBytes bytes;
    const operators::TensorSplit split = operators::splitOf(experiment.parallel);
    bytes.boundary = operators::boundaryBytes(model, b, split);
    bytes.packed = operators::packedBytes(experiment, split);
    bytes.layers = layersOfStages(experiment, schedule);
    bytes.wholes = operators::recomputedLayers(experiment.schedule, bytes.layers);
    bytes.norm = bytes.empty = bytes.boundary;
    const std::int64_t tailWidth = operators::tailWidth(experiment);
    bytes.norm += model.mapsOutput() || tailWidth > 0 ? bytes.boundary : 0;
    bytes.tableRows = operators::tableRowBytes(model, b, split);
    const schedule::VocabularyTables tables(schedule);
    const std::int64_t columns = logitColumns(experiment, schedule, model.isSampled() ? device : 0).most;
    const operators::ParameterBytes each = operators::parameterBytes(experiment);
    const bool exchanges = experiment.parallel.reducesEagerly();
    const bool isEngine = operators::isEnginePlan(experiment); // whose runs exchange all of a device at once
    const MemoryByCategory dropped = exchanges && isEngine ? droppedBytes(experiment, schedule, device) : MemoryByCategory{};
    for (int stage = 0; exchanges && stage < schedule.stages(); ++stage) {
        if (isEngine) {
            bytes.gathered.push_back(dropped[at(MemoryCategory::Parameters)]);
            bytes.reduced.push_back(dropped[at(MemoryCategory::Gradients)]);
            continue;
        }
        const std::int64_t units = twoUnits(experiment, schedule, stage);
        const bool keepsAll = experiment.parallel.zero3 == model::ZeroParameters::KeepUntilBackward;
        std::int64_t all = 0;
        for (const UnitParameters &unit : unitParameters(experiment, schedule, stage))
            all += unit.exchanged(experiment.parallel);
        bytes.gathered.push_back((keepsAll ? all : units) * each.parameter);
        bytes.reduced.push_back(units * each.gradient);
    }
    for (auto &[table, kind] :
         {std::pair(&bytes.inputTable, schedule::PassKind::EF), {&bytes.outputTable, schedule::PassKind::S}}) {
        if (!exchanges)
            continue;
        const std::int64_t count = tableUnit(experiment, schedule, kind, device).count();
        *table = {isEngine ? dropped[at(MemoryCategory::Parameters)] : count * each.parameter,
                  isEngine ? dropped[at(MemoryCategory::Gradients)] : count * each.gradient};
    }
    if (isEngine) { // BufferPlan knows their lifetimes
        const operators::EngineFloats floats = operators::engineFloats(experiment);
        const std::int64_t rows = shardRows(experiment, schedule, 0);
        const std::int64_t exponentials = base::floatsOf(
            operators::logitNumbers(floats.outputTokens, columns, rows, model, tableShards(experiment, schedule)),
            floats.precision);
        const std::int64_t output = exponentials + 3 * floats.statisticRows + floats.outputInput;
        bytes.layer = (floats.keptInput + floats.keptLayer) * kFloatBytes;
        bytes.whole = floats.keptInput * kFloatBytes;
        bytes.vocabulary = output * kFloatBytes;
        bytes.exponentials = exponentials * kFloatBytes;
        divideVocabulary(bytes, experiment.schedule, floats.outputTokens);
        bytes.keys = bytes.keyGradients = floats.keys * kFloatBytes;
        bytes.norm += floats.normStatistics * kFloatBytes;
        bytes.embedding = model.isFactorised() ? floats.tableRows * kFloatBytes : 0;
        bytes.empty = 0;
        return bytes;
    }
    const model::RecomputeModules &modules = experiment.schedule.recomputeModules;
    const model::Recompute policy = keptPolicy(experiment.schedule);
    const Bytes all = operators::layerActivationBytes(model, b, model::Recompute::None, attention, split);
    const Bytes layer = operators::layerActivationBytes(model, b, policy, attention, split, modules);
    const bool isPacked = experiment.schedule.packsActivations(); // then I also unpacks for W
    const auto packed = [&](model::Recompute keeps) {
        return operators::layerActivationBytes(model, b, keeps, attention, split, modules,
                                               experiment.schedule.storedActivations);
    };
    bytes.layer = isPacked ? packed(policy) : layer;
    bytes.whole = packed(model::Recompute::Full);
    bytes.unpacked = isPacked ? layer : 0;
    bytes.rebuilt = operators::layerActivationBytes(model, b, policy, attention, split) - layer + // probabilities end with I
                    bytes.unpacked;
    bytes.rebuiltWhole = all - (isPacked ? 0 : bytes.whole);
    bytes.vocabulary =
        operators::vocabularyTransientBytes(model, b, columns, partsWithStatistics(schedule.vocabulary()), split, tailWidth);
    bytes.exponentials = operators::exponentialBytes(model, b, columns, split);
    const Bytes tokens = Bytes{b} * model.sequence / split.context;
    divideVocabulary(bytes, experiment.schedule, tokens / split.vocabularyRanks() * model.outputHeads);
    bytes.embedding = operators::embeddingSumBytes(model, b, tables.areDivided(), split);
    // The largest gradients of a layer are those before and after the activation function of the MLP, or of the probabilities
    // and scores of materialised attention. Recomputation adds what one layer drops: all saved tensors, or the probabilities.
    const Bytes scores = attention == model::Attention::Materialised ? Bytes{model.heads} * model.sequence : 0;
    bytes.workspace =
        2 * tokens * std::max(Bytes{model.innerWidth()}, scores) / split.ranks * operators::elementBytes(model.dtype);
    if (split.isSequenceParallel) // the gathered input of a linear map, and the gathered gradient of its output
        bytes.workspace += 2 * operators::boundaryBytes(model, b, {1, false, split.context});
    if (split.context > 1 && split.contextMethod == model::ContextMethod::Ulysses) { // fused rows and their gradients
        bytes.workspace += 2 * tokens * (model.heads / split.ranks + 2 * std::max(1, model.kvHeads / split.ranks)) *
                           model.headSize() * operators::elementBytes(model.dtype);
    } else if (split.context > 1) { // keys and values, and their gradients: of the whole sequences, or of two ranks in a ring
        const Bytes held = split.contextMethod == model::ContextMethod::Ring ? 2 * tokens : Bytes{b} * model.sequence;
        bytes.workspace +=
            4 * held * std::max(1, model.kvHeads / split.ranks) * model.headSize() * operators::elementBytes(model.dtype);
    }
    bytes.workspaceWhole = bytes.workspace + all;
    bytes.workspace += all - layer + bytes.unpacked;
    if (schedule.slices() > 1) {
        const Bytes width = 2 * model.keyValueWidth();
        const Bytes elements = Bytes{b} * model.sequence * width / split.ranks;
        bytes.keys = elements * operators::elementBytes(model.dtype);
        bytes.keyGradients = elements * kFloatBytes;
        // The slices of a sequence share one buffer of keys and values, which recomputation does not drop.
        bytes.layer -=
            isPacked ? kFloatBytes * operators::packedFloats(experiment.schedule.storedActivations, tokens, width / split.ranks)
                     : bytes.keys;
        bytes.rebuiltWhole -= bytes.keys;
    }
    return bytes;
}

std::vector<Bytes> copiedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    std::vector<Bytes> copied(static_cast<std::size_t>(schedule.stages()));
    if (!experiment.hasModel)
        return copied;
    const PassBytes bytes = passBytes(experiment, schedule, 0);
    for (std::size_t stage = 0; stage < copied.size(); ++stage)
        copied[stage] = bytes.ofLayers(stage);
    return copied;
}

MemoryNeeds memoryNeeds(const model::Experiment &experiment, const schedule::Schedule &schedule, int device)
{
    const PassBytes bytes = passBytes(experiment, schedule, device);
    MemoryByCategory constant = staticBytes(experiment, schedule, device);
    if (experiment.parallel.reducesEagerly() && !operators::isEnginePlan(experiment)) { // which holds all in some passes
        const MemoryByCategory dropped = droppedBytes(experiment, schedule, device);
        for (std::size_t i = 0; i < constant.size(); ++i)
            constant[i] -= dropped[i];
    }
    const bool isDivided = schedule::VocabularyTables(schedule).areDivided();
    MemoryNeeds needs;
    needs.fixed = std::accumulate(constant.begin(), constant.end(), Bytes{0});
    needs.parameters = needs.fixed - constant[at(MemoryCategory::Workspace)];
    Bytes workspace = 0;
    for (const int stage : schedule.placement().stagesOf(device))
        workspace = std::max(workspace, bytes.workspaceOf(static_cast<std::size_t>(stage)));
    needs.fixed += bytes.boundary + bytes.packed + workspace;
    // One softmax, and the embeddings and their gradients of two microbatches.
    if (isDivided)
        needs.fixed += bytes.vocabulary + 4 * bytes.tableRows;
    needs.fixed += bytes.exponentials;
    double share = 1; // of the longest slice, of which the engine's sizes are
    if (schedule.slices() > 1 && !operators::isEnginePlan(experiment))
        share = std::ranges::max(operators::sliceShares(experiment), {}, &operators::SliceShare::tokens).tokens;
    for (const int stage : schedule.placement().stagesOf(device)) {
        const bool isLast = stage == schedule.placement().lastStage();
        needs.activation = std::max(needs.activation, bytes.kept(static_cast<std::size_t>(stage), isLast) +
                                                          (isLast && !isDivided ? bytes.vocabulary : 0));
        if (schedule.slices() > 1)
            needs.fixed += bytes.layers[static_cast<std::size_t>(stage)] * (2 * bytes.keys + bytes.keyGradients);
    }
    needs.activation = static_cast<Bytes>(share * static_cast<double>(needs.activation));
    return needs;
}

} // namespace stagelens::simulate
