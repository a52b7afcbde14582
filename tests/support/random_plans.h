// Random schedules and costs, for property tests.
#pragma once

#include "engine/base/random.h"
#include "tests/support/simulate_support.h"

#include <optional>

namespace stagelens::test {

/// A teaching plan of any family and vocabulary method, which the family may refuse.
inline model::Experiment randomExperiment(base::Random &random, int mostDevices, int mostMicrobatches)
{
    const auto families = schedule::families();
    const auto &family =
        families[static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(families.size()) - 1))];
    const int devices = static_cast<int>(random.nextInteger(1, mostDevices));
    const auto method = static_cast<model::VocabularyMethod>(random.nextInteger(0, 4));
    const int microbatches = static_cast<int>(random.nextInteger(1, mostMicrobatches));
    model::Experiment experiment = teachingExperiment(std::string(family.name), devices, microbatches, method, {});
    experiment.schedule.overlappedPairs = model::leavesPairsOpen(family.name) && random.nextInteger(0, 1) == 0;
    return experiment;
}

/// Returns a plan of any family and vocabulary method with 1 to that many devices and microbatches, or nothing if the family
/// refuses it.
inline std::optional<schedule::Schedule> randomSchedule(base::Random &random, int mostDevices, int mostMicrobatches)
{
    auto schedule = schedule::makeSchedule(randomExperiment(random, mostDevices, mostMicrobatches));
    return schedule.ok() ? std::optional(std::move(schedule).value()) : std::nullopt;
}

/// Every cost drawn by itself; one in four is zero.
inline simulate::CostModel randomCosts(base::Random &random, const schedule::Schedule &schedule)
{
    using schedule::PassKind;
    const auto duration = [&] { return random.nextInteger(0, 3) == 0 ? 0 : random.nextInteger(1, 1000); };
    simulate::CostModel costs(schedule.devices(), schedule.stages());
    for (int device = 0; device < schedule.devices(); ++device) {
        for (const int stage : schedule.placement().stagesOf(device)) {
            for (int kind = 0; kind < schedule::kPassKindCount; ++kind) {
                const base::Nanos own = duration();
                const bool isVocabulary = schedule::isVocabularyPass(static_cast<PassKind>(kind));
                simulate::PassCost cost{.duration = own, .vocabulary = isVocabulary ? own : own / 3};
                cost.expert = isVocabulary ? 0 : own / 4;
                costs.setPass(device, static_cast<PassKind>(kind), stage, cost);
            }
        }
        for (int to = 0; to < schedule.devices(); ++to)
            costs.setSend(device, to, duration());
        costs.setOptimizer(device, duration());
    }
    for (int transfer = 0; transfer < schedule::kTransferCount; ++transfer)
        costs.setCollective(static_cast<schedule::Transfer>(transfer), duration());
    costs.vocabularyKnown = true;
    return costs;
}

} // namespace stagelens::test
