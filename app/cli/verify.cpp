// `verify`: one step under the schedule against an unpartitioned reference.
#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/base/text.h"
#include "engine/runtime/training_run.h"
#include "engine/service/engine_service.h"

#include <iomanip>
#include <iostream>
#include <sstream>

namespace stagelens::cli {

namespace {

using runtime::Verification;

std::string scientific(double value)
{
    std::ostringstream text;
    text << std::scientific << std::setprecision(2) << value;
    return text.str();
}

nlohmann::ordered_json verificationJson(const Verification &found)
{
    auto gradients = nlohmann::ordered_json::array();
    for (const runtime::GradientError &gradient : found.gradients)
        gradients.push_back({{"parameter", gradient.parameter}, {"relative_error", gradient.relative}});
    return {{"holds", found.holds()},
            {"tolerance", Verification::kTolerance},
            {"steps", found.steps},
            {"loss", found.loss},
            {"reference_loss", found.referenceLoss},
            {"worst_relative_error", found.worst()},
            {"gradients", std::move(gradients)}};
}

void print(const Verification &found)
{
    Table table({found.steps == 1 ? "gradient" : "gradient and updated weights", "relative error"});
    for (const runtime::GradientError &gradient : found.gradients)
        table.add({gradient.parameter, scientific(gradient.relative)});
    table.print(std::cout);
    std::cout << (found.steps == 1 ? "\n" : base::concat("\nafter ", found.steps, " steps with their updates: ")) << "loss "
              << base::fixedText(found.loss, 7) << ", reference " << base::fixedText(found.referenceLoss, 7)
              << "; worst relative error " << scientific(found.worst()) << " (tolerance "
              << scientific(Verification::kTolerance) << "): " << (found.holds() ? "holds" : "DOES NOT HOLD") << '\n';
}

base::Result<Verification> verifyPlan(const ExperimentArguments &arguments)
{
    const auto given = chosenExperimentOf(arguments, service::Purpose::Train);
    if (!given)
        return given.error();
    if (!given->hasModel)
        return base::Error::invalid("model", "given durations have no model to compute with; name --model or --layers");
    const model::Experiment experiment = model::resolved(*given, service::machineCores());
    const auto schedule = service::scheduleOf(experiment);
    if (!schedule)
        return schedule.error();
    // It leaves nothing behind: an interrupt may end the program at once, in the middle of a product of the reference.
    return runtime::verify(experiment, *schedule, {});
}

int verify(const ExperimentArguments &arguments, bool kernels, bool asJson)
{
    if (kernels)
        return fail(
            base::Error::invalid("--kernels", "compares a GPU's kernels with the CPU's, and this version has no GPU backend"));
    const auto found = verifyPlan(arguments);
    if (!found)
        return fail(underOptions(found.error(), arguments));
    if (asJson)
        printJson(verificationJson(*found));
    else
        print(*found);
    return found->holds() ? kDone : kFailed;
}

} // namespace

void addVerify(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("verify", "compare one step with an unpartitioned reference");
    const auto arguments = addExperimentArguments(*command);
    const auto kernels = std::make_shared<bool>(false);
    const auto asJson = std::make_shared<bool>(false);
    command->add_flag("--kernels", *kernels)->group("");
    command->add_flag("--json", *asJson, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return verify(*arguments, *kernels, *asJson); }; });
}

} // namespace stagelens::cli
