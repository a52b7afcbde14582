// The commands of stagelens-cli, one file each. resources/docs/command-line.md describes their output and exit status.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace stagelens::cli {

/// Exit status of the program.
enum ExitStatus : int { kDone = 0, kFailed = 1, kInvalidInput = 2, kCancelled = 130 };

/// What the person chose; called after the whole command line was read.
using Action = std::function<int()>;

// Each adds its command to the application and, when the person names it, sets `chosen`.
void addList(CLI::App &app, Action &chosen);
void addExperiment(CLI::App &app, Action &chosen);
void addPlan(CLI::App &app, Action &chosen);
void addOptimum(CLI::App &app, Action &chosen);
void addHardware(CLI::App &app, Action &chosen);
void addCalibrate(CLI::App &app, Action &chosen);
void addImport(CLI::App &app, Action &chosen);
void addSimulate(CLI::App &app, Action &chosen);
void addValidate(CLI::App &app, Action &chosen);
void addLevers(CLI::App &app, Action &chosen);
void addCut(CLI::App &app, Action &chosen);
void addVocabulary(CLI::App &app, Action &chosen);
void addRun(CLI::App &app, Action &chosen);
void addVerify(CLI::App &app, Action &chosen);
void addCompare(CLI::App &app, Action &chosen);
void addRuns(CLI::App &app, Action &chosen);
void addExport(CLI::App &app, Action &chosen);
void addBench(CLI::App &app, Action &chosen);
void addDb(CLI::App &app, Action &chosen);

} // namespace stagelens::cli
