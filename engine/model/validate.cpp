// validate(): every problem of a plan, found without stopping at the first.
#include "engine/base/text.h"
#include "engine/model/capabilities.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/experiment.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/model/schema_row.h"
#include "engine/model/what_if.h"
#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stagelens::model {
namespace {

using base::concat;
using base::Problems;

constexpr int kWidest = 1 << 24;
constexpr std::int64_t kMostForwardPasses = 10'000'000;
constexpr double kMostParameters = 1e15;
constexpr double kMostBytes = 4e18;
constexpr double kLongestMilliseconds = 1e9;

/// Collects problems; each check says whether it held, so that later ones can rest on it.
class Checks {
public:
    bool holds(bool condition, std::string_view field, std::string message)
    {
        if (!condition)
            m_problems.push_back({std::string(field), std::move(message)});
        return condition;
    }
    /// Whether a number is within the range of its field. Written so that NaN is not.
    template <class Number>
    bool inRange(Number value, std::string_view path)
    {
        const Field &field = schemaField(path);
        const auto number = static_cast<double>(value);
        return holds(number >= field.least && number <= field.most && std::isfinite(number), path,
                     concat("is ", value, "; choose ", field.least, rangeEnd<Number>(field)));
    }
    bool isText(const std::string &value, std::string_view field)
    {
        return holds(!value.empty(), field, "is empty; name one") &&
               holds(base::isUtf8(value) && value.find('\0') == std::string::npos, field,
                     "holds bytes that are no UTF-8 text; rename it");
    }
    void add(Problems problems)
    {
        m_problems.insert(m_problems.end(), std::make_move_iterator(problems.begin()), std::make_move_iterator(problems.end()));
    }
    Problems take() { return std::move(m_problems); }

private:
    template <class Number>
    static std::string rangeEnd(const Field &field)
    {
        return std::isinf(field.most) ? " or more" : concat(" to ", static_cast<Number>(field.most));
    }

    Problems m_problems;
};

/// Whether heads have a width, so that sizes can be computed. `hidden` and `heads` are in range.
bool checkHeadSize(const ModelConfig &model, Checks &checks)
{
    const bool isGpt = model.family == ModelFamily::Gpt;
    if (model.headDim) {
        if (!checks.inRange(*model.headDim, "model.head_dim") ||
            !checks.holds(
                std::int64_t{*model.headDim} * model.heads <= kWidest, "model.head_dim",
                concat("is ", *model.headDim, ", and ", model.heads, " heads of it are wider than ", kWidest, "; choose less")))
            return false;
        checks.holds(!isGpt || std::int64_t{*model.headDim} * model.heads == model.hidden, "model.head_dim",
                     concat("is ", *model.headDim, ", but the ", model.heads, " heads of gpt divide hidden ", model.hidden,
                            "; leave it out or choose family llama"));
    } else if (!checks.holds(
                   model.hidden % model.heads == 0, "model.heads",
                   concat(model.heads, " heads do not divide hidden ", model.hidden, "; choose a divisor of ", model.hidden))) {
        return true; // sizes are rounded
    }
    checks.holds(isGpt || model.headSize() % 2 == 0, model.headDim ? "model.head_dim" : "model.heads",
                 concat("a head is ", model.headSize(), " wide, and rotary positions need an even width; choose another ",
                        model.headDim ? "one" : "number of heads"));
    return true;
}

/// What Llama's norm and rotary positions are made with.
void checkRotation(const ModelConfig &model, Checks &checks)
{
    constexpr double kLargest = 1e12;
    const auto within = [&](double value, double least, double most, std::string_view field) {
        checks.holds(value >= least && value <= most, field, concat("is ", value, "; choose ", least, " to ", most));
    };
    checks.inRange(model.rmsNormEpsilon, "model.rms_norm_eps");
    checks.inRange(model.ropeTheta, "model.rope_theta");
    if (!model.ropeScaling)
        return;
    const RopeScaling &scaling = *model.ropeScaling;
    within(scaling.factor, 1, kLargest, "model.rope_scaling.factor");
    within(scaling.lowFrequencyFactor, 1e-6, kLargest, "model.rope_scaling.low_freq_factor");
    checks.holds(scaling.highFrequencyFactor > scaling.lowFrequencyFactor && scaling.highFrequencyFactor <= kLargest,
                 "model.rope_scaling.high_freq_factor",
                 concat("is ", scaling.highFrequencyFactor, "; choose more than low_freq_factor, which is ",
                        scaling.lowFrequencyFactor));
    within(scaling.originalSequence, 1, kWidest, "model.rope_scaling.original_max_position_embeddings");
}

/// True if the sizes of latent attention are sound.
bool checkLatentAttention(const ModelConfig &model, Checks &checks)
{
    if (!model.latentAttention)
        return true;
    const LatentAttention &latent = *model.latentAttention;
    constexpr int kWidestLatent = 1 << 20;
    bool sound = true;
    for (const int size : {latent.queryRank, latent.keyValueRank, latent.plainSize, latent.rotarySize, latent.valueSize})
        sound &= size >= 1 && size <= kWidestLatent;
    checks.holds(sound, "model.latent_attention", concat("has a size outside of 1 to ", kWidestLatent));
    checks.holds(model.family == ModelFamily::Llama, "model.latent_attention", "is of llamas; choose family llama");
    return sound && model.family == ModelFamily::Llama;
}

/// Groups of experts, of which a token chooses some.
void checkRouter(const ModelConfig &model, Checks &checks)
{
    checks.inRange(model.routerBiasRate, "model.router_bias_rate");
    checks.inRange(model.routerScale, "model.router_scale");
    if (model.capacityFactor)
        checks.inRange(*model.capacityFactor, "model.capacity_factor");
    if (!checks.inRange(model.routerGroups, "model.router_groups") ||
        !checks.inRange(model.routerGroupLimit, "model.router_group_limit") || model.routerGroups == 1)
        return;
    const bool isSound =
        checks.holds(model.router == RouterScore::Sigmoid, "model.router_groups",
                     "is above 1, but softmax routers have no groups; choose 1, or router sigmoid") &&
        checks.holds(model.experts % model.routerGroups == 0, "model.router_groups",
                     concat(model.routerGroups, " groups do not divide ", model.experts, " experts; choose a divisor"));
    if (!isSound)
        return;
    const int least = (model.topK * model.routerGroups + model.experts - 1) / model.experts;
    checks.holds(model.chosenGroups() >= least && model.chosenGroups() <= model.routerGroups, "model.router_group_limit",
                 concat("is ", model.routerGroupLimit, ", but ", model.topK, " experts are chosen from groups of ",
                        model.experts / model.routerGroups, "; choose ", least, " to ", model.routerGroups, ", or 0"));
}

/// True if the sizes of experts are sound.
bool checkExperts(const ModelConfig &model, Checks &checks)
{
    if (!checks.inRange(model.experts, "model.experts") || !model.hasExperts())
        return !model.hasExperts();
    const bool isLlama = model.family == ModelFamily::Llama;
    checks.holds(isLlama, "model.experts",
                 concat("is ", model.experts, ", but the experts are MLPs of a llama; choose family llama, or 0 experts"));
    bool sound = checks.inRange(model.topK, "model.top_k");
    if (sound) {
        sound = model.topK <= model.experts;
        checks.holds(sound, "model.top_k",
                     concat("is ", model.topK, ", more than the ", model.experts, " experts; choose 1 to ", model.experts));
    }
    if (model.expertFfn)
        sound &= checks.inRange(*model.expertFfn, "model.expert_ffn");
    checks.inRange(model.auxLoss, "model.aux_loss");
    checks.inRange(model.zLoss, "model.z_loss");
    sound &= checks.inRange(model.sharedExperts, "model.shared_experts");
    sound &= checks.inRange(model.expertEvery, "model.expert_every") && checks.inRange(model.denseLayers, "model.dense_layers");
    if (sound) {
        const bool hasLayer = model.expertLayers(model.layers) > 0;
        checks.holds(hasLayer, model.denseLayers > 0 ? "model.dense_layers" : "model.expert_every",
                     concat("leaves no layer with experts among ", model.layers, "; choose less"));
        checkRouter(model, checks);
    }
    return isLlama && sound;
}

/// True if every size is sound, so that sizes of tensors can be computed.
bool checkModel(const ModelConfig &model, Checks &checks)
{
    bool sound = checks.inRange(model.layers, "model.layers");
    const bool hidden = checks.inRange(model.hidden, "model.hidden");
    const bool heads = checks.inRange(model.heads, "model.heads");
    const bool kvHeads = checks.inRange(model.kvHeads, "model.kv_heads");
    sound &= checks.inRange(model.ffn, "model.ffn");
    sound &= checks.inRange(model.sequence, "model.sequence");
    sound &= checks.inRange(model.vocabularySize, "model.vocabulary_size");
    const bool size = hidden && heads && checkHeadSize(model, checks);
    if (heads && kvHeads && model.family == ModelFamily::Gpt)
        checks.holds(
            model.kvHeads == model.heads, "model.kv_heads",
            concat("is ", model.kvHeads, ", but gpt has as many as heads; set it to ", model.heads, " or choose family llama"));
    else if (heads && kvHeads)
        checks.holds(model.heads % model.kvHeads == 0, "model.kv_heads",
                     concat(model.kvHeads, " key and value heads do not divide ", model.heads, " heads; choose a divisor of ",
                            model.heads));
    checkRotation(model, checks);
    const bool isLatent = checkLatentAttention(model, checks);
    return checkExperts(model, checks) && sound && size && kvHeads && isLatent;
}

// What would overflow 64-bit counts further on.
void checkParameters(const ModelConfig &model, Checks &checks)
{
    // An upper bound: four matrices of attention as wide as its queries, three of the MLP.
    const double hidden = model.hidden;
    const double mlpWidth = model.hasExperts()
                                ? (model.experts + model.sharedExperts) * (3.0 * model.expertWidth() + 1) + 3.0 * model.ffn
                                : 3.0 * static_cast<double>(model.ffn);
    const double layer = hidden * (4.0 * static_cast<double>(model.queryWidth()) + mlpWidth + 16.0);
    const double parameters = model.layers * layer + 2.0 * hidden * model.vocabularySize;
    checks.holds(
        parameters <= kMostParameters, "model",
        concat("has about ", parameters, " parameters, and at most ", kMostParameters, " are accepted; lower its sizes"));
}

void checkActivations(const ModelConfig &model, const ParallelPlan &plan, Attention attention, Checks &checks)
{
    const double scores = attention == Attention::Materialised ? static_cast<double>(model.heads) * model.sequence : 0;
    const double routed = model.hasExperts()
                              ? 16.0 * (model.experts + model.topK * (2.0 * model.hidden + 4.0) + // rows, logits and routes
                                        static_cast<double>(model.sharedExperts) * model.expertWidth() + model.ffn)
                              : 0;
    // An upper bound of the bytes a token of every way to count them.
    const double tokenBytes =
        model.layers * (40.0 * static_cast<double>(std::max<std::int64_t>(model.hidden, model.queryWidth())) +
                        16.0 * static_cast<double>(model.innerWidth()) + routed + 4.0 * model.heads + 16.0 * scores + 16.0) +
        8.0 * model.vocabularySize;
    const double tokens = static_cast<double>(plan.microbatchSize) * plan.microbatches * model.sequence;
    checks.holds(tokens * tokenBytes <= kMostBytes, "parallel.microbatch_size",
                 concat("a step's activations are about ", tokens * tokenBytes, " bytes, and at most ", kMostBytes,
                        " are accepted; lower microbatch_size, microbatches or the model's sizes"));
}

void checkStageLayers(const Experiment &experiment, int stages, Checks &checks)
{
    const std::vector<int> &cut = experiment.parallel.stageLayers;
    const int layers = experiment.hasModel ? experiment.model.layers : stages;
    constexpr std::string_view kField = "parallel.stage_layers";
    checks.holds(cut.size() == static_cast<std::size_t>(stages), kField,
                 concat("has ", cut.size(), " entries for ", stages, " stages; give one for each stage"));
    const bool mayBeEmpty = traits(experiment.schedule.vocabulary).redistributesLayers;
    const int least = mayBeEmpty ? 0 : 1;
    const auto low = std::find_if(cut.begin(), cut.end(), [&](int count) { return count < least; });
    checks.holds(low == cut.end(), kField,
                 mayBeEmpty
                     ? "has a negative entry; give 0 layers or more"
                     : "has a stage without a layer; give each at least 1, or choose redis, which may leave a stage without");
    const std::int64_t sum = std::accumulate(cut.begin(), cut.end(), std::int64_t{0});
    checks.holds(sum == layers, kField,
                 concat("adds up to ", sum, " layers, but there are ", layers, "; change an entry or the layers"));
    if (!experiment.hasModel)
        checks.holds(std::all_of(cut.begin(), cut.end(), [](int count) { return count == 1; }), kField,
                     "must be all ones in a teaching example without a model");
}

/// What tensor ranks divide: heads, inner columns, the vocabulary and, with sequence parallelism, the tokens of a microbatch.
void checkTensor(const Experiment &experiment, Checks &checks)
{
    const ParallelPlan &plan = experiment.parallel;
    const ModelConfig &model = experiment.model;
    const int ranks = plan.tensor;
    if (ranks == 1)
        return;
    constexpr std::string_view kField = "parallel.tensor";
    if (!experiment.hasModel) {
        checks.holds(false, kField, concat("is ", ranks, ", but given durations are of whole passes; choose 1"));
        return;
    }
    // With fewer key and value heads than ranks each is on several ranks, which needs projections of their own.
    const bool isFused = model.family == ModelFamily::Gpt;
    const std::int64_t tokens = std::int64_t{plan.microbatchSize} * model.sequence;
    const auto undivided = [&](int degree) {
        std::string sizes;
        const auto look = [&](bool divides, std::string_view what, std::int64_t size) {
            if (!divides)
                sizes += concat(sizes.empty() ? "" : ", ", what, " (", size, ")");
        };
        const bool areKeysDivided =
            model.kvHeads % degree == 0 || (!isFused && model.kvHeads > 0 && degree % model.kvHeads == 0);
        look(model.heads % degree == 0, "model.heads", model.heads);
        look(areKeysDivided, "model.kv_heads", model.kvHeads);
        look(model.hidden % degree == 0, "model.hidden", model.hidden);
        look(model.ffn % degree == 0, "model.ffn", model.ffn);
        look(!plan.hasSequenceParallel() || tokens % degree == 0, "the tokens of a microbatch", tokens);
        return sizes;
    };
    int nearest = ranks;
    while (nearest > 1 && !undivided(nearest).empty())
        --nearest;
    checks.holds(nearest == ranks, kField,
                 concat("is ", ranks, ", which does not divide ", undivided(ranks), "; choose ", nearest));
    checks.holds(model.vocabularySize >= std::int64_t{ranks} * plan.devices, kField,
                 concat("is ", ranks, ", which with ", plan.devices, " devices makes more parts than the ",
                        model.vocabularySize, " tokens of model.vocabulary_size; lower either"));
}

/// The replicas that shard among themselves.
void checkShards(const ParallelPlan &plan, Checks &checks)
{
    constexpr auto kField = "parallel.shard_replicas";
    if (plan.shardReplicas == 0)
        return;
    checks.holds(plan.zero > 0, kField,
                 concat("is ", plan.shardReplicas, ", but without ZeRO replicas shard nothing; choose 0, or ZeRO 1 to 3"));
    int nearest = std::min(plan.shardReplicas, plan.replicas);
    while (nearest > 1 && plan.replicas % nearest != 0)
        --nearest;
    if (nearest == 1) // one replica shares with no other
        nearest = plan.replicas > 1 ? plan.replicas : 0;
    checks.holds(nearest == plan.shardReplicas, kField,
                 concat("is ", plan.shardReplicas, ", which is no divisor above 1 of the ", plan.replicas,
                        plan.replicas == 1 ? " replica" : " replicas", "; choose ", nearest));
}

/// The axes of the mesh: each within its range, and then of a value that is supported.
void checkMesh(const Experiment &experiment, Checks &checks)
{
    const ParallelPlan &plan = experiment.parallel;
    bool isSound = true;
    for (const auto &[field, value] :
         {std::pair("parallel.tensor", plan.tensor), std::pair("parallel.context", plan.context),
          std::pair("parallel.replicas", plan.replicas), std::pair("parallel.expert", plan.expert),
          std::pair("parallel.zero", plan.zero), std::pair("parallel.shard_replicas", plan.shardReplicas)})
        isSound &= checks.inRange(value, field);
    std::vector<std::string_view> axes = base::split(plan.rankOrder, '-');
    std::ranges::sort(axes);
    checks.holds(axes == std::vector<std::string_view>{"cp", "dp", "pp", "tp"}, "parallel.rank_order",
                 concat("is ", base::quoted(plan.rankOrder), "; give each of tp, cp, dp and pp once, fastest first, such as ",
                        ParallelPlan().rankOrder));
    if (isSound) {
        checkShards(plan, checks);
        checks.holds(
            plan.zero < 2 || plan.gradientRanks() > 1, "parallel.zero",
            concat("is ", plan.zero, ", but one replica has no other to share with; choose 0, or at least 2 replicas"));
        checks.add(compressionProblems(experiment));
        checks.add(unsupported(experiment, Use::Predict));
        checkTensor(experiment, checks);
        checks.add(contextProblems(experiment));
        checks.add(expertProblems(experiment));
    }
}

void checkParallel(const Experiment &experiment, Checks &checks)
{
    const ParallelPlan &plan = experiment.parallel;
    const ModelConfig &model = experiment.model;
    const int chunks = stagesPerDevice(experiment.schedule);
    const bool devices = checks.inRange(plan.devices, "parallel.devices");
    const bool microbatches = checks.inRange(plan.microbatches, "parallel.microbatches");
    checks.inRange(plan.microbatchSize, "parallel.microbatch_size");
    base::Problems shape = shapeProblems(experiment.schedule);
    const bool isSound = shape.empty();
    checks.add(std::move(shape));
    if (!isSound || !devices)
        return;
    const int stages = plan.devices * chunks;
    const int slices = slicesOf(experiment.schedule);
    if (microbatches)
        checks.holds(std::int64_t{stages} * slices * plan.microbatches <= kMostForwardPasses, "parallel.microbatches",
                     concat(plan.microbatches, " microbatches on ", stages, " stages are more than ", kMostForwardPasses,
                            " forward passes; lower microbatches to ", kMostForwardPasses / stages / slices));
    if (experiment.hasModel && model.sequence >= 1)
        checks.holds(slices <= model.sequence, "schedule.sequence_slices",
                     concat("is ", slices, ", more than the ", model.sequence, " tokens of a sequence; lower it"));
    if (!plan.stageLayers.empty())
        checkStageLayers(experiment, stages, checks);
    checks.add(recomputeProblems(experiment, stages));
    if (!experiment.hasModel || model.layers < 1)
        return;
    if (stages > model.layers && !traits(experiment.schedule.vocabulary).redistributesLayers) {
        const std::string made = chunks == 1 ? std::string() : concat(" with ", chunks, " chunks each");
        const std::string remedy = chunks <= model.layers ? concat("lower devices to ", model.layers / chunks) : "lower chunks";
        checks.holds(false, "parallel.devices",
                     concat(plan.devices, " devices", made, " need as many layers as stages, ", stages, ", but there are ",
                            model.layers, "; ", remedy, " or choose redis"));
    }
    if (model.vocabularySize >= 1)
        checks.holds(
            model.vocabularySize >= plan.devices, "model.vocabulary_size",
            concat("is ", model.vocabularySize, ", less than the ", plan.devices, " devices; raise it or lower devices"));
}

struct CostCheck {
    Checks &checks;
    bool hasModel;
    const ParallelPlan &plan;

    void operator()(const HardwarePreset &hardware) const
    {
        checks.isText(hardware.name, "cost.hardware");
        if (hardware.cluster)
            checkRanks(*hardware.cluster);
        checks.holds(hasModel, "cost.hardware",
                     "needs a model to compute costs from; give a model, or uniform costs or durations");
    }
    /// A cluster may have too few GPUs for the plan.
    void checkRanks(const Hardware &cluster) const
    {
        const std::int64_t available = std::int64_t{cluster.nodes} * cluster.devicesPerNode;
        const std::int64_t ranks = plan.ranks(plan.devices);
        if (available == 0 || plan.devices < 1 || ranks < 1)
            return;
        const std::int64_t each = std::max<std::int64_t>(1, ranks / plan.devices);
        const std::string remedy =
            available >= each ? concat("lower devices to ", available / each)
                              : concat("lower the replicas to ", std::max<std::int64_t>(1, available * plan.replicas / ranks));
        checks.holds(ranks <= available, "parallel.devices",
                     concat("the plan has ", ranks, " ranks, and ", base::quoted(cluster.name), " has ", available, " (",
                            cluster.nodes, " nodes of ", cluster.devicesPerNode, "); ", remedy, ", or raise its nodes to ",
                            (ranks + cluster.devicesPerNode - 1) / cluster.devicesPerNode));
    }
    void operator()(const DurationsFile &durations) const { checks.isText(durations.file, "cost.durations"); }
    void operator()(const UniformCosts &uniform) const
    {
        constexpr std::array<std::string_view, 16> kKeys{"F",  "B",  "I",   "W",  "S",    "T",  "U",  "EF",
                                                         "EB", "FB", "OFF", "ON", "send", "c0", "c1", "c2"};
        for (const auto &[key, milliseconds] : uniform.milliseconds) {
            const std::string field = "cost.uniform." + key;
            checks.holds(std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end(), field,
                         "is no pass or message; there are F B I W S T U EF EB FB OFF ON send c0 c1 c2");
            // Written so that NaN fails as well.
            checks.holds(milliseconds >= 0 && milliseconds <= kLongestMilliseconds, field,
                         concat("is ", milliseconds, "; choose 0 to ", kLongestMilliseconds, " ms"));
        }
    }
};

/// A custom schedule is its file or its text, and no other family has one.
void checkFamily(const ScheduleChoice &schedule, Checks &checks)
{
    if (!checks.isText(schedule.family, "schedule.family"))
        return;
    const bool isCustom = schedule.family == kCustomFamily;
    if (isCustom) {
        checks.holds(schedule.hasOwnOrder(), "schedule.file", "is missing; a custom schedule needs its file");
        checks.holds(schedule.file.empty() || schedule.text.empty(), "schedule.text",
                     "stands beside schedule.file; leave one of the two out");
        if (!schedule.file.empty())
            checks.isText(schedule.file, "schedule.file");
    } else {
        checks.holds(!schedule.hasOwnOrder(), "schedule.family",
                     concat("is ", schedule.family, ", but ", customField(schedule),
                            " has a custom schedule; leave one of the two out"));
    }
}

void checkTraining(const TrainingPlan &training, Checks &checks)
{
    checks.holds(training.backend == "cpu" || training.backend == "cuda", "training.backend",
                 concat("is `", training.backend, "`; choose cpu or cuda"));
    checks.inRange(training.steps, "training.steps");
    checks.isText(training.data, "training.data");
    const OptimizerChoice &optimizer = training.optimizer;
    checks.holds(operators::findOptimizer(optimizer.name) != nullptr, "training.optimizer.name",
                 concat("is `", optimizer.name, "`; choose ", operators::optimizerNames(" or ")));
    checks.inRange(optimizer.learningRate, "training.optimizer.lr");
    checks.inRange(optimizer.weightDecay, "training.optimizer.weight_decay");
    checks.inRange(optimizer.tableRate, "training.optimizer.table_lr");
    for (const double beta : {optimizer.beta1, optimizer.beta2})
        checks.holds(beta >= 0 && beta < 1, "training.optimizer.betas", concat("has ", beta, "; choose 0 to less than 1"));
    checks.holds(optimizer.momentum >= 0 && optimizer.momentum < 1, "training.optimizer.momentum",
                 concat("is ", optimizer.momentum, "; choose 0 to less than 1"));
    checks.holds(!optimizer.clip || (*optimizer.clip > 0 && std::isfinite(*optimizer.clip)), "training.optimizer.clip",
                 concat("is ", optimizer.clip.value_or(0), "; choose more than 0, or null for none"));
}

} // namespace

Problems validate(const Experiment &experiment)
{
    Checks checks;
    const ModelConfig &model = experiment.model;
    const ParallelPlan &plan = experiment.parallel;
    const bool soundModel = experiment.hasModel && checkModel(model, checks);
    if (soundModel)
        checkParameters(model, checks);
    checkMesh(experiment, checks);
    checkParallel(experiment, checks);
    if (soundModel && plan.microbatches >= 1 && plan.microbatchSize >= 1)
        checkActivations(model, plan, experiment.schedule.attention, checks);
    checkFamily(experiment.schedule, checks);
    std::visit(CostCheck{checks, experiment.hasModel, plan}, experiment.cost.source);
    checkTraining(experiment.training, checks);
    checks.add(whatIfProblems(experiment));
    return checks.take();
}

} // namespace stagelens::model
