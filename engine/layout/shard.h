// How tensors are cut over the ranks of a mesh.
#pragma once

#include "engine/layout/mesh.h"

#include <cstdint>

namespace stagelens::layout {

/// Elements [begin, end) of a dimension; may be empty.
struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
    friend bool operator==(const Interval &, const Interval &) = default;
};

/// The part of a tensor that a rank holds.
struct Shard {
    int dimension = 0; ///< the one that is cut
    int part = 0;
    int parts = 1;
    Axes replicated; ///< ranks that differ only in these axes hold the same part

    /// Returns the part of `extent` elements: the dimension is padded to a multiple of the parts, so that all parts are equal
    /// but the last ones, which may be short or empty of real elements.
    [[nodiscard]] Interval of(std::int64_t extent) const;
};

/// Returns the shard of a rank for a tensor that is cut over the ranks that differ in the axes `cut`, and of which the ranks
/// that differ in `replicated` hold copies.
[[nodiscard]] Shard shardOf(const Mesh &mesh, int rank, int dimension, Axes cut, Axes replicated = {});

/// Returns the vocabulary rows of a pipeline device of a plan whose vocabulary layers are sharded over its devices.
[[nodiscard]] Interval vocabularyRows(const model::Experiment &experiment, int devices, int device);

} // namespace stagelens::layout
