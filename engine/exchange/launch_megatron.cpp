// Arguments of Megatron-LM's pretrain_gpt.py.
#include "engine/base/text.h"
#include "engine/exchange/launch_plan.h"
#include "engine/model/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace stagelens::exchange {
namespace {

/// Collects arguments, a line for each group.
class Arguments {
public:
    template <class... Values>
    void add(std::string_view name, const Values &...values)
    {
        std::string word(name);
        ((word += ' ' + base::valueText(values)), ...);
        m_line.push_back(std::move(word));
    }
    void endLine()
    {
        if (!m_line.empty())
            m_lines.push_back(base::join(m_line, " "));
        m_line.clear();
    }
    [[nodiscard]] std::string text() const { return base::join(m_lines, " \\\n    "); }

private:
    std::vector<std::string> m_line;
    std::vector<std::string> m_lines;
};

void addLatentAttention(const model::LatentAttention &latent, Arguments &arguments)
{
    arguments.add("--multi-latent-attention");
    arguments.add("--q-lora-rank", latent.queryRank);
    arguments.add("--kv-lora-rank", latent.keyValueRank);
    arguments.add("--qk-head-dim", latent.plainSize);
    arguments.add("--qk-pos-emb-head-dim", latent.rotarySize);
    arguments.add("--v-head-dim", latent.valueSize);
    arguments.endLine();
}

void addRouter(const model::ModelConfig &model, Arguments &arguments)
{
    if (model.router == model::RouterScore::Sigmoid) {
        arguments.add("--moe-router-score-function", "sigmoid");
        arguments.add("--moe-router-enable-expert-bias");
        arguments.add("--moe-router-bias-update-rate", model.routerBiasRate);
        arguments.add("--moe-router-topk-scaling-factor", model.routerScale);
        arguments.add("--moe-router-dtype", "fp32");
    }
    if (model.routerGroups > 1 && model.chosenGroups() < model.routerGroups) {
        arguments.add("--moe-router-num-groups", model.routerGroups);
        arguments.add("--moe-router-group-topk", model.chosenGroups());
    }
    if (model.capacityFactor) {
        arguments.add("--moe-expert-capacity-factor", *model.capacityFactor);
        arguments.add("--moe-token-drop-policy", model.dropRule == model::DropRule::Gate ? "probs" : "position");
    }
}

void addExperts(const model::ModelConfig &model, Arguments &arguments)
{
    arguments.add("--num-experts", model.experts);
    arguments.add("--moe-router-topk", model.topK);
    arguments.add("--moe-ffn-hidden-size", model.expertWidth());
    arguments.add("--moe-grouped-gemm");
    arguments.add("--moe-router-load-balancing-type", model.auxLoss > 0 ? "aux_loss" : "none");
    arguments.add("--moe-aux-loss-coeff", model.auxLoss);
    if (model.zLoss > 0)
        arguments.add("--moe-z-loss-coeff", model.zLoss);
    if (model.sharedExperts > 0)
        arguments.add("--moe-shared-expert-intermediate-size", std::int64_t{model.sharedExperts} * model.expertWidth());
    if (model.mixesLayers()) { // a 1 for each layer with experts
        std::string pattern;
        for (int layer = 0; layer < model.layers; ++layer)
            pattern += fmt::format("{}{}", layer == 0 ? "[" : ",", model.hasExpertsAt(layer) ? 1 : 0);
        arguments.add("--moe-layer-freq", fmt::format("'{}]'", pattern));
    }
    addRouter(model, arguments);
    arguments.endLine();
}

void addModel(const LaunchPlan &plan, Arguments &arguments, Launch &launch)
{
    const model::ModelConfig &model = plan.model();
    arguments.add("--num-layers", model.layers);
    arguments.add("--hidden-size", model.hidden);
    arguments.add("--ffn-hidden-size", model.ffn);
    arguments.add("--num-attention-heads", model.heads);
    if (model.headDim)
        arguments.add("--kv-channels", *model.headDim);
    if (model.kvHeads != model.heads) {
        arguments.add("--group-query-attention");
        arguments.add("--num-query-groups", model.kvHeads);
    }
    arguments.endLine();
    if (model.latentAttention)
        addLatentAttention(*model.latentAttention, arguments);
    if (model.hasExperts())
        addExperts(model, arguments);
    arguments.add("--seq-length", model.sequence);
    arguments.add("--max-position-embeddings", model.sequence);
    if (!model.tied)
        arguments.add("--untie-embeddings-and-output-weights");
    arguments.add("--attention-dropout", 0);
    arguments.add("--hidden-dropout", 0);
    arguments.endLine();
    if (model.family == model::ModelFamily::Gpt) {
        arguments.add("--position-embedding-type", "learned_absolute");
        arguments.add("--normalization", "LayerNorm");
    } else {
        arguments.add("--position-embedding-type", "rope");
        arguments.add("--rotary-base", static_cast<std::int64_t>(model.ropeTheta));
        arguments.add("--normalization", "RMSNorm");
        arguments.add("--norm-epsilon", model.rmsNormEpsilon);
        arguments.add("--swiglu");
        arguments.add("--disable-bias-linear");
        if (model.ropeScaling) {
            arguments.add("--use-rope-scaling");
            arguments.add("--rope-scaling-factor", model.ropeScaling->factor);
        }
    }
    arguments.endLine();
    if (model.dtype != model::DataType::Fp32)
        arguments.add(model.dtype == model::DataType::Fp16 ? "--fp16" : "--bf16");
    if (model.dtype == model::DataType::Bf16 || model.dtype == model::DataType::Fp8)
        arguments.add("--accumulate-allreduce-grads-in-fp32");
    if (model.dtype == model::DataType::Fp8) {
        arguments.add("--fp8-format", "e4m3");
        arguments.add("--fp8-recipe", "blockwise");
    }
    const bool isFlash = plan.experiment.schedule.attention == model::Attention::Flash;
    arguments.add("--attention-backend", isFlash ? "flash" : "unfused");
    arguments.endLine();
    const int multiple = 128 * plan.parallel().tensor;
    if (model.vocabularySize % multiple != 0)
        launch.omitted.push_back(
            fmt::format("vocabulary size {}: Megatron-LM pads it to {}, a multiple of 128 for each tensor rank",
                        model.vocabularySize, (model.vocabularySize + multiple - 1) / multiple * multiple));
}

/// "Et*3|t*4|t*4|t*3L": the layers of each stage, in the order of the model.
std::string layoutText(const std::vector<int> &layers)
{
    std::string text = "E";
    for (std::size_t stage = 0; stage < layers.size(); ++stage) {
        text += stage == 0 ? "" : "|";
        if (layers[stage] > 0)
            text += layers[stage] == 1 ? "t" : fmt::format("t*{}", layers[stage]);
    }
    return text + "L";
}

void addStages(const LaunchPlan &plan, Arguments &arguments, Launch &launch)
{
    const bool runsChunks = plan.chunks() > 1 && plan.isLooped();
    if (plan.chunks() > 1 && !runsChunks) {
        launch.omitted.push_back(fmt::format(
            "placement of the stages: Megatron-LM puts stage s on device s mod {}; the arguments are for one stage a device",
            plan.devices()));
        if (plan.model().layers % plan.devices() != 0)
            launch.omitted.push_back(fmt::format("{} layers do not divide into {} equal stages, which these arguments need",
                                                 plan.model().layers, plan.devices()));
        return;
    }
    if (!plan.isEven())
        arguments.add("--pipeline-model-parallel-layout", fmt::format("\"{}\"", layoutText(plan.stageLayers())));
    else if (runsChunks)
        arguments.add("--num-virtual-stages-per-pipeline-rank", plan.chunks());
    if (runsChunks)
        if (const auto group = plan.experiment.schedule.groupSize; group && *group != plan.devices())
            arguments.add("--microbatch-group-size-per-virtual-pipeline-stage", *group);
}

/// Returns whether Megatron-LM can run a forward beside a backward: with experts on several ranks, of interleaved stages.
bool hasMegatronPairs(const LaunchPlan &plan)
{
    return plan.experiment.schedule.overlappedPairs && plan.experiment.parallel.expert > 1 && plan.chunks() > 1 &&
           plan.isLooped();
}

void omitForMegatron(const LaunchPlan &plan, Launch &launch)
{
    const std::string &family = plan.schedule.family();
    const bool isKnown = family == "1f1b" || (family == "interleaved-1f1b" && plan.isLooped());
    if (!isKnown)
        launch.omitted.push_back(fmt::format("schedule {}: Megatron-LM runs {}", family,
                                             plan.chunks() > 1 && plan.isLooped() ? "interleaved 1F1B" : "1F1B"));
    if (plan.experiment.schedule.overlappedPairs && !hasMegatronPairs(plan))
        launch.omitted.push_back("overlapped pairs: Megatron-LM has them with --overlap-moe-expert-parallel-comm, for experts "
                                 "on several ranks and one pipeline device or interleaved stages");
}

void addParallel(const LaunchPlan &plan, Arguments &arguments, Launch &launch)
{
    const model::ParallelPlan &parallel = plan.parallel();
    arguments.add("--tensor-model-parallel-size", parallel.tensor);
    if (parallel.hasSequenceParallel())
        arguments.add("--sequence-parallel");
    arguments.add("--context-parallel-size", parallel.context);
    if (parallel.expert > 1) { // whole experts, whatever the tensor ranks
        arguments.add("--expert-model-parallel-size", parallel.expert);
        arguments.add("--expert-tensor-parallel-size", 1);
        arguments.add("--moe-token-dispatcher-type", "alltoall");
        if (hasMegatronPairs(plan))
            arguments.add("--overlap-moe-expert-parallel-comm");
        if (parallel.context > 1)
            launch.omitted.push_back(
                "groups of expert ranks within a context rank: Megatron-LM folds them over context ranks, too");
    }
    arguments.endLine();
    arguments.add("--pipeline-model-parallel-size", plan.devices());
    addStages(plan, arguments, launch);
    arguments.endLine();
    arguments.add("--micro-batch-size", parallel.microbatchSize);
    arguments.add("--global-batch-size", plan.globalBatch());
    arguments.endLine();
    if (parallel.zero >= 1)
        arguments.add("--use-distributed-optimizer");
    if (parallel.zero >= 2) {
        arguments.add("--use-megatron-fsdp");
        arguments.add("--data-parallel-sharding-strategy", parallel.zero == 2 ? "optim_grads" : "optim_grads_params");
        if (!parallel.reducesEagerly())
            launch.omitted.push_back(fmt::format("ZeRO {}{}: Megatron-FSDP reduces the gradients of every microbatch{}",
                                                 parallel.zero,
                                                 parallel.zero == 2 ? " with deferred gradients" : " with resident parameters",
                                                 parallel.zero == 2 ? "" : " and gathers parameters for every pass"));
    }
    if (parallel.zero == 3 && parallel.zero3 == model::ZeroParameters::KeepUntilBackward)
        launch.omitted.push_back("parameters kept until the backward: Megatron-FSDP gathers them for every pass");
    if (parallel.shardGroups() > 1)
        launch.omitted.push_back(
            fmt::format("groups of {} replicas that shard: Megatron-LM's script shards over all", parallel.shardReplicas));
    if (parallel.rankOrder == "tp-cp-pp-dp")
        arguments.add("--use-tp-pp-dp-mapping");
    else if (parallel.rankOrder != model::ParallelPlan().rankOrder)
        launch.omitted.push_back(fmt::format("rank order {}: Megatron-LM has tp-cp-dp-pp and tp-cp-pp-dp", parallel.rankOrder));
    arguments.endLine();
    if (plan.experiment.schedule.recompute == model::Recompute::Selective)
        arguments.add("--recompute-granularity", "selective");
    const model::ScheduleChoice &schedule = plan.experiment.schedule;
    const bool isEven =
        schedule.recomputeLayers.size() == 1 ||
        std::ranges::adjacent_find(schedule.recomputeLayers, std::ranges::not_equal_to()) == schedule.recomputeLayers.end();
    if (!schedule.recomputeLayers.empty() && isEven && schedule.recomputeLayers.front() > 0) {
        arguments.add("--recompute-granularity", "full");
        arguments.add("--recompute-method", "block");
        arguments.add("--recompute-num-layers", schedule.recomputeLayers.front());
    } else if (!isEven) {
        launch.omitted.push_back("recomputed layers of each stage: Megatron-LM recomputes as many in every stage");
    }
    if (schedule.recomputeModules.any())
        launch.omitted.push_back(fmt::format("recomputed operators ({}): Megatron-LM's --recompute-modules names others",
                                             model::text(schedule.recomputeModules)));
    if (plan.experiment.schedule.recompute == model::Recompute::Full) {
        arguments.add("--recompute-granularity", "full");
        arguments.add("--recompute-method", "uniform");
        arguments.add("--recompute-num-layers", 1);
    }
    arguments.endLine();
}

void addTraining(const LaunchPlan &plan, Arguments &arguments)
{
    const model::TrainingPlan &training = plan.experiment.training;
    arguments.add("--train-iters", training.steps);
    arguments.add("--seed", training.seed);
    arguments.add("--optimizer", "adam");
    arguments.add("--lr", training.optimizer.learningRate);
    arguments.add("--lr-decay-style", "constant");
    arguments.endLine();
    arguments.add("--adam-beta1", training.optimizer.beta1);
    arguments.add("--adam-beta2", training.optimizer.beta2);
    arguments.add("--weight-decay", training.optimizer.weightDecay);
    arguments.add("--clip-grad", training.optimizer.clip.value_or(0));
    arguments.endLine();
    // The null tokenizer adds an end-of-text token.
    arguments.add("--mock-data");
    arguments.add("--tokenizer-type", "NullTokenizer");
    arguments.add("--vocab-size", plan.model().vocabularySize - 1);
    arguments.endLine();
}

} // namespace

Launch megatronLaunch(const LaunchPlan &plan)
{
    Launch launch;
    Arguments arguments;
    addParallel(plan, arguments, launch);
    addModel(plan, arguments, launch);
    addTraining(plan, arguments);
    omitForMegatron(plan, launch);
    omitVocabulary(plan, "Megatron-LM", launch);
    if (plan.experiment.training.data != "synthetic")
        launch.omitted.push_back("training data: the arguments use --mock-data; give --data-path and the tokenizer instead");
    const std::int64_t here = std::min<std::int64_t>(plan.ranks(), plan.devicesPerNode);
    const std::int64_t nodes = (plan.ranks() + here - 1) / here;
    launch.text =
        fmt::format("#!/bin/sh\n# {} ranks. On each of {} nodes: NODE_RANK=n MASTER_ADDR=host sh THIS_FILE, in a checkout of "
                    "Megatron-LM.\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\nexec torchrun --nnodes {} --nproc-per-node {} "
                    "--node-rank \"${{NODE_RANK:-0}}\" \\\n    --master-addr \"${{MASTER_ADDR:-localhost}}\" --master-port "
                    "\"${{MASTER_PORT:-29500}}\" \\\n    pretrain_gpt.py \\\n    {}\n",
                    plan.ranks(), nodes, nodes, here, arguments.text());
    return launch;
}

} // namespace stagelens::exchange
