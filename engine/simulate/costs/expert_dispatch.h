// How often a token travels to the ranks of its experts.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/model/experiment.h"

#include <vector>

namespace stagelens::simulate {

/// On how many ranks and nodes the experts of a token are, with the token's own: means over equally popular experts.
struct ExpertPlaces {
    double ranks = 1;
    double nodes = 1;
};

/// Returns the places of a token's experts, which are divided over `ranks` ranks on nodes as in `span`. A node limit
/// (ModelConfig::routerGroupLimit) counts if each group is on one node, or has nodes of its own: a token then has experts on
/// every node of its groups. Else its k experts are any k of all.
[[nodiscard]] ExpertPlaces expertPlaces(const model::ModelConfig &model, int ranks, const layout::NodeSpan &span);

/// Returns the ranks of a node: those of the plan's hardware, or 8 if durations are given.
[[nodiscard]] int ranksPerNode(const model::Experiment &experiment);
/// Returns the node of each rank of the expert group that `rank` belongs to, if tokens are sent once to each node; else
/// nothing.
[[nodiscard]] std::vector<int> forwardingNodes(const model::Experiment &experiment, const layout::Mesh &mesh, int rank);

} // namespace stagelens::simulate
