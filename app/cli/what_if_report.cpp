#include "app/cli/what_if_report.h"

#include "app/cli/table.h"
#include "engine/model/what_if.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <unistd.h>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;
using DrawClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kDrawPatience{500};

/// The share of a step that a slow part costs; below 0 if the step is shorter with it.
double costOf(base::Nanos with, base::Nanos without)
{
    return with > 0 ? static_cast<double>(with - without) / static_cast<double>(with) : 0;
}

void printParts(std::ostream &out, const service::Sensitivity &sensitivity)
{
    if (sensitivity.parts.empty())
        return;
    const base::Nanos now = sensitivity.iteration;
    out << "\nWhat-ifs: the iteration takes " << timeText(now) << ", without them " << timeText(sensitivity.planned) << " ("
        << percentText(costOf(now, sensitivity.planned)) << " of it are lost)\n";
    Table table({"slow", "factor", "iteration without it", "costs", "costs if the first device were slow"});
    for (const service::WhatIfPart &part : sensitivity.parts) {
        std::string first = "-";
        if (part.ifFirst)
            first = percentText(costOf(*part.ifFirst, part.without));
        table.add({part.name, part.factor > 0 ? fmt::format("{:g}", part.factor) : "-", timeText(part.without),
                   percentText(costOf(now, part.without)), std::move(first)});
    }
    table.print(out);
}

void printJitter(std::ostream &out, const simulate::JitterResult &jitter)
{
    out << "\nJitter of " << percentText(jitter.variation) << " in every pass, " << jitter.draws << " draws, seed "
        << jitter.seed << ":\n";
    Table times({"", "5 %", "median", "95 %", "mean"});
    const auto add = [&times](const char *name, const simulate::Quantiles &of) {
        times.add({name, timeText(of.p05), timeText(of.p50), timeText(of.p95), timeText(of.mean)});
    };
    add("makespan", jitter.makespan);
    add("iteration", jitter.iteration);
    times.print(out);
    Table devices({"device", "critical in", "1 % slower lengthens the makespan by"});
    for (std::size_t device = 0; device < jitter.criticalShare.size(); ++device)
        devices.add({std::to_string(device), percentText(jitter.criticalShare[device]),
                     fmt::format("{:.2f} %", jitter.sensitivity[device])});
    devices.print(out);
}

void printFailures(std::ostream &out, const simulate::FailureForecast &failures, const model::WhatIf &whatIf)
{
    out << "\nFailures every " << whatIf.failureInterval.value_or(0) << " hours, checkpoints of "
        << whatIf.checkpointSeconds.value_or(0) << " s: a checkpoint after every " << failures.steps << " steps ("
        << clockText(failures.period) << "; Young's optimum " << clockText(failures.optimum) << ")\n  goodput "
        << percentText(failures.goodput) << "; a failure loses " << clockText(failures.lostPerFailure) << " on average\n";
}

Json quantilesJson(const simulate::Quantiles &of)
{
    return {{"p05", of.p05}, {"p50", of.p50}, {"p95", of.p95}, {"mean", of.mean}};
}

Json partsJson(const service::Sensitivity &sensitivity, const service::Prediction &prediction)
{
    Json parts = Json::array();
    for (const service::WhatIfPart &part : sensitivity.parts)
        parts.push_back({{"name", part.name},
                         {"factor", part.factor > 0 ? Json(part.factor) : Json(nullptr)},
                         {"iteration_without_ns", part.without},
                         {"iteration_if_first_ns", part.ifFirst ? Json(*part.ifFirst) : Json(nullptr)}});
    return {{"planned_iteration_ns", sensitivity.planned},
            {"shown_replica", prediction.timeline->replica},
            {"parts", std::move(parts)}};
}

} // namespace

DrawWatch::DrawWatch() : m_due(DrawClock::now() + kDrawPatience), m_isTerminal(isatty(STDERR_FILENO) == 1) {}

DrawWatch::~DrawWatch()
{
    if (m_isOpen)
        std::cerr << '\n';
}

service::SensitivityOptions DrawWatch::options()
{
    return {m_interrupt.token(), [this](int done, int total) { show(done, total); }};
}

void DrawWatch::show(int done, int total)
{
    if (DrawClock::now() < m_due)
        return;
    m_due = DrawClock::now() + (m_isTerminal ? kDrawPatience / 5 : 2 * kDrawPatience);
    std::cerr << (m_isTerminal ? "\r\x1b[K" : "") << "drawing: " << done << '/' << total << " steps"
              << (m_isTerminal ? "" : "\n") << std::flush;
    m_isOpen = m_isTerminal;
}

void printSensitivity(std::ostream &out, const service::Sensitivity &sensitivity, const service::Prediction &prediction)
{
    const model::ParallelPlan &plan = prediction.experiment.parallel;
    if (plan.replicas > 1 && plan.reducesEagerly() && plan.shardGroups() == 1 &&
        model::changesTimes(prediction.experiment.whatIf))
        out << "\nReplicas exchange in every pass: each takes as long as in the slowest.\n";
    else if (plan.replicas > 1 && model::changesTimes(prediction.experiment.whatIf))
        out << "\nThe figures above are of replica " << prediction.timeline->replica << ", which ends last.\n";
    printParts(out, sensitivity);
    if (sensitivity.jitter)
        printJitter(out, *sensitivity.jitter);
    if (sensitivity.failures)
        printFailures(out, *sensitivity.failures, prediction.experiment.whatIf);
}

void addSensitivity(nlohmann::ordered_json &document, const service::Sensitivity &sensitivity,
                    const service::Prediction &prediction)
{
    if (!sensitivity.parts.empty())
        document["what_if"] = partsJson(sensitivity, prediction);
    if (sensitivity.jitter) {
        Json &metrics = document["metrics"];
        const simulate::JitterResult &jitter = *sensitivity.jitter;
        metrics["makespan_quantiles_ns"] = quantilesJson(jitter.makespan);
        metrics["iteration_quantiles_ns"] = quantilesJson(jitter.iteration);
        metrics["critical_share_per_device"] = jitter.criticalShare;
        metrics["sensitivity_per_device"] = jitter.sensitivity;
        metrics["draws"] = jitter.draws;
        metrics["draws_seed"] = jitter.seed;
    }
    if (const auto &failures = sensitivity.failures)
        document["failures"] = {{"optimum_seconds", failures->optimum},
                                {"checkpoint_steps", failures->steps},
                                {"period_seconds", failures->period},
                                {"lost_seconds_per_failure", failures->lostPerFailure},
                                {"goodput", failures->goodput}};
}

} // namespace stagelens::cli
