#include "app/cli/options.h"

#include "app/cli/front.h"
#include "app/cli/option_table.h"
#include "app/cli/search_watch.h"
#include "app/cli/usage.h"
#include "engine/base/count.h"
#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/schedule/families.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/search/recompute_advice.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string_view>

namespace stagelens::cli {

namespace {

using base::Problem;
using base::Problems;
using base::Result;
using model::Experiment;

constexpr const char *kGlobalBatch = "--global-batch";

bool given(const ExperimentArguments &arguments, const char *option)
{
    return arguments.given.contains(option);
}

/// Tells costs without a model (a teaching example: one layer a stage) from a plan with one.
void decideModel(const ExperimentArguments &arguments, Experiment &experiment)
{
    const bool named = given(arguments, "--model") || given(arguments, "--layers");
    const bool inFile = (!arguments.file.empty() || arguments.stored) && experiment.hasModel;
    experiment.hasModel = named || inFile || std::holds_alternative<model::HardwarePreset>(experiment.cost.source);
    if (experiment.hasModel)
        return;
    for (const auto &[option, text] : arguments.given) {
        const model::Field *field = model::findField(option);
        if (option == "--untied" || (field != nullptr && field->path.starts_with("model.")))
            base::log(base::LogLevel::Warning,
                      option + ": has no effect with given durations and no model; name --model or --layers");
    }
}

/// A schedule's file that is given as an option brings its own plan: what the experiment's file or the defaults say about it
/// was meant for another schedule.
void makeRoomForScheduleFile(const ExperimentArguments &arguments, Experiment &experiment)
{
    if (!given(arguments, "--schedule-file"))
        return;
    experiment.parallel.devices = 0;
    experiment.parallel.microbatches = 0;
    model::followStages(experiment);
    experiment.schedule.vocabulary = model::VocabularyMethod::None;
}

/// The experiment completed by its schedule's file, or problems.
void followScheduleFile(const ExperimentArguments &arguments, Experiment &experiment, Problems &problems)
{
    const model::VocabularyMethod chosen = experiment.schedule.vocabulary;
    auto followed = service::followed(experiment);
    if (!followed) {
        problems = followed.error().problems;
        return;
    }
    experiment = *std::move(followed);
    if (given(arguments, "--vocabulary") && experiment.schedule.vocabulary != chosen)
        problems.push_back({"schedule.vocabulary",
                            fmt::format("is {}, but {} has the passes of {}; leave it out", model::name(chosen),
                                        model::customName(experiment.schedule), model::name(experiment.schedule.vocabulary))});
}

/// An experiment's file, or with `-` standard input.
Result<Experiment> readDocument(const std::string &file)
{
    if (file != "-")
        return model::loadExperiment(file);
    const auto text = base::readStandardInput(model::kLargestDocument);
    return text ? model::experimentFromJson(*text, "standard input") : Result<Experiment>(text.error());
}

/// A stored experiment is resolved: what followed from an option that is given now follows from the new one.
Experiment replanned(Experiment stored, const ExperimentArguments &arguments)
{
    const auto anyOf = [&](std::initializer_list<const char *> options) {
        return std::ranges::any_of(options, [&](const char *option) { return given(arguments, option); });
    };
    if (anyOf({"--devices", "--schedule", "--schedule-file", "--vocabulary", "--chunks", "--waves"}))
        model::followStages(stored);
    if (anyOf({"--devices"}))
        stored.training.mode.reset();
    return stored;
}

Problems applyOptions(const ExperimentArguments &arguments, Experiment &experiment)
{
    Problems problems;
    const auto apply = [&](const model::Field &field) {
        const auto found = arguments.given.find(std::string(field.option));
        if (field.option.empty() || found == arguments.given.end())
            return;
        if (field.path == "cost.hardware") {
            base::Problems faults = applyHardware(found->second, experiment);
            std::ranges::move(faults, std::back_inserter(problems));
            return;
        }
        // Of a text that is wrong nothing stays, so that nobody complains of it again.
        Experiment tried = experiment;
        const bool isFlag = field.kind == model::Field::Kind::Flag;
        if (Fault fault = applyOption(field, isFlag ? "true" : found->second, tried); fault.empty())
            experiment = std::move(tried);
        else
            problems.push_back({std::string(field.option), std::move(fault)});
    };
    // The model comes first: sizes that follow from others are compared with what it says.
    const std::span<const model::Field> fields = model::schema();
    apply(fields.front());
    const model::ModelConfig before = experiment.model;
    const model::OptimizerChoice optimizer = experiment.training.optimizer;
    makeRoomForScheduleFile(arguments, experiment);
    std::ranges::for_each(fields.subspan(1), apply);
    for (const model::Field &field : fields) {
        if (field.kind != model::Field::Kind::Flag || !arguments.given.contains(std::string(field.placeholder)))
            continue;
        (void)field.assign(experiment, false);
        if (arguments.given.contains(std::string(field.option)))
            problems.push_back({std::string(field.option), fmt::format("contradicts {}; keep one", field.placeholder)});
    }
    model::followModel(before, experiment.model, [&](std::string_view path) {
        return arguments.given.contains(std::string(model::schemaField(path).option));
    });
    operators::followOptimizer(optimizer, experiment.training.optimizer, [&](std::string_view key) {
        return arguments.given.contains(
            std::string(model::schemaField(fmt::format("{}{}", model::kOptimizerPath, key)).option));
    });

    if (const auto transport = arguments.given.find("--transport");
        transport != arguments.given.end() && transport->second != "in-process")
        problems.push_back(
            {"--transport",
             fmt::format("`{}` is not available; choose in-process, or with `run` mpi or nccl (see `list transports`)",
                         transport->second)});
    if (given(arguments, "--hardware") + given(arguments, "--uniform") + given(arguments, "--durations") > 1)
        problems.push_back({"--hardware", "only one of --hardware, --uniform and --durations may be given; keep one"});
    if (given(arguments, "--schedule") && given(arguments, "--schedule-file"))
        problems.push_back({"--schedule", "contradicts --schedule-file, which is a schedule of its own; keep one"});
    return problems;
}

/// Replaces the microbatches by those that make a step of --global-batch sequences: B / (d b).
void applyGlobalBatch(const ExperimentArguments &arguments, Experiment &experiment, Problems &problems)
{
    const auto found = arguments.given.find(kGlobalBatch);
    if (found == arguments.given.end())
        return;
    const auto refuse = [&problems](std::string message) { problems.push_back({kGlobalBatch, std::move(message)}); };
    if (given(arguments, "--microbatches"))
        return refuse("contradicts --microbatches, which follow from it; keep one");
    const auto batch = base::parseCount(found->second);
    if (!batch || *batch < 1)
        return refuse(fmt::format("is `{}`; give the sequences of a step, 1 or more", found->second));
    model::ParallelPlan &plan = experiment.parallel;
    const std::int64_t each = std::int64_t{std::max(plan.replicas, 1)} * std::max(plan.microbatchSize, 1);
    if (*batch % each == 0 && *batch / each <= std::numeric_limits<int>::max()) {
        plan.microbatches = static_cast<int>(*batch / each);
        return;
    }
    const std::int64_t below = *batch / each * each;
    const std::int64_t nearest = below == 0 || *batch - below > each / 2 ? below + each : below;
    refuse(fmt::format("is {}, which {} replicas with microbatches of {} sequences do not divide; give {}", *batch,
                       plan.replicas, plan.microbatchSize, nearest));
}

/// A problem under the option that caused it, if the person gave that option.
Problem underOption(Problem problem, const ExperimentArguments &arguments)
{
    if (problem.field == "schedule.text" && given(arguments, "--schedule-file")) // from standard input
        problem.field = "schedule.file";
    if (problem.field == "schedule.recompute_layers" && given(arguments, "--recompute")) // which takes layers too
        problem.field = "schedule.recompute";
    for (const model::Field &field : model::schema()) {
        const bool within = problem.field == field.path ||
                            (problem.field.starts_with(field.path) && problem.field[field.path.size()] == '.') ||
                            (problem.field == "model" && field.path == "model.preset");
        if (within && arguments.given.contains(std::string(field.option))) {
            const bool isInner = problem.field.size() > field.path.size();
            problem.field = std::string(field.option) + (isInner ? ' ' + problem.field.substr(field.path.size() + 1) : "");
            return problem;
        }
    }
    return problem;
}

/// Returns the names of an option, as CLI11 reads them.
std::string namesOf(std::string_view option)
{
    return option == "--dtype" ? "--dtype,--precision" : std::string(option);
}

} // namespace

ExperimentArgumentsPtr addExperimentArguments(CLI::App &command, const std::string &positional, const std::string &meaning)
{
    auto arguments = std::make_shared<ExperimentArguments>();
    command.add_option(positional, arguments->file, meaning)->check(notEmpty());
    const auto add = [&](std::string_view name, std::string_view placeholder, const std::string &group,
                         const std::string &help) {
        command
            .add_option_function<std::string>(
                namesOf(name),
                [arguments, name = std::string(name)](const std::string &text) { arguments->given[name] = text; }, help)
            ->type_name(std::string(placeholder))
            ->group(group);
    };
    const auto addFlag = [&](std::string_view name, const std::string &group, const std::string &help) {
        command
            .add_flag_callback(
                std::string(name), [arguments, name = std::string(name)] { arguments->given[name]; }, help)
            ->group(group);
    };
    for (const model::Field &field : model::schema()) {
        std::string group(field.path.substr(0, field.path.find('.')));
        group[0] = static_cast<char>(std::toupper(group[0]));
        if (field.option.empty())
            continue;
        if (field.kind != model::Field::Kind::Flag) {
            add(field.option, field.placeholder, group, std::string(field.help));
            continue;
        }
        addFlag(field.option, group, std::string(field.help));
        addFlag(field.placeholder, group, fmt::format("the opposite of {}", field.option));
    }
    add(kGlobalBatch, "B", "Parallel", "sequences of a step in all replicas: sets --microbatches");
    add("--transport", "HOW", "Training", "in-process; `run` takes others too");
    return arguments;
}

namespace {

/// The plan whose layers --recompute auto chooses; a line on stderr says which.
Result<Experiment> withAutomaticRecomputation(const Experiment &experiment, const ExperimentArguments &arguments)
{
    auto least = service::withLeastRecomputation(experiment, service::machineCores());
    if (!least)
        return underOptions(least.error(), arguments);
    std::vector<std::string> layers;
    for (const int count : least->schedule.recomputeLayers)
        layers.push_back(std::to_string(count));
    base::log(base::LogLevel::Info, "auto: recomputes " + (layers.empty() ? std::string("nothing") : base::join(layers, "/")));
    return least;
}

} // namespace

Result<Experiment> experimentOf(const ExperimentArguments &all)
{
    ExperimentArguments arguments = all;
    const auto wish = arguments.given.find("--recompute");
    const bool isAutomatic = wish != arguments.given.end() && wish->second == "auto";
    if (isAutomatic)
        wish->second = "none";
    Experiment experiment = arguments.stored ? replanned(*arguments.stored, arguments) : Experiment();
    if (!arguments.file.empty()) {
        Result<Experiment> loaded = readDocument(arguments.file);
        if (!loaded)
            return base::Error::invalid(loaded.error().problems);
        experiment = *std::move(loaded);
    }
    Problems problems = applyOptions(arguments, experiment);
    applyGlobalBatch(arguments, experiment, problems);
    decideModel(arguments, experiment);
    const bool isCustom = experiment.schedule.hasOwnOrder() || given(arguments, "--schedule-file");
    if (isCustom && problems.empty())
        followScheduleFile(arguments, experiment, problems);
    if (isCustom && !problems.empty())
        return underOptions(base::Error::invalid(std::move(problems)), arguments);
    for (Problem &problem : model::validate(experiment))
        problems.push_back(underOption(std::move(problem), arguments));
    const std::string &chosen = experiment.schedule.family;
    if (!isCustom && !chosen.empty() && schedule::findFamily(chosen) == nullptr && chosen != model::kAutomaticFamily) {
        std::vector<std::string> names;
        for (const schedule::Family &family : schedule::families())
            names.emplace_back(family.name);
        names.emplace_back(model::kAutomaticFamily);
        problems.push_back(underOption({"schedule.family", model::unknownWord(chosen, names)}, arguments));
    }
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    return isAutomatic ? withAutomaticRecomputation(experiment, arguments) : Result<Experiment>(std::move(experiment));
}

base::Error underOptions(base::Error error, const ExperimentArguments &arguments)
{
    for (Problem &problem : error.problems)
        problem = underOption(std::move(problem), arguments);
    return error;
}

Result<Experiment> chosenExperimentOf(const ExperimentArguments &arguments, service::Purpose purpose)
{
    const auto experiment = experimentOf(arguments);
    if (!experiment)
        return experiment.error();
    SearchWatch watch(*experiment);
    auto chosen = service::withChosenSchedule(*experiment, purpose, watch.options());
    if (!chosen)
        return underOptions(chosen.error(), arguments);
    if (chosen->search)
        base::log(base::LogLevel::Info, "auto: " + choiceText(chosen->experiment.schedule));
    return std::move(chosen->experiment);
}

Result<service::PredictionPtr> predictionOf(const ExperimentArguments &arguments)
{
    const auto experiment = experimentOf(arguments);
    if (!experiment)
        return experiment.error();
    SearchWatch watch(*experiment);
    auto prediction = service::predict(*experiment, service::machineCores(), watch.options());
    if (!prediction)
        return underOptions(prediction.error(), arguments);
    return prediction;
}

std::shared_ptr<std::string> addDatabaseOption(CLI::App &command)
{
    auto file = std::make_shared<std::string>();
    command.add_option("--db", *file, "run database (default: in your data folder)")->type_name("FILE")->check(notEmpty());
    // The option holds a reference into the string; the command's callback keeps the pointer alive.
    return file;
}

Result<> requireDatabase(const std::string &file)
{
    std::error_code error;
    if (!file.empty() && !std::filesystem::exists(file, error))
        return base::Error::invalid(
            "--db", fmt::format("there is no file {}; check the name, or store a run in it with `run --db`", file));
    return {};
}

} // namespace stagelens::cli
