// A configuration of DeepSpeed's pipeline engine.
#include "engine/exchange/launch_plan.h"

#include <nlohmann/json.hpp>

namespace stagelens::exchange {

using base::concat;
using Configuration = nlohmann::ordered_json;

namespace {

void addNumerics(const LaunchPlan &plan, Configuration &json)
{
    const model::DataType type = plan.model().dtype;
    if (type == model::DataType::Bf16) {
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
    if (plan.schedule.family() != "1f1b")
        launch.omitted.push_back(concat("schedule ", plan.schedule.family(), ": DeepSpeed's pipeline engine runs 1F1B"));
    if (plan.chunks() > 1)
        launch.omitted.push_back(concat(plan.chunks(), " stages a device: DeepSpeed has one"));
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
    launch.omitted.push_back(concat("model: build it in code as a PipelineModule with num_stages ", plan.devices(), ", of ",
                                    plan.model().layers, " layers, hidden size ", plan.model().hidden, ", ", plan.model().heads,
                                    " heads, sequence ", plan.model().sequence, ", vocabulary ", plan.model().vocabularySize));
    if (parallel.zero > 1 && plan.devices() > 1)
        launch.omitted.push_back(concat("ZeRO ", parallel.zero, ": DeepSpeed's pipeline engine refuses it; choose 0 or 1"));
    if (parallel.shardGroups() > 1)
        launch.omitted.push_back(
            concat("groups of ", parallel.shardReplicas, " replicas that shard: DeepSpeed's configuration shards over all"));
    if (parallel.tensor > 1)
        launch.omitted.push_back(concat("tensor parallelism: give PipelineModule a PipeModelDataParallelTopology with num_mp ",
                                        parallel.tensor, " and a model that is split, as Megatron-DeepSpeed's"));
    if (parallel.context > 1)
        launch.omitted.push_back("context parallelism: DeepSpeed's pipeline engine has none");
    if (parallel.rankOrder != model::ParallelPlan().rankOrder)
        launch.omitted.push_back(concat("rank order ", parallel.rankOrder, ": DeepSpeed's 3D topology is tp-dp-pp"));
    if (recompute == model::Recompute::Selective)
        launch.omitted.push_back("selective recomputation: DeepSpeed recomputes whole layers");
    if (!plan.experiment.schedule.recomputeLayers.empty() || plan.experiment.schedule.recomputeModules.any())
        launch.omitted.push_back("recomputed layers and operators: DeepSpeed recomputes all layers of every stage");
    launch.omitted.push_back(
        concat("steps and data: ", plan.experiment.training.steps, " calls of train_batch() with the script's own data"));
    return launch;
}

} // namespace stagelens::exchange
