#include "engine/schedule/order/v_slots.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

namespace stagelens::schedule {

namespace {

/// The passes of a device by kind and stage, each lane in microbatch order; W of both stages run in the order of their I.
enum Lane : std::uint8_t { ForwardDown, ForwardUp, BackwardUp, BackwardDown, Weight, kLanes };

constexpr bool isForward(Lane lane)
{
    return lane == ForwardDown || lane == ForwardUp;
}

constexpr bool isBackward(Lane lane)
{
    return lane == BackwardUp || lane == BackwardDown;
}

struct Slot {
    std::int32_t microbatch = kIdle; ///< of W: the number of W of the device before it
    Lane lane = ForwardDown;

    static constexpr std::int32_t kIdle = -1;
    static constexpr std::int32_t kTaken = -2; ///< second slot of a whole backward
    [[nodiscard]] bool isIdle() const { return microbatch == kIdle; }
    [[nodiscard]] bool begins() const { return microbatch >= 0; }
    friend bool operator==(const Slot &, const Slot &) = default;
};

struct Row {
    std::vector<Slot> slots;
    std::array<std::vector<int>, kLanes> begins; ///< slot of each pass
    std::vector<int> gradients;                  ///< slots of all I, ascending
    std::vector<int> held;                       ///< activations after each slot
    std::vector<int> waiting;                    ///< I whose W has not run, after each slot; unused where W have slots
};

/// When passes may move.
enum class Phases : unsigned char { All, FillAndDrain, Drain };

class SlotTable {
public:
    SlotTable(const VPattern &pattern, int microbatches);
    void placeWeights();
    void removeWeights();
    void reorder(Phases phases);
    void squeeze();
    [[nodiscard]] LayerOrder order() const;

private:
    [[nodiscard]] int width(Lane lane) const { return isBackward(lane) ? m_backwardWidth : 1; }
    [[nodiscard]] int earliest(int device, const Slot &pass) const;
    [[nodiscard]] bool hasWeights() const { return !m_rows.front().begins[Weight].empty(); }
    void put(Row &row, int at, const Slot &pass);
    void lift(Row &row, int at, const Slot &pass);
    void count(Row &row);
    void pull(int device, int at);
    bool pullExplicit(Row &row, int at, int earliest);
    bool pullImplicit(Row &row, int at, int earliest);
    bool fitsAfterMove(Row &row, int from, int to);

    int m_devices;
    int m_microbatches;
    int m_backwardWidth;
    std::vector<Row> m_rows;
    int m_mostHeld = 0;
    std::vector<std::pair<int, int>> m_states; ///< of fitsAfterMove(): held and waiting after each slot
};

SlotTable::SlotTable(const VPattern &pattern, int microbatches)
    : m_devices(static_cast<int>(pattern.devices.size())), m_microbatches(microbatches),
      m_backwardWidth(pattern.splitsBackward ? 1 : 2), m_rows(pattern.devices.size())
{
    for (std::size_t device = 0; device < m_rows.size(); ++device) {
        const VOffsets &own = pattern.devices[device];
        Row &row = m_rows[device];
        row.slots.resize(static_cast<std::size_t>(own.backwardDown + microbatches * VPattern::kInterval + m_backwardWidth));
        for (const auto &[lane, begin] : {std::pair(ForwardDown, own.forwardDown), std::pair(ForwardUp, own.forwardUp),
                                          std::pair(BackwardUp, own.backwardUp), std::pair(BackwardDown, own.backwardDown)}) {
            row.begins[lane].resize(static_cast<std::size_t>(microbatches));
            for (int i = 0; i < microbatches; ++i)
                put(row, begin + i * VPattern::kInterval, {i, lane});
        }
    }
}

void SlotTable::put(Row &row, int at, const Slot &pass)
{
    const auto begin = static_cast<std::size_t>(at);
    row.slots[begin] = pass;
    for (int i = 1; i < width(pass.lane); ++i)
        row.slots[begin + static_cast<std::size_t>(i)] = {Slot::kTaken, pass.lane};
    row.begins[pass.lane][static_cast<std::size_t>(pass.microbatch)] = at;
}

void SlotTable::lift(Row &row, int at, const Slot &pass)
{
    std::fill_n(row.slots.begin() + at, width(pass.lane), Slot{});
}

/// Puts each W into the first idle slot after its I.
void SlotTable::placeWeights()
{
    for (Row &row : m_rows) {
        std::int32_t gradients = 0;
        for (std::size_t at = 0; at < row.slots.size() || static_cast<std::int32_t>(row.begins[Weight].size()) < gradients;
             ++at) {
            if (at == row.slots.size())
                row.slots.emplace_back();
            const auto weights = static_cast<std::int32_t>(row.begins[Weight].size());
            if (row.slots[at].begins() && isBackward(row.slots[at].lane))
                ++gradients;
            if (!row.slots[at].isIdle() || weights == gradients)
                continue;
            row.begins[Weight].push_back(0);
            put(row, static_cast<int>(at), {weights, Weight});
        }
    }
}

void SlotTable::removeWeights()
{
    for (Row &row : m_rows) {
        for (const int at : row.begins[Weight])
            row.slots[static_cast<std::size_t>(at)] = {};
        row.begins[Weight].clear();
    }
}

/// Returns the first slot in which a pass may begin, given its inputs and the previous pass of its lane.
int SlotTable::earliest(int device, const Slot &pass) const
{
    const auto microbatch = static_cast<std::size_t>(pass.microbatch);
    const auto endOf = [&](int of, Lane lane, std::size_t index) {
        return m_rows[static_cast<std::size_t>(of)].begins[lane][index] + width(lane);
    };
    const int before = microbatch > 0 ? endOf(device, pass.lane, microbatch - 1) : 0;
    const auto input = [&] {
        switch (pass.lane) {
        case ForwardDown: return device > 0 ? endOf(device - 1, ForwardDown, microbatch) : 0;
        case ForwardUp:
            return device + 1 < m_devices ? endOf(device + 1, ForwardUp, microbatch) : endOf(device, ForwardDown, microbatch);
        case BackwardUp: return device > 0 ? endOf(device - 1, BackwardUp, microbatch) : endOf(device, ForwardUp, microbatch);
        case BackwardDown:
            return device + 1 < m_devices ? endOf(device + 1, BackwardDown, microbatch) : endOf(device, BackwardUp, microbatch);
        default: return m_rows[static_cast<std::size_t>(device)].gradients[microbatch] + 1;
        }
    };
    return std::max(before, input());
}

/// Counts the activations of the device after each slot; W without slots run in the idle ones.
void SlotTable::count(Row &row)
{
    row.held.assign(row.slots.size(), 0);
    row.waiting.assign(row.slots.size(), 0);
    row.gradients.clear();
    const bool hasSlots = hasWeights() || m_backwardWidth > 1;
    int held = 0;
    int waiting = 0;
    for (std::size_t at = 0; at < row.slots.size(); ++at) {
        const Slot &slot = row.slots[at];
        if (slot.begins() && isForward(slot.lane))
            ++held;
        if (slot.microbatch == Slot::kTaken || (slot.begins() && slot.lane == Weight))
            --held;
        if (slot.begins() && isBackward(slot.lane)) {
            ++waiting;
            row.gradients.push_back(static_cast<int>(at));
        }
        if (!hasSlots && slot.isIdle() && waiting > 0) {
            --waiting;
            --held;
        }
        row.held[at] = held;
        row.waiting[at] = waiting;
        m_mostHeld = std::max(m_mostHeld, held);
    }
}

/// Moves a pass and updates the counted activations. Returns false if the pass does not move.
bool SlotTable::pullExplicit(Row &row, int at, int earliest)
{
    const Slot pass = row.slots[static_cast<std::size_t>(at)];
    if (isForward(pass.lane))
        for (int full = at; full-- > earliest;)
            if (row.held[static_cast<std::size_t>(full)] >= m_mostHeld) {
                earliest = full + 1;
                break;
            }
    const auto begin = row.slots.begin();
    const int to = static_cast<int>(std::search_n(begin + earliest, begin + at, width(pass.lane), Slot{}) - begin);
    if (to == at)
        return false;
    lift(row, at, pass);
    put(row, to, pass);
    const int last = width(pass.lane) - 1; // a backward frees in its last slot
    const int change = isForward(pass.lane) ? 1 : pass.lane == Weight || last > 0 ? -1 : 0;
    for (int slot = to + last; slot < at + last; ++slot)
        row.held[static_cast<std::size_t>(slot)] += change;
    return true;
}

/// Returns whether the device stays within its limit if the pass moves from slot `from` to the idle slot `to`; keeps the move
/// if so.
bool SlotTable::fitsAfterMove(Row &row, int from, int to)
{
    const Slot pass = row.slots[static_cast<std::size_t>(from)];
    lift(row, from, pass);
    put(row, to, pass);
    int held = to > 0 ? row.held[static_cast<std::size_t>(to) - 1] : 0;
    int waiting = to > 0 ? row.waiting[static_cast<std::size_t>(to) - 1] : 0;
    m_states.clear();
    bool fits = true;
    for (std::size_t at = static_cast<std::size_t>(to); fits && at < row.slots.size(); ++at) {
        const Slot &slot = row.slots[at];
        held += slot.begins() && isForward(slot.lane) ? 1 : 0;
        waiting += slot.begins() && isBackward(slot.lane) ? 1 : 0;
        if (slot.isIdle() && waiting > 0) {
            --waiting;
            --held;
        }
        if (static_cast<int>(at) >= from && held == row.held[at] && waiting == row.waiting[at])
            break;
        fits = held <= m_mostHeld;
        m_states.emplace_back(held, waiting);
    }
    if (!fits) {
        lift(row, to, pass);
        put(row, from, pass);
        return false;
    }
    for (std::size_t i = 0; i < m_states.size(); ++i)
        std::tie(row.held[static_cast<std::size_t>(to) + i], row.waiting[static_cast<std::size_t>(to) + i]) = m_states[i];
    return true;
}

bool SlotTable::pullImplicit(Row &row, int at, int earliest)
{
    for (int to = earliest; to < at; ++to)
        if (row.slots[static_cast<std::size_t>(to)].isIdle() && fitsAfterMove(row, at, to))
            return true;
    return false;
}

/// Moves the pass in a slot to the earliest possible one.
void SlotTable::pull(int device, int at)
{
    Row &row = m_rows[static_cast<std::size_t>(device)];
    const Slot pass = row.slots[static_cast<std::size_t>(at)];
    const int from = earliest(device, pass);
    const bool hasSlots = hasWeights() || m_backwardWidth > 1;
    if (from >= at || !(hasSlots ? pullExplicit(row, at, from) : pullImplicit(row, at, from)) || !isBackward(pass.lane))
        return;
    const auto old = std::ranges::lower_bound(row.gradients, at);
    const auto fresh =
        std::lower_bound(row.gradients.begin(), old, row.begins[pass.lane][static_cast<std::size_t>(pass.microbatch)]);
    *old = row.begins[pass.lane][static_cast<std::size_t>(pass.microbatch)];
    std::rotate(fresh, old, old + 1);
}

void SlotTable::reorder(Phases phases)
{
    m_mostHeld = 0;
    std::size_t slots = 0;
    for (Row &row : m_rows) {
        count(row);
        slots = std::max(slots, row.slots.size());
    }
    bool mayMove = phases != Phases::Drain;
    bool isFilling = true;
    for (std::size_t at = 0; at < slots; ++at)
        for (int device = 0; device < m_devices; ++device) {
            const Row &row = m_rows[static_cast<std::size_t>(device)];
            if (at >= row.slots.size() || !row.slots[at].begins())
                continue;
            const Slot pass = row.slots[at];
            if (phases != Phases::All && isFilling && device == 0 && pass.lane == BackwardDown)
                isFilling = mayMove = false;
            if (mayMove)
                pull(device, static_cast<int>(at));
            if (!isFilling && pass.lane == ForwardDown && pass.microbatch == m_microbatches - 1)
                mayMove = true;
        }
}

/// Moves every pass to the earliest slot that its inputs and the order of its device allow.
void SlotTable::squeeze()
{
    std::vector<Row> old = std::exchange(m_rows, std::vector<Row>(m_rows.size()));
    std::size_t slots = 0;
    for (std::size_t device = 0; device < old.size(); ++device) {
        slots = std::max(slots, old[device].slots.size());
        m_rows[device].slots.resize(old[device].slots.size());
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            m_rows[device].begins[lane].resize(old[device].begins[lane].size());
    }
    std::vector<int> free(old.size());
    for (std::size_t at = 0; at < slots; ++at)
        for (std::size_t device = 0; device < old.size(); ++device) {
            if (at >= old[device].slots.size() || !old[device].slots[at].begins())
                continue;
            const Slot pass = old[device].slots[at];
            // W follow their I in the order of the device.
            const int inputs = pass.lane == Weight ? 0 : earliest(static_cast<int>(device), pass);
            const int begin = std::max(free[device], inputs);
            put(m_rows[device], begin, pass);
            free[device] = begin + width(pass.lane);
        }
}

LayerOrder SlotTable::order() const
{
    LayerOrder order{Placement::zigzag(m_devices, 2), {}};
    for (int device = 0; device < m_devices; ++device) {
        const int up = 2 * m_devices - 1 - device;
        const PassKind backward = m_backwardWidth == 1 ? PassKind::I : PassKind::B;
        std::vector<Pass> &passes = order.devices.emplace_back();
        passes.reserve(static_cast<std::size_t>(m_microbatches) * VPattern::kInterval);
        std::vector<Pass> gradients;
        for (const Slot &slot : m_rows[static_cast<std::size_t>(device)].slots) {
            if (!slot.begins())
                continue;
            switch (slot.lane) {
            case ForwardDown: passes.push_back(makePass(PassKind::F, device, slot.microbatch)); break;
            case ForwardUp: passes.push_back(makePass(PassKind::F, up, slot.microbatch)); break;
            case BackwardUp: passes.push_back(makePass(backward, up, slot.microbatch)); break;
            case BackwardDown: passes.push_back(makePass(backward, device, slot.microbatch)); break;
            default: {
                const Pass &gradient = gradients[static_cast<std::size_t>(slot.microbatch)];
                passes.push_back(makePass(PassKind::W, gradient.stage, gradient.microbatch));
            }
            }
            if (isBackward(slot.lane))
                gradients.push_back(passes.back());
        }
    }
    return order;
}

} // namespace

LayerOrder repeatedOrder(const VPattern &pattern, int microbatches)
{
    SlotTable table(pattern, microbatches);
    if (pattern.splitsBackward)
        table.placeWeights();
    return table.order();
}

LayerOrder reorderedOrder(const VPattern &pattern, int microbatches)
{
    SlotTable table(pattern, microbatches);
    if (!pattern.splitsBackward) {
        table.reorder(Phases::All);
        return table.order();
    }
    table.placeWeights();
    table.reorder(Phases::FillAndDrain);
    table.squeeze();
    table.removeWeights();
    table.reorder(Phases::Drain);
    table.placeWeights();
    table.squeeze();
    table.removeWeights();
    table.placeWeights();
    return table.order();
}

} // namespace stagelens::schedule
