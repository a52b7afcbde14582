// The environment of a run: besides the experiment, its figures depend on it.
#pragma once

#include <map>
#include <string>

namespace stagelens::service {

[[nodiscard]] int machineCores();
/// Returns CPU, cores, memory, operating system, compiler and commit, as stored in the record of a run.
[[nodiscard]] std::map<std::string, std::string> environment();

} // namespace stagelens::service
