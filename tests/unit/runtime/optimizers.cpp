// Updates of a parameter by optimizers: those of the program, and one of the kernels that any of them may use.
#include "engine/backend/compute.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/runtime/state/optimizer.h"
#include "tests/support/optimizer_oracles.h"
#include "tests/support/test_program.h"
#include "tests/support/updated_parameter.h"

#include <QFile>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace unit_runtime_optimizers {

using namespace stagelens;
using operators::UpdateTensor;
using test::UpdatedParameter;

namespace {

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kColumns = 37;

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
            kernels.scale(kMomentumTensor, kMomentumTensor, static_cast<float>(choice.beta1));
            kernels.addScaled(kMomentumTensor, {UpdateTensor::Kind::Gradient}, step.gradientScale);
            kernels.scale({UpdateTensor::Kind::Value}, {UpdateTensor::Kind::Value},
                          1 - rate * static_cast<float>(choice.weightDecay));
            kernels.addScaled({UpdateTensor::Kind::Value}, kMomentumTensor, -rate);
        },
    .reference =
        [](const operators::OptimizerChoice &choice, const operators::UpdateStep &step, const operators::ReferencePart &part) {
            for (std::size_t i = 0; i < part.values.size(); ++i) {
                double &momentum = part.state[0][i];
                momentum = choice.beta1 * momentum + static_cast<double>(step.gradientScale) * part.gradient[i];
                part.values[i] -= choice.learningRate * (choice.weightDecay * part.values[i] + momentum);
            }
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
        QCOMPARE(adamw.stateBytes(operators::ParameterKind::Table, 5, 1), 40);
        QCOMPARE(adamw.state[0].name, std::string_view("first-moments"));
        QCOMPARE(adamw.state[1].name, std::string_view("second-moments"));
        QVERIFY(adamw.reads("betas") && adamw.reads("weight_decay") && !adamw.reads("momentum"));
    }

    void usualOptionsFollowTheOptimizer()
    {
        operators::OptimizerChoice choice;
        const operators::OptimizerChoice before = choice;
        const auto nothing = [](std::string_view) { return false; };
        choice.name = "lion";
        operators::followOptimizer(before, choice, nothing);
        QCOMPARE(choice.learningRate, 1e-4);
        QCOMPARE(choice.beta2, 0.99);
        const operators::OptimizerChoice lion = choice;
        choice.name = "adamw";
        operators::followOptimizer(lion, choice, nothing);
        QCOMPARE(choice, before);
        choice.name = "sgd";
        choice.learningRate = 0.03; // the user's
        operators::followOptimizer(before, choice, nothing);
        QCOMPARE(choice.learningRate, 0.03);
        choice = before;
        choice.name = "lion";
        operators::followOptimizer(before, choice, [](std::string_view key) { return key == "lr"; });
        QCOMPARE(choice.learningRate, before.learningRate);
    }

    /// Five updates on a processor agree with the float64 reference and with the oracle of tests/support, and clear the
    /// gradient.
    void updatesAgree_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<operators::ParameterKind>("kind");
        const auto all = allOptimizers();
        for (int i = 0; i < static_cast<int>(all.size()); ++i) {
            const std::string name(all[runtime::size(i)]->name);
            QTest::addRow("%s, table", name.c_str()) << i << operators::ParameterKind::Table;
            QTest::addRow("%s, matrix", name.c_str()) << i << operators::ParameterKind::Matrix;
            QTest::addRow("%s, vector", name.c_str()) << i << operators::ParameterKind::Vector;
        }
    }
    void updatesAgree()
    {
        QFETCH(int, index);
        QFETCH(operators::ParameterKind, kind);
        const operators::Optimizer &optimizer = *allOptimizers()[runtime::size(index)];
        operators::OptimizerChoice choice{
            .name = std::string(optimizer.name), .learningRate = 0.01, .weightDecay = 0.1, .clip = {}};
        UpdatedParameter updated(optimizer, kind == operators::ParameterKind::Vector ? 1 : kRows, kColumns, kind);
        test::OracleParameter oracle{updated.rows(), kColumns, kind, updated.values(), std::vector<double>(updated.count())};
        std::vector<double> reference = updated.values();
        std::vector<std::vector<double>> state;
        for (const operators::StateTensor &tensor : optimizer.state)
            state.emplace_back(tensor.isOf(kind) ? runtime::size(tensor.numbers(updated.rows() * kColumns, kColumns)) : 0);
        for (int update = 0; update < 5; ++update) {
            const auto scale = static_cast<float>(1 + update % 2);
            std::vector<double> gradient(updated.count());
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                gradient[i] = static_cast<double>(static_cast<float>(std::cos(static_cast<double>(i * i) + update)));
                oracle.gradient[i] = gradient[i] * static_cast<double>(scale);
            }
            const operators::PartShape shape{updated.rows(), kColumns, kind};
            optimizer.reference(choice, {update, scale, shape}, {shape, reference, gradient, state});
            updated.update(choice, gradient, scale);
            if (&optimizer != &kDescent)
                test::oracleUpdate(choice, oracle);
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                QVERIFY(std::abs(updated.values()[i] - reference[i]) < 2e-6);
                QVERIFY(&optimizer == &kDescent || std::abs(updated.values()[i] - oracle.values[i]) < 2e-6);
            }
        }
    }

    /// Numbers that were computed by hand or published, for one element.
    void goldens_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<operators::OptimizerChoice>("choice");
        QTest::addColumn<std::vector<double>>("gradients");
        QTest::addColumn<std::vector<double>>("values");
        operators::OptimizerChoice choice{.learningRate = 1e-3, .beta1 = 0.9, .beta2 = 0.95, .weightDecay = 0.1, .clip = {}};
        QTest::newRow("adamw") << "adamw" << choice << std::vector{0.5, -0.25}
                               << std::vector{0.99890000002, 0.9985317405787563};
        choice.learningRate = 1e-4;
        choice.beta2 = 0.99;
        QTest::newRow("lion") << "lion" << choice << std::vector{0.5, -0.25} << std::vector{0.99989, 0.9999800011};
        // The sum of gradients is 0.5, then 0.5 x 0.5 - 0.25 = 0, then -1.
        choice = {.learningRate = 0.1, .weightDecay = 0, .clip = {}, .momentum = 0.5};
        QTest::newRow("sgd") << "sgd" << choice << std::vector{0.5, -0.25, -1.0} << std::vector{0.95, 0.95, 1.05};
        // The decay is part of the gradient: 0.5 + 0.1 x 1.
        choice.weightDecay = 0.1;
        QTest::newRow("sgd, decay") << "sgd" << choice << std::vector{0.5} << std::vector{0.94};
    }
    void goldens()
    {
        QFETCH(const QString, name);
        QFETCH(const operators::OptimizerChoice, choice);
        QFETCH(const std::vector<double>, gradients);
        QFETCH(const std::vector<double>, values);
        UpdatedParameter updated(*operators::findOptimizer(name.toStdString()), 1, 1, operators::ParameterKind::Vector);
        updated.set({1.0});
        for (std::size_t i = 0; i < values.size(); ++i) {
            updated.update(choice, {gradients[i]}, 1);
            QVERIFY2(std::abs(updated.values()[0] - values[i]) < 1e-7,
                     qPrintable(QString::number(updated.values()[0], 'g', 12)));
        }
    }

    void lionMovesNothingWithoutGradients()
    {
        UpdatedParameter updated(*operators::findOptimizer("lion"), 1, 3, operators::ParameterKind::Vector);
        const std::vector<double> before = updated.values();
        updated.update({.name = "lion", .clip = {}}, {0, 0, 0}, 1);
        QCOMPARE(updated.values(), before);
    }
};

STAGELENS_TEST(RuntimeOptimizers)

} // namespace unit_runtime_optimizers

#include "runtime/optimizers.moc"
