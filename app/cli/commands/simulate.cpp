// `simulate`: the prediction of a plan.
#include "app/cli/commands/commands.h"
#include "app/cli/explain_report.h"
#include "app/cli/front.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "engine/base/printable.h"
#include "engine/exchange/timeline_json.h"
#include "engine/service/engine_service.h"

#include <iostream>

namespace stagelens::cli {

namespace {

/// What the person wants to see of a prediction.
struct Wishes {
    bool json = false;
    bool slices = false;
    bool explanation = false;
};

int print(const service::Prediction &prediction, const simulate::Explanation &explanation, const Wishes &wishes)
{
    if (wishes.json) {
        auto document = exchange::timelineDocument(prediction.experiment, *prediction.timeline, prediction.metrics,
                                                   wishes.slices, &explanation);
        if (prediction.search)
            document["front"] = frontJson(*prediction.search);
        printJson(document);
        return kDone;
    }
    if (prediction.search) {
        printFront(std::cout, *prediction.search);
        std::cout << '\n';
    }
    std::cout << "Predicted for " << base::printable(prediction.costName) << ": " << planText(prediction.experiment) << "\n\n";
    printMetrics(std::cout, prediction.metrics, *prediction.timeline);
    if (wishes.explanation) {
        std::cout << '\n';
        printExplanation(std::cout, prediction, explanation, service::splitBubble(prediction));
    }
    if (wishes.slices)
        std::cout << '\n' << exchange::timelineCsv(*prediction.timeline);
    return kDone;
}

int simulate(const ExperimentArguments &arguments, const Wishes &wishes)
{
    const auto prediction = predictionOf(arguments);
    if (!prediction)
        return fail(prediction.error());
    const auto explanation = service::explain(**prediction);
    return explanation ? print(**prediction, *explanation, wishes) : fail(explanation.error());
}

} // namespace

void addSimulate(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("simulate", "predict iteration time, bubble and memory");
    const auto arguments = addExperimentArguments(*command);
    const auto wishes = std::make_shared<Wishes>();
    command->add_flag("--json", wishes->json, "print one JSON document");
    command->add_flag("--timeline", wishes->slices, "add every pass with its begin and end");
    command->add_flag("--explain", wishes->explanation, "say why the devices idle, and what the critical path is");
    command->callback([=, &chosen] { chosen = [=] { return simulate(*arguments, *wishes); }; });
}

} // namespace stagelens::cli
