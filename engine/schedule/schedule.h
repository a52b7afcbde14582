// The schedule: the passes of every device, in order. The same object is predicted, trained and drawn.
#pragma once

#include "engine/model/experiment.h"
#include "engine/schedule/pass.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stagelens::schedule {

/// The greatest schedule that is made or read: stages and devices have 16 bits, and the tables of a pass each must fit.
inline constexpr int kMostDevices = 65'535;
inline constexpr std::size_t kMostPasses = 20'000'000;

/// Which device runs which stage.
struct Placement {
    int devices = 1;
    std::vector<std::uint16_t> stageDevice; ///< device of each stage, in the order of the model
    [[nodiscard]] int stages() const { return static_cast<int>(stageDevice.size()); }
    [[nodiscard]] int deviceOf(int stage) const { return stageDevice[static_cast<std::size_t>(stage)]; }
    [[nodiscard]] int lastStage() const { return stages() - 1; }
    /// The stages of a device in the order of the model; the n-th is its chunk n.
    [[nodiscard]] std::vector<int> stagesOf(int device) const;
    /// One stage a device, in order.
    static Placement linear(int devices);
    friend bool operator==(const Placement &, const Placement &) = default;
};

/// Passes of all devices in execution order, with the placement. Immutable once built; share it as shared_ptr<const Schedule>.
class Schedule {
public:
    Schedule() = default;
    /// `passesOfDevice[d]` is the order of device d. S, U, T, EF and EB appear on every device when `vocabulary` is sharded.
    Schedule(std::string family, Placement placement, int microbatches, model::VocabularyMethod vocabulary,
             const std::vector<std::vector<Pass>> &passesOfDevice);

    [[nodiscard]] const std::string &family() const { return m_family; }
    [[nodiscard]] const Placement &placement() const { return m_placement; }
    [[nodiscard]] int devices() const { return m_placement.devices; }
    [[nodiscard]] int stages() const { return m_placement.stages(); }
    [[nodiscard]] int microbatches() const { return m_microbatches; }
    [[nodiscard]] model::VocabularyMethod vocabulary() const { return m_vocabulary; }
    /// The passes of a device, in order.
    [[nodiscard]] std::span<const Pass> device(int device) const;
    /// Index of a device's first pass in the numbering of all passes (device by device).
    [[nodiscard]] std::size_t firstIndex(int device) const { return m_begin[static_cast<std::size_t>(device)]; }
    [[nodiscard]] std::size_t passCount() const { return m_passes.size(); }
    friend bool operator==(const Schedule &, const Schedule &) = default;

private:
    std::string m_family;
    Placement m_placement;
    int m_microbatches = 0;
    model::VocabularyMethod m_vocabulary = model::VocabularyMethod::None;
    std::vector<Pass> m_passes;
    std::vector<std::size_t> m_begin{0, 0}; ///< devices + 1 entries
};

} // namespace stagelens::schedule
