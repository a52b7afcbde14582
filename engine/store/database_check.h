// `db check`: checks that a database is undamaged and has the schema of Stagelens.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace stagelens::store {

struct RunDatabase;

struct CheckReport {
    int schemaVersion = 0;
    std::vector<std::string> faults; ///< empty: clean
    std::vector<std::string> hints;  ///< what can be done
};

[[nodiscard]] base::Result<CheckReport> check(RunDatabase &runs);

} // namespace stagelens::store
