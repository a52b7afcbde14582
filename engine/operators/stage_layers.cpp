#include "engine/operators/stage_layers.h"

#include "engine/model/family_shape.h"
#include "engine/operators/sizes.h"

#include <algorithm>

namespace stagelens::operators {

using model::Experiment;
using model::ModelConfig;

namespace {

/// Deals `layers` to `stages` stages; what is left over goes to the last of them, one each.
std::vector<int> deal(int layers, int stages)
{
    std::vector<int> cut(static_cast<std::size_t>(stages), layers / stages);
    std::for_each(cut.end() - layers % stages, cut.end(), [](int &stage) { ++stage; });
    return cut;
}

/// As deal(), with `last` layers on one more stage at the end.
std::vector<int> dealBefore(int last, int layers, int stages)
{
    std::vector<int> cut = deal(layers - last, stages - 1);
    cut.push_back(last);
    return cut;
}

} // namespace

std::vector<int> evenStageLayers(int layers, int stages)
{
    if (stages <= 1)
        return {layers};
    return dealBefore(layers / stages, layers, stages);
}

std::vector<int> redistributedStageLayers(const ModelConfig &model, int stages)
{
    if (stages <= 1)
        return {model.layers};
    const double layer = layerMatrixFlops(model, 1) + attentionFlops(model, 1);
    const double output = outputFlops(model, 1);
    const auto greatest = [&](int last) {
        const int most = (model.layers - last + stages - 2) / (stages - 1);
        return std::max(most * layer, last * layer + output);
    };
    // No more than an even share: a last stage with more layers than the others is never better.
    int best = 0;
    for (int last = 1; last <= model.layers / stages; ++last) {
        if (greatest(last) < greatest(best))
            best = last;
    }
    // Maxima this close count as equal, and the cut that moves the fewest layers wins. It reproduces every published cut; the
    // least maximum alone does not (128k vocabulary at sequence 2048: 5.125 layers against 5).
    constexpr double kAsGood = 1.03;
    int chosen = best;
    for (int last = best + 1; last <= model.layers / stages; ++last) {
        if (greatest(last) <= kAsGood * greatest(best))
            chosen = last;
    }
    return dealBefore(chosen, model.layers, stages);
}

std::vector<int> stageLayers(const Experiment &experiment)
{
    const int stages = experiment.parallel.devices * stagesPerDevice(experiment.schedule);
    if (!experiment.hasModel)
        return std::vector<int>(static_cast<std::size_t>(stages), 1);
    if (!experiment.parallel.stageLayers.empty())
        return experiment.parallel.stageLayers;
    if (traits(experiment.schedule.vocabulary).redistributesLayers)
        return redistributedStageLayers(experiment.model, stages);
    return evenStageLayers(experiment.model.layers, stages);
}

Experiment resolved(Experiment experiment, int cores)
{
    experiment.parallel.stageLayers = stageLayers(experiment);
    if (!experiment.hasModel)
        experiment.model.layers = static_cast<int>(experiment.parallel.stageLayers.size());
    experiment.schedule.chunks = stagesPerDevice(experiment.schedule);
    experiment.training.mode = model::runMode(experiment, cores);
    return experiment;
}

} // namespace stagelens::operators
