// Numbers the results that passes wait for, so that loops over passes need only an index.
#pragma once

#include "engine/passes/requirements.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// A row of results, one per microbatch: of F or of the input gradient of a stage, or of all devices' S, U, T or EF. B and I
/// share a row, because exactly one of the two exists for each stage and microbatch.
using ResultRow = std::int32_t;
inline constexpr ResultRow kNoRow = -1;

class ResultRows {
public:
    ResultRows(int stages, int devices) : m_stages(stages), m_devices(devices) {}

    [[nodiscard]] std::size_t count() const { return 2 * static_cast<std::size_t>(m_stages) + kShared; }
    /// Returns the row of a pass, or kNoRow if no pass needs its result (W, EB, O).
    [[nodiscard]] ResultRow of(PassKind kind, int stage) const
    {
        switch (kind) {
        case PassKind::F: return stage;
        case PassKind::B:
        case PassKind::I: return m_stages + stage;
        case PassKind::EF: return 2 * m_stages;
        case PassKind::S: return 2 * m_stages + 1;
        case PassKind::U: return 2 * m_stages + 2;
        case PassKind::T: return 2 * m_stages + 3;
        default: return kNoRow;
        }
    }
    [[nodiscard]] bool isShared(ResultRow row) const { return row >= 2 * m_stages; }
    /// Returns the number of passes that produce a result of that row: one per device, or one.
    [[nodiscard]] int makersOf(ResultRow row) const { return isShared(row) ? m_devices : 1; }
    /// Kind and stage of a row's passes (B for both B and I; stage 0 if all devices share it).
    [[nodiscard]] Pass makerOf(ResultRow row) const
    {
        constexpr PassKind kSharedKinds[kShared] = {PassKind::EF, PassKind::S, PassKind::U, PassKind::T};
        if (isShared(row))
            return makePass(kSharedKinds[row - 2 * m_stages], 0, 0);
        return makePass(row < m_stages ? PassKind::F : PassKind::B, row % m_stages, 0);
    }

private:
    static constexpr std::size_t kShared = 4;
    int m_stages;
    int m_devices;
};

} // namespace stagelens::schedule
