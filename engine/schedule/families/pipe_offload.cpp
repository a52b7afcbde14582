#include "engine/schedule/families/pipe_offload.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace stagelens::schedule {

namespace {

/// The passes of one direction on the first device: each chunk has its own slot among v, so that no two of the device's passes
/// meet however many microbatches follow.
class Slots {
public:
    /// `firstOfChunk`: the slot of the first microbatch; all differ modulo their number.
    explicit Slots(std::vector<int> firstOfChunk) : m_first(std::move(firstOfChunk)), m_chunkOf(m_first.size())
    {
        for (int chunk = 0; chunk < chunks(); ++chunk)
            m_chunkOf[static_cast<std::size_t>(first(chunk) % chunks())] = chunk;
    }
    [[nodiscard]] int chunkAt(int slot) const { return m_chunkOf[static_cast<std::size_t>(slot % chunks())]; }
    /// Negative, or beyond the last, if the slot has no pass.
    [[nodiscard]] int microbatchAt(int slot) const
    {
        const int since = slot - first(chunkAt(slot));
        return since < 0 ? -1 : since / chunks();
    }

private:
    [[nodiscard]] int chunks() const { return static_cast<int>(m_first.size()); }
    [[nodiscard]] int first(int chunk) const { return m_first[static_cast<std::size_t>(chunk)]; }

    std::vector<int> m_first;
    std::vector<int> m_chunkOf; ///< by the slot modulo the chunks
};

/// The slot in which a chunk begins on the first device. F comes back to it after ceil(p / 2) slots; after every v / g chunks,
/// one slot more avoids those that are taken.
int beginOf(int chunk, int devices, int chunks)
{
    const int round = (devices + 1) / 2;
    return chunk * round + chunk * std::gcd(round, chunks) / chunks;
}

std::vector<Pass> deviceOrder(const Slots &forwards, const Slots &backwards, int lastSlot, int device,
                              const model::Experiment &experiment)
{
    const int devices = experiment.parallel.devices;
    std::vector<Pass> order;
    const auto add = [&](PassKind kind, const Slots &slots, int slot) {
        const int microbatch = slots.microbatchAt(slot);
        if (microbatch < 0 || microbatch >= experiment.parallel.microbatches)
            return false;
        order.push_back(makePass(kind, slots.chunkAt(slot) * devices + device, microbatch));
        return true;
    };
    for (int slot = 0; slot + device <= lastSlot; ++slot) {
        add(PassKind::F, forwards, slot);
        if (!add(PassKind::I, backwards, slot + device))
            continue;
        Pass weight = order.back();
        weight.kind = PassKind::W;
        order.push_back(weight);
    }
    return order;
}

/// Each barrier adds the distance of two microbatches between the last stage's F and its I.
LayerOrder layerOrder(const model::Experiment &experiment, int barriers)
{
    const int devices = experiment.parallel.devices;
    const int chunks = model::stagesPerDevice(experiment.schedule);
    std::vector<int> begins;
    for (int chunk = 0; chunk < chunks; ++chunk)
        begins.push_back(beginOf(chunk, devices, chunks));
    const int firstReturn = begins.back() + devices - 1 + barriers * chunks;
    std::vector<int> returns; // the first I of each chunk
    for (int chunk = 0; chunk < chunks; ++chunk)
        returns.push_back(firstReturn + begins[static_cast<std::size_t>(chunks - 1 - chunk)]);
    const int lastSlot = returns.front() + chunks * (experiment.parallel.microbatches - 1);
    const Slots forwards(std::move(begins));
    const Slots backwards(std::move(returns));
    LayerOrder order{Placement::looped(devices, chunks), {}};
    for (int device = 0; device < devices; ++device)
        order.devices.push_back(deviceOrder(forwards, backwards, lastSlot, device, experiment));
    return order;
}

base::Result<Schedule> uniformRepeat(std::string_view family, const model::Experiment &experiment, const Durations &durations)
{
    return withVocabulary(
        family, [&experiment](int barriers) { return layerOrder(experiment, barriers); }, experiment, durations);
}

} // namespace

base::Result<Schedule> pipeOffloadHalf(const model::Experiment &experiment, const Durations &durations)
{
    return uniformRepeat("po-h", experiment, durations);
}

base::Result<Schedule> pipeOffloadFull(const model::Experiment &experiment, const Durations &durations)
{
    return uniformRepeat("po-f", experiment, durations);
}

} // namespace stagelens::schedule
