#include "engine/layout/shard.h"

#include <algorithm>
#include <stdexcept>

namespace stagelens::layout {

Interval Shard::of(std::int64_t extent) const
{
    const std::int64_t each = (extent + parts - 1) / parts;
    return {std::min(part * each, extent), std::min((part + 1) * each, extent)};
}

Shard shardOf(const Mesh &mesh, int rank, int dimension, Axes cut, Axes replicated)
{
    if (cut.intersects(replicated))
        throw std::invalid_argument("a tensor is cut and replicated along one axis");
    const Group group = mesh.group(rank, cut);
    return {dimension, group.index, static_cast<int>(group.ranks.size()), replicated};
}

Interval vocabularyRows(const model::Experiment &experiment, int devices, int device)
{
    const Mesh mesh = meshOf(experiment.parallel, devices).value();
    Coordinates at;
    at[Axis::Pipeline] = device;
    constexpr Axes kCopies{Axis::Tensor, Axis::Context, Axis::Data};
    return shardOf(mesh, mesh.rankOf(at), 0, {Axis::Pipeline}, kCopies).of(experiment.model.vocabularySize);
}

} // namespace stagelens::layout
