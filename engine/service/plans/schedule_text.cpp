#include "engine/service/plans/schedule_text.h"

#include "engine/base/file.h"
#include "engine/exchange/schedule_file.h"
#include "engine/exchange/torch_csv.h"
#include "engine/exchange/torch_lowering.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/simulate/costs/given_costs.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <tuple>
#include <utility>
#include <variant>

namespace stagelens::service {

namespace {

using model::Experiment;
using schedule::Pass;
using schedule::Schedule;

/// Takes "line 3: " or "row 3, " off the front of a message and answers its number; 0 where it is another word's.
int takePlace(std::string_view &message, std::string_view name)
{
    if (!message.starts_with(name))
        return 0;
    int number = 0;
    const char *const begin = message.data() + name.size();
    const auto [end, error] = std::from_chars(begin, message.data() + message.size(), number);
    if (error != std::errc{})
        return 0;
    message.remove_prefix(static_cast<std::size_t>(end - message.data()));
    message.remove_prefix(std::min(message.find_first_not_of(":, "), message.size()));
    return number;
}

/// The readers say the place in words.
TextFault faultOf(const base::Problem &problem)
{
    std::string_view message = problem.message;
    TextFault fault;
    fault.line = std::max({1, takePlace(message, "line "), takePlace(message, "row ")});
    fault.word = std::max(takePlace(message, "word "), takePlace(message, "column "));
    fault.message = message;
    return fault;
}

/// As a prediction is refused: it does not depend on the order in which gradients are added.
schedule::ValidationOptions optionsOfPrediction(std::size_t limit)
{
    schedule::ValidationOptions options{.limit = limit};
    options.inMicrobatchOrder = false;
    return options;
}

/// The passes from `begin` to behind `end` that overlap with each other and stay together.
struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
};
Block blockAt(std::span<const Pass> passes, std::size_t position)
{
    Block block{position, position + 1};
    while (block.begin > 0 && passes[block.begin - 1].pairedWithNext)
        --block.begin;
    while (block.end < passes.size() && passes[block.end - 1].pairedWithNext)
        ++block.end;
    return block;
}

base::Result<std::string> fileText(const Experiment &experiment, const Schedule &schedule, ScheduleFormat format)
{
    if (format == ScheduleFormat::Text)
        return customText(schedule);
    using exchange::TorchRelease;
    const auto release = format == ScheduleFormat::TorchCsvWithMessages ? TorchRelease::Since2_15 : TorchRelease::UpTo2_14;
    const auto csv = format == ScheduleFormat::TorchCsv ? torchCsvOf(experiment, schedule)
                                                        : exchange::lowered(schedule, exchange::TorchLowering::Full, release);
    if (!csv)
        return csv.error();
    return exchange::writeTorchCsv(*csv);
}

Schedule renamed(const Schedule &schedule, std::string name, const std::vector<std::vector<Pass>> &orders)
{
    return Schedule(std::move(name), schedule.placement(), schedule.microbatches(), schedule.vocabulary(), orders,
                    schedule.weightUpdate(), schedule.slices())
        .asIterations(schedule.iterations());
}

std::vector<std::vector<Pass>> ordersOf(const Schedule &schedule)
{
    std::vector<std::vector<Pass>> orders;
    for (int device = 0; device < schedule.devices(); ++device) {
        const auto passes = schedule.device(device);
        orders.emplace_back(passes.begin(), passes.end());
    }
    return orders;
}

/// With the devices, microbatches and whatever else a custom schedule brings, as far as it can be read.
Experiment completed(Experiment experiment)
{
    if (!experiment.schedule.hasOwnOrder())
        return experiment;
    Experiment open = experiment;
    open.parallel.devices = open.parallel.microbatches = 0;
    open.schedule.chunks.reset();
    open.schedule.vocabulary = model::VocabularyMethod::None;
    auto whole = followed(std::move(open));
    if (!whole)
        return experiment;
    if (whole->parallel.devices != experiment.parallel.devices || whole->schedule.chunks != experiment.schedule.chunks)
        whole->parallel.stageLayers.clear(); // a cut holds for one number of stages
    return *std::move(whole);
}

bool hasWeightGradients(const Schedule &schedule)
{
    for (int device = 0; device < schedule.devices(); ++device)
        if (std::ranges::any_of(schedule.device(device), [](const Pass &pass) { return pass.kind == schedule::PassKind::W; }))
            return true;
    return false;
}

/// Makes the activations that the family offloads itself a choice of the experiment, which does not depend on the family.
/// Uniform durations say then that its copies take no time, if they took none.
void chooseOffload(Experiment &experiment)
{
    if (experiment.schedule.offload.isOn())
        return;
    experiment.schedule.offload = model::offloadOf(experiment.schedule);
    auto *const uniform = std::get_if<model::UniformCosts>(&experiment.cost.source);
    if (!experiment.schedule.offload.isOn() || uniform == nullptr ||
        uniform->milliseconds.contains(std::string(simulate::kReloadWord)))
        return;
    uniform->milliseconds.try_emplace(std::string(simulate::kOffloadWord), 0);
}

/// Whether the plan's stages are on these devices, which few microbatches tell.
bool hasPlacement(Experiment plan, const schedule::Placement &placement)
{
    plan.parallel.microbatches = std::min(plan.parallel.microbatches, placement.devices);
    const auto few = schedule::makeSchedule(plan);
    return few && few->placement().stageDevice == placement.stageDevice;
}

} // namespace

std::vector<TextFault> faultsOfText(std::string_view text)
{
    constexpr std::size_t kMostFaults = 100;
    std::vector<TextFault> faults;
    const auto read = exchange::readSchedule(text);
    if (!read) {
        for (const base::Problem &problem : read.error().problems)
            faults.push_back(faultOf(problem));
        return faults;
    }
    schedule::ValidationOptions options = optionsOfPrediction(kMostFaults);
    options.place = [&read](int device, std::size_t position) { return read->placeText(device, position); };
    for (const schedule::Violation &violation : schedule::findViolations(read->schedule, options)) {
        const exchange::TorchCell place = read->placeOf(violation.device, violation.position);
        faults.push_back({static_cast<int>(place.row), static_cast<int>(place.column),
                          fmt::format("{}; {}", violation.cause, violation.remedy)});
    }
    std::ranges::stable_sort(faults, {}, [](const TextFault &fault) { return std::tuple(fault.line, fault.word); });
    return faults;
}

base::Result<std::string> editableText(const model::ScheduleChoice &choice)
{
    constexpr base::Bytes kLongest = base::Bytes{1} << 20;
    if (choice.file.empty())
        return choice.text;
    auto text = base::readFile(choice.file, kLongest);
    if (!text)
        return text;
    return model::documentText(*std::move(text));
}

std::string customText(const Schedule &schedule)
{
    return schedule::toText(renamed(schedule, std::string(model::kCustomFamily), ordersOf(schedule)));
}

Experiment withScheduleText(Experiment experiment, std::string text)
{
    if (!text.ends_with('\n'))
        text += '\n'; // as every line has, and none is no text
    model::chooseFamily(experiment.schedule, model::kCustomFamily);
    experiment.schedule.file.clear();
    experiment.schedule.text = std::move(text);
    return completed(std::move(experiment));
}

Experiment withScheduleFile(Experiment experiment, std::string file)
{
    model::chooseFamily(experiment.schedule, model::kCustomFamily);
    experiment.schedule.file = std::move(file);
    experiment.schedule.text.clear();
    return completed(std::move(experiment));
}

Experiment withOwnOrder(Experiment experiment)
{
    if (experiment.schedule.family == model::kCustomFamily)
        return experiment;
    chooseOffload(experiment);
    if (const auto plan = planOf(experiment, machineCores()); plan && plan->schedule.slices() == 1)
        return withScheduleText(std::move(experiment),
                                customText(plan->schedule.drainsBetweenSteps() ? plan->schedule.firstStep() : plan->schedule));
    model::chooseFamily(experiment.schedule, model::kCustomFamily);
    return experiment;
}

std::string_view recognisedFamily(const Schedule &schedule)
{
    if (schedule.passCount() > kMostRecognisedPasses)
        return {};
    if (schedule.drainsBetweenSteps())
        return recognisedFamily(schedule.firstStep());
    const auto orders = ordersOf(schedule);
    const bool splits = hasWeightGradients(schedule);
    for (const schedule::Family &family : schedule::families()) {
        if (family.splitsBackward != splits || model::cutsSequences(family.name) != (schedule.slices() > 1))
            continue;
        Experiment plan;
        plan.hasModel = false;
        plan.parallel.devices = schedule.devices();
        plan.parallel.microbatches = schedule.stepMicrobatches() / schedule.slices();
        model::chooseFamily(plan.schedule, family.name);
        plan.schedule.iterations = schedule.iterations();
        if (schedule.slices() > 1)
            plan.schedule.sequenceSlices = schedule.slices();
        if (model::methodOf(plan.schedule) != schedule.vocabulary())
            plan.schedule.vocabulary = schedule.vocabulary();
        if (family.name == "hanayo")
            plan.schedule.waves = std::max(1, schedule.placement().chunks() / 2);
        else if (model::leavesChunksOpen(family.name))
            plan.schedule.chunks = schedule.placement().chunks();
        if (!model::shapeProblems(plan.schedule).empty() || !hasPlacement(plan, schedule.placement()))
            continue;
        const auto made = schedule::makeSchedule(plan);
        if (made && renamed(*made, schedule.family(), ordersOf(*made)) == schedule)
            return family.name;
    }
    return {};
}

base::Result<Schedule> withMovedPass(const Schedule &schedule, const PassMove &move)
{
    const auto refused = [](std::string why) { return base::Error::invalid("schedule.text", std::move(why)); };
    if (move.device < 0 || move.device >= schedule.devices())
        return refused(fmt::format("there is no device {}", move.device));
    if (schedule.slices() > 1)
        return refused("orders of slices of sequences cannot be edited; choose 1f1b");
    if (schedule.iterations() > 1)
        return refused("orders of several iterations cannot be edited; choose 1");
    auto orders = ordersOf(schedule);
    std::vector<Pass> &passes = orders[static_cast<std::size_t>(move.device)];
    if (move.from >= passes.size())
        return refused(fmt::format("device {} has no pass at position {}", move.device, move.from));
    const Block block = blockAt(passes, move.from);
    std::size_t to = std::min(move.to, passes.size());
    if (to > 0 && to < passes.size() && passes[to - 1].pairedWithNext)
        to = move.to < block.begin ? blockAt(passes, to).begin : blockAt(passes, to).end;
    const auto at = [&passes](std::size_t position) { return passes.begin() + static_cast<std::ptrdiff_t>(position); };
    if (to < block.begin)
        std::rotate(at(to), at(block.begin), at(block.end));
    else if (to > block.end)
        std::rotate(at(block.begin), at(block.end), at(to));
    Schedule made = renamed(schedule, std::string(model::kCustomFamily), orders);
    if (const auto violations = schedule::findViolations(made, optionsOfPrediction(1)); !violations.empty())
        return refused(violations.front().cause);
    return made;
}

base::Result<std::string> writeSchedule(const Experiment &experiment, const Schedule &schedule, ScheduleFormat format,
                                        const std::filesystem::path &file)
{
    const auto text = fileText(experiment, schedule, format);
    if (!text)
        return text.error();
    if (const auto written = base::writeFile(file, *text); !written)
        return written.error();
    return format == ScheduleFormat::Text ? std::string() : exchange::torchOmission(schedule);
}

} // namespace stagelens::service
