#include "engine/service/search/equal_work.h"

#include "engine/model/family_shape.h"
#include "engine/passes/recipe_book.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace stagelens::service {
namespace {

bool isSameModel(const model::Experiment &a, const model::Experiment &b)
{
    if (!a.hasModel || !b.hasModel)
        return a.hasModel == b.hasModel;
    model::ModelConfig other = b.model;
    other.preset = a.model.preset;
    other.dtype = a.model.dtype;
    return a.model == other;
}

std::int64_t tokensOf(const model::Experiment &experiment)
{
    return experiment.parallel.stepMicrobatches() * experiment.parallel.microbatchSize * experiment.model.sequence;
}

/// F and B of a microbatch on all devices, in milliseconds.
double layerWork(const model::Experiment &experiment, const model::UniformCosts &costs)
{
    const auto of = [&costs](const char *pass) {
        const auto found = costs.milliseconds.find(pass);
        return found == costs.milliseconds.end() ? 0.0 : found->second;
    };
    const double backward = costs.milliseconds.contains("B") ? of("B") : of("I") + of("W");
    const int shares = costs.per == model::UniformPer::Stage ? model::stagesPerDevice(experiment.schedule) : 1;
    return (of("F") + backward) * shares * experiment.parallel.devices;
}

/// Whether passes of the vocabulary layers take time. Without them teaching units have no vocabulary layers at all.
bool hasVocabularyWork(const model::Experiment &experiment, const model::UniformCosts &costs)
{
    for (const schedule::PassKind kind : schedule::vocabularyPasses(experiment.schedule.vocabulary))
        if (const auto found = costs.milliseconds.find(std::string(schedule::name(kind)));
            found != costs.milliseconds.end() && found->second > 0)
            return true;
    return false;
}

} // namespace

std::string workDifference(const model::Experiment &a, const model::Experiment &b)
{
    constexpr double kEqualWithin = 1e-6;
    const auto *unitsA = std::get_if<model::UniformCosts>(&a.cost.source);
    const auto *unitsB = std::get_if<model::UniformCosts>(&b.cost.source);
    if ((unitsA == nullptr) != (unitsB == nullptr))
        return "one has times and the other teaching units";
    if (!isSameModel(a, b))
        return "they train different models";
    if (tokensOf(a) != tokensOf(b))
        return "they train different numbers of tokens a step";
    if (a.whatIf.lengths != b.whatIf.lengths)
        return "their sequences have other lengths";
    if (unitsA == nullptr)
        return {};
    const double workA = layerWork(a, *unitsA);
    const double workB = layerWork(b, *unitsB);
    if (std::abs(workA - workB) > kEqualWithin * std::max(workA, workB))
        return fmt::format("F and B of a microbatch take {:g} and {:g} units on all devices together", workA, workB);
    if (hasVocabularyWork(a, *unitsA) != hasVocabularyWork(b, *unitsB))
        return "one has vocabulary layers and the other has not";
    return {};
}

} // namespace stagelens::service
