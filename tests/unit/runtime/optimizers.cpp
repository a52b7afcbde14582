// Updates of a parameter by optimizers: those of the program, and one of the kernels that any of them may use.
#include "engine/backend/compute.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/runtime/state/optimizer.h"

#include <QFile>
#include <QtTest>

#include <array>
#include <cmath>
#include <set>

using namespace stagelens;
using operators::UpdateTensor;
using runtime::Parameter;

namespace {

constexpr std::size_t kCount = 37;

constexpr operators::StateTensor kMomentum{"momentum"};
constexpr UpdateTensor kMomentumTensor{UpdateTensor::Kind::State, 0};

/// Gradient descent with momentum and a decay of weights.
const operators::Optimizer kDescent{
    .name = "descent",
    .caption = "Descent",
    .description = "",
    .state = {&kMomentum, 1},
    .options = {},
    .update =
        [](const operators::OptimizerChoice &choice, const operators::UpdateStep &step, operators::UpdateKernels &kernels) {
            const auto rate = static_cast<float>(choice.learningRate);
            kernels.scale(kMomentumTensor, static_cast<float>(choice.beta1));
            kernels.addScaled(kMomentumTensor, {UpdateTensor::Kind::Gradient}, step.gradientScale);
            kernels.scale({UpdateTensor::Kind::Value}, 1 - rate * static_cast<float>(choice.weightDecay));
            kernels.addScaled({UpdateTensor::Kind::Value}, kMomentumTensor, -rate);
        },
    .reference = [](const operators::OptimizerChoice &choice, const operators::UpdateStep &step) -> operators::ElementUpdate {
        return [=](double value, double gradient, std::span<double> state) {
            state[0] = choice.beta1 * state[0] + static_cast<double>(step.gradientScale) * gradient;
            return value - choice.learningRate * (choice.weightDecay * value + state[0]);
        };
    }};

std::vector<const operators::Optimizer *> allOptimizers()
{
    std::vector<const operators::Optimizer *> all(operators::optimizers().begin(), operators::optimizers().end());
    all.push_back(&kDescent);
    return all;
}

} // namespace

class RuntimeOptimizers : public QObject {
    Q_OBJECT

private slots:
    void eachHasAPageAndItsOwnNames()
    {
        std::set<std::string_view> names;
        for (const operators::Optimizer *optimizer : operators::optimizers()) {
            QVERIFY(names.insert(optimizer->name).second);
            QVERIFY(!optimizer->caption.empty() && !optimizer->description.empty());
            QCOMPARE(operators::findOptimizer(optimizer->name), optimizer);
            const QString page = QStringLiteral("%1/docs/optimizers/%2.md")
                                     .arg(qEnvironmentVariable("STAGELENS_RESOURCES"), optimizer->name.data());
            QVERIFY2(QFile::exists(page), qPrintable(page));
            std::set<std::string_view> tensors;
            for (const operators::StateTensor &tensor : optimizer->state)
                QVERIFY(tensors.insert(tensor.name).second && tensor.isNeverNegative == !tensor.why.empty());
        }
        QVERIFY(names.contains(operators::OptimizerChoice().name));
        QCOMPARE(operators::findOptimizer("adam"), nullptr);
        operators::OptimizerChoice unknown;
        unknown.name = "adam";
        QCOMPARE(operators::optimizerOf(unknown).name, std::string_view("adamw"));
    }

    void adamwKeepsTwoMoments()
    {
        const operators::Optimizer &adamw = *operators::findOptimizer("adamw");
        QCOMPARE(adamw.stateBytes(), 8);
        QCOMPARE(adamw.state[0].name, std::string_view("first-moments"));
        QCOMPARE(adamw.state[1].name, std::string_view("second-moments"));
        QVERIFY(adamw.reads("betas") && adamw.reads("weight_decay") && !adamw.reads("momentum"));
    }

    /// Five updates on a processor agree with the float64 reference, and clear the gradient.
    void updatesAgreeWithTheReference_data()
    {
        QTest::addColumn<int>("index");
        const auto all = allOptimizers();
        for (int i = 0; i < static_cast<int>(all.size()); ++i)
            QTest::addRow("%s", all[runtime::size(i)]->name.data()) << i;
    }
    void updatesAgreeWithTheReference()
    {
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *allOptimizers()[runtime::size(index)];
        const operators::OptimizerChoice choice{.name = {}, .learningRate = 0.01, .beta1 = 0.9, .weightDecay = 0.1, .clip = {}};
        backend::Pool pool;
        const auto compute = backend::makeCpuCompute();
        Parameter parameter;
        parameter.rows = 1;
        parameter.columns = kCount;
        const auto make = [&] {
            backend::Buffer buffer = pool.allocate(kCount, 0);
            std::ranges::fill(buffer.values(), 0.0F);
            return buffer;
        };
        parameter.value = make();
        parameter.gradient = make();
        for (std::size_t i = 0; i < optimizer.state.size(); ++i)
            parameter.state.push_back(make());
        std::vector<double> values(kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            parameter.value.data()[i] = static_cast<float>(std::sin(i));
            values[i] = static_cast<double>(parameter.value.data()[i]);
        }
        std::vector<std::vector<double>> state(kCount, std::vector<double>(optimizer.state.size()));
        for (int update = 0; update < 5; ++update) {
            const auto scale = static_cast<float>(1 + update % 2);
            const operators::ElementUpdate reference = optimizer.reference(choice, {update, scale});
            for (std::size_t i = 0; i < kCount; ++i) {
                const auto gradient = static_cast<float>(std::cos(static_cast<double>(i) + update));
                parameter.gradient.data()[i] = gradient;
                values[i] = reference(values[i], static_cast<double>(gradient), state[i]);
            }
            QCOMPARE(parameter.updates, update);
            runtime::updateParameter(parameter, optimizer, choice, scale, *compute);
            for (std::size_t i = 0; i < kCount; ++i) {
                QCOMPARE(parameter.gradient.data()[i], 0.0F);
                QVERIFY(std::abs(static_cast<double>(parameter.value.data()[i]) - values[i]) < 1e-6);
                for (std::size_t tensor = 0; tensor < state[i].size(); ++tensor)
                    QVERIFY(std::abs(static_cast<double>(parameter.state[tensor].data()[i]) - state[i][tensor]) < 1e-6);
            }
        }
        QCOMPARE(parameter.updates, 5);
    }
};

QTEST_GUILESS_MAIN(RuntimeOptimizers)
#include "optimizers.moc"
