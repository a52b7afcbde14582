#include "ui/words/advice/family_options.h"

#include <algorithm>

namespace stagelens::ui {

std::optional<model::VocabularyMethod> methodToCombine(const service::Prediction &prediction, const service::Advice &advice)
{
    const base::Bytes capacity = prediction.memoryCapacity;
    const auto fits = [capacity](base::Bytes peak) { return capacity <= 0 || peak <= capacity; };
    const std::vector<base::Bytes> &peaks = prediction.metrics.peakMemory;
    const service::Advice::Option own{prediction.experiment.schedule.vocabulary, prediction.metrics.iteration,
                                      peaks.empty() ? 0 : std::ranges::max(peaks)};
    const service::Advice::Option *best = &own;
    for (const service::Advice::Option &option : advice.options) {
        if (!option.iteration)
            continue;
        // What fits goes before what does not; then the fastest, or where nothing fits the leanest.
        const base::Bytes peak = option.peakMemory.value_or(0);
        const base::Bytes least = best->peakMemory.value_or(0);
        const bool isBetter = fits(peak) != fits(least) ? fits(peak)
                              : fits(peak)              ? *option.iteration < *best->iteration
                                                        : peak < least;
        if (isBetter)
            best = &option;
    }
    return best->method == own.method ? std::nullopt : std::optional(best->method);
}

} // namespace stagelens::ui
