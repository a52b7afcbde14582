// `export` is a command of the program (experiments and runs) and of `runs`.
#pragma once

#include "app/cli/commands/commands.h"

#include <string>

namespace stagelens::cli {

/// Adds `export` to a command; `positional` is what it calls its subject.
void addExportUnder(CLI::App &command, const std::string &positional, Action &chosen);

} // namespace stagelens::cli
