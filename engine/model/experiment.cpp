#include "engine/model/experiment.h"

namespace stagelens::model {

RunMode runMode(const Experiment &experiment, int cores)
{
    // A plan does not know the number of GPUs.
    const int atOnce = experiment.training.backend == "cpu" ? cores : 1;
    const std::int64_t ranks = experiment.parallel.ranks(experiment.parallel.devices);
    return experiment.training.mode.value_or(ranks <= atOnce ? RunMode::Live : RunMode::VirtualClock);
}

} // namespace stagelens::model
