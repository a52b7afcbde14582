#include "engine/runtime/checkpoint.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/exchange/safetensors.h"
#include "engine/model/experiment_json.h"
#include "engine/model/json_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <optional>
#include <system_error>

namespace stagelens::runtime {
namespace {

namespace fs = std::filesystem;
using base::concat;
using base::Error;
using base::Result;
using model::Json;

/// A run's folder holds step-<n>, and part-<n> while that is being written.
constexpr std::string_view kWhole = "step-";
constexpr std::string_view kPart = "part-";
constexpr const char *kDescription = "checkpoint.json";
constexpr std::string_view kVersion = "checkpoint/1";

struct Part {
    const char *file;
    backend::Buffer Parameter::*buffer;
};
constexpr Part kPrevious{"previous-parameters.safetensors", &Parameter::previous}; ///< of PipeDream-2BW
constexpr std::array<Part, 3> kParts{{{"parameters.safetensors", &Parameter::value},
                                      {"first-moments.safetensors", &Parameter::firstMoment},
                                      {"second-moments.safetensors", &Parameter::secondMoment}}};

/// n of "<prefix>n", or nothing.
std::optional<std::int64_t> numberOf(const fs::path &place, std::string_view prefix)
{
    const std::string name = place.filename().string();
    return name.starts_with(prefix) ? base::parseInteger(std::string_view(name).substr(prefix.size())) : std::nullopt;
}

/// Everything in the folder that is a checkpoint, whole or not, but one.
void removeOthers(const fs::path &runFolder, const fs::path &kept)
{
    std::error_code ignored;
    std::vector<fs::path> others;
    for (fs::directory_iterator each(runFolder, ignored); !ignored && each != fs::directory_iterator(); each.increment(ignored))
        if (each->path() != kept && (numberOf(each->path(), kWhole) || numberOf(each->path(), kPart)))
            others.push_back(each->path());
    for (const fs::path &other : others)
        fs::remove_all(other, ignored);
}

std::vector<std::int64_t> shapeOf(const ParameterInfo &info)
{
    return {info.rows, info.columns};
}

Result<> writeTensors(const fs::path &file, const RunPlan &plan, const Tensors &tensors, const std::stop_token &stop)
{
    std::vector<exchange::TensorView> views;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        views.push_back({plan.parameters[i].name, shapeOf(plan.parameters[i]), std::span<const float>(tensors[i])});
    return exchange::writeSafetensors(file, views, stop);
}

bool isDoubleBuffered(const RunPlan &plan)
{
    return plan.schedule.weightUpdate() == schedule::WeightUpdate::DoubleBuffered;
}

Result<> writePart(const Part &part, const fs::path &folder, const Session &session, const std::stop_token &stop)
{
    return writeTensors(folder / part.file, session.plan(), session.tensors(part.buffer), stop);
}

Result<> writeParts(const fs::path &folder, const Session &session, const std::vector<double> &losses,
                    const std::stop_token &stop)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return Error::failed(concat("cannot be made: ", error.message(), "; free space or choose another place"),
                             folder.string());
    for (const Part &part : kParts)
        if (auto written = writePart(part, folder, session, stop); !written)
            return written;
    if (isDoubleBuffered(session.plan()))
        if (auto written = writePart(kPrevious, folder, session, stop); !written)
            return written;
    const Json description{{"stagelens", kVersion},
                           {"steps", losses.size()},
                           {"losses", losses},
                           {"experiment", model::toJson(session.plan().experiment)}};
    return base::writeFile(folder / kDescription, description.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

Result<Tensors> readTensors(const fs::path &path, const RunPlan &plan)
{
    const auto file = exchange::SafetensorsFile::read(path);
    if (!file)
        return file.error();
    Tensors tensors;
    for (const ParameterInfo &info : plan.parameters) {
        auto values = file->floats(info.name, shapeOf(info));
        if (!values)
            return std::move(values).error();
        tensors.push_back(*std::move(values));
    }
    return tensors;
}

/// Puts the tensors of a file into a part of the session's parameters.
Result<> readPart(const char *file, backend::Buffer Parameter::*buffer, const fs::path &folder, Session &session)
{
    const auto tensors = readTensors(folder / file, session.plan());
    if (!tensors)
        return tensors.error();
    session.setTensors(buffer, *tensors);
    return {};
}

std::int64_t sequencesOfStep(const model::Experiment &experiment)
{
    return std::int64_t{experiment.parallel.microbatches} * experiment.parallel.microbatchSize;
}

} // namespace

Result<Checkpoint> newestCheckpoint(const fs::path &runFolder)
{
    std::error_code error;
    std::optional<std::int64_t> newest;
    for (fs::directory_iterator each(runFolder, error); !error && each != fs::directory_iterator(); each.increment(error))
        newest = std::max(newest, numberOf(each->path(), kWhole));
    if (!newest)
        return Error::invalid(runFolder.string(), "holds no checkpoint; train with --checkpoint-every to have some");
    Checkpoint found;
    found.folder = runFolder / concat(kWhole, *newest);
    const std::string file = (found.folder / kDescription).string();
    const auto text = base::readFile(file, model::kLargestDocument);
    if (!text)
        return text.error();
    const auto document = model::parseDocument(*text, file);
    if (!document)
        return document.error();
    base::Problems problems;
    model::ObjectReader reader(*document, "", problems);
    std::string version;
    std::int64_t steps = 0;
    reader.require("stagelens", version);
    reader.require("steps", steps);
    reader.require("losses", found.losses);
    const Json *experiment = reader.find("experiment");
    const bool isSound = problems.empty() && experiment != nullptr && version == kVersion && steps == *newest &&
                         static_cast<std::size_t>(steps) == found.losses.size() &&
                         std::ranges::all_of(found.losses, [](double loss) { return std::isfinite(loss); });
    if (!isSound)
        return Error::invalid(file, concat("is not the description of a checkpoint after ", *newest,
                                           " steps; it is damaged, start the run anew"));
    auto plan = model::experimentFromJson(experiment->dump(), file);
    if (!plan)
        return std::move(plan).error();
    found.experiment = *std::move(plan);
    return found;
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
    for (const auto &[key, value] : now["model"].items())
        if (key != "preset" && key != "dtype") // names; the CPU engine computes in fp32 whatever is said
            compare("model", key);
    compare("training", "seed");
    compare("training", "data");
    if (const auto ours = sequencesOfStep(experiment), theirs = sequencesOfStep(checkpoint.experiment); ours != theirs)
        problems.push_back(
            {"parallel.microbatches", concat("make steps of ", ours, " sequences, but the checkpoint is of a run with ", theirs,
                                             " a step; keep microbatches x microbatch_size as it was")});
    if (experiment.training.steps <= checkpoint.steps())
        problems.push_back(
            {"training.steps", concat("is ", experiment.training.steps, ", but the checkpoint stands after step ",
                                      checkpoint.steps(), " already; raise it to train on")});
    return problems;
}

Result<> restore(const Checkpoint &checkpoint, Session &session)
{
    for (const Part &part : kParts)
        if (auto done = readPart(part.file, part.buffer, checkpoint.folder, session); !done)
            return done;
    if (!isDoubleBuffered(session.plan()))
        return {};
    // Another schedule wrote none: its last update was not a step late.
    std::error_code ignored;
    const bool isThere = fs::exists(checkpoint.folder / kPrevious.file, ignored);
    return readPart(isThere ? kPrevious.file : kParts[0].file, kPrevious.buffer, checkpoint.folder, session);
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
    if (written)
        removeOthers(runFolder, whole);
    else
        fs::remove_all(part, error);
    return written;
}

} // namespace stagelens::runtime
