#include "engine/model/capabilities.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/model/schema.h"
#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

namespace stagelens::model {
namespace {

constexpr std::string_view kOnlyPredicts = "a run takes the times of its machine";
constexpr std::string_view kLeaveOut = "leave it out to run the plan, or predict it with simulate";
constexpr std::string_view kOneOnly = "choose 1; plans are split by devices, and their vocabulary layers by vocabulary";

bool hasExperts(const Experiment &experiment)
{
    return experiment.hasModel && experiment.model.hasExperts();
}

bool hasContextRanks(const Experiment &experiment)
{
    return experiment.parallel.context > 1;
}

bool hasExpertRanks(const Experiment &experiment)
{
    return experiment.parallel.expert > 1;
}

bool hasShardGroups(const Experiment &experiment)
{
    return experiment.parallel.shardReplicas > 0 && experiment.parallel.shardReplicas < experiment.parallel.replicas;
}

bool compresses(const Experiment &experiment)
{
    return experiment.training.compression.isOn();
}

bool needsWholeMatrices(const OptimizerChoice &choice)
{
    const operators::Optimizer *const optimizer = operators::findOptimizer(choice.name);
    return optimizer != nullptr && optimizer->granularityOf(operators::ParameterKind::Matrix) == operators::Granularity::Matrix;
}

constexpr std::array kCapabilities{
    Capability{.name = "pipeline",
               .description = "stages of the model on several devices",
               .field = "parallel.devices",
               .isUsed = [](const Experiment &e) { return e.parallel.devices > 1; }},
    Capability{.name = "vocabulary-parallelism",
               .description = "vocabulary layers sharded over the pipeline's devices",
               .field = "schedule.vocabulary",
               .isUsed = [](const Experiment &e) { return traits(e.schedule.vocabulary).isSharded; }},
    Capability{.name = "tensor-parallelism",
               .description = "each layer split over several ranks",
               .field = "parallel.tensor",
               .isUsed = [](const Experiment &e) { return e.parallel.tensor > 1; }},
    Capability{.name = "tensor-parallelism-on-gpus",
               .description = "each layer split over several GPUs",
               .field = "parallel.tensor",
               .isUsed = [](const Experiment &e) { return e.parallel.tensor > 1 && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "GPUs do not yet sum the parts of a layer",
               .remedy = "choose 1, or the backend cpu"},
    Capability{.name = "context-parallelism",
               .description = "each sequence split over several ranks",
               .field = "parallel.context",
               .isUsed = hasContextRanks},
    Capability{
        .name = "context-parallelism-by-a-ring",
        .description = "keys and values of other ranks in a ring of messages beside attention",
        .field = "parallel.context_method",
        .isUsed = [](const Experiment &e) { return hasContextRanks(e) && e.parallel.contextMethod == ContextMethod::Ring; }},
    Capability{.name = "ring-with-kept-probabilities",
               .description = "materialised attention, whose keys come in a ring",
               .field = "parallel.context_method",
               .isUsed =
                   [](const Experiment &e) {
                       return hasContextRanks(e) && e.parallel.contextMethod == ContextMethod::Ring &&
                              e.schedule.attention == Attention::Materialised;
                   },
               .isRun = false,
               .reason = "the probabilities of a part of the keys change with every part that follows",
               .remedy = "choose all-gather, or flash attention"},
    Capability{
        .name = "context-parallelism-by-heads",
        .description = "tokens exchanged for heads around attention",
        .field = "parallel.context_method",
        .isUsed = [](const Experiment &e) { return hasContextRanks(e) && e.parallel.contextMethod == ContextMethod::Ulysses; }},
    Capability{.name = "context-parallelism-on-gpus",
               .description = "each sequence split over several GPUs",
               .field = "parallel.context",
               .isUsed = [](const Experiment &e) { return hasContextRanks(e) && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "GPUs have no attention of a part of a sequence to all of its keys yet",
               .remedy = "choose 1, or the backend cpu"},
    Capability{.name = "data-parallelism",
               .description = "several copies of the pipeline, each with its own microbatches",
               .field = "parallel.replicas",
               .isUsed = [](const Experiment &e) { return e.parallel.replicas > 1; }},
    Capability{.name = "data-parallelism-on-gpus",
               .description = "several copies of the pipeline on GPUs",
               .field = "parallel.replicas",
               .isUsed = [](const Experiment &e) { return e.parallel.replicas > 1 && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "GPUs do not yet sum gradients over replicas",
               .remedy = "choose 1, or the backend cpu"},
    Capability{.name = "expert-parallelism",
               .description = "experts of a layer divided over replicas",
               .field = "parallel.expert",
               .isUsed = hasExpertRanks},
    Capability{.name = "expert-parallelism-with-exchanges-in-passes",
               .description = "experts divided over replicas, with ZeRO that exchanges in every microbatch",
               .field = "parallel.expert",
               .isUsed = [](const Experiment &e) { return hasExpertRanks(e) && e.parallel.reducesEagerly(); },
               .isPredicted = false,
               .isRun = false,
               .reason = "passes do not yet exchange among replicas and among expert ranks",
               .remedy = "choose 1, or exchange once a step (zero2 deferred, zero3 resident)"},
    Capability{.name = "expert-parallelism-with-shard-groups",
               .description = "experts divided over replicas that shard in groups",
               .field = "parallel.expert",
               .isUsed = [](const Experiment &e) { return hasExpertRanks(e) && hasShardGroups(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "the replicas of an expert would be of several groups",
               .remedy = "choose 1, or shard over all replicas (shard_replicas 0)"},
    Capability{.name = "expert-skew",
               .description = "experts of unequal popularity",
               .field = "what_if.expert_skew",
               .isUsed = [](const Experiment &e) { return e.whatIf.expertSkew.has_value(); },
               .isRun = false,
               .reason = "a run takes the choices of its routers",
               .remedy = kLeaveOut},
    Capability{.name = "experts", .description = "mixture-of-experts layers", .field = "model.experts", .isUsed = hasExperts},
    Capability{.name = "experts-with-tensor-ranks",
               .description = "mixture-of-experts layers split over several ranks",
               .field = "parallel.tensor",
               .isUsed = [](const Experiment &e) { return hasExperts(e) && e.parallel.tensor > 1; },
               .isPredicted = false,
               .isRun = false,
               .reason = "tensor ranks do not yet divide experts",
               .remedy = "choose 1, or a model without experts"},
    Capability{.name = "experts-with-context-ranks",
               .description = "mixture-of-experts layers on a part of each sequence",
               .field = "parallel.context",
               .isUsed = [](const Experiment &e) { return hasExperts(e) && hasContextRanks(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "routers would balance the tokens of each context rank alone",
               .remedy = "choose 1, or a model without experts"},
    Capability{.name = "experts-on-gpus",
               .description = "mixture-of-experts layers on GPUs",
               .field = "model.experts",
               .isUsed = [](const Experiment &e) { return hasExperts(e) && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "GPUs have no kernels of experts yet",
               .remedy = "choose the backend cpu, or a model without experts"},
    Capability{.name = "shared-experts",
               .description = "experts that compute every token",
               .field = "model.shared_experts",
               .isUsed = [](const Experiment &e) { return hasExperts(e) && e.model.sharedExperts > 0; }},
    Capability{.name = "sigmoid-routers",
               .description = "routers of sigmoids with a selection bias, and groups of experts",
               .field = "model.router",
               .isUsed = [](const Experiment &e) { return e.hasModel && e.model.hasRouterBias(); }},
    Capability{.name = "expert-capacity",
               .description = "experts that drop rows beyond a capacity",
               .field = "model.capacity_factor",
               .isUsed = [](const Experiment &e) { return hasExperts(e) && e.model.capacityFactor.has_value(); }},
    Capability{.name = "mixed-layers",
               .description = "layers with and without experts in one model",
               .field = "model.dense_layers",
               .isUsed = [](const Experiment &e) { return e.hasModel && e.model.mixesLayers(); }},
    Capability{.name = "mixed-layers-redistributed",
               .description = "layers with and without experts, moved away from the output layer",
               .field = "schedule.vocabulary",
               .isUsed =
                   [](const Experiment &e) {
                       return e.hasModel && e.model.mixesLayers() && traits(e.schedule.vocabulary).redistributesLayers;
                   },
               .isPredicted = false,
               .isRun = false,
               .reason = "it counts the work of all layers as equal",
               .remedy = "choose another method, or give the layers of each stage"},
    Capability{.name = "latent-attention",
               .description = "attention from latent vectors (DeepSeek)",
               .field = "model.preset",
               .isUsed = [](const Experiment &e) { return e.hasModel && e.model.latentAttention.has_value(); },
               .isRun = false,
               .reason = "latent attention has no kernels yet",
               .remedy = kLeaveOut},
    Capability{.name = "latent-attention-split",
               .description = "latent attention on tensor or context ranks, or materialised",
               .field = "model.preset",
               .isUsed =
                   [](const Experiment &e) {
                       return e.hasModel && e.model.latentAttention &&
                              (e.parallel.tensor > 1 || hasContextRanks(e) || e.schedule.attention != Attention::Flash);
                   },
               .isPredicted = false,
               .isRun = false,
               .reason = "only flash attention on whole sequences and all heads is modelled",
               .remedy = "choose 1 tensor and context rank, and attention flash"},
    Capability{.name = "experts-with-whole-matrices",
               .description = "optimizers whose state is of whole matrices, with experts",
               .field = "training.optimizer.name",
               .isUsed = [](const Experiment &e) { return hasExperts(e) && needsWholeMatrices(e.training.optimizer); },
               .isRun = false,
               .reason = "it would treat the matrices of all experts of a layer as one",
               .remedy = "choose adamw, adam8bit, lion or sgd, or a model without experts"},
    Capability{.name = "zero-1",
               .description = "optimizer state sharded over replicas",
               .field = "parallel.zero",
               .isUsed = [](const Experiment &e) { return e.parallel.zero == 1; }},
    Capability{.name = "zero-2",
               .description = "gradients sharded over replicas from their reduction on",
               .field = "parallel.zero",
               .isUsed = [](const Experiment &e) { return e.parallel.zero == 2; }},
    Capability{.name = "zero-3",
               .description = "parameters sharded over replicas between steps",
               .field = "parallel.zero",
               .isUsed = [](const Experiment &e) { return e.parallel.zero == 3; }},
    Capability{.name = "eager-zero-2",
               .description = "gradients reduced after every backward",
               .field = "parallel.zero2",
               .isUsed = [](const Experiment &e) { return e.parallel.zero == 2 && e.parallel.reducesEagerly(); },
               .isRun = false,
               .reason = "the replicas of a run reduce gradients once a step",
               .remedy = "choose deferred, or predict it with simulate"},
    Capability{
        .name = "resharded-zero-3",
        .description = "parameters gathered for every pass",
        .field = "parallel.zero3",
        .isUsed = [](const Experiment &e) { return e.parallel.zero == 3 && e.parallel.zero3 == ZeroParameters::Reshard; },
        .isRun = false,
        .reason = "the replicas of a run gather parameters once a step",
        .remedy = "choose resident, or predict it with simulate"},
    Capability{
        .name = "zero-3-kept-until-backward",
        .description = "parameters gathered for every microbatch",
        .field = "parallel.zero3",
        .isUsed =
            [](const Experiment &e) { return e.parallel.zero == 3 && e.parallel.zero3 == ZeroParameters::KeepUntilBackward; },
        .isPredicted = false,
        .isRun = false,
        .reason = "a prediction has one time for all forwards of a stage, and only some of them gather",
        .remedy = "choose reshard or resident"},
    Capability{.name = "shard-groups",
               .description = "replicas that shard in groups and sum over the groups (HSDP)",
               .field = "parallel.shard_replicas",
               .isUsed = hasShardGroups},
    Capability{.name = "exchanges-in-passes-with-shard-groups",
               .description = "ZeRO that exchanges in every microbatch, in groups of replicas",
               .field = "parallel.shard_replicas",
               .isUsed = [](const Experiment &e) { return e.parallel.reducesEagerly() && hasShardGroups(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "passes have no second exchange over the groups yet",
               .remedy = "choose 0, or exchange once a step (zero2 deferred, zero3 resident)"},
    Capability{.name = "shard-groups-with-context-ranks",
               .description = "groups of replicas that shard, each replica with several context ranks",
               .field = "parallel.shard_replicas",
               .isUsed = [](const Experiment &e) { return hasContextRanks(e) && hasShardGroups(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "context ranks shard with all replicas",
               .remedy = "choose 0, or one context rank"},
    Capability{.name = "exchanges-in-passes-with-context-ranks",
               .description = "ZeRO that exchanges in every microbatch, with context ranks",
               .field = "parallel.context",
               .isUsed = [](const Experiment &e) { return e.parallel.reducesEagerly() && hasContextRanks(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "passes do not yet exchange among replicas and among context ranks",
               .remedy = "choose 1, or exchange once a step (zero2 deferred, zero3 resident)"},
    Capability{
        .name = "exchanges-in-passes-with-sharded-vocabulary",
        .description = "ZeRO that exchanges in every microbatch, with vocabulary layers sharded over devices",
        .field = "schedule.vocabulary",
        .isUsed = [](const Experiment &e) { return e.parallel.reducesEagerly() && traits(e.schedule.vocabulary).isSharded; },
        .isPredicted = false,
        .isRun = false,
        .reason = "the passes of sharded vocabulary layers have no exchanges among replicas yet",
        .remedy = "choose none or redis, or exchange once a step (zero2 deferred, zero3 resident)"},
    Capability{.name = "exchanges-in-passes-with-given-durations",
               .description = "ZeRO that exchanges in every microbatch, with durations that are given",
               .field = "parallel.zero",
               .isUsed =
                   [](const Experiment &e) {
                       return e.parallel.reducesEagerly() && !std::holds_alternative<HardwarePreset>(e.cost.source);
                   },
               .isPredicted = false,
               .isRun = false,
               .reason = "given durations do not say what exchanges take",
               .remedy = "choose a hardware preset, or exchange once a step (zero2 deferred, zero3 resident)"},
    Capability{.name = "exchanges-in-passes-of-unequal-replicas",
               .description = "ZeRO that exchanges in every microbatch, with slow parts, jitter or lengths",
               .field = "parallel.zero",
               .isUsed =
                   [](const Experiment &e) {
                       return e.parallel.reducesEagerly() &&
                              (!e.whatIf.slow.empty() || e.whatIf.jitter.has_value() || !e.whatIf.lengths.empty());
                   },
               .isPredicted = false,
               .isRun = false,
               .reason = "replicas would wait for each other in every pass, and each is simulated alone",
               .remedy = "choose to exchange once a step (zero2 deferred, zero3 resident), or leave the what-if out"},
    Capability{.name = "gradient-compression",
               .description = "gradients compressed between replicas, with error feedback",
               .field = "training.gradient_compression",
               .isUsed = compresses},
    Capability{.name = "gradient-compression-with-sharded-gradients",
               .description = "gradients compressed between replicas that shard them (ZeRO-2, 3)",
               .field = "training.gradient_compression",
               .isUsed = [](const Experiment &e) { return compresses(e) && e.parallel.zero >= 2; },
               .isPredicted = false,
               .isRun = false,
               .reason = "its methods give every replica the whole sum, of which ZeRO-2 and 3 keep a part",
               .remedy = "choose none, or zero 0 or 1"},
    Capability{.name = "gradient-compression-with-shard-groups",
               .description = "gradients compressed between replicas that shard in groups",
               .field = "training.gradient_compression",
               .isUsed = [](const Experiment &e) { return compresses(e) && hasShardGroups(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "groups of replicas would need a second residual for the sums of a group",
               .remedy = "choose none, or shard over all replicas (shard_replicas 0)"},
    Capability{.name = "gradient-compression-of-experts",
               .description = "gradients of mixture-of-experts layers compressed between replicas",
               .field = "training.gradient_compression",
               .isUsed = [](const Experiment &e) { return compresses(e) && hasExperts(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "it would treat the matrices of all experts of a layer as one",
               .remedy = "choose none, or a model without experts"},
    Capability{.name = "gradient-compression-on-gpus",
               .description = "gradients compressed between replicas on GPUs",
               .field = "training.gradient_compression",
               .isUsed = [](const Experiment &e) { return compresses(e) && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "GPUs have no kernels of it yet",
               .remedy = "choose none, or the backend cpu"},
    Capability{.name = "other-optimizers",
               .description = "optimizers other than AdamW",
               .field = "training.optimizer.name",
               .isUsed = [](const Experiment &e) { return e.training.optimizer.name != OptimizerChoice().name; }},
    Capability{
        .name = "whole-rows-with-tensor-ranks",
        .description = "optimizers whose state is of whole rows or matrices, with layers split over ranks",
        .field = "training.optimizer.name",
        .isUsed =
            [](const Experiment &e) { return e.parallel.tensor > 1 && !optimizerOf(e.training.optimizer).isElementwise(); },
        .isRun = false,
        .reason = "tensor ranks divide the rows and columns that its state is of",
        .remedy = "choose adamw, lion or sgd, or tensor 1"},
    Capability{.name = "other-optimizers-on-gpus",
               .description = "optimizers other than AdamW on GPUs",
               .field = "training.optimizer.name",
               .isUsed =
                   [](const Experiment &e) {
                       return e.training.backend == "cuda" && e.training.optimizer.name != OptimizerChoice().name;
                   },
               .isRun = false,
               .reason = "GPUs have kernels of adamw only",
               .remedy = "choose adamw, or the backend cpu"},
    Capability{
        .name = "fp16-on-gpus",
        .description = "weights and activations in fp16 on GPUs",
        .field = "model.dtype",
        .isUsed =
            [](const Experiment &e) { return e.hasModel && e.training.backend == "cuda" && e.model.dtype == DataType::Fp16; },
        .isRun = false,
        .reason = "the engine has no loss scaling, which it needs",
        .remedy = "choose bf16 or fp32"},
    Capability{.name = "materialised-attention-on-gpus",
               .description = "attention's probabilities kept in memory on GPUs",
               .field = "schedule.attention",
               .isUsed =
                   [](const Experiment &e) {
                       return e.hasModel && e.training.backend == "cuda" && e.schedule.attention == Attention::Materialised;
                   },
               .isRun = false,
               .reason = "the GPU kernels of attention never store its probabilities",
               .remedy = "choose flash, or the backend cpu"},
    Capability{.name = "recompute-layers",
               .description = "the first layers of each stage recomputed as a whole",
               .field = "schedule.recompute_layers",
               .isUsed = [](const Experiment &e) { return !e.schedule.recomputeLayers.empty(); }},
    Capability{.name = "recompute-modules",
               .description = "norms, activation functions or attention of a layer recomputed",
               .field = "schedule.recompute_modules",
               .isUsed = [](const Experiment &e) { return e.hasModel && e.schedule.recomputeModules.any(); }},
    Capability{.name = "recompute-gelu-on-gpus",
               .description = "GELU recomputed on GPUs",
               .field = "schedule.recompute_modules",
               .isUsed =
                   [](const Experiment &e) {
                       return e.hasModel && e.training.backend == "cuda" && e.schedule.recomputeModules.activation &&
                              e.model.family == ModelFamily::Gpt;
                   },
               .isRun = false,
               .reason = "GPUs compute GELU within a product, and a kernel of its own rounds differently",
               .remedy = "leave activation out, or choose the backend cpu"},
    Capability{.name = "activation-offload",
               .description = "activations copied to the host between forward and backward",
               .field = "schedule.offload",
               .isUsed = [](const Experiment &e) { return e.schedule.offload.isOn(); }},
    Capability{.name = "activation-offload-on-gpus",
               .description = "activations copied between a GPU and its host",
               .field = "schedule.offload",
               .isUsed = [](const Experiment &e) { return e.schedule.offload.isOn() && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "runs copy activations of processors only: GPUs need pinned memory and a stream of their own",
               .remedy = "choose none, or the backend cpu"},
    Capability{.name = "activation-offload-with-sequence-slices",
               .description = "activations of slices of a sequence copied to the host",
               .field = "schedule.offload",
               .isUsed = [](const Experiment &e) { return e.schedule.offload.isOn() && cutsSequences(e.schedule.family); },
               .isPredicted = false,
               .isRun = false,
               .reason = "the slices of a sequence share keys and values, which stay on the device",
               .remedy = "choose none, or the family 1f1b"},
    Capability{.name = "activation-offload-with-jitter",
               .description = "activations copied to the host, with passes of random duration",
               .field = "schedule.offload",
               .isUsed = [](const Experiment &e) { return e.schedule.offload.isOn() && e.whatIf.jitter.has_value(); },
               .isPredicted = false,
               .isRun = false,
               .reason = "draws of the jitter do not yet wait for copies",
               .remedy = "choose none, or leave what_if.jitter out"},
    Capability{.name = "sequence-slices",
               .description = "passes of slices of a sequence",
               .field = "schedule.family",
               .isUsed = [](const Experiment &e) { return cutsSequences(e.schedule.family); }},
    Capability{.name = "sequence-slices-on-gpus",
               .description = "slices of a sequence on GPUs",
               .field = "training.backend",
               .isUsed = [](const Experiment &e) { return cutsSequences(e.schedule.family) && e.training.backend == "cuda"; },
               .isRun = false,
               .reason = "the GPU kernels of attention do not read the keys of earlier slices",
               .remedy = "choose cpu, or predict it with simulate"},
    Capability{.name = "sequence-slices-with-tensor-ranks",
               .description = "slices of a sequence, and layers split over several ranks",
               .field = "parallel.tensor",
               .isUsed = [](const Experiment &e) { return cutsSequences(e.schedule.family) && e.parallel.tensor > 1; },
               .isRun = false,
               .reason = "tensor ranks do not yet share the keys of slices",
               .remedy = "choose 1, or predict it with simulate"},
    Capability{.name = "sequence-slices-with-experts",
               .description = "slices of a sequence in a mixture of experts",
               .field = "model.experts",
               .isUsed = [](const Experiment &e) { return cutsSequences(e.schedule.family) && hasExperts(e); },
               .isRun = false,
               .reason = "the losses of routers are sums over a whole microbatch, of which a pass has a slice",
               .remedy = "choose a model without experts, or predict it with simulate"},
    Capability{.name = "sequence-slices-materialised-attention",
               .description = "slices of a sequence with attention's probabilities kept in memory",
               .field = "schedule.attention",
               .isUsed =
                   [](const Experiment &e) {
                       return cutsSequences(e.schedule.family) && e.schedule.attention == Attention::Materialised;
                   },
               .isPredicted = false,
               .isRun = false,
               .reason = "the memory of slices is planned for attention that does not keep its probabilities",
               .remedy = "choose flash"},
    Capability{.name = "sequence-slices-with-context-ranks",
               .description = "slices of a sequence that is split over several ranks",
               .field = "parallel.context",
               .isUsed = [](const Experiment &e) { return cutsSequences(e.schedule.family) && hasContextRanks(e); },
               .isPredicted = false,
               .isRun = false,
               .reason = "context ranks do not yet gather the keys of slices",
               .remedy = "choose 1, or the family 1f1b"},
    Capability{.name = "sequence-slices-of-lengths",
               .description = "slices of sequences of unequal length",
               .field = "what_if.lengths",
               .isUsed = [](const Experiment &e) { return cutsSequences(e.schedule.family) && !e.whatIf.lengths.empty(); },
               .isPredicted = false,
               .isRun = false,
               .reason = "slices are cut from sequences of equal length",
               .remedy = "choose 1f1b, or leave it out"},
    Capability{.name = "slow-devices",
               .description = "devices, ranks, nodes or replicas that take longer",
               .field = "what_if.slow",
               .isUsed = [](const Experiment &e) { return !e.whatIf.slow.empty(); },
               .isRun = false,
               .reason = kOnlyPredicts,
               .remedy = kLeaveOut},
    Capability{.name = "slow-links",
               .description = "messages that take longer between two devices",
               .field = "what_if.slow_link",
               .isUsed = [](const Experiment &e) { return !e.whatIf.slowLink.empty(); },
               .isRun = false,
               .reason = kOnlyPredicts,
               .remedy = kLeaveOut},
    Capability{.name = "jitter",
               .description = "passes of random durations",
               .field = "what_if.jitter",
               .isUsed = [](const Experiment &e) { return e.whatIf.jitter.has_value(); },
               .isRun = false,
               .reason = kOnlyPredicts,
               .remedy = kLeaveOut},
    Capability{.name = "sequence-lengths",
               .description = "microbatches of unequal work",
               .field = "what_if.lengths",
               .isUsed = [](const Experiment &e) { return !e.whatIf.lengths.empty(); },
               .isRun = false,
               .reason = "a run takes the lengths of its data",
               .remedy = kLeaveOut},
    Capability{.name = "failures",
               .description = "goodput with failures and checkpoints",
               .field = "what_if.failure_interval",
               .isUsed = [](const Experiment &e) { return e.whatIf.failureInterval.has_value(); },
               .isRun = false,
               .reason = "a run fails when its machine does",
               .remedy = kLeaveOut},
};

std::string textOf(const FieldValue &value)
{
    return std::visit(
        [](const auto &held) {
            using Held = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::string> || std::is_same_v<Held, std::int64_t> ||
                          std::is_same_v<Held, double>)
                return base::concat(held);
            else
                return std::string("set"); // no field of the table
        },
        value);
}

} // namespace

std::span<const Capability> capabilities()
{
    return kCapabilities;
}

base::Problems unsupported(const Experiment &experiment, Use use)
{
    base::Problems problems;
    for (const Capability &each : kCapabilities) {
        const bool isRefused = use == Use::Predict ? !each.isPredicted : each.isPredicted && !each.isRun;
        if (isRefused && each.isUsed(experiment))
            problems.push_back({std::string(each.field), base::concat("is ", textOf(schemaField(each.field).value(experiment)),
                                                                      ", but ", each.reason, "; ", each.remedy)});
    }
    return problems;
}

namespace {

/// Context ranks that exchange tokens for heads divide the heads of a tensor rank.
base::Problems headProblems(const Experiment &experiment)
{
    const ParallelPlan &plan = experiment.parallel;
    const int own = std::max(1, experiment.model.kvHeads / std::max(1, plan.tensor));
    if (plan.contextMethod != ContextMethod::Ulysses || own % plan.context == 0)
        return {};
    int nearest = plan.context - 1;
    while (nearest > 1 && own % nearest != 0)
        --nearest;
    return {{"parallel.context", base::concat("is ", plan.context, ", but ulysses divides the ", own,
                                              " heads of keys and values of a tensor rank among the context ranks; choose ",
                                              nearest, ", or --context-method all-gather or ring")}};
}

} // namespace

base::Problems contextProblems(const Experiment &experiment)
{
    const ParallelPlan &plan = experiment.parallel;
    const int ranks = plan.context;
    if (ranks == 1)
        return {};
    constexpr const char *kField = "parallel.context";
    if (!experiment.hasModel)
        return {{kField, base::concat("is ", ranks, ", but given durations are of whole passes; choose 1")}};
    // Two chunks a rank, which tensor ranks with sequence parallelism divide further.
    const std::int64_t each = 2 * std::int64_t{plan.hasSequenceParallel() ? plan.tensor : 1};
    const std::int64_t sequence = experiment.model.sequence;
    if (sequence < 1 || sequence % (each * ranks) == 0)
        return headProblems(experiment);
    int nearest = ranks - 1;
    while (nearest > 1 && sequence % (each * nearest) != 0)
        --nearest;
    const std::int64_t longer = (sequence / (each * ranks) + 1) * each * ranks;
    const char *what =
        plan.hasSequenceParallel() ? " chunks (2 for each context and tensor rank)" : " chunks (2 for each rank)";
    return {{kField, base::concat("is ", ranks, ", but a sequence of ", sequence, " tokens is not a multiple of ", each * ranks,
                                  what, "; choose ", nearest, ", or a model.sequence of ", longer)}};
}

base::Problems expertProblems(const Experiment &experiment)
{
    const ParallelPlan &plan = experiment.parallel;
    const ModelConfig &model = experiment.model;
    constexpr const char *kField = "parallel.expert";
    base::Problems problems;
    if (experiment.whatIf.expertSkew && plan.expert == 1)
        problems.push_back({"what_if.expert_skew",
                            "is given, but all experts of a layer are on one rank, which computes as many "
                            "rows whatever they choose; give parallel.expert, or leave it out"});
    if (plan.expert == 1)
        return problems;
    if (!experiment.hasModel || !model.hasExperts()) {
        problems.push_back(
            {kField, base::concat("is ", plan.expert, ", but ",
                                  experiment.hasModel ? "the model has no experts; choose 1, or give model.experts"
                                                      : "given durations are of whole passes; choose 1")});
        return problems;
    }
    int nearest = std::min({plan.expert, model.experts, plan.replicas});
    while (nearest > 1 && (model.experts % nearest != 0 || plan.replicas % nearest != 0))
        --nearest;
    if (nearest == plan.expert)
        return problems;
    std::string ofWhat;
    if (model.experts % plan.expert != 0)
        ofWhat = base::concat(model.experts, " experts");
    if (plan.replicas % plan.expert != 0)
        ofWhat += base::concat(ofWhat.empty() ? "" : " and the ", plan.replicas, plan.replicas == 1 ? " replica" : " replicas");
    problems.push_back(
        {kField, base::concat("is ", plan.expert, ", which does not divide the ", ofWhat, "; choose ", nearest)});
    return problems;
}

} // namespace stagelens::model
