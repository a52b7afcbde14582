// Adafactor (Shazeer & Stern, arXiv 1804.04235) as in T5 and transformers, without momentum. PyTorch's variant adds its epsilon
// after the quotient and decays weights by the rate alone, so its numbers differ.
#include "kernels/include/adafactor.h"

#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stagelens::operators {
namespace {

constexpr std::string_view kSquares = "means of squares are not negative";
constexpr std::array<bool, kParameterKinds> kMatrices{true, true, false};
constexpr std::array<bool, kParameterKinds> kVectors{false, false, true};
constexpr std::array kAdafactorState{StateTensor{"row-means", true, kSquares, StateTensor::Extent::Row, kMatrices},
                                     StateTensor{"column-means", true, kSquares, StateTensor::Extent::Column, kMatrices},
                                     StateTensor{"second-moments", true, kSquares, StateTensor::Extent::Element, kVectors}};
constexpr std::array<std::string_view, 2> kAdafactorOptions{"scale_parameter", "weight_decay"};

kernels::Adafactor adafactorSettings(const OptimizerChoice &choice, const UpdateStep &step)
{
    const double t = step.updates + 1;
    kernels::Adafactor settings;
    settings.learningRate =
        static_cast<float>(choice.scalesByValue ? std::min(choice.learningRate, 1.0 / std::sqrt(t)) : choice.learningRate);
    settings.decay = static_cast<float>(1.0 - std::pow(t, -0.8));
    settings.weightDecay = static_cast<float>(choice.weightDecay);
    settings.gradientScale = step.gradientScale;
    settings.scalesByValue = choice.scalesByValue;
    return settings;
}

std::int64_t sumsOfAdafactor(ParameterKind kind, std::int64_t columns)
{
    return kind == ParameterKind::Vector ? kernels::kAdafactorVectorSums : kernels::adafactorSums(columns);
}

void updateByAdafactor(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels)
{
    kernels.adafactor(adafactorSettings(choice, step));
}

/// Returns the second moment of each element, from the means of its row and its column, and updates those.
std::vector<double> momentsInDouble(const kernels::Adafactor &settings, const ReferencePart &part,
                                    const std::vector<double> &squares)
{
    const auto decay = static_cast<double>(settings.decay);
    std::vector<double> moments = squares;
    if (part.shape.kind == ParameterKind::Vector) {
        for (std::size_t i = 0; i < squares.size(); ++i)
            moments[i] = part.state[2][i] = decay * part.state[2][i] + (1 - decay) * squares[i];
        return moments;
    }
    const auto rows = static_cast<std::size_t>(part.shape.rows);
    const auto columns = static_cast<std::size_t>(part.shape.columns);
    std::vector<double> rowMeans(rows);
    std::vector<double> columnMeans(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            rowMeans[i] += squares[i * columns + j] / static_cast<double>(columns);
            columnMeans[j] += squares[i * columns + j] / static_cast<double>(rows);
        }
    }
    const auto follow = [decay](std::vector<double> &state, const std::vector<double> &means) {
        for (std::size_t i = 0; i < means.size(); ++i)
            state[i] = decay * state[i] + (1 - decay) * means[i];
    };
    follow(part.state[0], rowMeans);
    follow(part.state[1], columnMeans);
    const double mean = std::accumulate(part.state[0].begin(), part.state[0].end(), 0.0) / static_cast<double>(rows);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            moments[i * columns + j] = part.state[0][i] * part.state[1][j] / mean;
    return moments;
}

double meanSquare(std::span<const double> values)
{
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / static_cast<double>(values.size());
}

void adafactorInDouble(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part)
{
    const kernels::Adafactor settings = adafactorSettings(choice, step);
    std::vector<double> update(part.gradient.begin(), part.gradient.end());
    std::vector<double> squares;
    for (double &gradient : update) {
        gradient *= static_cast<double>(settings.gradientScale);
        squares.push_back(gradient * gradient + static_cast<double>(settings.epsilon1));
    }
    const std::vector<double> moments = momentsInDouble(settings, part, squares);
    for (std::size_t i = 0; i < update.size(); ++i)
        update[i] /= std::sqrt(moments[i]);
    auto rate = static_cast<double>(settings.learningRate);
    if (settings.scalesByValue)
        rate *= std::max(static_cast<double>(settings.epsilon2), std::sqrt(meanSquare(part.values)));
    const double limit = std::max(1.0, std::sqrt(meanSquare(update)));
    for (std::size_t i = 0; i < update.size(); ++i)
        part.values[i] -= rate * (update[i] / limit + static_cast<double>(settings.weightDecay) * part.values[i]);
}

} // namespace

const Optimizer &adafactor()
{
    static constexpr Optimizer kAdafactor{.name = "adafactor",
                                          .caption = "Adafactor",
                                          .description = "second moments from the means of rows and columns: almost no state",
                                          .state = kAdafactorState,
                                          .options = kAdafactorOptions,
                                          .granularity = {Granularity::Matrix, Granularity::Matrix, Granularity::Matrix},
                                          .gradientReads = 2,
                                          .sums = sumsOfAdafactor,
                                          .update = updateByAdafactor,
                                          .reference = adafactorInDouble};
    return kAdafactor;
}

} // namespace stagelens::operators
