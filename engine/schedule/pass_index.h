// The position of each pass of a plan in a schedule.
#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

namespace stagelens::schedule {

/// The passes that a plan (placement, microbatches, vocabulary method) needs, each with its number among all passes. O(passes
/// of the plan) to build, O(1) to query.
class PassIndex {
public:
    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    enum class Added : unsigned char { Yes, NotInPlan, WrongDevice, Twice };
    /// The position of a pass of the plan.
    struct Place {
        int device = 0;
        std::optional<std::size_t> position; ///< in the device's order; nothing if the pass is absent
    };

    /// Empty; add() fills it.
    explicit PassIndex(const Schedule &schedule);

    /// Passes of the plan of that schedule, added or not.
    [[nodiscard]] static std::size_t plannedPasses(const Schedule &schedule);

    /// Adds the pass with number `number` in the whole schedule, which runs on `device`.
    Added add(const Pass &pass, int device, std::size_t number);

    /// The kinds that the plan needs. B means the backward, or its I if it is split; W is included if any backward is split.
    [[nodiscard]] std::span<const PassKind> kinds() const { return m_kinds; }
    /// A pass kind's units are the stages, or the devices for vocabulary passes.
    [[nodiscard]] int units(PassKind kind) const { return isVocabularyPass(kind) ? m_devices : m_stages; }
    /// Returns the pass's number, or kAbsent. B and I are equivalent, because exactly one of them exists.
    [[nodiscard]] std::uint32_t at(PassKind kind, int unit, int microbatch) const
    {
        return m_numbers[cell(kind, unit, microbatch)];
    }
    /// Returns the units whose passes produce a result together: all devices, or the stage of the pass.
    [[nodiscard]] auto makersOf(const Pass &pass) const
    {
        return isVocabularyPass(pass.kind) ? std::views::iota(0, m_devices) : std::views::iota(int{pass.stage}, pass.stage + 1);
    }
    [[nodiscard]] Place placeOf(PassKind kind, int unit, int microbatch) const
    {
        const Placement &placement = m_schedule.placement();
        const int device = isVocabularyPass(kind) ? unit : placement.deviceOf(unit, placement.directionOf(microbatch));
        const std::uint32_t number = at(kind, unit, microbatch);
        return {device, number == kAbsent ? std::nullopt : std::optional(number - m_schedule.firstIndex(device))};
    }
    /// Returns the number of exactly this pass, or kAbsent if it does not belong to the plan.
    [[nodiscard]] std::uint32_t at(const Pass &pass, int device) const
    {
        return isPlanned(pass) ? at(pass.kind, isVocabularyPass(pass.kind) ? device : pass.stage, pass.microbatch) : kAbsent;
    }
    /// Returns whether the plan's pass is the one at that position: false for repeated and misplaced passes.
    [[nodiscard]] bool isAt(int device, std::size_t position) const
    {
        return at(m_schedule.device(device)[position], device) == m_schedule.firstIndex(device) + position;
    }
    /// Returns how many passes of the schedule belong to the plan.
    [[nodiscard]] std::size_t added() const { return m_added; }

private:
    [[nodiscard]] bool isPlanned(const Pass &pass) const
    {
        return m_isPlannedKind[static_cast<std::size_t>(pass.kind)] && pass.microbatch >= 0 &&
               pass.microbatch < m_microbatches && pass.stage < m_stages;
    }
    [[nodiscard]] std::size_t cell(PassKind kind, int unit, int microbatch) const
    {
        // I shares the row of B.
        const std::size_t row = m_firstUnit[static_cast<std::size_t>(kind)] + static_cast<std::size_t>(unit);
        return row * static_cast<std::size_t>(m_microbatches) + static_cast<std::size_t>(microbatch);
    }

    const Schedule &m_schedule;
    int m_devices;
    int m_stages;
    int m_microbatches;
    std::size_t m_added = 0;
    std::vector<PassKind> m_kinds;
    std::array<std::size_t, kPassKindCount> m_firstUnit{};
    std::array<bool, kPassKindCount> m_isPlannedKind{};
    std::vector<int> m_firstStage; ///< of each device
    std::vector<std::uint32_t> m_numbers;
};

/// Returns an index of all passes of the schedule, which must outlive it.
[[nodiscard]] PassIndex indexOf(const Schedule &schedule);

} // namespace stagelens::schedule
