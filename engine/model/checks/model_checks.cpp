// The shape of the model: sizes, heads, experts.
#include "engine/model/checks/checks.h"
#include "engine/model/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::model {

namespace {

constexpr int kWidest = 1 << 24;
constexpr double kMostParameters = 1e15;
constexpr double kMostBytes = 4e18;

/// Whether heads have a width, so that sizes can be computed. `hidden` and `heads` are in range.
bool checkHeadSize(const ModelConfig &model, Checks &checks)
{
    const bool isGpt = model.family == ModelFamily::Gpt;
    if (model.headDim) {
        if (!checks.inRange("model.head_dim") ||
            !checks.holds(
                std::int64_t{*model.headDim} * model.heads <= kWidest, "model.head_dim",
                fmt::format("is {}, and {} heads of it are wider than {}; choose less", *model.headDim, model.heads, kWidest)))
            return false;
        checks.holds(!isGpt || std::int64_t{*model.headDim} * model.heads == model.hidden, "model.head_dim",
                     fmt::format("is {}, but the {} heads of gpt divide hidden {}; leave it out or choose family llama",
                                 *model.headDim, model.heads, model.hidden));
    } else if (!checks.holds(model.hidden % model.heads == 0, "model.heads",
                             fmt::format("{} heads do not divide hidden {}; choose a divisor of {}", model.heads, model.hidden,
                                         model.hidden))) {
        return true; // sizes are rounded
    }
    checks.holds(isGpt || model.headSize() % 2 == 0, model.headDim ? "model.head_dim" : "model.heads",
                 fmt::format("a head is {} wide, and rotary positions need an even width; choose another {}", model.headSize(),
                             model.headDim ? "one" : "number of heads"));
    return true;
}

/// What Llama's norm and rotary positions are made with.
void checkRotation(const ModelConfig &model, Checks &checks)
{
    constexpr double kLargest = 1e12;
    const auto within = [&](double value, double least, double most, std::string_view field) {
        checks.holds(value >= least && value <= most, field, fmt::format("is {:g}; choose {:g} to {:g}", value, least, most));
    };
    checks.inRange("model.rms_norm_eps");
    checks.inRange("model.rope_theta");
    if (!model.ropeScaling)
        return;
    const RopeScaling &scaling = *model.ropeScaling;
    within(scaling.factor, 1, kLargest, "model.rope_scaling.factor");
    within(scaling.lowFrequencyFactor, 1e-6, kLargest, "model.rope_scaling.low_freq_factor");
    checks.holds(scaling.highFrequencyFactor > scaling.lowFrequencyFactor && scaling.highFrequencyFactor <= kLargest,
                 "model.rope_scaling.high_freq_factor",
                 fmt::format("is {:g}; choose more than low_freq_factor, which is {:g}", scaling.highFrequencyFactor,
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
    checks.holds(sound, "model.latent_attention", fmt::format("has a size outside of 1 to {}", kWidestLatent));
    checks.holds(model.family == ModelFamily::Llama, "model.latent_attention", "is of llamas; choose family llama");
    return sound && model.family == ModelFamily::Llama;
}

/// Groups of experts, of which a token chooses some.
void checkRouter(const ModelConfig &model, Checks &checks)
{
    checks.inRange("model.router_bias_rate");
    checks.inRange("model.router_scale");
    checks.inRange("model.capacity_factor");
    if (!checks.inRange("model.router_groups") || !checks.inRange("model.router_group_limit") || model.routerGroups == 1)
        return;
    const bool isSound =
        checks.holds(model.router == RouterScore::Sigmoid, "model.router_groups",
                     "is above 1, but softmax routers have no groups; choose 1, or router sigmoid") &&
        checks.holds(model.experts % model.routerGroups == 0, "model.router_groups",
                     fmt::format("{} groups do not divide {} experts; choose a divisor", model.routerGroups, model.experts));
    if (!isSound)
        return;
    const int least = (model.topK * model.routerGroups + model.experts - 1) / model.experts;
    checks.holds(model.chosenGroups() >= least && model.chosenGroups() <= model.routerGroups, "model.router_group_limit",
                 fmt::format("is {}, but {} experts are chosen from groups of {}; choose {} to {}, or 0",
                             model.routerGroupLimit, model.topK, model.experts / model.routerGroups, least,
                             model.routerGroups));
}

/// True if the sizes of experts are sound.
bool checkExperts(const ModelConfig &model, Checks &checks)
{
    if (!checks.inRange("model.experts") || !model.hasExperts())
        return !model.hasExperts();
    const bool isLlama = model.family == ModelFamily::Llama;
    checks.holds(isLlama, "model.experts",
                 fmt::format("is {}, but the experts are MLPs of a llama; choose family llama, or 0 experts", model.experts));
    bool sound = checks.inRange("model.top_k");
    if (sound) {
        sound = model.topK <= model.experts;
        checks.holds(sound, "model.top_k",
                     fmt::format("is {}, more than the {} experts; choose 1 to {}", model.topK, model.experts, model.experts));
    }
    sound &= checks.inRange("model.expert_ffn");
    checks.inRange("model.aux_loss");
    checks.inRange("model.z_loss");
    sound &= checks.inRange("model.shared_experts");
    sound &= checks.inRange("model.expert_every") && checks.inRange("model.dense_layers");
    if (sound) {
        const bool hasLayer = model.expertLayers(model.layers) > 0;
        checks.holds(hasLayer, model.denseLayers > 0 ? "model.dense_layers" : "model.expert_every",
                     fmt::format("leaves no layer with experts among {}; choose less", model.layers));
        checkRouter(model, checks);
    }
    return isLlama && sound;
}

bool checkCutoffs(const ModelConfig &model, Checks &checks)
{
    constexpr std::string_view kField = "model.adaptive_softmax";
    constexpr std::size_t kMostCutoffs = 4;
    if (!model.isAdaptive())
        return true;
    const std::vector<int> &cuts = model.adaptiveCutoffs;
    return checks.holds(cuts.size() <= kMostCutoffs, kField,
                        fmt::format("has {} cut-offs; choose at most {}", cuts.size(), kMostCutoffs)) &&
           checks.holds(cuts.front() >= 1 && std::ranges::is_sorted(cuts, std::less_equal()), kField,
                        "has cut-offs that do not rise from 1 on; choose such as 8192/65536") &&
           checks.holds(cuts.back() <= model.vocabularySize, kField,
                        fmt::format("has a cut-off of {}, beyond the {} words of the vocabulary; choose at most {}",
                                    cuts.back(), model.vocabularySize, model.vocabularySize)) &&
           checks.holds(model.hidden >= 4, kField, "narrows layers that are narrower than 4; choose a larger hidden size") &&
           checks.holds(!model.tied, kField,
                        "has tables of its own, and tied weights have one table for both sides; choose untied weights");
}

bool checkSampledWords(const ModelConfig &model, Checks &checks)
{
    constexpr std::string_view kField = "model.sampled_softmax";
    if (!model.isSampled())
        return true;
    return checks.inRange(kField) &&
           checks.holds(*model.sampledWords <= model.vocabularySize, kField,
                        fmt::format("draws {} different words, more than the {} of the vocabulary; choose at most {}",
                                    *model.sampledWords, model.vocabularySize, model.vocabularySize));
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
    const double parameters = model.layers * layer + 2.0 * hidden *
                                                         (static_cast<double>(model.vocabularySize) +
                                                          (model.mapsOutput() ? static_cast<double>(model.outputWidth()) : 0));
    checks.holds(
        parameters <= kMostParameters, "model",
        fmt::format("has about {:g} parameters, and at most {:g} are accepted; lower its sizes", parameters, kMostParameters));
}

} // namespace

bool checkModel(Checks &checks)
{
    const ModelConfig &model = checks.experiment.model;
    bool sound = checks.inRange("model.layers");
    const bool hidden = checks.inRange("model.hidden");
    const bool heads = checks.inRange("model.heads");
    const bool kvHeads = checks.inRange("model.kv_heads");
    sound &= checks.inRange("model.ffn");
    const bool sequence = checks.inRange("model.sequence");
    sound &= sequence;
    sound &= checks.inRange("model.vocabulary_size");
    const bool size = hidden && heads && checkHeadSize(model, checks);
    if (heads && kvHeads)
        checks.holds(model.heads % model.kvHeads == 0, "model.kv_heads",
                     fmt::format("{} key and value heads do not divide {} heads; choose a divisor of {}", model.kvHeads,
                                 model.heads, model.heads));
    checkRotation(model, checks);
    const bool isLatent = checkLatentAttention(model, checks);
    if (const auto width = model.vocabularyWidth; width && checks.inRange("model.vocabulary_width"))
        sound &= checks.holds(*width <= model.hidden, "model.vocabulary_width",
                              fmt::format("is {}, wider than the layers, whose width is {}; choose at most {}, or full", *width,
                                          model.hidden, model.hidden));
    else
        sound &= !width;
    sound &= checks.inRange("model.input_hashes") &&
             checks.holds(!model.isHashed() || !model.tied, "model.input_hashes",
                          fmt::format("is {}, but tied weights have one table, whose rows the output needs for each token; "
                                      "choose 0, or untied weights",
                                      model.inputHashes));
    sound &= checks.inRange("model.output_heads") && sequence &&
             checks.holds(model.outputHeads <= model.sequence, "model.output_heads",
                          fmt::format("is {}, but a sequence of {} tokens has no token so far ahead; choose at most {}",
                                      model.outputHeads, model.sequence, model.sequence));
    sound = sound && checkCutoffs(model, checks) && checkSampledWords(model, checks);
    const bool isSound = checkExperts(model, checks) && sound && size && kvHeads && isLatent;
    checks.rest("model.");
    if (isSound)
        checkParameters(model, checks);
    return isSound;
}

void checkActivations(Checks &checks)
{
    const ModelConfig &model = checks.experiment.model;
    const ParallelPlan &plan = checks.experiment.parallel;
    const Attention attention = checks.experiment.schedule.attention;
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
                 fmt::format("a step's activations are about {:g} bytes, and at most {:g} are accepted; lower microbatch_size, "
                             "microbatches or the model's sizes",
                             tokens * tokenBytes, kMostBytes));
}

void checkLogits(Checks &checks)
{
    const ParallelPlan &plan = checks.experiment.parallel;
    const std::int64_t tokens =
        std::int64_t{plan.microbatchSize} * checks.experiment.model.sequence / std::max(1, plan.context);
    checks.holds(checks.experiment.schedule.logitChunks <= std::max<std::int64_t>(1, tokens), "schedule.vocabulary_kind",
                 fmt::format("is {}, but a microbatch has {} tokens on a rank; choose chunked={} or fewer chunks",
                             vocabularyKindText(checks.experiment.schedule), tokens, tokens));
}

} // namespace stagelens::model
