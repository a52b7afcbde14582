// Plans for other frameworks: Megatron-LM, torchtitan, DeepSpeed.
#pragma once

#include "engine/exchange/launch.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stagelens::service {

using LaunchFormat = exchange::Framework;
using Launch = exchange::Launch;
/// Returns the formats, in the order of lists.
[[nodiscard]] std::span<const LaunchFormat> launchFormats();
[[nodiscard]] bool isLaunchFormat(std::string_view format);

/// Exports a resolved plan. Fails with InvalidInput for an unknown format and for a plan without a model.
[[nodiscard]] base::Result<Launch> launchText(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                              std::string_view format, const std::string &scheduleFile);
/// As above into a file, and the schedule into a file of the same name that ends in .csv beside it. Leaves neither of them if
/// one could not be written.
[[nodiscard]] base::Result<Launch> writeLaunch(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                               std::string_view format, const std::filesystem::path &file);

} // namespace stagelens::service
