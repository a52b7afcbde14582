// `plan`: the best division of a number of GPUs for a model.
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/search_watch.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/count.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/service/search/plan_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <tuple>

namespace stagelens::cli {

namespace {

using service::PlanAnswer;
using service::PlannedRun;
using Json = nlohmann::ordered_json;

constexpr double kSecondsOfDay = 86400;

/// What the person asks beside the experiment.
struct PlanWishes {
    int gpus = 1;
    std::string fixed;
    std::string objective = "time";
    std::string atMost = "5%";
    std::string tokens;
    int top = 10;
    bool json = false;
    bool csv = false;
};

/// Reads "devices=8,zero=1".
base::Problems readFixes(const std::string &text, std::map<std::string, std::int64_t> &fixed)
{
    base::Problems problems;
    for (const std::string_view word : text.empty() ? std::vector<std::string_view>() : base::split(text, ',')) {
        const std::size_t equals = word.find('=');
        const std::string name(base::trim(word.substr(0, equals)));
        const std::int64_t value =
            equals == std::string_view::npos ? -1 : base::parseCount(word.substr(equals + 1)).value_or(-1);
        const auto &names = service::planFixes();
        if (std::ranges::find(names, name) == names.end())
            problems.push_back({"--fix", fmt::format("has {}; choose from {}", base::quoted(name), base::join(names, ", "))});
        else if (value < (name == "zero" ? 0 : 1))
            problems.push_back({"--fix", fmt::format("gives {} no whole number; write it as {}=1", name, name)});
        else
            fixed[name] = value;
    }
    return problems;
}

/// Fixes the sizes that are given as options of their own.
void fixGiven(const model::Experiment &experiment, const ExperimentArguments &arguments,
              std::map<std::string, std::int64_t> &fixed, base::Problems &problems)
{
    const model::ParallelPlan &plan = experiment.parallel;
    const std::array<std::tuple<const char *, const char *, int>, 6> sizes{
        {{"--devices", "devices", plan.devices},
         {"--tensor", "tensor", plan.tensor},
         {"--context", "context", plan.context},
         {"--replicas", "replicas", plan.replicas},
         {"--microbatch-size", "microbatch_size", plan.microbatchSize},
         {"--zero", "zero", plan.zero}}};
    for (const auto &[option, name, value] : sizes) {
        if (!arguments.given.contains(option))
            continue;
        const auto [found, isNew] = fixed.emplace(name, value);
        if (!isNew && found->second != value)
            problems.push_back(
                {option, fmt::format("is {}, but --fix gives {}={}; leave one out", value, name, found->second)});
    }
}

/// Reads "5%" or "0.05".
std::optional<double> readShare(std::string_view text)
{
    const bool isPercent = text.ends_with('%');
    const auto value = base::parseNumber(isPercent ? text.substr(0, text.size() - 1) : text);
    if (!value || !(*value >= 0) || *value > 1e6)
        return std::nullopt;
    return isPercent ? *value / 100 : *value;
}

/// Returns the sequences of a step: as given, else about 4 million tokens, and one for each GPU at least.
std::int64_t globalBatchOf(const model::Experiment &experiment, const ExperimentArguments &arguments, int gpus)
{
    const bool isGiven =
        !arguments.file.empty() || arguments.given.contains("--global-batch") || arguments.given.contains("--microbatches");
    if (isGiven)
        return experiment.parallel.stepMicrobatches() * experiment.parallel.microbatchSize;
    constexpr std::int64_t kMostTokens = 4 << 20;
    std::int64_t batch = 1;
    while (2 * batch * experiment.model.sequence <= kMostTokens)
        batch *= 2;
    return (std::max<std::int64_t>(batch, gpus) + gpus - 1) / gpus * gpus;
}

/// Whether the hardware of the costs has a price.
bool hasPrice(const model::Experiment &experiment)
{
    const auto *choice = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    return choice != nullptr && choice->cluster && choice->cluster->pricePerDeviceHour > 0;
}

struct Cost {
    std::optional<double> days;
    std::optional<double> gpuHours;
    std::optional<double> money; ///< in the currency of the hardware
};

Cost costOf(const PlannedRun &run, std::optional<double> tokens, int gpus)
{
    const auto rate = run.prediction->metrics.tokensPerSecond;
    if (!tokens || !rate || *rate <= 0)
        return {};
    const double days = *tokens / *rate / kSecondsOfDay;
    const double hours = days * 24 * gpus;
    const model::Hardware *hardware = run.prediction->hardware.get();
    const double price = hardware != nullptr ? hardware->pricePerDeviceHour : 0;
    return {days, hours, price > 0 ? std::optional(hours * price) : std::nullopt};
}

double gapOf(const simulate::Metrics &metrics)
{
    return metrics.lowerBound && *metrics.lowerBound > 0
               ? static_cast<double>(metrics.makespan) / static_cast<double>(*metrics.lowerBound) - 1
               : 0;
}

base::Bytes peakOf(const simulate::Metrics &metrics)
{
    return metrics.peakMemory.empty() ? 0 : std::ranges::max(metrics.peakMemory);
}

std::string recomputeText(const model::ScheduleChoice &schedule)
{
    const model::Recompute recompute = schedule.recompute;
    if (schedule.recomputeLayers.size() == 1) // as given; a list is of one number of stages
        return std::to_string(schedule.recomputeLayers.front());
    return recompute == model::Recompute::Full ? "full" : recompute == model::Recompute::Selective ? "selective" : "none";
}

Json documentOf(const PlanAnswer &answer, const PlanWishes &wishes, std::int64_t batch, std::optional<double> tokens)
{
    Json plans = Json::array();
    for (const PlannedRun &run : answer.plans) {
        const simulate::Metrics &metrics = run.prediction->metrics;
        const Cost cost = costOf(run, tokens, wishes.gpus);
        const auto orNull = [](const auto &value) { return value ? Json(*value) : Json(nullptr); };
        plans.push_back({{"experiment", model::toJson(run.prediction->experiment)},
                         {"iteration_ns", metrics.iteration},
                         {"lower_bound_ns", orNull(metrics.lowerBound)},
                         {"above_lower_bound", gapOf(metrics)},
                         {"tokens_per_second", orNull(metrics.tokensPerSecond)},
                         {"mfu", orNull(metrics.mfu)},
                         {"bubble_ratio", metrics.bubbleRatio},
                         {"peak_memory_bytes", peakOf(metrics)},
                         {"headroom_bytes", orNull(run.headroom)},
                         {"days", orNull(cost.days)},
                         {"gpu_hours", orNull(cost.gpuHours)},
                         {"cost", orNull(cost.money)},
                         {"currency", cost.money ? Json(run.prediction->hardware->currency) : Json(nullptr)}});
    }
    Json shapes = Json::array();
    for (const service::PlannedShape &shape : answer.shapes) {
        const auto orNull = [](const auto &value) { return value ? Json(*value) : Json(nullptr); };
        shapes.push_back({{"experiment", model::toJson(shape.experiment)},
                          {"fits", shape.fits},
                          {"iteration_ns", shape.metrics ? Json(shape.metrics->iteration) : Json(nullptr)},
                          {"bubble_ratio", shape.metrics ? Json(shape.metrics->bubbleRatio) : Json(nullptr)},
                          {"memory_bytes", orNull(shape.memory)},
                          {"refusal", shape.refusal.empty() ? Json(nullptr) : Json(shape.refusal)}});
    }
    Json rejected = Json::array();
    for (const service::PlanRejection &each : answer.rejected)
        rejected.push_back({{"reason", each.reason}, {"count", each.count}});
    return {{"stagelens", "plan/1"},
            {"gpus", wishes.gpus},
            {"global_batch", batch},
            {"memory_limit_bytes", answer.limit ? Json(*answer.limit) : Json(nullptr)},
            {"plans_on_front", answer.onFront},
            {"plans", std::move(plans)},
            {"shapes", std::move(shapes)},
            {"why_second_lost", answer.whySecondLost},
            {"simulated", answer.tried},
            {"beaten_by_bounds", answer.beaten},
            {"rejected", std::move(rejected)},
            {"not_searched", answer.notSearched}};
}

/// The figures of a plan as cells, with the names of their columns.
std::vector<std::pair<std::string, std::string>> cellsOf(const PlannedRun &run, std::optional<double> tokens, int gpus,
                                                         bool isCsv)
{
    const model::Experiment &plan = run.prediction->experiment;
    const simulate::Metrics &metrics = run.prediction->metrics;
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const auto bytes = [&](base::Bytes value) { return isCsv ? number(value) : base::bytesText(value); };
    std::vector<std::pair<std::string, std::string>> cells{
        {"devices", number(plan.parallel.devices)},
        {"tensor", number(plan.parallel.tensor)},
        {"context", number(plan.parallel.context)},
        {"replicas", number(plan.parallel.replicas)},
        {isCsv ? "microbatches" : "m", number(plan.parallel.microbatches)},
        {isCsv ? "microbatch_size" : "b", number(plan.parallel.microbatchSize)},
        {"schedule", plan.schedule.family},
        {"chunks", number(model::stagesPerDevice(plan.schedule))},
        {"vocabulary", std::string(model::name(plan.schedule.vocabulary))},
        {"recompute", recomputeText(plan.schedule)},
        {isCsv ? "zero" : "ZeRO", number(plan.parallel.zero)},
        {isCsv ? "iteration_ns" : "iteration", isCsv ? number(metrics.iteration) : timeText(metrics.iteration)},
        {isCsv ? "above_lower_bound" : "above bound",
         isCsv ? fmt::format("{:g}", gapOf(metrics)) : percentText(gapOf(metrics))},
        {isCsv ? "tokens_per_second" : "tokens/s",
         isCsv ? fmt::format("{:g}", metrics.tokensPerSecond.value_or(0)) : countText(metrics.tokensPerSecond.value_or(0))},
        {isCsv ? "mfu" : "MFU", isCsv ? fmt::format("{:g}", metrics.mfu.value_or(0)) : percentText(metrics.mfu.value_or(0))},
        {isCsv ? "peak_memory_bytes" : "memory", bytes(peakOf(metrics))},
        {isCsv ? "headroom_bytes" : "headroom", run.headroom ? bytes(*run.headroom) : "-"}};
    if (const Cost cost = costOf(run, tokens, gpus); cost.days) {
        cells.emplace_back("days", base::fixedText(*cost.days, 2));
        cells.emplace_back(isCsv ? "gpu_hours" : "GPU-hours", base::fixedText(*cost.gpuHours, 0));
        if (cost.money)
            cells.emplace_back(isCsv ? "cost" : run.prediction->hardware->currency, base::fixedText(*cost.money, 0));
    }
    return cells;
}

void printCsv(const PlanAnswer &answer, std::optional<double> tokens, int gpus)
{
    bool isFirst = true;
    for (const PlannedRun &run : answer.plans) {
        std::vector<std::string> names;
        std::vector<std::string> values;
        for (auto &[name, value] : cellsOf(run, tokens, gpus, true)) {
            names.push_back(name);
            values.push_back(value);
        }
        if (std::exchange(isFirst, false))
            std::cout << base::join(names, ",") << '\n';
        std::cout << base::join(values, ",") << '\n';
    }
}

void printText(const PlanAnswer &answer, const PlanWishes &wishes, std::int64_t batch, std::optional<double> tokens)
{
    const model::Experiment &best = answer.plans.front().prediction->experiment;
    std::cout << fmt::format("{} ranks of {}, {} model, steps of {} sequences ({} tokens)", wishes.gpus,
                             answer.plans.front().prediction->costName, best.model.preset, batch,
                             countText(static_cast<double>(batch) * best.model.sequence));
    if (answer.limit)
        std::cout << ", at most " << base::bytesText(*answer.limit)
                  << (answer.isCapacity ? " a rank, the hardware's" : " a rank");
    std::cout << "\n\n";
    std::vector<std::string> header{""};
    for (const auto &[name, value] : cellsOf(answer.plans.front(), tokens, wishes.gpus, false))
        header.push_back(name);
    Table table(std::move(header));
    for (std::size_t i = 0; i < answer.plans.size(); ++i) {
        std::vector<std::string> row{i == 0 ? "*" : ""};
        for (auto &[name, value] : cellsOf(answer.plans[i], tokens, wishes.gpus, false))
            row.push_back(value);
        table.add(std::move(row));
    }
    table.print(std::cout);
    std::cout << "\n* is chosen; the others are faster or hold less, and no plan found is both.\n";
    if (answer.onFront > answer.plans.size())
        std::cout << fmt::format("{} of {} such plans; --top {} lists all, the last of which hold least.\n",
                                 answer.plans.size(), answer.onFront, answer.onFront);
    if (!answer.whySecondLost.empty())
        std::cout << "Second: " << answer.whySecondLost << ".\n";
    std::cout << answer.tried << " plans simulated, " << answer.beaten << " beaten by their bounds.";
    for (const service::PlanRejection &each : answer.rejected)
        std::cout << "\nLeft out: " << each.count << " with " << each.reason << '.';
    std::cout << '\n' << answer.notSearched << '\n';
}

int plan(const ExperimentArguments &arguments, const PlanWishes &wishes)
{
    const auto experiment = experimentOf(arguments);
    if (!experiment)
        return fail(experiment.error());
    service::PlanQuery query;
    query.experiment = *experiment;
    query.gpus = wishes.gpus;
    base::Problems problems = readFixes(wishes.fixed, query.fixed);
    if (const auto share = readShare(wishes.atMost))
        query.atMost = *share;
    else
        problems.push_back({"--at-most", fmt::format("is {}; give a share such as 5%", base::quoted(wishes.atMost))});
    std::optional<double> tokens;
    if (!wishes.tokens.empty())
        tokens = base::parseQuantity(wishes.tokens).value_or(0);
    if (tokens && !(*tokens > 0))
        problems.push_back({"--tokens", fmt::format("is {}; give a number such as 2e12 or 2T", base::quoted(wishes.tokens))});
    if (wishes.objective == "cost" && !hasPrice(*experiment))
        problems.push_back({"--objective", "is cost, but no hardware preset states a price, and all plans use all GPUs; choose "
                                           "time, which has the same answer, or memory; or give a cluster's file with "
                                           "price_per_device_hour"});
    fixGiven(*experiment, arguments, query.fixed, problems);
    if (!experiment->whatIf.lengths.empty())
        problems.push_back(
            {"--lengths", "is of the microbatches of one plan, and those of searched plans differ; leave it out"});
    if (!problems.empty())
        return fail(base::Error::invalid(std::move(problems)));
    query.objective = wishes.objective == "memory" ? service::Objective::Memory : service::Objective::Time;
    query.globalBatch = globalBatchOf(*experiment, arguments, wishes.gpus);
    query.keepsFamily = arguments.given.contains("--schedule") && experiment->schedule.family != model::kAutomaticFamily;
    query.keepsRecompute = arguments.given.contains("--recompute");
    model::Experiment searching = *experiment;
    searching.schedule.family = model::kAutomaticFamily;
    SearchWatch watch(searching);
    const auto answer = service::searchPlan(query, static_cast<std::size_t>(wishes.top), watch.options());
    if (!answer)
        return fail(underOptions(answer.error(), arguments));
    if (wishes.json)
        printJson(documentOf(*answer, wishes, query.globalBatch, tokens));
    else if (wishes.csv)
        printCsv(*answer, tokens, wishes.gpus);
    else
        printText(*answer, wishes, query.globalBatch, tokens);
    return kDone;
}

} // namespace

void addPlan(CLI::App &app, Action &chosen)
{
    CLI::App *command =
        app.add_subcommand("plan", "find how to divide GPUs into devices, tensor and context ranks and replicas for a model");
    const auto arguments = addExperimentArguments(*command);
    const auto wishes = std::make_shared<PlanWishes>();
    command->add_option("--gpus", wishes->gpus, "ranks of the cluster")
        ->required()
        ->transform(wholeNumberFrom(1))
        ->type_name("N");
    command->add_option("--fix", wishes->fixed, "values that are not searched, such as devices=8,zero=1")->type_name("LIST");
    command
        ->add_option("--objective", wishes->objective,
                     "time, cost, or memory: the least of those --at-most slower than the fastest (default time)")
        ->check(oneOf({"time", "memory", "cost"}))
        ->type_name("GOAL");
    command->add_option("--at-most", wishes->atMost, "how much slower than the fastest (with --objective memory; default 5%)")
        ->type_name("SHARE");
    command->add_option("--tokens", wishes->tokens, "tokens of the whole training: adds days and GPU-hours")->type_name("N");
    command->add_option("--top", wishes->top, "plans that are printed at most (default 10)")
        ->transform(wholeNumberFrom(1))
        ->type_name("N");
    auto *json = command->add_flag("--json", wishes->json, "print one JSON document");
    command->add_flag("--csv", wishes->csv, "print a table for other programs")->excludes(json);
    command->callback([=, &chosen] { chosen = [=] { return plan(*arguments, *wishes); }; });
}

} // namespace stagelens::cli
