#include "engine/simulate/model_units.h"

#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/replica_costs.h"
#include "engine/simulate/costs/vocabulary_costs.h"

#include <array>
#include <fmt/format.h>

namespace stagelens::simulate {
namespace {

using schedule::PassKind;

/// The halves of a layer: up to the sum that attention adds to its input, and the rest.
struct Halves {
    std::array<double, 2> seconds{};
    std::array<double, 2> weightBytes{};
};

/// The value between the halves of a layer.
constexpr std::string_view kBetween = "middle";

Rebuilds rebuildsOf(const model::Experiment &experiment)
{
    return experiment.schedule.recompute == model::Recompute::Full ? Rebuilds::Layer : Rebuilds::Operators;
}

Halves halvesOf(const model::Experiment &experiment, const model::Hardware &hardware, bool hasExperts)
{
    const operators::Block block =
        operators::partitioned(operators::blockOf(experiment.model, hasExperts), operators::splitOf(experiment.parallel));
    std::size_t last = 0; // operator of the first half
    while (last + 1 < block.operators.size() && block.namesOfOutputs(block.operators[last]) != kBetween)
        ++last;
    Halves halves;
    const LayerCosts costs(experiment, hardware, hasExperts);
    const Rebuilds rebuilds = rebuildsOf(experiment);
    const auto add = [&](PassHalf half, Rebuilds again) {
        for (const Leg &leg : costs.legs(half, false, again))
            halves.seconds[leg.op <= last ? 0 : 1] += leg.seconds;
    };
    add(PassHalf::Forward, Rebuilds::Nothing);
    add(PassHalf::InputGradient, rebuilds);
    add(PassHalf::WeightGradient, Rebuilds::Nothing);
    const double bytes = operators::parameterBytes(experiment).gradient;
    std::vector<std::size_t> halfOf(block.parameters.size(), 1);
    for (std::size_t op = 0; op <= last; ++op) {
        const operators::Operator &each = block.operators[op];
        for (const int parameter : each.parameters)
            halfOf[static_cast<std::size_t>(parameter)] = 0;
        for (const operators::Projection &projection : each.projections)
            for (const int parameter : {projection.weight, projection.bias})
                if (parameter >= 0)
                    halfOf[static_cast<std::size_t>(parameter)] = 0;
    }
    for (std::size_t i = 0; i < halfOf.size(); ++i)
        halves.weightBytes[halfOf[i]] += bytes * static_cast<double>(block.parameters[i].count());
    return halves;
}

} // namespace

std::vector<ModelUnit> modelUnits(const model::Experiment &experiment, const model::Hardware &hardware,
                                  const schedule::Schedule &schedule, UnitSize size)
{
    const int last = schedule.placement().lastStage();
    const LayerCosts costs(experiment, hardware);
    const VocabularyCosts vocabulary(experiment, schedule, costs, trafficOf(hardware));
    const auto activation = static_cast<double>(operators::boundaryBytes(experiment.model, experiment.parallel.microbatchSize,
                                                                         operators::splitOf(experiment.parallel)));
    const double gradientBytes = operators::parameterBytes(experiment).gradient;
    std::vector<ModelUnit> units;
    const auto addVocabulary = [&](const char *name, auto legsOf, int stage, std::int64_t parameters) {
        const double seconds =
            secondsOf((vocabulary.*legsOf)(PassKind::F, stage)) + secondsOf((vocabulary.*legsOf)(PassKind::B, stage));
        units.push_back({name, false, seconds, activation, gradientBytes * static_cast<double>(parameters)});
    };
    addVocabulary("embedding", &VocabularyCosts::embedding, 0, unitParameters(experiment, schedule, 0).front().count());
    const Halves usual = halvesOf(experiment, hardware, experiment.model.hasExperts());
    const Halves dense = experiment.model.mixesLayers() ? halvesOf(experiment, hardware, false) : usual;
    for (int layer = 0; layer < experiment.model.layers; ++layer) {
        const Halves &halves = experiment.model.mixesLayers() && !experiment.model.hasExpertsAt(layer) ? dense : usual;
        if (size == UnitSize::Layer) {
            units.push_back({fmt::format("layer {}", layer), true, halves.seconds[0] + halves.seconds[1], activation,
                             halves.weightBytes[0] + halves.weightBytes[1]});
            continue;
        }
        for (const std::size_t half : {0U, 1U})
            units.push_back({fmt::format("layer {} {}", layer, half == 0 ? "attention" : "mlp"), true, halves.seconds[half],
                             activation, halves.weightBytes[half]});
    }
    addVocabulary("output", &VocabularyCosts::output, last, unitParameters(experiment, schedule, last).back().count());
    return units;
}

SliceTimes::SliceTimes(const model::Experiment &experiment, const model::Hardware &hardware)
    : m_experiment(experiment), m_hardware(hardware), m_whole(partsOf(experiment.model.sequence))
{}

SliceTimes::Parts SliceTimes::partsOf(int tokens) const
{
    model::Experiment one = m_experiment;
    one.model.sequence = tokens;
    Parts parts;
    const auto addLayers = [&](int layers, bool haveExperts) {
        if (layers == 0)
            return;
        const LayerCosts costs(one, m_hardware, haveExperts);
        for (const PassHalf half : {PassHalf::Forward, PassHalf::InputGradient, PassHalf::WeightGradient}) {
            const Rebuilds rebuilds = half == PassHalf::InputGradient ? rebuildsOf(one) : Rebuilds::Nothing;
            const double quadratic = costs.quadraticSeconds(half, rebuilds);
            parts.linear += layers * (costs.seconds(half, rebuilds) - quadratic);
            parts.quadratic += layers * quadratic;
        }
    };
    const int withExperts = one.model.expertLayers(one.model.layers);
    addLayers(withExperts, true);
    addLayers(one.model.layers - withExperts, false);
    return parts;
}

double SliceTimes::linearSeconds(int tokens) const
{
    const auto [found, isNew] = m_linear.try_emplace(tokens);
    if (isNew)
        found->second = partsOf(tokens).linear;
    return found->second;
}

double SliceTimes::seconds(int tokens, int before) const
{
    const double sequence = m_experiment.model.sequence;
    const double pairs = static_cast<double>(tokens) * (tokens + 2.0 * before) / (sequence * sequence);
    return linearSeconds(tokens) + pairs * m_whole.quadratic;
}

} // namespace stagelens::simulate
