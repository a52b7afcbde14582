#include "engine/schedule/families/dualpipe.h"

#include "engine/schedule/order/chunk_writer.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <vector>

namespace stagelens::schedule {

namespace {

/// The eight steps of the source for the device that is `rank` of `ranks` on the way down, with `count` >= 2 ranks passes of
/// each kind and chunk. Chunk 0 is the stage near the end at which its microbatches enter, chunk 1 the one in the second half.
void writeSteps(ChunkWriter &writer, int rank, int ranks, int count)
{
    const int below = ranks - rank - 1;
    for (int i = 0; i < 2 * below; ++i)
        writer.forward(0);
    for (int i = 0; i <= rank; ++i) {
        writer.forward(0);
        writer.forward(1);
    }
    for (int i = 0; i < below; ++i) {
        writer.inputGradient(1);
        writer.weightGradient(1);
        writer.forward(1);
    }
    for (int i = 0; i < count - 2 * ranks + rank + 1; ++i) {
        if (i == 0 && below == 0) {
            // At the turn both can begin one after the other at once, and the next device need not wait for a pair's end.
            writer.forward(0);
            writer.backward(1);
        } else {
            writer.pair(0);
        }
        writer.pair(1);
    }
    for (int i = 0; i < below; ++i) {
        writer.backward(1);
        writer.pair(1);
    }
    // From the middle of the last backwards on, W is put off to fill what they leave idle.
    std::vector<std::size_t> pending; // chunks of the I, in order
    const auto putOff = [&](std::size_t chunk) {
        writer.inputGradient(chunk);
        pending.push_back(chunk);
    };
    for (int i = 0; i < 2 * (rank + 1); ++i) {
        const std::size_t chunk = i % 2 == 0 ? 1 : 0;
        if (i <= rank)
            writer.backward(chunk);
        else
            putOff(chunk);
    }
    std::size_t next = 0;
    for (int i = 0; i < below; ++i) {
        writer.weightGradient(pending[next++]);
        putOff(0);
    }
    while (next < pending.size())
        writer.weightGradient(pending[next++]);
}

} // namespace

base::Result<Schedule> dualPipe(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    if (devices % 2 != 0)
        return base::Error::invalid(
            "parallel.devices", fmt::format("dualpipe needs an even number of devices, not {}; give {} or choose dualpipe-v",
                                            devices, devices + 1));
    const int half = devices / 2;
    LayerOrder order{Placement::twoWay(devices, microbatches), {}};
    for (int device = 0; device < devices; ++device) {
        const int rank = std::min(device, devices - 1 - device);
        const int direction = device < half ? 0 : 1;
        // Each device is near one end for the direction that enters there, and holds the other's stage of the second half.
        ChunkWriter writer({{{rank, direction, 2}, {devices - 1 - rank, 1 - direction, 2}}}, microbatches);
        writeSteps(writer, rank, half, std::max(devices, (microbatches + 1) / 2));
        order.devices.push_back(writer.take());
    }
    return withVocabulary("dualpipe", order, experiment, durations);
}

base::Result<Schedule> dualPipeV(const model::Experiment &experiment, const Durations &durations)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    LayerOrder order{Placement::zigzag(devices, 2), {}};
    for (int device = 0; device < devices; ++device) {
        ChunkWriter writer({{{device, 0, 1}, {2 * devices - 1 - device, 0, 1}}}, microbatches);
        writeSteps(writer, device, devices, std::max(2 * devices, microbatches));
        order.devices.push_back(writer.take());
    }
    return withVocabulary("dualpipe-v", order, experiment, durations);
}

} // namespace stagelens::schedule
