// Devices, microbatches, stages and the layers of each.
#include "engine/model/checks/checks.h"
#include "engine/model/family_shape.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace stagelens::model {

namespace {

constexpr std::int64_t kMostForwardPasses = 10'000'000;

void checkStageLayers(int stages, Checks &checks)
{
    const Experiment &experiment = checks.experiment;
    const std::vector<int> &cut = experiment.parallel.stageLayers;
    const int layers = experiment.hasModel ? experiment.model.layers : stages;
    constexpr std::string_view kField = "parallel.stage_layers";
    checks.holds(cut.size() == static_cast<std::size_t>(stages), kField,
                 fmt::format("has {} entries for {} stages; give one for each stage", cut.size(), stages));
    const int least = leastStageLayers(experiment.schedule);
    const auto low = std::find_if(cut.begin(), cut.end(), [&](int count) { return count < least; });
    checks.holds(low == cut.end(), kField,
                 least == 0
                     ? "has a negative entry; give 0 layers or more"
                     : "has a stage without a layer; give each at least 1, or choose redis, which may leave a stage without");
    const std::int64_t sum = std::accumulate(cut.begin(), cut.end(), std::int64_t{0});
    checks.holds(sum == layers, kField,
                 fmt::format("adds up to {} layers, but there are {}; change an entry or the layers", sum, layers));
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
        return {{field, fmt::format("has {} entries for {} stages; give one for each stage, or one number for all", list.size(),
                                    stages)}};
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
        const std::string of = list.size() > 1 ? fmt::format(" for stage {}, which has {}", stage, bound)
                                               : fmt::format(", and stages have at most {}", bound);
        problems.push_back({field, fmt::format("is {}{} layers; choose {}", list[stage], of, nearest)});
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
                     fmt::format("{} microbatches on {} stages are more than {} forward passes; lower microbatches to {}",
                                 plan.microbatches, stages, kMostForwardPasses, kMostForwardPasses / stages / slices));
    const std::int64_t ofStep = std::int64_t{stages} * slices * plan.microbatches;
    if (microbatches && ofStep <= kMostForwardPasses && checks.inRange("schedule.iterations"))
        checks.holds(ofStep * experiment.schedule.iterations <= kMostForwardPasses, "schedule.iterations",
                     fmt::format("is {}, but {} microbatches on {} stages allow {} iterations; lower one of them",
                                 experiment.schedule.iterations, plan.microbatches, stages, kMostForwardPasses / ofStep));
    if (experiment.hasModel && model.sequence >= 1)
        checks.holds(slices <= model.sequence, "schedule.sequence_slices",
                     fmt::format("is {}, more than the {} tokens of a sequence; lower it", slices, model.sequence));
    if (!plan.stageLayers.empty())
        checkStageLayers(stages, checks);
    checks.add(recomputeProblems(experiment, stages));
    if (!experiment.hasModel || model.layers < 1)
        return;
    if (stages * leastStageLayers(experiment.schedule) > model.layers) {
        const std::string made = chunks == 1 ? std::string() : fmt::format(" with {} chunks each", chunks);
        const std::string remedy =
            chunks <= model.layers ? fmt::format("lower devices to {}", model.layers / chunks) : "lower chunks";
        checks.holds(false, "parallel.devices",
                     fmt::format("{} devices{} need as many layers as stages, {}, but there are {}; {} or choose redis",
                                 plan.devices, made, stages, model.layers, remedy));
    }
    if (model.vocabularySize >= 1)
        checks.holds(
            model.vocabularySize >= plan.devices, "model.vocabulary_size",
            fmt::format("is {}, less than the {} devices; raise it or lower devices", model.vocabularySize, plan.devices));
}

} // namespace stagelens::model
