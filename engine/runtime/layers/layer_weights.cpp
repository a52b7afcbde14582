#include "engine/runtime/layers/layer_weights.h"

#include "engine/runtime/plan/shape.h"
#include "engine/simulate/host_state.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace stagelens::runtime {

LayerWeights::LayerWeights(const RunPlan &plan, int device, backend::Pool &pool, backend::Compute &compute)
    : m_compute(compute), m_rate(copyRate(plan.experiment.schedule))
{
    if (!plan.experiment.schedule.offloadParameters)
        return;
    const simulate::LayerWeightSizes layers =
        simulate::weightsOfDevice(plan.experiment, plan.schedule, device, compute.precision());
    for (int slot = 0; slot < simulate::weightSlots(layers.layers); ++slot)
        m_slots.emplace_back().values = pool.allocate(size(layers.slot), category(simulate::MemoryCategory::Parameters));
    if (!m_slots.empty())
        m_lane = compute.makeHostLane();
}

void LayerWeights::beginStep()
{
    if (m_thread)
        m_thread->drop();
    if (m_lane) {
        m_lane->finish();
        m_lane->beginStep();
    }
    for (Slot &slot : m_slots)
        release(slot);
    m_copied = 0;
}

void LayerWeights::copyBeside(std::stop_token halt)
{
    m_halt = std::move(halt);
    if (!m_slots.empty() && !m_thread && !usesStream())
        m_thread = std::make_unique<CopyThread>(m_rate, [this](const Moves &moves) { copyNow(moves); });
}

LayerWeights::Slot *LayerWeights::find(const Layer &layer)
{
    const auto found = std::ranges::find(m_slots, &layer, &Slot::layer);
    return found == m_slots.end() ? nullptr : &*found;
}

void LayerWeights::enter(const Layer &layer, const Layer *next)
{
    if (m_slots.empty())
        return;
    Slot *own = find(layer);
    if (own == nullptr) {
        own = &m_slots[m_slots.size() - 1 - m_current]; // the one that was not used last, if there are two
        launch(*own, layer);
    }
    m_current = static_cast<std::size_t>(own - m_slots.data());
    if (!waitFor(*own))
        return; // the run was stopped, and the results of the pass are dropped
    if (next != nullptr && m_slots.size() > 1 && find(*next) == nullptr)
        launch(m_slots[1 - m_current], *next);
}

bool LayerWeights::waitFor(Slot &slot)
{
    if (slot.isArriving && usesStream())
        m_lane->join(slot.lastCopy);
    else if (slot.isArriving && !m_thread->wait(slot.lastCopy, m_halt))
        return false;
    slot.isArriving = false;
    return true;
}

void LayerWeights::release(Slot &slot)
{
    if (slot.layer != nullptr)
        for (Parameter *parameter : slot.layer->parameters())
            parameter->fetched = nullptr;
    slot.layer = nullptr;
    slot.isArriving = false;
}

void LayerWeights::launch(Slot &slot, const Layer &layer)
{
    (void)waitFor(slot); // before its place is written again
    release(slot);
    if (!usesStream())
        m_compute.finish();
    if (backend::checksMemory() && usesStream())
        m_compute.memory().poisonInOrder(slot.values.values());
    else if (backend::checksMemory())
        m_compute.memory().poison(slot.values.values());
    slot.layer = &layer;
    ++m_copied;
    std::int64_t at = 0;
    Moves moves;
    std::size_t used = 0;
    for (Parameter *parameter : layer.parameters()) {
        const std::span<const float> from = std::as_const(parameter->read()).values();
        float *const to = slot.values.data() + at;
        parameter->fetched = to;
        at += simulate::weightPlaceFloats(std::ssize(from));
        moves[used++] = {{to, from.size()}, from};
        if (used == moves.size()) {
            copy(slot, moves);
            moves = {};
            used = 0;
        }
    }
    if (used > 0)
        copy(slot, moves);
}

void LayerWeights::copy(Slot &slot, const Moves &moves)
{
    if (usesStream() || m_thread) {
        slot.lastCopy = usesStream() ? m_lane->launch(moves) : m_thread->launch(moves);
        slot.isArriving = true;
        return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(leastTime(bytesOf(moves), m_rate));
    copyNow(moves);
    if (m_rate > 0)
        std::this_thread::sleep_until(end);
}

void LayerWeights::copyNow(const Moves &moves)
{
    if (m_lane)
        (void)m_lane->copyNow(moves);
    else
        runtime::copyNow(moves);
}

} // namespace stagelens::runtime
