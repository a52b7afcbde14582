#include "engine/service/plans/launch_lines.h"

#include "engine/base/shell_words.h"
#include "engine/base/text.h"
#include "engine/runtime/remote/host.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace stagelens::service {

base::Result<LaunchLines> launchLines(const LaunchPlan &plan)
{
    const auto refused = [](std::string why) { return base::Error::invalid("--nodes", std::move(why)); };
    for (const std::string &node : plan.nodes) {
        if (const auto sound = runtime::checkHost(node); !sound)
            return refused(sound.error().problems.front().message);
        if (node.find_first_of("@:[]") != std::string::npos)
            return refused(fmt::format("{} is not a host name; launchers take names without user and port", node));
    }
    if (std::set<std::string>(plan.nodes.begin(), plan.nodes.end()).size() < plan.nodes.size())
        return refused("names a node twice; name each once");
    const std::int64_t perNode = std::max(1, plan.ranksPerNode);
    const std::int64_t nodes = plan.nodes.empty() ? (plan.ranks + perNode - 1) / perNode : std::ssize(plan.nodes);
    if (plan.ranks % nodes != 0)
        return refused(fmt::format("{} nodes do not divide the plan's {} ranks evenly; choose a number of nodes that does",
                                   nodes, plan.ranks));
    const std::int64_t each = plan.ranks / nodes;
    std::vector<std::string> hosts;
    for (const std::string &node : plan.nodes)
        hosts.push_back(fmt::format("{}:{}", node, each));
    // Ranks fill the nodes in order, as the prediction assumes.
    std::vector<std::string> mpirun{"mpirun", "-n", std::to_string(plan.ranks)};
    if (!hosts.empty())
        mpirun.insert(mpirun.end(), {"--host", base::join(hosts, ",")});
    mpirun.insert(mpirun.end(), {"--map-by", fmt::format("ppr:{}:node", each), "--bind-to", "none", "stagelens-cli"});
    std::vector<std::string> srun{"srun",
                                  fmt::format("--nodes={}", nodes),
                                  fmt::format("--ntasks={}", plan.ranks),
                                  fmt::format("--ntasks-per-node={}", each),
                                  "--distribution=block",
                                  "--mpi=pmix"};
    if (!plan.nodes.empty())
        srun.push_back("--nodelist=" + base::join(plan.nodes, ","));
    srun.emplace_back("stagelens-cli");
    for (auto *line : {&mpirun, &srun})
        line->insert(line->end(), plan.arguments.begin(), plan.arguments.end());
    return LaunchLines{base::shellLine(mpirun), base::shellLine(srun)};
}

} // namespace stagelens::service
