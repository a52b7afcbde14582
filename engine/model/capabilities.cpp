#include "engine/model/capabilities.h"

#include "engine/base/text.h"
#include "engine/model/conditions.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "engine/model/what_if.h"
#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <type_traits>
#include <variant>

namespace stagelens::model {
namespace {

constexpr std::string_view kOnlyPredicts = "a run takes the times of its machine";
constexpr std::string_view kDrawsWithoutCopies = "draws of the jitter do not yet wait for copies";
constexpr std::string_view kOnlyOnProcessors = "this has been checked on processors only";
constexpr std::string_view kOnceAStep = "choose 1, or exchange once a step (zero2 deferred, zero3 resident)";
constexpr std::string_view kLeaveOut = "leave it out to run the plan, or only predict the plan";

// Rows of what is predicted but not run, and of what is neither. `reason` completes "is <value>, but ...".
constexpr Capability onlyPredicted(std::string_view name, std::string_view description, std::string_view field,
                                   bool (*isUsed)(const Experiment &), std::string_view reason, std::string_view remedy)
{
    return {name, description, field, isUsed, true, false, reason, remedy};
}
constexpr Capability refused(std::string_view name, std::string_view description, std::string_view field,
                             bool (*isUsed)(const Experiment &), std::string_view reason, std::string_view remedy)
{
    return {name, description, field, isUsed, false, false, reason, remedy};
}

constexpr auto kNeedsWholeMatrices = [](const Experiment &e) {
    const operators::Optimizer *const optimizer = operators::findOptimizer(e.training.optimizer.name);
    return optimizer != nullptr && optimizer->granularityOf(operators::ParameterKind::Matrix) == operators::Granularity::Matrix;
};

constexpr auto kGroupsHeadsOfGpt = [](const Experiment &e) {
    return e.hasModel && e.model.family == ModelFamily::Gpt && e.model.kvHeads != e.model.heads;
};
constexpr auto kHasSeveralMicrobatchesOnTheWay = [](const Experiment &e) {
    return e.parallel.devices > 1 || e.schedule.family != "1f1b" || kHasPairs(e);
};
constexpr auto kDividesTablesOverRanks = [](const Experiment &e) { return e.parallel.tableRanks() > 1; };
constexpr auto kHasVocabularyByTokens = [](const Experiment &e) {
    return e.parallel.vocabularySharding == VocabularySharding::Device;
};
constexpr auto kHasUnevenTables = [](const Experiment &e) {
    const int ranks = e.parallel.tableRanks();
    const int parts = ranks > 1 && shardsVocabulary(e.schedule) ? degreeProduct(ranks, e.parallel.devices) : ranks;
    return e.model.vocabularySize % parts != 0 || e.model.inputRows() % parts != 0;
};
constexpr auto kHasSlowReplicas = [](const Experiment &e) {
    const auto parts = parseSlowParts(e.whatIf.slow);
    return parts && std::ranges::any_of(*parts, [](const SlowPart &part) { return part.target != SlowTarget::Device; });
};
/// Not if an expert group is the tensor ranks of one replica.
constexpr auto kReplicasShareExperts = [](const Experiment &e) { return e.parallel.replicasPerExpertGroup() > 1; };
constexpr auto kHasCapacity = [](const Experiment &e) { return e.model.capacityFactor.has_value(); };
constexpr auto kShardsVocabulary = [](const Experiment &e) { return shardsVocabulary(e.schedule); };

constexpr std::array kCapabilities{
    Capability{"pipeline", "stages of the model on several devices", "parallel.devices",
               [](const Experiment &e) { return e.parallel.devices > 1; }},
    Capability{"vocabulary-parallelism", "vocabulary layers sharded over the pipeline's devices", "schedule.vocabulary",
               kShardsVocabulary},
    Capability{"factorised-vocabulary", "token tables narrower than the layers, with maps between the widths",
               "model.vocabulary_width", all<kHasModel, [](const Experiment &e) { return e.model.isFactorised(); }>},
    Capability{"hashed-input", "a short input table, of which each token adds up several rows", "model.input_hashes",
               all<kHasModel, [](const Experiment &e) { return e.model.isHashed(); }>},
    Capability{"output-heads", "several output heads, of which each predicts a token further ahead", "model.output_heads",
               kHasOutputHeads},
    Capability{"adaptive-softmax", "a softmax of frequent words, and narrower ones of rarer words", "model.adaptive_softmax",
               kIsAdaptive},
    Capability{"adaptive-softmax-sharded", "an adaptive softmax sharded over the pipeline's devices", "schedule.vocabulary",
               all<kIsAdaptive, kShardsVocabulary>},
    refused("adaptive-softmax-with-tensor-ranks", "an adaptive softmax whose tails the ranks of one device divide",
            "parallel.tensor",
            all<kIsAdaptive, kDividesTablesOverRanks, [](const Experiment &e) { return !kShardsVocabulary(e); }>,
            "the ranks of one device do not yet divide the tails of an adaptive softmax",
            "choose 1, a method that shards the vocabulary, or --vocabulary-sharding device"),
    refused("adaptive-softmax-with-sequence-parallelism", "an adaptive softmax whose ranks have tokens of their own",
            "parallel.sequence_parallel",
            all<kIsAdaptive, kShardsVocabulary, kDividesTablesOverRanks,
                [](const Experiment &e) { return e.parallel.hasSequenceParallel(); }>,
            "ranks do not yet gather the rows of tails of each other's tokens",
            "choose no, one softmax, or --vocabulary-sharding device"),
    refused("adaptive-softmax-without-logits", "an adaptive softmax whose logits are computed again or in chunks",
            "schedule.vocabulary_kind",
            all<kIsAdaptive, [](const Experiment &e) { return e.schedule.vocabularyKind != VocabularyKind::Full; }>,
            "the tails are computed in the room of the logits that the head keeps", "choose full, or one softmax"),
    refused("adaptive-softmax-with-maps", "an adaptive softmax with a factorised vocabulary or several heads",
            "model.adaptive_softmax", all<kIsAdaptive, [](const Experiment &e) { return e.model.mapsOutput(); }>,
            "its tails read one row of each token, as wide as the layers", "choose one head and full tables, or one softmax"),
    onlyPredicted("adaptive-softmax-in-16-bits", "an adaptive softmax in bf16 or fp16", "model.dtype",
                  all<kIsAdaptive, [](const Experiment &e) { return e.model.dtype != DataType::Fp32; }>,
                  "tails add their gradients to those of the head in fp32 only", "choose fp32, or one softmax"),
    onlyPredicted("adaptive-softmax-on-gpus", "an adaptive softmax on GPUs", "model.adaptive_softmax",
                  all<kIsAdaptive, kIsOnGpus>, "GPUs do not yet choose the tokens of a tail",
                  "choose one softmax, or the backend cpu"),
    Capability{"sampled-softmax", "a softmax over words that are drawn for each microbatch", "model.sampled_softmax",
               kIsSampled},
    refused("sampled-softmax-with-heads", "a sampled softmax of several heads, or of the head of an adaptive one",
            "model.sampled_softmax", all<kIsSampled, [](const Experiment &e) { return kHasOutputHeads(e) || kIsAdaptive(e); }>,
            "words are drawn for one label of each token, among all words", "choose one head and one softmax, or all words"),
    onlyPredicted("sampled-softmax-in-16-bits", "a sampled softmax in bf16 or fp16", "model.dtype",
                  all<kIsSampled, [](const Experiment &e) { return e.model.dtype != DataType::Fp32; }>,
                  "logits of drawn words are corrected in fp32 only", "choose fp32, or all words"),
    onlyPredicted("sampled-softmax-on-gpus", "a sampled softmax on GPUs", "model.sampled_softmax", all<kIsSampled, kIsOnGpus>,
                  "GPUs do not yet correct the logits of drawn words", "choose all words, or the backend cpu"),
    Capability{"tensor-parallelism", "each layer split over several ranks", "parallel.tensor", kHasTensorRanks},
    Capability{"vocabulary-by-tokens", "vocabulary layers whose tensor ranks hold the same rows and divide the tokens",
               "parallel.vocabulary_sharding", all<kHasTensorRanks, kHasVocabularyByTokens>},
    refused("vocabulary-by-tokens-without-sequence-parallelism",
            "vocabulary layers divided by tokens, on tensor ranks that have the same tokens", "parallel.vocabulary_sharding",
            all<kHasTensorRanks, kHasVocabularyByTokens, [](const Experiment &e) { return !e.parallel.hasSequenceParallel(); }>,
            "without sequence parallelism no tensor rank has tokens of its own", "choose rank, or --sequence-parallel"),
    Capability{"context-parallelism", "each sequence split over several ranks", "parallel.context", kHasContextRanks},
    Capability{"context-parallelism-by-a-ring", "keys and values of other ranks in a ring of messages beside attention",
               "parallel.context_method", all<kHasContextRanks, kIsRing>},
    onlyPredicted("ring-with-kept-probabilities", "materialised attention, whose keys come in a ring",
                  "parallel.context_method", all<kHasContextRanks, kIsRing, kIsMaterialised>,
                  "the probabilities of a part of the keys change with every part that follows",
                  "choose all-gather, or flash attention"),
    Capability{"context-parallelism-by-heads", "tokens exchanged for heads around attention", "parallel.context_method",
               all<kHasContextRanks, [](const Experiment &e) { return e.parallel.contextMethod == ContextMethod::Ulysses; }>},
    Capability{"data-parallelism", "several copies of the pipeline, each with its own microbatches", "parallel.replicas",
               kHasReplicas},
    Capability{"expert-parallelism", "experts of a layer divided over ranks", "parallel.expert", kHasExpertRanks},
    Capability{"expert-parallelism-over-tensor-ranks", "experts of a layer divided over the tensor ranks of replicas",
               "parallel.expert", kFoldsExperts},
    refused("expert-parallelism-without-sequence-parallelism", "experts divided over tensor ranks that have the same tokens",
            "parallel.expert", all<kFoldsExperts, [](const Experiment &e) { return !e.parallel.hasSequenceParallel(); }>,
            "without sequence parallelism the tensor ranks would route the same tokens", "choose 1, or --sequence-parallel"),
    Capability{"expert-parallelism-with-context-ranks", "experts divided over replicas whose sequences are split",
               "parallel.expert", all<kHasExpertRanks, kHasContextRanks>},
    Capability{"expert-parallelism-with-shard-groups", "experts divided over ranks whose replicas shard in groups",
               "parallel.expert", all<kHasExpertRanks, kHasShardGroups>},
    Capability{"dispatch-per-node", "tokens sent once to each node of their experts", "parallel.expert_dispatch",
               all<kHasExpertRanks, kDispatchesPerNode>},
    Capability{"dispatch-in-8-bits", "tokens sent to experts in 8 bits", "parallel.dispatch_precision",
               all<kHasExpertRanks, kDispatchesFp8>},
    Capability{"packed-messages", "messages between stages in fewer bits", "parallel.message_precision", kPacksMessages},
    onlyPredicted("expert-skew", "experts of unequal popularity", "what_if.expert_skew", kHasSkew,
                  "a run takes the choices of its routers", kLeaveOut),
    Capability{"experts", "mixture-of-experts layers", "model.experts", kHasExperts},
    Capability{"experts-with-tensor-ranks", "mixture-of-experts layers split over several ranks", "parallel.tensor",
               all<kHasExperts, kHasTensorRanks>},
    Capability{"experts-with-context-ranks", "mixture-of-experts layers on a part of each sequence", "parallel.context",
               all<kHasExperts, kHasContextRanks>},
    Capability{"expert-capacity-with-context-ranks", "experts that drop rows, on a part of each sequence", "parallel.context",
               all<kHasExperts, kHasContextRanks, kHasCapacity>},
    Capability{"expert-capacity-with-expert-ranks-of-tensor-ranks",
               "experts that drop rows, divided over tensor ranks that route their own tokens", "parallel.expert",
               all<kFoldsExperts, kHasCapacity>},
    Capability{"shared-experts", "experts that compute every token", "model.shared_experts", kHasSharedExperts},
    Capability{"sigmoid-routers", "routers of sigmoids with a selection bias, and groups of experts", "model.router",
               kHasSigmoidRouter},
    Capability{"expert-capacity", "experts that drop rows beyond a capacity", "model.capacity_factor",
               all<kHasExperts, kHasCapacity>},
    Capability{"mixed-layers", "layers with and without experts in one model", "model.dense_layers", kMixesLayers},
    refused("mixed-layers-redistributed", "layers with and without experts, moved away from the output layer",
            "schedule.vocabulary",
            all<kMixesLayers, [](const Experiment &e) { return traits(e.schedule.vocabulary).redistributesLayers; }>,
            "it counts the work of all layers as equal", "choose another method, or give the layers of each stage"),
    onlyPredicted("latent-attention", "attention from latent vectors (DeepSeek)", "model.preset", kHasLatentAttention,
                  "latent attention has no kernels yet", kLeaveOut),
    refused("latent-attention-split", "latent attention on tensor or context ranks, or materialised", "model.preset",
            all<kHasLatentAttention,
                [](const Experiment &e) {
                    return kHasTensorRanks(e) || kHasContextRanks(e) || e.schedule.attention != Attention::Flash;
                }>,
            "only flash attention on whole sequences and all heads is modelled",
            "choose 1 tensor and context rank, and attention flash"),
    Capability{"experts-with-whole-matrices", "optimizers whose state is of whole matrices, with experts",
               "training.optimizer.name", all<kHasExperts, kNeedsWholeMatrices>},
    onlyPredicted("gpt-with-groups", "heads of a gpt that share keys and values in groups", "model.kv_heads", kGroupsHeadsOfGpt,
                  "a run names weights as Hugging Face's GPT-2, which has no groups",
                  "choose as many as heads, or the family llama"),
    Capability{"zero-1", "optimizer state sharded over replicas", "parallel.zero", kIsZero<1>},
    Capability{"zero-2", "gradients sharded over replicas from their reduction on", "parallel.zero", kIsZero<2>},
    Capability{"zero-3", "parameters sharded over replicas between steps", "parallel.zero", kIsZero<3>},
    Capability{"eager-zero-2", "gradients reduced after every backward", "parallel.zero2", all<kIsZero<2>, kReducesEagerly>},
    Capability{"resharded-zero-3", "parameters gathered for every pass", "parallel.zero3",
               all<kIsZero<3>, [](const Experiment &e) { return e.parallel.zero3 == ZeroParameters::Reshard; }>},
    Capability{"zero-3-kept-until-backward", "parameters gathered for every microbatch", "parallel.zero3",
               all<kIsZero<3>, kKeepsUntilBackward>},
    onlyPredicted("exchanges-in-passes-on-gpus", "ZeRO that exchanges in every microbatch, on GPUs", "parallel.zero",
                  all<kReducesEagerly, kIsOnGpus>, kOnlyOnProcessors,
                  "choose the backend cpu, or exchange once a step (zero2 deferred, zero3 resident)"),
    onlyPredicted("exchanges-in-passes-with-uneven-tables",
                  "ZeRO that exchanges in every microbatch, with tables that tensor ranks divide unevenly", "parallel.tensor",
                  all<kHasModel, kReducesEagerly, kHasUnevenTables>,
                  "ranks with unequal parts of the tables have unequal shares of the parameters that they sum", kOnceAStep),
    refused("zero-3-kept-until-backward-in-a-pipeline",
            "parameters gathered for every microbatch, where several microbatches are on the way", "parallel.zero3",
            all<kIsZero<3>, kKeepsUntilBackward, kHasSeveralMicrobatchesOnTheWay>,
            "a prediction has one time for all forwards of a stage, and only some of them gather",
            "choose reshard or resident, or 1F1B on one device"),
    Capability{"shard-groups", "replicas that shard in groups and sum over the groups (HSDP)", "parallel.shard_replicas",
               kHasShardGroups},
    Capability{"exchanges-in-passes-with-shard-groups", "ZeRO that exchanges in every microbatch, in groups of replicas",
               "parallel.shard_replicas", all<kReducesEagerly, kHasShardGroups>},
    refused("shard-groups-with-context-ranks", "groups of replicas that shard, each replica with several context ranks",
            "parallel.shard_replicas", all<kHasContextRanks, kHasShardGroups>, "context ranks shard with all replicas",
            "choose 0, or one context rank"),
    Capability{"exchanges-in-passes-with-context-ranks", "ZeRO that exchanges in every microbatch, with context ranks",
               "parallel.context", all<kReducesEagerly, kHasContextRanks>},
    Capability{"exchanges-in-passes-with-sharded-vocabulary",
               "ZeRO that exchanges in every microbatch, with vocabulary layers sharded over devices", "parallel.zero",
               all<kReducesEagerly, kShardsVocabulary>},
    refused("zero-3-kept-until-backward-with-sharded-vocabulary",
            "parameters gathered for every microbatch, with vocabulary layers sharded over devices", "parallel.zero3",
            all<kIsZero<3>, kKeepsUntilBackward, kShardsVocabulary>,
            "passes of vocabulary layers lie between the backward of a microbatch and the forward of the next",
            "choose reshard or resident, or a schedule and a method that shard none"),
    refused("exchanges-in-passes-with-given-durations",
            "ZeRO that exchanges in every microbatch, with durations that are given", "parallel.zero",
            all<kReducesEagerly, [](const Experiment &e) { return !std::holds_alternative<HardwarePreset>(e.cost.source); }>,
            "given durations do not say what exchanges take",
            "choose a hardware preset, or exchange once a step (zero2 deferred, zero3 resident)"),
    refused("exchanges-in-passes-of-unequal-microbatches", "ZeRO that exchanges in every microbatch, with jitter or lengths",
            "parallel.zero",
            all<kReducesEagerly, [](const Experiment &e) { return e.whatIf.jitter.has_value() || !e.whatIf.lengths.empty(); }>,
            "replicas would wait for each other in every pass, and each is simulated alone",
            "choose to exchange once a step (zero2 deferred, zero3 resident), or leave the what-if out"),
    refused("eager-zero-2-of-unequal-replicas",
            "gradients reduced after every backward, with parts that are slow in some replicas", "parallel.zero2",
            all<kIsZero<2>, kReducesEagerly, kHasSlowReplicas>,
            "forwards of replicas do not wait for each other, but backwards do, and each replica is simulated alone",
            "choose deferred, or name devices, which are slow in all replicas"),
    Capability{"local-sgd", "replicas that train alone and average their weights every few steps", "parallel.sync_every",
               kAveragesWeights},
    refused("local-sgd-with-zero", "replicas that average weights every few steps and shard (ZeRO)", "parallel.sync_every",
            all<kAveragesWeights, [](const Experiment &e) { return e.parallel.zero != 0; }>,
            "a replica that trains alone updates all of its parameters, and needs the whole optimizer state",
            "choose 1, or zero 0"),
    refused("local-sgd-with-context-ranks", "replicas of several context ranks that average weights every few steps",
            "parallel.sync_every", all<kAveragesWeights, kHasContextRanks>,
            "context ranks sum their gradients in the reduction over replicas, which it leaves out",
            "choose 1, or one context rank"),
    refused("local-sgd-with-expert-ranks", "replicas that share experts and average weights every few steps",
            "parallel.sync_every", all<kAveragesWeights, kReplicasShareExperts>,
            "replicas that share their experts exchange tokens in every pass, and none of them trains alone",
            "choose 1, or as many expert ranks as tensor ranks"),
    refused("local-sgd-with-compression", "replicas that average weights every few steps, with compressed gradients",
            "parallel.sync_every", all<kAveragesWeights, kCompresses>, "replicas exchange no gradients to compress",
            "choose 1, or the compression none"),
    refused("local-sgd-with-jitter", "replicas that average weights every few steps, with passes of random duration",
            "parallel.sync_every", all<kAveragesWeights, kHasJitter>,
            "a draw of the jitter is of one step, and replicas wait for each other after several",
            "choose 1, or leave what_if.jitter out"),
    Capability{"gradient-compression", "gradients compressed between replicas, with error feedback",
               "training.gradient_compression", kCompresses},
    refused("gradient-compression-with-sharded-gradients", "gradients compressed between replicas that shard them (ZeRO-2, 3)",
            "training.gradient_compression", all<kCompresses, [](const Experiment &e) { return e.parallel.zero >= 2; }>,
            "its methods give every replica the whole sum, of which ZeRO-2 and 3 keep a part", "choose none, or zero 0 or 1"),
    refused("gradient-compression-with-shard-groups", "gradients compressed between replicas that shard in groups",
            "training.gradient_compression", all<kCompresses, kHasShardGroups>,
            "groups of replicas would need a second residual for the sums of a group",
            "choose none, or shard over all replicas (shard_replicas 0)"),
    refused("gradient-compression-of-experts", "gradients of mixture-of-experts layers compressed between replicas",
            "training.gradient_compression", all<kCompresses, kHasExperts>,
            "it would treat the matrices of all experts of a layer as one", "choose none, or a model without experts"),
    Capability{"one-bit-adam", "momentum compressed between replicas after a warm-up (1-bit Adam)",
               "training.gradient_compression", kCompressesMomentum},
    refused("one-bit-adam-with-zero", "momentum compressed between replicas that shard it (ZeRO)",
            "training.gradient_compression", all<kCompressesMomentum, kIsZero<1>>,
            "each replica adds its own gradient to the whole momentum, of which ZeRO keeps a share", "choose sign, or zero 0"),
    refused("one-bit-adam-with-other-optimizers", "momentum of other optimizers than AdamW compressed between replicas",
            "training.gradient_compression", all<kCompressesMomentum, kIsNotAdamW>,
            "only AdamW has the two moments of which it keeps one", "choose sign, or the optimizer adamw"),
    refused("one-bit-adam-with-clip", "momentum compressed between replicas, with a limit of the gradient's norm",
            "training.gradient_compression",
            all<kCompressesMomentum, [](const Experiment &e) { return e.training.optimizer.clip.has_value(); }>,
            "replicas exchange momentum, and no device has the gradient whose norm is limited", "choose sign, or no clip"),
    refused("one-bit-adam-with-optimizer-offload", "momentum compressed between replicas and kept by their hosts",
            "training.gradient_compression", all<kCompressesMomentum, kOffloadsOptimizer>,
            "devices compress the momentum, which the host would keep", "choose sign, or --no-offload-optimizer"),
    Capability{"other-optimizers", "optimizers other than AdamW", "training.optimizer.name", kIsNotAdamW},
    onlyPredicted("whole-rows-with-tensor-ranks",
                  "optimizers whose state is of whole rows or matrices, with layers split over ranks",
                  "training.optimizer.name",
                  all<kHasTensorRanks, [](const Experiment &e) { return !optimizerOf(e.training.optimizer).isElementwise(); }>,
                  "tensor ranks divide the rows and columns that its state is of", "choose adamw, lion or sgd, or tensor 1"),
    Capability{"bf16", "weights, activations and messages in bf16, emulated on processors", "model.dtype",
               all<kHasModel, [](const Experiment &e) { return e.model.dtype == DataType::Bf16; }>},
    Capability{"fp16", "weights, activations and messages in fp16 with loss scaling, emulated on processors", "model.dtype",
               all<kHasModel, kIsFp16>},
    Capability{"fp8", "products of layers in 8 bits, emulated on processors and GPUs", "model.dtype", all<kHasModel, kIsFp8>},
    onlyPredicted("materialised-attention-on-gpus", "attention's probabilities kept in memory on GPUs", "schedule.attention",
                  all<kHasModel, kIsOnGpus, kIsMaterialised>, "the GPU kernels of attention never store its probabilities",
                  "choose flash, or the backend cpu"),
    Capability{"recompute-layers", "the first layers of each stage recomputed as a whole", "schedule.recompute_layers",
               [](const Experiment &e) { return !e.schedule.recomputeLayers.empty(); }},
    Capability{"recompute-modules", "norms, activation functions or attention of a layer recomputed",
               "schedule.recompute_modules",
               all<kHasModel, [](const Experiment &e) { return e.schedule.recomputeModules.any(); }>},
    onlyPredicted("recompute-gelu-on-gpus", "GELU recomputed on GPUs", "schedule.recompute_modules",
                  all<kHasModel, kIsOnGpus, [](const Experiment &e) { return e.schedule.recomputeModules.activation; },
                      [](const Experiment &e) { return e.model.family == ModelFamily::Gpt; }>,
                  "GPUs compute GELU within a product, and a kernel of its own rounds differently",
                  "leave activation out, or choose the backend cpu"),
    Capability{"packed-activations", "what layers keep for their backward in fewer bits", "schedule.stored_activations",
               all<kHasModel, kPacksActivations>},
    onlyPredicted("packed-activations-of-experts", "what layers of experts keep for their backward in fewer bits",
                  "schedule.stored_activations", all<kHasExperts, kPacksActivations>,
                  "what a mixture of experts keeps has routes and rows that a run does not pack yet",
                  "choose same, or a model without experts"),
    Capability{"activation-offload", "activations copied to the host between forward and backward", "schedule.offload",
               kOffloads},
    Capability{"family-offload", "families that copy activations to the host themselves", "schedule.family", kHasFamilyOffload},
    refused("activation-offload-with-sequence-slices", "activations of slices of a sequence copied to the host",
            "schedule.offload", all<kOffloads, kCutsSequences>,
            "the slices of a sequence share keys and values, which stay on the device", "choose none, or the family 1f1b"),
    refused("activation-offload-with-jitter", "activations copied to the host, with passes of random duration",
            "schedule.offload", all<kChoosesOffload, kHasJitter>, kDrawsWithoutCopies,
            "choose none, or leave what_if.jitter out"),
    refused("family-offload-with-jitter", "families that copy activations to the host, with passes of random duration",
            "schedule.family", all<kHasFamilyOffload, kHasJitter>, kDrawsWithoutCopies,
            "choose gis, or leave what_if.jitter out"),
    Capability{"optimizer-offload", "optimizer state kept and updated by the host", "schedule.offload_optimizer",
               kOffloadsOptimizer},
    refused("optimizer-offload-of-rows", "optimizers whose state is of whole rows or matrices, on the host",
            "schedule.offload_optimizer",
            all<kOffloadsOptimizer, [](const Experiment &e) { return !optimizerOf(e.training.optimizer).isElementwise(); }>,
            "hosts do not yet sum what devices with rows of one table add up", "choose no, or adamw, lion or sgd"),
    refused("optimizer-offload-with-zero-3", "optimizer state on the host, with parameters sharded between steps",
            "schedule.offload_optimizer", all<kOffloadsOptimizer, kIsZero<3>>,
            "replicas gather parameters in the memory of devices", "choose no, or zero 2"),
    refused("optimizer-offload-with-eager-zero-2", "optimizer state on the host, with gradients reduced in every microbatch",
            "schedule.offload_optimizer", all<kOffloadsOptimizer, kIsZero<2>, kReducesEagerly>,
            "passes that reduce gradients do not yet copy them to the host", "choose no, or zero2 deferred"),
    onlyPredicted("optimizer-offload-with-sigmoid-routers", "optimizer state on the host, with routers that a bias balances",
                  "schedule.offload_optimizer", all<kOffloadsOptimizer, kHasSigmoidRouter>,
                  "routers read the bias where it is updated", "choose no, or the router softmax"),
    Capability{"parameter-offload", "weights of layers kept by the host and copied to the device for each pass",
               "schedule.offload_parameters", kOffloadsParameters},
    refused("parameter-offload-without-optimizer", "weights of layers on the host, with the optimizer on the device",
            "schedule.offload_parameters", all<kOffloadsParameters, [](const Experiment &e) { return !kOffloadsOptimizer(e); }>,
            "the host that keeps the weights also updates them, and needs the optimizer's state",
            "choose no, or --offload-optimizer"),
    Capability{"parameter-offload-with-experts", "weights of mixture-of-experts layers on the host",
               "schedule.offload_parameters", all<kOffloadsParameters, kHasExperts>},
    refused("parameter-offload-with-activation-offload", "weights and activations copied between host and device",
            "schedule.offload_parameters", all<kOffloadsParameters, kOffloads>,
            "both would share the link to the host, and copies of activations are planned for a link of their own",
            "choose no, or offload none and a family that offloads nothing"),
    Capability{"overlapped-pairs", "a forward and a backward of the steady phase of 1F1B and interleaved 1F1B run at once",
               "schedule.overlapped_pairs", kHasPairs},
    Capability{"iterations", "several steps, between which asynchronous schedules do not drain", "schedule.iterations",
               kHasIterations},
    refused("iterations-with-jitter", "several steps, with passes of random duration", "schedule.iterations",
            all<kHasIterations, kHasJitter>, "a draw of the jitter is of one step", "choose 1, or leave what_if.jitter out"),
    refused("iterations-with-local-sgd", "several steps of replicas that average weights every few steps",
            "schedule.iterations", all<kHasIterations, kAveragesWeights>,
            "only one step in several ends with an average, and the steps of a timeline are equal",
            "choose 1, or parallel.sync_every 1"),
    Capability{"sequence-slices", "passes of slices of a sequence", "schedule.family", kCutsSequences},
    onlyPredicted("sequence-slices-with-tensor-ranks", "slices of a sequence, and layers split over several ranks",
                  "parallel.tensor", all<kCutsSequences, kHasTensorRanks>, "tensor ranks do not yet share the keys of slices",
                  "choose 1, or only predict the plan"),
    Capability{"sequence-slices-with-experts", "slices of a sequence in a mixture of experts", "model.experts",
               all<kCutsSequences, kHasExperts>},
    refused("sequence-slices-materialised-attention", "slices of a sequence with attention's probabilities kept in memory",
            "schedule.attention", all<kCutsSequences, kIsMaterialised>,
            "the memory of slices is planned for attention that does not keep its probabilities", "choose flash"),
    refused("sequence-slices-with-context-ranks", "slices of a sequence that is split over several ranks", "parallel.context",
            all<kCutsSequences, kHasContextRanks>, "context ranks do not yet gather the keys of slices",
            "choose 1, or the family 1f1b"),
    refused("sequence-slices-of-lengths", "slices of sequences of unequal length", "what_if.lengths",
            all<kCutsSequences, kHasLengths>, "slices are cut from sequences of equal length", "choose 1f1b, or leave it out"),
    onlyPredicted(
        "slow-devices", "devices, ranks, nodes or replicas that take longer", "what_if.slow",
        [](const Experiment &e) { return !e.whatIf.slow.empty(); }, kOnlyPredicts, kLeaveOut),
    onlyPredicted(
        "slow-links", "messages that take longer between two devices", "what_if.slow_link",
        [](const Experiment &e) { return !e.whatIf.slowLink.empty(); }, kOnlyPredicts, kLeaveOut),
    onlyPredicted("jitter", "passes of random durations", "what_if.jitter", kHasJitter, kOnlyPredicts, kLeaveOut),
    onlyPredicted("sequence-lengths", "microbatches of unequal work", "what_if.lengths", kHasLengths,
                  "a run takes the lengths of its data", kLeaveOut),
    onlyPredicted("failures", "goodput with failures and checkpoints", "what_if.failure_interval", kHasFailures,
                  "a run fails when its machine does", kLeaveOut),
};

std::string textOf(const FieldValue &value)
{
    return std::visit(
        [](const auto &held) {
            using Held = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::string> || std::is_same_v<Held, std::int64_t> ||
                          std::is_same_v<Held, double>)
                return base::valueText(held);
            else if constexpr (std::is_same_v<Held, bool>)
                return std::string(held ? "yes" : "no");
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
            problems.push_back(
                {std::string(each.field), fmt::format("is {}, but {}; {}", textOf(schemaField(each.field).value(experiment)),
                                                      each.reason, each.remedy)});
    }
    return problems;
}

} // namespace stagelens::model
