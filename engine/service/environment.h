// What a run's figures depend on besides the experiment.
#pragma once

#include <map>
#include <string>

namespace stagelens::service {

/// CPU, cores, memory, operating system, compiler and commit, as a run's record keeps them.
[[nodiscard]] std::map<std::string, std::string> environment();

} // namespace stagelens::service
