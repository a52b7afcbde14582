#include "engine/passes/recipe_book.h"

#include <array>
#include <fmt/format.h>

namespace stagelens::schedule {
namespace {

constexpr std::array<std::string_view, kKeptValues + kMessageKinds> kValueNames{"stage-input",
                                                                                "stage-slots",
                                                                                "recomputed",
                                                                                "keys",
                                                                                "key-gradients",
                                                                                "embedding-gradient",
                                                                                "token-rows",
                                                                                "norm-input",
                                                                                "norm-statistics",
                                                                                "head-input",
                                                                                "output-input",
                                                                                "exponentials",
                                                                                "local-statistics",
                                                                                "global-statistics",
                                                                                "shard-factors",
                                                                                "output",
                                                                                "last-output",
                                                                                "maxima",
                                                                                "sums",
                                                                                "statistics",
                                                                                "weighted-rows",
                                                                                "label-rows",
                                                                                "output-gradient",
                                                                                "gradient",
                                                                                "embeddings",
                                                                                "first-gradient",
                                                                                "norm-gradient",
                                                                                "partial",
                                                                                "token-partial"};

constexpr std::array<std::string_view, kKeptValues + kMessageKinds> kValueDescriptions{"input of the stage",
                                                                                       "activations of the layers",
                                                                                       "recomputed activations",
                                                                                       "keys and values",
                                                                                       "gradients of keys and values",
                                                                                       "gradient of the embedding",
                                                                                       "rows of the token table",
                                                                                       "input of the last norm",
                                                                                       "statistics of the last norm",
                                                                                       "output of the last norm",
                                                                                       "input of the output layer",
                                                                                       "exponentials of the logits",
                                                                                       "statistics of the shard",
                                                                                       "statistics of the vocabulary",
                                                                                       "factors of the shards",
                                                                                       "output",
                                                                                       "last stage's output",
                                                                                       "softmax maxima",
                                                                                       "softmax sums",
                                                                                       "softmax statistics",
                                                                                       "weighted rows",
                                                                                       "rows of the labels",
                                                                                       "last stage's gradient",
                                                                                       "gradient",
                                                                                       "embeddings",
                                                                                       "embeddings' gradient",
                                                                                       "gradient of the last norm",
                                                                                       "rows of all tensor ranks",
                                                                                       "token rows of all ranks"};

std::string_view stepName(PassStepKind kind)
{
    constexpr std::array<std::string_view, 37> kStepNames{"receive",
                                                          "send",
                                                          "embed",
                                                          "add-positions",
                                                          "layers",
                                                          "layers-backward",
                                                          "layers-input-gradient",
                                                          "layers-weight-gradient",
                                                          "final-norm",
                                                          "final-norm-backward",
                                                          "logits",
                                                          "local-softmax",
                                                          "row-maxima",
                                                          "exponentiate",
                                                          "rebuild-exponentials",
                                                          "copy",
                                                          "weigh-rows",
                                                          "label-rows",
                                                          "scale-rows",
                                                          "subtract-labels",
                                                          "output-weight-gradient",
                                                          "loss",
                                                          "position-gradient",
                                                          "token-gradient",
                                                          "widen",
                                                          "widen-backward",
                                                          "narrow",
                                                          "narrow-backward",
                                                          "tails",
                                                          "tail-loss",
                                                          "tail-statistics",
                                                          "rescale-tails",
                                                          "tail-gradients",
                                                          "gather-rows",
                                                          "sum-rows",
                                                          "sum-maxima",
                                                          "sum-statistics"};
    return kStepNames[static_cast<std::size_t>(kind)];
}

std::string names(const std::vector<PassValue> &values)
{
    std::string text;
    for (const PassValue value : values)
        text += (text.empty() ? "" : ", ") + std::string(name(value));
    return text;
}

std::string_view useName(Use use)
{
    constexpr std::array<std::string_view, 5> kUses{"makes", "reads", "frees", "makes and frees", "shares"};
    return kUses[static_cast<std::size_t>(use)];
}

/// `dependsOnDevice`: the pass differs between the last stage's device and the others.
std::string title(const PassRole &role, bool dependsOnDevice)
{
    std::string text(name(role.kind));
    if (isVocabularyPass(role.kind))
        return text + (!dependsOnDevice ? "" : role.isOnLastDevice ? " on the last stage's device" : " on the other devices");
    text += role.isFirst && role.isLast ? " of the only stage"
            : role.isFirst              ? " of the first stage"
            : role.isLast               ? " of the last stage"
                                        : " of a stage between";
    return text + (role.hasLayers ? "" : " without layers");
}

std::string stageText(RelativeRequirement::Stage stage)
{
    constexpr std::array<std::string_view, 6> kStages{"own",         "previous stage", "next stage",
                                                      "first stage", "last stage",     "all devices"};
    return std::string(kStages[static_cast<std::size_t>(stage)]);
}

std::string lineOf(const PassStep &each)
{
    return fmt::format("    {}{}{}({}{}){}{}\n", names(each.out), each.out.empty() ? "" : " = ", stepName(each.kind),
                       names(each.in), each.copies ? ", copied" : "", each.isOfPart ? "  of a part" : "",
                       each.countsApart ? "  measured apart" : "");
}

std::string body(const PassRecipe &recipe)
{
    std::string text;
    for (const RelativeRequirement &each : recipe.requirements)
        text += fmt::format("    after {}, {}\n", name(each.kind), stageText(each.stage));
    for (const PassStep &each : recipe.steps)
        text += lineOf(each);
    for (std::size_t i = recipe.steps.size(); i < recipe.evaluation.size(); ++i)
        text += "    in an evaluation:" + lineOf(recipe.evaluation[i]).substr(3);
    for (const KeptUse &each : recipe.uses)
        text += fmt::format("    {} {}\n", useName(each.use), name(each.value));
    return text;
}

} // namespace

std::string_view name(PassValue value)
{
    return kValueNames[static_cast<std::size_t>(value)];
}

std::string_view description(PassValue value)
{
    return kValueDescriptions[static_cast<std::size_t>(value)];
}

std::string text(const RecipeBook &book)
{
    std::string text;
    const auto add = [&](const PassRole &role, bool dependsOnDevice = false) {
        if (const PassRecipe &recipe = book.of(role); !recipe.isEmpty())
            text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", title(role, dependsOnDevice), body(recipe));
    };
    for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::I, PassKind::W})
        for (const bool hasLayers : {true, false})
            for (const auto &[isFirst, isLast] : {std::pair(true, false), {false, false}, {false, true}, {true, true}})
                add({.kind = kind, .isFirst = isFirst, .isLast = isLast, .hasLayers = hasLayers});
    for (const PassKind kind : {PassKind::EF, PassKind::S, PassKind::U, PassKind::T, PassKind::EB}) {
        const bool dependsOnDevice = body(book.of({.kind = kind})) != body(book.of({.kind = kind, .isOnLastDevice = true}));
        for (const bool isOnLastDevice : {false, true})
            if (dependsOnDevice || !isOnLastDevice)
                add({.kind = kind, .isOnLastDevice = isOnLastDevice}, dependsOnDevice);
    }
    return text;
}

} // namespace stagelens::schedule
