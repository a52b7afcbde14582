#include "ui/bridge/lane_groups.h"

#include "ui/bridge/words.h"

namespace stagelens::ui {

LaneGroup predictedGroup(const service::PredictionPtr &prediction)
{
    LaneGroup group;
    group.timeline = prediction->timeline;
    group.schedule = prediction->schedule;
    group.metrics = prediction->metrics;
    group.caption = caption(timeline::Provenance::Predicted);
    group.capacity = prediction->memoryCapacity;
    group.recomputed = prediction->experiment.schedule.recompute != model::Recompute::None;
    group.memory = {prediction, &prediction->memory};
    return group;
}

} // namespace stagelens::ui
