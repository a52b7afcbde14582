// How long a pass and a message take: dense tables, whatever they were made from.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/passes/requirements.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::simulate {

/// Duration of a pass, and the part of it that vocabulary layers take.
struct PassCost {
    base::Nanos duration = 0;
    base::Nanos vocabulary = 0;
};

/// Costs resolved for one placement.
class CostModel {
public:
    CostModel(int devices, int stages);

    [[nodiscard]] const PassCost &pass(int device, schedule::PassKind kind, int stage) const
    {
        return m_passes[m_slots[place(device, stage)] + static_cast<std::size_t>(kind)];
    }
    void setPass(int device, schedule::PassKind kind, int stage, PassCost cost);

    /// Time of a message between two devices, or of a collective (then from and to are ignored). Free where nothing leaves a
    /// device.
    [[nodiscard]] base::Nanos transfer(schedule::Transfer transfer, int from, int to) const;
    void setSend(int from, int to, base::Nanos duration);
    void setCollective(schedule::Transfer transfer, base::Nanos duration);

    /// Optimizer step of a device (0 where unknown).
    [[nodiscard]] base::Nanos optimizer(int device) const { return m_optimizer[static_cast<std::size_t>(device)]; }
    void setOptimizer(int device, base::Nanos duration) { m_optimizer[static_cast<std::size_t>(device)] = duration; }

    /// Whether `PassCost::vocabulary` is known for the F, B, I and W that hide vocabulary work.
    bool vocabularyKnown = false;
    model::Collectives collectives = model::Collectives::Overlapped;
    /// Time of an overlapped pair over the sum of its passes' own times.
    double pairScale = 1;

private:
    [[nodiscard]] std::size_t place(int device, int stage) const
    {
        return static_cast<std::size_t>(device) * static_cast<std::size_t>(m_stages) + static_cast<std::size_t>(stage);
    }
    int m_devices;
    int m_stages;
    /// Where in m_passes the kinds of a device and stage begin; few of the pairs occur, the others share the zeros at 0.
    std::vector<std::uint32_t> m_slots;
    std::vector<PassCost> m_passes;
    std::vector<base::Nanos> m_send; ///< devices x devices
    std::array<base::Nanos, schedule::kTransferCount> m_collective{};
    std::vector<base::Nanos> m_optimizer;
};

/// Teaching units (resources/docs/command-line.md has the defaults of absent kinds; c0, c1, c2 are BroadcastX, Statistics,
/// ReduceGradient).
[[nodiscard]] base::Result<CostModel> uniformCosts(const model::UniformCosts &costs, const schedule::Schedule &schedule);
/// A durations CSV; the error holds every problem with line and column. `*` matches any; the most specific row wins, then the
/// later.
[[nodiscard]] base::Result<CostModel> measuredCosts(std::string_view csv, const std::string &source,
                                                    const schedule::Schedule &schedule);
/// From FLOPs, bytes and a hardware preset.
[[nodiscard]] CostModel analyticCosts(const model::Experiment &experiment, const model::Hardware &hardware,
                                      const schedule::Schedule &schedule);
/// Medians of a measured timeline, so that "predicted from its own durations" means what it says. Messages and collectives cost
/// what `base` says.
[[nodiscard]] CostModel costsOf(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const CostModel &base);
/// What an experiment's cost choice means. Reads the hardware preset or the durations file.
[[nodiscard]] base::Result<CostModel> makeCostModel(const model::Experiment &experiment, const schedule::Schedule &schedule);

} // namespace stagelens::simulate
