// Pass times from FLOPs, bytes and a hardware preset. Work: arXiv 2411.05288, table 4; Zero Bubble (arXiv 2401.10241), table
// 1. Bytes that memory-bound work moves are counted in traversals of its tensor. Those of GPUs were fitted to the published
// pass times of 8 x A100 and iteration times of 8 and 32 x A100 (arXiv 2411.05288, table 5), together with the preset
// a100-80gb (82 % of the peak for matrix products, 45 % for attention, whose FLOPs are not discounted for causality): 56
// iterations within 5 %, 1.8 % in the root mean square. Who changes one of the two must fit the other.

#include "engine/model/accounting.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/given_costs.h"

#include <algorithm>
#include <bit>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;
using schedule::Transfer;

namespace {

/// Bytes that memory-bound work moves, per byte or element of what it works on.
struct Traffic {
    double norms;          ///< a layer's norms and residual additions, per byte of [b s, h]
    double activation;     ///< a GPT's activation function, per byte of [b s, ffn]; it reads one such tensor and writes one
    double backward;       ///< elementwise work of a layer's backward over its forward's
    double shardCopies;    ///< X and dX of S and of T, each per byte of [b s, h]
    double logitsForward;  ///< softmax statistics and softmax, bytes a logit
    double logitsBackward; ///< gradient of the logits, bytes a logit
    double lookUp;         ///< embedding's forward, per byte of [b s, h]
    double scatter;        ///< embedding's backward, per byte of [b s, h]
    double denseGradient;  ///< its dense gradient, per byte of the shard's matrix
    double collective;     ///< bytes an element of [b s, h] in a collective; 0: the compute type's
    double contention;     ///< share of a collective's time that it takes from the passes beside it
};
/// The usual framework kernels: logits copied to fp32 and traversed once an operation; look-up through masks, index and zero
/// fill; the embedding's gradient is made dense and then added. Collectives carry fp32 and occupy multiprocessors: measured F
/// and B are longer by about a third of the time of a microbatch's collectives.
constexpr Traffic kGpuTraffic{.norms = 54,
                              .activation = 11,
                              .backward = 1,
                              .shardCopies = 35,
                              .logitsForward = 56,
                              .logitsBackward = 19.5,
                              .lookUp = 80,
                              .scatter = 42,
                              .denseGradient = 4.8,
                              .collective = 4,
                              .contention = 0.35};
/// The project's own CPU engine: fused rows, gradients scattered in place.
constexpr Traffic kHostTraffic{.norms = 10,
                               .activation = 3,
                               .backward = 2,
                               .shardCopies = 2,
                               .logitsForward = 20,
                               .logitsBackward = 8,
                               .lookUp = 3,
                               .scatter = 3,
                               .denseGradient = 0,
                               .collective = 0,
                               .contention = 0};
/// The link of devices that share one memory.
constexpr std::string_view kHostLink = "host";

/// Kernels of one layer as the usual frameworks launch them: forward (norms, four or more products with their biases, the
/// attention's copies and kernels, activation, residual additions) and the two halves of the backward.
struct LayerKernels {
    int forward = 20;
    int input = 24;
    int weight = 16;
};
constexpr LayerKernels kLayerKernels;

constexpr std::array kCollectives{Transfer::BroadcastX, Transfer::Statistics, Transfer::ReduceGradient, Transfer::EmbedReduce,
                                  Transfer::EmbedBroadcast};
Nanos toNanos(double seconds)
{
    constexpr auto kLongest = static_cast<double>(base::kLongestPass);
    return static_cast<Nanos>(std::clamp(seconds * static_cast<double>(base::kNanosPerSecond), 0.0, kLongest));
}

/// Seconds of the two halves of a pass's work: a forward has the first only; a backward splits into I and W.
struct Halves {
    double input = 0;
    double weight = 0;
    [[nodiscard]] double sum() const { return input + weight; }
};

/// Seconds of one layer's forward by kind of work.
struct LayerWork {
    double matrix = 0;
    double attention = 0;
    double elementwise = 0;
    [[nodiscard]] double sum() const { return matrix + attention + elementwise; }
};

class AnalyticCosts {
public:
    AnalyticCosts(const model::Experiment &experiment, const model::Hardware &hardware, const schedule::Schedule &schedule);
    CostModel build();

private:
    [[nodiscard]] double matrixSeconds(double flops, double smallestDimension) const;
    [[nodiscard]] double memorySeconds(double bytes) const { return bytes / m_hardware.memoryBytesPerSecond; }
    [[nodiscard]] double elementwiseSeconds() const;
    [[nodiscard]] double outputProductSeconds() const;
    [[nodiscard]] double logitsSeconds(double bytesOfLogit) const { return memorySeconds(m_logits * bytesOfLogit); }
    [[nodiscard]] LayerWork layerWork() const;
    [[nodiscard]] double layerForward() const;
    [[nodiscard]] Halves layerBackward() const;
    /// The time of so many kernels, of which none begins before the host has launched it.
    [[nodiscard]] double launched(double seconds, int kernels) const
    {
        constexpr auto kSecond = static_cast<double>(base::kNanosPerSecond);
        return std::max(seconds, kernels * static_cast<double>(m_hardware.launchInterval) / kSecond);
    }
    void setStage(CostModel &costs, int stage, int layers) const;
    void setShard(CostModel &costs, int device, int stage) const;
    void setTransfers(CostModel &costs) const;
    [[nodiscard]] const model::LinkClass &linkBetween(int from, int to) const;
    [[nodiscard]] double reduceSeconds(const model::LinkClass &link, double bytes) const;
    [[nodiscard]] double broadcastSeconds(const model::LinkClass &link, double bytes) const;
    [[nodiscard]] double collectiveSeconds(Transfer transfer, const model::LinkClass &link) const;
    [[nodiscard]] double contentionSeconds() const;
    [[nodiscard]] double optimizerSeconds(int device) const;
    [[nodiscard]] Nanos passTime(double seconds) const
    {
        return std::min(m_hardware.passOverhead + toNanos(seconds), base::kLongestPass);
    }
    [[nodiscard]] Halves embeddingBackward() const;

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    const schedule::Schedule &m_schedule;
    const Traffic &m_traffic;
    double m_tokens;   ///< of a microbatch
    double m_boundary; ///< bytes of [b s, h]
    double m_rows;     ///< vocabulary rows of a device that holds a shard or the whole
    double m_logits;   ///< elements of [b s, rows]
};

AnalyticCosts::AnalyticCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                             const schedule::Schedule &schedule)
    : m_experiment(experiment), m_hardware(hardware), m_schedule(schedule),
      m_traffic(hardware.insideNode.name == kHostLink ? kHostTraffic : kGpuTraffic),
      m_tokens(static_cast<double>(experiment.parallel.microbatchSize) * experiment.model.sequence),
      m_boundary(static_cast<double>(model::boundaryBytes(experiment.model, experiment.parallel.microbatchSize))),
      m_rows(static_cast<double>(shardRows(experiment, schedule, 0))), m_logits(m_tokens * m_rows)
{}

double AnalyticCosts::matrixSeconds(double flops, double smallestDimension) const
{
    const double share = smallestDimension / (smallestDimension + m_hardware.halfSpeedDimension);
    return flops / (m_hardware.peakFlops * m_hardware.matrixEfficiency * share);
}

/// Norms, residual additions and the activation function of one layer's forward.
double AnalyticCosts::elementwiseSeconds() const
{
    const model::ModelConfig &model = m_experiment.model;
    const double inner = m_tokens * model.ffn * model::elementBytes(model.dtype) * model::innerTensors(model) / 2;
    return memorySeconds(m_traffic.norms * m_boundary + m_traffic.activation * inner);
}

/// One product of [b s, h] with the vocabulary matrix (or its shard): 2 b s h V.
double AnalyticCosts::outputProductSeconds() const
{
    const double smallest = std::min({m_tokens, m_rows, static_cast<double>(m_experiment.model.hidden)});
    return matrixSeconds(2 * m_logits * m_experiment.model.hidden, smallest);
}

LayerWork AnalyticCosts::layerWork() const
{
    const model::ModelConfig &model = m_experiment.model;
    const int b = m_experiment.parallel.microbatchSize;
    const double smallest = std::min(m_tokens, static_cast<double>(model.hidden));
    return {matrixSeconds(model::layerMatrixFlops(model, b), smallest),
            model::attentionFlops(model, b) / (m_hardware.peakFlops * m_hardware.attentionEfficiency), elementwiseSeconds()};
}

double AnalyticCosts::layerForward() const
{
    return launched(layerWork().sum(), kLayerKernels.forward);
}

/// The backward of one layer: each matrix product once for either gradient, attention twice and elementwise work for the
/// input's, and what recomputation adds before.
Halves AnalyticCosts::layerBackward() const
{
    const LayerWork work = layerWork();
    double again = 0;
    int kernelsAgain = 0;
    if (m_experiment.schedule.recompute == model::Recompute::Full) {
        again = work.sum();
        kernelsAgain = kLayerKernels.forward;
    } else if (m_experiment.schedule.recompute == model::Recompute::Selective) {
        again = work.attention;
    }
    return {launched(work.matrix + 2 * work.attention + m_traffic.backward * work.elementwise + again,
                     kLayerKernels.input + kernelsAgain),
            launched(work.matrix, kLayerKernels.weight)};
}

Halves AnalyticCosts::embeddingBackward() const
{
    const double matrixBytes = m_rows * m_experiment.model.hidden * model::elementBytes(m_experiment.model.dtype);
    return {0, memorySeconds(m_traffic.scatter * m_boundary + m_traffic.denseGradient * matrixBytes)};
}

void AnalyticCosts::setStage(CostModel &costs, int stage, int layers) const
{
    const double forward = layers * layerForward();
    const Halves layer = layerBackward();
    double vocabularyForward = 0;
    Halves vocabulary;
    const bool whole = !model::traits(m_schedule.vocabulary()).isSharded;
    if (whole && stage == 0) {
        vocabularyForward += memorySeconds(m_traffic.lookUp * m_boundary);
        vocabulary.weight += embeddingBackward().weight;
    }
    if (whole && stage == m_schedule.placement().lastStage()) {
        vocabularyForward += outputProductSeconds() + logitsSeconds(m_traffic.logitsForward);
        // Not split: to wait for W, the gradient of the logits would have to be kept, [b s, V] a microbatch.
        vocabulary.input += 2 * outputProductSeconds() + logitsSeconds(m_traffic.logitsBackward);
    }
    // F, I and W last about equally long, and a microbatch meets a device once a chunk.
    const double contention = contentionSeconds() / (3.0 * m_schedule.placement().chunks());
    const auto set = [&](PassKind kind, double layerSeconds, double vocabularySeconds) {
        for (int direction = 0; direction < m_schedule.placement().directions; ++direction)
            costs.setPass(m_schedule.placement().deviceOf(stage, direction), kind, stage,
                          {passTime(layerSeconds + vocabularySeconds), toNanos(vocabularySeconds)});
    };
    set(PassKind::F, forward + contention, vocabularyForward);
    set(PassKind::B, layers * layer.sum() + 2 * contention, vocabulary.sum());
    set(PassKind::I, layers * layer.input + contention, vocabulary.input);
    set(PassKind::W, layers * layer.weight + contention, vocabulary.weight);
}

/// The vocabulary passes of a device (arXiv 2411.05288, section 4).
void AnalyticCosts::setShard(CostModel &costs, int device, int stage) const
{
    const double product = outputProductSeconds();
    const double statistics = logitsSeconds(m_traffic.logitsForward);
    const double gradient = logitsSeconds(m_traffic.logitsBackward);
    const double copies = memorySeconds(m_traffic.shardCopies * m_boundary);
    const auto set = [&](PassKind kind, double seconds) {
        costs.setPass(device, kind, stage, {passTime(seconds), passTime(seconds)});
    };
    const model::VocabularyTraits &method = model::traits(m_schedule.vocabulary());
    if (!method.isSharded)
        return;
    if (method.joinsSAndT) {
        set(PassKind::S, 3 * product + statistics + gradient + 2 * copies);
    } else if (method.isGradientFromS) {
        // The local softmax is cast to the compute type before its product.
        const double cast = logitsSeconds(4.0 + model::elementBytes(m_experiment.model.dtype));
        set(PassKind::S, 2 * product + statistics + cast + copies);
        set(PassKind::T, product + gradient + copies);
    } else {
        // With a U, S computes the maximum before the barrier, and U the exponentials and sums after it.
        const double sums = method.hasPassU ? statistics / 2 : 0;
        set(PassKind::S, product + (statistics - sums) + copies);
        if (method.hasPassU)
            set(PassKind::U, sums);
        set(PassKind::T, 2 * product + gradient + copies);
    }
    set(PassKind::EF, memorySeconds(m_traffic.lookUp * m_boundary));
    set(PassKind::EB, embeddingBackward().sum());
}

const model::LinkClass &AnalyticCosts::linkBetween(int from, int to) const
{
    const int perNode = std::max(m_hardware.devicesPerNode, 1);
    return from / perNode == to / perNode ? m_hardware.insideNode : m_hardware.betweenNodes;
}

/// A tree of messages carries the latency, a pipelined ring the bytes; devices of one memory only copy.
double AnalyticCosts::broadcastSeconds(const model::LinkClass &link, double bytes) const
{
    const auto hops = link.name == kHostLink ? 1 : std::bit_width(static_cast<unsigned>(m_schedule.devices() - 1));
    return hops * static_cast<double>(link.latency) / static_cast<double>(base::kNanosPerSecond) + bytes / link.bytesPerSecond;
}

/// A ring reduces and gathers (p - 1) / p of the bytes each; devices of one memory read all parts once.
double AnalyticCosts::reduceSeconds(const model::LinkClass &link, double bytes) const
{
    const double devices = m_schedule.devices();
    if (link.name == kHostLink)
        return broadcastSeconds(link, devices * bytes);
    return 2 * broadcastSeconds(link, (devices - 1) / devices * bytes);
}

void AnalyticCosts::setTransfers(CostModel &costs) const
{
    const int devices = m_schedule.devices();
    for (int from = 0; from < devices; ++from) {
        for (int to = 0; to < devices; ++to) {
            const model::LinkClass &link = linkBetween(from, to);
            if (from != to)
                costs.setSend(from, to, std::min(link.latency + toNanos(m_boundary / link.bytesPerSecond), base::kLongestPass));
        }
    }
    const model::LinkClass &slowest = linkBetween(0, devices - 1);
    for (const Transfer transfer : kCollectives)
        costs.setCollective(transfer, toNanos(collectiveSeconds(transfer, slowest)));
}

double AnalyticCosts::collectiveSeconds(Transfer transfer, const model::LinkClass &link) const
{
    const double tensor = m_traffic.collective > 0 ? m_traffic.collective * m_tokens * m_experiment.model.hidden : m_boundary;
    const model::VocabularyTraits &method = model::traits(m_schedule.vocabulary());
    switch (transfer) {
    case Transfer::BroadcastX:
    case Transfer::EmbedBroadcast: return broadcastSeconds(link, tensor);
    case Transfer::Statistics: {
        const double numbers = (method.hasPassU ? 1 : 3) * m_tokens;
        return reduceSeconds(link, 4 * numbers) + (method.isGradientFromS ? reduceSeconds(link, tensor) : 0);
    }
    case Transfer::ReduceGradient:
        // Interlaced reduces the statistics and the gradient in one go.
        return reduceSeconds(link, tensor) + (method.joinsSAndT ? reduceSeconds(link, 3 * 4 * m_tokens) : 0);
    case Transfer::EmbedReduce: return reduceSeconds(link, tensor);
    case Transfer::Local:
    case Transfer::Send: break;
    }
    return 0;
}

/// What a microbatch's collectives take from the passes beside them. It is work on the device, so that the link between nodes
/// does not count.
double AnalyticCosts::contentionSeconds() const
{
    const model::VocabularyTraits &method = model::traits(m_schedule.vocabulary());
    if (!method.isSharded || m_schedule.devices() == 1)
        return 0;
    double seconds = 0;
    for (const Transfer transfer : kCollectives) {
        if (transfer != Transfer::ReduceGradient || !method.isGradientFromS)
            seconds += collectiveSeconds(transfer, m_hardware.insideNode);
    }
    return m_traffic.contention * seconds;
}

/// Parameters, gradients and optimizer state are read, and written but for the gradients.
double AnalyticCosts::optimizerSeconds(int device) const
{
    const model::ParameterBytes each = model::parameterBytes(m_experiment.model.dtype);
    const double bytes = 2.0 * (each.parameter + each.optimizer) + each.gradient;
    return memorySeconds(bytes * static_cast<double>(deviceParameters(m_experiment, m_schedule, device).count));
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
    }
    setTransfers(costs);
    return costs;
}

} // namespace

CostModel analyticCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                        const schedule::Schedule &schedule)
{
    return AnalyticCosts(experiment, hardware, schedule).build();
}

} // namespace stagelens::simulate
