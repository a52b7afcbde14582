#include "tests/support/optimizer_oracles.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagelens::test {
namespace {

void adamwOracle(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    std::vector<double> &first = p.of("m");
    std::vector<double> &second = p.of("v");
    for (std::size_t i = 0; i < p.values.size(); ++i) {
        const double g = p.gradient[i];
        const double m = first[i] = choice.beta1 * first[i] + (1 - choice.beta1) * g;
        const double v = second[i] = choice.beta2 * second[i] + (1 - choice.beta2) * g * g;
        p.values[i] -= choice.learningRate * choice.weightDecay * p.values[i];
        p.values[i] -= choice.learningRate * (m / (1 - std::pow(choice.beta1, p.updates))) /
                       (std::sqrt(v / (1 - std::pow(choice.beta2, p.updates))) + 1e-8);
    }
}

void sgdOracle(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    std::vector<double> &sums = p.of("m");
    for (std::size_t i = 0; i < p.values.size(); ++i) {
        const double decayed = p.gradient[i] + choice.weightDecay * p.values[i];
        const double sum = sums[i] = choice.momentum * sums[i] + decayed;
        p.values[i] -= choice.learningRate * sum;
    }
}

void lionOracle(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    std::vector<double> &means = p.of("m");
    for (std::size_t i = 0; i < p.values.size(); ++i) {
        double &m = means[i];
        const double mixed = choice.beta1 * m + (1 - choice.beta1) * p.gradient[i];
        const double sign = mixed == 0 ? 0 : std::copysign(1.0, mixed);
        p.values[i] -= choice.learningRate * (sign + choice.weightDecay * p.values[i]);
        m = choice.beta2 * m + (1 - choice.beta2) * p.gradient[i];
    }
}

double meanSquareOf(const std::vector<double> &values)
{
    double sum = 0;
    for (const double value : values)
        sum += value * value;
    return sum / static_cast<double>(values.size());
}

/// The paper's sums of rows R and columns C, with V = R C / sum(R), instead of means.
void adafactorOracle(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    const double decay = 1 - std::pow(p.updates, -0.8);
    const auto rows = static_cast<std::size_t>(p.rows);
    const auto columns = static_cast<std::size_t>(p.columns);
    std::vector<double> update = p.gradient;
    if (p.kind == operators::ParameterKind::Vector) {
        for (std::size_t i = 0; i < update.size(); ++i) {
            double &v = p.of("v")[i];
            v = decay * v + (1 - decay) * (update[i] * update[i] + 1e-30);
            update[i] /= std::sqrt(v);
        }
    } else {
        std::vector<double> &r = p.of("r");
        std::vector<double> &c = p.of("c");
        for (std::size_t i = 0; i < rows; ++i)
            r[i] *= decay;
        for (std::size_t j = 0; j < columns; ++j)
            c[j] *= decay;
        for (std::size_t i = 0; i < rows * columns; ++i) {
            r[i / columns] += (1 - decay) * (update[i] * update[i] + 1e-30);
            c[i % columns] += (1 - decay) * (update[i] * update[i] + 1e-30);
        }
        double sum = 0;
        for (std::size_t i = 0; i < rows; ++i)
            sum += r[i];
        for (std::size_t i = 0; i < rows * columns; ++i)
            update[i] *= std::sqrt(sum) / (std::sqrt(r[i / columns]) * std::sqrt(c[i % columns]));
    }
    double rate = choice.learningRate;
    if (choice.scalesByValue)
        rate = std::min(rate, 1 / std::sqrt(p.updates)) * std::max(1e-3, std::sqrt(meanSquareOf(p.values)));
    const double limit = std::max(1.0, std::sqrt(meanSquareOf(update)));
    for (std::size_t i = 0; i < update.size(); ++i)
        p.values[i] -= rate * (update[i] / limit + choice.weightDecay * p.values[i]);
}

} // namespace

std::vector<double> dynamicTree(bool isSigned)
{
    std::vector<double> entries{0, 1};
    for (int zeros = 0; zeros < 7; ++zeros) {
        const int bits = (isSigned ? 6 : 7) - zeros; // of the fraction
        for (int fraction = 0; fraction < (1 << bits); ++fraction) {
            const double low = 0.1 + 0.9 * fraction / (1 << bits);
            const double high = 0.1 + 0.9 * (fraction + 1) / (1 << bits);
            entries.push_back((low + high) / 2 * std::pow(10, -zeros));
            if (isSigned)
                entries.push_back(-entries.back());
        }
    }
    return entries;
}

namespace {

/// What is left of numbers of a row after they are encoded in blocks of 2048 and decoded again.
void quantise(std::vector<double> &numbers, std::int64_t columns, bool isSigned)
{
    static const std::vector<double> kTrees[] = {dynamicTree(false), dynamicTree(true)};
    const std::vector<double> &tree = kTrees[isSigned];
    for (std::size_t begin = 0; begin < numbers.size();) {
        const std::size_t column = begin % static_cast<std::size_t>(columns);
        const std::size_t end = begin + std::min<std::size_t>(2048, static_cast<std::size_t>(columns) - column);
        double scale = 0;
        for (std::size_t i = begin; i < end; ++i)
            scale = std::max(scale, std::abs(numbers[i]));
        for (std::size_t i = begin; i < end && scale > 0; ++i) {
            const auto distance = [&](double entry) { return std::abs(numbers[i] / scale - entry); };
            double nearest = 0;
            for (const double entry : tree)
                nearest = distance(entry) < distance(nearest) ? entry : nearest;
            numbers[i] = nearest * scale;
        }
        begin = end;
    }
}

void adam8bitOracle(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    adamwOracle(choice, p);
    if (p.kind == operators::ParameterKind::Vector)
        return;
    quantise(p.of("m"), p.columns, true);
    quantise(p.of("v"), p.columns, false);
}

/// The iteration on X of the momentum's shape, as X (a + b X'X + c (X'X)^2).
void muonOracle(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    if (p.kind != operators::ParameterKind::Matrix) {
        operators::OptimizerChoice others = choice;
        others.learningRate = choice.tableRate;
        return adamwOracle(others, p);
    }
    const auto rows = static_cast<std::size_t>(p.rows);
    const auto columns = static_cast<std::size_t>(p.columns);
    std::vector<double> &momentum = p.of("m");
    double norm = 0;
    for (std::size_t i = 0; i < momentum.size(); ++i) {
        momentum[i] = choice.momentum * momentum[i] + p.gradient[i];
        norm += momentum[i] * momentum[i];
    }
    std::vector<double> x = momentum;
    for (double &value : x)
        value /= std::sqrt(norm) + 1e-7;
    for (int iteration = 0; iteration < 5; ++iteration) {
        std::vector<double> gram(columns * columns); // X'X
        for (std::size_t k = 0; k < rows; ++k)
            for (std::size_t i = 0; i < columns; ++i)
                for (std::size_t j = 0; j < columns; ++j)
                    gram[i * columns + j] += x[k * columns + i] * x[k * columns + j];
        std::vector<double> factor(columns * columns);
        for (std::size_t i = 0; i < columns; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                double square = 0;
                for (std::size_t k = 0; k < columns; ++k)
                    square += gram[i * columns + k] * gram[k * columns + j];
                factor[i * columns + j] = (i == j ? 3.4445 : 0) - 4.7750 * gram[i * columns + j] + 2.0315 * square;
            }
        std::vector<double> next(x.size());
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < columns; ++k)
                for (std::size_t j = 0; j < columns; ++j)
                    next[i * columns + j] += x[i * columns + k] * factor[k * columns + j];
        x = next;
    }
    const double shape = std::sqrt(std::max(1.0, static_cast<double>(p.rows) / static_cast<double>(p.columns)));
    for (std::size_t i = 0; i < x.size(); ++i)
        p.values[i] -= choice.learningRate * (choice.weightDecay * p.values[i] + shape * x[i]);
}

/// For optimizers without an oracle: their own float64 reference.
void ownReference(const operators::OptimizerChoice &choice, OracleParameter &p)
{
    const operators::Optimizer &optimizer = operators::optimizerOf(choice);
    std::vector<std::vector<double>> state;
    for (const operators::StateTensor &tensor : optimizer.state) {
        std::vector<double> &kept = p.kept[tensor.name];
        kept.resize(tensor.isOf(p.kind) ? static_cast<std::size_t>(tensor.numbers(p.rows * p.columns, p.columns)) : 0);
        state.push_back(kept);
    }
    const operators::PartShape shape{p.rows, p.columns, p.kind};
    optimizer.reference(choice, {p.updates - 1, 1, shape}, {shape, p.values, p.gradient, state});
    for (std::size_t i = 0; i < state.size(); ++i)
        p.kept[optimizer.state[i].name] = std::move(state[i]);
}

} // namespace

void oracleUpdate(const operators::OptimizerChoice &choice, OracleParameter &parameter)
{
    static const std::map<std::string_view, void (*)(const operators::OptimizerChoice &, OracleParameter &)> kOracles{
        {"adafactor", adafactorOracle}, {"adam8bit", adam8bitOracle}, {"adamw", adamwOracle},
        {"lion", lionOracle},           {"muon", muonOracle},         {"sgd", sgdOracle}};
    ++parameter.updates;
    const auto oracle = kOracles.find(choice.name);
    (oracle == kOracles.end() ? ownReference : oracle->second)(choice, parameter);
}

} // namespace stagelens::test
