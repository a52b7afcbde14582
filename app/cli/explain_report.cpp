#include "app/cli/explain_report.h"

#include "app/cli/table.h"
#include "engine/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace stagelens::cli {
namespace {

using base::Nanos;
using simulate::IdleCause;
using simulate::PathStep;

double shareOf(Nanos part, Nanos whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

Nanos sumOf(const simulate::IdleTotals &totals)
{
    return std::accumulate(totals.begin(), totals.end(), Nanos{0});
}

std::string heading(IdleCause cause)
{
    std::string words(simulate::name(cause));
    std::ranges::replace(words, '_', '-');
    return words;
}

/// A line for each device, a column for each cause that occurs.
void printIdleTime(std::ostream &out, const simulate::IdleCauses &idle)
{
    std::vector<std::string> header{"device"};
    std::vector<std::size_t> occurring;
    for (std::size_t cause = 0; cause < idle.total.size(); ++cause) {
        if (idle.total[cause] == 0)
            continue;
        occurring.push_back(cause);
        header.push_back(heading(static_cast<IdleCause>(cause)));
    }
    if (occurring.empty()) {
        out << "No device is ever idle.\n";
        return;
    }
    header.emplace_back("idle");
    Table table(std::move(header));
    const auto add = [&](std::string name, const simulate::IdleTotals &totals) {
        std::vector<std::string> row{std::move(name)};
        for (const std::size_t cause : occurring)
            row.push_back(totals[cause] == 0 ? "-" : timeText(totals[cause]));
        row.push_back(timeText(sumOf(totals)));
        table.add(std::move(row));
    };
    for (std::size_t device = 0; device < idle.perDevice.size(); ++device)
        add(std::to_string(device), idle.perDevice[device]);
    add("all", idle.total);
    out << "Idle time by cause:\n";
    table.print(out);
}

void printSplit(std::ostream &out, const simulate::BubbleCauses &split)
{
    const Nanos whole =
        split.slowParts + split.communication + split.vocabularyLayers + split.unequalStages + split.fillAndDrain;
    Table table({"", "", ""});
    const auto add = [&](const char *name, Nanos part) {
        table.add({name, timeText(part), percentText(shareOf(part, whole))});
    };
    if (split.slowParts > 0)
        add("slow parts (what-ifs)", split.slowParts);
    add("barriers and messages", split.communication);
    add("vocabulary layers", split.vocabularyLayers);
    add("unequal stages", split.unequalStages);
    add("fill and drain", split.fillAndDrain);
    out << "\nWhat the bubble would lose without (removed in this order, simulated again each time):\n";
    table.print(out);
}

std::string stepName(const PathStep &step, const timeline::Timeline &timeline)
{
    switch (step.kind) {
    case PathStep::Kind::Pass:
        return std::string(
            schedule::name(timeline.lanes[static_cast<std::size_t>(step.slice.device)].pass[step.slice.index].kind));
    case PathStep::Kind::Transfer:
        return step.transfer == schedule::Transfer::Send    ? "messages"
               : step.transfer == schedule::Transfer::Local ? "between steps"
                                                            : "barriers";
    case PathStep::Kind::Overhead: break;
    }
    return "overhead";
}

/// "F 32.0 %, B 51.0 %": the greatest first.
std::string sharesText(const std::map<std::string, Nanos> &parts, Nanos whole)
{
    std::vector<std::pair<std::string, Nanos>> sorted(parts.begin(), parts.end());
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<std::string, Nanos>::second);
    std::vector<std::string> words;
    for (const auto &[name, part] : sorted)
        words.push_back(name + ' ' + percentText(shareOf(part, whole)));
    return base::join(words, ", ");
}

void printPath(std::ostream &out, const simulate::CriticalPath &path, const timeline::Timeline &timeline)
{
    std::map<std::string, Nanos> byKind;
    std::map<std::string, Nanos> byDevice;
    std::size_t passes = 0;
    for (const PathStep &step : path.steps) {
        if (const Nanos length = step.end - step.begin; length > 0) {
            byKind[stepName(step, timeline)] += length;
            if (step.kind == PathStep::Kind::Pass)
                byDevice[fmt::format("device {}", step.slice.device)] += length;
        }
        passes += step.kind == PathStep::Kind::Pass ? 1 : 0;
    }
    std::size_t withoutSlack = 0;
    for (const simulate::LaneWaits &lane : path.lanes)
        withoutSlack += static_cast<std::size_t>(std::ranges::count(lane.slack, 0));
    out << "\nCritical path: " << timeText(timeline.makespan()) << ", " << passes << " passes; " << withoutSlack << " of "
        << timeline.sliceCount() << " passes have no slack\n  " << sharesText(byKind, timeline.makespan()) << "\n  "
        << sharesText(byDevice, timeline.makespan()) << '\n';
}

void printBound(std::ostream &out, const simulate::Metrics &metrics)
{
    if (!metrics.lowerBound)
        return;
    const Nanos above = metrics.makespan - *metrics.lowerBound;
    out << "\nLower bound: " << timeText(*metrics.lowerBound);
    if (above > 0)
        out << "; the makespan is " << timeText(above) << " (" << percentText(shareOf(above, *metrics.lowerBound))
            << ") above it\n";
    else
        out << "; no order of these passes takes less time\n";
}

} // namespace

void printExplanation(std::ostream &out, const service::Prediction &prediction, const simulate::Explanation &explanation,
                      const simulate::BubbleCauses &split)
{
    printIdleTime(out, explanation.idle);
    printSplit(out, split);
    printPath(out, explanation.path, *prediction.timeline);
    printBound(out, prediction.metrics);
}

} // namespace stagelens::cli
