// The parameters of a model, with the names and layout of Hugging Face.
#pragma once

#include "engine/base/precision.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/operators/optimizers/optimizer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Standard deviation of initial values, in both architectures.
inline constexpr double kInitialDeviation = 0.02;

enum class Fill : unsigned char { Normal, Ones, Zeros };

/// A parameter of the whole model; vectors have one row. Weights are stored as in Hugging Face: [in, out] in gpt (Conv1D),
/// [out, in] in llama (Linear), tables [rows, hidden], maps of a factorised vocabulary [E, hidden].
struct ParameterInfo {
    std::string name;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    bool isMatrix = false;
    Fill fill = Fill::Zeros;
    double deviation = 0;        ///< of Fill::Normal
    bool isTable = false;        ///< embeddings, or the output projection
    std::int64_t matrixRows = 0; ///< of each expert's matrix, if those of all experts are stacked by rows; 0: it is one
    /// The selection bias of a router. Its "gradient" is by how much the rows of each expert exceed the mean, times the number
    /// of experts; it has no part in the gradient's norm.
    bool isRouterBias = false;
    [[nodiscard]] operators::ParameterKind kind() const
    {
        if (isTable)
            return operators::ParameterKind::Table;
        return isMatrix ? operators::ParameterKind::Matrix : operators::ParameterKind::Vector;
    }
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
    [[nodiscard]] operators::PartShape shape() const { return {rows, columns, kind(), matrixRows}; }
    /// Returns its shape in a file.
    [[nodiscard]] std::vector<std::int64_t> dimensions() const
    {
        return isMatrix ? std::vector{rows, columns} : std::vector{columns};
    }
};

/// Describes a matrix with normally distributed initial values.
[[nodiscard]] ParameterInfo normalMatrix(std::string name, std::int64_t rows, std::int64_t columns,
                                         double deviation = kInitialDeviation);

/// Returns every parameter of a model in the order of state_dict(): the token table, the position table, the layers, weight and
/// bias of the final norm, the maps of a factorised vocabulary or of several output heads, the tails of an adaptive softmax,
/// and the output projection of an untied model.
[[nodiscard]] std::vector<ParameterInfo> parameterList(const model::ModelConfig &model);
/// Returns the index of a layer's first parameter in that list; layer == layers gives the weight of the final norm.
[[nodiscard]] int firstOfLayer(const model::ModelConfig &model, int layer);
/// Returns the index of the first of these maps in that list: that of the input, if any, then that of the output.
[[nodiscard]] int firstVocabularyMap(const model::ModelConfig &model);
/// Returns the index of the map of the first tail of an adaptive softmax; its table and those of further tails follow.
[[nodiscard]] int firstTail(const model::ModelConfig &model);
/// Indices in that list.
inline constexpr int kTokenTable = 0;
inline constexpr int kPositionTable = 1; ///< if the architecture has one

/// Computes the initial values of a parameter from element `firstElement` on. They depend only on seed, name and element, not
/// on the partition of the model.
void initialise(std::span<float> values, const ParameterInfo &info, std::uint64_t seed, std::int64_t firstElement);

/// Rounds master weights to the precision in which passes read them.
[[nodiscard]] std::vector<float> asRead(std::vector<float> values, base::Precision precision);

} // namespace stagelens::runtime
