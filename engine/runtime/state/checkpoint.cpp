#include "engine/runtime/state/checkpoint.h"

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/sync_folder.h"
#include "engine/base/text.h"
#include "engine/exchange/safetensors.h"
#include "engine/model/experiment_json.h"
#include "engine/model/json_reader.h"
#include "engine/schedule/families.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <system_error>

namespace stagelens::runtime {
namespace {

namespace fs = std::filesystem;
using base::concat;
using base::Error;
using base::Result;
using model::Json;

/// The folder of a run contains step-<n>, or part-<n> while that is being written.
constexpr std::string_view kWhole = "step-";
constexpr std::string_view kPart = "part-";
constexpr const char *kDescription = "checkpoint.json";
constexpr std::string_view kVersion = "checkpoint/2";
constexpr std::string_view kVersionWithoutChecksums = "checkpoint/1";
constexpr std::string_view kOptimizer = "training.optimizer.name"; ///< the field

/// A tensor file. Checksums are stored by its name, so that swapped files are detected.
struct Part {
    std::string file;
    ParameterPart buffer;
    operators::StateTensor range = {};
};

/// Returns the parts of every checkpoint of an experiment.
std::vector<Part> partsOf(const model::Experiment &experiment)
{
    std::vector<Part> parts{{"parameters.safetensors", &Parameter::value}};
    for (const operators::StateTensor &tensor : optimizerOf(experiment.training.optimizer).state)
        parts.push_back({concat(tensor.name, ".safetensors"), ParameterPart::state(parts.size() - 1), tensor});
    return parts;
}
/// Returns the part that PipeDream-2BW has besides.
Part previousPart()
{
    return {"previous-parameters.safetensors", &Parameter::previous};
}

/// Returns n of "<prefix>n", or nothing.
std::optional<std::int64_t> numberOf(const fs::path &place, std::string_view prefix)
{
    const std::string name = place.filename().string();
    return name.starts_with(prefix) ? base::parseInteger(std::string_view(name).substr(prefix.size())) : std::nullopt;
}

/// Returns the step numbers of the complete checkpoints in a folder, newest first.
std::vector<std::int64_t> wholeCheckpoints(const fs::path &runFolder)
{
    std::error_code error;
    std::vector<std::int64_t> numbers;
    for (fs::directory_iterator each(runFolder, error); !error && each != fs::directory_iterator(); each.increment(error))
        if (const auto number = numberOf(each->path(), kWhole))
            numbers.push_back(*number);
    std::ranges::sort(numbers, std::greater<>());
    return numbers;
}

/// Removes all checkpoints in the folder, complete or not, except that of step `newest` and the complete one before it.
void removeOthers(const fs::path &runFolder, std::int64_t newest)
{
    const std::vector<std::int64_t> numbers = wholeCheckpoints(runFolder);
    const auto former = std::ranges::find_if(numbers, [&](std::int64_t number) { return number < newest; });
    const auto isKept = [&](std::int64_t number) { return number == newest || (former != numbers.end() && number == *former); };
    std::error_code ignored;
    std::vector<fs::path> others;
    for (fs::directory_iterator each(runFolder, ignored); !ignored && each != fs::directory_iterator();
         each.increment(ignored)) {
        const auto whole = numberOf(each->path(), kWhole);
        if (whole ? !isKept(*whole) : numberOf(each->path(), kPart).has_value())
            others.push_back(each->path());
    }
    for (const fs::path &other : others)
        fs::remove_all(other, ignored);
}

/// Returns the shape of a part of a parameter in a file; empty if the parameter does not have it.
std::vector<std::int64_t> shapeOf(const ParameterInfo &info, const Part &part)
{
    using Extent = operators::StateTensor::Extent;
    if (!part.range.isOf(info.kind()))
        return {};
    switch (part.range.extent) {
    case Extent::Element: break;
    case Extent::Row: return {info.rows};
    case Extent::Column: return {info.columns};
    case Extent::Block: return {info.rows, part.range.numbers(info.columns, info.columns)};
    }
    return {info.rows, info.columns};
}

bool isDoubleBuffered(const RunPlan &plan)
{
    return plan.schedule.weightUpdate() == schedule::WeightUpdate::DoubleBuffered;
}

bool isCode(const Part &part)
{
    return part.range.format == operators::StateTensor::Format::Code;
}

/// Returns why values are invalid for a part, or an empty string.
std::string rangeProblem(const Part &part, std::span<const float> values)
{
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
        return "has a value that is not finite";
    const bool isSound = !part.range.isNeverNegative || std::ranges::all_of(values, [](float value) { return value >= 0; });
    return isSound ? std::string() : concat("has a negative value, and ", part.range.why);
}

/// Writes the file and returns its checksum.
Result<std::string> writePart(const Part &part, const fs::path &folder, const Session &session, const std::stop_token &stop)
{
    const RunPlan &plan = session.plan();
    const Tensors tensors = session.tensors(part.buffer);
    std::vector<exchange::TensorView> views;
    std::deque<std::vector<std::uint8_t>> codes; // of the views
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (const std::string problem = rangeProblem(part, tensors[i]); !problem.empty())
            return Error::failed(concat(plan.parameters[i].name, ' ', problem,
                                        "; lower the learning rate or limit the "
                                        "gradient's norm with clip"),
                                 part.file);
        auto shape = shapeOf(plan.parameters[i], part);
        if (shape.empty())
            continue;
        views.push_back({plan.parameters[i].name, std::move(shape)});
        if (isCode(part))
            views.back().values = std::span<const std::uint8_t>(codes.emplace_back(tensors[i].begin(), tensors[i].end()));
        else
            views.back().values = std::span<const float>(tensors[i]);
    }
    base::Xxh64 hash;
    if (auto written = exchange::writeSafetensors(folder / part.file, views, stop, &hash); !written)
        return written.error();
    return hash.text();
}

// The text of a description begins with its own checksum.
constexpr std::string_view kChecksumBegin = R"({"checksum":")";
constexpr std::string_view kChecksumEnd = "\",";

std::string protectedText(const Json &description)
{
    const std::string rest = description.dump(-1, ' ', false, Json::error_handler_t::replace).substr(1) + '\n';
    return concat(kChecksumBegin, base::hashText(rest), kChecksumEnd, rest);
}

/// Returns whether the text begins with a matching checksum.
bool isProtected(std::string_view text)
{
    const std::size_t digits = base::hashText({}).size();
    const std::size_t begin = kChecksumBegin.size() + digits + kChecksumEnd.size();
    return text.size() > begin && text.starts_with(kChecksumBegin) &&
           text.substr(kChecksumBegin.size() + digits).starts_with(kChecksumEnd) &&
           text.substr(kChecksumBegin.size(), digits) == base::hashText(text.substr(begin));
}

Result<> writeParts(const fs::path &folder, const Session &session, const std::vector<double> &losses,
                    const std::stop_token &stop)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return Error::failed(concat("cannot be created: ", error.message(), "; free disk space or choose another folder"),
                             folder.string());
    std::vector<Part> parts = partsOf(session.plan().experiment);
    if (isDoubleBuffered(session.plan()))
        parts.push_back(previousPart());
    Json checksums = Json::object();
    for (const Part &part : parts) {
        const auto written = writePart(part, folder, session, stop);
        if (!written)
            return written.error();
        checksums[part.file] = *written;
    }
    const Json description{{"stagelens", kVersion}, {"steps", losses.size()},
                           {"losses", losses},      {"updates", session.updates()},
                           {"parts", checksums},    {"experiment", model::toJson(session.plan().experiment)}};
    return base::writeFile(folder / kDescription, protectedText(description));
}

/// Reads the tensors of a part; fails unless the checksum matches and the values are valid.
Result<Tensors> readPart(const Part &part, const Checkpoint &checkpoint, const std::vector<ParameterInfo> &parameters)
{
    const fs::path path = checkpoint.folder / part.file;
    const auto file = exchange::SafetensorsFile::read(path);
    if (!file)
        return file.error();
    if (const auto known = checkpoint.checksums.find(part.file);
        known != checkpoint.checksums.end() && known->second != file->hash())
        return Error::invalid(path.string(), "does not have the checksum that was stored with the checkpoint: it was changed "
                                             "or replaced; copy it again or restart the run");
    Tensors tensors;
    for (const ParameterInfo &info : parameters) {
        const std::vector<std::int64_t> shape = shapeOf(info, part);
        if (shape.empty()) {
            tensors.emplace_back();
            continue;
        }
        auto values = isCode(part) ? file->bytes(info.name, shape) : file->floats(info.name, shape);
        if (!values)
            return std::move(values).error();
        if (const std::string problem = rangeProblem(part, *values); !problem.empty())
            return Error::invalid(path.string(), concat("is damaged: ", info.name, ' ', problem, "; restart the run"));
        tensors.push_back(*std::move(values));
    }
    return tensors;
}

/// Returns the parts of a checkpoint.
std::vector<Part> partsOf(const Checkpoint &checkpoint)
{
    std::vector<Part> parts = partsOf(checkpoint.experiment);
    const Part previous = previousPart();
    std::error_code ignored;
    if (checkpoint.checksums.empty() ? fs::exists(checkpoint.folder / previous.file, ignored)
                                     : checkpoint.checksums.contains(previous.file))
        parts.push_back(previous);
    return parts;
}

/// Returns the update counters of a checkpoint without them, assuming that its schedule never changed.
std::vector<int> updatesOf(const Checkpoint &checkpoint, std::size_t parameters)
{
    const model::Experiment &experiment = checkpoint.experiment;
    std::vector<int> updates(parameters, checkpoint.steps());
    const auto schedule = schedule::makeSchedule(experiment);
    if (!schedule || schedule->weightUpdate() != schedule::WeightUpdate::EachMicrobatch)
        return updates;
    for (std::size_t i = experiment.model.tied ? kTokenTable + 1 : 0; i < updates.size(); ++i)
        updates[i] *= schedule->microbatches();
    return updates;
}

std::int64_t sequencesOfStep(const model::Experiment &experiment)
{
    return experiment.parallel.stepMicrobatches() * experiment.parallel.microbatchSize;
}

/// Parses a description; errors are reported as problems.
void readMembers(const Json &document, Checkpoint &found, std::string &version, std::int64_t &steps, base::Problems &problems)
{
    model::ObjectReader reader(document, "", problems);
    reader.require("stagelens", version);
    reader.require("steps", steps);
    reader.require("losses", found.losses);
    if (reader.find("experiment") == nullptr)
        reader.problem("experiment", "missing");
    if (version != kVersion)
        return;
    reader.require("updates", found.updates);
    const Json *parts = reader.find("parts");
    if (parts == nullptr || !parts->is_object())
        return reader.problem("parts", "missing");
    for (const auto &[file, checksum] : parts->items())
        if (std::string wrong = model::take(checksum, found.checksums[file]); !wrong.empty())
            reader.problem("parts", std::move(wrong));
}

Result<Checkpoint> readDescription(const fs::path &folder, std::int64_t number)
{
    Checkpoint found;
    found.folder = folder;
    const std::string file = (folder / kDescription).string();
    const auto text = base::readFile(file, model::kLargestDocument);
    if (!text)
        return text.error();
    const auto document = model::parseDocument(*text, file);
    if (!document)
        return document.error();
    base::Problems problems;
    std::string version;
    std::int64_t steps = 0;
    readMembers(*document, found, version, steps, problems);
    // Texts of old versions have neither a checksum nor a member of that name.
    const bool isUnchanged =
        document->contains("checksum") || version == kVersion ? isProtected(*text) : version == kVersionWithoutChecksums;
    const bool isSound = problems.empty() && isUnchanged && steps == number &&
                         static_cast<std::size_t>(steps) == found.losses.size() &&
                         std::ranges::all_of(found.losses, [](double loss) { return std::isfinite(loss); });
    const Error damage = Error::invalid(
        file, concat("is not the description of a checkpoint after ", number, " steps; it is damaged, restart the run"));
    if (!isSound)
        return damage;
    auto plan = model::experimentFromJson((*document)["experiment"].dump(), file);
    if (!plan)
        return std::move(plan).error();
    found.experiment = *std::move(plan);
    for (base::Problem &problem : model::validate(found.experiment))
        if (problem.field.starts_with("model") || problem.field == kOptimizer)
            return Error::invalid(file, concat("has an invalid experiment: ", problem.field, ' ', problem.message));
    const std::vector<Part> parts = partsOf(found.experiment);
    const bool isWhole = std::ranges::all_of(parts, [&](const Part &part) { return found.checksums.contains(part.file); });
    return version != kVersion || isWhole ? Result<Checkpoint>(std::move(found)) : damage;
}

/// Reads a checkpoint and checks all its files.
Result<Checkpoint> soundCheckpoint(const fs::path &runFolder, std::int64_t number)
{
    auto found = readDescription(runFolder / concat(kWhole, number), number);
    if (!found)
        return found;
    const std::vector<ParameterInfo> parameters = parameterList(found->experiment.model);
    for (const Part &part : partsOf(*found))
        if (auto read = readPart(part, *found, parameters); !read)
            return std::move(read).error();
    if (found->checksums.empty()) {
        found->updates = updatesOf(*found, parameters.size());
        found->note = concat("the checkpoint after step ", number,
                             " was written by a version without checksums: "
                             "damage to it cannot be ruled out");
    }
    if (found->updates.size() != parameters.size())
        return Error::invalid((found->folder / kDescription).string(),
                              concat("counts the updates of ", found->updates.size(), " parameters of ", parameters.size()));
    return found;
}

} // namespace

Result<Checkpoint> newestCheckpoint(const fs::path &runFolder)
{
    const std::vector<std::int64_t> numbers = wholeCheckpoints(runFolder);
    std::optional<Error> damage; // damage of the newest one
    for (const std::int64_t number : numbers) {
        auto found = soundCheckpoint(runFolder, number);
        if (found && damage)
            found->note = concat("the checkpoint after step ", numbers.front(), " is damaged, the run resumes after step ",
                                 number, ": ", damage->text());
        if (found || found.error().kind != base::ErrorKind::InvalidInput)
            return found;
        if (!damage)
            damage = std::move(found).error();
    }
    return damage.value_or(
        Error::invalid(runFolder.string(), "has no checkpoint; train with --checkpoint-every to write some"));
}

base::Problems checkpointProblems(const model::Experiment &experiment)
{
    const model::CompressionChoice &choice = experiment.training.compression;
    if (!choice.isOn())
        return {};
    return {{"training.gradient_compression", concat("is ", operators::text(choice),
                                                     ", but checkpoints do not hold what each replica has not sent yet; choose "
                                                     "none, or leave out --checkpoint-every")}};
}

base::Problems resumeProblems(const Checkpoint &checkpoint, const model::Experiment &experiment)
{
    base::Problems problems;
    const auto differs = [&](const std::string &field, const Json &now, const Json &then) {
        problems.push_back(
            {field, concat("is ", now.dump(), ", but the checkpoint is of a run with ", then.dump(), "; leave it as it was")});
    };
    const Json now = model::toJson(experiment);
    const Json then = model::toJson(checkpoint.experiment);
    const auto compare = [&](const char *group, const std::string &key) {
        if (now[group].value(key, Json()) != then[group].value(key, Json()))
            differs(concat(group, '.', key), now[group].value(key, Json()), then[group].value(key, Json()));
    };
    if (!experiment.hasModel || !checkpoint.experiment.hasModel)
        return {{"model", "is missing; a run goes on with the model of its checkpoint"}};
    std::set<std::string> keys; // documents omit default values
    for (const Json *document : {&now, &then})
        for (const auto &[key, value] : (*document)["model"].items())
            keys.insert(key);
    for (const std::string &key : keys)
        if (key != "preset" && key != "dtype") // names only; the CPU engine always computes in fp32
            compare("model", key);
    compare("training", "seed");
    compare("training", "data");
    if (experiment.training.optimizer.name != checkpoint.experiment.training.optimizer.name)
        differs(std::string(kOptimizer), experiment.training.optimizer.name, checkpoint.experiment.training.optimizer.name);
    if (const auto ours = sequencesOfStep(experiment), theirs = sequencesOfStep(checkpoint.experiment); ours != theirs)
        problems.push_back(
            {"parallel.microbatches", concat("make steps of ", ours, " sequences, but the checkpoint is of a run with ", theirs,
                                             " a step; keep replicas x microbatches x microbatch_size as it was")});
    if (experiment.training.steps <= checkpoint.steps())
        problems.push_back(
            {"training.steps", concat("is ", experiment.training.steps, ", but the checkpoint stands after step ",
                                      checkpoint.steps(), " already; raise it to train on")});
    return problems;
}

Result<> restore(const Checkpoint &checkpoint, Session &session)
{
    for (const Part &part : partsOf(checkpoint)) {
        const auto tensors = readPart(part, checkpoint, session.plan().parameters);
        if (!tensors)
            return tensors.error();
        session.setTensors(part.buffer, *tensors);
        // Other schedules have no version before the last update, because their last update was not delayed by a step.
        if (part.buffer == &Parameter::value)
            session.setTensors(&Parameter::previous, *tensors);
    }
    session.setUpdates(checkpoint.updates);
    return {};
}

Result<> writeCheckpoint(const fs::path &runFolder, const Session &session, const std::vector<double> &losses,
                         const std::stop_token &stop)
{
    const fs::path part = runFolder / concat(kPart, losses.size());
    const fs::path whole = runFolder / concat(kWhole, losses.size());
    std::error_code error;
    Result<> written;
    try {
        written = writeParts(part, session, losses, stop);
    } catch (const std::bad_alloc &) {
        written =
            Error::failed("takes more memory than is free: a copy of the parameters is made to write them", part.string());
    }
    if (written) {
        fs::rename(part, whole, error);
        if (error)
            written = Error::failed(concat("cannot be renamed to ", whole.string(), ": ", error.message()), part.string());
    }
    if (written) {
        base::syncFolder(runFolder); // before an older one is removed
        removeOthers(runFolder, static_cast<std::int64_t>(losses.size()));
    } else
        fs::remove_all(part, error);
    return written;
}

} // namespace stagelens::runtime
