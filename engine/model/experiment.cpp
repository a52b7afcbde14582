#include "engine/model/experiment.h"

#include "engine/model/family_shape.h"
#include "engine/model/partition.h"

namespace stagelens::model {

RunMode runMode(const Experiment &experiment, int cores)
{
    // How many GPUs there are is nothing that a plan knows.
    const int atOnce = experiment.training.backend == "cpu" ? cores : 1;
    return experiment.training.mode.value_or(experiment.parallel.devices <= atOnce ? RunMode::Live : RunMode::VirtualClock);
}

Experiment resolved(Experiment experiment, int cores)
{
    experiment.parallel.stageLayers = stageLayers(experiment);
    if (!experiment.hasModel)
        experiment.model.layers = static_cast<int>(experiment.parallel.stageLayers.size());
    experiment.schedule.chunks = stagesPerDevice(experiment.schedule);
    experiment.training.mode = runMode(experiment, cores);
    return experiment;
}

} // namespace stagelens::model
