// stagelens-cli: the headless twin of the window.
#include "app/cli/commands/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/usage.h"
#include "engine/base/exception_text.h"
#include "engine/base/log.h"
#include "engine/base/printable.h"
#include "engine/runtime/worker/worker.h"
#include "engine/service/machine/machines.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace {

using namespace stagelens::cli;

/// Remarks of the engine stand beside the results, never among them.
void logToStandardError(stagelens::base::LogLevel level, std::string_view message)
{
    if (level != stagelens::base::LogLevel::Debug)
        std::cerr << stagelens::base::printable(message) << '\n';
}

int readAndRun(int argc, char **argv)
{
    CLI::App app("Predicts, trains, checks and compares pipeline-parallel training schedules.", "stagelens-cli");
    app.require_subcommand(1);
    app.set_version_flag("--version", "stagelens-cli " STAGELENS_VERSION);
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    Action chosen;
    for (const auto add :
         {addList, addExperiment, addHardware, addPlan, addOptimum, addSimulate, addLevers, addCut, addVocabulary, addValidate,
          addRun, addVerify, addCompare, addRuns, addImport, addExport, addBench, addCalibrate, addDb})
        add(app, chosen);
    // For the programs themselves, not for people.
    app.add_subcommand(stagelens::runtime::kWorkerCommand)->group("")->callback([&chosen] {
        chosen = [] { return stagelens::runtime::work(stagelens::service::describeMachine, [] { _exit(kFailed); }); };
    });
    try {
        refuseBareEquals({argv + 1, argv + argc});
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() == 0) // it asked for help or the version
            return app.exit(error);
        std::cerr << usageProblems(app, error);
        return kInvalidInput;
    }
    return chosen();
}

/// Whether who read our output has left, as `head` does, and wants to hear no more.
bool isReaderGone()
{
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

} // namespace

int main(int argc, char **argv)
{
    handleInterrupts();
    stagelens::base::setLogSink(logToStandardError);
    try {
        const int status = readAndRun(argc, argv);
        std::cout.flush();
        if (!std::cout) {
            if (!isReaderGone())
                std::cerr << "standard output: could not be written; is the disk full?\n";
            return kFailed;
        }
        return status;
    } catch (const std::exception &error) {
        if (stagelens::base::isLackOfResources(error))
            std::cerr << stagelens::base::exceptionText(error) << '\n';
        else
            std::cerr << "unexpected failure: " << stagelens::base::printable(error.what())
                      << "; please report it with the command that led to it\n";
        return kFailed;
    }
}
