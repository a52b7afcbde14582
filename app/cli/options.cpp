#include "app/cli/options.h"

#include "app/cli/front.h"
#include "app/cli/option_table.h"
#include "app/cli/search_watch.h"
#include "app/cli/usage.h"
#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace stagelens::cli {

namespace {

using base::concat;
using base::Problem;
using base::Problems;
using base::Result;
using model::Experiment;

bool given(const ExperimentArguments &arguments, const char *option)
{
    return arguments.given.contains(option);
}

/// 8h/3 rounded up to a multiple of 64 for llama, 4h for gpt.
int defaultFfn(const model::ModelConfig &model)
{
    const std::int64_t hidden = model.hidden;
    const std::int64_t width = model.family == model::ModelFamily::Llama ? ((8 * hidden + 2) / 3 + 63) / 64 * 64 : 4 * hidden;
    return static_cast<int>(std::clamp<std::int64_t>(width, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

/// Sizes that follow from others follow the new ones, unless the person or the preset chose them apart.
void followSizes(const model::ModelConfig &before, const ExperimentArguments &arguments, model::ModelConfig &model)
{
    if (!given(arguments, "--ffn") && before.ffn == defaultFfn(before))
        model.ffn = defaultFfn(model);
    if (!given(arguments, "--kv-heads") && before.kvHeads == before.heads)
        model.kvHeads = model.heads;
    if (!given(arguments, "--head-dim") &&
        (model.family != before.family || model.hidden != before.hidden || model.heads != before.heads))
        model.headDim.reset();
    if (model.preset == before.preset && model != before)
        model.preset = "custom";
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
        const bool ofModel = std::ranges::any_of(experimentOptions(), [&name = option](const Option &candidate) {
            return name == candidate.name && std::string_view(candidate.group) == "Model";
        });
        if (ofModel || option == "--tied" || option == "--untied")
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
    experiment.parallel.stageLayers.clear();
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
                            concat("is ", model::name(chosen), ", but ", model::customName(experiment.schedule),
                                   " has the passes of ", model::name(experiment.schedule.vocabulary), "; leave it out")});
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
        stored.parallel.stageLayers.clear();
    if (anyOf({"--devices"}))
        stored.training.mode.reset();
    return stored;
}

Problems applyOptions(const ExperimentArguments &arguments, Experiment &experiment)
{
    Problems problems;
    const auto apply = [&](const Option &option) {
        const auto found = arguments.given.find(option.name);
        if (found == arguments.given.end())
            return;
        // Of a text that is wrong nothing stays, so that nobody complains of it again.
        Experiment tried = experiment;
        if (Fault fault = option.apply(found->second, tried); fault.empty())
            experiment = std::move(tried);
        else
            problems.push_back({option.name, std::move(fault)});
    };
    // The model comes first: sizes that follow from others are compared with what it says.
    const std::span<const Option> options = experimentOptions();
    apply(options.front());
    const model::ModelConfig before = experiment.model;
    makeRoomForScheduleFile(arguments, experiment);
    std::ranges::for_each(options.subspan(1), apply);
    if (given(arguments, "--tied") || given(arguments, "--untied"))
        experiment.model.tied = given(arguments, "--tied");
    followSizes(before, arguments, experiment.model);

    if (const auto transport = arguments.given.find("--transport");
        transport != arguments.given.end() && transport->second != "in-process")
        problems.push_back(
            {"--transport",
             concat("`", transport->second,
                    "` is not available; choose in-process, or with `run` mpi or nccl (see `list transports`)")});
    if (given(arguments, "--hardware") + given(arguments, "--uniform") + given(arguments, "--durations") > 1)
        problems.push_back({"--hardware", "only one of --hardware, --uniform and --durations may be given; keep one"});
    if (given(arguments, "--schedule") && given(arguments, "--schedule-file"))
        problems.push_back({"--schedule", "contradicts --schedule-file, which is a schedule of its own; keep one"});
    if (given(arguments, "--tied") && given(arguments, "--untied"))
        problems.push_back({"--tied", "contradicts --untied; keep one"});
    return problems;
}

/// A problem under the option that caused it, if the person gave that option.
Problem underOption(Problem problem, const ExperimentArguments &arguments)
{
    if (problem.field == "schedule.text" && given(arguments, "--schedule-file")) // from standard input
        problem.field = "schedule.file";
    for (const Option &option : experimentOptions()) {
        const std::string_view field = option.field;
        const bool within = problem.field == field ||
                            (problem.field.starts_with(field) && problem.field[field.size()] == '.' && field != "model");
        if (within && given(arguments, option.name)) {
            problem.field = option.name + (problem.field == field ? "" : " " + problem.field.substr(field.size() + 1));
            return problem;
        }
    }
    return problem;
}

} // namespace

ExperimentArgumentsPtr addExperimentArguments(CLI::App &command, const std::string &positional, const std::string &meaning)
{
    auto arguments = std::make_shared<ExperimentArguments>();
    command.add_option(positional, arguments->file, meaning)->check(notEmpty());
    const auto add = [&](const char *name, const char *placeholder, const char *group, const std::string &help) {
        command
            .add_option_function<std::string>(
                name, [arguments, name](const std::string &text) { arguments->given[name] = text; }, help)
            ->type_name(placeholder)
            ->group(group);
    };
    for (const Option &option : experimentOptions())
        add(option.name, option.placeholder, option.group, option.help);
    add("--transport", "HOW", "Training", "in-process; `run` takes others too");
    const auto addFlag = [&](const char *name, const char *help) {
        command
            .add_flag_callback(
                name, [arguments, name] { arguments->given[name]; }, help)
            ->group("Model");
    };
    addFlag("--tied", "input embedding and output projection share one matrix");
    addFlag("--untied", "they are two matrices");
    return arguments;
}

Result<Experiment> experimentOf(const ExperimentArguments &arguments)
{
    Experiment experiment = arguments.stored ? replanned(*arguments.stored, arguments) : Experiment();
    if (!arguments.file.empty()) {
        Result<Experiment> loaded = readDocument(arguments.file);
        if (!loaded)
            return base::Error::invalid(loaded.error().problems);
        experiment = *std::move(loaded);
    }
    Problems problems = applyOptions(arguments, experiment);
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
    return experiment;
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
            "--db", concat("there is no file ", file, "; check the name, or store a run in it with `run --db`"));
    return {};
}

} // namespace stagelens::cli
