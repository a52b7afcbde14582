// A measured timeline of another program becomes a stored run.
#pragma once

#include "engine/service/engine_service.h"

namespace stagelens::service {

/// Reads the traces (exchange/trace_import.h) and stores them as a finished run of provenance Imported, with a schedule file in
/// the folder "imported" beside the database. InvalidInput where the files are no such traces.
[[nodiscard]] base::Result<ImportedRun> importRun(const std::vector<std::filesystem::path> &files,
                                                  const std::filesystem::path &database);

} // namespace stagelens::service
