#include "engine/simulate/costs/expert_dispatch.h"

#include "engine/model/presets.h"

#include <algorithm>
#include <variant>

namespace stagelens::simulate {
namespace {

/// Returns the mean number of bins from which at least one of `draws` balls comes, drawn without replacement from `bins` bins
/// with `each` balls.
double distinctBins(double bins, double each, int draws)
{
    const double all = bins * each;
    double isMissed = 1; // C(all - each, draws) / C(all, draws)
    for (int i = 0; i < draws && isMissed > 0; ++i)
        isMissed *= std::max(0.0, all - each - i) / std::max(1.0, all - i);
    return bins * (1 - isMissed);
}

} // namespace

ExpertPlaces expertPlaces(const model::ModelConfig &model, int ranks, const layout::NodeSpan &span)
{
    const int nodes = std::max(span.nodes, 1);
    const int groups = model.routerGroups;
    double reached = nodes; // nodes that experts are chosen from
    ExpertPlaces places;
    if (model.routerGroupLimit > 0 && groups > 0 && groups % nodes == 0) {
        places.nodes = distinctBins(nodes, static_cast<double>(groups) / nodes, model.routerGroupLimit);
        reached = places.nodes;
    } else {
        if (model.routerGroupLimit > 0 && groups > 0 && nodes % groups == 0)
            reached = static_cast<double>(nodes) / groups * model.routerGroupLimit;
        places.nodes = distinctBins(reached, static_cast<double>(model.experts) / nodes, model.topK);
    }
    places.ranks = distinctBins(reached * ranks / nodes, static_cast<double>(model.experts) / ranks, model.topK);
    return places;
}

int ranksPerNode(const model::Experiment &experiment)
{
    const auto *const preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    const auto hardware = preset != nullptr ? model::hardwareOf(*preset) : base::Result<model::Hardware>(model::Hardware());
    return hardware ? std::max(hardware->devicesPerNode, 1) : model::Hardware().devicesPerNode;
}

std::vector<int> forwardingNodes(const model::Experiment &experiment, const layout::Mesh &mesh, int rank)
{
    if (experiment.parallel.expertDispatch != model::ExpertDispatch::PerNode || experiment.parallel.expert == 1)
        return {};
    return layout::nodesOf(mesh.group(rank, {layout::Axis::Expert}), ranksPerNode(experiment));
}

} // namespace stagelens::simulate
