#include "ui/state/lane_groups.h"

#include "ui/words/words.h"

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
    group.memory = prediction->memory;
    return group;
}

std::shared_ptr<const simulate::MemoryProfiles> memoryOf(const service::RunSnapshot &run)
{
    const store::RunRecord &record = run.record;
    if (!record.experiment.hasModel || !run.schedule || !record.timeline)
        return nullptr;
    std::vector<base::Bytes> peaks = record.metrics ? record.metrics->peakMemory : std::vector<base::Bytes>();
    if (peaks.size() != record.timeline->lanes.size()) { // of an imported run nothing was measured but times
        peaks.clear();
        for (int device = 0; device < record.timeline->devices(); ++device)
            peaks.push_back(simulate::memoryPeak(record.experiment, *run.schedule, *record.timeline, device).total);
    }
    return std::make_shared<const simulate::MemoryProfiles>(std::move(peaks), record.experiment, run.schedule, record.timeline);
}

} // namespace stagelens::ui
