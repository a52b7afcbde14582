// Weight versions of schedules that update weights within a step.
#pragma once

#include "engine/runtime/state/parameters.h"

#include <map>
#include <vector>

namespace stagelens::runtime {

/// The weights of a stage with weight stashing (PipeDream, arXiv 1806.03377, section 3.3). Between passes its parameters hold
/// the newest values. Older versions are kept until the last microbatch that used them in its forward has finished.
class WeightStash {
public:
    void add(Parameter &parameter) { m_parameters.push_back(&parameter); }
    /// Drops all microbatches in flight and resets the version counter.
    void clear();
    /// Records that the forward of the microbatch uses the newest weights.
    void keep(int microbatch);
    /// Exchanges the newest weights with those of the microbatch; a second call undoes the first.
    void swap(int microbatch);
    /// Releases the version of the microbatch.
    void release(int microbatch);
    /// Copies the newest weights if a microbatch in flight uses them. Call before an update.
    void keepNewest(backend::Pool &pool, backend::Compute &compute);
    [[nodiscard]] const std::vector<Parameter *> &parameters() const { return m_parameters; }
    /// Returns the number of updates since clear().
    [[nodiscard]] int updates() const { return m_newest; }

private:
    std::vector<Parameter *> m_parameters;
    int m_newest = 0;
    std::map<int, int> m_versions;                      ///< by microbatch in flight
    std::map<int, int> m_users;                         ///< microbatches in flight, by version
    std::map<int, std::vector<backend::Buffer>> m_kept; ///< older versions of what passes read
};

} // namespace stagelens::runtime
