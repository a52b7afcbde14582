// `simulate`: the prediction of a plan.
#include "app/cli/commands.h"
#include "app/cli/front.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "engine/exchange/timeline_json.h"
#include "engine/service/engine_service.h"

#include <iostream>

namespace stagelens::cli {

namespace {

int simulate(const ExperimentArguments &arguments, bool asJson, bool withSlices)
{
    const auto answer = predictionOf(arguments);
    if (!answer)
        return fail(answer.error());
    const service::Prediction &prediction = **answer;
    if (asJson) {
        auto document = exchange::timelineDocument(prediction.experiment, *prediction.timeline, prediction.metrics, withSlices);
        if (prediction.search)
            document["front"] = frontJson(*prediction.search);
        printJson(document);
        return kDone;
    }
    if (prediction.search) {
        printFront(std::cout, *prediction.search);
        std::cout << '\n';
    }
    std::cout << "Predicted for " << prediction.costName << ": " << planText(prediction.experiment) << "\n\n";
    printMetrics(std::cout, prediction.metrics, *prediction.timeline);
    if (withSlices)
        std::cout << '\n' << exchange::timelineCsv(*prediction.timeline);
    return kDone;
}

} // namespace

void addSimulate(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("simulate", "predict iteration time, bubble and memory");
    const auto arguments = addExperimentArguments(*command);
    const auto asJson = std::make_shared<bool>(false);
    const auto withSlices = std::make_shared<bool>(false);
    command->add_flag("--json", *asJson, "print one JSON document");
    command->add_flag("--timeline", *withSlices, "add every pass with its begin and end");
    command->callback([=, &chosen] { chosen = [=] { return simulate(*arguments, *asJson, *withSlices); }; });
}

} // namespace stagelens::cli
