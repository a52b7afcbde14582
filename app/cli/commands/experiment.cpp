// `experiment`: the complete, resolved document of a plan.
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/service/engine_service.h"

#include <iostream>

namespace stagelens::cli {

namespace {

/// "model.layers  8" and so on for every member of the document.
void addLeaves(const nlohmann::ordered_json &json, const std::string &path, Table &table)
{
    for (const auto &[key, value] : json.items()) {
        const std::string name = path.empty() ? key : path + '.' + key;
        if (value.is_object() && !value.empty())
            addLeaves(value, name, table);
        else
            table.add({name, fieldText(name, value)});
    }
}

int print(const ExperimentArguments &arguments, const std::string &output, bool asJson)
{
    if (const auto allowed = requireOutput(output, {}); !allowed)
        return fail(allowed.error());
    // A plan is complete only if its family can carry it.
    const auto prediction = predictionOf(arguments);
    if (!prediction)
        return fail(prediction.error());
    const model::Experiment &experiment = (*prediction)->experiment;
    const bool isPrinted = output == "-";
    if (!output.empty() && !isPrinted) {
        if (const auto saved = model::saveExperiment(experiment, output); !saved)
            return fail(saved.error());
    }
    if (asJson || isPrinted) {
        printJson(model::toJson(experiment));
    } else if (output.empty()) {
        Table table({"", ""});
        addLeaves(model::toJson(experiment), "", table);
        table.print(std::cout);
    }
    return kDone;
}

} // namespace

void addExperiment(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("experiment", "print the complete plan that a file and options mean");
    const auto arguments = addExperimentArguments(*command);
    const auto output = std::make_shared<std::string>();
    const auto asJson = std::make_shared<bool>(false);
    command->add_option("-o,--output", *output, "save it as an experiment file; - is standard output")
        ->type_name("FILE")
        ->check(notEmpty());
    command->add_flag("--json", *asJson, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return print(*arguments, *output, *asJson); }; });
}

} // namespace stagelens::cli
