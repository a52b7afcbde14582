#include "engine/schedule/families.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/passes/pass_recipe.h"
#include "engine/schedule/families/chimera.h"
#include "engine/schedule/families/dualpipe.h"
#include "engine/schedule/families/eager.h"
#include "engine/schedule/families/gpipe.h"
#include "engine/schedule/families/hanayo.h"
#include "engine/schedule/families/interlaced.h"
#include "engine/schedule/families/interleaved.h"
#include "engine/schedule/families/one_f_one_b.h"
#include "engine/schedule/families/pipe_offload.h"
#include "engine/schedule/families/pipedream.h"
#include "engine/schedule/families/seq1f1b.h"
#include "engine/schedule/families/v_patterns.h"
#include "engine/schedule/families/zb_auto.h"
#include "engine/schedule/families/zb_h.h"
#include "engine/schedule/families/zb_v.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

// In the order of the command line's help.
constexpr std::array kFamilies = {
    Family{.name = "gpipe",
           .description = "all forwards, then all backwards; keeps every microbatch in memory",
           .source = "Huang et al., arXiv 1811.06965",
           .conditions = "",
           .generate = gpipe},
    Family{.name = "1f1b",
           .description = "one forward, one backward in turn; keeps at most as many microbatches as there are devices",
           .source = "PipeDream-flush, arXiv 2006.09503; DAPPLE, arXiv 2007.01045",
           .conditions = "",
           .generate = oneForwardOneBackward},
    Family{.name = "eager-1f1b",
           .description = "1F1B with twice as many forwards ahead, so that messages have time; about twice the memory",
           .source = "arXiv 2405.15362, figure 1; arXiv 2211.05322",
           .conditions = "",
           .generate = eager},
    Family{.name = "interleaved-1f1b",
           .description = "several chunks a device shorten the bubble, for more messages and a little more memory",
           .source = "Megatron-LM, arXiv 2104.04473",
           .conditions = "group_size at least the devices (or all microbatches)",
           .generate = interleaved},
    Family{.name = "breadth-first",
           .description = "several chunks a device, all microbatches through one before the next; keeps every microbatch",
           .source = "Lamy-Poirier, arXiv 2211.05953",
           .conditions = "",
           .generate = breadthFirst},
    Family{.name = "zb-h1",
           .description = "splits the backward; weight gradients fill two thirds of 1F1B's bubble in 1F1B's memory",
           .source = "Zero Bubble, arXiv 2401.10241",
           .conditions = "",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = zbH1},
    Family{.name = "zb-h2",
           .description =
               "splits the backward; no bubble is left but the slant where F, I and W last alike, in twice the memory",
           .source = "Zero Bubble, arXiv 2401.10241",
           .conditions = "",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = zbH2},
    Family{.name = "interleaved-zb",
           .description = "several chunks a device and a split backward",
           .source = "PyTorch, ScheduleInterleavedZeroBubble",
           .conditions = "group_size at least the devices (or all microbatches)",
           .splitsBackward = true,
           .generate = interleavedZb},
    Family{.name = "gis",
           .description = "several chunks a device, half the warm-up and a split backward in place; small groups save memory",
           .source = "PipeOffload, arXiv 2503.01328",
           .conditions = "group_size at least half the devices (or all microbatches)",
           .splitsBackward = true,
           .generate = generalizedInterleaved},
    Family{.name = "po-h",
           .description =
               "several chunks a device; half of the stages offload, those that keep longest: about a quarter of 1F1B's memory",
           .source = "PipeOffload, arXiv 2503.01328",
           .conditions = "at least 2 chunks; copies of half of the stages take no longer than passes, or passes wait",
           .splitsBackward = true,
           .generate = pipeOffloadHalf},
    Family{.name = "po-f",
           .description = "several chunks a device, all offloaded: the memory of a few chunks, whatever the number of devices",
           .source = "PipeOffload, arXiv 2503.01328",
           .conditions = "at least 2 chunks; copies take no longer than passes, or passes wait",
           .splitsBackward = true,
           .generate = pipeOffloadFull},
    Family{.name = "zb-auto",
           .description = "splits the backward and orders its passes for the costs at hand, within a memory limit",
           .source = "Zero Bubble, arXiv 2401.10241, section 3.1",
           .conditions = "memory_limit leaves room for a microbatch beside the parameters",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = zbAuto},
    Family{.name = "zb-v",
           .description =
               "two chunks a device in a V; no bubble is left but half the slant where F, I and W last alike, in 1F1B's memory",
           .source = "Zero Bubble, arXiv 2401.10241, section 6",
           .conditions = "",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = zbV},
    Family{.name = "v-half",
           .description =
               "two chunks a device in a V; half of 1F1B's memory, and half of its bubble where F, I and W last alike",
           .source = "Controllable Memory, arXiv 2405.15362",
           .conditions = "",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = vHalf},
    Family{.name = "v-min",
           .description =
               "two chunks a device in a V; a third of 1F1B's memory, and two thirds of its bubble where F, I and W last alike",
           .source = "Controllable Memory, arXiv 2405.15362",
           .conditions = "",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = vMin},
    Family{.name = "v-zb",
           .description = "two chunks a device in a V, the order found for the durations; little bubble, in 1F1B's memory",
           .source = "Controllable Memory, arXiv 2405.15362",
           .conditions = "",
           .splitsBackward = true,
           .looksAtDurations = true,
           .generate = vZb},
    Family{.name = "1f1b-v",
           .description = "two chunks a device in a V, backward whole; two thirds of 1F1B's memory, its bubble where B >= 2F",
           .source = "Controllable Memory, arXiv 2405.15362",
           .conditions = "",
           .looksAtDurations = true,
           .generate = oneForwardOneBackwardV},
    Family{.name = "interlaced",
           .description = "the vocabulary layers sharded as in tensor parallelism: all devices run them at once",
           .source = "nnScaler, OSDI 2024; arXiv 2411.05288, appendix B",
           .conditions = "vocabulary none: it brings its own method",
           .generate = interlaced},
    Family{.name = "dualpipe",
           .description = "two copies of the model in opposite directions; a forward and a backward overlap",
           .source = "DeepSeek-V3, arXiv 2412.19437; deepseek-ai/DualPipe",
           .conditions = "an even number of devices",
           .directions = 2,
           .splitsBackward = true,
           .generate = dualPipe},
    Family{.name = "dualpipe-v",
           .description = "DualPipe on half of its devices: the model once, two chunks a device in a V",
           .source = "deepseek-ai/DualPipe",
           .conditions = "",
           .splitsBackward = true,
           .generate = dualPipeV},
    Family{.name = "chimera",
           .description = "two copies of the model in opposite directions fill each other's bubbles",
           .source = "Chimera, arXiv 2107.06925",
           .conditions = "an even number of devices",
           .directions = 2,
           .looksAtDurations = true,
           .generate = chimera},
    Family{.name = "hanayo",
           .description = "waves down and up the devices, two chunks each, shorten the bubble for more messages",
           .source = "Hanayo, arXiv 2308.15762",
           .conditions = "",
           .looksAtDurations = true,
           .generate = hanayo},
    Family{.name = "seq1f1b",
           .description = "1F1B over slices of each sequence: bubble and memory shrink with the slices",
           .source = "Seq1F1B, arXiv 2406.03488",
           .conditions = "causal attention",
           .generate = seq1F1B},
    Family{.name = "seq1f1b-zb",
           .description = "1F1B over slices of each sequence, and a split backward",
           .source = "MEPipe, EuroSys 2025; Seq1F1B, arXiv 2406.03488",
           .conditions = "causal attention",
           .splitsBackward = true,
           .generate = seq1F1BZb},
    Family{.name = "pipedream",
           .description = "1F1B without a flush: an update after every backward, and each microbatch keeps its weights",
           .source = "PipeDream, arXiv 1806.03377",
           .conditions = "vocabulary none or redis",
           .synchronous = false,
           .generate = pipedream},
    Family{.name = "pipedream-2bw",
           .description = "1F1B without a flush: one update a step, a step late, with two versions of the weights",
           .source = "PipeDream-2BW, arXiv 2006.09503",
           .conditions = "at least as many microbatches as devices; vocabulary none or redis",
           .synchronous = false,
           .generate = pipedream2bw},
};

/// Returns the maximum number of passes of a microbatch.
std::int64_t passesOfMicrobatch(const model::Experiment &experiment, const Family &family)
{
    const std::int64_t ofStage = family.splitsBackward ? 3 : 2;
    const std::int64_t ofShard = 5; // EF, S, U, T, EB
    const bool isSharded = model::shardsVocabulary(experiment.schedule);
    return std::int64_t{experiment.parallel.devices} * model::slicesOf(experiment.schedule) *
           (ofStage * model::stagesPerDevice(experiment.schedule) + (isSharded ? ofShard : 0));
}

/// Returns the problems that exclude a plan from every family.
base::Problems problemsOf(const model::Experiment &experiment, const Family &family)
{
    base::Problems problems = model::shapeProblems(experiment.schedule);
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    if (devices < 1 || devices > kMostStages)
        problems.push_back({"parallel.devices", fmt::format("{} devices; give 1 to {}", devices, kMostStages)});
    if (microbatches < 1)
        problems.push_back({"parallel.microbatches", fmt::format("{} microbatches; give at least 1", microbatches)});
    if (!problems.empty())
        return problems;
    const std::int64_t stages = std::int64_t{devices} * model::stagesPerDevice(experiment.schedule);
    if (stages > kMostStages)
        problems.push_back(
            {"schedule.chunks", fmt::format("{} stages are more than {}; give fewer chunks", stages, kMostStages)});
    else if (const std::int64_t ofStep = passesOfMicrobatch(experiment, family) * microbatches;
             ofStep > static_cast<std::int64_t>(kMostPasses))
        problems.push_back(
            {"parallel.microbatches",
             fmt::format("{} stages with {} microbatches make more than {} passes, which is the limit; give fewer of either",
                         stages, microbatches, kMostPasses)});
    else if (const std::int64_t most = static_cast<std::int64_t>(kMostPasses) / ofStep;
             experiment.schedule.iterations < 1 || experiment.schedule.iterations > most)
        problems.push_back(
            {"schedule.iterations", fmt::format("{} iterations; give 1 to {}", experiment.schedule.iterations, most)});
    return problems;
}

} // namespace

std::span<const Family> families()
{
    return kFamilies;
}

const Family *findFamily(std::string_view name)
{
    const auto *const found = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family &f) { return f.name == name; });
    return found == kFamilies.end() ? nullptr : found;
}

bool looksAtDurations(const model::Experiment &experiment)
{
    const Family *const family = findFamily(experiment.schedule.family);
    return family != nullptr && (family->looksAtDurations || hasBestOrder(experiment.schedule));
}

bool hasBestOrder(const model::ScheduleChoice &choice)
{
    return choice.vocabularyOrder == model::VocabularyOrder::Best && model::traits(choice.vocabulary).isSharded;
}

base::Result<Schedule> makeSchedule(const model::Experiment &experiment, const Durations *costsAtHand)
{
    const Family *const family = findFamily(experiment.schedule.family);
    if (family == nullptr) {
        std::vector<std::string> names;
        for (const Family &known : kFamilies)
            names.emplace_back(known.name);
        return base::Error::invalid("schedule.family", fmt::format("no schedule family is called '{}'; there are: {}",
                                                                   experiment.schedule.family, base::join(names, ", ")));
    }
    if (base::Problems problems = problemsOf(experiment, *family); !problems.empty())
        return base::Error::invalid(std::move(problems));
    if (model::parseVocabularyMethod(family->name) && experiment.schedule.vocabulary != model::VocabularyMethod::None)
        return base::Error::invalid(
            "schedule.vocabulary",
            fmt::format("{} brings its own method, and {} is given; leave vocabulary out, or choose the schedule 1f1b",
                        family->name, model::name(experiment.schedule.vocabulary)));
    if (!family->synchronous && model::traits(experiment.schedule.vocabulary).isSharded)
        return base::Error::invalid("schedule.vocabulary",
                                    fmt::format("{} changes its weights between the passes of a sharded output layer, whose "
                                                "shards would disagree; choose none or redis, or 1f1b",
                                                family->name));
    return family->generate(experiment, costsAtHand != nullptr ? *costsAtHand : nominalDurations(experiment));
}

} // namespace stagelens::schedule
