#include "engine/simulate/costs/layer_costs.h"

#include "engine/operators/architecture.h"

#include <algorithm>
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
operators::Block plannedBlock(const model::Experiment &experiment, const model::Hardware &hardware)
{
    if (hardware.insideNode.name == kHostLink)
        return operators::engineBlock(experiment);
    operators::Block block = operators::blockOf(experiment.model);
    const bool isFlash = experiment.schedule.attention == model::Attention::Flash;
    return isFlash ? block : operators::withProbabilities(std::move(block), experiment.model);
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
    case OperatorKind::Linear: return {2 * products, 2 * products, 4 * products};
    case OperatorKind::Gelu:
    case OperatorKind::SwiGlu:
    case OperatorKind::Rotary: return {2, 2, 0};
    case OperatorKind::Attention: return {4, 4, 0};
    case OperatorKind::Add: break;
    }
    return {1, 1, 0};
}

} // namespace

const Traffic &trafficOf(const model::Hardware &hardware)
{
    return hardware.insideNode.name == kHostLink ? kHostTraffic : kGpuTraffic;
}

LayerCosts::LayerCosts(const model::Experiment &experiment, const model::Hardware &hardware)
    : m_experiment(experiment), m_hardware(hardware), m_traffic(trafficOf(hardware)),
      m_block(plannedBlock(experiment, hardware)),
      m_tokens(static_cast<double>(experiment.parallel.microbatchSize) * experiment.model.sequence),
      m_layer(seconds(operators::workOf(m_block)))
{}

double LayerCosts::matrixSeconds(double flops, double smallestDimension) const
{
    const double share = smallestDimension / (smallestDimension + m_hardware.halfSpeedDimension);
    return flops / (m_hardware.peakFlops * m_hardware.matrixEfficiency * share);
}

LayerCosts::Work LayerCosts::seconds(const OperatorWork &work) const
{
    const double smallest = std::min(m_tokens, static_cast<double>(m_experiment.model.hidden));
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

/// Returns the seconds without the launch bound. In the backward, each half has every matrix product once; the input gradient
/// also has attention twice, elementwise work, and recomputation.
double LayerCosts::unfloored(PassHalf half) const
{
    if (half == PassHalf::WeightGradient)
        return m_layer.matrix;
    if (half == PassHalf::Forward)
        return m_layer.sum();
    double again = 0;
    if (m_experiment.schedule.recompute == model::Recompute::Full)
        again = m_layer.sum();
    else if (m_experiment.schedule.recompute == model::Recompute::Selective)
        again = m_layer.attention + m_layer.scores;
    return inputGradient(m_layer) + again;
}

int LayerCosts::kernels(PassHalf half) const
{
    int count = 0;
    for (const Operator &op : m_block.operators) {
        const Kernels each = kernelsOf(op);
        count += half == PassHalf::Forward ? each.forward : half == PassHalf::InputGradient ? each.input : each.weight;
        if (half == PassHalf::InputGradient && m_experiment.schedule.recompute == model::Recompute::Full)
            count += each.forward;
    }
    return count;
}

double LayerCosts::seconds(PassHalf half) const
{
    constexpr auto kSecond = static_cast<double>(base::kNanosPerSecond);
    return std::max(unfloored(half), kernels(half) * static_cast<double>(m_hardware.launchInterval) / kSecond);
}

std::vector<Leg> LayerCosts::legs(PassHalf half) const
{
    const double total = seconds(half);
    const bool isLaunching = total > unfloored(half); // bound by kernel launches
    const model::Recompute recompute = m_experiment.schedule.recompute;
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
        legs.push_back({op, std::move(name), share, isRecomputed});
        sum += share;
    };
    const bool recomputes = half == PassHalf::InputGradient && recompute != model::Recompute::None;
    for (std::size_t op = 0; op < count && (half == PassHalf::Forward || recomputes); ++op) {
        const Operator &each = m_block.operators[op];
        if (!recomputes || recompute == model::Recompute::Full || each.kind == OperatorKind::Attention)
            append(op, seconds(operators::workOf(m_block, each)).sum(), kernelsOf(each).forward, recomputes);
    }
    for (std::size_t op = count; op-- > 0 && half != PassHalf::Forward;) {
        const Work work = seconds(operators::workOf(m_block, m_block.operators[op]));
        const Kernels kernels = kernelsOf(m_block.operators[op]);
        if (half == PassHalf::WeightGradient)
            append(op, work.matrix, kernels.weight, false);
        else
            append(op, inputGradient(work), kernels.input, false);
    }
    for (Leg &leg : legs)
        leg.seconds *= total / sum;
    return legs;
}

} // namespace stagelens::simulate
