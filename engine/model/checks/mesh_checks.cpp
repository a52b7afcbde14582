// The axes of the mesh: what ranks divide.
#include "engine/base/text.h"
#include "engine/model/capabilities.h"
#include "engine/model/checks/checks.h"
#include "engine/model/names.h"
#include "engine/operators/compression/compression.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace stagelens::model {

namespace {

/// What tensor ranks divide: heads, inner columns, the vocabulary and, with sequence parallelism, the tokens of a microbatch.
void checkTensor(Checks &checks)
{
    const Experiment &experiment = checks.experiment;
    const ParallelPlan &plan = experiment.parallel;
    const ModelConfig &model = experiment.model;
    const int ranks = plan.tensor;
    if (ranks == 1)
        return;
    constexpr std::string_view kField = "parallel.tensor";
    if (!experiment.hasModel) {
        checks.holds(false, kField, fmt::format("is {}, but given durations are of whole passes; choose 1", ranks));
        return;
    }
    // With fewer key and value heads than ranks each is on several ranks, which needs projections of their own.
    const bool isFused = model.family == ModelFamily::Gpt;
    const std::int64_t tokens = std::int64_t{plan.microbatchSize} * model.sequence;
    struct Size {
        std::string_view what;
        std::int64_t size;
        bool isShared; ///< degrees that are multiples of it hold as well
    };
    const int ffn = model.hasExperts() && !model.mixesLayers() ? 0 : model.ffn; // no layer has a dense MLP
    // Expert ranks have whole experts, and divide shared ones only.
    const std::int64_t divided = !model.hasExperts() ? 0 : plan.expert == 1 ? 1 : model.sharedExperts;
    const std::int64_t expertFfn = divided * model.expertWidth();
    const std::array sizes{Size{"model.heads", model.heads, false},
                           Size{"model.kv_heads", model.kvHeads, !isFused},
                           Size{"model.hidden", model.hidden, false},
                           Size{"model.ffn", ffn, false},
                           Size{plan.expert == 1 ? "model.expert_ffn" : "the width of shared experts", expertFfn, false},
                           Size{"the tokens of a microbatch", plan.hasSequenceParallel() ? tokens : 0, false}};
    const auto divides = [](const Size &size, std::int64_t degree) {
        return size.size % degree == 0 || (size.isShared && size.size > 0 && degree % size.size == 0);
    };
    std::string undivided;
    for (const Size &size : sizes)
        if (!divides(size, ranks))
            undivided += fmt::format("{}{} ({})", undivided.empty() ? "" : ", ", size.what, size.size);
    const std::int64_t common = std::gcd(std::gcd(model.heads, model.hidden), std::gcd(ffn, expertFfn));
    std::int64_t nearest = common > 0 ? std::min<std::int64_t>(ranks, common) : ranks;
    while (nearest > 1 && !std::ranges::all_of(sizes, [&](const Size &size) { return divides(size, nearest); }))
        --nearest;
    checks.holds(nearest == ranks, kField,
                 fmt::format("is {}, which does not divide {}; choose {}", ranks, undivided, nearest));
    checks.holds(
        model.vocabularySize >= std::int64_t{plan.tableRanks()} * plan.devices, kField,
        fmt::format("is {}, which with {} devices makes more parts than the {} tokens of model.vocabulary_size; lower either",
                    ranks, plan.devices, model.vocabularySize));
}

/// The replicas that shard among themselves.
void checkShards(Checks &checks)
{
    const ParallelPlan &plan = checks.experiment.parallel;
    constexpr auto kField = "parallel.shard_replicas";
    if (plan.shardReplicas == 0)
        return;
    checks.holds(plan.zero > 0, kField,
                 fmt::format("is {}, but without ZeRO replicas shard nothing; choose 0, or ZeRO 1 to 3", plan.shardReplicas));
    int nearest = std::min(plan.shardReplicas, plan.replicas);
    while (nearest > 1 && plan.replicas % nearest != 0)
        --nearest;
    if (nearest == 1) // one replica shares with no other
        nearest = plan.replicas > 1 ? plan.replicas : 0;
    checks.holds(nearest == plan.shardReplicas, kField,
                 fmt::format("is {}, which is no divisor above 1 of the {}{}; choose {}", plan.shardReplicas, plan.replicas,
                             plan.replicas == 1 ? " replica" : " replicas", nearest));
    // A group that shards has whole expert groups, so that each of its replicas finds its experts on as many others.
    const int together = plan.replicasPerExpertGroup();
    if (nearest != plan.shardReplicas || plan.replicas % together != 0)
        return;
    int whole = std::max(plan.shardReplicas, together);
    while (plan.replicas % whole != 0 || whole % together != 0)
        --whole;
    checks.holds(whole == plan.shardReplicas, kField,
                 fmt::format("is {}, which is no multiple of the {} replicas that share experts; choose {}", plan.shardReplicas,
                             together, whole));
}

base::Problems compressionProblems(const Experiment &experiment)
{
    const CompressionChoice &choice = experiment.training.compression;
    if (!choice.isOn())
        return {};
    const std::string field = "training.gradient_compression";
    const std::string word = operators::text(choice);
    if (!experiment.hasModel)
        return {{field, fmt::format("is {}, but there is no model whose gradients it compresses; choose none, or give a model",
                                    word)}};
    if (experiment.parallel.gradientRanks() == 1)
        return {
            {field,
             fmt::format("is {}, but one replica has no other to exchange gradients with; choose none, or at least 2 replicas",
                         word)}};
    const int hidden = experiment.model.hidden;
    if (choice.name != "powersgd" || hidden < 3 || 2 * choice.number < hidden)
        return {};
    const int most = (hidden - 1) / 2;
    return {{field, fmt::format("is {}, but two matrices of that rank are no shorter than one of {} x {} (model.hidden); "
                                "choose powersgd={} or at most {}",
                                word, hidden, hidden, std::min(most, 4), most)}};
}

/// `what`: the numbers that the field packs.
base::Problems packedProblems(const Experiment &experiment, const char *field, PackedPrecision precision, std::string_view what)
{
    const std::string_view word = name(precision);
    if (precision == PackedPrecision::Same)
        return {};
    if (!experiment.hasModel)
        return {
            {field, fmt::format("is {}, but there is no model whose {} it packs; choose same, or give a model", word, what)}};
    if (precision == PackedPrecision::Bf16 && experiment.model.dtype != DataType::Fp32)
        return {{field, fmt::format("is {}, but the {} of a model in {} have 16 bits already; choose same, fp8 or int8", word,
                                    what, name(experiment.model.dtype))}};
    return {};
}

base::Problems messageProblems(const Experiment &experiment)
{
    constexpr auto kField = "parallel.message_precision";
    const PackedPrecision precision = experiment.parallel.messagePrecision;
    if (experiment.hasModel && experiment.parallel.packsMessages() && experiment.parallel.devices == 1)
        return {{kField, fmt::format("is {}, but one device has no other to send to; choose same, or at least 2 devices",
                                     name(precision))}};
    return packedProblems(experiment, kField, precision, "messages");
}

base::Problems averageProblems(const ParallelPlan &plan)
{
    if (!plan.averagesWeights() || plan.replicas > 1)
        return {};
    return {{"parallel.sync_every",
             fmt::format("is {}, but one replica has no other to average weights with; choose 1, or at least 2 replicas",
                         plan.syncEvery)}};
}

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
    return {{"parallel.context", fmt::format("is {}, but ulysses divides the {} heads of keys and values of a tensor rank "
                                             "among the context ranks; choose {}, or --context-method all-gather or ring",
                                             plan.context, own, nearest)}};
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
            {kField, fmt::format("is {}, but {}", plan.expert,
                                 experiment.hasModel ? "the model has no experts; choose 1, or give model.experts"
                                                     : "given durations are of whole passes; choose 1")});
        return problems;
    }
    // An expert group has all tensor ranks of some replicas.
    const std::int64_t ranks = std::int64_t{plan.tensor} * plan.replicas;
    const auto isValid = [&](std::int64_t expert) {
        return expert == 1 || (model.experts % expert == 0 && ranks % expert == 0 && expert % plan.tensor == 0);
    };
    if (isValid(plan.expert))
        return problems;
    std::int64_t nearest = std::min<std::int64_t>({plan.expert, model.experts, ranks});
    while (!isValid(nearest))
        --nearest;
    if (nearest == 1 && plan.tensor > 1 && isValid(plan.tensor)) // the least number of several ranks
        nearest = plan.tensor;
    std::string ofWhat;
    if (model.experts % plan.expert != 0)
        ofWhat = fmt::format("{} experts", model.experts);
    if (ranks % plan.expert != 0)
        ofWhat += plan.tensor > 1 ? fmt::format("{}{} tensor ranks of all replicas", ofWhat.empty() ? "" : " and the ", ranks)
                                  : fmt::format("{}{}{}", ofWhat.empty() ? "" : " and the ", plan.replicas,
                                                plan.replicas == 1 ? " replica" : " replicas");
    const std::string reason = ofWhat.empty()
                                   ? fmt::format("is no multiple of the {} tensor ranks, which share experts", plan.tensor)
                                   : fmt::format("does not divide the {}", ofWhat);
    problems.push_back({kField, fmt::format("is {}, which {}; choose {}", plan.expert, reason, nearest)});
    return problems;
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
        return {{kField, fmt::format("is {}, but given durations are of whole passes; choose 1", ranks)}};
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
    return {{kField,
             fmt::format("is {}, but a sequence of {} tokens is not a multiple of {}{}; choose {}, or a model.sequence of {}",
                         ranks, sequence, each * ranks, what, nearest, longer)}};
}

void checkMesh(Checks &checks)
{
    const Experiment &experiment = checks.experiment;
    const ParallelPlan &plan = experiment.parallel;
    bool isSound = true;
    for (const std::string_view path : {"parallel.tensor", "parallel.context", "parallel.replicas", "parallel.expert",
                                        "parallel.zero", "parallel.shard_replicas", "parallel.sync_every"})
        isSound &= checks.inRange(path);
    std::vector<std::string_view> axes = base::split(plan.rankOrder, '-');
    std::ranges::sort(axes);
    checks.holds(axes == std::vector<std::string_view>{"cp", "dp", "pp", "tp"}, "parallel.rank_order",
                 fmt::format("is {}; give each of tp, cp, dp and pp once, fastest first, such as {}",
                             base::quoted(plan.rankOrder), ParallelPlan().rankOrder));
    if (isSound) {
        checkShards(checks);
        checks.holds(
            plan.zero < 2 || plan.gradientRanks() > 1, "parallel.zero",
            fmt::format("is {}, but one replica has no other to share with; choose 0, or at least 2 replicas", plan.zero));
        checks.add(averageProblems(plan));
        checks.add(messageProblems(experiment));
        checks.add(
            packedProblems(experiment, "schedule.stored_activations", experiment.schedule.storedActivations, "activations"));
        checks.add(compressionProblems(experiment));
        checks.add(unsupported(experiment, Use::Predict));
        checkTensor(checks);
        checks.add(contextProblems(experiment));
        checks.add(expertProblems(experiment));
    }
}

} // namespace stagelens::model
