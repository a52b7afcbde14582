// Muon (Jordan et al., 2024): gradients of a matrix are summed, and the sum is replaced by a nearly orthogonal matrix with the
// same singular vectors. Tables and vectors are updated by AdamW.
#include "kernels/include/adamw.h"

#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::operators {
namespace {

constexpr std::array<bool, kParameterKinds> kMatrix{false, true, false};
constexpr std::array<bool, kParameterKinds> kOthers{true, false, true};
constexpr std::array kMuonState{
    StateTensor{"momentum", false, {}, StateTensor::Extent::Element, kMatrix},
    StateTensor{"first-moments", false, {}, StateTensor::Extent::Element, kOthers},
    StateTensor{"second-moments", true, "second moments are sums of squares", StateTensor::Extent::Element, kOthers}};
constexpr std::size_t kAdamwState = 1; ///< the first tensor of tables and vectors
constexpr std::array<std::string_view, 4> kMuonOptions{"betas", "momentum", "table_lr", "weight_decay"};

// The polynomial of an iteration moves singular values towards 1, and is steep at 0.
constexpr int kIterations = 5;
constexpr float kLinear = 3.4445F;
constexpr float kCubic = -4.7750F;
constexpr float kQuintic = 2.0315F;
constexpr double kAgainstZero = 1e-7;

kernels::AdamW othersSettings(const OptimizerChoice &choice, const UpdateStep &step)
{
    return {.learningRate = static_cast<float>(choice.tableRate),
            .beta1 = static_cast<float>(choice.beta1),
            .beta2 = static_cast<float>(choice.beta2),
            .weightDecay = static_cast<float>(choice.weightDecay),
            .gradientScale = step.gradientScale,
            .correction1 = static_cast<float>(1.0 - std::pow(choice.beta1, step.updates + 1)),
            .correction2 = static_cast<float>(1.0 - std::pow(choice.beta2, step.updates + 1))};
}

/// A tall matrix moves farther, so that its product with an input changes as much as a wide one's.
double shapeFactor(const PartShape &part)
{
    return std::sqrt(std::max(1.0, static_cast<double>(part.rows) / static_cast<double>(part.columns)));
}

/// Two matrices of the part's shape, and two squares of its smaller side.
std::int64_t muonScratch(const PartShape &part)
{
    const std::int64_t side = std::min(part.rows, part.columns);
    return part.kind == ParameterKind::Matrix ? 2 * part.count() + 2 * side * side : 0;
}

/// Of a product: 2 n^2 c for X X^T and for the last one, 2 n^3 for the square.
double muonFlops(const PartShape &part)
{
    const auto small = static_cast<double>(std::min(part.rows, part.columns));
    const auto large = static_cast<double>(std::max(part.rows, part.columns));
    return part.kind == ParameterKind::Matrix ? kIterations * (4 * small * small * large + 2 * small * small * small) : 0;
}

/// Replaces the matrix in the scratch memory by a nearly orthogonal one. Returns its place in the scratch memory.
UpdateTensor orthogonalised(const PartShape &part, UpdateKernels &kernels)
{
    const bool isWide = part.rows <= part.columns;
    const std::int64_t side = std::min(part.rows, part.columns);
    const std::int64_t long_ = std::max(part.rows, part.columns);
    const auto scratch = [](std::int64_t offset, std::int64_t count) {
        return UpdateTensor{UpdateTensor::Kind::Scratch, 0, offset, count};
    };
    UpdateTensor x = scratch(0, part.count());
    UpdateTensor next = scratch(part.count(), part.count());
    const UpdateTensor square = scratch(2 * part.count(), side * side);
    const UpdateTensor polynomial = scratch(2 * part.count() + side * side, side * side);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        // X X^T of a wide matrix, X^T X of a tall one.
        kernels.multiply({.rows = side,
                          .columns = side,
                          .inner = long_,
                          .a = x,
                          .b = x,
                          .c = square,
                          .transposesA = !isWide,
                          .transposesB = isWide});
        kernels.multiply({.rows = side, .columns = side, .inner = side, .a = square, .b = square, .c = polynomial});
        kernels.scale(polynomial, polynomial, kQuintic);
        kernels.addScaled(polynomial, square, kCubic);
        kernels.scale(next, x, kLinear);
        kernels.multiply({.rows = part.rows,
                          .columns = part.columns,
                          .inner = side,
                          .a = isWide ? polynomial : x,
                          .b = isWide ? x : polynomial,
                          .c = next,
                          .beta = 1});
        std::swap(x, next);
    }
    return x;
}

void updateByMuon(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels)
{
    if (step.part.kind != ParameterKind::Matrix)
        return kernels.adamw(othersSettings(choice, step), kAdamwState);
    constexpr UpdateTensor kValue{UpdateTensor::Kind::Value};
    constexpr UpdateTensor kMomentum{UpdateTensor::Kind::State, 0};
    kernels.scale(kMomentum, kMomentum, static_cast<float>(choice.momentum));
    kernels.addScaled(kMomentum, {UpdateTensor::Kind::Gradient}, step.gradientScale);
    const double norm = std::sqrt(kernels.squares(kMomentum)) + kAgainstZero;
    kernels.scale({UpdateTensor::Kind::Scratch, 0, 0, step.part.count()}, kMomentum, static_cast<float>(1 / norm));
    const UpdateTensor direction = orthogonalised(step.part, kernels);
    if (choice.weightDecay > 0)
        kernels.scale(kValue, kValue, static_cast<float>(1 - choice.learningRate * choice.weightDecay));
    kernels.addScaled(kValue, direction, static_cast<float>(-choice.learningRate * shapeFactor(step.part)));
}

/// A matrix in float64.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values = std::vector<double>(rows * columns);
    [[nodiscard]] double at(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

Matrix transposed(const Matrix &a)
{
    Matrix result{a.columns, a.rows};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j)
            result.values[j * a.rows + i] = a.at(i, j);
    return result;
}

Matrix product(const Matrix &a, const Matrix &b)
{
    Matrix result{a.rows, b.columns};
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t j = 0; j < b.columns; ++j)
                result.values[i * b.columns + j] += a.at(i, k) * b.at(k, j);
    return result;
}

void muonInDouble(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part)
{
    if (part.shape.kind != ParameterKind::Matrix)
        return adamwReference(othersSettings(choice, step), part, kAdamwState);
    Matrix x{static_cast<std::size_t>(part.shape.rows), static_cast<std::size_t>(part.shape.columns)};
    double squares = 0;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        double &momentum = part.state[0][i];
        momentum = static_cast<double>(static_cast<float>(choice.momentum)) * momentum +
                   static_cast<double>(step.gradientScale) * part.gradient[i];
        x.values[i] = momentum;
        squares += momentum * momentum;
    }
    for (double &value : x.values)
        value /= std::sqrt(squares) + kAgainstZero;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        const Matrix cubed = product(product(x, transposed(x)), x);
        const Matrix fifth = product(product(x, transposed(x)), cubed);
        for (std::size_t i = 0; i < x.values.size(); ++i)
            x.values[i] = static_cast<double>(kLinear) * x.values[i] + static_cast<double>(kCubic) * cubed.values[i] +
                          static_cast<double>(kQuintic) * fifth.values[i];
    }
    for (std::size_t i = 0; i < x.values.size(); ++i)
        part.values[i] -= choice.learningRate * (shapeFactor(part.shape) * x.values[i] + choice.weightDecay * part.values[i]);
}

} // namespace

const Optimizer &muon()
{
    static constexpr Optimizer kMuon{.name = "muon",
                                     .caption = "Muon",
                                     .description = "orthogonal updates of matrices: one number a parameter; AdamW for tables",
                                     .state = kMuonState,
                                     .options = kMuonOptions,
                                     .usualRate = 0.02,
                                     .granularity = {Granularity::Element, Granularity::Matrix, Granularity::Element},
                                     .flops = muonFlops,
                                     .scratch = muonScratch,
                                     .update = updateByMuon,
                                     .reference = muonInDouble};
    return kMuon;
}

} // namespace stagelens::operators
