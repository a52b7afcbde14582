#include "engine/simulate/costs/given_costs.h"

#include "engine/schedule/vocabulary_tables.h"

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;
using schedule::Transfer;

std::optional<Transfer> parseTransfer(std::string_view word)
{
    constexpr std::array<std::pair<std::string_view, Transfer>, 6> kWords{{{"send", Transfer::Send},
                                                                           {"c0", Transfer::BroadcastX},
                                                                           {"c1", Transfer::Statistics},
                                                                           {"c2", Transfer::ReduceGradient},
                                                                           {"embed-reduce", Transfer::EmbedReduce},
                                                                           {"embed-broadcast", Transfer::EmbedBroadcast}}};
    for (const auto &[name, transfer] : kWords) {
        if (word == name)
            return transfer;
    }
    return std::nullopt;
}

StagesOfDevices stagesOfDevices(const schedule::Schedule &schedule)
{
    const schedule::Placement &placement = schedule.placement();
    StagesOfDevices stages(static_cast<std::size_t>(schedule.devices()));
    for (int stage = 0; stage < schedule.stages(); ++stage)
        for (int direction = 0; direction < placement.directions; ++direction)
            stages[static_cast<std::size_t>(placement.deviceOf(stage, direction))].push_back(stage);
    return stages;
}

void setGivenPasses(CostModel &costs, const schedule::Schedule &schedule, int device, int stage, const GivenPasses &given)
{
    const auto at = [](PassKind kind) { return static_cast<std::size_t>(kind); };
    GivenPasses all = given;
    std::optional<Nanos> &full = all[at(PassKind::B)];
    std::optional<Nanos> &input = all[at(PassKind::I)];
    std::optional<Nanos> &weight = all[at(PassKind::W)];
    if (!full) {
        full = input.value_or(0) + weight.value_or(0);
    } else if (!input && !weight) {
        input = *full / 2;
        weight = *full - *full / 2;
    }
    if (schedule::recipeBook(schedule.vocabulary()).hasBarrierInside(PassKind::S)) // S does the work of T
        all[at(PassKind::S)] = all[at(PassKind::S)].value_or(0) + all[at(PassKind::T)].value_or(0);
    costs.vocabularyKnown = schedule::VocabularyTables(schedule).areDivided();
    for (int kind = 0; kind < schedule::kPassKindCount; ++kind) {
        const auto passKind = static_cast<PassKind>(kind);
        const bool vocabulary = schedule::isVocabularyPass(passKind);
        if (passKind == PassKind::O || (vocabulary && !costs.vocabularyKnown))
            continue;
        const Nanos duration = all[at(passKind)].value_or(0);
        costs.setPass(device, passKind, stage, {duration, vocabulary ? duration : 0});
    }
}

void setPair(CostModel &costs, const schedule::Schedule &schedule, Nanos pair)
{
    const int last = schedule.placement().lastStage();
    const int device = schedule.placement().deviceOf(last);
    const Nanos apart = costs.pass(device, PassKind::F, last).duration + costs.pass(device, PassKind::B, last).duration;
    if (apart > 0)
        costs.pairScale = static_cast<double>(pair) / static_cast<double>(apart);
}

void joinCollectives(CostModel &costs, const schedule::Schedule &schedule)
{
    if (schedule::recipeBook(schedule.vocabulary()).hasBarrierInside(PassKind::S))
        costs.setCollective(Transfer::ReduceGradient,
                            costs.transfer(Transfer::Statistics, 0, 0) + costs.transfer(Transfer::ReduceGradient, 0, 0));
}

} // namespace stagelens::simulate
