// Where and how the vocabulary layers are computed (arXiv 2411.05288). A method is a row of the table below, a page in
// resources/docs/vocabulary and, if its passes differ, a file in engine/passes/vocabulary.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace stagelens::model {

enum class VocabularyMethod : unsigned char { None, Redis, Naive, Vocab1, Vocab2, Interlaced };

/// The properties of a method that do not depend on its passes. The recipes describe the passes (engine/passes/vocabulary).
struct VocabularyTraits {
    VocabularyMethod method;
    std::string_view name;        ///< in documents and on the command line
    std::string_view caption;     ///< in lists: what happens
    std::string_view shortName;   ///< within a sentence
    std::string_view description; ///< for `list vocabularies`
    bool isChoice = true;         ///< false: comes with a family of the same name
    /// The transformer layers are redistributed so that stages with vocabulary layers have fewer, or none.
    bool redistributesLayers = false;
    /// Every device holds a shard of the vocabulary layers and runs the passes of its steps: S, mostly T, EF and EB.
    bool isSharded = false;
    /// Communication barriers of the output layer; each costs one more microbatch in flight (section 4).
    int barriers = 0;
};

inline constexpr auto kVocabularyMethods = std::to_array<VocabularyTraits>({
    {.method = VocabularyMethod::None,
     .name = "none",
     .caption = "On first and last device",
     .shortName = "not split",
     .description = "whole, on the first and the last stage"},
    {.method = VocabularyMethod::Redis, // section 6.2
     .name = "redis",
     .caption = "Layers rebalanced",
     .shortName = "rebalancing",
     .description = "whole, with the transformer layers redistributed to balance the stages",
     .redistributesLayers = true},
    {.method = VocabularyMethod::Naive, // section 4.1
     .name = "vocab-naive",
     .caption = "Split, naive: 3 barriers",
     .shortName = "naive split",
     .description = "sharded over all devices, three barriers",
     .isSharded = true,
     .barriers = 3},
    {.method = VocabularyMethod::Vocab1, // algorithm 1
     .name = "vocab-1",
     .caption = "VOCAB-1: split, 2 barriers",
     .shortName = "VOCAB-1",
     .description = "sharded over all devices, two barriers (arXiv 2411.05288, algorithm 1)",
     .isSharded = true,
     .barriers = 2},
    {.method = VocabularyMethod::Vocab2, // algorithm 2
     .name = "vocab-2",
     .caption = "VOCAB-2: split, 1 barrier",
     .shortName = "VOCAB-2",
     .description = "sharded over all devices, one barrier (arXiv 2411.05288, algorithm 2)",
     .isSharded = true,
     .barriers = 1},
    {.method = VocabularyMethod::Interlaced, // appendix B
     .name = "interlaced",
     .caption = "Split, all devices at once",
     .shortName = "interlaced split",
     .description = "sharded over all devices, which run it at once (arXiv 2411.05288, appendix B)",
     .isChoice = false,
     .isSharded = true},
});

[[nodiscard]] constexpr const VocabularyTraits &traits(VocabularyMethod method)
{
    return kVocabularyMethods[static_cast<std::size_t>(method)];
}

[[nodiscard]] constexpr std::string_view name(VocabularyMethod method)
{
    return traits(method).name;
}

/// The methods that a user can choose: the first rows of the table.
inline constexpr std::span kVocabularyChoices =
    std::span(kVocabularyMethods)
        .first(static_cast<std::size_t>(std::ranges::count(kVocabularyMethods, true, &VocabularyTraits::isChoice)));

static_assert(std::ranges::all_of(kVocabularyMethods, [](const VocabularyTraits &row) { return &row == &traits(row.method); }));
static_assert(std::ranges::all_of(kVocabularyChoices, &VocabularyTraits::isChoice));

/// Returns the method of that name, including methods that cannot be chosen.
[[nodiscard]] constexpr std::optional<VocabularyMethod> parseVocabularyMethod(std::string_view name)
{
    const auto *const found = std::ranges::find(kVocabularyMethods, name, &VocabularyTraits::name);
    return found == kVocabularyMethods.end() ? std::nullopt : std::optional(found->method);
}

} // namespace stagelens::model
