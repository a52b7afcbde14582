// Gradients of parameters of which several devices hold copies.
#pragma once

#include "engine/runtime/executor/executor.h"
#include "engine/runtime/processes/control_channel.h"

#include <vector>

namespace stagelens::runtime {

/// Sums the gradients of copies, through the transport if they are in several processes. See Parameter::isCopy.
class CopiedGradients {
public:
    /// Exchanges which processes hold which parameters or copies. Collective; does nothing if all devices are in this process.
    [[nodiscard]] base::Result<> exchangeHolders(const RunPlan &plan, ControlChannel &control, const Devices &devices);
    /// Returns the messages of sum(), in the order for backend::Transport::announce().
    [[nodiscard]] std::vector<backend::Message> messages(const RunPlan &plan) const;
    /// Adds the gradients of tied output projections and of copies, and writes each sum to all copies. Allocates messages from
    /// `pool`.
    [[nodiscard]] base::Result<> sum(const RunPlan &plan, const Devices &devices, backend::Transport &transport,
                                     backend::Pool &pool);

private:
    /// The devices of this replica that hold all rows of a parameter. Shards have no copies.
    struct Holders {
        int original = 0;
        std::vector<int> copies;
    };
    std::vector<Holders> m_holders; ///< by parameter; empty if all devices are in this process
};

} // namespace stagelens::runtime
