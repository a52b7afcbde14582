// A model's parameters with Hugging Face's names and layout, and a device's part of them.
#pragma once

#include "engine/backend/compute.h"
#include "engine/model/model_config.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// Of first values, in both families.
inline constexpr double kInitialDeviation = 0.02;

enum class Fill : unsigned char { Normal, Ones, Zeros };

/// One tensor of the whole model; vectors have one row. Weights are stored as Hugging Face does, [in, out] in gpt (Conv1D) and
/// [out, in] in llama (Linear), tables [rows, hidden].
struct ParameterInfo {
    std::string name;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    bool isMatrix = false;
    Fill fill = Fill::Zeros;
    double deviation = 0; ///< of Fill::Normal
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
    /// Its shape in a file.
    [[nodiscard]] std::vector<std::int64_t> dimensions() const
    {
        return isMatrix ? std::vector{rows, columns} : std::vector{columns};
    }
};

/// A matrix with normal first values.
[[nodiscard]] ParameterInfo normalMatrix(std::string name, std::int64_t rows, std::int64_t columns,
                                         double deviation = kInitialDeviation);

/// Every parameter of a model; see Anatomy for their order.
[[nodiscard]] std::vector<ParameterInfo> parameterList(const model::ModelConfig &model);
/// Places in that list.
inline constexpr int kTokenTable = 0;
inline constexpr int kPositionTable = 1; ///< where a family has one

/// First values of a parameter's elements from the firstElement-th on. They depend on seed, name and element alone, never on
/// how the model is split.
void initialise(std::span<float> values, const ParameterInfo &info, std::uint64_t seed, std::int64_t firstElement);

/// Master weights as passes of that precision read them.
[[nodiscard]] std::vector<float> asRead(std::vector<float> values, base::Precision precision);

/// Rows [firstRow, firstRow + rows) of a parameter on one device, with gradient and AdamW's moments, all in float but for what
/// kernels read in a run of bf16.
struct Parameter {
    int index = 0; ///< in parameterList()
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    backend::Buffer value;
    /// A run of bf16: `value` rounded, for kernels to read; who writes `value` writes this. Empty otherwise.
    backend::Buffer rounded;
    backend::Buffer gradient;
    backend::Buffer firstMoment;
    backend::Buffer secondMoment;
    /// Tied weights: the output projection's gradient, kept apart from the embedding's and added once at the step's end so that
    /// the order of EB and T passes does not show in the bits. Empty otherwise.
    backend::Buffer outputGradient;
    /// WeightUpdate::DoubleBuffered: what passes read before the last update, with which those of a step compute
    /// (PipeDream-2BW, arXiv 2006.09503, section 3.1). Empty otherwise.
    backend::Buffer previous;
    int updates = 0; ///< by AdamW, whose moments they made
    int stage = -1;  ///< that it belongs to; -1: to the shards of all devices
    /// Another device has the original: of the first direction's weights in the second; of tied weights without vocabulary
    /// parallelism the first stage's for the last. The step's end adds the gradients of both.
    bool isCopy = false;
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
    /// The weights that passes read: `value`, or its rounded copy.
    [[nodiscard]] backend::Buffer &read() { return rounded.size() > 0 ? rounded : value; }
    [[nodiscard]] backend::ConstValues weights() const
    {
        return rounded.size() > 0 ? backend::ConstValues(rounded.data(), base::Precision::Bf16) : value.data();
    }
    /// The numbers of one of the buffers above; none where that is empty.
    [[nodiscard]] backend::Values numbers(backend::Buffer Parameter::*part)
    {
        const bool isRead = part == &Parameter::rounded || part == &Parameter::previous;
        return {(this->*part).data(), isRead ? weights().precision() : base::Precision::Fp32};
    }
};

/// Allocates and initialises rows of a parameter.
[[nodiscard]] Parameter makeParameter(backend::Pool &pool, const std::vector<ParameterInfo> &list, int index,
                                      std::uint64_t seed, std::int64_t firstRow, std::int64_t rows, backend::Compute &compute);
/// Memory for another version of what passes read.
[[nodiscard]] backend::Buffer takeVersion(backend::Pool &pool, Parameter &parameter);

} // namespace stagelens::runtime
