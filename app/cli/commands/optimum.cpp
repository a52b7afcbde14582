// `optimum`: how far is each schedule from the best order of its passes?
#include "engine/service/search/optimum.h"
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/search_watch.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/model/family_shape.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace stagelens::cli {

namespace {

struct OptimumWishes {
    int seconds = 60;
    bool json = false;
};

nlohmann::ordered_json documentOf(const std::vector<service::OptimumRow> &rows)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const service::OptimumRow &row : rows) {
        nlohmann::ordered_json each{{"schedule", row.family}};
        if (row.makespan > 0) {
            each["makespan_ns"] = row.makespan;
            each["peak_activations"] = row.peaks;
        }
        if (row.problem.empty()) {
            each["optimum_ns"] = row.optimum.makespan;
            each["lower_bound_ns"] = row.optimum.lowerBound;
            each["proven"] = row.optimum.isProven();
            each["nodes"] = row.optimum.nodes;
        } else {
            each["problem"] = row.problem;
        }
        list.push_back(std::move(each));
    }
    return {{"stagelens", "optima/1"}, {"schedules", std::move(list)}};
}

void printText(const std::vector<service::OptimumRow> &rows)
{
    Table table({"schedule", "activations", "makespan", "best order", "above", ""});
    base::Problems left;
    for (const service::OptimumRow &row : rows) {
        if (!row.problem.empty()) {
            left.push_back({row.family, row.problem});
            continue;
        }
        const simulate::Optimum &best = row.optimum;
        table.add({row.family, std::to_string(std::ranges::max(row.peaks)), timeText(row.makespan), timeText(best.makespan),
                   gapText(row.makespan, best.makespan),
                   best.isProven() ? "proven" : fmt::format("at least {}", timeText(best.lowerBound))});
    }
    table.print(std::cout);
    std::cout << "\nactivations: most that a device holds, in stages; the best order of the same passes holds no more on any "
                 "device.\n";
    for (const base::Problem &each : left)
        std::cout << "Left out: " << each.field << ": " << each.message << '\n';
}

int optimum(const ExperimentArguments &arguments, const OptimumWishes &wishes)
{
    const auto experiment = experimentOf(arguments);
    if (!experiment)
        return fail(experiment.error());
    model::Experiment searching = *experiment;
    searching.schedule.family = model::kAutomaticFamily;
    SearchWatch watch(searching);
    const auto rows = service::compareWithOptima(*experiment, std::chrono::seconds(wishes.seconds), watch.options());
    if (!rows)
        return fail(underOptions(rows.error(), arguments));
    if (wishes.json)
        printJson(documentOf(*rows));
    else
        printText(*rows);
    return kDone;
}

} // namespace

void addOptimum(CLI::App &app, Action &chosen)
{
    CLI::App *command =
        app.add_subcommand("optimum", "how far each schedule is from the best order of its passes (small plans)");
    const auto arguments = addExperimentArguments(*command);
    const auto wishes = std::make_shared<OptimumWishes>();
    command->add_option("--seconds", wishes->seconds, "time for all searches together; 60")
        ->transform(wholeNumberFrom(1))
        ->type_name("N");
    command->add_flag("--json", wishes->json, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return optimum(*arguments, *wishes); }; });
}

} // namespace stagelens::cli
