#include "engine/runtime/training/checkpoint.h"

#include "engine/backend/process_frames.h"
#include "engine/base/sync_folder.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/runtime/processes/packing.h"
#include "engine/runtime/training/checkpoint_description.h"
#include "engine/runtime/training/checkpoint_parts.h"
#include "engine/runtime/training/run_check.h"
#include "engine/runtime/training/unsent_gradients.h"
#include "engine/schedule/families.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <optional>
#include <set>
#include <system_error>

namespace stagelens::runtime {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;
using model::Json;

/// The folder of a run contains step-<n>, or part-<n> while that is being written.
constexpr std::string_view kWhole = "step-";
constexpr std::string_view kPart = "part-";

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

bool isDoubleBuffered(const RunPlan &plan)
{
    return plan.schedule.weightUpdate() == schedule::WeightUpdate::DoubleBuffered;
}

/// Returns the parts that a checkpoint of the plan has.
std::vector<CheckpointPart> plannedParts(const RunPlan &plan)
{
    std::vector<CheckpointPart> parts = partsOf(plan.experiment);
    if (isDoubleBuffered(plan))
        parts.push_back(previousPart());
    return parts;
}

/// Returns whether the first process requests another part. Collective.
Result<bool> isNextRequested(Session &session, bool own)
{
    Packer packer;
    packer.put(own);
    const auto received = session.fromFirst(packer.take());
    return received ? Result<bool>(Unpacker(*received).value<bool>()) : received.error();
}

/// Returns the tensors of a part from all processes; the others wait in sendParts().
Result<Tensors> requestPart(const CheckpointPart &part, Session &session)
{
    Tensors tensors = session.tensors().read(part.buffer, part.replica);
    if (const auto requested = isNextRequested(session, true); !requested)
        return requested.error();
    if (auto added = session.tensors().addOthers(part.buffer, tensors, part.replica); !added)
        return added.error();
    return tensors;
}

/// Sends what this process holds of the parts, and then what it has not sent of gradients, as long as the first process
/// requests them.
Result<> sendParts(Session &session)
{
    const std::vector<CheckpointPart> parts = plannedParts(session.plan());
    for (std::size_t part = 0;; ++part) {
        const auto requested = isNextRequested(session, false);
        if (!requested || !*requested || part > parts.size())
            return requested ? Result<>() : requested.error();
        if (part == parts.size()) {
            if (const auto sent = session.tensors().unsent().write({}, {}); !sent)
                return sent.error();
            continue;
        }
        Tensors none;
        if (auto sent = session.tensors().addOthers(parts[part].buffer, none, parts[part].replica); !sent)
            return sent;
    }
}

Result<> writeParts(const fs::path &folder, Session &session, const std::vector<double> &losses, const UpdateCounts &updates,
                    const std::stop_token &stop)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return Error::failed(fmt::format("cannot be created: {}; free disk space or choose another folder", error.message()),
                             folder.string());
    Json checksums = Json::object();
    for (const CheckpointPart &part : plannedParts(session.plan())) {
        const auto tensors = requestPart(part, session);
        if (!tensors)
            return tensors.error();
        const auto written = writePart(part, folder, session.plan(), *tensors, stop);
        if (!written)
            return written.error();
        checksums[part.file] = *written;
    }
    if (keepsUnsent(session.plan().experiment)) {
        if (const auto requested = isNextRequested(session, true); !requested)
            return requested.error();
        const auto written = session.tensors().unsent().write(folder, stop);
        if (!written)
            return written.error();
        checksums[kUnsentGradients] = *written;
    }
    return writeDescription(folder, session.plan().experiment, losses, updates, session.lossScale(), checksums);
}

/// Calls writeParts() and turns a lack of memory into an error.
Result<> tryParts(const fs::path &folder, Session &session, const std::vector<double> &losses, const UpdateCounts &updates,
                  const std::stop_token &stop)
{
    try {
        return writeParts(folder, session, losses, updates, stop);
    } catch (const std::bad_alloc &) {
        return Error::failed("takes more memory than is free: a copy of the parameters is made to write them", folder.string());
    }
}

/// Writes the folder part-<n> and renames it to step-<n>.
Result<> writeWhole(const fs::path &runFolder, Session &session, const std::vector<double> &losses, const UpdateCounts &updates,
                    const std::stop_token &stop)
{
    if (runFolder.empty())
        return Error::failed("the run has no folder for them, because it could not be stored yet");
    const fs::path part = runFolder / fmt::format("{}{}", kPart, losses.size());
    const fs::path whole = runFolder / fmt::format("{}{}", kWhole, losses.size());
    std::error_code error;
    std::error_code ignored;
    Result<> written = tryParts(part, session, losses, updates, stop);
    if (written)
        fs::rename(part, whole, error);
    if (!written || error) {
        fs::remove_all(part, ignored);
        return written
                   ? Error::failed(fmt::format("cannot be renamed to {}: {}", whole.string(), error.message()), part.string())
                   : std::move(written).error();
    }
    base::syncFolder(runFolder); // before an older one is removed
    removeOthers(runFolder, static_cast<std::int64_t>(losses.size()));
    return {};
}

/// Returns the parts that a checkpoint has.
std::vector<CheckpointPart> storedParts(const Checkpoint &checkpoint)
{
    std::vector<CheckpointPart> parts = partsOf(checkpoint.experiment);
    const CheckpointPart previous = previousPart();
    std::error_code ignored;
    if (checkpoint.checksums.empty() ? fs::exists(checkpoint.folder / previous.file, ignored)
                                     : checkpoint.checksums.contains(previous.file))
        parts.push_back(previous);
    return parts;
}

/// Returns the buffers that a part is loaded into.
std::vector<ParameterPart> targetsOf(const CheckpointPart &part)
{
    // Other schedules have no version before the last update, because their last update was not delayed by a step.
    return part.buffer == &Parameter::value ? std::vector<ParameterPart>{&Parameter::value, &Parameter::previous}
                                            : std::vector{part.buffer};
}

/// Does what resume() and restore() do, with the tensors that the first process sends.
Result<std::vector<double>> follow(Session &session)
{
    const auto received = session.fromFirst({});
    if (!received)
        return received.error();
    Unpacker head(*received);
    if (!head.value<bool>())
        return backend::errorOf(head.values<std::byte>(), 0);
    auto losses = head.values<double>();
    const auto updates = head.values<int>();
    const auto secondUpdates = head.values<int>();
    const auto count = head.value<std::size_t>();
    model::Experiment stored = session.plan().experiment; // as the checkpoint is divided
    stored.parallel.syncEvery = head.value<int>();
    stored.parallel.replicas = head.value<int>();
    const bool hasScale = head.value<bool>();
    LossScale scale{head.value<double>(), head.value<int>(), head.values<int>()};
    const bool hasUnsent = head.value<bool>();
    std::vector<CheckpointPart> parts = partsOf(stored);
    parts.push_back(previousPart());
    if (!head.isWhole() || count > parts.size())
        return Error::failed("process 0 sent no valid checkpoint; start all processes from the same build");
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(count), parts.end());
    for (const CheckpointPart &part : parts)
        if (auto set = session.tensors().distribute(targetsOf(part), {}, part.replica); !set)
            return std::move(set).error();
    session.tensors().setUpdates(updates, secondUpdates);
    if (hasUnsent)
        if (auto read = session.tensors().unsent().read(nullptr); !read)
            return std::move(read).error();
    if (hasScale)
        session.restoreLossScale(std::move(scale));
    return losses;
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
        updates[i] *= schedule->stepMicrobatches();
    return updates;
}

std::int64_t sequencesOfStep(const model::Experiment &experiment)
{
    return experiment.parallel.stepMicrobatches() * experiment.parallel.microbatchSize;
}

/// Reads a checkpoint and checks all its files.
Result<Checkpoint> soundCheckpoint(const fs::path &runFolder, std::int64_t number)
{
    auto found = readDescription(runFolder / fmt::format("{}{}", kWhole, number), number);
    if (!found)
        return found;
    const std::vector<ParameterInfo> parameters = parameterList(found->experiment.model);
    for (const CheckpointPart &part : storedParts(*found))
        if (auto read = readPart(part, *found, parameters); !read)
            return std::move(read).error();
    if (keepsUnsent(found->experiment))
        if (auto sound = checkUnsent(*found); !sound)
            return std::move(sound).error();
    if (found->checksums.empty()) {
        found->updates = found->secondUpdates = updatesOf(*found, parameters.size());
        found->note = fmt::format(
            "the checkpoint after step {} was written by a version without checksums: damage to it cannot be ruled out",
            number);
    }
    for (const std::vector<int> *counts : {&found->updates, &found->secondUpdates})
        if (counts->size() != parameters.size())
            return Error::invalid((found->folder / kCheckpointDescription).string(),
                                  fmt::format("counts the updates of {} parameters of {}", counts->size(), parameters.size()));
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (found->secondUpdates[i] < 0 || found->secondUpdates[i] > found->updates[i])
            return Error::invalid((found->folder / kCheckpointDescription).string(),
                                  fmt::format("has {} updates of second moments of a parameter with {}",
                                              found->secondUpdates[i], found->updates[i]));
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
            found->note = fmt::format("the checkpoint after step {} is damaged, the run resumes after step {}: {}",
                                      numbers.front(), number, damage->text());
        if (found || found.error().kind != base::ErrorKind::InvalidInput)
            return found;
        if (!damage)
            damage = std::move(found).error();
    }
    return damage.value_or(
        Error::invalid(runFolder.string(), "has no checkpoint; train with --checkpoint-every to write some"));
}

base::Problems checkpointProblems(const model::Experiment &experiment, int every)
{
    const int average = experiment.parallel.syncEvery;
    if (every <= 0)
        return {};
    if (experiment.parallel.averagesWeights() && every % average != 0)
        return {{"--checkpoint-every", fmt::format("is {}, but a checkpoint has the weights of all replicas, which are equal "
                                                   "every {} steps; choose {}",
                                                   every, average, multiplesBeside(every, average))}};
    return {};
}

base::Problems resumeProblems(const Checkpoint &checkpoint, const model::Experiment &experiment)
{
    base::Problems problems;
    const auto differs = [&](const std::string &field, const Json &now, const Json &then) {
        problems.push_back(
            {field, fmt::format("is {}, but the checkpoint is of a run with {}; leave it as it was", now.dump(), then.dump())});
    };
    const Json now = model::toJson(experiment);
    const Json then = model::toJson(checkpoint.experiment);
    const auto compare = [&](const char *group, const std::string &key) {
        if (now[group].value(key, Json()) != then[group].value(key, Json()))
            differs(fmt::format("{}.{}", group, key), now[group].value(key, Json()), then[group].value(key, Json()));
    };
    if (!experiment.hasModel || !checkpoint.experiment.hasModel)
        return {{"model", "is missing; a run goes on with the model of its checkpoint"}};
    std::set<std::string> keys; // documents omit default values
    for (const Json *document : {&now, &then})
        for (const auto &[key, value] : (*document)["model"].items())
            keys.insert(key);
    for (const std::string &key : keys)
        if (key != "preset" && key != "dtype") // the master weights of any format are in fp32
            compare("model", key);
    compare("training", "seed");
    compare("training", "data");
    if (experiment.training.optimizer.name != checkpoint.experiment.training.optimizer.name)
        differs("training.optimizer.name", experiment.training.optimizer.name, checkpoint.experiment.training.optimizer.name);
    if (const auto ours = sequencesOfStep(experiment), theirs = sequencesOfStep(checkpoint.experiment); ours != theirs)
        problems.push_back(
            {"parallel.microbatches", fmt::format("make steps of {} sequences, but the checkpoint is of a run with {} a step; "
                                                  "keep replicas x microbatches x microbatch_size as it was",
                                                  ours, theirs)});
    if (const auto &ours = experiment.parallel, &theirs = checkpoint.experiment.parallel; theirs.averagesWeights()) {
        if (ours.syncEvery != theirs.syncEvery)
            differs("parallel.sync_every", ours.syncEvery, theirs.syncEvery);
        if (ours.replicas != theirs.replicas) // each has its state of the optimizer
            differs("parallel.replicas", ours.replicas, theirs.replicas);
    }
    if (const auto &ours = experiment.parallel, &theirs = checkpoint.experiment.parallel; keepsUnsent(checkpoint.experiment)) {
        const auto &method = experiment.training.compression, &before = checkpoint.experiment.training.compression;
        if (method != before)
            differs("training.gradient_compression", operators::text(method), operators::text(before));
        for (const auto &[field, own, stored] : {std::tuple("parallel.devices", ours.devices, theirs.devices),
                                                 {"parallel.replicas", ours.replicas, theirs.replicas},
                                                 {"parallel.context", ours.context, theirs.context},
                                                 {"parallel.tensor", ours.tensor, theirs.tensor}})
            if (own != stored) // each rank has what it has not sent
                differs(field, own, stored);
        if (method == before && operators::exchangesMomentum(method)) { // second moments stay as they are from there on
            const auto warmUp = [](const model::Experiment &each) {
                const model::TrainingPlan &training = each.training;
                return operators::uncompressedSteps(training.compression, training.compressionAfter, training.steps);
            };
            if (const int own = warmUp(experiment), stored = warmUp(checkpoint.experiment); own != stored)
                differs("training.gradient_compression_after", own, stored);
        }
    }
    if (experiment.training.steps <= checkpoint.steps())
        problems.push_back(
            {"training.steps", fmt::format("is {}, but the checkpoint stands after step {} already; raise it to train on",
                                           experiment.training.steps, checkpoint.steps())});
    return problems;
}

Result<> restore(const Checkpoint &checkpoint, Session &session)
{
    for (const CheckpointPart &part : storedParts(checkpoint)) {
        const auto tensors = readPart(part, checkpoint, session.plan().parameters);
        if (!tensors)
            return tensors.error();
        if (auto set = session.tensors().distribute(targetsOf(part), *tensors, part.replica); !set)
            return set;
    }
    session.tensors().setUpdates(checkpoint.updates, checkpoint.secondUpdates);
    if (keepsUnsent(checkpoint.experiment))
        if (auto read = session.tensors().unsent().read(&checkpoint); !read)
            return read;
    if (checkpoint.lossScale)
        session.restoreLossScale(*checkpoint.lossScale);
    return {};
}

Result<std::vector<double>> resume(const fs::path &runFolder, Session &session)
{
    if (!session.control().isFirst())
        return follow(session);
    auto checkpoint = newestCheckpoint(runFolder);
    if (checkpoint)
        if (auto problems = resumeProblems(*checkpoint, session.plan().experiment); !problems.empty())
            checkpoint = Error::invalid(std::move(problems));
    Packer head;
    head.put(checkpoint.ok());
    if (!checkpoint) {
        head.put(backend::errorBytes(checkpoint.error()));
    } else {
        head.put(checkpoint->losses);
        head.put(checkpoint->updates);
        head.put(checkpoint->secondUpdates);
        head.put(storedParts(*checkpoint).size());
        head.put(checkpoint->experiment.parallel.syncEvery);
        head.put(checkpoint->experiment.parallel.replicas);
        head.put(checkpoint->lossScale.has_value());
        const LossScale scale = checkpoint->lossScale.value_or(LossScale());
        head.put(scale.factor);
        head.put(scale.cleanSteps);
        head.put(scale.skipped);
        head.put(keepsUnsent(checkpoint->experiment));
    }
    if (const auto sent = session.fromFirst(head.take()); !sent || !checkpoint)
        return sent ? checkpoint.error() : sent.error();
    if (auto restored = restore(*checkpoint, session); !restored)
        return std::move(restored).error();
    return std::move(checkpoint->losses);
}

Result<> writeCheckpoint(const fs::path &runFolder, Session &session, const std::vector<double> &losses,
                         const std::stop_token &stop)
{
    const auto updates = session.tensors().collectUpdates();
    if (!updates)
        return updates.error();
    const auto ofSecondMoments = session.tensors().collectUpdates(&Parameter::secondUpdates);
    if (!ofSecondMoments)
        return ofSecondMoments.error();
    if (!session.control().isFirst())
        return sendParts(session);
    Result<> written = writeWhole(runFolder, session, losses, {*updates, *ofSecondMoments}, stop);
    (void)isNextRequested(session, false); // after an error the others still wait
    return written;
}

} // namespace stagelens::runtime
