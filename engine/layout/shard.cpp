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

std::int64_t MatrixPart::width() const
{
    std::int64_t sum = 0;
    for (const Interval &section : columns)
        sum += section.size();
    return sum;
}

static Interval rowsOf(std::int64_t rows, const model::Experiment &experiment, int devices, int device, int tensor,
                       bool overDevices)
{
    const Mesh mesh = meshOf(experiment.parallel, devices).value();
    Coordinates at;
    at[Axis::Pipeline] = device;
    at[Axis::Tensor] = tensor;
    // A group numbers the tensor ranks of a device one after another.
    Axes cut;
    Axes copies{Axis::Context, Axis::Data};
    (experiment.parallel.dividesVocabularyByTokens() ? copies : cut) |= Axes{Axis::Tensor};
    (overDevices ? cut : copies) |= Axes{Axis::Pipeline};
    return shardOf(mesh, mesh.rankOf(at), 0, cut, copies).of(rows);
}

Interval vocabularyRows(const model::Experiment &experiment, int devices, int device, int tensor, bool overDevices)
{
    return rowsOf(experiment.model.outputRows(), experiment, devices, device, tensor, overDevices);
}

Interval inputTableRows(const model::Experiment &experiment, int devices, int device, int tensor, bool overDevices)
{
    return rowsOf(experiment.model.inputRows(), experiment, devices, device, tensor, overDevices);
}

Interval tailRows(const model::VocabularyTail &tail, const model::Experiment &experiment, int devices, int device, int tensor,
                  bool overDevices)
{
    return rowsOf(tail.words(), experiment, devices, device, tensor, overDevices);
}

} // namespace stagelens::layout
