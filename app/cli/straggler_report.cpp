#include "app/cli/straggler_report.h"

#include "app/cli/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;
using simulate::kJobOperations;
using simulate::kJobOperationTraits;
using simulate::StragglerPart;
using simulate::StragglerReport;

constexpr std::size_t kShownWorkers = 10;

/// What rounds to nothing has no sign.
std::string shareText(const std::optional<double> &share)
{
    return share ? percentText(std::abs(*share) < 0.0005 ? 0 : *share) : "-";
}

std::string factorText(double factor)
{
    return fmt::format("{:.3f}", factor);
}

std::string workerText(const simulate::StragglerWorker &worker)
{
    return fmt::format("device {} of replica {}", worker.device, worker.replica);
}

Json rounded(double nanos)
{
    return std::llround(nanos);
}

Json shareJson(const std::optional<double> &share)
{
    return share ? Json(*share) : Json();
}

/// The members that every part has, behind its own.
Json partJson(Json own, const StragglerPart &part)
{
    own["step_if_fixed_ns"] = rounded(part.fixed);
    own["recovered"] = shareJson(part.recovered);
    own["slowdown_alone"] = part.slowdown;
    return own;
}

Table partTable(const char *what)
{
    return Table({what, "step if it were fixed", "recovers", "slow-down by it alone"});
}

void addPart(Table &table, const std::string &name, const StragglerPart &part)
{
    table.add({name, nanosText(part.fixed), shareText(part.recovered), factorText(part.slowdown)});
}

void printOperations(std::ostream &out, const StragglerReport &report)
{
    Table table({"operation", "evened duration", "step if it were fixed", "recovers", "slow-down by it alone"});
    for (std::size_t kind = 0; kind < kJobOperations; ++kind)
        if (const auto &part = report.operations[kind])
            table.add({std::string(kJobOperationTraits[kind].name), nanosText(report.evened[kind].value_or(0)),
                       nanosText(part->fixed), shareText(part->recovered), factorText(part->slowdown)});
    table.print(out);
}

} // namespace

void printStragglers(std::ostream &out, const service::StragglerAnalysis &analysis)
{
    const StragglerReport &report = analysis.report;
    out << fmt::format("{} devices x {} replicas, {} microbatches each, {} steps, {} operations\n", analysis.devices,
                       analysis.replicas, analysis.microbatches, report.steps.size(), analysis.operations);
    out << "step " << nanosText(report.measured) << " measured, " << nanosText(report.actual) << " replayed, "
        << nanosText(report.ideal) << " with evened durations: slow-down " << factorText(report.slowdown) << '\n';
    if (analysis.skewedMessages > 0)
        out << analysis.skewedMessages << " messages end before they begin by the clocks of their workers; they count as 0\n";
    out << "\nFixed: a part takes evened durations, the others what they took. Alone: only the part takes what it took.\n";
    Table table = partTable("part");
    for (std::size_t device = 0; device < report.devices.size(); ++device)
        addPart(table, fmt::format("device {}", device), report.devices[device]);
    for (std::size_t replica = 0; replica < report.replicas.size() && report.replicas.size() > 1; ++replica)
        addPart(table, fmt::format("replica {}", replica), report.replicas[replica]);
    table.print(out);
    out << '\n';
    printOperations(out, report);
    out << '\n';
    Table workers = partTable("worker");
    for (std::size_t i = 0; i < std::min(report.workers.size(), kShownWorkers); ++i)
        addPart(workers, workerText(report.workers[i]), report.workers[i].part);
    workers.print(out);
    out << fmt::format("\nfixing the last device recovers {} (M_S), the slowest 3 % of the workers ({} of {}) {} (M_W)\n",
                       shareText(report.lastDeviceRecovered()), report.slowestWorkers, report.workerCount,
                       shareText(report.slowestRecovered));
}

Json stragglersJson(const service::StragglerAnalysis &analysis)
{
    const StragglerReport &report = analysis.report;
    Json document{{"devices", analysis.devices},
                  {"replicas", analysis.replicas},
                  {"microbatches", analysis.microbatches},
                  {"operations", analysis.operations},
                  {"skewed_messages", analysis.skewedMessages},
                  {"measured_ns", rounded(report.measured)},
                  {"actual_ns", rounded(report.actual)},
                  {"ideal_ns", rounded(report.ideal)},
                  {"slowdown", report.slowdown},
                  {"last_device_recovered", shareJson(report.lastDeviceRecovered())},
                  {"slowest_workers",
                   {{"count", report.slowestWorkers},
                    {"of", report.workerCount},
                    {"step_if_fixed_ns", rounded(report.slowestFixed)},
                    {"recovered", shareJson(report.slowestRecovered)}}},
                  {"by_device", Json::array()},
                  {"by_replica", Json::array()},
                  {"by_worker", Json::array()},
                  {"by_operation", Json::array()},
                  {"by_step", Json::array()}};
    for (std::size_t device = 0; device < report.devices.size(); ++device)
        document["by_device"].push_back(partJson({{"device", device}}, report.devices[device]));
    for (std::size_t replica = 0; replica < report.replicas.size(); ++replica)
        document["by_replica"].push_back(partJson({{"replica", replica}}, report.replicas[replica]));
    for (const simulate::StragglerWorker &worker : report.workers)
        document["by_worker"].push_back(partJson({{"replica", worker.replica}, {"device", worker.device}}, worker.part));
    for (std::size_t kind = 0; kind < kJobOperations; ++kind)
        if (const auto &part = report.operations[kind])
            document["by_operation"].push_back(partJson(
                {{"operation", kJobOperationTraits[kind].name}, {"evened_ns", rounded(report.evened[kind].value_or(0))}},
                *part));
    for (const simulate::StragglerStep &step : report.steps)
        document["by_step"].push_back({{"step", step.number},
                                       {"measured_ns", rounded(step.measured)},
                                       {"actual_ns", rounded(step.actual)},
                                       {"ideal_ns", rounded(step.ideal)}});
    return document;
}

} // namespace stagelens::cli
