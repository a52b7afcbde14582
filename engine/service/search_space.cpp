#include "engine/service/search_space.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/families.h"

#include <algorithm>
#include <array>
#include <optional>

namespace stagelens::service {
namespace {

using base::Nanos;
using model::ScheduleChoice;
using model::VocabularyMethod;
using model::VocabularyOrder;
using schedule::PassKind;

bool isAnalytic(const model::Experiment &experiment)
{
    return std::holds_alternative<model::HardwarePreset>(experiment.cost.source);
}

std::vector<VocabularyMethod> methodsOf(const model::Experiment &experiment)
{
    const VocabularyMethod given = experiment.schedule.vocabulary;
    if (given != VocabularyMethod::None || !isAnalytic(experiment))
        return {given};
    return {VocabularyMethod::None, VocabularyMethod::Redis, VocabularyMethod::Naive, VocabularyMethod::Vocab1,
            VocabularyMethod::Vocab2};
}

std::vector<VocabularyOrder> ordersOf(const ScheduleChoice &given, VocabularyMethod method)
{
    if (given.vocabularyOrder == VocabularyOrder::Best)
        return {VocabularyOrder::Best};
    if (!model::isSharded(method))
        return {VocabularyOrder::Published};
    return {VocabularyOrder::Published, VocabularyOrder::Best};
}

/// The choice of a family with each number of chunks that it has.
std::vector<ScheduleChoice> shapesOf(const ScheduleChoice &given, std::string_view family)
{
    constexpr std::array<std::optional<int>, 2> kWaves{std::nullopt, 2};
    constexpr std::array kChunks{1, 2, 4};
    std::vector<ScheduleChoice> shapes;
    for (const std::optional<int> waves : kWaves)
        for (const int chunks : kChunks) {
            ScheduleChoice choice = given;
            choice.family = family;
            choice.chunks = given.chunks.value_or(chunks);
            choice.waves = given.waves ? given.waves : waves;
            if (model::shapeProblems(choice).empty() && std::ranges::find(shapes, choice) == shapes.end())
                shapes.push_back(std::move(choice));
        }
    return shapes;
}

/// F and B of every stage on its first replica's device.
std::vector<Nanos> stageTimes(const simulate::CostModel &costs, const schedule::Placement &placement)
{
    std::vector<Nanos> times;
    for (int stage = 0; stage < placement.stages(); ++stage) {
        const int device = placement.deviceOf(stage);
        times.push_back(costs.pass(device, PassKind::F, stage).duration + costs.pass(device, PassKind::B, stage).duration);
    }
    return times;
}

/// What a layer adds to a stage: the difference that one more makes to the last stage.
std::optional<Nanos> layerTime(const model::Experiment &plan, const simulate::Outline &outline, Nanos lastStage)
{
    model::Experiment moved = plan;
    std::vector<int> &cut = moved.parallel.stageLayers;
    if (cut.size() < 2)
        return std::nullopt;
    --cut.front();
    ++cut.back();
    const auto costs = simulate::makeCostModel(moved, outline.schedule);
    if (!costs)
        return std::nullopt;
    const Nanos layer = stageTimes(*costs, outline.schedule.placement()).back() - lastStage;
    return layer > 0 ? std::optional(layer) : std::nullopt;
}

} // namespace

std::vector<model::Experiment> plansOf(const model::Experiment &experiment)
{
    const int stages = model::stagesPerDevice(experiment.schedule);
    const bool isStageCountGiven = !isAnalytic(experiment) || !experiment.parallel.stageLayers.empty();
    std::vector<model::Experiment> plans;
    for (const schedule::Family &family : schedule::families()) {
        if (!family.synchronous)
            continue;
        for (const ScheduleChoice &shape : shapesOf(experiment.schedule, family.name)) {
            if (isStageCountGiven && model::stagesPerDevice(shape) != stages)
                continue;
            for (const VocabularyMethod method : methodsOf(experiment))
                for (const VocabularyOrder order : ordersOf(experiment.schedule, method)) {
                    model::Experiment &plan = plans.emplace_back(experiment);
                    plan.schedule = shape;
                    plan.schedule.vocabulary = method;
                    plan.schedule.vocabularyOrder = order;
                }
        }
    }
    return plans;
}

std::vector<int> balancedStageLayers(const model::Experiment &plan, const simulate::Outline &outline)
{
    constexpr std::int64_t kMostSteps = 200'000;
    const schedule::Placement &placement = outline.schedule.placement();
    const std::vector<int> &cut = plan.parallel.stageLayers;
    if (!isAnalytic(plan) || std::int64_t{plan.model.layers} * placement.stages() > kMostSteps)
        return {};
    std::vector<Nanos> times = stageTimes(outline.costs, placement);
    const std::optional<Nanos> layer = layerTime(plan, outline, times.back());
    if (!layer)
        return {};
    const int least = plan.schedule.vocabulary == VocabularyMethod::Redis ? 0 : 1;
    std::vector<int> balanced(cut.size(), least);
    std::vector<Nanos> loads(static_cast<std::size_t>(placement.devices));
    const auto add = [&](std::size_t stage, Nanos time) {
        for (int replica = 0; replica < placement.replicas; ++replica)
            loads[static_cast<std::size_t>(placement.deviceOf(static_cast<int>(stage), replica))] += time;
    };
    for (std::size_t stage = 0; stage < cut.size(); ++stage)
        add(stage, times[stage] - (cut[stage] - least) * *layer);
    const auto loadWith = [&](std::size_t stage) {
        Nanos load = 0;
        for (int replica = 0; replica < placement.replicas; ++replica)
            load = std::max(load, loads[static_cast<std::size_t>(placement.deviceOf(static_cast<int>(stage), replica))]);
        return std::pair(load, balanced[stage]);
    };
    for (int left = plan.model.layers - least * placement.stages(); left > 0; --left) {
        std::size_t idlest = 0;
        for (std::size_t stage = 1; stage < cut.size(); ++stage)
            if (loadWith(stage) < loadWith(idlest))
                idlest = stage;
        ++balanced[idlest];
        add(idlest, *layer);
    }
    return balanced;
}

} // namespace stagelens::service
