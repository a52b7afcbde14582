// A hundred steps of AdamW: every plan stays with a training in float64, and plans of one size have each other's bits.
#include "engine/operators/stage_layers.h"
#include "engine/runtime/data/batch.h"
#include "engine/runtime/data/token_source.h"
#include "engine/runtime/reference/reference.h"
#include "engine/runtime/training/session.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"

#include <QtTest>
#include <cmath>

namespace integration_hundred_steps {

using namespace stagelens;
using model::VocabularyMethod;
using test::lossesOf;
using test::scheduleOf;

namespace {

constexpr int kSteps = 100;
constexpr double kTolerance = 2e-5;

model::Experiment planOf(const char *family, VocabularyMethod method, int devices)
{
    auto experiment = test::tinyExperiment(family, method, devices, 4);
    experiment.parallel.stageLayers.clear();
    experiment.model.layers = 4;
    experiment.model.hidden = 16;
    experiment.model.ffn = 64;
    experiment.training.steps = kSteps;
    experiment.training.optimizer.weightDecay = 0.1;
    experiment.training.optimizer.clip = 0.5;
    return operators::resolved(experiment, 2);
}

/// AdamW with clipping as PyTorch has it, in double.
class Optimizer {
public:
    Optimizer(const model::OptimizerChoice &choice, const runtime::Tensors &parameters) : m_choice(choice)
    {
        for (const std::vector<float> &tensor : parameters) {
            m_values.emplace_back(tensor.begin(), tensor.end());
            m_first.emplace_back(tensor.size());
            m_second.emplace_back(tensor.size());
        }
    }

    void step(const std::vector<std::vector<double>> &gradients)
    {
        double squares = 0;
        for (const auto &tensor : gradients)
            for (const double g : tensor)
                squares += g * g;
        const double clip = std::min(1.0, *m_choice.clip / (std::sqrt(squares) + 1e-6));
        ++m_steps;
        const double correction1 = 1 - std::pow(m_choice.beta1, m_steps);
        const double correction2 = 1 - std::pow(m_choice.beta2, m_steps);
        for (std::size_t t = 0; t < m_values.size(); ++t) {
            for (std::size_t i = 0; i < m_values[t].size(); ++i) {
                const double g = gradients[t][i] * clip;
                double &m = m_first[t][i] = m_choice.beta1 * m_first[t][i] + (1 - m_choice.beta1) * g;
                double &v = m_second[t][i] = m_choice.beta2 * m_second[t][i] + (1 - m_choice.beta2) * g * g;
                m_values[t][i] -= m_choice.learningRate * m_choice.weightDecay * m_values[t][i];
                m_values[t][i] -= m_choice.learningRate * (m / correction1) / (std::sqrt(v / correction2) + 1e-8);
            }
        }
    }

    /// The reference takes its values in fp32; they are kept in double from step to step.
    [[nodiscard]] runtime::Tensors rounded() const
    {
        runtime::Tensors tensors;
        for (const auto &tensor : m_values) {
            std::vector<float> &values = tensors.emplace_back();
            for (const double value : tensor)
                values.push_back(static_cast<float>(value));
        }
        return tensors;
    }

private:
    model::OptimizerChoice m_choice;
    int m_steps = 0;
    std::vector<std::vector<double>> m_values;
    std::vector<std::vector<double>> m_first;
    std::vector<std::vector<double>> m_second;
};

std::vector<double> lossesInDouble()
{
    const auto experiment = planOf("1f1b", VocabularyMethod::None, 1);
    const auto schedule = scheduleOf(experiment);
    const auto session = runtime::Session::open(experiment, schedule, {});
    const auto tokens = runtime::openTokens(experiment, {});
    if (!session || !tokens)
        qFatal("the plan cannot be trained");
    Optimizer optimizer(experiment.training.optimizer, (*session)->parameters());
    runtime::Batch batch{runtime::Shape(experiment)};
    std::vector<double> losses;
    for (int step = 0; step < kSteps; ++step) {
        batch.load(**tokens, step);
        const auto made = runtime::referenceStep(experiment, optimizer.rounded(), batch, {});
        if (!made)
            qFatal("%s", made.error().text().c_str());
        losses.push_back(made->loss);
        optimizer.step(made->gradients);
    }
    return losses;
}

} // namespace

class HundredSteps : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_reference = lossesInDouble(); }

    void theReferenceLearns() { QVERIFY(m_reference.back() < m_reference.front() - 0.3); }

    void everyPlanStaysWithTheReference_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("other"); // as many devices and the same method: the same bits
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        const auto add = [](const char *family, const char *other, VocabularyMethod method, int devices) {
            QTest::addRow("%s and %s, method %d, %d devices", family, other, static_cast<int>(method), devices)
                << QString(family) << QString(other) << static_cast<int>(method) << devices;
        };
        add("1f1b", "gpipe", VocabularyMethod::None, 1);
        add("1f1b", "zb-v", VocabularyMethod::None, 2);
        add("zb-h1", "1f1b", VocabularyMethod::Vocab1, 2);
        add("1f1b", "gpipe", VocabularyMethod::Vocab1, 4);
        add("1f1b", "zb-h1", VocabularyMethod::Vocab2, 4);
    }
    void everyPlanStaysWithTheReference()
    {
        QFETCH(QString, family);
        QFETCH(QString, other);
        QFETCH(int, method);
        QFETCH(int, devices);
        const auto vocabulary = static_cast<VocabularyMethod>(method);
        const auto losses = lossesOf(planOf(family.toStdString().c_str(), vocabulary, devices));
        QCOMPARE(losses.size(), m_reference.size());
        double worst = 0;
        for (std::size_t step = 0; step < losses.size(); ++step)
            worst = std::max(worst, std::abs(losses[step] - m_reference[step]));
        qInfo("greatest difference %.2e", worst);
        QVERIFY(worst < kTolerance);
        QCOMPARE(lossesOf(planOf(other.toStdString().c_str(), vocabulary, devices)), losses);
    }

private:
    std::vector<double> m_reference;
};

STAGELENS_TEST(HundredSteps)

} // namespace integration_hundred_steps

#include "hundred_steps.moc"
