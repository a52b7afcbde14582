// The requirements of all passes as flat tables. They depend only on kind, stage and direction, so loops over passes need one
// index and no search.
#pragma once

#include "engine/base/units.h"
#include "engine/passes/placement.h"
#include "engine/passes/requirements.h"
#include "engine/passes/result_rows.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// A result that a pass needs, and how it is transferred.
struct Need {
    ResultRow row = kNoRow;
    Transfer transfer = Transfer::Local;
    base::Nanos latency = 0;
};

/// The needs and the result of the passes of one kind, stage and direction.
struct PassNeeds {
    std::array<Need, kMostRequirements> needs{};
    std::uint32_t count = 0;
    ResultRow result = kNoRow; ///< kNoRow if no pass needs it (W, EB)
    [[nodiscard]] const Need *begin() const { return needs.data(); }
    [[nodiscard]] const Need *end() const { return needs.data() + count; }
};

class RequirementTable {
public:
    /// `latency(transfer, from, to)` returns the time from the end of a pass on device `from` until device `to` has its result.
    /// For collectives `from` is the first stage's device.
    template <class Latency>
    RequirementTable(const Placement &placement, model::VocabularyMethod vocabulary, Latency latency)
        : m_stages(static_cast<std::size_t>(placement.stages())), m_rows(placement.stages(), placement.devices),
          m_needs(m_stages * kPassKindCount * static_cast<std::size_t>(placement.directions))
    {
        PassNeeds *own = m_needs.data();
        for (int direction = 0; direction < placement.directions; ++direction)
            for (int kind = 0; kind < kPassKindCount; ++kind)
                for (int stage = 0; stage < placement.stages(); ++stage, ++own)
                    fill(*own, placement, {placement.lastStage(), vocabulary}, makePass(static_cast<PassKind>(kind), stage, 0),
                         direction, latency);
    }

    [[nodiscard]] const PassNeeds &of(PassKind kind, std::size_t stage, int direction = 0) const
    {
        return m_needs[(static_cast<std::size_t>(direction) * kPassKindCount + static_cast<std::size_t>(kind)) * m_stages +
                       stage];
    }
    /// Of all directions, kinds and stages, in this order.
    [[nodiscard]] const std::vector<PassNeeds> &all() const { return m_needs; }
    [[nodiscard]] const ResultRows &rows() const { return m_rows; }
    /// Returns whether any pass needs a result of all devices.
    [[nodiscard]] bool hasShared() const { return m_hasShared; }

private:
    template <class Latency>
    void fill(PassNeeds &own, const Placement &placement, const RequirementRules &rules, const Pass &pass, int direction,
              Latency &latency)
    {
        own.result = m_rows.of(pass.kind, pass.stage);
        forEachRequirement(rules, pass, [&](const Requirement &need) {
            const int from = placement.deviceOf(need.allDevices ? 0 : need.stage, direction);
            m_hasShared = m_hasShared || need.allDevices;
            own.needs[own.count++] = {m_rows.of(need.kind, need.stage), need.transfer,
                                      latency(need.transfer, from, placement.deviceOf(pass.stage, direction))};
        });
    }

    std::size_t m_stages;
    ResultRows m_rows;
    bool m_hasShared = false;
    std::vector<PassNeeds> m_needs;
};

} // namespace stagelens::schedule
