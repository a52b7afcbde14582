#include "engine/runtime/run_check.h"

#include "engine/base/text.h"
#include "engine/model/partition.h"
#include "engine/runtime/architecture.h"
#include "engine/runtime/context.h"
#include "engine/runtime/lowering.h"
#include "engine/runtime/norm.h"
#include "engine/runtime/training_run.h"
#include "engine/schedule/families.h"
#include "engine/schedule/validator.h"
#include "engine/simulate/device_share.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>

namespace stagelens::runtime {
namespace {

using model::VocabularyMethod;
using schedule::PassKind;

/// Floats that a pass of a device takes (above 0) or frees, messages aside. In double: sizes that do not fit a machine must not
/// overflow either.
double floatsOf(const schedule::Pass &pass, const model::Experiment &experiment, const schedule::Schedule &schedule,
                const std::vector<int> &stageLayers)
{
    const Shape shape(experiment);
    const double tokens = static_cast<double>(shape.tokens());
    const double boundary = static_cast<double>(shape.boundary());
    const bool isSharded = model::isSharded(schedule.vocabulary());
    const double shards = isSharded ? schedule.devices() : 1;
    const double output = tokens * (static_cast<double>(shape.vocabulary) / shards + 4) + boundary;
    const bool recomputes = experiment.schedule.recompute == model::Recompute::Full;
    const double saved = stageLayers[pass.stage] * static_cast<double>(savedFloats(shape));
    const double again = recomputes ? saved : 0; // from I to W
    const double layers = stageLayers[pass.stage] * boundary + saved - again;
    const bool isLast = pass.stage == schedule.placement().lastStage();
    const double head = isLast ? boundary + static_cast<double>(normStatistics(shape)) + (isSharded ? 0 : output) : 0;
    const double embedding = pass.stage == 0 && !isSharded ? boundary : 0; // its gradient, from I to W
    switch (pass.kind) {
    case PassKind::F: return layers + head;
    case PassKind::B: return -layers - head;
    case PassKind::I: return again + embedding - head;
    case PassKind::W: return -layers - again - embedding;
    case PassKind::S: return output;
    case PassKind::T: return -output;
    default: return 0;
    }
}

/// Boundary tensors that a device has on their way at most, per microbatch in flight: stage outputs and gradients, then X,
/// shards of embeddings and of gradients.
double messagesPerMicrobatch(VocabularyMethod method)
{
    if (!model::isSharded(method))
        return 2;
    return method == VocabularyMethod::Vocab2 ? 6 : 4;
}

base::Problems problemsOf(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    base::Problems found;
    if (experiment.training.backend != "cpu")
        found.push_back({"training.backend", "backend " + experiment.training.backend + " cannot train here; choose cpu"});
    if (experiment.training.optimizer.name != "adamw")
        found.push_back({"training.optimizer.name", "only adamw is known"});
    const model::ParallelPlan &parallel = experiment.parallel;
    if (schedule.devices() != parallel.devices || schedule.microbatches() != parallel.microbatches) {
        found.push_back({"parallel", base::concat("the schedule is for ", schedule.devices(), " devices and ",
                                                  schedule.microbatches(), " microbatches, the plan has ", parallel.devices,
                                                  " and ", parallel.microbatches, "; make them equal")});
    }
    const std::vector<int> layers = model::stageLayers(experiment);
    if (static_cast<int>(layers.size()) != schedule.stages()) {
        found.push_back({"parallel.stage_layers", base::concat("the schedule has ", schedule.stages(), " stages, but ",
                                                               layers.size(), " are given; give one number a stage")});
    } else if (const int sum = std::accumulate(layers.begin(), layers.end(), 0); sum != experiment.model.layers) {
        found.push_back({"parallel.stage_layers", base::concat("the stages have ", sum, " layers, the model has ",
                                                               experiment.model.layers, "; make them equal")});
    }
    // Only what is sound as it stands is lowered: that may dead-lock in turn, where devices differ in the order of their S.
    std::vector<schedule::Violation> violations = schedule::findViolations(schedule, 10);
    if (violations.empty() && schedule.vocabulary() == VocabularyMethod::Interlaced)
        violations = schedule::findViolations(lowered(schedule), 10);
    for (const schedule::Violation &violation : violations)
        found.push_back({"schedule", base::concat("device ", violation.device, ", position ", violation.position, ": ",
                                                  violation.cause, "; ", violation.remedy)});
    constexpr std::string_view kRemedy = " cannot be trained so far; simulate it, or train with 1f1b, zb-v or gpipe";
    if (!schedule.isSynchronous())
        found.push_back({"schedule.family", base::concat("asynchronous schedules", kRemedy)});
    return found;
}

} // namespace

base::Bytes plannedBytes(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (schedule.vocabulary() == VocabularyMethod::Interlaced)
        return plannedBytes(experiment, lowered(schedule));
    const Shape shape(experiment);
    const std::vector<int> stageLayers = model::stageLayers(experiment);
    if (stageLayers.size() < size(schedule.stages()))
        return 0;
    double floats = 2 * static_cast<double>(shape.microbatches * shape.tokens()); // the batch
    const double recomputed =
        experiment.schedule.recompute == model::Recompute::Full ? static_cast<double>(savedFloats(shape)) : 0; // of a layer
    for (int device = 0; device < schedule.devices(); ++device) {
        // Values, gradients and two moments; tied weights have one more gradient.
        const simulate::DeviceParameters parameters = simulate::deviceParameters(experiment, schedule, device);
        floats += 4 * static_cast<double>(parameters.count) + static_cast<double>(parameters.tied);
        double live = 0;
        double peak = 0;
        int inFlight = 0;
        int mostInFlight = 0;
        for (const schedule::Pass &pass : schedule.device(device)) {
            live += floatsOf(pass, experiment, schedule, stageLayers);
            peak = std::max(peak, live);
            inFlight += schedule::activationChange(pass.kind);
            mostInFlight = std::max(mostInFlight, inFlight);
        }
        const double messages = std::min(mostInFlight + 2, schedule.microbatches() * schedule.placement().chunks()) *
                                messagesPerMicrobatch(schedule.vocabulary());
        floats += peak + messages * static_cast<double>(shape.boundary()) + static_cast<double>(Workspace::floats(shape)) +
                  recomputed;
    }
    constexpr double kMostBytes = 9e18;
    return static_cast<base::Bytes>(std::min(floats * sizeof(float), kMostBytes));
}

base::Bytes requiredBytes(const model::Experiment &experiment)
{
    const auto schedule = schedule::makeSchedule(experiment);
    return schedule ? plannedBytes(experiment, *schedule) : 0;
}

base::Bytes availableBytes()
{
    std::ifstream in("/proc/meminfo");
    constexpr std::string_view kKey = "MemAvailable:";
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(kKey))
            continue;
        const std::string_view rest = base::trim(std::string_view(line).substr(kKey.size()));
        return base::parseInteger(rest.substr(0, rest.find(' '))).value_or(0) * 1024;
    }
    return 0;
}

base::Result<> checkMemory(base::Bytes required)
{
    const base::Bytes available = availableBytes();
    if (required <= available || available == 0)
        return {};
    return base::Error::invalid("model", base::concat("a run takes about ", base::bytesText(required), ", but only ",
                                                      base::bytesText(available),
                                                      " of memory are free; lower model.layers, model.hidden, "
                                                      "model.vocabulary_size or parallel.microbatch_size"));
}

base::Result<> checkRun(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (base::Problems found = problemsOf(experiment, schedule); !found.empty())
        return base::Error::invalid(std::move(found));
    return checkMemory(plannedBytes(experiment, schedule));
}

} // namespace stagelens::runtime
