#include "engine/runtime/memory/memory_check.h"

#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/memory/message_bounds.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/plan/shape.h"
#include "engine/schedule/families.h"
#include "engine/simulate/offload/offload_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <string>

namespace stagelens::runtime {
namespace {

/// For more passes of all rails the need is estimated from the microbatches in flight and all messages of a step.
constexpr std::size_t kMostPasses = 4'000'000;
/// For more passes of all rails no other settings are tried: each would take a second.
constexpr std::size_t kMostAdvised = 400'000;

/// The memory available to a run.
struct Room {
    base::Bytes machine = 0; ///< 0: unknown
    std::optional<base::Bytes> device;

    [[nodiscard]] bool holdsAll(base::Bytes bytes) const { return machine == 0 || bytes <= machine; }
    [[nodiscard]] bool holds(const MemoryNeed &need, base::Bytes beside) const
    {
        return holdsAll(need.total() + beside) && (!device || std::ranges::max(need.peaks) <= *device);
    }
};

int railsOf(const model::Experiment &experiment)
{
    return experiment.parallel.gradientRanks() * experiment.parallel.tensor;
}

/// Another setting that trains the same model on the same devices, with the same number of sequences per step.
struct Setting {
    std::string words;
    int changes = 0;
    model::Experiment experiment;
};

/// Returns settings that may need less memory, smallest change first.
std::vector<Setting> otherSettings(const model::Experiment &experiment)
{
    std::vector<Setting> settings{{{}, 0, experiment}};
    const auto alsoWith = [&settings](const std::string &words, const auto &change) {
        for (std::size_t i = 0, count = settings.size(); i < count; ++i) {
            Setting other = settings[i];
            change(other.experiment);
            if (other.experiment == settings[i].experiment)
                continue;
            other.words += fmt::format("{}{}", other.words.empty() ? "" : " and ", words);
            ++other.changes;
            settings.push_back(std::move(other));
        }
    };
    alsoWith("--recompute full", [](model::Experiment &other) {
        other.schedule.recompute = model::Recompute::Full;
        other.schedule.recomputeLayers.clear();
    });
    if (experiment.schedule.offload.isOn()) // on processors the host's memory is that of the devices
        alsoWith("--offload none", [](model::Experiment &other) { other.schedule.offload = {}; });
    if (experiment.schedule.offloadOptimizer)
        alsoWith("--no-offload-optimizer --no-offload-parameters",
                 [](model::Experiment &other) { other.schedule.offloadOptimizer = other.schedule.offloadParameters = false; });
    if (experiment.schedule.overlappedPairs)
        alsoWith("--no-overlapped-pairs", [](model::Experiment &other) { other.schedule.overlappedPairs = false; });
    if (experiment.parallel.gradientRanks() > 1)
        alsoWith("--zero 1", [](model::Experiment &other) { other.parallel.zero = std::max(other.parallel.zero, 1); });
    if (experiment.schedule.file.empty()) {
        for (const char *family : {"1f1b", "v-half"})
            alsoWith(fmt::format("--schedule {}", family), [&experiment, family](model::Experiment &other) {
                const bool isOwn = other.schedule.family == experiment.schedule.family;
                if (!isOwn || family == other.schedule.family || model::leastStageLayers(other.schedule) == 0)
                    return;
                model::chooseFamily(other.schedule, family);
                model::followStages(other);
            });
        alsoWith("--vocabulary vocab-1", [](model::Experiment &other) {
            if (!model::shardsVocabulary(other.schedule))
                other.schedule.vocabulary = model::VocabularyMethod::Vocab1;
        });
        for (int size = experiment.parallel.microbatchSize; size % 2 == 0;) {
            size /= 2;
            Setting other{fmt::format("--microbatch-size {}", size), 1, experiment};
            other.experiment.parallel.microbatches *= other.experiment.parallel.microbatchSize / size;
            other.experiment.parallel.microbatchSize = size;
            other.words += fmt::format(" and --microbatches {}", other.experiment.parallel.microbatches);
            settings.push_back(std::move(other));
        }
    }
    settings.erase(settings.begin()); // the present setting
    std::ranges::stable_sort(settings, {}, &Setting::changes);
    return settings;
}

/// Returns the family's order with its copies to the host.
base::Result<schedule::Schedule> orderOf(const model::Experiment &experiment)
{
    auto order = schedule::makeSchedule(experiment);
    return order ? simulate::withOffload(experiment, *std::move(order)) : order;
}

/// Returns nothing if there is no such schedule.
std::optional<MemoryNeed> needOf(const Setting &setting, const schedule::Schedule &schedule)
{
    const model::Experiment experiment = operators::resolved(setting.experiment, 1);
    if (!experiment.schedule.file.empty()) {
        auto need = memoryNeed(experiment, schedule);
        return need ? std::optional(std::move(need).value()) : std::nullopt;
    }
    if (!model::validate(experiment).empty())
        return std::nullopt;
    const auto other = orderOf(experiment);
    if (!other)
        return std::nullopt;
    auto need = memoryNeed(experiment, *other);
    return need ? std::optional(std::move(need).value()) : std::nullopt;
}

/// Returns the last part of the message that refuses a run.
std::string adviceFor(const model::Experiment &experiment, const schedule::Schedule &schedule, const Room &room,
                      base::Bytes beside, base::Bytes needed)
{
    if (const std::size_t passes = passesOfRails(experiment, schedule); passes > kMostPasses)
        return "; lower parallel.microbatches (with so many, all messages of a step are counted) or the model size";
    else if (passes > kMostAdvised)
        return "; lower parallel.replicas, parallel.microbatches or the model size";
    std::string least;
    base::Bytes leastBytes = 0;
    for (const Setting &setting : otherSettings(experiment)) {
        const auto need = needOf(setting, schedule);
        if (!need)
            continue;
        const base::Bytes bytes = need->total() + beside;
        if (room.holds(*need, beside))
            return fmt::format("; {} would fit, with {} in all and {} on a device", setting.words, base::bytesText(bytes),
                               base::bytesText(std::ranges::max(need->peaks)));
        if (least.empty() || bytes < leastBytes) {
            least = setting.words;
            leastBytes = bytes;
        }
    }
    const std::string closest = least.empty() || leastBytes >= needed
                                    ? ""
                                    : fmt::format("; the least is {}, with {}", base::bytesText(leastBytes), least);
    return fmt::format("{}; lower model.layers, model.hidden, model.vocabulary_size or parallel.microbatch_size", closest);
}

MemoryNeed estimatedNeed(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    MemoryNeed need;
    const auto messages =
        messageBounds(lowered(schedule), operators::engineFloatsOfSlices(experiment), schedule::recipeChoice(experiment));
    for (int device = 0; device < schedule.devices(); ++device) {
        const simulate::MemoryNeeds each = simulate::memoryNeeds(experiment, schedule, device);
        need.peaks.push_back(each.fixed + each.activation * schedule::peakActivations(schedule, device));
        need.hosts.push_back(simulate::peakHostBytes(experiment, schedule, device));
        need.hostPeaks.push_back(need.hosts.back());
        need.slabs.push_back(need.peaks.back() + messages[static_cast<std::size_t>(device)].bytes);
    }
    for (std::vector<base::Bytes> *bytes : {&need.peaks, &need.hosts, &need.hostPeaks, &need.slabs}) {
        const std::vector<base::Bytes> rail = *bytes;
        for (int other = 1; other < railsOf(experiment); ++other)
            bytes->insert(bytes->end(), rail.begin(), rail.end());
    }
    return need;
}

} // namespace

base::Bytes MemoryNeed::total() const
{
    return std::accumulate(hosts.begin(), hosts.end(), std::accumulate(slabs.begin(), slabs.end(), tokens));
}

base::Bytes tokenBytes(const Shape &shape)
{
    return (1 + shape.outputHeads) * shape.iterations * shape.stepMicrobatches() * shape.wholeTokens() *
           static_cast<base::Bytes>(sizeof(std::int32_t));
}

std::size_t passesOfRails(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const model::ParallelPlan &plan = experiment.parallel;
    return schedule.passCount() * static_cast<std::size_t>(plan.gradientRanks()) * static_cast<std::size_t>(plan.tensor);
}

base::Result<> checkRanks(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const std::int64_t ranks = experiment.parallel.ranks(schedule.devices());
    if (ranks <= kMostRunRanks)
        return {};
    return base::Error::invalid(
        "parallel", fmt::format("has {} ranks, but a run has at most {}; lower the degrees, or simulate the plan without "
                                "training it",
                                ranks, kMostRunRanks));
}

base::Result<MemoryNeed> memoryNeed(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (auto few = checkRanks(experiment, schedule); !few)
        return few.error();
    MemoryNeed need;
    if (passesOfRails(experiment, schedule) > kMostPasses) {
        need = estimatedNeed(experiment, schedule);
    } else {
        const schedule::Schedule order = lowered(schedule);
        for (int rail = 0; rail < railsOf(experiment); ++rail) {
            const auto plans =
                memoryPlan(experiment, order, rail / experiment.parallel.tensor, rail % experiment.parallel.tensor);
            if (!plans)
                return plans.error();
            for (const DevicePlan &plan : *plans) {
                need.slabs.push_back(plan.slabBytes());
                need.hosts.push_back(plan.hostBytes());
                need.hostPeaks.push_back(plan.hostPeak);
                need.peaks.push_back(std::accumulate(plan.peak.begin(), plan.peak.end(), base::Bytes{0}) -
                                     plan.peak[category(simulate::MemoryCategory::Communication)]);
            }
        }
    }
    need.tokens = tokenBytes(Shape(experiment));
    return need;
}

base::Result<> checkHosts(const model::Experiment &experiment, const schedule::Schedule &schedule, const MemoryNeed &need)
{
    if (!simulate::usesHost(experiment, schedule))
        return {};
    std::vector<base::Bytes> most(static_cast<std::size_t>(schedule.devices()));
    for (std::size_t rank = 0; rank < need.hostPeaks.size(); ++rank) {
        base::Bytes &device = most[rank % most.size()];
        device = std::max(device, need.hostPeaks[rank]);
    }
    return simulate::checkHostMemory(experiment, most);
}

base::Result<> checkMemory(const model::Experiment &experiment, const schedule::Schedule &schedule, base::Bytes available,
                           base::Bytes beside)
{
    const auto need = memoryNeed(experiment, schedule);
    if (!need)
        return need.error();
    if (auto fits = checkHosts(experiment, schedule, *need); !fits)
        return fits;
    const Room room{available, experiment.schedule.memoryLimit};
    if (room.holds(*need, beside))
        return {};
    const auto device = [&](const std::vector<base::Bytes> &bytes) {
        return (std::ranges::max_element(bytes) - bytes.begin()) % schedule.devices();
    };
    const base::Bytes total = need->total() + beside;
    if (!room.holdsAll(total)) {
        return base::Error::invalid(
            "model",
            fmt::format("the run needs {} of memory, most of it on device {} with {}, but only {} are free: {} are missing{}",
                        base::bytesText(total), device(need->slabs), base::bytesText(std::ranges::max(need->slabs)),
                        base::bytesText(available), base::bytesText(total - available),
                        adviceFor(experiment, schedule, room, beside, total)));
    }
    const base::Bytes most = std::ranges::max(need->peaks);
    return base::Error::invalid("schedule.memory_limit",
                                fmt::format("device {} needs {}, {} more than the limit of {}{}", device(need->peaks),
                                            base::bytesText(most), base::bytesText(most - *room.device),
                                            base::bytesText(*room.device),
                                            adviceFor(experiment, schedule, room, beside, total)));
}

base::Bytes requiredBytes(const model::Experiment &experiment)
{
    const auto schedule = orderOf(experiment);
    return schedule ? requiredBytes(experiment, *schedule) : 0;
}

base::Bytes requiredBytes(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const auto need = memoryNeed(experiment, schedule);
    return need ? need->total() : 0;
}

} // namespace stagelens::runtime
