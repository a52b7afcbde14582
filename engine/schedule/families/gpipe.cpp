#include "engine/schedule/families/gpipe.h"

#include "engine/schedule/order/interval_order.h"
#include "engine/schedule/order/lead_order.h"
#include "engine/schedule/order/vocabulary_insertion.h"

namespace stagelens::schedule {

namespace {

std::vector<Pass> gpipeOrder(int device, int microbatches, int barriers)
{
    OrderWriter writer(device, microbatches, barriers);
    // Device r reaches a microbatch r forwards after the first device and leaves it r backwards before: its EF must run that
    // much ahead, its EB that much behind, each one pass more so that the collective has its time.
    for (int i = 0; i <= device; ++i)
        writer.embedForward();
    for (int i = 0; i < microbatches; ++i) {
        writer.embedForward();
        writer.forward();
    }
    writer.remainingSlots();
    for (int i = 0; i < microbatches; ++i) {
        writer.backward();
        if (i > device)
            writer.embedBackward();
    }
    writer.remainingEmbedBackwards();
    return writer.take();
}

} // namespace

base::Result<Schedule> gpipe(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    const auto published = [&](int barriers) {
        std::vector<std::vector<Pass>> orders;
        orders.reserve(static_cast<std::size_t>(devices));
        for (int device = 0; device < devices; ++device)
            orders.push_back(gpipeOrder(device, microbatches, barriers));
        return orders;
    };
    const auto placed = [&](int barriers) {
        const std::vector<Lead> leads(static_cast<std::size_t>(devices), {.forwards = microbatches});
        return withBarriers(leadOrder(leads, microbatches), barriers);
    };
    return publishedOrShorter("gpipe", Placement::linear(devices), published, placed, experiment, durations);
}

} // namespace stagelens::schedule
