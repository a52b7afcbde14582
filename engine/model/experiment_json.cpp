#include "engine/model/experiment_json.h"

#include "engine/base/file.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"
#include "engine/model/preset_json.h"
#include "engine/model/presets.h"

namespace stagelens::model {
namespace {

using base::concat;
using base::Error;
using base::Result;

constexpr std::string_view kVersion = "experiment/1";

Json optimizerJson(const OptimizerChoice &optimizer)
{
    return {{"name", optimizer.name},
            {"lr", optimizer.learningRate},
            {"betas", {optimizer.beta1, optimizer.beta2}},
            {"weight_decay", optimizer.weightDecay},
            {"clip", optimizer.clip ? Json(*optimizer.clip) : Json()}};
}

Json costJson(const CostChoice &cost)
{
    Json json = Json::object();
    if (const auto *hardware = std::get_if<HardwarePreset>(&cost.source))
        json["hardware"] = hardware->name;
    else if (const auto *uniform = std::get_if<UniformCosts>(&cost.source)) {
        json["uniform"] = uniform->milliseconds;
        if (uniform->per == UniformPer::Device)
            json["per"] = name(uniform->per);
    } else
        json["durations"] = std::get<DurationsFile>(cost.source).file;
    if (cost.collectives == Collectives::Blocking)
        json["collectives"] = name(cost.collectives);
    return json;
}

/// What only some families have stands in the document where it was given.
Json scheduleJson(const ScheduleChoice &schedule)
{
    Json json = {{"family", schedule.family}};
    if (!schedule.file.empty())
        json["file"] = schedule.file;
    if (!schedule.text.empty())
        json["text"] = schedule.text;
    json["vocabulary"] = name(schedule.vocabulary);
    json["vocabulary_order"] = name(schedule.vocabularyOrder);
    json["chunks"] = schedule.chunks ? Json(*schedule.chunks) : Json();
    if (schedule.groupSize)
        json["group_size"] = *schedule.groupSize;
    if (schedule.waves)
        json["waves"] = *schedule.waves;
    if (schedule.memoryLimit)
        json["memory_limit"] = *schedule.memoryLimit;
    json["recompute"] = name(schedule.recompute);
    return json;
}

void readParallel(const Json &json, ParallelPlan &plan, base::Problems &problems)
{
    ObjectReader reader(json, "parallel", problems);
    reader.read("devices", plan.devices);
    reader.read("microbatches", plan.microbatches);
    reader.read("microbatch_size", plan.microbatchSize);
    if (const Json *cut = reader.find("stage_layers"); cut != nullptr && !cut->is_null())
        reader.read("stage_layers", plan.stageLayers);
    reader.finish();
}

void readSchedule(const Json &json, ScheduleChoice &schedule, base::Problems &problems)
{
    ObjectReader reader(json, "schedule", problems);
    reader.read("file", schedule.file);
    reader.read("text", schedule.text);
    if (schedule.hasOwnOrder())
        schedule.family = kCustomFamily;
    reader.read("family", schedule.family);
    reader.read("vocabulary", schedule.vocabulary);
    reader.read("vocabulary_order", schedule.vocabularyOrder);
    reader.read("chunks", schedule.chunks);
    reader.read("group_size", schedule.groupSize);
    reader.read("waves", schedule.waves);
    reader.read("memory_limit", schedule.memoryLimit);
    reader.read("recompute", schedule.recompute);
    reader.finish();
}

void readCost(const Json &json, CostChoice &cost, base::Problems &problems)
{
    ObjectReader reader(json, "cost", problems);
    int sources = 0;
    if (reader.find("hardware") != nullptr) {
        ++sources;
        reader.read("hardware", cost.source.emplace<HardwarePreset>().name);
    }
    if (const Json *uniform = reader.find("uniform")) {
        ++sources;
        auto &costs = cost.source.emplace<UniformCosts>();
        ObjectReader(*uniform, "cost.uniform", problems).readAll(costs.milliseconds);
        reader.read("per", costs.per);
    } else if (reader.find("per") != nullptr) {
        problems.push_back({"cost.per", "is of uniform costs, and there are none; leave it out"});
    }
    if (reader.find("durations") != nullptr) {
        ++sources;
        reader.read("durations", cost.source.emplace<DurationsFile>().file);
    }
    if (sources > 1)
        problems.push_back({"cost", "names more than one source of costs; keep one of hardware, uniform and durations"});
    reader.read("collectives", cost.collectives);
    reader.finish();
}

void readTraining(const Json &json, TrainingPlan &training, base::Problems &problems)
{
    ObjectReader reader(json, "training", problems);
    reader.read("backend", training.backend);
    reader.read("mode", training.mode);
    reader.read("steps", training.steps);
    reader.read("seed", training.seed);
    reader.read("data", training.data);
    if (const Json *member = reader.find("optimizer")) {
        OptimizerChoice &optimizer = training.optimizer;
        ObjectReader inner(*member, "training.optimizer", problems);
        inner.read("name", optimizer.name);
        inner.read("lr", optimizer.learningRate);
        std::vector<double> betas{optimizer.beta1, optimizer.beta2};
        inner.read("betas", betas);
        if (betas.size() == 2) {
            optimizer.beta1 = betas[0];
            optimizer.beta2 = betas[1];
        } else {
            inner.problem("betas", concat("has ", betas.size(), " numbers; give two, such as [0.9, 0.95]"));
        }
        inner.read("weight_decay", optimizer.weightDecay);
        inner.read("clip", optimizer.clip);
        inner.finish();
    }
    reader.finish();
}

/// The version comes first: a document of another one would only give misleading problems.
std::optional<base::Problem> versionProblem(const Json &document)
{
    const auto version = document.find("stagelens");
    if (version == document.end())
        return base::Problem{"stagelens", concat("missing; an experiment begins with \"stagelens\": \"", kVersion, "\"")};
    if (*version == kVersion)
        return std::nullopt;
    const std::string found =
        version->is_string() ? shown(version->get_ref<const std::string &>()) : std::string(typeName(*version));
    return base::Problem{"stagelens", concat("is `", found, "`, and this program reads `", kVersion,
                                             "` only; open it with the program that wrote it, or correct the word")};
}

/// A member a line, lists on one line, so that people can read and compare documents.
std::string pretty(const Json &json, std::size_t depth)
{
    const auto compact = [](const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
    if (!json.is_object() || json.empty())
        return compact(json);
    std::vector<std::string> lines;
    for (const auto &[key, value] : json.items())
        lines.push_back(std::string(2 * depth + 2, ' ') + compact(key) + ": " + pretty(value, depth + 1));
    return "{\n" + base::join(lines, ",\n") + '\n' + std::string(2 * depth, ' ') + '}';
}

/// How a document names another file: from its own folder where the file lies in it, so that both can move, else in full.
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

/// Whether training data is that file or folder, and not the word or one of the program's resources.
bool isFile(const std::filesystem::path &place, const std::string &data)
{
    static const std::string kWord = TrainingPlan().data; // synthetic
    std::error_code ignored;
    return !data.empty() && data != kWord && std::filesystem::exists(place, ignored);
}

/// The names of the files that a plan needs.
std::vector<std::string *> filesOf(Experiment &experiment)
{
    std::vector<std::string *> names;
    if (!experiment.schedule.file.empty())
        names.push_back(&experiment.schedule.file);
    if (auto *durations = std::get_if<DurationsFile>(&experiment.cost.source))
        names.push_back(&durations->file);
    return names;
}

} // namespace

Json toJson(const Experiment &experiment)
{
    const ParallelPlan &plan = experiment.parallel;
    const TrainingPlan &training = experiment.training;
    return {{"stagelens", kVersion},
            {"model", experiment.hasModel ? modelJson(experiment.model) : Json()},
            {"parallel",
             {{"devices", plan.devices},
              {"microbatches", plan.microbatches},
              {"microbatch_size", plan.microbatchSize},
              {"stage_layers", plan.stageLayers.empty() ? Json() : Json(plan.stageLayers)}}},
            {"schedule", scheduleJson(experiment.schedule)},
            {"cost", costJson(experiment.cost)},
            {"training",
             {{"backend", training.backend},
              {"mode", training.mode ? Json(name(*training.mode)) : Json()},
              {"steps", training.steps},
              {"seed", training.seed},
              {"data", training.data},
              {"optimizer", optimizerJson(training.optimizer)}}}};
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
    if (const Json *schedule = reader.find("schedule"))
        readSchedule(*schedule, experiment.schedule, problems);
    if (experiment.schedule.hasOwnOrder())
        experiment.parallel.devices = experiment.parallel.microbatches =
            0; // those of the custom schedule, unless the document says
    if (const Json *parallel = reader.find("parallel"))
        readParallel(*parallel, experiment.parallel, problems);
    if (const Json *cost = reader.find("cost"))
        readCost(*cost, experiment.cost, problems);
    if (const Json *training = reader.find("training"))
        readTraining(*training, experiment.training, problems);
    const Json *model = reader.find("model");
    // A teaching example says null, or says nothing and has costs that need no model.
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
    return base::writeFile(file, pretty(toJson(saved), 0) + '\n');
}

} // namespace stagelens::model
