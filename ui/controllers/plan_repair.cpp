#include "ui/controllers/plan_repair.h"

#include "engine/model/schema.h"
#include "engine/service/plans/schedule_plan.h"
#include "ui/state/latest_job.h"
#include "ui/state/quick_prediction.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace stagelens::ui {

namespace {

constexpr std::int64_t kNear = 64;      // numbers on each side that are all tried
constexpr int kPowers = 40;             // powers of two that are tried as well
constexpr std::size_t kMostPlanned = 6; // numbers for which the order is built
constexpr std::int64_t kSmallest = -1;  // no field takes a lower number

std::optional<std::int64_t> numberOf(const model::Experiment &experiment, const model::Field &field)
{
    const model::FieldValue value = field.value(experiment);
    const auto *number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

/// The numbers worth trying in the place of `now`, the nearest first. The larger of two equally near ones comes first.
std::vector<std::int64_t> candidatesFor(const model::Field &field, std::int64_t now, const model::Experiment &experiment,
                                        const model::Experiment *valid)
{
    std::vector<std::int64_t> numbers;
    const auto least = std::isfinite(field.least) ? static_cast<std::int64_t>(field.least) : kSmallest;
    const auto most = std::isfinite(field.most) ? static_cast<std::int64_t>(field.most) : std::int64_t{1} << kPowers;
    const auto addNear = [&numbers](std::int64_t centre) {
        for (std::int64_t number = centre - kNear; number <= centre + kNear; ++number)
            numbers.push_back(number);
    };
    addNear(std::clamp(now, least, most));
    addNear(experiment.model.layers); // bounds devices and their multiples
    for (int power = 0; power <= kPowers; ++power)
        numbers.push_back(std::int64_t{1} << power);
    if (const auto before = valid != nullptr ? numberOf(*valid, field) : std::nullopt)
        numbers.push_back(*before);
    std::erase_if(numbers, [&](std::int64_t number) { return number == now || number < least || number > most; });
    std::ranges::sort(numbers, [now](std::int64_t first, std::int64_t second) {
        const std::int64_t near = std::abs(first - now);
        const std::int64_t far = std::abs(second - now);
        return near != far ? near < far : first > second;
    });
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    return numbers;
}

} // namespace

std::vector<PlanRepair> repairsOf(const model::Experiment &experiment, const base::Problems &problems,
                                  const model::Experiment *valid)
{
    std::vector<PlanRepair> repairs;
    const model::Field *field = problems.empty() ? nullptr : model::findField(problems.front().field);
    const auto now = field != nullptr ? numberOf(experiment, *field) : std::nullopt;
    if (!now)
        return repairs;
    for (const std::int64_t number : candidatesFor(*field, *now, experiment, valid)) {
        PlanRepair repair{number, experiment};
        if (!model::edit(repair.experiment, *field, number).empty() || !model::validate(repair.experiment).empty())
            continue;
        repairs.push_back(std::move(repair));
        if (repairs.size() == kMostPlanned || !isQuick(repairs.back().experiment))
            break; // an order that takes long to build is taken without
    }
    return repairs;
}

bool arePlannedAtOnce(const std::vector<PlanRepair> &repairs)
{
    double passes = 0;
    for (const PlanRepair &repair : repairs)
        passes += isQuick(repair.experiment) ? simulatedPasses(repair.experiment) : 0;
    return passes <= static_cast<double>(kPassesAtOnce);
}

std::optional<PlanRepair> firstPlanned(const std::vector<PlanRepair> &repairs, int cores)
{
    for (const PlanRepair &repair : repairs)
        if (!isQuick(repair.experiment) || service::planOf(repair.experiment, cores))
            return repair;
    return std::nullopt;
}

} // namespace stagelens::ui
