#include "engine/service/search/even_cut.h"

#include <algorithm>
#include <numeric>

namespace stagelens::service {
namespace {

/// The time of a device in one step.
struct Work {
    std::vector<double> ofLayers; ///< by stage
    double other = 0;             ///< vocabulary layers and all that is no layer
};

/// A device that computes a stage, and the time that one more layer takes it.
struct Holder {
    std::size_t device;
    double layer;
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

std::vector<int> evenCut(const Prediction &prediction)
{
    const model::Experiment &plan = prediction.experiment;
    const std::vector<int> &now = plan.parallel.stageLayers;
    const std::size_t stages = now.size();
    if (!plan.hasModel || plan.model.mixesLayers() || stages < 2 || std::ranges::min(now) < 1)
        return {};
    std::vector<std::vector<Holder>> holders(stages); // of each stage
    std::vector<double> load;                         // by device, with the layers given so far
    for (const timeline::Lane &lane : prediction.timeline->lanes) {
        const Work work = workOf(lane, stages);
        for (std::size_t stage = 0; stage < stages; ++stage)
            if (work.ofLayers[stage] > 0)
                holders[stage].push_back({load.size(), work.ofLayers[stage] / now[stage]});
        load.push_back(work.other);
    }
    std::vector<int> cut(stages);
    const auto loadWith = [&](std::size_t stage) {
        double most = 0;
        for (const Holder &holder : holders[stage])
            most = std::max(most, load[holder.device] + holder.layer);
        return most;
    };
    const auto give = [&](std::size_t stage) {
        ++cut[stage];
        for (const Holder &holder : holders[stage])
            load[holder.device] += holder.layer;
    };
    for (std::size_t stage = 0; stage < stages; ++stage)
        give(stage);
    // Each next layer goes where the load is least with it: as loads only grow, no other cut has a smaller greatest load.
    for (int left = std::accumulate(now.begin(), now.end(), 0) - static_cast<int>(stages); left > 0; --left) {
        std::size_t best = 0;
        for (std::size_t stage = 1; stage < stages; ++stage)
            if (const double difference = loadWith(stage) - loadWith(best);
                difference < 0 || (difference == 0 && cut[stage] < cut[best]))
                best = stage;
        give(best);
    }
    return cut == now ? std::vector<int>() : cut;
}

} // namespace stagelens::service
