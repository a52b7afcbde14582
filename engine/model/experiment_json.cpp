#include "engine/model/experiment_json.h"

#include "engine/base/file.h"
#include "engine/model/json_reader.h"
#include "engine/model/preset_json.h"
#include "engine/model/schema/field_json.h"
#include "engine/operators/optimizers/optimizer.h"

#include <fmt/format.h>

namespace stagelens::model {
namespace {

using base::Error;
using base::Result;

constexpr std::string_view kVersion = "experiment/2";
constexpr std::string_view kFirstVersion = "experiment/1"; ///< without the axes of a mesh: each is 1

/// Reads the schedule. A custom one defines family, devices and microbatches, unless the document gives them.
void readSchedule(ObjectReader &document, Experiment &experiment, base::Problems &problems)
{
    readFields(document, "schedule", experiment, problems);
    const Json *schedule = document.find("schedule");
    if (schedule == nullptr || !experiment.schedule.hasOwnOrder())
        return;
    experiment.parallel.devices = experiment.parallel.microbatches = 0;
    if (!schedule->contains("family"))
        experiment.schedule.family = kCustomFamily;
}

/// Reads the costs, which have one of three sources.
void readCost(ObjectReader &document, Experiment &experiment, base::Problems &problems)
{
    readFields(document, "cost", experiment, problems);
    const Json *cost = document.find("cost");
    const auto has = [cost](const char *source) { return cost != nullptr && cost->is_object() && cost->contains(source); };
    if (has("hardware") + has("uniform") + has("durations") > 1)
        problems.push_back({"cost", "names more than one source of costs; keep one of hardware, uniform and durations"});
}

/// Returns the problem of an unsupported version. Checked first, because other problems would then be misleading.
std::optional<base::Problem> versionProblem(const Json &document)
{
    const auto version = document.find("stagelens");
    if (version == document.end())
        return base::Problem{"stagelens", fmt::format("missing; an experiment begins with \"stagelens\": \"{}\"", kVersion)};
    if (*version == kVersion || *version == kFirstVersion)
        return std::nullopt;
    const std::string found =
        version->is_string() ? shown(version->get_ref<const std::string &>()) : std::string(typeName(*version));
    return base::Problem{
        "stagelens",
        fmt::format(
            "is `{}`, and this program reads `{}` and `{}` only; open it with the program that wrote it, or correct the word",
            found, kVersion, kFirstVersion)};
}

/// Returns the path of a file as stored in a document: relative to its folder if the file is below it, so that both can be
/// moved together; otherwise absolute.
std::string seenFrom(const std::filesystem::path &document, const std::filesystem::path &file)
{
    std::error_code error;
    const auto whole = std::filesystem::absolute(file, error).lexically_normal();
    const auto folder = std::filesystem::absolute(document, error).lexically_normal().parent_path();
    if (error)
        return file.string();
    const auto within = whole.lexically_relative(folder);
    return within.empty() || *within.begin() == ".." ? whole.string() : within.string();
}

/// Returns whether training data is a file or folder, and not the word "synthetic" or a resource of the program.
bool isFile(const std::filesystem::path &place, const std::string &data)
{
    static const std::string kWord = TrainingPlan().data; // synthetic
    std::error_code ignored;
    return !data.empty() && data != kWord && std::filesystem::exists(place, ignored);
}

/// Returns the names of the files that a plan needs.
std::vector<std::string *> filesOf(Experiment &experiment)
{
    std::vector<std::string *> names;
    if (!experiment.schedule.file.empty())
        names.push_back(&experiment.schedule.file);
    if (auto *durations = std::get_if<DurationsFile>(&experiment.cost.source))
        names.push_back(&durations->file);
    if (!experiment.whatIf.lengths.empty())
        names.push_back(&experiment.whatIf.lengths);
    return names;
}

} // namespace

Json toJson(const Experiment &experiment)
{
    Json document{{"stagelens", kVersion}, {"model", experiment.hasModel ? modelJson(experiment.model) : Json()}};
    for (const std::string_view section : {"parallel", "schedule", "cost", "training", "what_if"})
        addFields(document, experiment, section);
    return document;
}

Result<Experiment> experimentFromJson(std::string_view text, const std::string &source)
{
    const Result<Json> document = parseDocument(text, source);
    if (!document)
        return document.error();
    if (const auto problem = versionProblem(*document))
        return Error::invalid(base::Problems{*problem});

    Experiment experiment;
    base::Problems problems;
    ObjectReader reader(*document, "", problems);
    (void)reader.find("stagelens");
    readSchedule(reader, experiment, problems);
    readFields(reader, "parallel", experiment, problems);
    readCost(reader, experiment, problems);
    readFields(reader, "training", experiment, problems);
    followOptimizer(OptimizerChoice(), experiment.training.optimizer, [&](std::string_view key) {
        const auto at = Json::json_pointer(fmt::format("/training/optimizer/{}", key));
        return document->contains(at);
    });
    readFields(reader, "what_if", experiment, problems);
    const Json *model = reader.find("model");
    // The model of a teaching example is null, or absent with costs that need no model.
    experiment.hasModel = model != nullptr ? !model->is_null() : std::holds_alternative<HardwarePreset>(experiment.cost.source);
    if (model != nullptr && experiment.hasModel)
        readModel(*model, experiment.model, problems);
    reader.finish();
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return experiment;
}

Result<Experiment> loadExperiment(const std::filesystem::path &file)
{
    const Result<std::string> text = base::readFile(file, kLargestDocument);
    if (!text)
        return text.error();
    auto experiment = experimentFromJson(*text, file.string());
    if (!experiment)
        return experiment;
    const auto placed = [&file](const std::string &name) { return (file.parent_path() / name).lexically_normal().string(); };
    for (std::string *name : filesOf(*experiment))
        *name = placed(*name);
    if (std::string &data = experiment->training.data; isFile(placed(data), data))
        data = placed(data);
    return experiment;
}

Result<> saveExperiment(const Experiment &experiment, const std::filesystem::path &file)
{
    Experiment saved = experiment;
    for (std::string *name : filesOf(saved))
        *name = seenFrom(file, *name);
    if (std::string &data = saved.training.data; isFile(data, data))
        data = seenFrom(file, data);
    return base::writeFile(file, prettyJson(toJson(saved)) + '\n');
}

} // namespace stagelens::model
