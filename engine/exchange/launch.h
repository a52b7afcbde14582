// What starts a plan in another framework: arguments of Megatron-LM, a configuration of torchtitan or of DeepSpeed.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

/// A framework that plans can be exported to.
struct Framework {
    std::string_view format;  ///< "megatron"
    std::string_view caption; ///< "Megatron-LM"
    std::string_view ending;  ///< of the file: "sh"
    std::string_view version; ///< against whose sources the names of arguments were checked
};
[[nodiscard]] const std::vector<Framework> &frameworks();
/// Returns the framework of a format, or null.
[[nodiscard]] const Framework *findFramework(std::string_view format);

/// A plan for another framework.
struct Launch {
    std::string text; ///< of the file
    /// The schedule as PyTorch's CSV, if the configuration names it as a file beside itself; else empty.
    std::string scheduleCsv;
    std::vector<std::string> omitted; ///< what the framework does otherwise or cannot do, each a sentence without a period
    std::string_view version;         ///< of Framework
};

/// Exports a resolved plan with its schedule. `devicesPerNode` are the GPUs of a node, `scheduleFile` the name by which a
/// configuration refers to the CSV. Fails with InvalidInput for an unknown format and for a plan without a model.
[[nodiscard]] base::Result<Launch> launchOf(std::string_view format, const model::Experiment &experiment,
                                            const schedule::Schedule &schedule, int devicesPerNode,
                                            const std::string &scheduleFile);

} // namespace stagelens::exchange
