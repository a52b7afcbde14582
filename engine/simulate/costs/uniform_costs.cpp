#include "engine/simulate/costs/given_costs.h"

#include <cmath>
#include <fmt/format.h>

namespace stagelens::simulate {

using base::Nanos;
using schedule::PassKind;
using schedule::Transfer;

namespace {

constexpr double kLongestMilliseconds = static_cast<double>(base::kLongestPass / base::kNanosPerMilli);

base::Problems problemsOf(const model::UniformCosts &costs)
{
    base::Problems problems;
    for (const auto &[word, milliseconds] : costs.milliseconds) {
        const std::optional<PassKind> kind = schedule::parsePassKind(word);
        const bool isCopy = word == kOffloadWord || word == kReloadWord;
        if (!parseTransfer(word) && !isCopy && word != kPairWord && (!kind || *kind == PassKind::O))
            problems.push_back(
                {"cost.uniform",
                 fmt::format("there is no duration \"{}\"; choose from F B I W S T U EF EB FB OFF ON send c0 c1 c2",
                             word.substr(0, 40))});
        else if (!(milliseconds >= 0 && milliseconds <= kLongestMilliseconds))
            problems.push_back(
                {"cost.uniform", fmt::format("{} is {:g} ms; give 0 to {:.0f} ms", word, milliseconds, kLongestMilliseconds)});
    }
    return problems;
}

} // namespace

base::Result<CostModel> uniformCosts(const model::UniformCosts &uniform, const schedule::Schedule &schedule)
{
    if (base::Problems problems = problemsOf(uniform); !problems.empty())
        return base::Error::invalid(std::move(problems));
    GivenPasses given;
    CostModel costs(schedule.devices(), schedule.stages());
    const int shares = uniform.per == model::UniformPer::Device ? schedule.placement().chunks() : 1;
    for (const auto &[word, milliseconds] : uniform.milliseconds) {
        const Nanos duration = std::llround(milliseconds * static_cast<double>(base::kNanosPerMilli));
        if (const std::optional<PassKind> kind = schedule::parsePassKind(word)) {
            // Vocabulary passes belong to a device, independent of its number of stages.
            given[static_cast<std::size_t>(*kind)] = schedule::isVocabularyPass(*kind) ? duration : duration / shares;
        } else if (const std::optional<Transfer> transfer = parseTransfer(word)) {
            costs.setCollective(*transfer, duration);
            for (int from = 0; *transfer == Transfer::Send && from < schedule.devices(); ++from) {
                for (int to = 0; to < schedule.devices(); ++to)
                    costs.setSend(from, to, duration);
            }
        }
    }
    const StagesOfDevices stages = stagesOfDevices(schedule);
    for (int device = 0; device < schedule.devices(); ++device)
        for (const int stage : stages[static_cast<std::size_t>(device)])
            setGivenPasses(costs, schedule, device, stage, given);
    joinCollectives(costs, schedule);
    if (const auto pair = uniform.milliseconds.find(std::string(kPairWord)); pair != uniform.milliseconds.end())
        setPair(costs, schedule, std::llround(pair->second * static_cast<double>(base::kNanosPerMilli) / shares));
    return costs;
}

} // namespace stagelens::simulate
