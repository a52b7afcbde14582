// The commands that start a run of several processes on several machines.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <string>
#include <vector>

namespace stagelens::service {

/// What a launch starts.
struct LaunchPlan {
    std::int64_t ranks = 1;             ///< processes, one a rank
    std::vector<std::string> nodes;     ///< host names; empty: their number follows from ranksPerNode
    int ranksPerNode = 1;               ///< most processes of a node, if no nodes are named
    std::vector<std::string> arguments; ///< of stagelens-cli, from the command on
};
/// The same launch for two launchers, quoted for a POSIX shell.
struct LaunchLines {
    std::string mpirun;
    std::string srun;
};
/// Fails with InvalidInput and field "--nodes" if a name is not usable, or if the ranks cannot be divided over the nodes.
[[nodiscard]] base::Result<LaunchLines> launchLines(const LaunchPlan &plan);

} // namespace stagelens::service
