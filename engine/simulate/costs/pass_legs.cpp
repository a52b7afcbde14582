#include "engine/simulate/costs/pass_legs.h"

#include "engine/operators/recompute.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/transfer_costs.h"
#include "engine/simulate/pass_bytes.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace stagelens::simulate {

using schedule::PassKind;

PassLegs::PassLegs(model::Experiment experiment, model::Hardware hardware, const schedule::Schedule &schedule)
    : m_experiment(std::move(experiment)), m_hardware(std::move(hardware)), m_layer(m_experiment, m_hardware),
      m_dense(m_experiment, m_hardware, false), m_vocabulary(m_experiment, schedule, m_layer, trafficOf(m_hardware)),
      m_layers(layersOfStages(m_experiment, schedule)), m_placement(schedule.placement()),
      m_packSeconds(m_layer.memorySeconds(TransferCosts(m_experiment, m_hardware, schedule, m_layer.split()).packingBytes()))
{}

void PassLegs::append(std::vector<Part> &parts, std::string_view layer, const VocabularyLegs &legs) const
{
    for (const VocabularyLeg &leg : legs)
        parts.push_back({fmt::format("{} {}", layer, leg.name), true, leg.isExchange, false, false, leg.seconds, leg.flops});
}

void PassLegs::appendLayer(std::vector<Part> &parts, int layer, PassKind kind, Rebuilds rebuilds) const
{
    const bool isDense = m_experiment.model.mixesLayers() && !m_experiment.model.hasExpertsAt(layer);
    const LayerCosts &costs = isDense ? m_dense : m_layer;
    const auto add = [&](const Leg &leg, std::string_view half) {
        parts.push_back({fmt::format("layer {} {}{}", layer, leg.name, leg.isExchange && !leg.isRecomputed ? "" : half), false,
                         leg.isExchange, leg.isContext, leg.isExpert, leg.seconds, leg.flops});
    };
    if (kind == PassKind::F) {
        for (const Leg &leg : costs.legs(PassHalf::Forward, false, Rebuilds::Nothing))
            add(leg, "");
        return;
    }
    const bool isSplit = kind != PassKind::B;
    std::vector<Leg> inputs;
    std::vector<Leg> weights;
    if (kind != PassKind::W)
        inputs = costs.legs(PassHalf::InputGradient, isSplit, rebuilds);
    if (kind != PassKind::I)
        weights = costs.legs(PassHalf::WeightGradient, isSplit, Rebuilds::Nothing);
    // Both lists run from the last operator to the first; a whole backward computes the weight gradient of an operator first.
    auto weight = weights.begin();
    for (const Leg &leg : inputs) {
        for (; !leg.isRecomputed && weight != weights.end() && weight->op >= leg.op; ++weight)
            add(*weight, " weight");
        add(leg, leg.isRecomputed ? " again" : " input");
    }
    for (; weight != weights.end(); ++weight)
        add(*weight, " weight");
}

std::vector<PassLegs::Part> PassLegs::partsOf(int device, PassKind kind, int stage) const
{
    std::vector<Part> parts;
    if (schedule::isVocabularyPass(kind)) {
        const bool isEmbedding = kind == PassKind::EF || kind == PassKind::EB;
        append(parts, isEmbedding ? "embedding" : "output", m_vocabulary.pass(kind, device));
        return parts;
    }
    const auto layers = m_layers.begin() + stage;
    const int first = std::accumulate(m_layers.begin(), layers, 0);
    const int whole = operators::recomputedLayers(m_experiment.schedule, m_layers)[static_cast<std::size_t>(stage)];
    const bool isForward = kind == PassKind::F;
    append(parts, isForward ? "embedding" : "output",
           isForward ? m_vocabulary.embedding(kind, stage) : m_vocabulary.output(kind, stage));
    const double storing = kind == PassKind::W ? 0 : storingBytes(m_experiment, *layers, whole);
    const double storeSeconds =
        m_layer.memorySeconds(trafficOf(m_hardware).packingOf(m_experiment.schedule.storedActivations) * storing);
    const auto addStoring = [&](std::string_view name) {
        if (storeSeconds > 0)
            parts.push_back({std::string(name), false, false, false, false, storeSeconds, 0});
    };
    if (!isForward)
        addStoring("activations unpack");
    for (int i = 0; i < *layers; ++i) {
        const int inStage = isForward ? i : *layers - 1 - i;
        appendLayer(parts, first + inStage, kind, inStage < whole ? Rebuilds::Layer : Rebuilds::Operators);
    }
    if (isForward)
        addStoring("activations pack");
    append(parts, isForward ? "output" : "embedding",
           isForward ? m_vocabulary.output(kind, stage) : m_vocabulary.embedding(kind, stage));
    if (m_packSeconds > 0 && m_placement.crossesDevices(kind, stage, 0))
        parts.push_back({"message pack", false, false, false, false, m_packSeconds, 0});
    return parts;
}

namespace {

/// Returns the legs of parts, each with its share of the duration.
template <class Part, class TimeOf, class LegOf>
std::vector<PassLeg> scaledLegs(const std::vector<Part> &parts, base::Nanos duration, const TimeOf &timeOf, const LegOf &legOf)
{
    double sum = 0;
    for (const Part &part : parts)
        sum += timeOf(part);
    std::vector<PassLeg> legs;
    double done = 0;
    base::Nanos begin = 0;
    for (const Part &part : parts) {
        done += timeOf(part);
        PassLeg &leg = legs.emplace_back(legOf(part));
        leg.begin = begin;
        leg.end = sum > 0 ? std::llround(static_cast<double>(duration) * (done / sum)) : 0;
        begin = leg.end;
    }
    return legs;
}

} // namespace

std::vector<PassLeg> PassLegs::of(int device, const schedule::Pass &pass, base::Nanos duration)
{
    const auto [found, isNew] = m_parts.try_emplace({device, pass.kind, pass.stage});
    if (isNew)
        found->second = partsOf(device, pass.kind, pass.stage);
    return scaledLegs(
        found->second, duration, [](const Part &part) { return part.seconds; },
        [](const Part &part) {
            return PassLeg{part.name, part.isVocabulary, part.isExchange, part.isContext, part.isExpert, 0, 0, part.flops};
        });
}

std::vector<PassLeg> measuredLegs(const timeline::OperatorTimes &times, int device, const schedule::Pass &pass,
                                  base::Nanos duration)
{
    const timeline::PassOperators *const recorded = timeline::find(times, device, pass.kind, pass.stage);
    if (recorded == nullptr)
        return {};
    return scaledLegs(
        recorded->operators, duration, [](const timeline::OperatorTime &each) { return static_cast<double>(each.duration); },
        [](const timeline::OperatorTime &each) { return PassLeg{.name = each.name, .isVocabulary = each.isVocabulary}; });
}

} // namespace stagelens::simulate
