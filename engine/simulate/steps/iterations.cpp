#include "engine/simulate/steps/iterations.h"

#include "engine/schedule/weight_versions.h"

#include <algorithm>

namespace stagelens::simulate {

using base::Nanos;

namespace {

/// Appends a copy of the step's lane.
void append(timeline::Lane &lane, const timeline::Lane &step, Nanos shift, int microbatches)
{
    for (std::size_t i = 0; i < step.size(); ++i) {
        schedule::Pass pass = step.pass[i];
        pass.microbatch += microbatches;
        lane.push(pass, step.begin[i] + shift, step.end[i] + shift);
    }
    lane.vocabulary.insert(lane.vocabulary.end(), step.vocabulary.begin(), step.vocabulary.end());
    for (timeline::AnchoredSlice slice : step.anchored) {
        slice.begin += shift;
        slice.end += shift;
        if (slice.microbatch >= 0)
            slice.microbatch += microbatches;
        lane.anchored.push_back(slice);
    }
    if (step.tailEnd > step.tailBegin) { // of the last step; Timeline::tails() has all
        lane.tailBegin = step.tailBegin + shift;
        lane.tailEnd = step.tailEnd + shift;
    }
}

} // namespace

timeline::Timeline repeated(const timeline::Timeline &step, const schedule::Schedule &schedule)
{
    const int iterations = schedule.iterations();
    timeline::Timeline all = step;
    all.iterations = iterations;
    all.stepMicrobatches = schedule.stepMicrobatches();
    all.microbatchDirection = schedule.placement().microbatchDirection;
    all.period = step.iteration();
    // Replicas that gather parameters beside the next step's passes may have a period shorter than the passes.
    const Nanos interval = std::max(all.period, step.makespan());
    for (std::size_t device = 0; device < step.lanes.size(); ++device) {
        timeline::Lane &lane = all.lanes[device];
        lane.reserve(step.lanes[device].size() * static_cast<std::size_t>(iterations));
        for (int i = 1; i < iterations; ++i)
            append(lane, step.lanes[device], i * interval, i * schedule.stepMicrobatches());
        std::ranges::stable_sort(lane.anchored, {}, &timeline::AnchoredSlice::begin);
    }
    return all;
}

void noteIterations(timeline::Timeline &timeline, const schedule::Schedule &schedule)
{
    timeline.weightVersions = schedule::weightVersionsUsed(schedule);
    if (schedule.iterations() == 1 || timeline.sliceCount() == 0)
        return;
    timeline.iterations = schedule.iterations();
    timeline.stepMicrobatches = schedule.stepMicrobatches();
    const auto steps = timeline.stepExtents();
    const auto between = static_cast<Nanos>(steps.size()) - 1;
    if (between > 0)
        timeline.period = (steps.back().second - steps.front().second + between / 2) / between;
}

Nanos betweenSteps(const timeline::Timeline &timeline)
{
    if (timeline.iterations == 1)
        return 0;
    const auto steps = timeline.stepExtents();
    Nanos sum = 0;
    for (std::size_t i = 1; i < steps.size(); ++i)
        sum += std::max<Nanos>(0, steps[i].first - steps[i - 1].second);
    return sum;
}

} // namespace stagelens::simulate
