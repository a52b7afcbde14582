#include "engine/simulate/costs/cost_model.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/operators/recompute.h"
#include "engine/operators/slices.h"
#include "engine/simulate/costs/copy_costs.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/given_costs.h"
#include "engine/simulate/costs/what_if_costs.h"
#include "engine/simulate/model_units.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;
using schedule::Transfer;

namespace {

Nanos scaled(Nanos time, double factor)
{
    return factor == 1 ? time : static_cast<Nanos>(std::llround(factor * static_cast<double>(time)));
}

} // namespace

CostModel::CostModel(int devices, int stages)
    : m_devices(devices), m_stages(stages), m_slots(static_cast<std::size_t>(devices) * static_cast<std::size_t>(stages)),
      m_passes(schedule::kPassKindCount), m_send(static_cast<std::size_t>(devices) * static_cast<std::size_t>(devices)),
      m_optimizer(static_cast<std::size_t>(devices)), m_optimizerSums(static_cast<std::size_t>(devices)),
      m_exchanges(static_cast<std::size_t>(devices))
{}

void CostModel::setPass(int device, PassKind kind, int stage, PassCost cost)
{
    std::uint32_t &slot = m_slots[place(device, stage)];
    if (slot == 0) {
        slot = static_cast<std::uint32_t>(m_passes.size());
        m_passes.resize(m_passes.size() + schedule::kPassKindCount);
    }
    m_passes[slot + static_cast<std::size_t>(kind)] = cost;
}

PassCost CostModel::worked(const PassCost &cost, std::size_t microbatch) const
{
    const double tokens = work->tokens[microbatch];
    const double compute = work->compute[microbatch];
    const auto quadratic = static_cast<double>(cost.quadratic) * work->quadratic[microbatch];
    const Nanos exchanged = cost.tensor + cost.context + cost.expert - cost.latency;
    const auto computed = static_cast<double>(cost.duration - cost.quadratic - cost.latency - exchanged);
    const Nanos duration =
        cost.latency + std::llround(computed * compute + static_cast<double>(exchanged) * tokens + quadratic);
    return {.duration = std::max(duration, cost.fetch),
            .vocabulary = scaled(cost.vocabulary, compute),
            .tensor = scaled(cost.tensor, tokens),
            .tensorBytes = scaled(cost.tensorBytes, tokens),
            .replica = cost.replica, // such plans are refused with sequences of unequal length
            .replicaBytes = cost.replicaBytes,
            .quadratic = std::llround(quadratic),
            .recomputed = scaled(cost.recomputed, compute),
            .context = scaled(cost.context, tokens),
            .contextBytes = scaled(cost.contextBytes, tokens),
            .expert = cost.latency + scaled(cost.expert - cost.latency, tokens),
            .expertBytes = scaled(cost.expertBytes, tokens),
            .latency = cost.latency,
            .fetch = cost.fetch};
}

PassCost CostModel::varied(const PassCost &cost, int device, const schedule::Pass &pass) const
{
    const auto microbatch = static_cast<std::size_t>(pass.microbatch);
    PassCost found = work ? worked(cost, microbatch % work->tokens.size()) : cost; // every step has the same lengths
    if (updates && schedule::activationChange(pass.kind) < 0 && (pass.microbatch + 1) % updates->everyMicrobatches == 0)
        found.duration += optimizer(device) / updates->chunks;
    return found;
}

Nanos CostModel::inPair(const PassCost &cost) const
{
    const double time = pairScale * static_cast<double>(cost.duration) - hiddenInPairs * static_cast<double>(cost.expert);
    return std::max<Nanos>(0, std::llround(time));
}

Nanos CostModel::least(const PassCost &cost, bool hasPairs) const
{
    const auto timeOf = [&](const PassCost &own) { return hasPairs ? std::min(own.duration, inPair(own)) : own.duration; };
    if (!work)
        return timeOf(cost);
    Nanos least = timeOf(worked(cost, 0));
    for (std::size_t microbatch = 1; microbatch < work->tokens.size(); ++microbatch)
        least = std::min(least, timeOf(worked(cost, microbatch)));
    return least;
}

Nanos CostModel::sum(const PassCost &cost, bool hasPairs) const
{
    Nanos sum = 0;
    for (std::size_t microbatch = 0; work && microbatch < work->tokens.size(); ++microbatch) {
        const PassCost own = worked(cost, microbatch);
        sum += hasPairs ? std::min(own.duration, inPair(own)) : own.duration;
    }
    return sum;
}

void CostModel::slowDown(int device, double factor)
{
    for (int stage = 0; stage < m_stages; ++stage) {
        const std::uint32_t slot = m_slots[place(device, stage)];
        for (std::size_t kind = 0; slot != 0 && kind < schedule::kPassKindCount; ++kind) {
            PassCost &cost = m_passes[slot + kind];
            cost.duration -= cost.replica;
            for (Nanos *part : {&cost.duration, &cost.vocabulary, &cost.tensor, &cost.quadratic, &cost.recomputed,
                                &cost.context, &cost.expert, &cost.latency})
                *part = scaled(*part, factor);
            cost.duration += cost.replica;
        }
    }
    setOptimizer(device, scaled(optimizer(device), factor));
}

CostModel CostModel::ofReplicas(const ReplicaClass &each) const
{
    CostModel costs = *this;
    costs.classes.clear();
    if (each.work)
        costs.work = each.work;
    for (std::size_t device = 0; device < each.slow.size(); ++device)
        if (each.slow[device] != 1)
            costs.slowDown(static_cast<int>(device), each.slow[device]);
    return costs;
}

Nanos CostModel::transfer(Transfer transfer, int from, int to) const
{
    if (transfer == Transfer::Local || m_devices == 1)
        return 0;
    if (transfer != Transfer::Send)
        return m_collective[static_cast<std::size_t>(transfer)];
    return from == to
               ? 0
               : m_send[static_cast<std::size_t>(from) * static_cast<std::size_t>(m_devices) + static_cast<std::size_t>(to)];
}

void CostModel::setSend(int from, int to, Nanos duration)
{
    m_send[static_cast<std::size_t>(from) * static_cast<std::size_t>(m_devices) + static_cast<std::size_t>(to)] = duration;
}

void CostModel::setCollective(Transfer transfer, Nanos duration)
{
    m_collective[static_cast<std::size_t>(transfer)] = duration;
}

namespace {

Nanos median(std::vector<Nanos> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1)
        return *middle;
    const Nanos below = *std::max_element(values.begin(), middle);
    return below + (*middle - below) / 2;
}

/// Returns the problems of an error with the field of the experiment that chose the costs.
base::Error underField(base::Error error, const std::string &field)
{
    for (base::Problem &problem : error.problems)
        problem.field = field;
    return error;
}

base::Result<CostModel> costsOfFile(const std::string &file, const schedule::Schedule &schedule)
{
    constexpr base::Bytes kLargestFile = base::Bytes{16} << 20;
    const base::Result<std::string> csv = base::readFile(file, kLargestFile);
    if (!csv)
        return underField(csv.error(), "cost.durations");
    return measuredCosts(*csv, file, schedule);
}

/// Adds the forward of the layers that are recomputed as a whole to the backward of their stage. The time of single operators
/// is unknown.
void addRecomputation(CostModel &costs, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const std::vector<int> layers = layersOfStages(experiment, schedule);
    const std::vector<int> whole = operators::recomputedLayers(experiment.schedule, layers);
    const StagesOfDevices stages = stagesOfDevices(schedule);
    for (int device = 0; device < schedule.devices(); ++device) {
        for (const int stage : stages[static_cast<std::size_t>(device)]) {
            const auto at = static_cast<std::size_t>(stage);
            const bool isFull = experiment.schedule.recompute == model::Recompute::Full;
            const double share = isFull ? 1 : layers[at] > 0 ? static_cast<double>(whole[at]) / layers[at] : 0;
            const PassCost again = costs.pass(device, PassKind::F, stage);
            for (const PassKind kind : {PassKind::B, PassKind::I}) {
                PassCost cost = costs.pass(device, kind, stage);
                cost.recomputed = scaled(again.duration, share);
                cost.duration += cost.recomputed;
                cost.vocabulary += scaled(again.vocabulary, share);
                costs.setPass(device, kind, stage, cost);
            }
        }
    }
}

/// Returns the work of each slice of a step's sequences relative to a whole sequence. Given durations have no part that grows
/// with the square of the length, so the share of FLOPs counts. On hardware, small slices compute less efficiently, and each of
/// them launches all kernels.
MicrobatchWork sliceWork(const model::Experiment &experiment)
{
    std::vector<double> compute;
    const std::vector<operators::SliceShare> shares = operators::sliceShares(experiment);
    const auto *const preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (preset != nullptr) {
        const model::Hardware hardware = *model::hardwareOf(*preset); // of which the costs were made
        const SliceTimes times(experiment, hardware);
        for (const int tokens : operators::sliceLengths(experiment))
            compute.push_back(times.linearSeconds(tokens) / times.linearSeconds(experiment.model.sequence));
    }
    MicrobatchWork work;
    for (int microbatch = 0; microbatch < experiment.parallel.microbatches; ++microbatch) {
        for (std::size_t slice = 0; slice < shares.size(); ++slice) {
            work.tokens.push_back(preset != nullptr ? shares[slice].tokens : shares[slice].work);
            work.compute.push_back(preset != nullptr ? compute[slice] : shares[slice].work);
            work.quadratic.push_back(shares[slice].pairs);
        }
    }
    return work;
}

} // namespace

CostModel costsOf(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const CostModel &base)
{
    CostModel costs = base;
    costs.vocabularyKnown = true;
    costs.sumsOverDevices = false; // measured optimizers include the wait
    costs.updates.reset();         // measured backwards include their updates
    for (int device = 0; device < std::min(timeline.devices(), schedule.devices()); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        const bool known = lane.vocabulary.size() == lane.size();
        costs.vocabularyKnown = costs.vocabularyKnown && known;
        std::map<std::pair<PassKind, int>, std::pair<std::vector<Nanos>, std::vector<Nanos>>> samples;
        for (std::size_t i = 0; i < lane.size(); ++i) {
            auto &[durations, vocabulary] = samples[{lane.pass[i].kind, lane.pass[i].stage}];
            // The duration without the gain that the simulator applies again. All-to-alls that are hidden are not in it, and
            // these costs have none to hide.
            const double scale = timeline::isPaired(lane, i) && base.pairScale > 0 ? 1 / base.pairScale : 1;
            durations.push_back(scaled(lane.end[i] - lane.begin[i], scale));
            vocabulary.push_back(known ? scaled(lane.vocabulary[i], scale) : 0);
        }
        for (auto &[key, values] : samples) {
            if (key.second < schedule.stages())
                costs.setPass(device, key.first, key.second, {median(values.first), median(values.second)});
        }
        if (lane.tailEnd > lane.tailBegin)
            costs.setOptimizer(device, lane.tailEnd - lane.tailBegin);
        for (const timeline::AnchoredSlice &slice : lane.anchored)
            if (!timeline::isCopy(slice.kind))
                costs.setExchange(device, slice.kind, {slice.end - slice.begin, slice.bytes});
    }
    return costs;
}

base::Result<CostModel> plannedCosts(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const auto &source = experiment.cost.source;
    base::Result<CostModel> costs = [&]() -> base::Result<CostModel> {
        if (const auto *uniform = std::get_if<model::UniformCosts>(&source))
            return uniformCosts(*uniform, schedule);
        if (const auto *durations = std::get_if<model::DurationsFile>(&source))
            return costsOfFile(durations->file, schedule);
        const base::Result<model::Hardware> hardware = model::hardwareOf(std::get<model::HardwarePreset>(source));
        if (!hardware)
            return underField(hardware.error(), "cost.hardware");
        return analyticCosts(experiment, *hardware, schedule);
    }();
    if (!costs)
        return costs;
    costs->collectives = experiment.cost.collectives;
    costs->replicas = experiment.parallel.replicas;
    costs->gathersFirst = experiment.parallel.gathersFirst();
    if (model::slicesOf(experiment.schedule) > 1)
        costs->work = std::make_shared<const MicrobatchWork>(sliceWork(experiment));
    costs->context = experiment.parallel.context;
    costs->averageEvery = experiment.parallel.syncEvery;
    if (schedule.iterations() > 1 && !schedule.isSynchronous()) {
        const bool isEach = schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch;
        costs->updates = {.everyMicrobatches = isEach ? 1 : schedule.stepMicrobatches(),
                          .chunks = schedule.placement().chunks()};
    }
    costs->limitsNorm = experiment.training.optimizer.clip.has_value();
    // Analytic costs compute recomputation, and measured durations include it.
    if (std::holds_alternative<model::UniformCosts>(source) && experiment.schedule.recomputesLayers())
        addRecomputation(*costs, experiment, schedule);
    if (auto linked = checkHostLink(experiment); !linked)
        return linked.error();
    if (auto set = setCopies(*costs, experiment, schedule); !set)
        return set.error();
    return costs;
}

base::Result<CostModel> makeCostModel(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    auto costs = plannedCosts(experiment, schedule);
    return costs ? withWhatIfs(*std::move(costs), experiment, schedule) : costs;
}

} // namespace stagelens::simulate
