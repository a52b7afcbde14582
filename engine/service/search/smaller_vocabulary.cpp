#include "engine/service/search/smaller_vocabulary.h"

#include <algorithm>
#include <utility>

namespace stagelens::service {
namespace {

/// Returns how many times as long the text takes in a row as in the first one.
std::optional<double> textTimeOf(const VocabularySize &row, const VocabularySize &first)
{
    if (!row.use.tokens || !first.use.tokens || *first.use.tokens == 0 || !row.iteration || !first.iteration)
        return std::nullopt;
    const auto ratio = [](auto now, auto before) { return static_cast<double>(now) / static_cast<double>(before); };
    return ratio(*row.iteration, *first.iteration) * ratio(*row.use.tokens, *first.use.tokens);
}

} // namespace

base::Result<VocabularySizes> smallerVocabularies(const model::Experiment &experiment, int cores, const SearchOptions &options)
{
    auto use = runtime::vocabularyUse(experiment, options.stop);
    if (!use)
        return use.error();
    VocabularySizes sizes;
    for (const runtime::SmallerVocabulary &each : use->smaller) {
        VocabularySize row{each};
        model::Experiment plan = experiment;
        plan.model.vocabularySize = each.size;
        const auto prediction = predict(plan, cores, {options.stop, {}});
        if (options.stop.stop_requested())
            return base::Error::cancelled();
        if (prediction) {
            row.iteration = (*prediction)->metrics.iteration;
            if (!(*prediction)->metrics.peakMemory.empty())
                row.peakMemory = std::ranges::max((*prediction)->metrics.peakMemory);
        } else {
            row.refusal = prediction.error().problems;
        }
        sizes.rows.push_back(std::move(row));
        if (options.progress)
            options.progress({sizes.rows.size(), use->smaller.size(), std::nullopt});
    }
    for (VocabularySize &row : sizes.rows)
        row.textTime = textTimeOf(row, sizes.rows.front());
    sizes.use = *std::move(use);
    return sizes;
}

} // namespace stagelens::service
