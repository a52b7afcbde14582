// Imports the straggler trace of a job, and analyses it.
#pragma once

#include "engine/service/runs/import_job.h"
#include "engine/simulate/stragglers/straggler_report.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>

namespace stagelens::service {

/// A job and what its stragglers cost.
struct StragglerAnalysis {
    int devices = 0;
    int replicas = 0;
    int microbatches = 0;           ///< of a replica
    std::size_t operations = 0;     ///< of all workers in all steps
    std::size_t skewedMessages = 0; ///< see exchange::StragglerTrace
    simulate::StragglerReport report;
    std::optional<store::RunId> run; ///< the stored one
};

/// Whether a file to import is a straggler trace by its name: it ends in .csv.
[[nodiscard]] bool isStragglerFile(const std::filesystem::path &file);

/// Imports one straggler trace, or the traces of all ranks, by the names of the files. Progress and failures as of importRun().
[[nodiscard]] base::Result<ImportedRun> importMeasured(const std::vector<std::filesystem::path> &files,
                                                       const std::filesystem::path &database, const std::stop_token &stop,
                                                       const std::function<void(double share)> &progress = {});

/// Reads the CSV form of a straggler trace (exchange/stragglers/straggler_trace.h), replays the job for every part, and, if
/// there is a database, stores the steps as a run: of each step the replica that ended latest. Progress and failures as of
/// importRun(); `progress` receives shares of reading, then of replaying.
[[nodiscard]] base::Result<StragglerAnalysis> importStragglers(const std::filesystem::path &file,
                                                               const std::optional<std::filesystem::path> &database,
                                                               const std::stop_token &stop,
                                                               const std::function<void(double share)> &progress = {});

} // namespace stagelens::service
