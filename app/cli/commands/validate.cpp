// `validate`: is a schedule complete, in order and free of deadlock?
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/usage.h"
#include "engine/base/file.h"
#include "engine/base/printable.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"
#include "engine/model/json_reader.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/check/validator.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"

#include <iostream>

namespace stagelens::cli {

namespace {

using schedule::Violation;

/// The schedule on standard input as it stands, without a model and with as many devices and microbatches as it has.
base::Result<service::CheckedSchedule> checkedInput(schedule::Sends sends)
{
    auto text = base::readStandardInput(model::kLargestDocument);
    if (!text)
        return text.error();
    if (text->empty())
        return base::Error::invalid("--schedule-file", "standard input is empty; it should hold a schedule");
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = 0;
    experiment.parallel.microbatches = 0;
    model::chooseFamily(experiment.schedule, model::kCustomFamily);
    experiment.schedule.text = model::documentText(*std::move(text));
    return service::checkedSchedule(experiment, sends);
}

base::Result<service::CheckedSchedule> check(const ExperimentArguments &arguments, schedule::Sends sends)
{
    // A custom schedule is checked as it stands, unless something else of the plan is to be held against it.
    const auto file = arguments.given.find("--schedule-file");
    if (file != arguments.given.end() && arguments.given.size() == 1 && arguments.file.empty())
        return file->second == "-" ? checkedInput(sends) : service::checkedFile(file->second, sends);
    const auto experiment = chosenExperimentOf(arguments, service::Purpose::Predict);
    if (!experiment)
        return experiment.error();
    return service::checkedSchedule(operators::resolved(*experiment, service::machineCores()), sends);
}

void addPlace(nlohmann::ordered_json &row, const service::CheckedSchedule &checked, int device, std::size_t position)
{
    if (!checked.isFromFile)
        return;
    const auto place = checked.file.placeOf(device, position);
    row[checked.file.csv ? "row" : "line"] = place.row;
    row[checked.file.csv ? "column" : "word"] = place.column;
}

nlohmann::ordered_json violationsJson(const service::CheckedSchedule &checked)
{
    auto json = nlohmann::ordered_json::array();
    for (const Violation &violation : checked.violations) {
        auto &row = json.emplace_back(nlohmann::ordered_json{
            {"kind", schedule::name(violation.kind)}, {"device", violation.device}, {"position", violation.position}});
        addPlace(row, checked, violation.device, violation.position);
        row["cause"] = violation.cause;
        row["remedy"] = violation.remedy;
    }
    return json;
}

/// Of a sound schedule what a run of it changes, each with its place.
nlohmann::ordered_json remarksJson(const service::CheckedSchedule &checked, const std::optional<schedule::OrderRemark> &remark)
{
    auto json = nlohmann::ordered_json::array();
    if (!remark)
        return json;
    auto &row = json.emplace_back(
        nlohmann::ordered_json{{"kind", "accumulation-order"}, {"device", remark->device}, {"position", remark->position}});
    addPlace(row, checked, remark->device, remark->position);
    row["remark"] = schedule::text(*remark);
    return json;
}

int validate(const ExperimentArguments &arguments, schedule::Sends sends, bool asJson)
{
    const auto checked = check(arguments, sends);
    if (!checked)
        return fail(underOptions(checked.error(), arguments));
    const std::vector<Violation> &violations = checked->violations;
    const schedule::Schedule &schedule = checked->file.schedule;
    const auto remark = violations.empty() ? schedule::accumulationOrder(schedule) : std::nullopt;
    if (asJson) {
        printJson({{"valid", violations.empty()},
                   {"passes", schedule.passCount()},
                   {"violations", violationsJson(*checked)},
                   {"remarks", remarksJson(*checked, remark)}});
    } else {
        for (const Violation &violation : violations)
            std::cout << "device " << violation.device << ", position " << violation.position
                      << (checked->isFromFile ? " (" + checked->file.placeText(violation.device, violation.position) + ")"
                                              : std::string())
                      << ": " << base::printable(violation.cause) << "; " << base::printable(violation.remedy) << '\n';
        if (violations.empty())
            std::cout << "valid: " << schedule.passCount() << " passes on " << schedule.devices() << " devices\n";
        if (remark)
            std::cout << "remark: " << schedule::text(*remark) << '\n';
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
    const auto sends = std::make_shared<std::string>("buffered");
    command->add_option("--sends", *sends, "when a send is over (default: buffered)")
        ->option_text("buffered|blocking")
        ->check(oneOf({"buffered", "blocking"}));
    command->callback([=, &chosen] {
        chosen = [=] {
            const auto over = *sends == "blocking" ? schedule::Sends::Blocking : schedule::Sends::Buffered;
            return validate(*arguments, over, *asJson);
        };
    });
}

} // namespace stagelens::cli
