// stagelens-cli: the headless twin of the window.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "engine/base/log.h"
#include "engine/runtime/worker.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string_view>

namespace {

/// Remarks of the engine stand beside the results, never among them.
void logToStandardError(stagelens::base::LogLevel level, std::string_view message)
{
    if (level != stagelens::base::LogLevel::Debug)
        std::cerr << message << '\n';
}

int readAndRun(int argc, char **argv)
{
    using namespace stagelens::cli;
    CLI::App app("Predicts, trains, checks and compares pipeline-parallel training schedules.", "stagelens-cli");
    app.require_subcommand(1);
    app.set_version_flag("--version", "stagelens-cli " STAGELENS_VERSION);
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    Action chosen;
    for (const auto add :
         {addList, addExperiment, addSimulate, addValidate, addRun, addVerify, addCompare, addRuns, addExport, addBench, addDb})
        add(app, chosen);
    // For the programs themselves, not for people.
    app.add_subcommand(stagelens::runtime::kWorkerCommand)->group("")->callback([&chosen] {
        chosen = stagelens::runtime::work;
    });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error, std::cout, std::cerr) == 0 ? kDone : kInvalidInput;
    }
    return chosen();
}

} // namespace

int main(int argc, char **argv)
{
    stagelens::cli::handleInterrupts();
    stagelens::base::setLogSink(logToStandardError);
    try {
        const int status = readAndRun(argc, argv);
        std::cout.flush();
        if (!std::cout) {
            std::cerr << "standard output: could not be written; is the disk full or the reader gone?\n";
            return stagelens::cli::kFailed;
        }
        return status;
    } catch (const std::exception &error) {
        std::cerr << "unexpected failure: " << error.what() << "; please report it with the command that led to it\n";
        return stagelens::cli::kFailed;
    }
}
