// `verify`: one step under the schedule against an unpartitioned reference.
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/base/text.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/training/training_run.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"

#include <algorithm>
#include <fmt/format.h>
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
    nlohmann::ordered_json json{{"holds", found.holds()},
                                {"tolerance", found.tolerance},
                                {"steps", found.steps},
                                {"loss", found.loss},
                                {"reference_loss", found.referenceLoss},
                                {"worst_relative_error", found.worst()},
                                {"gradients", std::move(gradients)}};
    if (found.replicas > 1)
        json["replicas_alone"] = found.replicas;
    return json;
}

void print(const Verification &found)
{
    Table table({found.replicas > 1 ? "gradients, updates and average of replicas"
                 : found.steps == 1 ? "gradient"
                                    : "gradient and updated weights",
                 found.replicas > 1 ? "greatest relative error" : "relative error"});
    for (const runtime::GradientError &gradient : found.gradients)
        table.add({gradient.parameter, scientific(gradient.relative)});
    table.print(std::cout);
    std::cout << (found.steps == 1 ? "\n" : fmt::format("\nafter {} steps with their updates: ", found.steps)) << "loss "
              << base::fixedText(found.loss, 7) << ", reference " << base::fixedText(found.referenceLoss, 7)
              << "; worst relative error " << scientific(found.worst()) << " (tolerance " << scientific(found.tolerance)
              << "): " << (found.holds() ? "holds" : "DOES NOT HOLD") << '\n';
}

base::Result<Verification> verifyPlan(const ExperimentArguments &arguments)
{
    const auto given = chosenExperimentOf(arguments, service::Purpose::Train);
    if (!given)
        return given.error();
    if (!given->hasModel)
        return base::Error::invalid("model", "given durations have no model to compute with; name --model or --layers");
    const model::Experiment experiment = operators::resolved(*given, service::machineCores());
    const auto schedule = service::scheduleOf(experiment);
    if (!schedule)
        return schedule.error();
    // It leaves nothing behind: an interrupt may end the program at once, in the middle of a product of the reference.
    return runtime::verify(experiment, *schedule, {});
}

nlohmann::ordered_json checksJson(const std::vector<backend::KernelCheck> &checks, bool holds)
{
    auto kernels = nlohmann::ordered_json::array();
    for (const backend::KernelCheck &check : checks) {
        kernels.push_back({{"kernel", check.kernel},
                           {"type", check.type},
                           {"shape", check.shape},
                           {"error", check.error},
                           {"bound", check.bound},
                           {"holds", check.holds()}});
        if (!check.fault.empty())
            kernels.back()["fault"] = check.fault;
    }
    return {{"holds", holds}, {"kernels", std::move(kernels)}};
}

/// The kernels of the first GPU against the processor's.
int verifyKernels(bool large, bool asJson)
{
    if (const std::string problem = runtime::backendProblem("cuda"); !problem.empty())
        return fail(base::Error::invalid(
            "--kernels", "compares a GPU's kernels with the processor's, but cuda is not available: " + problem));
    const auto checks = runtime::checkKernels(large);
    if (!checks)
        return fail(checks.error());
    const bool holds = std::ranges::all_of(*checks, &backend::KernelCheck::holds);
    if (asJson) {
        printJson(checksJson(*checks, holds));
        return holds ? kDone : kFailed;
    }
    Table table({"kernel", "elements", "shape", "error", "bound", ""});
    for (const backend::KernelCheck &check : *checks)
        table.add({check.kernel, check.type, check.shape, scientific(check.error), scientific(check.bound),
                   check.holds() ? "" : "DOES NOT HOLD " + check.fault});
    table.print(std::cout);
    return holds ? kDone : kFailed;
}

struct VerifyArguments {
    bool kernels = false;
    bool small = false;
    bool asJson = false;
};

int verify(const ExperimentArguments &arguments, const VerifyArguments &given)
{
    if (given.kernels)
        return verifyKernels(!given.small, given.asJson);
    const auto found = verifyPlan(arguments);
    if (!found)
        return fail(underOptions(found.error(), arguments));
    if (given.asJson)
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
    const auto given = std::make_shared<VerifyArguments>();
    CLI::Option *kernels =
        command->add_flag("--kernels", given->kernels, "compare each kernel of the first GPU with the processor's instead");
    command->add_flag("--small", given->small, "with small shapes alone, for tools that slow kernels down")->needs(kernels);
    command->add_flag("--json", given->asJson, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return verify(*arguments, *given); }; });
}

} // namespace stagelens::cli
