#include "engine/model/experiment.h"

namespace stagelens::model {

RunMode runMode(const Experiment &experiment, int cores)
{
    // How many GPUs there are is nothing that a plan knows.
    const int atOnce = experiment.training.backend == "cpu" ? cores : 1;
    return experiment.training.mode.value_or(experiment.parallel.devices <= atOnce ? RunMode::Live : RunMode::VirtualClock);
}

} // namespace stagelens::model
