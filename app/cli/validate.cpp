// `validate`: is a schedule complete, in order and free of deadlock?
#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "engine/schedule/validator.h"
#include "engine/service/engine_service.h"
#include "engine/service/schedule_plan.h"

#include <iostream>
#include <map>

namespace stagelens::cli {

namespace {

using schedule::Violation;

base::Result<service::CheckedSchedule> check(const ExperimentArguments &arguments, schedule::Sends sends)
{
    // A custom schedule is checked as it stands, unless something else of the plan is to be held against it.
    const auto file = arguments.given.find("--schedule-file");
    if (file != arguments.given.end() && arguments.given.size() == 1 && arguments.file.empty())
        return service::checkedFile(file->second, sends);
    const auto experiment = chosenExperimentOf(arguments, service::Purpose::Predict);
    if (!experiment)
        return experiment.error();
    return service::checkedSchedule(model::resolved(*experiment, service::machineCores()), sends);
}

nlohmann::ordered_json violationsJson(const service::CheckedSchedule &checked)
{
    auto json = nlohmann::ordered_json::array();
    for (const Violation &violation : checked.violations) {
        auto &row = json.emplace_back(nlohmann::ordered_json{
            {"kind", schedule::name(violation.kind)}, {"device", violation.device}, {"position", violation.position}});
        if (checked.isFromFile) {
            const auto place = checked.file.placeOf(violation.device, violation.position);
            row[checked.file.csv ? "row" : "line"] = place.row;
            row[checked.file.csv ? "column" : "word"] = place.column;
        }
        row["cause"] = violation.cause;
        row["remedy"] = violation.remedy;
    }
    return json;
}

int validate(const ExperimentArguments &arguments, schedule::Sends sends, bool asJson)
{
    const auto checked = check(arguments, sends);
    if (!checked)
        return fail(underOptions(checked.error(), arguments));
    const std::vector<Violation> &violations = checked->violations;
    const schedule::Schedule &schedule = checked->file.schedule;
    if (asJson) {
        printJson({{"valid", violations.empty()}, {"passes", schedule.passCount()}, {"violations", violationsJson(*checked)}});
    } else {
        for (const Violation &violation : violations)
            std::cout << "device " << violation.device << ", position " << violation.position
                      << (checked->isFromFile ? " (" + checked->file.placeText(violation.device, violation.position) + ")"
                                              : std::string())
                      << ": " << violation.cause << "; " << violation.remedy << '\n';
        if (violations.empty())
            std::cout << "valid: " << schedule.passCount() << " passes on " << schedule.devices() << " devices\n";
    }
    return violations.empty() ? kDone : kFailed;
}

} // namespace

void addValidate(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("validate", "check a schedule for completeness, order and deadlock");
    const auto arguments = addExperimentArguments(*command);
    const auto asJson = std::make_shared<bool>(false);
    command->add_flag("--json", *asJson, "print one JSON document");
    const auto sends = std::make_shared<schedule::Sends>(schedule::Sends::Buffered);
    command->add_option("--sends", *sends, "when a send is over (default: buffered)")
        ->option_text("buffered|blocking")
        ->transform(CLI::CheckedTransformer(std::map<std::string, schedule::Sends>{{"buffered", schedule::Sends::Buffered},
                                                                                   {"blocking", schedule::Sends::Blocking}}));
    command->callback([=, &chosen] { chosen = [=] { return validate(*arguments, *sends, *asJson); }; });
}

} // namespace stagelens::cli
