#include "engine/schedule/families/zb_v.h"

#include "engine/schedule/order/chunk_writer.h"
#include "engine/schedule/order/squeeze.h"
#include "engine/schedule/order/v_rounds.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <algorithm>
#include <vector>

namespace stagelens::schedule {

namespace {

/// Chunks by their place in the model.
constexpr std::size_t kDown = 0;
constexpr std::size_t kUp = 1;

void writeBackward(ChunkWriter &writer, std::size_t chunk)
{
    writer.inputGradient(chunk);
    writer.weightGradient(chunk);
}

std::vector<Pass> deviceOrder(int device, int devices, int microbatches)
{
    // The rule fills the pipeline with 2 p - 1 microbatches.
    const int ruled = std::max(2 * devices - 1, microbatches);
    const int below = devices - device;
    ChunkWriter writer({{{device, 0, 1}, {2 * devices - 1 - device, 0, 1}}}, microbatches);
    for (int i = 0; i < 2 * below - 1; ++i)
        writer.forward(kDown);
    for (int i = 0; i < device; ++i) {
        writer.forward(kUp);
        writer.forward(kDown);
    }
    for (int i = 0; i < below; ++i) {
        writer.forward(kUp);
        writeBackward(writer, kUp);
    }
    while (writer.forwards(kUp) < ruled) {
        if (writer.forwards(kDown) < ruled)
            writer.forward(kDown);
        writeBackward(writer, kDown);
        writer.forward(kUp);
        writeBackward(writer, kUp);
    }
    // The last W fill what the last I leave idle.
    for (int i = 0; i < device; ++i) {
        writer.inputGradient(kDown);
        writer.inputGradient(kUp);
    }
    for (int i = 0; i < below; ++i)
        writeBackward(writer, kDown);
    for (const std::size_t chunk : {kUp, kDown})
        while (writer.hasPendingWeightGradient(chunk))
            writer.weightGradient(chunk);
    return writer.take();
}

} // namespace

base::Result<Schedule> zbV(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    LayerOrder order{Placement::zigzag(devices, 2), {}};
    for (int device = 0; device < devices; ++device)
        order.devices.push_back(deviceOrder(device, devices, experiment.parallel.microbatches));
    TimedOrder shortest = squeeze(order, durations, {.freedom = Freedom::None});
    takeShorterVRounds(shortest, experiment.parallel.microbatches, durations, 2 * devices);
    return withVocabularyOfShorter("zb-v", order, shortest.order, experiment, durations);
}

} // namespace stagelens::schedule
