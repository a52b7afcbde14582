#include "engine/runtime/training/run_check.h"

#include "engine/model/capabilities.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/memory/gpu_memory.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/plan/run_plan.h"
#include "engine/schedule/check/ranks.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/vocabulary_tables.h"
#include "engine/simulate/planned_schedule.h"

#include <fmt/format.h>
#include <numeric>
#include <string>

namespace stagelens::runtime {
namespace {

/// Adds problems of settings that several steps without a drain do not support.
void addIterations(base::Problems &found, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const auto add = [&](std::string_view reason, std::string_view remedy) {
        found.push_back(
            {"schedule.iterations", fmt::format("is {}, but {}; choose 1, or {}", schedule.iterations(), reason, remedy)});
    };
    const bool isBuffered = schedule.weightUpdate() == schedule::WeightUpdate::DoubleBuffered;
    if (experiment.model.tied)
        add("the gradient of a tied table is the sum of two devices', which meet at the end of a step only", "untied weights");
    if (experiment.model.hasExperts())
        add("the routers of experts are counted and balanced at the end of a step", "a model without experts");
    if (isBuffered && experiment.training.optimizer.clip)
        add("devices update their weights before the others know their part of the norm", "no clip");
    if (isBuffered && experiment.model.dtype == model::DataType::Fp16)
        add("devices update their weights before the others know whether a gradient overflows", "bf16");
    if (isBuffered && schedule.placement().chunks() > 1)
        add("the stages of a device would be updated at different times", "one stage for each device");
}

/// Adds problems of settings that asynchronous weight updates do not support.
void addAsynchronous(base::Problems &found, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (experiment.schedule.offloadOptimizer)
        found.push_back({"schedule.offload_optimizer", std::string(simulate::kVersionsOnHost)});
    if (schedule.runs(schedule::PassKind::S))
        found.push_back({"schedule.vocabulary",
                         "the schedule updates weights between the passes of a sharded output layer, which makes its "
                         "shards inconsistent; choose none or redis, or updates end-of-step"});
    if (schedule.placement().directions > 1)
        found.push_back({"schedule",
                         "the two model replicas sum their gradients at the end of the step, but the schedule updates "
                         "weights at another time; use one replica, or updates end-of-step"});
    if (experiment.model.dtype == model::DataType::Fp16 && schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch)
        found.push_back({"model.dtype",
                         "is fp16, but each stage is updated before the others know whether its gradients overflow; choose "
                         "bf16, or 1f1b"});
    if (schedule.iterations() > 1)
        addIterations(found, experiment, schedule);
    if (experiment.training.optimizer.clip && schedule.weightUpdate() == schedule::WeightUpdate::EachMicrobatch)
        found.push_back({"training.optimizer.clip",
                         "each stage is updated before the gradients of earlier stages are computed, so their "
                         "norm is unknown; remove clip, or choose 1f1b"});
}

/// Adds problems of settings that add gradients of several devices at the end of a step, which ZeRO in passes has reduced by
/// then.
void addExchangesInPasses(base::Problems &found, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (experiment.model.tied && schedule.devices() > 1 && !schedule::VocabularyTables(schedule).areDivided())
        found.push_back(
            {"model.tied",
             "is yes, but a run with ZeRO in every microbatch does not add the gradients that two devices have of a "
             "tied table; choose no, a method that shards the vocabulary, or exchange once a step (zero2 deferred, "
             "zero3 resident)"});
    if (schedule.placement().directions > 1)
        found.push_back({"parallel.zero", "exchanges in every microbatch, but the two directions of the schedule add their "
                                          "gradients at the end of a step; choose one direction, or exchange once a step "
                                          "(zero2 deferred, zero3 resident)"});
}

/// Adds problems of settings that GPUs do not support.
void addPrecision(base::Problems &found, const model::ModelConfig &model)
{
    if (model.dtype == model::DataType::Fp32)
        return;
    constexpr int kMultiple = 8;
    for (const auto &[field, width] : {std::tuple<const char *, std::int64_t>("model.hidden", model.hidden),
                                       {"model.ffn", model.ffn},
                                       {"model.head_dim", model.headDim ? model.queryWidth() : 0}})
        if (width % kMultiple != 0)
            found.push_back({field, fmt::format("is {}, but 16 bits on GPUs need a multiple of {}; choose one, or --dtype fp32",
                                                width, kMultiple)});
}

base::Problems problemsOf(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (const auto few = checkRanks(experiment, schedule); !few)
        return few.error().problems;
    base::Problems found = model::unsupported(experiment, model::Use::Run);
    if (experiment.training.backend == "cuda")
        addPrecision(found, experiment.model);
    if (operators::findOptimizer(experiment.training.optimizer.name) == nullptr)
        found.push_back(
            {"training.optimizer.name", fmt::format("is not supported; choose {}", operators::optimizerNames(" or "))});
    const model::ParallelPlan &parallel = experiment.parallel;
    const int microbatches = schedule.stepMicrobatches() / schedule.slices();
    if (schedule.devices() != parallel.devices || microbatches != parallel.microbatches) {
        found.push_back(
            {"parallel",
             fmt::format("the schedule is for {} devices and {} microbatches, the plan has {} and {}; make them equal",
                         schedule.devices(), microbatches, parallel.devices, parallel.microbatches)});
    }
    for (base::Problem &problem : schedule::rankProblems(parallel, schedule))
        found.push_back(std::move(problem));
    const std::vector<int> layers = operators::stageLayers(experiment);
    if (static_cast<int>(layers.size()) != schedule.stages()) {
        found.push_back(
            {"parallel.stage_layers", fmt::format("the schedule has {} stages, but {} are given; give one number a stage",
                                                  schedule.stages(), layers.size())});
    } else if (const int sum = std::accumulate(layers.begin(), layers.end(), 0); sum != experiment.model.layers) {
        found.push_back({"parallel.stage_layers", fmt::format("the stages have {} layers, the model has {}; make them equal",
                                                              sum, experiment.model.layers)});
    }
    // Only valid schedules are lowered. The lowered schedule may deadlock if devices differ in the order of their S.
    std::vector<schedule::Violation> violations = schedule::findViolations(schedule, 10);
    if (violations.empty())
        if (const schedule::Schedule executed = lowered(schedule); executed.passCount() > schedule.passCount())
            violations = schedule::findViolations(executed, 10);
    for (const schedule::Violation &violation : violations)
        found.push_back({"schedule", fmt::format("device {}, position {}: {}; {}", violation.device, violation.position,
                                                 violation.cause, violation.remedy)});
    if (!schedule.isSynchronous())
        addAsynchronous(found, experiment, schedule);
    if (parallel.reducesEagerly())
        addExchangesInPasses(found, experiment, schedule);
    return found;
}

} // namespace

base::Result<> checkPlan(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    base::Problems found = problemsOf(experiment, schedule);
    return found.empty() ? base::Result<>() : base::Error::invalid(std::move(found));
}

base::Result<> checkRun(const model::Experiment &experiment, const schedule::Schedule &schedule, const std::vector<int> &places,
                        bool isOverNccl)
{
    base::Problems found = problemsOf(experiment, schedule);
    if (const std::string problem = backendProblem(experiment.training.backend); !problem.empty())
        found.push_back({"training.backend", experiment.training.backend + " is not available: " + problem + "; choose cpu"});
    if (!found.empty())
        return base::Error::invalid(std::move(found));
    if (experiment.training.backend == "cpu")
        return checkMemory(experiment, schedule, availableBytes());
    auto need = memoryNeed(experiment, schedule);
    if (!need)
        return need.error();
    if (auto fits = checkHosts(experiment, schedule, *need); !fits)
        return fits;
    const Shape shape(experiment);
    need->workspaces = gpuWorkspaces(shape);
    need->libraries = gpuLibraryBytes(isOverNccl);
    const std::vector<backend::Gpu> all = gpus().gpus;
    const RunPlan plan(experiment, lowered(schedule));
    const std::vector<int> gpuOf = places.empty() ? gpuOfRank(all, plan.mesh.ranks()) : places;
    std::vector<int> inOrderOfNeed(gpuOf.size());
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
        const RankPlace at = plan.placeOf(rank);
        inOrderOfNeed[size((at.share * plan.tensorRanks() + at.tensor) * schedule.devices() + at.device)] = gpuOf[size(rank)];
    }
    if (auto fits = checkPinnedMemory(*need, inOrderOfNeed, availableBytes(), experiment.schedule); !fits)
        return fits;
    return checkGpuMemory(all, *need, inOrderOfNeed);
}

std::string multiplesBeside(int number, int of)
{
    const int below = number / of * of;
    const std::int64_t above = std::int64_t{below} + of;
    return below > 0 ? fmt::format("{} or {}", below, above) : std::to_string(above);
}

base::Problems stepProblems(const model::Experiment &experiment, int together)
{
    const int steps = experiment.training.steps;
    if (steps % together != 0)
        return {{"training.steps", fmt::format("is {}, but {} steps run without a drain in between; choose {}", steps, together,
                                               multiplesBeside(steps, together))}};
    const int every = experiment.parallel.syncEvery;
    if (!experiment.parallel.averagesWeights() || steps % every == 0)
        return {};
    return {{"training.steps",
             fmt::format("is {}, but replicas that are averaged every {} steps would end with different weights; choose {}",
                         steps, every, multiplesBeside(steps, every))}};
}

} // namespace stagelens::runtime
