// Plans for other frameworks: Megatron-LM, torchtitan, DeepSpeed.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::service {

/// A framework that plans can be exported to.
struct LaunchFormat {
    std::string_view name;    ///< "megatron"
    std::string_view caption; ///< "Megatron-LM"
    std::string_view ending;  ///< of the file: "sh"
    std::string_view version; ///< against whose sources the names of arguments were checked
};
/// Returns the format of that name, or nothing.
[[nodiscard]] const std::vector<LaunchFormat> &launchFormats();
[[nodiscard]] bool isLaunchFormat(std::string_view format);

/// The files that start a plan in the framework.
struct LaunchText {
    std::string text;                 ///< arguments or a configuration
    std::string schedule;             ///< PyTorch's CSV, if the configuration names it as `scheduleFile`; else empty
    std::vector<std::string> omitted; ///< what cannot be carried over, each a sentence without a period
    std::string_view version;         ///< as above
};
/// Exports a resolved plan. Fails with InvalidInput for an unknown format and for a plan without a model.
[[nodiscard]] base::Result<LaunchText> launchText(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                  std::string_view format, const std::string &scheduleFile);
/// As above into a file, and the schedule into a file of the same name that ends in .csv beside it. Leaves neither of them if
/// one could not be written.
[[nodiscard]] base::Result<LaunchText> writeLaunch(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                   std::string_view format, const std::filesystem::path &file);

} // namespace stagelens::service
