#include "app/cli/run_document.h"

#include "app/cli/report.h"
#include "engine/exchange/timeline_json.h"
#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/service/engine_service.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;

/// First steps warm caches and threads up; they stand apart from the statistics.
constexpr std::size_t kWarmUpSteps = 2;

template <class Value>
Json orNull(const std::optional<Value> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

/// Linear interpolation between the two nearest of the sorted values.
double quantile(const std::vector<base::Nanos> &sorted, double share)
{
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return static_cast<double>(sorted[below]) * (1 - fraction) + static_cast<double>(sorted[above]) * fraction;
}

Json iterationsJson(const std::vector<base::Nanos> &iterations)
{
    const std::size_t warmUp = iterations.size() > kWarmUpSteps ? kWarmUpSteps : 0;
    std::vector<base::Nanos> sorted(iterations.begin() + static_cast<std::ptrdiff_t>(warmUp), iterations.end());
    std::sort(sorted.begin(), sorted.end());
    Json json = {{"steps_ns", iterations}, {"warm_up_steps", warmUp}};
    const auto add = [&](const char *name, double share) {
        json[name] = sorted.empty() ? Json(nullptr) : Json(quantile(sorted, share));
    };
    add("median_ns", 0.5);
    add("first_quartile_ns", 0.25);
    add("third_quartile_ns", 0.75);
    return json;
}

} // namespace

Json summaryJson(const store::RunSummary &run)
{
    return {{"id", run.id},
            {"status", store::name(run.status)},
            {"name", runTitle(run)},
            {"started_unix_ms", run.startedUnixMs},
            {"kind", timeline::name(run.kind)},
            {"family", run.family},
            {"vocabulary", model::name(run.vocabulary)},
            {"devices", run.devices},
            {"microbatches", run.microbatches},
            {"steps_done", run.stepsDone},
            {"steps_planned", run.stepsPlanned},
            {"first_loss", orNull(run.firstLoss)},
            {"last_loss", orNull(run.lastLoss)},
            {"iteration_ns", orNull(run.iteration)},
            {"bubble_ratio", orNull(run.bubbleRatio)},
            {"tokens_per_second", orNull(run.tokensPerSecond)},
            {"peak_memory_bytes", orNull(run.peakMemory)},
            {"reason", run.reason},
            {"tags", run.tags}};
}

Json runDocument(const store::RunRecord &run, bool withSlices)
{
    Json document;
    if (run.timeline && run.metrics) {
        // A run whose schedule is made otherwise now cannot be explained; the rest of its document still holds.
        const auto explanation = service::explain(run.experiment, *run.timeline);
        document = exchange::timelineDocument(run.experiment, *run.timeline, *run.metrics, withSlices,
                                              explanation ? &*explanation : nullptr);
    } else {
        document = {{"stagelens", "timeline/1"},
                    {"kind", timeline::name(run.summary.kind)},
                    {"experiment", model::toJson(run.experiment)},
                    {"metrics", nullptr},
                    {"devices", Json::array()}};
    }
    document["run"] = summaryJson(run.summary);
    document["backend"] = run.experiment.training.backend;
    document["environment"] = run.environment;
    document["losses"] = run.losses;
    document["iterations"] = iterationsJson(run.iterations);
    return document;
}

} // namespace stagelens::cli
