// A configuration of DeepSpeed's pipeline engine.
#include "engine/exchange/launch_plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagelens::exchange {

using Configuration = nlohmann::ordered_json;

namespace {

void addNumerics(const LaunchPlan &plan, Configuration &json)
{
    const model::DataType type = plan.model().dtype;
    if (type == model::DataType::Bf16 || type == model::DataType::Fp8) {
        json["bf16"] = {{"enabled", true}};
        json["data_types"] = {{"grad_accum_dtype", "fp32"}};
    } else if (type == model::DataType::Fp16) {
        json["fp16"] = {{"enabled", true}};
    }
}

void addOptimizer(const LaunchPlan &plan, Configuration &json)
{
    const model::OptimizerChoice &optimizer = plan.experiment.training.optimizer;
    json["optimizer"] = {{"type", "AdamW"},
                         {"params",
                          {{"lr", optimizer.learningRate},
                           {"betas", {optimizer.beta1, optimizer.beta2}},
                           {"weight_decay", optimizer.weightDecay}}}};
    json["gradient_clipping"] = optimizer.clip.value_or(0);
}

void omitForDeepSpeed(const LaunchPlan &plan, Launch &launch)
{
    if (plan.model().dtype == model::DataType::Fp8)
        launch.omitted.push_back("products in fp8: the configuration says bf16");
    if (plan.schedule.family() != "1f1b")
        launch.omitted.push_back(fmt::format("schedule {}: DeepSpeed's pipeline engine runs 1F1B", plan.schedule.family()));
    if (plan.experiment.schedule.overlappedPairs)
        launch.omitted.push_back("overlapped pairs: DeepSpeed's pipeline engine runs forwards and backwards one at a time");
    if (plan.chunks() > 1)
        launch.omitted.push_back(fmt::format("{} stages a device: DeepSpeed has one", plan.chunks()));
    if (!plan.isEven())
        launch.omitted.push_back("layers of the stages: DeepSpeed cuts evenly, by parameters or by type; give partition_method "
                                 "to PipelineModule");
}

} // namespace

Launch deepSpeedLaunch(const LaunchPlan &plan)
{
    Launch launch;
    const model::ParallelPlan &parallel = plan.parallel();
    const model::Recompute recompute = plan.experiment.schedule.recompute;
    Configuration json{{"train_batch_size", plan.globalBatch()},
                       {"train_micro_batch_size_per_gpu", parallel.microbatchSize},
                       {"gradient_accumulation_steps", plan.microbatches()},
                       {"steps_per_print", 1}};
    addOptimizer(plan, json);
    addNumerics(plan, json);
    json["zero_optimization"] = {{"stage", parallel.zero}};
    if (plan.devices() > 1)
        json["pipeline"] = {{"stages", plan.devices()},
                            {"partition", "uniform"},
                            {"activation_checkpoint_interval", recompute == model::Recompute::Full ? 1 : 0}};
    launch.text = json.dump(2) + '\n';

    omitForDeepSpeed(plan, launch);
    omitVocabulary(plan, "DeepSpeed", launch);
    launch.omitted.push_back(fmt::format("model: build it in code as a PipelineModule with num_stages {}, of {} layers, hidden "
                                         "size {}, {} heads, sequence {}, vocabulary {}",
                                         plan.devices(), plan.model().layers, plan.model().hidden, plan.model().heads,
                                         plan.model().sequence, plan.model().vocabularySize));
    if (parallel.zero > 1 && plan.devices() > 1)
        launch.omitted.push_back(fmt::format("ZeRO {}: DeepSpeed's pipeline engine refuses it; choose 0 or 1", parallel.zero));
    if (parallel.shardGroups() > 1)
        launch.omitted.push_back(
            fmt::format("groups of {} replicas that shard: DeepSpeed's configuration shards over all", parallel.shardReplicas));
    if (parallel.tensor > 1)
        launch.omitted.push_back(fmt::format("tensor parallelism: give PipelineModule a PipeModelDataParallelTopology with "
                                             "num_mp {} and a model that is split, as Megatron-DeepSpeed's",
                                             parallel.tensor));
    if (plan.model().hasExperts())
        launch.omitted.push_back(fmt::format("experts: build them in code with deepspeed.moe.layer.MoE, ep_size {}{}",
                                             parallel.expert,
                                             parallel.zero == 3 ? ", which refuses ZeRO 3; choose 0 to 2" : ""));
    if (parallel.context > 1)
        launch.omitted.push_back("context parallelism: DeepSpeed's pipeline engine has none");
    if (parallel.rankOrder != model::ParallelPlan().rankOrder)
        launch.omitted.push_back(fmt::format("rank order {}: DeepSpeed's 3D topology is tp-dp-pp", parallel.rankOrder));
    if (recompute == model::Recompute::Selective)
        launch.omitted.push_back("selective recomputation: DeepSpeed recomputes whole layers");
    if (!plan.experiment.schedule.recomputeLayers.empty() || plan.experiment.schedule.recomputeModules.any())
        launch.omitted.push_back("recomputed layers and operators: DeepSpeed recomputes all layers of every stage");
    launch.omitted.push_back(
        fmt::format("steps and data: {} calls of train_batch() with the script's own data", plan.experiment.training.steps));
    return launch;
}

} // namespace stagelens::exchange
