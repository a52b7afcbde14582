// The options that choose another machine.
#pragma once

#include "engine/runtime/remote/host.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace stagelens::cli {

/// Adds `--host`, `--host-program` and `--copy-kit`.
std::shared_ptr<runtime::HostChoice> addHostOptions(CLI::App &command, const std::string &group);
/// Fails if the host's name is not usable, or if there is none but another option needs it.
[[nodiscard]] base::Result<> checkHostOptions(const runtime::HostChoice &choice);

} // namespace stagelens::cli
