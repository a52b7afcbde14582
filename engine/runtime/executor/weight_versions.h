// Versions of the weights, where they change before all microbatches of a step are through.
#pragma once

#include "engine/runtime/state/parameters.h"
#include "engine/schedule/schedule.h"

#include <map>
#include <vector>

namespace stagelens::runtime {

/// Whether a pass is the last of its microbatch on its stage, after which PipeDream updates the stage: B, or W where split.
[[nodiscard]] constexpr bool endsBackward(schedule::PassKind kind)
{
    return schedule::activationChange(kind) < 0;
}

/// Under WeightUpdate::EachMicrobatch, by stage and microbatch: how many updates of the step stand before the forward on its
/// device. The microbatch's backward computes with the same weights.
[[nodiscard]] std::vector<std::vector<int>> forwardVersions(const schedule::Schedule &schedule);

/// A stage under weight stashing (PipeDream, arXiv 1806.03377, section 3.3). Between passes its parameters have the newest
/// values; older ones are kept as long as a microbatch in flight has been forward with them.
class WeightStash {
public:
    void add(Parameter &parameter) { m_parameters.push_back(&parameter); }
    /// Forgets every microbatch in flight, and counts updates from 0 again.
    void clear();
    /// The microbatch goes forward with the newest weights.
    void keep(int microbatch);
    /// Puts the microbatch's weights in the place of the newest ones; called again, the other way round.
    void swap(int microbatch);
    /// The microbatch is through.
    void release(int microbatch);
    /// The newest weights are about to change: copies them where a microbatch in flight has them.
    void keepNewest(backend::Pool &pool, backend::Compute &compute);
    [[nodiscard]] const std::vector<Parameter *> &parameters() const { return m_parameters; }
    /// Changes since clear().
    [[nodiscard]] int updates() const { return m_newest; }

private:
    std::vector<Parameter *> m_parameters;
    int m_newest = 0;
    std::map<int, int> m_versions;                      ///< by microbatch in flight
    std::map<int, int> m_users;                         ///< microbatches in flight, by version
    std::map<int, std::vector<backend::Buffer>> m_kept; ///< what passes read of older versions, by version
};

} // namespace stagelens::runtime
