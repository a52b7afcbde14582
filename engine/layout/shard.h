// How tensors are cut over the ranks of a mesh.
#pragma once

#include "engine/layout/mesh.h"

#include <cstdint>
#include <vector>

namespace stagelens::layout {

/// Elements [begin, end) of a dimension; may be empty.
struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
    friend bool operator==(const Interval &, const Interval &) = default;
};

/// Rows and columns of a row-major matrix that a rank holds, in this order, as a matrix of its own.
struct MatrixPart {
    Interval rows;
    std::vector<Interval> columns; ///< not empty; each after the one before
    std::int64_t wholeColumns = 0; ///< of the whole matrix

    /// Returns rows [first, first + count) with all columns.
    [[nodiscard]] static MatrixPart ofRows(std::int64_t first, std::int64_t count, std::int64_t columns)
    {
        return {{first, first + count}, {{0, columns}}, columns};
    }
    [[nodiscard]] std::int64_t width() const;
    [[nodiscard]] std::int64_t count() const { return rows.size() * width(); }
    /// Calls `visit(first element in the part, first element in the whole matrix, count)` for each run of elements of `piece`,
    /// counted in the part, that is contiguous in both.
    template <class Visit>
    void eachRun(const Interval &piece, const Visit &visit) const;
};

/// The part of a tensor that a rank holds.
struct Shard {
    int dimension = 0; ///< the one that is cut
    int part = 0;
    int parts = 1;
    Axes replicated; ///< ranks that differ only in these axes hold the same part

    /// Returns the part of `extent` elements. The dimension is padded to a multiple of the parts, so all parts are equal,
    /// except that the last ones may have fewer real elements or none.
    [[nodiscard]] Interval of(std::int64_t extent) const;
};

/// Returns the shard of a rank for a tensor that is cut over the axes `cut` and replicated over the axes `replicated`.
[[nodiscard]] Shard shardOf(const Mesh &mesh, int rank, int dimension, Axes cut, Axes replicated = {});

/// Returns the vocabulary rows of a tensor rank of a pipeline device. The tables are cut over the tensor ranks, unless these
/// divide the tokens, and, if `overDevices`, over the devices: part `device` x t + `tensor`.
[[nodiscard]] Interval vocabularyRows(const model::Experiment &experiment, int devices, int device, int tensor = 0,
                                      bool overDevices = true);
/// Returns the same of the input table, which has other rows if the input is hashed.
[[nodiscard]] Interval inputTableRows(const model::Experiment &experiment, int devices, int device, int tensor = 0,
                                      bool overDevices = true);

/// Returns the same of the table of a tail of an adaptive softmax: its first row is 0.
[[nodiscard]] Interval tailRows(const model::VocabularyTail &tail, const model::Experiment &experiment, int devices, int device,
                                int tensor = 0, bool overDevices = true);

template <class Visit>
void MatrixPart::eachRun(const Interval &piece, const Visit &visit) const
{
    const std::int64_t own = width();
    if (own == wholeColumns) { // whole rows
        if (piece.size() > 0)
            visit(piece.begin, rows.begin * wholeColumns + piece.begin, piece.size());
        return;
    }
    for (std::int64_t row = own > 0 ? piece.begin / own : 0; row * own < piece.end; ++row) {
        std::int64_t first = row * own; // of the section in the part
        for (const Interval &section : columns) {
            const std::int64_t begin = first > piece.begin ? first : piece.begin;
            const std::int64_t end = first + section.size() < piece.end ? first + section.size() : piece.end;
            if (begin < end)
                visit(begin, (rows.begin + row) * wholeColumns + section.begin + (begin - first), end - begin);
            first += section.size();
        }
    }
}

} // namespace stagelens::layout
