#include "engine/model/schema_row.h"

#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/operators/optimizers/optimizer.h"

namespace stagelens::model {

namespace {

using Kind = Field::Kind;

// Larger than any real plan, and small enough that no product of sizes overflows.
constexpr double kLargestSize = 1 << 24;
constexpr double kMostExperts = 4096;
constexpr double kMostLayers = 1 << 16;
constexpr double kMostPlannedDevices = 1024;
constexpr double kMostRanksOfAxis = 1 << 16;
constexpr double kMostMicrobatches = 1'000'000;
constexpr double kLargestMicrobatch = 1 << 20;
constexpr double kMostSteps = 1'000'000'000;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

bool hasModel(const Experiment &experiment)
{
    return experiment.hasModel;
}
bool hasExperts(const Experiment &experiment)
{
    return experiment.hasModel && experiment.model.hasExperts();
}
bool hasSigmoidRouter(const Experiment &experiment)
{
    return experiment.hasModel && experiment.model.hasRouterBias();
}
bool isUniform(const Experiment &experiment)
{
    return std::holds_alternative<UniformCosts>(experiment.cost.source);
}

std::vector<Field> modelRows()
{
    return {
        row("model.preset", "--model", "PRESET|FILE", "Model", "a preset (see `list models`) or a Hugging Face config.json",
            Kind::Choice, MEMBER(model.preset)),
        row("model.family", "--family", "NAME", "Architecture", "what a layer is made of: gpt or llama", Kind::Choice,
            MEMBER(model.family))
            .oneOf({{"gpt", "GPT-2", "Learned positions, LayerNorm, GELU, biases"},
                    {"llama", "Llama", "Rotary positions, RMSNorm, SwiGLU, grouped-query attention"}})
            .where(hasModel),
        row("model.layers", "--layers", "L", "Layers", "transformer layers", Kind::Integer, MEMBER(model.layers))
            .range(1, kMostLayers)
            .where(hasModel),
        row("model.hidden", "--hidden", "h", "Hidden width", "hidden size: width of the residual stream", Kind::Integer,
            MEMBER(model.hidden))
            .range(1, kLargestSize)
            .where(hasModel),
        row("model.heads", "--heads", "a", "Heads", "attention heads; they divide the hidden size unless --head-dim is given",
            Kind::Integer, MEMBER(model.heads))
            .range(1, kLargestSize)
            .where(hasModel),
        row("model.kv_heads", "--kv-heads", "N", "Key/value heads",
            "key and value heads; they divide the heads (default: as many as heads)", Kind::Integer, MEMBER(model.kvHeads))
            .range(1, kLargestSize)
            .where([](const Experiment &e) { return e.hasModel && e.model.family == ModelFamily::Llama; }),
        row("model.ffn", "--ffn", "N", "Inner width", "inner width of the MLP (default: 4h; llama 8h/3)", Kind::Integer,
            MEMBER(model.ffn))
            .range(1, kLargestSize)
            .where(hasModel),
        row("model.sequence", "--sequence", "s", "Sequence length", "tokens of a sequence", Kind::Integer,
            MEMBER(model.sequence))
            .range(1, kLargestSize)
            .where(hasModel),
        row("model.vocabulary_size", "--vocabulary-size", "V", "Vocabulary size",
            "tokens of the vocabulary: what the output layer's work grows with", Kind::Size, MEMBER(model.vocabularySize))
            .range(1, kLargestSize)
            .oneOf({{"2048", {}, {}},
                    {"8192", {}, {}},
                    {"32768", {}, {}},
                    {"65536", {}, {}},
                    {"131072", {}, {}},
                    {"262144", {}, {}}})
            .where(hasModel),
        row("model.tied", "--tied", "--untied", "Tied embeddings", "input embedding and output projection share one matrix",
            Kind::Flag, MEMBER(model.tied))
            .where(hasModel),
        row("model.dtype", "--dtype", "TYPE", "Number format",
            "fp32, bf16 or fp16, of weights and activations in the plan; processors compute in fp32, GPUs in fp32 and bf16",
            Kind::Choice, MEMBER(model.dtype))
            .oneOf({{"fp32", "fp32", {}}, {"bf16", "bf16", {}}, {"fp16", "fp16", {}}})
            .where(hasModel),
        row("model.head_dim", "--head-dim", "N", "Width of a head",
            "channels of one head of a llama, an even number (default: h / a)", Kind::Integer, MEMBER(model.headDim))
            .range(1, kLargestSize)
            .orElse("hidden / heads")
            .unless() // also for GPT, where validation rejects it at this field
            .where([](const Experiment &e) { return e.hasModel && (e.model.family == ModelFamily::Llama || e.model.headDim); }),
        row("model.rms_norm_eps", {}, {}, "Epsilon of RMSNorm", "added to the mean of squares", Kind::Real,
            MEMBER(model.rmsNormEpsilon))
            .range(1e-30, 1)
            .unless(ModelConfig().rmsNormEpsilon),
        row("model.rope_theta", {}, {}, "Base of rotary positions",
            "pair i of a head turns by position x theta^(-2 i / head size)", Kind::Real, MEMBER(model.ropeTheta))
            .range(1, 1e12)
            .unless(ModelConfig().ropeTheta),
    };
}

std::vector<Field> expertRows()
{
    return {
        row("model.experts", "--experts", "E", "Experts",
            "experts of each layer of a llama, of which a router chooses some for each token (0: one MLP for all)",
            Kind::Integer, MEMBER(model.experts))
            .range(0, kMostExperts)
            .unless(std::int64_t{0})
            .where([](const Experiment &e) {
                return e.hasModel && (e.model.family == ModelFamily::Llama || e.model.hasExperts());
            }),
        row("model.top_k", "--top-k", "k", "Experts of a token", "experts that compute each token; 1 is Switch's rule",
            Kind::Integer, MEMBER(model.topK))
            .range(1, kMostExperts)
            .unless(std::int64_t{ModelConfig().topK})
            .where(hasExperts),
        row("model.expert_ffn", "--expert-ffn", "f", "Expert width", "inner width of an expert (default: that of the MLP)",
            Kind::Integer, MEMBER(model.expertFfn))
            .range(1, kLargestSize)
            .orElse("inner width")
            .unless()
            .where(hasExperts),
        row("model.aux_loss", "--aux-loss", "c", "Balance loss",
            "coefficient of the loss that keeps the tokens of the experts of a microbatch equal (0: off)", Kind::Real,
            MEMBER(model.auxLoss))
            .range(0, 1e3)
            .unless(0.0)
            .where(hasExperts),
        row("model.z_loss", "--z-loss", "c", "Router z-loss",
            "coefficient of the loss that keeps the router's logits small (0: off)", Kind::Real, MEMBER(model.zLoss))
            .range(0, 1e3)
            .unless(0.0)
            .where(hasExperts),
        row("model.shared_experts", "--shared-experts", "n", "Shared experts",
            "experts beside the routed ones that compute every token, as one MLP of n times the width of an expert",
            Kind::Integer, MEMBER(model.sharedExperts))
            .range(0, kMostExperts)
            .unless(std::int64_t{0})
            .where(hasExperts),
        row("model.dense_layers", "--dense-layers", "n", "First dense layers",
            "first layers that have one MLP for all tokens all the same", Kind::Integer, MEMBER(model.denseLayers))
            .range(0, kMostLayers)
            .unless(std::int64_t{0})
            .where(hasExperts),
        row("model.expert_every", "--moe-every", "k", "Expert layers",
            "of the layers after the first dense ones, every k-th has experts and the others have one MLP", Kind::Integer,
            MEMBER(model.expertEvery))
            .range(1, kMostLayers)
            .unless(std::int64_t{1})
            .where(hasExperts),
    };
}

std::vector<Field> routerRows()
{
    return {
        row("model.router", "--router", "NAME", "Router", "how a router weighs experts", Kind::Choice, MEMBER(model.router))
            .oneOf({{"softmax", "Softmax", "Gates are the softmax of a token's chosen logits"},
                    {"sigmoid", "Sigmoid and bias",
                     "Gates are sigmoids that add up to 1; a bias of each expert, which counts for the choice alone, is moved "
                     "by each step"}})
            .unless(std::string("softmax"))
            .where(hasExperts),
        row("model.router_bias_rate", "--router-bias-rate", "G", "Bias step",
            "with sigmoid routers: each step raises the bias of experts with fewer tokens than the mean by G, and lowers that "
            "of the others (0: leaves it)",
            Kind::Real, MEMBER(model.routerBiasRate))
            .range(0, 1)
            .unless(ModelConfig().routerBiasRate)
            .where(hasSigmoidRouter),
        row("model.router_scale", "--router-scale", "F", "Gate factor", "with sigmoid routers: factor of all gates", Kind::Real,
            MEMBER(model.routerScale))
            .range(1e-3, 1e3)
            .unless(1.0)
            .where(hasSigmoidRouter),
        row("model.router_groups", "--router-groups", "N", "Expert groups",
            "with sigmoid routers: groups of adjacent experts, such as those of a node", Kind::Integer,
            MEMBER(model.routerGroups))
            .range(1, kMostExperts)
            .unless(std::int64_t{1})
            .where(hasSigmoidRouter),
        row("model.router_group_limit", "--router-group-limit", "M", "Groups of a token",
            "with sigmoid routers: groups from which a token chooses (0: all)", Kind::Integer, MEMBER(model.routerGroupLimit))
            .range(0, kMostExperts)
            .unless(std::int64_t{0})
            .where(hasSigmoidRouter),
        row("model.capacity_factor", "--capacity-factor", "CF", "Capacity",
            "rows that an expert takes of a microbatch, relative to the mean; it drops the others", Kind::Real,
            MEMBER(model.capacityFactor))
            .range(0.01, kMostExperts)
            .orElse("dropless")
            .unless()
            .where(hasExperts),
        row("model.drop_rule", "--drop", "RULE", "Dropped rows", "which rows an expert drops beyond its capacity", Kind::Choice,
            MEMBER(model.dropRule))
            .oneOf({{"gate", "Least gates", "The rows of the least gates; ties keep the earlier token"},
                    {"position", "Last tokens", "The rows of the last tokens of the microbatch"}})
            .unless(std::string("gate"))
            .where([](const Experiment &e) { return hasExperts(e) && e.model.capacityFactor; }),
    };
}

std::vector<Field> planRows()
{
    return {
        row("parallel.devices", "--devices", "p", "Devices", "pipeline devices", Kind::Integer, MEMBER(parallel.devices))
            .range(1, kMostPlannedDevices),
        row("parallel.microbatches", "--microbatches", "m", "Microbatches", "microbatches of a step", Kind::Integer,
            MEMBER(parallel.microbatches))
            .range(1, kMostMicrobatches),
        row("parallel.microbatch_size", "--microbatch-size", "b", "Microbatch size", "sequences of a microbatch", Kind::Integer,
            MEMBER(parallel.microbatchSize))
            .range(1, kLargestMicrobatch),
        row("parallel.stage_layers", "--stage-layers", "4/4/...", "Layers of each stage",
            "layers of each stage, such as 2/2/2/2 (default: as even as possible)", Kind::Layers, MEMBER(parallel.stageLayers))
            .where(hasModel),
    };
}

/// The axes of the mesh beside the pipeline. The window does not show those that have one supported value.
std::vector<Field> meshRows()
{
    const auto degree = [](std::string_view path, std::string_view option, std::string_view letter, std::string_view caption,
                           std::string_view help, auto member) {
        return row(path, option, letter, caption, help, Kind::Integer, member)
            .range(1, kMostRanksOfAxis)
            .unless(std::int64_t{1});
    };
    return {
        degree("parallel.tensor", "--tensor", "t", "Tensor ranks", "ranks that share each layer: heads and inner columns",
               MEMBER(parallel.tensor)),
        row("parallel.sequence_parallel", "--sequence-parallel", "--no-sequence-parallel", "Sequence parallel",
            "with tensor ranks: each has the tokens of its own outside of attention and MLP (on by default)", Kind::Flag,
            MEMBER(parallel.sequenceParallel))
            .unless(FieldValue(true))
            .where([](const Experiment &e) { return e.parallel.tensor > 1; }),
        degree("parallel.context", "--context", "c", "Context ranks",
               "ranks that share each sequence: each has the tokens of two chunks of it", MEMBER(parallel.context)),
        row("parallel.context_method", "--context-method", "HOW", "Keys of other ranks",
            "how context ranks reach the keys and values of others", Kind::Choice, MEMBER(parallel.contextMethod))
            .oneOf({{"all-gather", "All-gather", "Each rank gathers the keys and values of the whole sequence"},
                    {"ring", "Ring", "Keys and values travel around the ranks while attention works on the last ones"},
                    {"ulysses", "Ulysses", "Ranks exchange tokens for heads before and after attention"}})
            .unless(std::string("all-gather"))
            .where([](const Experiment &e) { return e.parallel.context > 1; }),
        degree("parallel.replicas", "--replicas", "d", "Replicas",
               "data-parallel copies of the pipeline, each with its own microbatches", MEMBER(parallel.replicas)),
        degree("parallel.expert", "--expert-parallel", "e", "Expert ranks",
               "adjacent replicas that share the experts of each layer; a divisor of the experts and of the replicas",
               MEMBER(parallel.expert))
            .where([](const Experiment &e) { return hasExperts(e) || e.parallel.expert > 1; }),
        row("parallel.expert_headroom", "--expert-headroom", "F", "Expert headroom",
            "with expert ranks: rows of tokens that a rank has memory for, as a multiple of those of balanced experts",
            Kind::Real, MEMBER(parallel.expertHeadroom))
            .range(1, 1024)
            .unless(ParallelPlan::kExpertHeadroom)
            .where([](const Experiment &e) { return e.parallel.expert > 1; }),
        row("parallel.zero", "--zero", "STAGE", "ZeRO",
            "what replicas shard: 0 nothing, 1 optimizer state, 2 also gradients, 3 also parameters", Kind::Integer,
            MEMBER(parallel.zero))
            .range(0, 3)
            .unless(std::int64_t{0}),
        row("parallel.zero2", "--zero2", "WHEN", "Gradients are reduced",
            "with --zero 2: deferred reduces gradients once, at the end of the step; eager after every backward", Kind::Choice,
            MEMBER(parallel.zero2))
            .oneOf({{"deferred", "Once", "At the end of the step; until then every replica holds all gradients"},
                    {"eager", "Every backward", "Less memory, m times the traffic; only predicted"}})
            .unless(std::string("deferred"))
            .where([](const Experiment &e) { return e.parallel.zero == 2; }),
        row("parallel.zero3", "--zero3", "HOW", "Parameters are gathered",
            "with --zero 3: resident gathers parameters once a step; reshard for every pass; keep-until-backward for every "
            "microbatch",
            Kind::Choice, MEMBER(parallel.zero3))
            .oneOf(
                {{"resident", "Once", "At the begin of the step; they stay whole until its end"},
                 {"reshard", "Every pass", "Least memory; a microbatch gathers twice and reduces once; only predicted"},
                 {"keep-until-backward", "Every microbatch", "From its forward to a backward; refused, see list capabilities"}})
            .unless(std::string("resident"))
            .where([](const Experiment &e) { return e.parallel.zero == 3; }),
        row("parallel.shard_replicas", "--shard-replicas", "n", "Replicas of a shard group",
            "with ZeRO: adjacent replicas that shard among themselves, a divisor of the replicas; 0: all", Kind::Integer,
            MEMBER(parallel.shardReplicas))
            .range(0, kMostRanksOfAxis)
            .unless(std::int64_t{0})
            .notInEditor(),
        row("parallel.rank_order", "--rank-order", "ORDER", "Order of ranks",
            "axes from adjacent ranks to the slowest: a permutation of tp-cp-dp-pp", Kind::Text, MEMBER(parallel.rankOrder))
            .unless(ParallelPlan().rankOrder)
            .notInEditor(),
    };
}

std::vector<Field> scheduleRows()
{
    std::vector<FieldChoice> methods;
    for (const VocabularyTraits &method : kVocabularyChoices)
        methods.push_back({method.name, method.caption, method.description});
    return {
        row("schedule.family", "--schedule", "FAMILY", "Schedule",
            "the order in which each device runs its passes: see `list schedules`; auto searches them", Kind::Choice)
            .by([](const Experiment &e) { return FieldValue(e.schedule.family); },
                [](Experiment &e, const FieldValue &value) {
                    chooseFamily(e.schedule, std::get<std::string>(value));
                    return std::string();
                }),
        row("schedule.file", "--schedule-file", "FILE", "Schedule file",
            "a custom schedule: Stagelens' text form, or a CSV of PyTorch's pipelining; - is standard input", Kind::File,
            MEMBER(schedule.file))
            .unless(std::string())
            .where([](const Experiment &e) { return e.schedule.family == kCustomFamily; }),
        row("schedule.text", {}, {}, "Custom order", "the custom schedule itself", Kind::Text, MEMBER(schedule.text))
            .unless(std::string()),
        row("schedule.vocabulary", "--vocabulary", "METHOD", "Vocabulary layers",
            "where the input embedding and the output layer are computed: see `list vocabularies`", Kind::Choice,
            MEMBER(schedule.vocabulary))
            .oneOf(std::move(methods)),
        row("schedule.vocabulary_order", "--vocabulary-order", "ORDER", "Order of S and T",
            "where the vocabulary passes stand among the others: published or best", Kind::Choice,
            MEMBER(schedule.vocabularyOrder))
            .oneOf({{"published", "As published", "The order of the paper, or the family's nearest to it"},
                    {"best", "Best for these costs", "Placed for the costs at hand; never longer than the published order"}})
            .where([](const Experiment &e) {
                return traits(e.schedule.vocabulary).isSharded && e.schedule.family != kCustomFamily;
            }),
        row("schedule.chunks", "--chunks", "v", "Chunks", "stages of each device (interleaved families; 2)", Kind::Integer,
            MEMBER(schedule.chunks))
            .where([](const Experiment &e) { return leavesChunksOpen(e.schedule.family); }),
        row("schedule.group_size", "--group-size", "g", "Group size",
            "microbatches that go through a chunk before the next chunk's turn (interleaved families; p); a rest that would "
            "not "
            "fill the pipeline makes groups larger",
            Kind::Integer, MEMBER(schedule.groupSize))
            .orElse("devices")
            .unless()
            .where([](const Experiment &e) { return leavesGroupsOpen(e.schedule.family); }),
        row("schedule.waves", "--waves", "w", "Waves", "times down and up the devices, two chunks each (hanayo; 1)",
            Kind::Integer, MEMBER(schedule.waves))
            .unless()
            .where([](const Experiment &e) { return e.schedule.family == "hanayo"; }),
        row("schedule.sequence_slices", "--sequence-slices", "n", "Sequence slices",
            "slices of each sequence (seq1f1b families; 2)", Kind::Integer, MEMBER(schedule.sequenceSlices))
            .unless()
            .where([](const Experiment &e) { return cutsSequences(e.schedule.family); }),
        row("schedule.slice_cut", "--slice-cut", "HOW", "Slices of equal",
            "where sequences are cut: slices of equal work, or of equal length", Kind::Choice, MEMBER(schedule.sliceCut))
            .oneOf({{"work", "Work", "Later slices are shorter, for their attention reads more keys"},
                    {"length", "Length", "Later slices take longer"}})
            .unless(std::string("work"))
            .where([](const Experiment &e) { return cutsSequences(e.schedule.family); }),
        row("schedule.memory_limit", "--memory-limit", "BYTES", "Memory limit (GiB)",
            "most memory of a device, such as 80GiB; what needs more is refused, and families that adapt keep to it",
            Kind::Bytes, MEMBER(schedule.memoryLimit))
            .orElse("none")
            .unless()
            .where(hasModel),
        row("schedule.recompute", "--recompute", "HOW", "Recomputation",
            "which activations are computed again in the backward instead of being kept: none, selective or full; or how many "
            "of the first layers of each stage are computed again: a number, or one for each stage, such as 3/1/0/0",
            Kind::Choice)
            .by([](const Experiment &e) { return valueOf(e.schedule.recompute); }, setRecompute)
            .oneOf({{"none", "None", {}}, {"selective", "Selective", {}}, {"full", "Full", {}}}),
        row("schedule.attention", "--attention", "HOW", "Attention",
            "flash computes the probabilities again in the backward; materialised keeps them, a s x s matrix for each head",
            Kind::Choice, MEMBER(schedule.attention))
            .oneOf({{"flash", "Flash", "Probabilities are never stored: the backward computes them again"},
                    {"materialised", "Materialised", "Probabilities stay in memory from F to B, s x s numbers for each head"}})
            .unless(std::string("flash"))
            .where(hasModel),
    };
}

/// The source's value as a field where the costs come from it, else absent.
template <class Source, auto Member>
FieldValue ofSource(const Experiment &experiment)
{
    const auto *source = std::get_if<Source>(&experiment.cost.source);
    return source != nullptr ? valueOf(source->*Member) : FieldValue();
}
template <class Source>
std::string setSource(Experiment &experiment, const FieldValue &value)
{
    experiment.cost.source = Source{std::get<std::string>(value)};
    return {};
}

std::vector<Field> costRows()
{
    return {
        row("cost.hardware", "--hardware", "PRESET|FILE", "Costs for",
            "whose speed the prediction assumes: see `list hardware`; or the file of a cluster, as `hardware` writes it",
            Kind::Choice)
            .by(ofSource<HardwarePreset, &HardwarePreset::name>, setSource<HardwarePreset>)
            .unless(),
        row("cost.uniform", "--uniform", "F=1,B=2,...", "Durations",
            "milliseconds of each pass of one stage: F B I W S T U EF EB, of messages: send c0 c1 c2", Kind::Times)
            .by(ofSource<UniformCosts, &UniformCosts::milliseconds>,
                [](Experiment &e, const FieldValue &value) {
                    const auto *before = std::get_if<UniformCosts>(&e.cost.source);
                    const UniformPer per = before != nullptr ? before->per : UniformPer::Stage;
                    e.cost.source = UniformCosts{std::get<std::map<std::string, double>>(value), per};
                    return std::string();
                })
            .unless(),
        row("cost.per", "--uniform-per", "WHAT", "Durations of",
            "stage (each chunk takes the time given) or device (each of v chunks takes 1/v)", Kind::Choice)
            .by(
                [](const Experiment &e) {
                    const auto *uniform = std::get_if<UniformCosts>(&e.cost.source);
                    return uniform != nullptr ? valueOf(uniform->per) : FieldValue();
                },
                [](Experiment &e, const FieldValue &value) {
                    auto *uniform = std::get_if<UniformCosts>(&e.cost.source);
                    return uniform != nullptr ? put(value, uniform->per)
                                              : std::string("is of uniform costs, and there are none; leave it out");
                })
            .oneOf({{"device", "A device's share", "Each of v chunks takes 1/v: the work stays the same"},
                    {"stage", "Each chunk", "With v chunks a device has v times the work"}})
            .unless(valueOf(UniformPer::Stage))
            .where(isUniform),
        row("cost.durations", "--durations", "FILE", "Durations file", "CSV with the header device,stage,pass,duration_us",
            Kind::File)
            .by(ofSource<DurationsFile, &DurationsFile::file>, setSource<DurationsFile>)
            .unless()
            .where([](const Experiment &e) { return std::holds_alternative<DurationsFile>(e.cost.source); }),
        row("cost.collectives", "--collectives", "HOW", "Collectives",
            "whether collectives run beside the passes or keep the devices waiting: overlapped or blocking", Kind::Choice,
            MEMBER(cost.collectives))
            .oneOf({{"overlapped", "Overlap with passes", {}}, {"blocking", "Block the devices", {}}})
            .unless(valueOf(Collectives::Overlapped)),
    };
}

std::string setBetas(Experiment &experiment, const FieldValue &value)
{
    const auto &betas = std::get<std::vector<double>>(value);
    if (betas.size() != 2)
        return base::concat("has ", betas.size(), " numbers; give two, such as 0.9,0.95");
    experiment.training.optimizer.beta1 = betas[0];
    experiment.training.optimizer.beta2 = betas[1];
    return {};
}

std::vector<Field> trainingRows()
{
    static const std::string kOptimizers = operators::optimizerNames(", ");
    std::vector<FieldChoice> optimizers;
    for (const operators::Optimizer *optimizer : operators::optimizers())
        optimizers.push_back({optimizer->name, optimizer->caption, optimizer->description});
    return {
        row("training.backend", "--backend", "NAME", "Backend",
            "what computes the passes when the plan is trained: see `list backends`", Kind::Choice, MEMBER(training.backend))
            .oneOf({{"cpu", "CPU", "This machine's processor"}, {"cuda", "CUDA", "NVIDIA GPUs"}}),
        row("training.mode", "--mode", "MODE", "Clock",
            "live: all devices at once; virtual-clock: each pass measured alone, concurrency simulated", Kind::Choice,
            MEMBER(training.mode))
            .oneOf({{"", "Automatic", "Live while devices <= cores, else virtual clock"},
                    {"live", "Live", "Wall clock, all devices at once"},
                    {"virtual-clock", "Virtual clock", "Each pass measured alone, concurrency simulated"}}),
        row("training.steps", "--steps", "N", "Steps", "training steps", Kind::Integer, MEMBER(training.steps))
            .range(1, kMostSteps),
        row("training.seed", "--seed", "S", "Seed", "of parameters, synthetic data and the places of a text's sequences",
            Kind::Seed, MEMBER(training.seed)),
        row("training.data", "--data", "SOURCE", "Text or tokens",
            "synthetic, a text file, a folder of texts or a .bin token file (nanoGPT, llm.c)", Kind::File,
            MEMBER(training.data)),
        row("training.optimizer.name", "--optimizer", "NAME", "Optimizer", kOptimizers, Kind::Choice,
            MEMBER(training.optimizer.name))
            .oneOf(std::move(optimizers)),
        row("training.optimizer.lr", "--lr", "RATE", "Learning rate", "learning rate", Kind::Real,
            MEMBER(training.optimizer.learningRate))
            .range(0, kNoLimit),
        row("training.optimizer.betas", "--betas", "b1,b2", "Betas",
            "decay of the mean and of the square (adamw), or share and decay of the momentum (lion), such as 0.9,0.95",
            Kind::Pair)
            .by(
                [](const Experiment &e) {
                    return FieldValue(std::vector<double>{e.training.optimizer.beta1, e.training.optimizer.beta2});
                },
                setBetas)
            .where([](const Experiment &e) { return optimizerOf(e.training.optimizer).reads("betas"); }),
        row("training.optimizer.weight_decay", "--weight-decay", "RATE", "Weight decay",
            "decay of weights, apart from the gradient; sgd adds it to the gradient", Kind::Real,
            MEMBER(training.optimizer.weightDecay))
            .range(0, kNoLimit)
            .where([](const Experiment &e) { return optimizerOf(e.training.optimizer).reads("weight_decay"); }),
        row("training.optimizer.momentum", "--momentum", "MU", "Momentum", "decay of the sum of gradients (sgd, muon)",
            Kind::Real, MEMBER(training.optimizer.momentum))
            .range(0, kNoLimit)
            .unless(OptimizerChoice().momentum)
            .where([](const Experiment &e) { return optimizerOf(e.training.optimizer).reads("momentum"); }),
        row("training.optimizer.table_lr", "--table-lr", "RATE", "Rate of tables",
            "learning rate of the tables and vectors, which muon leaves to AdamW", Kind::Real,
            MEMBER(training.optimizer.tableRate))
            .range(0, kNoLimit)
            .unless(OptimizerChoice().tableRate)
            .where([](const Experiment &e) { return optimizerOf(e.training.optimizer).reads("table_lr"); }),
        row("training.optimizer.scale_parameter", "--scale-parameter", "--no-scale-parameter", "Scale by parameter",
            "multiply the rate of adafactor by the root mean square of each parameter, and let it fall as 1 / sqrt(t)",
            Kind::Flag, MEMBER(training.optimizer.scalesByValue))
            .unless(false)
            .where([](const Experiment &e) { return optimizerOf(e.training.optimizer).reads("scale_parameter"); }),
        row("training.optimizer.clip", "--clip", "NORM|off", "Gradient clipping", "greatest norm of the whole gradient",
            Kind::Real, MEMBER(training.optimizer.clip))
            .orElse("off"),
    };
}

} // namespace

std::span<const Field> schema()
{
    static const std::vector<Field> kAll = [] {
        std::vector<Field> all;
        for (auto &rows : {modelRows(), expertRows(), routerRows(), planRows(), meshRows(), scheduleRows(), recomputeRows(),
                           offloadRows(), costRows(), numericsRows(), trainingRows(), whatIfRows()})
            all.insert(all.end(), rows.begin(), rows.end());
        return all;
    }();
    return kAll;
}

} // namespace stagelens::model
