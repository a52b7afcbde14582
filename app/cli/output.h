// Where commands may write.
#pragma once

#include "engine/base/result.h"

#include <string>

namespace stagelens::cli {

/// No output may be the database (empty: the default one) or a file that belongs to it. An empty output or "-" is no file.
[[nodiscard]] base::Result<> requireOutput(const std::string &output, const std::string &database);

} // namespace stagelens::cli
