#include "engine/schedule/families.h"

#include "engine/base/text.h"
#include "engine/schedule/gpipe.h"
#include "engine/schedule/one_f_one_b.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

constexpr std::array kFamilies = {
    Family{.name = "gpipe",
           .description = "all forwards, then all backwards; keeps every microbatch in memory",
           .source = "Huang et al., arXiv 1811.06965",
           .conditions = "",
           .generate = gpipe},
    Family{.name = "1f1b",
           .description = "one forward, one backward in turn; keeps at most as many microbatches as there are devices",
           .source = "PipeDream-flush, arXiv 2006.09503; DAPPLE, arXiv 2007.01045",
           .conditions = "",
           .generate = oneForwardOneBackward},
};

/// A microbatch has at most 7 passes on a device.
constexpr std::int64_t kMostForwards = kMostPasses / 7;

/// What no family can carry, whatever the plan.
base::Problems problemsOf(const model::Experiment &experiment)
{
    base::Problems problems;
    const auto &[devices, microbatches, microbatchSize, stageLayers] = experiment.parallel;
    if (devices < 1 || devices > kMostDevices)
        problems.push_back({"parallel.devices", base::concat(devices, " devices; give 1 to ", kMostDevices)});
    if (microbatches < 1)
        problems.push_back({"parallel.microbatches", base::concat(microbatches, " microbatches; give at least 1")});
    else if (std::int64_t{devices} * std::int64_t{microbatches} > kMostForwards)
        problems.push_back(
            {"parallel.microbatches", base::concat(devices, " devices with ", microbatches, " microbatches make more than ",
                                                   kMostForwards, " forwards, which is the limit; give fewer of either")});
    const model::ScheduleChoice &choice = experiment.schedule;
    if (choice.chunks != 1)
        problems.push_back(
            {"schedule.chunks", base::concat(choice.family, " has one chunk a device, not ", choice.chunks, "; give 1")});
    if (choice.vocabularyOrder != model::VocabularyOrder::Published)
        problems.push_back({"schedule.vocabulary_order", "only the published order is available; give published"});
    if (choice.recompute != model::Recompute::None)
        problems.push_back({"schedule.recompute", base::concat(choice.family, " has no passes that recompute; give none")});
    return problems;
}

} // namespace

std::span<const Family> families()
{
    return kFamilies;
}

const Family *findFamily(std::string_view name)
{
    const auto *const found = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family &f) { return f.name == name; });
    return found == kFamilies.end() ? nullptr : found;
}

base::Result<Schedule> makeSchedule(const model::Experiment &experiment)
{
    const Family *const family = findFamily(experiment.schedule.family);
    if (family == nullptr) {
        std::vector<std::string> names;
        for (const Family &known : kFamilies)
            names.emplace_back(known.name);
        return base::Error::invalid("schedule.family",
                                    base::concat("no schedule family is called '", experiment.schedule.family,
                                                 "'; there are: ", base::join(names, ", ")));
    }
    if (base::Problems problems = problemsOf(experiment); !problems.empty())
        return base::Error::invalid(std::move(problems));
    return family->generate(experiment);
}

} // namespace stagelens::schedule
