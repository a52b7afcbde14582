// Pass times from FLOPs, bytes and a hardware preset. Work: arXiv 2411.05288, table 4; Zero Bubble (arXiv 2401.10241), table
// 1. Bytes that memory-bound work moves are counted in traversals of its tensor (layer_costs.h). With the preset a100-80gb (82
// % of the peak for matrix products, 45 % for attention, whose FLOPs are not discounted for causality) 56 published iterations
// of 8 and 32 x A100 are predicted within 5 %, 1.8 % in the root mean square.

#include "engine/operators/recompute.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/compression_costs.h"
#include "engine/simulate/costs/copy_costs.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/given_costs.h"
#include "engine/simulate/costs/replica_costs.h"
#include "engine/simulate/costs/transfer_costs.h"
#include "engine/simulate/costs/vocabulary_costs.h"
#include "engine/simulate/host_state.h"
#include "engine/simulate/pass_bytes.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;

namespace {

class AnalyticCosts {
public:
    AnalyticCosts(const model::Experiment &experiment, const model::Hardware &hardware, const schedule::Schedule &schedule);
    CostModel build();

private:
    [[nodiscard]] double memorySeconds(double bytes) const { return m_layer.memorySeconds(bytes); }
    void setStage(CostModel &costs, int stage, int layers) const;
    void setShard(CostModel &costs, int device, int stage) const;
    [[nodiscard]] double optimizerSeconds(int device) const;
    /// Returns the seconds in which the weights of the layers of a stage are copied from the host; 0 unless it keeps them.
    [[nodiscard]] double fetchSeconds(PassKind kind, int stage) const;
    /// Returns the seconds in which the host updates what takes that many bytes of its memory, copies included.
    [[nodiscard]] double hostUpdateSeconds(int device, double bytes) const;
    [[nodiscard]] double updateBytes(const operators::PartShape &part, std::int64_t elements) const;
    [[nodiscard]] double updateProducts(const operators::PartShape &part) const;
    void setTableSums(CostModel &costs) const;
    void setExchanges(CostModel &costs, int device) const;
    [[nodiscard]] Exchange compressedReduction(int device, int ranks, const layout::Group &group) const;
    [[nodiscard]] bool exchangesInPasses(PassKind kind) const
    {
        return m_mesh && (m_unitUse.gathers(kind) || m_unitUse.reduces(kind));
    }
    [[nodiscard]] ReplicaSpans replicaSpans(int device) const;
    [[nodiscard]] Nanos passTime(double seconds) const
    {
        return std::min(m_hardware.passOverhead + toNanos(seconds), base::kLongestPass);
    }

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    const schedule::Schedule &m_schedule;
    const Traffic &m_traffic;
    LayerCosts m_layer;
    std::optional<LayerCosts> m_dense; ///< of layers without experts where others have some
    VocabularyCosts m_vocabulary;
    std::vector<int> m_whole; ///< layers of each stage that are recomputed as a whole
    std::optional<layout::Mesh> m_mesh;
    UnitUse m_unitUse;
    TransferCosts m_transfers;
};

AnalyticCosts::AnalyticCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                             const schedule::Schedule &schedule)
    : m_experiment(experiment), m_hardware(hardware), m_schedule(schedule), m_traffic(trafficOf(hardware)),
      m_layer(experiment, hardware),
      m_dense(experiment.model.mixesLayers() ? std::optional<LayerCosts>(std::in_place, experiment, hardware, false)
                                             : std::nullopt),
      m_vocabulary(experiment, schedule, m_layer, m_traffic),
      m_whole(operators::recomputedLayers(experiment.schedule, layersOfStages(experiment, schedule))),
      m_mesh(layout::meshOf(experiment.parallel, schedule.devices())), m_unitUse(experiment.parallel, schedule.vocabulary()),
      m_transfers(experiment, hardware, schedule, m_layer.split())
{}

void AnalyticCosts::setStage(CostModel &costs, int stage, int layers) const
{
    // Layers of one kind, and how many of them are recomputed as a whole.
    struct Kind {
        const LayerCosts *layer;
        int count;
        int whole;
    };
    const int allWhole = m_whole[static_cast<std::size_t>(stage)];
    std::vector<Kind> kinds{{&m_layer, layers, allWhole}};
    if (m_dense) {
        const std::vector<int> stages = layersOfStages(m_experiment, m_schedule);
        const int first = std::accumulate(stages.begin(), stages.begin() + stage, 0);
        const auto dense = [&](int count) {
            return count - m_experiment.model.expertLayers(first + count) + m_experiment.model.expertLayers(first);
        };
        kinds = {{&m_layer, layers - dense(layers), allWhole - dense(allWhole)}, {&*m_dense, dense(layers), dense(allWhole)}};
    }
    const auto sum = [&](const auto &ofLayer) {
        std::invoke_result_t<decltype(ofLayer), const LayerCosts &, Rebuilds> total{};
        for (const auto &[ofKind, count, whole] : kinds)
            total =
                total + ((count - whole) * ofLayer(*ofKind, Rebuilds::Operators) + whole * ofLayer(*ofKind, Rebuilds::Layer));
        return total;
    };
    const auto all = [&](const auto &ofLayer) {
        std::invoke_result_t<decltype(ofLayer), const LayerCosts &> total{};
        for (const auto &[ofKind, count, whole] : kinds)
            total = total + count * ofLayer(*ofKind);
        return total;
    };
    const auto weightOf = [](const LayerCosts &layer) { return layer.seconds(PassHalf::WeightGradient, Rebuilds::Nothing); };
    const auto inputOf = [](const LayerCosts &layer, Rebuilds rebuilds) {
        return layer.seconds(PassHalf::InputGradient, rebuilds);
    };
    const double forward = all([](const LayerCosts &layer) { return layer.seconds(PassHalf::Forward, Rebuilds::Nothing); });
    const double weight = all(weightOf);
    const double input = sum(inputOf);
    const double inputAndWeight =
        sum([&](const LayerCosts &layer, Rebuilds rebuilds) { return inputOf(layer, rebuilds) + weightOf(layer); });
    // F, I and W have about equal durations, and a microbatch visits a device once per chunk.
    const double contention = m_transfers.contentionSeconds() / (3.0 * m_schedule.placement().chunks());
    const double attention =
        all([](const LayerCosts &layer) { return layer.quadraticSeconds(PassHalf::Forward, Rebuilds::Nothing); });
    const double attentionInput = sum(
        [](const LayerCosts &layer, Rebuilds rebuilds) { return layer.quadraticSeconds(PassHalf::InputGradient, rebuilds); });
    const auto exchanges = [&](PassHalf half, bool isSplit, Rebuilds rebuilds) {
        return all([=](const LayerCosts &layer) { return layer.tensorExchanges(half, isSplit, rebuilds); });
    };
    const auto inputExchanges = [&](bool isSplit) {
        return sum([=](const LayerCosts &layer, Rebuilds rebuilds) {
            return layer.tensorExchanges(PassHalf::InputGradient, isSplit, rebuilds);
        });
    };
    const ExchangeCost ofContext = sum(
        [](const LayerCosts &layer, Rebuilds rebuilds) { return layer.contextExchanges(PassHalf::InputGradient, rebuilds); });
    const ExchangeCost ofExperts = sum(
        [](const LayerCosts &layer, Rebuilds rebuilds) { return layer.expertExchanges(PassHalf::InputGradient, rebuilds); });
    const auto again = [&](bool isSplit) {
        const double plain = all([&](const LayerCosts &layer) {
                                 return inputOf(layer, Rebuilds::Nothing) +
                                        layer.expertExchanges(PassHalf::InputGradient, Rebuilds::Nothing).seconds +
                                        layer.contextExchanges(PassHalf::InputGradient, Rebuilds::Nothing).seconds;
                             }) +
                             exchanges(PassHalf::InputGradient, isSplit, Rebuilds::Nothing).seconds;
        return toNanos(input + inputExchanges(isSplit).seconds + ofContext.seconds + ofExperts.seconds - plain);
    };
    const double storeSeconds = memorySeconds(m_traffic.packingOf(m_experiment.schedule.storedActivations) *
                                              storingBytes(m_experiment, layers, allWhole));
    const auto packSeconds = [&](PassKind kind, int direction) {
        const double message =
            m_schedule.placement().crossesDevices(kind, stage, direction) ? memorySeconds(m_transfers.packingBytes()) : 0;
        return message + (kind == PassKind::W ? 0 : storeSeconds);
    };
    const auto set = [&](PassKind kind, double layerSeconds, double quadraticSeconds, const ExchangeCost &exchange,
                         const ExchangeCost &context, const ExchangeCost &expert, Nanos recomputed) {
        const VocabularyLegs output = m_vocabulary.output(kind, stage);
        const VocabularyLegs embedding = m_vocabulary.embedding(kind, stage);
        const double vocabularySeconds = secondsOf(output) + secondsOf(embedding);
        const ExchangeCost ofVocabulary = exchangesOf(output) + exchangesOf(embedding);
        const double ofLayers = layerSeconds + exchange.seconds + context.seconds + expert.seconds;
        ReplicaPass pass{ofLayers + vocabularySeconds, 0};
        if (exchangesInPasses(kind))
            pass = replicaPass(m_experiment, m_schedule, m_hardware, replicaSpans(m_schedule.placement().deviceOf(stage)), kind,
                               stage, {layers > 0 ? ofLayers / layers : 0, secondsOf(embedding), secondsOf(output)});
        for (int direction = 0; direction < m_schedule.placement().directions; ++direction)
            costs.setPass(m_schedule.placement().deviceOf(stage, direction), kind, stage,
                          {passTime(std::max(pass.seconds + packSeconds(kind, direction), fetchSeconds(kind, stage))),
                           toNanos(vocabularySeconds), toNanos(exchange.seconds + ofVocabulary.seconds),
                           static_cast<base::Bytes>(exchange.bytes + ofVocabulary.bytes),
                           toNanos(pass.seconds - ofLayers - vocabularySeconds), static_cast<base::Bytes>(pass.bytes),
                           toNanos(quadraticSeconds), recomputed, toNanos(context.seconds),
                           static_cast<base::Bytes>(context.bytes), toNanos(expert.seconds),
                           static_cast<base::Bytes>(expert.bytes), toNanos(expert.latency),
                           toNanos(fetchSeconds(kind, stage))});
    };
    set(PassKind::F, forward + contention, attention, exchanges(PassHalf::Forward, false, Rebuilds::Nothing),
        all([](const LayerCosts &layer) { return layer.contextExchanges(PassHalf::Forward, Rebuilds::Nothing); }),
        all([](const LayerCosts &layer) { return layer.expertExchanges(PassHalf::Forward, Rebuilds::Nothing); }), 0);
    set(PassKind::B, inputAndWeight + 2 * contention, attentionInput, sum([](const LayerCosts &layer, Rebuilds rebuilds) {
            return layer.tensorExchanges(PassHalf::InputGradient, false, rebuilds) +
                   layer.tensorExchanges(PassHalf::WeightGradient, false, Rebuilds::Nothing);
        }),
        ofContext, ofExperts, again(false));
    set(PassKind::I, input + contention, attentionInput, inputExchanges(true), ofContext, ofExperts, again(true));
    set(PassKind::W, weight + contention, 0, exchanges(PassHalf::WeightGradient, true, Rebuilds::Nothing), {}, {}, 0);
}

void AnalyticCosts::setShard(CostModel &costs, int device, int stage) const
{
    for (const PassKind kind : {PassKind::S, PassKind::U, PassKind::T, PassKind::EF, PassKind::EB}) {
        const VocabularyLegs legs = m_vocabulary.pass(kind, device);
        if (legs.empty())
            continue;
        const double seconds = secondsOf(legs);
        ReplicaPass pass{seconds, 0};
        if (exchangesInPasses(kind))
            pass = vocabularyReplicaPass(m_experiment, m_schedule, m_hardware, replicaSpans(device), kind, device, seconds);
        costs.setPass(device, kind, stage,
                      {passTime(pass.seconds), passTime(seconds), toNanos(exchangesOf(legs).seconds),
                       static_cast<base::Bytes>(exchangesOf(legs).bytes), toNanos(pass.seconds - seconds),
                       static_cast<base::Bytes>(pass.bytes)});
    }
}

/// Reads parameters, gradients and optimizer state, and writes all but the gradients. With ZeRO each replica does so for its
/// share; where shares are whole rows or matrices, the greatest counts.
double AnalyticCosts::optimizerSeconds(int device) const
{
    const bool isEven = optimizerOf(m_experiment.training.optimizer).isElementwise();
    const bool isSharded = m_experiment.parallel.zero > 0;
    const int replicas = isSharded ? m_experiment.parallel.shardGroup() : 1;
    const int ofExperts = isSharded ? layout::expertShardGroup(m_experiment.parallel) : 1;
    const std::vector<operators::PartShape> parts = deviceParts(m_experiment, m_schedule, device);
    std::optional<ReplicaCuts> cut;
    if (replicas > 1)
        cut = replicaCuts(m_experiment, m_schedule, device);
    double most = 0;
    for (int replica = 0; replica < (isEven ? 1 : replicas); ++replica) {
        double bytes = 0;
        double products = 0; // seconds
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::int64_t elements = cut && !isEven ? cut->share(replica, i).size() : parts[i].count();
            const int shares = !isEven || !cut ? 1 : cut->experts.place(i).size() > 0 ? ofExperts : replicas;
            bytes += updateBytes(parts[i], elements) / shares;
            products += updateProducts(parts[i]) * static_cast<double>(elements) / static_cast<double>(parts[i].count());
        }
        if (m_experiment.schedule.offloadOptimizer)
            return hostUpdateSeconds(device, bytes);
        most = std::max(most, memorySeconds(bytes) + products);
    }
    if (computesIn8Bits(m_experiment, m_hardware)) { // reads the weights, and writes them in 8 bits
        constexpr double kBytes = 2 + 1;
        most += memorySeconds(kBytes * static_cast<double>(deviceParameters(m_experiment, m_schedule, device).ofEightBits));
    }
    return most;
}

double AnalyticCosts::fetchSeconds(PassKind kind, int stage) const
{
    if (!m_experiment.schedule.offloadParameters || kind == PassKind::W)
        return 0;
    const double bytes = operators::parameterBytes(m_experiment).parameter *
                         static_cast<double>(weightsOfStage(m_experiment, m_schedule, stage, base::Precision::Fp32).count);
    return bytes / hostRate(m_experiment, m_hardware);
}

/// Gradients are copied to the host, and weights to the device unless it keeps none of them, while the host updates others.
double AnalyticCosts::hostUpdateSeconds(int device, double bytes) const
{
    constexpr double kHostMemoryRate = 200e9; // bytes/s of a node, which its devices share
    const double memory = operators::isEnginePlan(m_experiment)
                              ? memorySeconds(bytes)
                              : bytes / kHostMemoryRate * static_cast<double>(hostRanks(m_experiment, m_hardware));
    const operators::ParameterBytes each = operators::parameterBytes(m_experiment);
    const std::int64_t count = deviceParameters(m_experiment, m_schedule, device).count;
    const std::int64_t fetched = m_experiment.schedule.offloadParameters
                                     ? weightsOfDevice(m_experiment, m_schedule, device, base::Precision::Fp32).count
                                     : 0;
    const int shares = m_experiment.parallel.zero > 0 ? m_experiment.parallel.shardGroup() : 1;
    const double out = static_cast<double>(count) / shares * each.gradient;
    const double in = static_cast<double>(count - fetched) / shares * each.parameter;
    const bool takesTurns = m_experiment.schedule.offloadLanes == model::OffloadLanes::Half;
    return std::max(memory, (takesTurns ? out + in : std::max(out, in)) / hostRate(m_experiment, m_hardware));
}

double AnalyticCosts::updateBytes(const operators::PartShape &part, std::int64_t elements) const
{
    const operators::Optimizer &optimizer = optimizerOf(m_experiment.training.optimizer);
    const operators::ParameterBytes each = operators::parameterBytes(m_experiment);
    const double perElement = 2.0 * (each.parameter + each.master) + optimizer.gradientReads * each.gradient;
    return perElement * static_cast<double>(elements) +
           2.0 * static_cast<double>(optimizer.stateBytes(part.kind, elements, part.columns, part.matrixRows));
}

/// Returns the seconds of the matrix products of an update.
double AnalyticCosts::updateProducts(const operators::PartShape &part) const
{
    const operators::Optimizer &optimizer = optimizerOf(m_experiment.training.optimizer);
    const operators::PartShape each = part.matrix();
    const double flops = optimizer.flops != nullptr ? static_cast<double>(part.matrices()) * optimizer.flops(each) : 0;
    return flops > 0 ? m_layer.matrixSeconds(flops, static_cast<double>(std::min(each.rows, each.columns))) : 0;
}

/// The sums over devices of an optimizer read the gradients and values of the tables, and then cross the links.
void AnalyticCosts::setTableSums(CostModel &costs) const
{
    if (!sumsOverDevices(m_experiment, m_schedule) || m_schedule.devices() == 1)
        return;
    const operators::ParameterBytes each = operators::parameterBytes(m_experiment);
    for (int device = 0; device < m_schedule.devices(); ++device) {
        double elements = 0;
        for (const operators::PartShape &part : deviceParts(m_experiment, m_schedule, device))
            elements += part.kind == operators::ParameterKind::Table ? static_cast<double>(part.count()) : 0;
        costs.setOptimizerSums(
            device, std::min(costs.optimizer(device), passTime(memorySeconds(elements * (each.parameter + each.gradient)))));
    }
    const auto bytes = static_cast<double>(optimizerBytes(m_experiment, m_schedule, 0).messages);
    costs.tableSums = toNanos(m_transfers.gatherSeconds((m_schedule.devices() - 1) * bytes));
    costs.sumsOverDevices = true;
}

/// Returns the nodes of the replicas of a device.
ReplicaSpans AnalyticCosts::replicaSpans(int device) const
{
    using layout::Axis;
    const auto spanOf = [&](layout::Axes axes, int shards) {
        const ReplicaHolders holders(m_mesh->group(m_transfers.rankOf(device), axes), shards, 0);
        return layout::nodeSpan(holders.shards, m_hardware.devicesPerNode);
    };
    const model::ParallelPlan &plan = m_experiment.parallel;
    return {spanOf({Axis::Context, Axis::Data}, plan.shardGroup()),
            spanOf({Axis::Context, Axis::ExpertData}, layout::expertShardGroup(plan))};
}

/// Includes what a replica computes to compress.
Exchange AnalyticCosts::compressedReduction(int device, int ranks, const layout::Group &group) const
{
    const layout::NodeSpan span = layout::nodeSpan(group, m_hardware.devicesPerNode);
    const CompressedExchange cost = compressedExchange(m_experiment, m_schedule, m_hardware, device, ranks, span);
    const double width = std::max(1.0, m_experiment.training.compression.number); // of the products of powersgd
    const double products = cost.flops > 0 ? m_layer.matrixSeconds(cost.flops, width) : 0;
    return {std::min(toNanos(cost.seconds + memorySeconds(cost.touched) + products), base::kLongestPass),
            static_cast<base::Bytes>(cost.bytes)};
}

/// Gradients are summed in their own precision; ZeRO gathers what passes read of the parameters; replicas that train alone
/// exchange no gradients.
void AnalyticCosts::setExchanges(CostModel &costs, int device) const
{
    const model::ParallelPlan &plan = m_experiment.parallel;
    if (const std::int64_t summed = deviceParameters(m_experiment, m_schedule, device).summed; summed > 0) {
        constexpr int kGradientBytes = 4;
        // Of passes that reduce gradients a rank has the share.
        const double bytes = kGradientBytes * static_cast<double>(summed) / (plan.reducesEagerly() ? plan.shardGroup() : 1);
        costs.setExchange(device, timeline::AnchoredKind::SumReplicated,
                          {std::min(toNanos(m_layer.exchange(GroupCollective::AllReduce, bytes).seconds), base::kLongestPass),
                           static_cast<base::Bytes>(bytesSent(GroupCollective::AllReduce, plan.tensor, bytes))});
    }
    const int ranks = plan.gradientRanks();
    if (ranks == 1 || !m_mesh)
        return;
    const DeviceParameters parameters = deviceParameters(m_experiment, m_schedule, device);
    const auto holdersOf = [&](layout::Axes axes, int shards, std::int64_t count) {
        return ReplicaHolders(m_mesh->group(m_transfers.rankOf(device), axes), shards, count);
    };
    using layout::Axis;
    const ReplicaHolders shared =
        holdersOf({Axis::Context, Axis::Data}, plan.shardGroup(), parameters.count - parameters.experts);
    const ReplicaHolders experts =
        holdersOf({Axis::Context, Axis::ExpertData}, layout::expertShardGroup(plan), parameters.experts);
    const operators::ParameterBytes each = operators::parameterBytes(m_experiment);
    const auto among = [&](const layout::Group &those, GroupCollective collective, double bytes) -> Exchange {
        const auto size = static_cast<int>(those.ranks.size());
        const layout::NodeSpan span = layout::nodeSpan(those, m_hardware.devicesPerNode);
        return {std::min(toNanos(simulate::collectiveSeconds(m_hardware, collective, size, span, bytes)), base::kLongestPass),
                static_cast<base::Bytes>(bytesSent(collective, size, bytes))};
    };
    const auto plus = [](const Exchange &a, const Exchange &b) -> Exchange {
        return {a.duration + b.duration, a.bytes + b.bytes};
    };
    // Of all parameters, those of experts among the replicas that have them.
    const auto ofAll = [&](GroupCollective collective, int bytes) {
        return plus(among(shared.shards, collective, bytes * shared.count),
                    among(experts.shards, collective, bytes * experts.count));
    };
    const auto ofGroups = [&](const ReplicaHolders &those) {
        const auto shards = static_cast<double>(those.shards.ranks.size());
        return among(those.groups, GroupCollective::AllReduce, each.gradient * those.count / shards);
    };
    if (plan.averagesWeights()) {
        // What the optimizer updates: the fp32 copy of weights that passes read in 16 bits.
        const auto bytes = static_cast<double>(each.master > 0 ? each.master : each.parameter);
        costs.setExchange(device, timeline::AnchoredKind::AverageParameters,
                          among(shared.all, GroupCollective::AllReduce, bytes * static_cast<double>(parameters.count)));
    } else if (m_experiment.training.compression.isOn()) {
        costs.setExchange(device, timeline::AnchoredKind::ReduceGradients, compressedReduction(device, ranks, shared.all));
    } else if (!plan.reducesEagerly()) {
        const auto collective = plan.zero > 0 ? GroupCollective::ReduceScatter : GroupCollective::AllReduce;
        costs.setExchange(device, timeline::AnchoredKind::ReduceGradients,
                          plus(ofAll(collective, each.gradient), plus(ofGroups(shared), ofGroups(experts))));
    } else if (plan.shardGroups() > 1) {
        costs.setExchange(device, timeline::AnchoredKind::ReduceGradients, plus(ofGroups(shared), ofGroups(experts)));
    }
    if (plan.zero > 0 && (plan.zero < 3 || plan.gathersFirst()))
        costs.setExchange(device, timeline::AnchoredKind::GatherParameters, ofAll(GroupCollective::AllGather, each.parameter));
}

CostModel AnalyticCosts::build()
{
    CostModel costs(m_schedule.devices(), m_schedule.stages());
    costs.vocabularyKnown = true;
    const std::vector<int> layers = layersOfStages(m_experiment, m_schedule);
    for (int stage = 0; stage < m_schedule.stages(); ++stage)
        setStage(costs, stage, layers[static_cast<std::size_t>(stage)]);
    const StagesOfDevices stages = stagesOfDevices(m_schedule);
    for (int device = 0; device < m_schedule.devices(); ++device) {
        for (const int stage : stages[static_cast<std::size_t>(device)])
            setShard(costs, device, stage);
        costs.setOptimizer(device, passTime(optimizerSeconds(device)));
        setExchanges(costs, device);
    }
    m_transfers.set(costs);
    setTableSums(costs);
    const bool isWhole = std::ranges::any_of(m_whole, [](int each) { return each > 0; });
    if (m_experiment.cost.collectives == model::Collectives::Overlapped)
        costs.hiddenInPairs = m_layer.hiddenInPairs(isWhole ? Rebuilds::Layer : Rebuilds::Operators);
    return costs;
}

} // namespace

CostModel analyticCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                        const schedule::Schedule &schedule)
{
    return AnalyticCosts(experiment, hardware, schedule).build();
}

} // namespace stagelens::simulate
