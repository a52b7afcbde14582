// Devices, microbatches, stages and the layers of each.
#include "engine/model/checks/checks.h"
#include "engine/model/family_shape.h"

#include <algorithm>
#include <numeric>

namespace stagelens::model {

namespace {

using base::concat;

constexpr std::int64_t kMostForwardPasses = 10'000'000;

void checkStageLayers(int stages, Checks &checks)
{
    const Experiment &experiment = checks.experiment;
    const std::vector<int> &cut = experiment.parallel.stageLayers;
    const int layers = experiment.hasModel ? experiment.model.layers : stages;
    constexpr std::string_view kField = "parallel.stage_layers";
    checks.holds(cut.size() == static_cast<std::size_t>(stages), kField,
                 concat("has ", cut.size(), " entries for ", stages, " stages; give one for each stage"));
    const int least = leastStageLayers(experiment.schedule);
    const auto low = std::find_if(cut.begin(), cut.end(), [&](int count) { return count < least; });
    checks.holds(low == cut.end(), kField,
                 least == 0
                     ? "has a negative entry; give 0 layers or more"
                     : "has a stage without a layer; give each at least 1, or choose redis, which may leave a stage without");
    const std::int64_t sum = std::accumulate(cut.begin(), cut.end(), std::int64_t{0});
    checks.holds(sum == layers, kField,
                 concat("adds up to ", sum, " layers, but there are ", layers, "; change an entry or the layers"));
    if (!experiment.hasModel)
        checks.holds(std::all_of(cut.begin(), cut.end(), [](int count) { return count == 1; }), kField,
                     "must be all ones in a teaching example without a model");
}

base::Problems recomputeProblems(const Experiment &experiment, int stages)
{
    const std::vector<int> &list = experiment.schedule.recomputeLayers;
    const std::vector<int> &cut = experiment.parallel.stageLayers;
    const auto count = static_cast<std::size_t>(stages);
    const std::string field = "schedule.recompute_layers";
    if (list.size() > 1 && list.size() != count)
        return {{field, concat("has ", list.size(), " entries for ", stages,
                               " stages; give one for each stage, or one number for all")}};
    // As operators::evenStageLayers() cuts them: the last stage has the even share, the others at most one more.
    const int layers = experiment.hasModel ? experiment.model.layers : stages;
    const bool isEven = leastStageLayers(experiment.schedule) > 0;
    const int last = isEven ? layers / stages : layers;
    const int most = isEven && stages > 1 ? (layers - last + stages - 2) / (stages - 1) : layers;
    base::Problems problems;
    for (std::size_t stage = 0; stage < list.size(); ++stage) {
        int bound = list.size() > 1 && stage + 1 == count ? last : most;
        if (cut.size() == count)
            bound = list.size() > 1 ? cut[stage] : *std::ranges::max_element(cut);
        const int nearest = std::clamp(list[stage], 0, std::max(bound, 0));
        if (list[stage] == nearest)
            continue;
        const std::string of =
            list.size() > 1 ? concat(" for stage ", stage, ", which has ", bound) : concat(", and stages have at most ", bound);
        problems.push_back({field, concat("is ", list[stage], of, " layers; choose ", nearest)});
    }
    return problems;
}

} // namespace

void checkStages(Checks &checks)
{
    const Experiment &experiment = checks.experiment;
    const ParallelPlan &plan = experiment.parallel;
    const ModelConfig &model = experiment.model;
    const int chunks = stagesPerDevice(experiment.schedule);
    const bool devices = checks.inRange("parallel.devices");
    const bool microbatches = checks.inRange("parallel.microbatches");
    checks.inRange("parallel.microbatch_size");
    base::Problems shape = shapeProblems(experiment.schedule);
    const bool isSound = shape.empty();
    checks.add(std::move(shape));
    if (!isSound || !devices)
        return;
    const int stages = plan.devices * chunks;
    const int slices = slicesOf(experiment.schedule);
    if (microbatches)
        checks.holds(std::int64_t{stages} * slices * plan.microbatches <= kMostForwardPasses, "parallel.microbatches",
                     concat(plan.microbatches, " microbatches on ", stages, " stages are more than ", kMostForwardPasses,
                            " forward passes; lower microbatches to ", kMostForwardPasses / stages / slices));
    if (experiment.hasModel && model.sequence >= 1)
        checks.holds(slices <= model.sequence, "schedule.sequence_slices",
                     concat("is ", slices, ", more than the ", model.sequence, " tokens of a sequence; lower it"));
    if (!plan.stageLayers.empty())
        checkStageLayers(stages, checks);
    checks.add(recomputeProblems(experiment, stages));
    if (!experiment.hasModel || model.layers < 1)
        return;
    if (stages * leastStageLayers(experiment.schedule) > model.layers) {
        const std::string made = chunks == 1 ? std::string() : concat(" with ", chunks, " chunks each");
        const std::string remedy = chunks <= model.layers ? concat("lower devices to ", model.layers / chunks) : "lower chunks";
        checks.holds(false, "parallel.devices",
                     concat(plan.devices, " devices", made, " need as many layers as stages, ", stages, ", but there are ",
                            model.layers, "; ", remedy, " or choose redis"));
    }
    if (model.vocabularySize >= 1)
        checks.holds(
            model.vocabularySize >= plan.devices, "model.vocabulary_size",
            concat("is ", model.vocabularySize, ", less than the ", plan.devices, " devices; raise it or lower devices"));
}

} // namespace stagelens::model
