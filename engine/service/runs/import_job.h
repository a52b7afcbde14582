// Imports a measured timeline of another program as a stored run.
#pragma once

#include "engine/exchange/trace_import.h"
#include "engine/store/run_record.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace stagelens::service {

struct StragglerAnalysis;

/// A trace that was stored as a run.
struct ImportedRun {
    store::RunId run = 0;
    int steps = 0;
    std::size_t incompleteSteps = 0;                          ///< omitted
    std::size_t otherEvents = 0;                              ///< of the pipeline, but not passes
    std::shared_ptr<const StragglerAnalysis> stragglers = {}; ///< of a straggler trace (straggler_job.h); otherwise null
};

/// Reads the traces (exchange/trace_import.h) and stores them as a finished run of provenance Imported. The run contains its
/// schedule's text; a text too long for a document is stored in the folder "imported" beside the database. If reading takes
/// more than half a second, its progress is logged, and `progress` is called about 20 times a second. Fails with InvalidInput
/// if the files are not such traces, and with Cancelled if `stop` is requested.
[[nodiscard]] base::Result<ImportedRun> importRun(const std::vector<std::filesystem::path> &files,
                                                  const std::filesystem::path &database, const std::stop_token &stop,
                                                  const std::function<void(double share)> &progress = {});

/// Stores the steps of a trace, at least one, as importRun() does. `files` are what it was read from; the first names the run.
[[nodiscard]] base::Result<store::RunId> storeTrace(const exchange::ImportedTrace &trace,
                                                    const std::vector<std::filesystem::path> &files,
                                                    const std::filesystem::path &database, const std::stop_token &stop);

/// Opens the files, and calls `import(inputs)`, whose error it returns. Progress and failures as above.
[[nodiscard]] base::Result<>
withTraceInputs(const std::vector<std::filesystem::path> &files, const std::stop_token &stop,
                const std::function<void(double share)> &tell,
                const std::function<base::Result<>(const std::vector<exchange::TraceInput> &inputs)> &import);

/// Reads the traces alone. Progress and failures as above.
[[nodiscard]] base::Result<exchange::ImportedTrace> readTraces(const std::vector<std::filesystem::path> &files,
                                                               const std::stop_token &stop,
                                                               const std::function<void(double share)> &progress = {});

} // namespace stagelens::service
