#include "app/cli/run_document.h"

#include "app/cli/report.h"
#include "engine/base/text.h"
#include "engine/exchange/timeline_json.h"
#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/service/engine_service.h"
#include "engine/service/predictions/explain.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;

/// First steps warm caches and threads up; they stand apart from the statistics.
constexpr std::size_t kWarmUpSteps = 2;

Json operatorsJson(const timeline::OperatorTimes &times)
{
    Json json = Json::array();
    for (const timeline::PassOperators &pass : times) {
        Json operators = Json::array();
        for (const timeline::OperatorTime &each : pass.operators)
            operators.push_back({{"name", each.name}, {"duration_ns", each.duration}});
        json.push_back({{"device", pass.device},
                        {"kind", schedule::name(pass.kind)},
                        {"stage", pass.stage},
                        {"operators", std::move(operators)}});
    }
    return json;
}

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
    const auto times = stepTimes(iterations);
    const auto figure = [&](double StepTimes::*part) { return times ? Json((*times).*part) : Json(nullptr); };
    return {{"steps_ns", iterations},
            {"warm_up_steps", times ? times->warmUpSteps : 0},
            {"median_ns", figure(&StepTimes::median)},
            {"first_quartile_ns", figure(&StepTimes::firstQuartile)},
            {"third_quartile_ns", figure(&StepTimes::thirdQuartile)}};
}

Json evaluationsJson(const std::vector<store::EvaluationLoss> &evaluations)
{
    Json json = Json::array();
    for (const store::EvaluationLoss &each : evaluations)
        json.push_back({{"steps", each.steps}, {"loss", each.loss}});
    return json;
}

} // namespace

std::string evaluationText(const std::vector<store::EvaluationLoss> &evaluations)
{
    std::vector<std::string> losses;
    for (const store::EvaluationLoss &each : evaluations)
        losses.push_back(base::fixedText(each.loss, 4));
    return base::join(losses, " -> ");
}

std::optional<StepTimes> stepTimes(const std::vector<base::Nanos> &iterations)
{
    if (iterations.empty())
        return std::nullopt;
    const std::size_t warmUp = iterations.size() > kWarmUpSteps ? kWarmUpSteps : 0;
    std::vector<base::Nanos> sorted(iterations.begin() + static_cast<std::ptrdiff_t>(warmUp), iterations.end());
    std::sort(sorted.begin(), sorted.end());
    return StepTimes{warmUp, quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)};
}

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
            {"evaluation_loss", orNull(run.evaluationLoss)},
            {"resumed_run", orNull(run.resumed)},
            {"resumed_steps", run.resumedSteps},
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
                    {"layout", exchange::layoutJson(run.experiment, run.experiment.parallel.devices)},
                    {"metrics", nullptr},
                    {"devices", Json::array()}};
    }
    document["run"] = summaryJson(run.summary);
    document["backend"] = run.experiment.training.backend;
    document["environment"] = run.environment;
    document["losses"] = run.losses;
    if (!run.skipped.empty())
        document["skipped_steps"] = run.skipped;
    if (run.operators)
        document["operators"] = operatorsJson(*run.operators);
    document["evaluation_loss"] = orNull(run.summary.evaluationLoss);
    document["evaluations"] = evaluationsJson(run.evaluations);
    document["iterations"] = iterationsJson(run.iterations);
    return document;
}

} // namespace stagelens::cli
