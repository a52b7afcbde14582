#include "engine/simulate/costs/layer_costs.h"

#include "engine/operators/architecture.h"
#include "engine/operators/packing.h"
#include "engine/operators/partition.h"
#include "engine/operators/recompute.h"
#include "engine/simulate/costs/expert_load.h"
#include "engine/simulate/costs/overlap.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagelens::simulate {

using operators::Operator;
using operators::OperatorKind;
using operators::OperatorWork;

namespace {

constexpr auto kSecond = static_cast<double>(base::kNanosPerSecond);

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

} // namespace

bool computesIn8Bits(const model::Experiment &experiment, const model::Hardware &hardware)
{
    return experiment.model.dtype == model::DataType::Fp8 && hardware.peakFlopsOf8Bits > 0;
}

double peakFlops(const model::Experiment &experiment, const model::Hardware &hardware)
{
    return computesIn8Bits(experiment, hardware) ? hardware.peakFlopsOf8Bits : hardware.peakFlops;
}

LayerCosts::LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware)
    : LayerCosts(experiment, hardware, experiment.model.hasExperts())
{}

LayerCosts::LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware, bool hasExperts)
    : m_experiment(experiment), m_hardware(hardware), m_traffic(trafficOf(hardware)),
      m_split(operators::splitOf(experiment.parallel)), m_block(plannedBlock(experiment, hardware, hasExperts)),
      m_tokens(static_cast<double>(experiment.parallel.microbatchSize) * experiment.model.sequence / m_split.context),
      m_expertLoad(busiestRank(experiment)), m_isOf8Bits(computesIn8Bits(experiment, hardware)), m_layer(secondsOfAll()),
      m_exchanges(experiment, hardware, m_block, m_tokens, m_expertLoad, m_layer.attention + m_layer.scores)
{}

double LayerCosts::matrixSeconds(double flops, double smallestDimension) const
{
    if (flops <= 0) // a shard without rows
        return 0;
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
        sum.gated += each.gated;
        sum.scores += each.scores;
        sum.casts += each.casts;
        sum.gradientCasts += each.gradientCasts;
    }
    return sum;
}

LayerCosts::Work LayerCosts::secondsOf(const Operator &op) const
{
    const double rows = op.inputs.empty() ? m_tokens : m_tokens * m_block.heldShare(op.inputs[0]);
    double smallest = std::min(rows, static_cast<double>(m_experiment.model.hidden));
    if (m_split.ranks > 1 && op.kind == OperatorKind::Linear) {
        double out = 0;
        for (const operators::Projection &projection : op.projections)
            out += static_cast<double>(m_block.outputWidth(projection));
        smallest = std::min({smallest, out, static_cast<double>(m_block.inputWidth(op.projections.front()))});
    }
    if (op.kind == OperatorKind::ExpertLinear) { // a product for each expert, of its share of the rows
        const operators::Projection &first = op.projections.front();
        smallest = std::min({m_block.expertRanks * rows * m_block.routing.topK / m_block.routing.experts,
                             static_cast<double>(m_block.inputWidth(first)), static_cast<double>(m_block.outputWidth(first))});
    }
    Work work = seconds(operators::workOf(m_block, op), smallest);
    if (op.kind == OperatorKind::ExpertLinear || op.kind == OperatorKind::ExpertSwiGlu) {
        work.matrix *= m_expertLoad;
        work.gated *= m_expertLoad;
        work.casts *= m_expertLoad;
        work.gradientCasts *= m_expertLoad;
    }
    return work;
}

LayerCosts::Work LayerCosts::seconds(const OperatorWork &work, double smallest) const
{
    const double bytes = m_tokens * operators::elementBytes(m_experiment.model.dtype);
    const double attentionFlops = 4.0 * m_tokens * m_experiment.model.sequence * work.attentionWidth;
    // Materialised attention on GPUs is two products with the size of a head as their smallest dimension. The CPU engine
    // computes both kinds by the same tiles.
    const bool isProducts = work.probabilities > 0 && m_hardware.insideNode.name != kHostLink;
    // Half of the bits move in half of the time, so that the dimension of half speed is that of 16 bits.
    const double matrix = m_isOf8Bits ? matrixSeconds(2.0 * m_tokens * (work.matrixEntries - work.eightBitEntries), smallest) +
                                            matrixSeconds(2.0 * m_tokens * work.eightBitEntries, smallest) *
                                                m_hardware.peakFlops / m_hardware.peakFlopsOf8Bits
                                      : matrixSeconds(2.0 * m_tokens * work.matrixEntries, smallest);
    return {matrix,
            isProducts ? matrixSeconds(attentionFlops, m_experiment.model.headSize())
                       : attentionFlops / (m_hardware.peakFlops * m_hardware.attentionEfficiency),
            memorySeconds(m_traffic.residual * (bytes * work.residualNumbers / 10) +
                          m_traffic.activation * (bytes * work.innerNumbers / 2) +
                          m_traffic.routed * (bytes * work.routedNumbers)),
            memorySeconds(m_traffic.gated * (bytes * work.gatedNumbers)),
            memorySeconds(m_traffic.scoresForward * bytes * work.probabilities),
            castSeconds(work.castNumbers),
            castSeconds(work.castGradients)};
}

/// A cast reads 16 bits, and writes 8 bits by rows for one product and by columns for the weight gradient, each with a float
/// for every tile.
double LayerCosts::castSeconds(double numbers) const
{
    constexpr double kBytes = 2 + 2 * (1 + 4.0 / kernels::kCodecTile);
    return m_isOf8Bits ? memorySeconds(m_traffic.packing * (kBytes * m_tokens * numbers)) : 0;
}

double LayerCosts::inputGradient(const Work &forward) const
{
    return forward.matrix + forward.gradientCasts + m_traffic.attentionBackward * forward.attention +
           m_traffic.backward * forward.elementwise + m_traffic.gatedBackward * forward.gated +
           m_traffic.scoresBackward / m_traffic.scoresForward * forward.scores;
}

double LayerCosts::unfloored(PassHalf half, Rebuilds rebuilds) const
{
    std::optional<double> &known = m_unfloored[kRebuilds * static_cast<std::size_t>(half) + static_cast<std::size_t>(rebuilds)];
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

int LayerCosts::kernels(PassHalf half, Rebuilds rebuilds) const
{
    int count = 0;
    for (const Operator &op : m_block.operators) {
        const operators::Launches each = operators::launchesOf(op);
        count += half == PassHalf::Forward ? each.forward : half == PassHalf::InputGradient ? each.input : each.weight;
        const bool isModule = operators::isRebuilt(op.kind, m_experiment.schedule.recomputeModules);
        if (half == PassHalf::InputGradient && (rebuilds == Rebuilds::Layer || (rebuilds == Rebuilds::Operators && isModule)))
            count += each.forward;
    }
    return count;
}

double LayerCosts::seconds(PassHalf half, Rebuilds rebuilds) const
{
    return withoutGaps(half, rebuilds) + gapSeconds(kernels(half, rebuilds));
}

double LayerCosts::withoutGaps(PassHalf half, Rebuilds rebuilds) const
{
    return std::max(unfloored(half, rebuilds),
                    kernels(half, rebuilds) * static_cast<double>(m_hardware.launchInterval) / kSecond);
}

double LayerCosts::gapSeconds(int kernels) const
{
    return kernels * static_cast<double>(m_hardware.kernelGap) / kSecond;
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
           withoutGaps(half, rebuilds); // a half that is bound by launches is shared in proportion
}

double LayerCosts::flopsOf(const Operator &op, PassHalf half) const
{
    const OperatorWork work = operators::workOf(m_block, op);
    const bool isRouted = op.kind == OperatorKind::ExpertLinear || op.kind == OperatorKind::ExpertSwiGlu;
    const double products = 2.0 * m_tokens * work.matrixEntries * (isRouted ? m_expertLoad : 1);
    const double attention = 4.0 * m_tokens * m_experiment.model.sequence * work.attentionWidth;
    const bool isEarly = m_block.expertRanks > 1 && isWeighedEarly(op);
    switch (half) {
    case PassHalf::Forward: return products + attention;
    case PassHalf::InputGradient: return products * (isEarly ? 2 : 1) + 2 * attention;
    case PassHalf::WeightGradient: break;
    }
    return isEarly ? 0 : products;
}

std::vector<Leg> LayerCosts::legs(PassHalf half, bool isSplit, Rebuilds rebuilds) const
{
    const double total = seconds(half, rebuilds);
    const bool isLaunching = withoutGaps(half, rebuilds) > unfloored(half, rebuilds); // bound by kernel launches
    const std::size_t count = m_block.operators.size();
    std::vector<Leg> legs;
    double sum = 0;
    const auto append = [&](std::size_t op, double work, int kernels, bool isRecomputed) {
        const double share = isLaunching ? kernels : work + gapSeconds(kernels);
        if (share <= 0)
            return;
        std::string name = m_block.namesOfOutputs(m_block.operators[op]);
        const double flops = flopsOf(m_block.operators[op], isRecomputed ? PassHalf::Forward : half);
        legs.push_back({op, std::move(name), share, isRecomputed, false, 0, false, false, flops});
        sum += share;
    };
    const bool recomputes = half == PassHalf::InputGradient && rebuilds != Rebuilds::Nothing;
    for (std::size_t op = 0; op < count && (half == PassHalf::Forward || recomputes); ++op) {
        const Operator &each = m_block.operators[op];
        if (!recomputes || isAgain(each, rebuilds))
            append(op, secondsOf(each).sum(), operators::launchesOf(each).forward, recomputes);
        if (!recomputes || m_exchanges.repeats(each, rebuilds)) {
            const std::size_t before = legs.size();
            m_exchanges.append(legs, op, PassHalf::Forward, isSplit);
            for (std::size_t i = before; i < legs.size(); ++i)
                legs[i].isRecomputed = recomputes;
        }
    }
    for (std::size_t op = count; op-- > 0 && half != PassHalf::Forward;) {
        m_exchanges.append(legs, op, half, isSplit);
        const Work work = secondsOf(m_block.operators[op]);
        const operators::Launches launches = operators::launchesOf(m_block.operators[op]);
        const bool isEarly = m_block.expertRanks > 1 && isWeighedEarly(m_block.operators[op]);
        if (half != PassHalf::WeightGradient)
            append(op, inputGradient(work) + (isEarly ? work.matrix : 0), launches.input, false);
        else if (!isEarly)
            append(op, work.matrix, launches.weight, false);
    }
    for (Leg &leg : legs)
        leg.seconds *= leg.isExchange ? 1 : total / sum;
    return legs;
}

bool LayerCosts::isWeighedEarly(const Operator &op) const
{
    return std::ranges::any_of(m_block.operators, [&op](const Operator &each) {
        return each.kind == OperatorKind::ReturnFromExperts && each.inputs[0] == op.outputs[0];
    });
}

double LayerCosts::hiddenInPairs(Rebuilds rebuilds) const
{
    if (m_block.expertRanks == 1)
        return 0;
    constexpr int kLayers = 8; // of a stage: enough that its ends count little
    std::vector<LaneLeg> forward;
    std::vector<LaneLeg> backward;
    const auto append = [](std::vector<LaneLeg> &to, const std::vector<Leg> &legs, bool isDeferrable) {
        for (const Leg &leg : legs)
            to.push_back({leg.seconds, leg.isExpert, isDeferrable});
    };
    for (int layer = 0; layer < kLayers; ++layer) {
        append(forward, legs(PassHalf::Forward, false, Rebuilds::Nothing), false);
        append(backward, legs(PassHalf::InputGradient, false, rebuilds), false);
        append(backward, legs(PassHalf::WeightGradient, false, Rebuilds::Nothing), true);
    }
    double apart = 0;
    double network = 0;
    for (const std::vector<LaneLeg> *pass : {&forward, &backward})
        for (const LaneLeg &leg : *pass) {
            apart += leg.seconds;
            network += leg.isNetwork ? leg.seconds : 0;
        }
    return network > 0 ? (apart - overlappedSeconds(forward, backward)) / network : 0;
}

} // namespace stagelens::simulate
