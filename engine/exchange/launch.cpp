#include "engine/exchange/launch.h"

#include "engine/base/text.h"
#include "engine/exchange/launch_plan.h"
#include "engine/model/loss_scale.h"
#include "engine/model/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace stagelens::exchange {

const std::vector<Framework> &frameworks()
{
    static const std::vector<Framework> kAll{
        {"megatron", "Megatron-LM", "sh", "Megatron-LM, commit 000c4ac2 (megatron/training/arguments.py)"},
        {"torchtitan", "torchtitan", "toml", "torchtitan, commit 6404b932 (torchtitan/config/job_config.py)"},
        {"deepspeed", "DeepSpeed", "json", "DeepSpeed, commit 029f12b3 (deepspeed/runtime/config.py)"},
    };
    return kAll;
}

const Framework *findFramework(std::string_view format)
{
    const auto found = std::ranges::find(frameworks(), format, &Framework::format);
    return found == frameworks().end() ? nullptr : &*found;
}

std::vector<int> LaunchPlan::stageLayers() const
{
    if (!parallel().stageLayers.empty())
        return parallel().stageLayers;
    const int stages = schedule.stages();
    std::vector<int> layers;
    for (int stage = 0; stage < stages; ++stage)
        layers.push_back(model().layers / stages + (stage < model().layers % stages ? 1 : 0));
    return layers;
}

bool LaunchPlan::isEven() const
{
    const std::vector<int> layers = stageLayers();
    return std::ranges::all_of(layers, [&](int count) { return count == layers.front(); });
}

bool LaunchPlan::isLooped() const
{
    const schedule::Placement &placement = schedule.placement();
    for (int stage = 0; stage < schedule.stages(); ++stage)
        if (placement.deviceOf(stage) != stage % devices())
            return false;
    return placement.directions == 1 && schedule.stages() % devices() == 0;
}

bool LaunchPlan::isV() const
{
    const schedule::Placement &placement = schedule.placement();
    if (placement.directions != 1 || schedule.stages() != 2 * devices())
        return false;
    for (int stage = 0; stage < schedule.stages(); ++stage)
        if (placement.deviceOf(stage) != std::min(stage, schedule.stages() - 1 - stage))
            return false;
    return true;
}

void omitVocabulary(const LaunchPlan &plan, std::string_view framework, Launch &launch)
{
    if (plan.schedule.runs(schedule::PassKind::S))
        launch.omitted.push_back(
            fmt::format("vocabulary {}: {} computes the input embedding on the first stage and the output layer on the last; "
                        "sail-sg/VocabularyParallelism, a fork of Megatron-LM, shards them",
                        model::name(plan.schedule.vocabulary()), framework));
}

namespace {

/// Notes choices that none of the formats carries over.
void omitCommon(const model::Experiment &experiment, const schedule::Schedule &schedule, Launch &launch)
{
    const auto omit = [&launch](bool isUsed, std::string text) {
        if (isUsed)
            launch.omitted.push_back(std::move(text));
    };
    const model::ScheduleChoice &choice = experiment.schedule;
    const std::string &optimizer = experiment.training.optimizer.name;
    omit(optimizer != "adamw", fmt::format("optimizer {}: the run there uses AdamW, with this learning rate", optimizer));
    const bool hasCopies = std::ranges::any_of(std::views::iota(0, schedule.devices()),
                                               [&](int device) { return !schedule.copies(device).empty(); });
    omit(hasCopies || choice.offload.isAuto || choice.offload.fraction > 0,
         "activations on the host: they stay on the device there");
    omit(choice.offloadOptimizer, "optimizer state on the host: it stays on the device there");
    omit(choice.offloadParameters, "weights of layers on the host: they stay on the device there");
    const model::ParallelPlan &parallel = experiment.parallel;
    omit(
        parallel.context > 1 && parallel.contextMethod != model::ContextMethod::Ring,
        fmt::format("context ranks by {}: keys and values travel around in a ring there", model::name(parallel.contextMethod)));
    omit(experiment.training.lossScale.fixed.has_value(),
         fmt::format("loss scale {}: it is dynamic there", model::text(experiment.training.lossScale)));
    omit(parallel.expert > 1 && parallel.dispatchPrecision != model::DispatchPrecision::Same,
         "tokens sent to experts in 8 bits: they have the precision of the model there");
    omit(parallel.tensor > 1 && parallel.vocabularySharding == model::VocabularySharding::Device,
         "vocabulary divided by tokens: tensor ranks divide the rows of the token tables there");
}

base::Result<Launch> frameworkLaunch(std::string_view format, const LaunchPlan &plan)
{
    if (format == "megatron")
        return megatronLaunch(plan);
    if (format == "torchtitan")
        return torchtitanLaunch(plan);
    if (format == "deepspeed")
        return deepSpeedLaunch(plan);
    return base::Error::invalid("format", fmt::format("is {}; choose megatron, torchtitan or deepspeed", base::quoted(format)));
}

} // namespace

base::Result<Launch> launchOf(std::string_view format, const model::Experiment &experiment, const schedule::Schedule &schedule,
                              int devicesPerNode, const std::string &scheduleFile)
{
    if (!experiment.hasModel)
        return base::Error::invalid("model", "is none, and other frameworks start models; name --model or --layers");
    const LaunchPlan plan{experiment, schedule, std::max(devicesPerNode, 1), scheduleFile};
    auto launch = frameworkLaunch(format, plan);
    if (launch)
        launch->version = findFramework(format)->version;
    if (launch)
        omitCommon(experiment, schedule, *launch);
    if (const model::CompressionChoice &choice = experiment.training.compression; launch && choice.isOn())
        launch->omitted.push_back(
            fmt::format("gradient compression {}: replicas exchange whole gradients there", operators::text(choice)));
    if (launch && experiment.parallel.packsMessages())
        launch->omitted.push_back(fmt::format("messages in {}: stages send all bits of what they compute there",
                                              model::name(experiment.parallel.messagePrecision)));
    if (launch && experiment.schedule.packsActivations())
        launch->omitted.push_back(fmt::format("stored activations in {}: layers keep all bits of what they compute there",
                                              model::name(experiment.schedule.storedActivations)));
    if (launch && experiment.parallel.averagesWeights())
        launch->omitted.push_back(fmt::format("averages every {} steps: replicas sum their gradients in every step there",
                                              experiment.parallel.syncEvery));
    if (launch && experiment.schedule.vocabularyKind == model::VocabularyKind::RecomputeLogits)
        launch->omitted.push_back("recomputed logits: the output layer keeps its logits there until their gradient");
    if (launch && experiment.schedule.vocabularyKind == model::VocabularyKind::Chunked)
        launch->omitted.push_back(fmt::format("output layer in {} chunks: the logits of all tokens of a microbatch exist there",
                                              experiment.schedule.logitChunks));
    if (launch && experiment.model.isFactorised())
        launch->omitted.push_back(
            fmt::format("vocabulary of width {}: its tables are as wide as the layers there, which is another "
                        "model",
                        experiment.model.tableWidth()));
    if (launch && experiment.model.isHashed())
        launch->omitted.push_back(
            fmt::format("input of {} hashes: its table has a row for each token there, which is another model",
                        experiment.model.inputHashes));
    if (launch && experiment.model.outputHeads > 1)
        launch->omitted.push_back(fmt::format("{} output heads: the output layer predicts the next token alone there, which is "
                                              "another model",
                                              experiment.model.outputHeads));
    if (launch && experiment.model.isAdaptive())
        launch->omitted.push_back("adaptive softmax: the output layer has one softmax over all words there, which is another "
                                  "model");
    if (launch && experiment.model.isSampled())
        launch->omitted.push_back("sampled softmax: labels are compared with all words there, which is another model");
    return launch;
}

} // namespace stagelens::exchange
