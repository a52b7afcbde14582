// A measured timeline of another program becomes a stored run.
#pragma once

#include "engine/service/engine_service.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace stagelens::service {

/// Reads the traces (exchange/trace_import.h) and stores them as a finished run of provenance Imported. The run has its
/// schedule's text; a longer one than a document can have goes to the folder "imported" beside the database. Reading that takes
/// more than half a second is logged with its share, and `progress` is called with it some 20 times a second. InvalidInput
/// where the files are no such traces; Cancelled where `stop` asks for it.
[[nodiscard]] base::Result<ImportedRun> importRun(const std::vector<std::filesystem::path> &files,
                                                  const std::filesystem::path &database, const std::stop_token &stop,
                                                  const std::function<void(double share)> &progress = {});

} // namespace stagelens::service
