// Imports a measured timeline of another program as a stored run.
#pragma once

#include "engine/exchange/trace_import.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagelens::service {

/// A trace that was stored as a run.
struct ImportedRun {
    store::RunId run = 0;
    int steps = 0;
    std::size_t incompleteSteps = 0; ///< omitted
    std::size_t otherEvents = 0;     ///< of the pipeline, but not passes
};

/// Reads the traces (exchange/trace_import.h) and stores them as a finished run of provenance Imported. The run contains its
/// schedule's text; a text too long for a document is stored in the folder "imported" beside the database. If reading takes
/// more than half a second, its progress is logged, and `progress` is called about 20 times a second. Fails with InvalidInput
/// if the files are not such traces, and with Cancelled if `stop` is requested.
[[nodiscard]] base::Result<ImportedRun> importRun(const std::vector<std::filesystem::path> &files,
                                                  const std::filesystem::path &database, const std::stop_token &stop,
                                                  const std::function<void(double share)> &progress = {});

/// Reads the traces alone. Progress and failures as above.
[[nodiscard]] base::Result<exchange::ImportedTrace> readTraces(const std::vector<std::filesystem::path> &files,
                                                               const std::stop_token &stop,
                                                               const std::function<void(double share)> &progress = {});

} // namespace stagelens::service
