#include "engine/simulate/costs/layer_costs.h"

#include "engine/base/text.h"
#include "engine/layout/mesh.h"
#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/recompute.h"
#include "engine/simulate/costs/expert_load.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagelens::simulate {

using operators::Operator;
using operators::OperatorKind;
using operators::OperatorWork;

namespace {

/// Logits are copied to fp32 and traversed once an operation; look-up through masks, index and zero fill; the embedding's
/// gradient is made dense and then added. Collectives carry fp32 and occupy multiprocessors: measured F and B are longer by
/// about a third of the time of a microbatch's collectives. A layer of the 22B GPT of Korthikanti et al. 2022 (arXiv
/// 2205.05198, table 4) takes 1.4 ms longer with selective recomputation: two products, and 8 traversals of the scores. Mask,
/// softmax, dropout and the product after them are 4 traversals if each kernel is fused with the next, and their gradients 7,
/// so the backward counts 14.
constexpr Traffic kGpuTraffic{.residual = 54,
                              .activation = 11,
                              .backward = 1,
                              .scoresForward = 8,
                              .scoresBackward = 14,
                              .shardCopies = 35,
                              .logitsForward = 56,
                              .logitsBackward = 19.5,
                              .lookUp = 80,
                              .scatter = 42,
                              .denseGradient = 4.8,
                              .collective = 4,
                              .contention = 0.35};
/// The project's own CPU engine: fused rows, gradients scattered in place.
constexpr Traffic kHostTraffic{.residual = 10,
                               .activation = 3,
                               .backward = 2,
                               .scoresForward = 3,
                               .scoresBackward = 1,
                               .shardCopies = 2,
                               .logitsForward = 20,
                               .logitsBackward = 8,
                               .lookUp = 3,
                               .scatter = 3,
                               .denseGradient = 0,
                               .collective = 0,
                               .contention = 0};

/// Returns the block whose kernels the plan's hardware runs. Our CPU engine runs materialised attention with selective
/// recomputation as flash attention.
operators::Block plannedBlock(const model::Experiment &experiment, const model::Hardware &hardware, bool hasExperts)
{
    if (hardware.insideNode.name == kHostLink)
        return operators::engineBlock(experiment, hasExperts);
    operators::Block block = operators::blockOf(experiment.model, hasExperts);
    if (experiment.schedule.attention != model::Attention::Flash)
        block = operators::withProbabilities(std::move(block), experiment.model);
    return operators::partitioned(std::move(block), operators::splitOf(experiment.parallel));
}

/// Returns how the ranks of a device that differ in an axis lie on nodes.
layout::NodeSpan spanOf(const model::Experiment &experiment, const model::Hardware &hardware, layout::Axis axis)
{
    const auto mesh = layout::meshOf(experiment.parallel, std::max(experiment.parallel.devices, 1));
    return mesh ? layout::nodeSpan(mesh->group(0, {axis}), hardware.devicesPerNode) : layout::NodeSpan{};
}

/// Kernels that the usual frameworks launch for an operator: a norm with its casts, a product with its bias, the copies and
/// kernels of attention. A GPT's layer has 20, 24 and 16.
struct Kernels {
    int forward = 0;
    int input = 0;
    int weight = 0;
};
Kernels kernelsOf(const Operator &op)
{
    const auto products = static_cast<int>(op.projections.size());
    switch (op.kind) {
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm: return {2, 4, 0};
    case OperatorKind::Linear:
    case OperatorKind::ExpertLinear: return {2 * products, 2 * products, 4 * products};
    case OperatorKind::Gelu:
    case OperatorKind::SwiGlu:
    case OperatorKind::ExpertSwiGlu:
    case OperatorKind::Rotary: return {2, 2, 0};
    case OperatorKind::Route: // softmax, choice and sorting
    case OperatorKind::LatentAttention:
    case OperatorKind::Attention: return {4, 4, 0};
    case OperatorKind::Dispatch:
    case OperatorKind::Combine:
    case OperatorKind::Add: break;
    case OperatorKind::AllGather:
    case OperatorKind::ReduceScatter:
    case OperatorKind::Replicate:
    case OperatorKind::GatherKeys:
    case OperatorKind::TokensToHeads:
    case OperatorKind::HeadsToTokens:
    case OperatorKind::SendToExperts:
    case OperatorKind::ReturnFromExperts:
    case OperatorKind::AllReduce:
    case OperatorKind::KeepKeys: return {}; // their latency is that of the network, or of a copy
    }
    return {1, 1, 0};
}

} // namespace

const Traffic &trafficOf(const model::Hardware &hardware)
{
    return hardware.insideNode.name == kHostLink ? kHostTraffic : kGpuTraffic;
}

LayerCosts::LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware)
    : LayerCosts(experiment, hardware, experiment.model.hasExperts())
{}

LayerCosts::LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware, bool hasExperts)
    : m_experiment(experiment), m_hardware(hardware), m_traffic(trafficOf(hardware)),
      m_split(operators::splitOf(experiment.parallel)), m_span(spanOf(experiment, hardware, layout::Axis::Tensor)),
      m_contextSpan(spanOf(experiment, hardware, layout::Axis::Context)),
      m_block(plannedBlock(experiment, hardware, hasExperts)),
      m_tokens(static_cast<double>(experiment.parallel.microbatchSize) * experiment.model.sequence / m_split.context),
      m_expertSpan(spanOf(experiment, hardware, layout::Axis::Expert)), m_expertLoad(busiestRank(experiment)),
      m_layer(secondsOfAll())
{}

double LayerCosts::matrixSeconds(double flops, double smallestDimension) const
{
    const double share = smallestDimension / (smallestDimension + m_hardware.halfSpeedDimension);
    return flops / (m_hardware.peakFlops * m_hardware.matrixEfficiency * share);
}

/// Returns the seconds of the forward of all operators. On one rank all products of a dense layer have the same smallest
/// dimension.
LayerCosts::Work LayerCosts::secondsOfAll() const
{
    if (m_split.ranks == 1 && m_block.routing.experts == 0)
        return seconds(operators::workOf(m_block), std::min(m_tokens, static_cast<double>(m_experiment.model.hidden)));
    Work sum;
    for (const Operator &op : m_block.operators) {
        const Work each = secondsOf(op);
        sum.matrix += each.matrix;
        sum.attention += each.attention;
        sum.elementwise += each.elementwise;
        sum.scores += each.scores;
    }
    return sum;
}

LayerCosts::Work LayerCosts::secondsOf(const Operator &op) const
{
    double smallest = std::min(m_tokens, static_cast<double>(m_experiment.model.hidden));
    if (m_split.ranks > 1 && op.kind == OperatorKind::Linear) {
        double out = 0;
        for (const operators::Projection &projection : op.projections)
            out += static_cast<double>(m_block.outputWidth(projection));
        smallest = std::min({smallest, out, static_cast<double>(m_block.inputWidth(op.projections.front()))});
    }
    if (op.kind == OperatorKind::ExpertLinear) { // a product for each expert, of its share of the rows
        const operators::Projection &first = op.projections.front();
        smallest = std::min({m_block.expertRanks * m_tokens * m_block.routing.topK / m_block.routing.experts,
                             static_cast<double>(m_block.inputWidth(first)), static_cast<double>(m_block.outputWidth(first))});
    }
    Work work = seconds(operators::workOf(m_block, op), smallest);
    if (op.kind == OperatorKind::ExpertLinear || op.kind == OperatorKind::ExpertSwiGlu) {
        work.matrix *= m_expertLoad;
        work.elementwise *= m_expertLoad;
    }
    return work;
}

LayerCosts::Work LayerCosts::seconds(const OperatorWork &work, double smallest) const
{
    const double bytes = m_tokens * operators::elementBytes(m_experiment.model.dtype);
    const double attentionFlops = 4.0 * m_tokens * m_experiment.model.sequence * work.attentionWidth;
    // Materialised attention on GPUs is two products with the size of a head as their smallest dimension. The CPU engine
    // computes both kinds by the same tiles.
    const bool isProducts = work.probabilities > 0 && &m_traffic != &kHostTraffic;
    return {matrixSeconds(2.0 * m_tokens * work.matrixEntries, smallest),
            isProducts ? matrixSeconds(attentionFlops, m_experiment.model.headSize())
                       : attentionFlops / (m_hardware.peakFlops * m_hardware.attentionEfficiency),
            memorySeconds(m_traffic.residual * (bytes * work.residualNumbers / 10) +
                          m_traffic.activation * (bytes * work.innerNumbers / 2)),
            memorySeconds(m_traffic.scoresForward * bytes * work.probabilities)};
}

double LayerCosts::inputGradient(const Work &forward) const
{
    return forward.matrix + 2 * forward.attention + m_traffic.backward * forward.elementwise +
           m_traffic.scoresBackward / m_traffic.scoresForward * forward.scores;
}

double LayerCosts::unfloored(PassHalf half, Rebuilds rebuilds) const
{
    std::optional<double> &known = m_unfloored[kChoices * static_cast<std::size_t>(half) + static_cast<std::size_t>(rebuilds)];
    if (!known)
        known = summedSeconds(half, rebuilds);
    return *known;
}

/// Returns the seconds without the launch bound. In the backward, each half has every matrix product once; the input gradient
/// also has attention twice, elementwise work, and recomputation.
double LayerCosts::summedSeconds(PassHalf half, Rebuilds rebuilds) const
{
    double early = 0;
    for (const Operator &op : m_block.operators)
        early += m_block.expertRanks > 1 && isWeighedEarly(op) ? secondsOf(op).matrix : 0;
    if (half == PassHalf::WeightGradient)
        return m_layer.matrix - early;
    if (half == PassHalf::Forward)
        return m_layer.sum();
    double again = early;
    if (rebuilds == Rebuilds::Layer)
        again = m_layer.sum();
    else if (rebuilds == Rebuilds::Operators)
        for (const Operator &op : m_block.operators)
            again += isAgain(op, rebuilds) ? secondsOf(op).sum() : 0;
    return inputGradient(m_layer) + again;
}

bool LayerCosts::isAgain(const Operator &op, Rebuilds rebuilds) const
{
    const model::ScheduleChoice &schedule = m_experiment.schedule;
    if (rebuilds != Rebuilds::Operators)
        return rebuilds == Rebuilds::Layer;
    const bool isSelected = schedule.recompute == model::Recompute::Selective && op.kind == OperatorKind::Attention;
    return isSelected || operators::isRebuilt(op.kind, schedule.recomputeModules);
}

/// What rebuilds attention gathers keys, or sends its outputs to the ranks of their tokens; the policy `selective` only drops
/// its probabilities, and needs no second gather.
bool LayerCosts::exchangesAgain(const Operator &op, Rebuilds rebuilds) const
{
    if (op.kind == OperatorKind::ReturnFromExperts) // what it returns is not saved
        return false;
    const bool isOfAttention = op.kind == OperatorKind::GatherKeys || op.kind == OperatorKind::HeadsToTokens;
    return rebuilds == Rebuilds::Layer ||
           (rebuilds == Rebuilds::Operators && isOfAttention && m_experiment.schedule.recomputeModules.attention);
}

int LayerCosts::kernels(PassHalf half, Rebuilds rebuilds) const
{
    int count = 0;
    for (const Operator &op : m_block.operators) {
        const Kernels each = kernelsOf(op);
        count += half == PassHalf::Forward ? each.forward : half == PassHalf::InputGradient ? each.input : each.weight;
        const bool isModule = operators::isRebuilt(op.kind, m_experiment.schedule.recomputeModules);
        if (half == PassHalf::InputGradient && (rebuilds == Rebuilds::Layer || (rebuilds == Rebuilds::Operators && isModule)))
            count += each.forward;
    }
    return count;
}

double LayerCosts::seconds(PassHalf half, Rebuilds rebuilds) const
{
    constexpr auto kSecond = static_cast<double>(base::kNanosPerSecond);
    return std::max(unfloored(half, rebuilds),
                    kernels(half, rebuilds) * static_cast<double>(m_hardware.launchInterval) / kSecond);
}

ExchangeCost LayerCosts::exchange(GroupCollective collective, double bytes) const
{
    return {collectiveSeconds(m_hardware, collective, m_split.ranks, m_span, bytes),
            bytesSent(collective, m_split.ranks, bytes)};
}

void LayerCosts::appendExchanges(std::vector<Leg> &legs, std::size_t index, PassHalf half, bool isSplit) const
{
    const Operator &op = m_block.operators[index];
    const double bytes = m_tokens * m_experiment.model.hidden * operators::elementBytes(m_experiment.model.dtype);
    const auto add = [&](operators::Exchange kind, operators::ValueId value) {
        constexpr std::array kCollectives{GroupCollective::AllGather, GroupCollective::ReduceScatter,
                                          GroupCollective::AllReduce};
        const ExchangeCost cost = exchange(kCollectives[static_cast<std::size_t>(kind)], bytes);
        legs.push_back({index, base::concat(operators::name(kind), ' ', m_block.value(value).name), cost.seconds, false, true,
                        cost.bytes, false, false});
    };
    const auto addOfContext = [&](std::string_view name, GroupCollective collective, operators::ValueId keys) {
        const double all = m_split.context * keyBytes(keys);
        legs.push_back({index, base::concat(name, ' ', m_block.value(keys).name),
                        collectiveSeconds(m_hardware, collective, m_split.context, m_contextSpan, all), false, true,
                        bytesSent(collective, m_split.context, all), true, false});
    };
    using operators::Exchange;
    switch (op.kind) {
    case OperatorKind::AllGather:
        if (half == PassHalf::Forward)
            add(Exchange::AllGather, op.inputs[0]);
        if (half == PassHalf::InputGradient)
            add(Exchange::ReduceScatter, op.inputs[0]);
        break;
    case OperatorKind::ReduceScatter:
        if (half == PassHalf::Forward)
            add(Exchange::ReduceScatter, op.outputs[0]);
        if (half == PassHalf::InputGradient)
            add(Exchange::AllGather, op.outputs[0]);
        if (half == PassHalf::WeightGradient && isSplit)
            add(Exchange::AllGather, op.outputs[0]);
        break;
    case OperatorKind::Replicate:
        if (half == PassHalf::InputGradient)
            add(Exchange::AllReduce, op.inputs[0]);
        break;
    case OperatorKind::AllReduce:
        if (half == PassHalf::Forward)
            add(Exchange::AllReduce, op.outputs[0]);
        break;
    case OperatorKind::Linear: // gathers its input again
        if (const auto before = operators::beforeGather(m_block, op.inputs[0]);
            half == PassHalf::WeightGradient && before != op.inputs[0])
            add(Exchange::AllGather, before);
        break;
    case OperatorKind::TokensToHeads:
    case OperatorKind::HeadsToTokens:
        if (half != PassHalf::WeightGradient)
            appendAllToAll(legs, index);
        break;
    case OperatorKind::GatherKeys:
        if (isRing())
            return appendRing(legs, index, half);
        if (half == PassHalf::Forward)
            addOfContext("all-gather", GroupCollective::AllGather, op.outputs[0]);
        if (half == PassHalf::InputGradient)
            addOfContext("reduce-scatter", GroupCollective::ReduceScatter, op.outputs[0]);
        break;
    case OperatorKind::Attention: // gathers the keys again
        if (half == PassHalf::InputGradient && operators::keysOf(m_block, op) != nullptr && !isRing())
            addOfContext("all-gather", GroupCollective::AllGather, op.inputs[1]);
        break;
    case OperatorKind::SendToExperts:
    case OperatorKind::ReturnFromExperts: return appendAllToAll(legs, index, half);
    default: break;
    }
}

ExchangeCost LayerCosts::exchanges(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const
{
    std::size_t place = isSplit ? 1 : 0;
    for (const std::size_t each :
         {static_cast<std::size_t>(half), static_cast<std::size_t>(rebuilds), static_cast<std::size_t>(among)})
        place = kChoices * place + each;
    if (!m_exchanges[place])
        m_exchanges[place] = summedExchanges(half, isSplit, rebuilds, among);
    return *m_exchanges[place];
}

ExchangeCost LayerCosts::summedExchanges(PassHalf half, bool isSplit, Rebuilds rebuilds, Among among) const
{
    std::vector<Leg> legs;
    const int ranks = among == Among::Context ? m_split.context : among == Among::Experts ? m_block.expertRanks : m_split.ranks;
    for (std::size_t op = 0; ranks > 1 && op < m_block.operators.size(); ++op) {
        appendExchanges(legs, op, half, isSplit);
        if (half == PassHalf::InputGradient && exchangesAgain(m_block.operators[op], rebuilds))
            appendExchanges(legs, op, PassHalf::Forward, isSplit);
    }
    ExchangeCost sum;
    for (const Leg &leg : legs) {
        if (leg.isContext != (among == Among::Context) || leg.isExpert != (among == Among::Experts))
            continue;
        sum.seconds += leg.seconds;
        sum.bytes += leg.bytes;
    }
    return sum;
}

double LayerCosts::quadraticSeconds(PassHalf half, Rebuilds rebuilds) const
{
    if (half == PassHalf::WeightGradient)
        return 0;
    double own = m_layer.attention + m_layer.scores;
    if (half == PassHalf::InputGradient) {
        const bool isAttentionAgain = std::ranges::any_of(
            m_block.operators, [&](const Operator &op) { return op.kind == OperatorKind::Attention && isAgain(op, rebuilds); });
        const double again = isAttentionAgain ? own : 0;
        own = inputGradient({.attention = m_layer.attention, .scores = m_layer.scores}) + again;
    }
    return own / unfloored(half, rebuilds) *
           seconds(half, rebuilds); // a half that is bound by launches is shared in proportion
}

std::vector<Leg> LayerCosts::legs(PassHalf half, bool isSplit, Rebuilds rebuilds) const
{
    const double total = seconds(half, rebuilds);
    const bool isLaunching = total > unfloored(half, rebuilds); // bound by kernel launches
    const std::size_t count = m_block.operators.size();
    std::vector<Leg> legs;
    double sum = 0;
    const auto append = [&](std::size_t op, double work, int kernels, bool isRecomputed) {
        const double share = isLaunching ? kernels : work;
        if (share <= 0)
            return;
        std::string name;
        for (const operators::ValueId value : m_block.operators[op].outputs)
            if (!m_block.value(value).isStatistics)
                name += (name.empty() ? "" : ", ") + std::string(m_block.value(value).name);
        legs.push_back({op, std::move(name), share, isRecomputed, false, 0, false, false});
        sum += share;
    };
    const bool recomputes = half == PassHalf::InputGradient && rebuilds != Rebuilds::Nothing;
    for (std::size_t op = 0; op < count && (half == PassHalf::Forward || recomputes); ++op) {
        const Operator &each = m_block.operators[op];
        if (!recomputes || isAgain(each, rebuilds))
            append(op, secondsOf(each).sum(), kernelsOf(each).forward, recomputes);
        if (!recomputes || exchangesAgain(each, rebuilds)) {
            const std::size_t before = legs.size();
            appendExchanges(legs, op, PassHalf::Forward, isSplit);
            for (std::size_t i = before; i < legs.size(); ++i)
                legs[i].isRecomputed = recomputes;
        }
    }
    for (std::size_t op = count; op-- > 0 && half != PassHalf::Forward;) {
        appendExchanges(legs, op, half, isSplit);
        const Work work = secondsOf(m_block.operators[op]);
        const Kernels kernels = kernelsOf(m_block.operators[op]);
        const bool isEarly = m_block.expertRanks > 1 && isWeighedEarly(m_block.operators[op]);
        if (half != PassHalf::WeightGradient)
            append(op, inputGradient(work) + (isEarly ? work.matrix : 0), kernels.input, false);
        else if (!isEarly)
            append(op, work.matrix, kernels.weight, false);
    }
    for (Leg &leg : legs)
        leg.seconds *= leg.isExchange ? 1 : total / sum;
    return legs;
}

} // namespace stagelens::simulate
