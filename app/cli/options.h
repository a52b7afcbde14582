// The experiment of a command line: a file, options, or both; options win.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/service/engine_service.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace stagelens::cli {

/// What the person gave, before it is understood.
struct ExperimentArguments {
    std::string file;                             ///< empty: none
    std::map<std::string, std::string> given;     ///< option with its dashes to its text
    std::optional<model::Experiment> stored = {}; ///< of a resumed run: used for what neither a file nor an option sets
};
using ExperimentArgumentsPtr = std::shared_ptr<ExperimentArguments>;

/// Adds the positional EXPERIMENT (or what else the command calls it) and every experiment option to a command.
ExperimentArgumentsPtr addExperimentArguments(
    CLI::App &command, const std::string &positional = "EXPERIMENT",
    const std::string &meaning = "experiment file (*.stagelens.json), - for standard input; options win over it");

/// The experiment that the arguments mean, valid as a plan but not resolved. InvalidInput with every problem, each under its
/// option where the person used one, else under its JSON field.
[[nodiscard]] base::Result<model::Experiment> experimentOf(const ExperimentArguments &arguments);

/// As above, with family `auto` replaced by what the search chooses for that purpose; a line on stderr says what.
[[nodiscard]] base::Result<model::Experiment> chosenExperimentOf(const ExperimentArguments &arguments,
                                                                 service::Purpose purpose);

/// As above, predicted on this machine.
[[nodiscard]] base::Result<service::PredictionPtr> predictionOf(const ExperimentArguments &arguments);
/// The error with each problem under the option that caused it, where the person gave that option.
[[nodiscard]] base::Error underOptions(base::Error error, const ExperimentArguments &arguments);

/// The `--db FILE` option; the text stays empty where it was not given.
std::shared_ptr<std::string> addDatabaseOption(CLI::App &command);
/// Only `run` may make a database: a mistyped name must not look like an empty one.
[[nodiscard]] base::Result<> requireDatabase(const std::string &file);

} // namespace stagelens::cli
