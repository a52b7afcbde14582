#include "engine/schedule/families/seq1f1b.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

namespace {

/// `weightLag`: slices by which W follows I; below 0: backwards are not split.
std::vector<Pass> deviceOrder(int stage, int devices, int microbatches, int slices, int weightLag)
{
    const int units = microbatches * slices;
    std::vector<Pass> order;
    int forward = 0;
    int weight = 0;
    const auto addForward = [&] {
        if (forward < units)
            order.push_back(makePass(PassKind::F, stage, forward++));
    };
    const auto addWeight = [&] { order.push_back(makePass(PassKind::W, stage, backwardPlace(weight++, slices))); };
    while (forward < std::min(devices - stage - 2 + slices, units))
        addForward();
    for (int backward = 0; backward < units; ++backward) {
        addForward();
        order.push_back(makePass(weightLag < 0 ? PassKind::B : PassKind::I, stage, backwardPlace(backward, slices)));
        if (weightLag >= 0 && backward >= weightLag)
            addWeight();
    }
    while (weightLag >= 0 && weight < units)
        addWeight();
    return order;
}

base::Result<Schedule> slicedOrder(std::string_view family, const model::Experiment &experiment, const Durations &durations,
                                   bool splits)
{
    const int devices = experiment.parallel.devices;
    LayerOrder order{Placement::linear(devices), {}};
    for (int device = 0; device < devices; ++device)
        order.devices.push_back(deviceOrder(device, devices, experiment.parallel.microbatches,
                                            model::slicesOf(experiment.schedule), splits ? device : -1));
    return withVocabulary(family, order, experiment, durations);
}

} // namespace

base::Result<Schedule> seq1F1B(const model::Experiment &experiment, const Durations &durations)
{
    return slicedOrder("seq1f1b", experiment, durations, false);
}

base::Result<Schedule> seq1F1BZb(const model::Experiment &experiment, const Durations &durations)
{
    return slicedOrder("seq1f1b-zb", experiment, durations, true);
}

} // namespace stagelens::schedule
