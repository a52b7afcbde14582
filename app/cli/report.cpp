#include "app/cli/report.h"

#include "app/cli/commands/commands.h"
#include "app/cli/table.h"
#include "engine/base/count.h"
#include "engine/base/hash.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"
#include "engine/model/conditions.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/names.h"
#include "engine/operators/sizes.h"
#include "engine/schedule/families/interleaved.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace stagelens::cli {

int fail(const base::Error &error)
{
    std::cerr << base::printable(error) << '\n';
    switch (error.kind) {
    case base::ErrorKind::InvalidInput: return kInvalidInput;
    case base::ErrorKind::Cancelled: return kCancelled;
    case base::ErrorKind::Failed: break;
    }
    return kFailed;
}

void printJson(const nlohmann::ordered_json &document)
{
    // File names may hold bytes that are no UTF-8; a replaced character is better than no document.
    std::cout << base::printableJson(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) << '\n';
}

namespace {

/// What is said where the microbatches make no whole groups.
std::string groupText(const model::Experiment &experiment)
{
    const std::optional<int> grown = schedule::grownGroup(experiment);
    return grown ? fmt::format(", groups of up to {} microbatches (the rest would not fill the pipeline)", *grown)
                 : std::string();
}

/// What is said of overlapped pairs.
std::string pairsText(const model::Experiment &experiment)
{
    if (!experiment.schedule.overlappedPairs)
        return {};
    return !model::kPairsHideNothing(experiment) ? ", overlapped pairs"
           : experiment.cost.collectives == model::Collectives::Blocking
               ? ", overlapped pairs (they hide nothing: collectives are blocking)"
               : ", overlapped pairs (they hide nothing: no experts on several ranks)";
}

/// " x 2 tensor x 2 replicas (16 ranks, ZeRO-1)"; empty for one rank a device.
std::string ranksText(const model::ParallelPlan &plan)
{
    if (plan.ranks(1) == 1)
        return {};
    return fmt::format("{}{}{} ({} ranks{}{}{}{})", plan.tensor > 1 ? fmt::format(" x {} tensor", plan.tensor) : std::string(),
                       plan.context > 1 ? fmt::format(" x {} context", plan.context) : std::string(),
                       plan.replicas > 1 ? fmt::format(" x {} replicas", plan.replicas) : std::string(),
                       plan.ranks(plan.devices), plan.tensor > 1 && !plan.sequenceParallel ? ", no sequence parallelism" : "",
                       plan.zero > 0 ? fmt::format(", ZeRO-{}", plan.zero) : std::string(),
                       !plan.reducesEagerly() ? std::string_view()
                       : plan.zero == 2       ? std::string(" eager")
                                              : fmt::format(" {}", model::name(plan.zero3)),
                       plan.shardGroups() > 1   ? fmt::format(" in groups of {}", plan.shardReplicas)
                       : plan.averagesWeights() ? fmt::format(", weights averaged every {} steps", plan.syncEvery)
                                                : std::string());
}

} // namespace

std::string fieldText(const std::string &field, const nlohmann::ordered_json &value)
{
    constexpr std::size_t kWidest = 40;
    if (value.is_array() && !value.empty() && value.front().is_object()) // the collectives of a cluster
        return fmt::format("{}{}", value.size(), value.size() == 1 ? " table" : " tables");
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (field != "schedule.text")
        return text;
    return fmt::format("{} ({} lines, xxh64 {})", base::printable(std::string_view(text).substr(0, text.find('\n')), kWidest),
                       std::ranges::count(text, '\n'), base::hashText(text));
}

namespace {

/// Returns "mixtral-8x7b model", with the parameters of a mixture of experts.
std::string modelText(const model::ModelConfig &model)
{
    if (!model.hasExperts())
        return model.preset + " model";
    const auto count = [](std::int64_t parameters) { return countText(static_cast<double>(parameters)); };
    return fmt::format("{} model ({} experts, {} parameters, {} active)", model.preset, model.experts,
                       count(operators::totalParameters(model)), count(operators::activeParameters(model)));
}

} // namespace

std::string planText(const model::Experiment &experiment)
{
    const model::ScheduleChoice &schedule = experiment.schedule;
    const std::string text =
        fmt::format("{}{}, vocabulary {}, {} devices x {} microbatches{}, {}{}{}", schedule.family,
                    schedule.hasOwnOrder() ? " (" + model::customName(schedule) + ")" : "", model::name(schedule.vocabulary),
                    experiment.parallel.devices, experiment.parallel.microbatches, ranksText(experiment.parallel),
                    experiment.hasModel ? modelText(experiment.model) : "no model (given durations)", groupText(experiment),
                    pairsText(experiment));
    return base::printable(text);
}

std::string runTitle(const store::RunSummary &run)
{
    if (!run.name.empty())
        return run.name;
    const std::string size =
        run.vocabularySize > 0 ? fmt::format(" · V {}", base::countText(run.vocabularySize)) : std::string();
    return fmt::format("{} · {} · {}x{}{}", run.family, model::name(run.vocabulary), run.devices, run.microbatches, size);
}

std::string provenanceText(timeline::Provenance provenance)
{
    switch (provenance) {
    case timeline::Provenance::Predicted: return "Predicted";
    case timeline::Provenance::MeasuredLive: return "Measured live";
    case timeline::Provenance::MeasuredVirtualClock: return "Virtual clock (each pass measured alone, concurrency simulated)";
    case timeline::Provenance::Published: return "Published";
    case timeline::Provenance::Imported: return "Imported";
    }
    return {};
}

void printMetrics(std::ostream &out, const simulate::Metrics &metrics, const timeline::Timeline &timeline, int averageEvery)
{
    Table figures({"", "", ""});
    const auto add = [&figures](const char *name, std::string value, std::string note = {}) {
        figures.add({name, std::move(value), std::move(note)});
    };
    add("iteration", timeText(metrics.iteration),
        averageEvery > 1      ? fmt::format("mean of {} steps, of which the last averages the weights", averageEvery)
        : !metrics.iterations ? std::string()
        : timeline.weightVersions.empty()
            ? fmt::format("each of {}, between which the pipeline drains", *metrics.iterations)
            : fmt::format("of the steady state: the mean of the last {} of {}, which do not drain", *metrics.iterations - 1,
                          *metrics.iterations));
    if (metrics.wasMachineBusy())
        add("processor", percentText(*metrics.processorShare),
            "of the passes' time; other programs had it for the rest, so an idle machine is faster");
    if (metrics.publishedIteration) {
        const base::Nanos saved = *metrics.publishedIteration - metrics.iteration;
        const double share =
            static_cast<double>(saved) / static_cast<double>(std::max<base::Nanos>(1, *metrics.publishedIteration));
        add("published order", timeText(*metrics.publishedIteration),
            saved > 0 ? fmt::format("best saves {} ({})", timeText(saved), percentText(share)) : "best saves nothing");
    }
    if (metrics.exposedExchange && (*metrics.exposedExchange > 0 || metrics.replicaPerDevice.empty()))
        add(metrics.contextPerDevice.empty() ? "replicas" : "gradients", timeText(*metrics.exposedExchange),
            "of the iteration is their exchange, which nothing hides");
    const auto addInPasses = [&](const char *name, const std::vector<base::Nanos> &times) {
        if (times.empty())
            return;
        const auto most = std::ranges::max_element(times);
        const auto busy = metrics.busyPerDevice[static_cast<std::size_t>(most - times.begin())];
        const double share = static_cast<double>(*most) / static_cast<double>(std::max<base::Nanos>(1, busy));
        add(name, timeText(*most),
            fmt::format("of device {}'s passes are their exchanges ({})", most - times.begin(), percentText(share)));
    };
    addInPasses("in passes", metrics.replicaPerDevice);
    addInPasses("tensor ranks", metrics.tensorPerDevice);
    addInPasses("context ranks", metrics.contextPerDevice);
    addInPasses("expert ranks", metrics.expertPerDevice);
    if (metrics.makespanPerIteration)
        add("makespan", timeText(metrics.makespan),
            fmt::format("of {} iterations, {} each with their fill and drain", *metrics.iterations,
                        timeText(*metrics.makespanPerIteration)));
    else
        add("makespan", timeText(metrics.makespan));
    if (metrics.lowerBound)
        add("lower bound", timeText(*metrics.lowerBound),
            fmt::format("makespan {} above", gapText(metrics.makespan, *metrics.lowerBound)));
    add("bubble", percentText(metrics.bubbleRatio),
        metrics.steadyBubbleRatio && !timeline.weightVersions.empty()
            ? fmt::format("of all iterations; {} in the steady state", percentText(*metrics.steadyBubbleRatio))
            : "");
    if (metrics.tokensPerSecond)
        add("tokens/s", countText(*metrics.tokensPerSecond));
    if (metrics.mfu)
        add("MFU", percentText(*metrics.mfu),
            metrics.mfuCausal ? percentText(*metrics.mfuCausal) + " if attention counts under its causal mask" : "");
    if (const auto fullest = std::ranges::max_element(metrics.peakMemory); fullest != metrics.peakMemory.end())
        add("peak memory", base::bytesText(*fullest),
            metrics.peakMemory.size() > 1 ? fmt::format("of device {}", fullest - metrics.peakMemory.begin()) : "");
    figures.print(out);

    const bool hasHost = !metrics.peakHost.empty();
    std::vector<std::string> columns{"device",           "stages",     metrics.iterations ? "busy a step" : "busy",
                                     "bubble",           "vocabulary", "peak memory",
                                     "microbatches held"};
    if (hasHost)
        columns.insert(columns.end(), {"by anchors", "peak host memory"});
    Table devices(columns);
    for (std::size_t device = 0; device < metrics.bubbleRatioPerDevice.size(); ++device) {
        std::vector<std::string> stages;
        if (device < timeline.stages.size()) {
            for (const int stage : timeline.stages[device])
                stages.push_back(std::to_string(stage));
        }
        const auto cell = [device](const auto &values, auto text) {
            return device < values.size() ? text(values[device]) : "-";
        };
        const auto heldText = [](double held) { return fmt::format("{:g}", held); };
        std::vector<std::string> row{std::to_string(device),
                                     base::join(stages, ","),
                                     cell(metrics.busyPerDevice, timeText),
                                     cell(metrics.bubbleRatioPerDevice, percentText),
                                     cell(metrics.vocabularySharePerDevice, percentText),
                                     cell(metrics.peakMemory, base::bytesText),
                                     cell(metrics.peakActivationMicrobatches, heldText)};
        if (hasHost) {
            row.push_back(cell(metrics.anchoredActivationMicrobatches, heldText));
            row.push_back(cell(metrics.peakHost, base::bytesText));
        }
        devices.add(row);
    }
    out << '\n';
    devices.print(out);
}

} // namespace stagelens::cli
