// Which ranks of a plan share a node, which links their groups use, and what they send.
#pragma once

#include "engine/layout/mesh.h"
#include "engine/service/engine_service.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagelens::ui {

/// The groups of one axis.
struct TopologyAxis {
    layout::Axis axis = layout::Axis::Pipeline;
    int size = 1;
    int nodes = 1;             ///< that a group spans
    int mostInNode = 1;        ///< ranks of a group in one node
    double bytesPerSecond = 0; ///< of a rank on the slowest link of the group; 0: unknown
    base::Bytes traffic = 0;   ///< that a rank sends in a step, on the device that sends most; 0: unknown
    std::int64_t messages = 0; ///< of the pipeline: that a rank sends in a step, on the device that sends most
    base::Nanos wait = 0;      ///< in which a rank of the busiest device waits for the exchanges; 0: none or unknown
};

struct Topology {
    layout::Mesh mesh;
    int ranksPerNode = 1;
    int nodes = 1;
    base::Nanos iteration = 0;
    std::vector<TopologyAxis> axes; ///< with more than one rank: tensor, context, data, expert, pipeline
};
/// Returns nothing for a plan without hardware, or of one rank.
[[nodiscard]] std::optional<Topology> topologyOf(const service::Prediction &prediction);

/// "Tensor", "Context", "Data", "Expert", "Pipeline"
[[nodiscard]] QString axisText(layout::Axis axis);
/// "Tensor 8: inside a node, 450 GB/s; each rank sends 3.1 GiB a step and waits 18 % of it".
[[nodiscard]] QString axisLine(const TopologyAxis &axis, const Topology &topology);
/// "Rank 17, node 2: device 1, tensor 1, data 0. It shares its layers with ranks 16 to 23 ...".
[[nodiscard]] QString rankSentence(int rank, const Topology &topology);

} // namespace stagelens::ui
