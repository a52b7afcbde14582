// The schedule: the passes of every device, in order. The same object is predicted, trained and drawn.
#pragma once

#include "engine/model/experiment.h"
#include "engine/passes/placement.h"
#include "engine/passes/requirements.h"
#include "engine/schedule/copies.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

/// Maximum size of a schedule, built or read: stages and devices have 16 bits, and tables with an entry per pass must fit.
inline constexpr int kMostStages = 65'535;
inline constexpr std::size_t kMostPasses = 20'000'000;

/// When a device's weights change.
enum class WeightUpdate : unsigned char {
    EndOfStep,      ///< after all microbatches: synchronous
    EachMicrobatch, ///< after every backward; each microbatch keeps the weights of its forward (PipeDream's weight stashing)
    DoubleBuffered, ///< after all microbatches, one step late: no flush between steps (PipeDream-2BW)
};
[[nodiscard]] std::string_view name(WeightUpdate update); ///< "end-of-step", "each-microbatch", "double-buffered"
[[nodiscard]] std::optional<WeightUpdate> parseWeightUpdate(std::string_view text);

/// Passes of all devices in execution order, with the placement. Immutable once built; share it as shared_ptr<const Schedule>.
class Schedule {
public:
    Schedule() = default;
    /// With slices of sequences, `microbatches` and the microbatch numbers of passes count slices: slice q of sequence i is
    /// i * slices + q.
    /// `passesOfDevice[d]` is the order of device d. S, U, T, EF and EB appear on every device when `vocabulary` is sharded.
    Schedule(std::string family, Placement placement, int microbatches, model::VocabularyMethod vocabulary,
             const std::vector<std::vector<Pass>> &passesOfDevice, WeightUpdate update = WeightUpdate::EndOfStep,
             int slices = 1);

    [[nodiscard]] const std::string &family() const { return m_family; }
    [[nodiscard]] const Placement &placement() const { return m_placement; }
    [[nodiscard]] int devices() const { return m_placement.devices; }
    [[nodiscard]] int stages() const { return m_placement.stages(); }
    [[nodiscard]] int microbatches() const { return m_microbatches; } ///< of all iterations
    [[nodiscard]] int iterations() const { return m_iterations; }     ///< consecutive steps; those of a step follow each other
    [[nodiscard]] int stepMicrobatches() const { return m_microbatches / m_iterations; }
    /// Returns the step of a pass, counted from 0.
    [[nodiscard]] int stepOf(const Pass &pass) const { return pass.microbatch / stepMicrobatches(); }
    [[nodiscard]] int slices() const { return m_slices; } ///< of a sequence; 1: sequences are not cut
    [[nodiscard]] model::VocabularyMethod vocabulary() const { return m_vocabulary; }
    [[nodiscard]] WeightUpdate weightUpdate() const { return m_weightUpdate; }
    /// Returns the rules that determine the requirements of its passes.
    [[nodiscard]] RequirementRules rules() const { return {m_placement.lastStage(), m_vocabulary, m_slices}; }
    [[nodiscard]] bool isSynchronous() const { return m_weightUpdate == WeightUpdate::EndOfStep; }
    /// Whether every device waits for the end of a step before it begins the next.
    [[nodiscard]] bool drainsBetweenSteps() const { return m_iterations > 1 && isSynchronous(); }
    /// The passes of a device, in order.
    [[nodiscard]] std::span<const Pass> device(int device) const;
    /// Returns whether there are passes of that kind.
    [[nodiscard]] bool runs(PassKind kind) const;
    /// Index of a device's first pass in the numbering of all passes (device by device).
    [[nodiscard]] std::size_t firstIndex(int device) const { return m_begin[static_cast<std::size_t>(device)]; }
    [[nodiscard]] std::size_t passCount() const { return m_passes.size(); }
    /// Returns the schedule with these copies of each device, sorted by launch; those of one launch begin in this order.
    [[nodiscard]] Schedule withCopies(std::vector<std::vector<Copy>> copiesOfDevice) const;
    [[nodiscard]] bool hasCopies() const { return !m_copies.empty(); }
    /// Copies of a device between it and its host; empty without offload.
    [[nodiscard]] std::span<const Copy> copies(int device) const
    {
        return hasCopies() ? m_copies[static_cast<std::size_t>(device)] : std::span<const Copy>();
    }
    /// Returns the same passes as those of that many steps, which must divide the microbatches.
    [[nodiscard]] Schedule asIterations(int iterations) const;
    /// Returns that many copies of a schedule of one step, one after the other on every device.
    [[nodiscard]] Schedule repeated(int iterations) const;
    /// Returns the first step of repeated().
    [[nodiscard]] Schedule firstStep() const;
    friend bool operator==(const Schedule &, const Schedule &) = default;

private:
    std::string m_family;
    Placement m_placement;
    int m_microbatches = 0;
    int m_slices = 1;
    int m_iterations = 1;
    model::VocabularyMethod m_vocabulary = model::VocabularyMethod::None;
    WeightUpdate m_weightUpdate = WeightUpdate::EndOfStep;
    std::vector<Pass> m_passes;
    std::vector<std::size_t> m_begin{0, 0};  ///< devices + 1 entries
    std::vector<std::vector<Copy>> m_copies; ///< of each device; empty if no device has any
};

/// Returns the maximum number of activations (of one stage and microbatch, from F to the end of B, or of W if split) on a
/// device.
[[nodiscard]] int peakActivations(std::span<const Pass> passes);
[[nodiscard]] inline int peakActivations(const Schedule &schedule, int device)
{
    return peakActivations(schedule.device(device));
}

/// Returns the number of weight versions on a device: one; two if they are double-buffered; one for each microbatch in flight
/// if each microbatch keeps its own (PipeDream).
[[nodiscard]] int weightVersions(const Schedule &schedule, int device);

} // namespace stagelens::schedule
