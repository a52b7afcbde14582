// `run --print-launch`: the commands that start a run on several machines.
#pragma once

#include "app/cli/options.h"

#include <string>

namespace stagelens::cli {

/// Prints the lines for mpirun and srun that start the plan with these arguments. `nodes` are host names with commas between
/// them, or empty. Returns the exit status.
int printLaunch(const ExperimentArguments &arguments, const model::Experiment &experiment, const std::string &nodes,
                const std::string &database);

} // namespace stagelens::cli
