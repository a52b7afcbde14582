// `validate`: is a schedule complete, in order and free of deadlock?
#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/schedule/text_form.h"
#include "engine/schedule/validator.h"
#include "engine/service/engine_service.h"

#include <iostream>
#include <map>

namespace stagelens::cli {

namespace {

using schedule::Violation;

base::Result<schedule::Schedule> scheduleFromFile(const std::string &file)
{
    constexpr base::Bytes kLimit = 256 << 20;
    const auto text = base::readFile(file, kLimit);
    if (!text)
        return base::Error::invalid(text.error().problems);
    auto read = schedule::scheduleFromText(*text);
    if (read)
        return read;
    base::Problems problems = read.error().problems;
    for (base::Problem &problem : problems)
        problem = {"--schedule-file", problem.field.empty() ? problem.message : problem.field + ": " + problem.message};
    return base::Error::invalid(std::move(problems));
}

base::Result<schedule::Schedule> scheduleOf(ExperimentArguments arguments)
{
    // A custom schedule is checked as it stands; the plan it belongs to plays no part.
    if (const auto file = arguments.given.find("--schedule-file"); file != arguments.given.end())
        return scheduleFromFile(file->second);
    const auto experiment = chosenExperimentOf(arguments, service::Purpose::Predict);
    if (!experiment)
        return experiment.error();
    return service::scheduleOf(model::resolved(*experiment, service::machineCores()));
}

nlohmann::ordered_json violationsJson(const std::vector<Violation> &violations)
{
    auto json = nlohmann::ordered_json::array();
    for (const Violation &violation : violations)
        json.push_back({{"kind", schedule::name(violation.kind)},
                        {"device", violation.device},
                        {"position", violation.position},
                        {"cause", violation.cause},
                        {"remedy", violation.remedy}});
    return json;
}

int validate(const ExperimentArguments &arguments, schedule::Sends sends, bool asJson)
{
    const auto schedule = scheduleOf(arguments);
    if (!schedule)
        return fail(schedule.error());
    const std::vector<Violation> violations = schedule::findViolations(*schedule, {.sends = sends});
    if (asJson) {
        printJson(
            {{"valid", violations.empty()}, {"passes", schedule->passCount()}, {"violations", violationsJson(violations)}});
    } else {
        for (const Violation &violation : violations)
            std::cout << "device " << violation.device << ", position " << violation.position << ": " << violation.cause << "; "
                      << violation.remedy << '\n';
        if (violations.empty())
            std::cout << "valid: " << schedule->passCount() << " passes on " << schedule->devices() << " devices\n";
    }
    return violations.empty() ? kDone : kFailed;
}

} // namespace

void addValidate(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("validate", "check a schedule for completeness, order and deadlock");
    const auto arguments = addExperimentArguments(*command);
    command->get_option("--schedule-file")->description("check this schedule (Stagelens' text form)")->group("Schedule");
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
