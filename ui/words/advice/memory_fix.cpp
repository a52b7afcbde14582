#include "ui/words/advice/memory_fix.h"

#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "ui/words/tr.h"

#include <algorithm>
#include <numeric>

namespace stagelens::ui {

std::vector<MemoryFix> memoryFixes(const service::Prediction &prediction, const service::Advice &advice)
{
    const base::Bytes capacity = prediction.memoryCapacity;
    const std::vector<base::Bytes> &peaks = prediction.metrics.peakMemory;
    const bool isFull = capacity > 0 && !peaks.empty() && std::ranges::max(peaks) > capacity;
    const bool isMended = std::ranges::any_of(advice.options, [capacity](const service::Advice::Option &option) {
        return option.iteration && option.peakMemory && *option.peakMemory <= capacity;
    });
    if (!isFull || isMended)
        return {};
    std::vector<MemoryFix> fixes;
    const model::Experiment &now = prediction.experiment;
    const auto add = [&](const QString &words, auto change) {
        MemoryFix fix;
        fix.words = words;
        fix.experiment = now;
        change(fix.experiment);
        fixes.push_back(std::move(fix));
    };
    for (const auto &[recompute, words] : {std::pair{model::Recompute::Selective, Words::tr("selective recomputation")},
                                           std::pair{model::Recompute::Full, Words::tr("full recomputation")}}) {
        if (now.schedule.recompute < recompute)
            add(words, [value = recompute](model::Experiment &next) {
                next.schedule.recompute = value;
                next.schedule.recomputeLayers.clear();
            });
    }
    // As many tokens in a step as before.
    for (int size = now.parallel.microbatchSize, count = now.parallel.microbatches; size % 2 == 0;) {
        size /= 2;
        count *= 2;
        add(Words::tr("%1 microbatches of %2").arg(count).arg(size), [size, count](model::Experiment &next) {
            next.parallel.microbatchSize = size;
            next.parallel.microbatches = count;
        });
    }
    const int chunks = model::stagesPerDevice(now.schedule);
    for (int devices = 2 * now.parallel.devices; devices * chunks <= now.model.layers; devices *= 2) {
        const std::int64_t gpus = now.parallel.ranks(devices);
        const QString words = gpus == devices ? Words::tr("%1 devices").arg(devices)
                                              : Words::tr("%1 pipeline devices (%2 GPUs)").arg(devices).arg(gpus);
        add(words, [devices](model::Experiment &next) {
            next.parallel.devices = devices;
            model::followStages(next);
            next.training.mode.reset();
        });
        fixes.back().isLarger = true;
    }
    return fixes;
}

MemoryFix recomputationFix(model::Experiment plan)
{
    const std::vector<int> &layers = plan.schedule.recomputeLayers;
    const int count = std::accumulate(layers.begin(), layers.end(), 0);
    const QString words =
        count == 1 ? Words::tr("recomputation of 1 layer") : Words::tr("recomputation of %1 layers").arg(count);
    MemoryFix fix;
    fix.words = words;
    fix.experiment = std::move(plan);
    return fix;
}

} // namespace stagelens::ui
