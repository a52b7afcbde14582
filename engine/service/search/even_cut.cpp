#include "engine/service/search/even_cut.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stagelens::service {
namespace {

/// The time of a device in one step.
struct Work {
    std::vector<double> ofLayers; ///< by stage
    double other = 0;             ///< vocabulary layers and all that is no layer
};

Work workOf(const timeline::Lane &lane, std::size_t stages)
{
    Work work{std::vector<double>(stages), 0};
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const base::Nanos vocabulary = lane.vocabulary.empty() ? 0 : lane.vocabulary[i];
        const base::Nanos whole = lane.end[i] - lane.begin[i];
        const bool isOfLayers = !schedule::isVocabularyPass(lane.pass[i].kind) && lane.pass[i].stage < stages;
        work.other += static_cast<double>(isOfLayers ? vocabulary : whole);
        if (isOfLayers)
            work.ofLayers[lane.pass[i].stage] += static_cast<double>(whole - vocabulary);
    }
    return work;
}

} // namespace

std::vector<int> leastLoadCut(int layers, int least, const std::vector<std::vector<StageHolder>> &holders,
                              std::vector<double> load)
{
    const std::size_t stages = holders.size();
    std::vector<int> cut(stages);
    const auto loadWith = [&](std::size_t stage) {
        double most = 0;
        for (const StageHolder &holder : holders[stage])
            most = std::max(most, load[holder.device] + holder.layer);
        return std::pair(most, cut[stage]);
    };
    const auto give = [&](std::size_t stage) {
        ++cut[stage];
        for (const StageHolder &holder : holders[stage])
            load[holder.device] += holder.layer;
    };
    for (std::size_t stage = 0; stage < stages; ++stage)
        for (int i = 0; i < least; ++i)
            give(stage);
    for (int left = layers - least * static_cast<int>(stages); left > 0; --left) {
        std::size_t best = 0;
        for (std::size_t stage = 1; stage < stages; ++stage)
            if (loadWith(stage) < loadWith(best))
                best = stage;
        give(best);
    }
    return cut;
}

std::vector<int> evenCut(const Prediction &prediction)
{
    const model::Experiment &plan = prediction.experiment;
    const std::vector<int> &now = plan.parallel.stageLayers;
    const std::size_t stages = now.size();
    if (!plan.hasModel || plan.model.mixesLayers() || stages < 2 || std::ranges::min(now) < 1)
        return {};
    std::vector<std::vector<StageHolder>> holders(stages); // of each stage
    std::vector<double> load;                              // by device, with the layers given so far
    for (const timeline::Lane &lane : prediction.timeline->lanes) {
        const Work work = workOf(lane, stages);
        for (std::size_t stage = 0; stage < stages; ++stage)
            if (work.ofLayers[stage] > 0)
                holders[stage].push_back({load.size(), work.ofLayers[stage] / now[stage]});
        load.push_back(work.other);
    }
    const int layers = std::accumulate(now.begin(), now.end(), 0);
    std::vector<int> cut = leastLoadCut(layers, 1, holders, std::move(load));
    return cut == now ? std::vector<int>() : cut;
}

} // namespace stagelens::service
