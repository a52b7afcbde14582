// `levers`: what each change of a plan saves and costs.
#include "engine/service/search/levers.h"
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/search_watch.h"
#include "app/cli/table.h"
#include "engine/base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>

namespace stagelens::cli {

namespace {

using nlohmann::ordered_json;
using service::Lever;
using service::LeverBoard;

ordered_json leverJson(const Lever &lever, const LeverBoard &board)
{
    ordered_json row{
        {"kind", service::name(lever.kind)}, {"options", lever.options}, {"numbers", service::name(lever.numbers)}};
    const auto orNull = [](const auto &value) { return value ? ordered_json(*value) : ordered_json(); };
    row["iteration_ns"] = orNull(lever.iteration);
    row["peak_memory_bytes"] = orNull(lever.peakMemory);
    row["saved_bytes"] = lever.peakMemory ? ordered_json(board.peakMemory - *lever.peakMemory) : ordered_json();
    row["lost_ns"] = lever.iteration ? ordered_json(*lever.iteration - board.iteration) : ordered_json();
    row["front"] = lever.isOnFront;
    for (const base::Problem &problem : lever.refusal)
        row["problems"].push_back({{"field", problem.field}, {"message", problem.message}});
    return row;
}

ordered_json boardJson(const LeverBoard &board)
{
    ordered_json document{{"stagelens", "levers/1"},
                          {"iteration_ns", board.iteration},
                          {"peak_memory_bytes", board.peakMemory},
                          {"limit_bytes", board.limit ? ordered_json(*board.limit) : ordered_json()},
                          {"levers", ordered_json::array()},
                          {"combinations", ordered_json::array()}};
    for (const Lever &lever : board.levers)
        document["levers"].push_back(leverJson(lever, board));
    for (const Lever &lever : board.combinations) {
        ordered_json row = leverJson(lever, board);
        row.erase("kind");
        document["combinations"].push_back(std::move(row));
    }
    return document;
}

/// "-1.2 MiB", "+3.4 MiB" against the plan as it is.
std::string bytesChange(base::Bytes now, base::Bytes before)
{
    return fmt::format("{}{}", now < before ? "-" : "+", base::bytesText(std::abs(now - before)));
}

void addRow(Table &table, const Lever &lever, const LeverBoard &board)
{
    if (!lever.iteration || !lever.peakMemory) {
        const std::string cause =
            lever.refusal.empty() ? "" : fmt::format(" ({}: {})", lever.refusal.front().field, lever.refusal.front().message);
        table.add({"", "-", "-", "-", "-", "impossible", lever.options + cause});
        return;
    }
    const double change = static_cast<double>(*lever.iteration - board.iteration) / static_cast<double>(board.iteration);
    const bool fits = !board.limit || *lever.peakMemory <= *board.limit;
    table.add({lever.isOnFront ? "*" : "", base::bytesText(*lever.peakMemory) + (fits ? "" : " (too much)"),
               bytesChange(*lever.peakMemory, board.peakMemory), timeText(*lever.iteration),
               (change < 0 ? "" : "+") + percentText(change), std::string(service::name(lever.numbers)), lever.options});
}

void printBoard(std::ostream &out, const LeverBoard &board)
{
    out << "The plan takes " << timeText(board.iteration) << " and needs " << base::bytesText(board.peakMemory)
        << " on its fullest device";
    out << (board.limit ? ", which has " + base::bytesText(*board.limit) : std::string()) << ".\n\n";
    Table table({"", "fullest device", "change", "iteration", "change", "numbers", "lever"});
    for (const Lever &lever : board.levers)
        addRow(table, lever, board);
    for (const Lever &lever : board.combinations)
        addRow(table, lever, board);
    table.print(out);
    out << "\n* no other line is better in memory or time without a loss in the other or in the numbers. Predicted.\n";
}

int levers(const ExperimentArguments &arguments, bool json)
{
    const auto prediction = predictionOf(arguments);
    if (!prediction)
        return fail(prediction.error());
    SearchWatch watch;
    const auto board = service::leverBoard(**prediction, service::machineCores(), watch.options());
    if (!board)
        return fail(underOptions(board.error(), arguments));
    if (json)
        printJson(boardJson(*board));
    else
        printBoard(std::cout, *board);
    return kDone;
}

} // namespace

void addLevers(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("levers", "show what recomputation and other levers save and cost");
    const auto arguments = addExperimentArguments(*command);
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return levers(*arguments, *json); }; });
}

} // namespace stagelens::cli
