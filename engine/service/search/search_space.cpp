#include "engine/service/search/search_space.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/families.h"
#include "engine/service/search/even_cut.h"
#include "engine/simulate/device_needs.h"
#include "engine/simulate/memory.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

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
    if (!leavesMethodOpen(experiment.schedule) || !isAnalytic(experiment))
        return {given};
    const auto all = model::kVocabularyChoices | std::views::transform(&model::VocabularyTraits::method);
    return {all.begin(), all.end()};
}

std::vector<VocabularyOrder> ordersOf(const ScheduleChoice &choice)
{
    if (choice.vocabularyOrder == VocabularyOrder::Best || !model::leavesVocabularyOrderOpen(choice))
        return {choice.vocabularyOrder};
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

/// F and B of every stage on its first direction's device.
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
    const auto fullest = std::max_element(cut.begin(), cut.end() - 1); // redis may leave the first stage without a layer
    if (*fullest < 1)
        return std::nullopt;
    --*fullest;
    ++cut.back();
    const auto costs = simulate::plannedCosts(moved, outline.schedule);
    if (!costs)
        return std::nullopt;
    const Nanos layer = stageTimes(*costs, outline.schedule.placement()).back() - lastStage;
    return layer > 0 ? std::optional(layer) : std::nullopt;
}

/// About how many bytes each device needs, for any cut of a plan's layers.
class MemoryOfCut {
public:
    MemoryOfCut(const model::Experiment &plan, const schedule::Schedule &order) : m_needs(plan, order)
    {
        for (int device = 0; device < order.devices(); ++device)
            m_held.push_back(schedule::peakActivations(order, device));
    }
    [[nodiscard]] base::Bytes of(int device, const std::vector<int> &cut)
    {
        const simulate::MemoryNeeds needs = m_needs.of(device, cut);
        return needs.fixed + m_held[static_cast<std::size_t>(device)] * needs.activation;
    }

private:
    simulate::DeviceNeeds m_needs;
    std::vector<std::int64_t> m_held; ///< activations
};

/// The greatest of some devices' bytes, with those of two devices replaced.
base::Bytes greatestWith(const std::vector<base::Bytes> &bytes, std::pair<std::size_t, base::Bytes> one,
                         std::pair<std::size_t, base::Bytes> other)
{
    base::Bytes greatest = std::max(one.second, other.second);
    for (std::size_t device = 0; device < bytes.size(); ++device)
        if (device != one.first && device != other.first)
            greatest = std::max(greatest, bytes[device]);
    return greatest;
}

} // namespace

bool leavesMethodOpen(const model::ScheduleChoice &choice)
{
    return choice.vocabulary == model::ScheduleChoice().vocabulary;
}

std::vector<model::Experiment> plansOf(const model::Experiment &experiment)
{
    const int stages = model::stagesPerDevice(experiment.schedule);
    const bool isStageCountGiven = !isAnalytic(experiment) || !experiment.parallel.stageLayers.empty();
    std::vector<model::Experiment> plans;
    for (const schedule::Family &family : schedule::families()) {
        if (!family.synchronous || model::cutsSequences(family.name))
            continue;
        for (const ScheduleChoice &shape : shapesOf(experiment.schedule, family.name)) {
            if (isStageCountGiven && model::stagesPerDevice(shape) != stages)
                continue;
            for (const VocabularyMethod method : methodsOf(experiment)) {
                ScheduleChoice choice = shape;
                choice.vocabulary = method;
                for (const VocabularyOrder order : ordersOf(choice)) {
                    choice.vocabularyOrder = order;
                    plans.emplace_back(experiment).schedule = choice;
                }
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
    const int least = model::leastStageLayers(plan.schedule);
    std::vector<std::vector<StageHolder>> holders(cut.size());
    std::vector<double> loads(static_cast<std::size_t>(placement.devices));
    for (std::size_t stage = 0; stage < cut.size(); ++stage)
        for (int direction = 0; direction < placement.directions; ++direction) {
            const auto device = static_cast<std::size_t>(placement.deviceOf(static_cast<int>(stage), direction));
            holders[stage].push_back({device, static_cast<double>(*layer)});
            loads[device] += static_cast<double>(times[stage] - cut[stage] * *layer);
        }
    return leastLoadCut(plan.model.layers, least, holders, std::move(loads));
}

std::vector<int> leastMemoryStageLayers(const model::Experiment &plan, const simulate::Outline &outline)
{
    constexpr std::int64_t kMostSteps = 200'000;
    constexpr int kRounds = 3; // of the pipeline: by then it is full
    const schedule::Placement &placement = outline.schedule.placement();
    if (!plan.hasModel || !isAnalytic(plan) || placement.directions > 1 ||
        std::int64_t{plan.model.layers} * placement.stages() > kMostSteps)
        return {};
    model::Experiment few = plan;
    few.parallel.microbatches = std::min(plan.parallel.microbatches, kRounds * placement.devices);
    const auto order = simulate::orderedSchedule(few, outline);
    if (!order)
        return {};
    MemoryOfCut memory(plan, *order);
    const int least = model::leastStageLayers(plan.schedule);
    std::vector<int> cut = plan.parallel.stageLayers;
    std::vector<base::Bytes> bytes;
    for (int device = 0; device < placement.devices; ++device)
        bytes.push_back(memory.of(device, cut));
    for (int moves = 0; moves < plan.model.layers; ++moves) {
        const auto fullest = static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin());
        base::Bytes lowest = bytes[fullest];
        std::vector<int> better;
        for (const int from : placement.stagesOf(static_cast<int>(fullest)))
            for (int to = 0; to < placement.stages() && cut[static_cast<std::size_t>(from)] > least; ++to) {
                const int device = placement.deviceOf(to);
                std::vector<int> moved = cut;
                --moved[static_cast<std::size_t>(from)];
                ++moved[static_cast<std::size_t>(to)];
                const base::Bytes greatest = greatestWith(bytes, {fullest, memory.of(static_cast<int>(fullest), moved)},
                                                          {static_cast<std::size_t>(device), memory.of(device, moved)});
                if (greatest < lowest) {
                    lowest = greatest;
                    better = std::move(moved);
                }
            }
        if (better.empty())
            break;
        cut = std::move(better);
        for (int device = 0; device < placement.devices; ++device)
            bytes[static_cast<std::size_t>(device)] = memory.of(device, cut);
    }
    return cut == plan.parallel.stageLayers ? std::vector<int>() : cut;
}

} // namespace stagelens::service
