// Compression of gradients: published numbers, the identity of error feedback, and what is refused.
#include "engine/operators/compression/compression.h"
#include "engine/model/schema.h"
#include "engine/operators/compression/onebit.h"
#include "engine/runtime/executor/device_compression.h"
#include "kernels/include/adamw.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <cmath>
#include <random>

namespace unit_runtime_compression {

using namespace stagelens;
using operators::CompressedPart;
using operators::Compression;
using operators::CompressionChoice;
using operators::PartShape;

namespace {

/// Replicas that exchange one matrix, by loops of their own over the messages.
class Replicas {
public:
    Replicas(const char *word, int count, const PartShape &shape, std::vector<float> state = {})
        : m_choice(operators::parseCompression(word).choice), m_method(*operators::findCompression(m_choice.name)),
          m_shape(shape)
    {
        for (int i = 0; i < count; ++i) {
            m_residuals.emplace_back(static_cast<std::size_t>(shape.count()));
            m_states.push_back(state);
            if (state.empty() && m_method.stateFloats != nullptr) {
                m_states.back().resize(static_cast<std::size_t>(m_method.stateFloats(m_choice, shape)));
                m_method.begin(m_choice, m_states.back(), 1, 0);
            }
        }
    }

    /// Returns the sum that every replica gets.
    std::vector<float> step(std::vector<std::vector<float>> gradients)
    {
        const bool isSummed = m_method.exchange == Compression::Exchange::Sums;
        const std::size_t count = gradients.size();
        // Of each replica: its messages, or those of all.
        std::vector<std::vector<std::vector<float>>> memory(count);
        std::vector<std::vector<float *>> messages(count);
        for (std::size_t i = 0; i < count; ++i) {
            operators::addToResidual(part(i, gradients), m_kernels);
            for (std::size_t k = 0; k < (isSummed ? static_cast<std::size_t>(m_method.messages) : count); ++k)
                memory[i].emplace_back(
                    static_cast<std::size_t>(m_method.floats(m_choice, m_shape, isSummed ? static_cast<int>(k) : 0)));
            for (auto &each : memory[i])
                messages[i].push_back(each.data());
        }
        for (int message = 0; message < (isSummed ? m_method.messages : 1); ++message) {
            for (std::size_t i = 0; i < count; ++i)
                m_method.encode(m_choice, part(i, gradients), messages[i], isSummed ? message : static_cast<int>(i), m_kernels);
            exchange(memory, isSummed, static_cast<std::size_t>(message));
        }
        sums = memory.front();
        for (std::size_t i = 0; i < count; ++i)
            m_method.decode(m_choice, part(i, gradients), messages[i], static_cast<int>(count), m_kernels);
        for (const auto &each : gradients)
            if (each != gradients.front())
                qFatal("replicas differ");
        return gradients.front();
    }
    [[nodiscard]] const std::vector<std::vector<float>> &residuals() const { return m_residuals; }
    [[nodiscard]] const std::vector<float> &state() const { return m_states.front(); }
    std::vector<std::vector<float>> sums; ///< the messages of the last step

private:
    CompressedPart part(std::size_t i, std::vector<std::vector<float>> &gradients)
    {
        return {m_shape, gradients[i].data(), m_residuals[i].data(), m_states[i].data()};
    }
    static void exchange(std::vector<std::vector<std::vector<float>>> &memory, bool isSummed, std::size_t message)
    {
        for (std::size_t from = 1; isSummed && from < memory.size(); ++from)
            for (std::size_t k = 0; k < memory[0][message].size(); ++k)
                memory[0][message][k] += memory[from][message][k];
        for (std::size_t to = 0; to < memory.size(); ++to)
            for (std::size_t from = 0; from < memory.size(); ++from)
                if (isSummed)
                    memory[to][message] = memory[0][message];
                else
                    memory[to][from] = memory[from][from];
    }

    std::unique_ptr<backend::Compute> m_compute = backend::makeCpuCompute();
    runtime::DeviceCompression m_kernels{*m_compute};
    CompressionChoice m_choice;
    const Compression &m_method;
    PartShape m_shape;
    std::vector<std::vector<float>> m_residuals;
    std::vector<std::vector<float>> m_states;
};

/// Replicas that exchange the momentum of one matrix, by loops of their own over the messages.
class Servers {
public:
    Servers(int count, const PartShape &shape, float beta1)
        : m_cut(shape.count(), count), m_shape(shape), m_beta1(beta1), momentum(static_cast<std::size_t>(shape.count()))
    {
        for (int i = 0; i < count; ++i) {
            residuals.emplace_back(static_cast<std::size_t>(shape.count()));
            served.emplace_back(static_cast<std::size_t>(m_cut.each()));
        }
    }

    void step(std::vector<std::vector<float>> gradients)
    {
        const std::size_t count = gradients.size();
        const auto floats = static_cast<std::size_t>(m_cut.floats());
        // [from][to] of what replicas send, [server] of what servers send.
        std::vector<std::vector<std::vector<float>>> sent(count, std::vector(count, std::vector<float>(floats)));
        std::vector<std::vector<float>> results(count, std::vector<float>(floats));
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<float *> messages;
            for (auto &each : sent[i])
                messages.push_back(each.data());
            operators::sendMomentum(part(i, gradients), m_beta1, messages, m_kernels);
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<float *> messages;
            for (auto &each : sent)
                messages.push_back(each[i].data());
            operators::serveMomentum(part(i, gradients), static_cast<int>(i), messages, results[i].data(), m_kernels);
        }
        std::vector<float *> all;
        for (auto &each : results)
            all.push_back(each.data());
        for (std::size_t i = 0; i < count; ++i)
            operators::takeMomentum(part(i, gradients), all, m_kernels);
        for (const auto &each : gradients)
            if (each != gradients.front())
                qFatal("replicas differ");
        momentum = gradients.front();
    }

private:
    operators::ServedPart part(std::size_t i, std::vector<std::vector<float>> &gradients)
    {
        return {m_shape, gradients[i].data(), momentum.data(), residuals[i].data(), served[i].data()};
    }

    std::unique_ptr<backend::Compute> m_compute = backend::makeCpuCompute();
    runtime::DeviceCompression m_kernels{*m_compute};
    operators::ServedCut m_cut;
    PartShape m_shape;
    float m_beta1;

public:
    std::vector<float> momentum;
    std::vector<std::vector<float>> residuals;
    std::vector<std::vector<float>> served;
};

bool isNear(float is, double expected, double within = 2e-6)
{
    if (std::abs(is - expected) <= within)
        return true;
    qWarning("is %.8f, expected %.8f", static_cast<double>(is), expected);
    return false;
}

} // namespace

class RuntimeCompression : public QObject {
    Q_OBJECT

private slots:
    /// Two workers, rank 1, Q = (1, 1) at first; computed in float64 by a program of its own.
    void powerSgdGolden()
    {
        Replicas two("powersgd=1", 2, {3, 2, operators::ParameterKind::Matrix}, {1, 1});
        std::vector<float> sum = two.step({{1, 2, 3, 4, 5, 6}, {1, 1, 2, 0, 0, 2}});
        const std::vector<double> first{1.090909, 1.409091, 1.963636, 2.536364, 2.836364, 3.663636};
        for (std::size_t i = 0; i < first.size(); ++i)
            QVERIFY(isNear(sum[i] / 2, first[i]));
        QVERIFY(isNear(two.sums[0][0], .301511) && isNear(two.sums[0][1], .542720) && isNear(two.sums[0][2], .783929));
        QVERIFY(isNear(two.state()[0], 3.618136) && isNear(two.state()[1], 4.673426));
        sum = two.step({{2, 0, 0, 2, 1, 1}, {0, 1, 0, 1, 2, 0}});
        QVERIFY(isNear(sum[0] / 2, .773052) && isNear(sum[1] / 2, .696230));
        QVERIFY(isNear(two.state()[0], 1.533419) && isNear(two.state()[1], 1.381036));
        const std::vector<double> left{.136039, -.105321, -.286941, .222148, .126364, -.097830};
        for (std::size_t i = 0; i < left.size(); ++i)
            QVERIFY(isNear((two.residuals()[0][i] + two.residuals()[1][i]) / 2, left[i]));
    }

    /// One of four numbers, three steps of one worker.
    void topKGolden()
    {
        Replicas one("top-k=0.25", 1, {2, 2, operators::ParameterKind::Matrix});
        QCOMPARE(one.step({{.5F, -2, .1F, 1}}), (std::vector<float>{0, -2, 0, 0}));
        QVERIFY(isNear(one.step({{.6F, .1F, .2F, 1.2F}})[3], 2.2));
        QVERIFY(isNear(one.step({{.6F, .1F, .2F, -.3F}})[0], 1.7));
        const std::vector<double> left{0, .2, .5, -.3};
        for (std::size_t i = 0; i < left.size(); ++i)
            QVERIFY(isNear(one.residuals()[0][i], left[i]));
    }

    void topKTakesTheFirstOfEqualNumbers()
    {
        Replicas one("top-k=0.5", 1, {1, 4, operators::ParameterKind::Table});
        QCOMPARE(one.step({{1, -1, 1, -1}}), (std::vector<float>{1, -1, 0, 0}));
        Replicas other("top-k=0.25", 1, {1, 4, operators::ParameterKind::Table});
        QCOMPARE(other.step({{0, 0, 0, 0}}), (std::vector<float>{0, 0, 0, 0}));
    }

    /// Scales 1.5 and 1 of two workers.
    void signsGolden()
    {
        Replicas two("sign", 2, {2, 2, operators::ParameterKind::Matrix});
        QCOMPARE(two.step({{1, -2, 3, 0}, {-1, -1, 1, 1}}), (std::vector<float>{.5F, -2.5F, 2.5F, 2.5F}));
        QCOMPARE(two.residuals()[0], (std::vector<float>{-.5F, -.5F, 1.5F, -1.5F}));
        QCOMPARE(two.residuals()[1], (std::vector<float>{0, 0, 0, 0}));
    }

    /// Two workers, beta1 = 1/2, by hand. They compress (4, -4, 4, 4), whose root mean square is 4, and (3, -5, 1, -1), of 3;
    /// the mean of what they send, (3.5, -3.5, 3.5, 0.5), has a root mean square of sqrt(37) / 2.
    void oneBitGolden()
    {
        Servers two(2, {2, 2, operators::ParameterKind::Matrix}, 0.5F);
        two.momentum = {1, -1, 1, -1};
        two.step({{3.5F, -3.5F, 3.5F, 4.5F}, {2.5F, -4.5F, .5F, -.5F}});
        QCOMPARE(two.residuals[0], (std::vector<float>{0, 0, 0, 0}));
        QCOMPARE(two.residuals[1], (std::vector<float>{0, -2, -2, 2}));
        const double scale = std::sqrt(37.0) / 2;
        const std::vector<double> left{3.5 - scale, scale - 3.5, 3.5 - scale, .5 - scale};
        for (std::size_t i = 0; i < left.size(); ++i) {
            QVERIFY(isNear(two.momentum[i], i == 1 ? -scale : scale));
            QVERIFY(isNear(two.served[0][i], left[i]));
        }
        // The first replica serves the only word of signs.
        const operators::ServedCut cut(4, 2);
        QVERIFY(cut.count(0) == 4 && cut.count(1) == 0 && cut.floats() == 2);
        const operators::ServedCut three(100, 3);
        QVERIFY(three.each() == 64 && three.count(0) == 64 && three.count(1) == 36 && three.count(2) == 0);
    }

    /// What all steps have sent, and what replicas and servers have left, add up to the means of all momenta, in float64.
    void oneBitLosesNothing()
    {
        constexpr unsigned kSeed = 21;
        std::mt19937 random(kSeed);
        std::normal_distribution<float> normal;
        for (const PartShape &shape : {PartShape{33, 17}, PartShape{97, 32}, PartShape{5, 7}}) {
            const auto count = static_cast<std::size_t>(shape.count());
            constexpr float kBeta = 0.9F;
            Servers three(3, shape, kBeta);
            std::vector<double> all(count);
            std::vector<double> sent(count);
            for (int step = 0; step < 100; ++step) {
                std::vector<std::vector<float>> gradients(3, std::vector<float>(count));
                for (std::size_t i = 0; i < count; ++i)
                    all[i] += static_cast<double>(kBeta) * static_cast<double>(three.momentum[i]);
                for (auto &gradient : gradients)
                    for (std::size_t i = 0; i < count; ++i)
                        all[i] += (1 - static_cast<double>(kBeta)) * static_cast<double>(gradient[i] = normal(random));
                three.step(std::move(gradients));
                for (std::size_t i = 0; i < count; ++i)
                    sent[i] += static_cast<double>(three.momentum[i]);
            }
            const operators::ServedCut cut(shape.count(), 3);
            double error = 0;
            double size = 0;
            for (std::size_t i = 0; i < count; ++i) {
                double left = 0;
                for (const auto &residual : three.residuals)
                    left += static_cast<double>(residual[i]) / 3;
                const std::size_t server = i / static_cast<std::size_t>(cut.each());
                left += static_cast<double>(three.served[server][i % static_cast<std::size_t>(cut.each())]);
                error += std::pow(sent[i] + left - all[i], 2);
                size += all[i] * all[i];
            }
            QVERIFY2(std::sqrt(error / size) < 2e-5,
                     qPrintable(QString("seed %1: %2").arg(kSeed).arg(std::sqrt(error / size))));
        }
    }

    /// The update with second moments that stay, in float64 by the formula of the page.
    void oneBitUpdateInDouble()
    {
        constexpr std::size_t kCount = 37;
        constexpr unsigned kSeed = 22;
        std::mt19937 random(kSeed);
        std::normal_distribution<float> normal;
        for (const auto second : {kernels::AdamW::Second::Frozen, kernels::AdamW::Second::FrozenWithMomentum}) {
            std::vector<float> values(kCount);
            std::vector<float> gradient(kCount);
            std::vector<float> first(kCount);
            std::vector<float> squares(kCount);
            for (std::size_t i = 0; i < kCount; ++i) {
                values[i] = normal(random);
                gradient[i] = normal(random);
                first[i] = normal(random);
                squares[i] = std::abs(normal(random));
            }
            const kernels::AdamW s{.learningRate = 0.01F,
                                   .beta1 = 0.9F,
                                   .beta2 = 0.95F,
                                   .weightDecay = 0.1F,
                                   .correction1 = 0.5F,
                                   .correction2 = 0.3F,
                                   .second = second};
            const auto [oldValues, oldGradient, oldFirst, oldSquares] = std::tuple(values, gradient, first, squares);
            kernels::adamwStep(values.data(), gradient.data(), first.data(), squares.data(), s, kCount);
            for (std::size_t i = 0; i < kCount; ++i) {
                const bool isMomentum = second == kernels::AdamW::Second::FrozenWithMomentum;
                const double m = isMomentum ? oldGradient[i] : 0.9 * oldFirst[i] + 0.1 * oldGradient[i];
                const double direction = m / 0.5 / (std::sqrt(oldSquares[i] / 0.3) + 1e-8);
                QVERIFY(isNear(first[i], m));
                QVERIFY(isNear(values[i], oldValues[i] - 0.01 * (direction + 0.1 * oldValues[i]), 1e-5));
                QCOMPARE(squares[i], oldSquares[i]);
                QCOMPARE(gradient[i], 0.0F);
            }
        }
    }

    /// The identity of error feedback: what was sent and what is left add up to all gradients.
    void nothingIsLost_data()
    {
        QTest::addColumn<QByteArray>("word");
        for (const char *word : {"powersgd=1", "powersgd=4", "top-k=0.01", "top-k=0.3", "sign"})
            QTest::newRow(word) << QByteArray(word);
    }
    void nothingIsLost()
    {
        QFETCH(QByteArray, word);
        constexpr unsigned kSeed = 20;
        std::mt19937 random(kSeed);
        std::normal_distribution<float> normal;
        for (const PartShape &shape : {PartShape{33, 17}, PartShape{97, 32}, PartShape{12, 40}}) {
            const auto count = static_cast<std::size_t>(shape.count());
            Replicas three(word.constData(), 3, shape);
            std::vector<double> all(count);
            std::vector<double> sent(count);
            double size = 0;
            for (int step = 0; step < 100; ++step) {
                std::vector<std::vector<float>> gradients(3, std::vector<float>(count));
                for (auto &gradient : gradients)
                    for (std::size_t i = 0; i < count; ++i)
                        all[i] += static_cast<double>(gradient[i] = normal(random));
                const std::vector<float> sum = three.step(std::move(gradients));
                for (std::size_t i = 0; i < count; ++i)
                    sent[i] += static_cast<double>(sum[i]);
            }
            double error = 0;
            for (std::size_t i = 0; i < count; ++i) {
                double left = 0;
                for (const auto &residual : three.residuals())
                    left += static_cast<double>(residual[i]);
                error += std::pow(sent[i] + left - all[i], 2);
                size += all[i] * all[i];
            }
            QVERIFY2(std::sqrt(error / size) < 5e-6,
                     qPrintable(QString("seed %1: %2").arg(kSeed).arg(std::sqrt(error / size))));
        }
    }

    /// A matrix of rank 2 is sent whole by rank 4, whose other columns stay usable for later gradients.
    void powerSgdOfLowRank()
    {
        const PartShape shape{24, 20};
        Replicas two("powersgd=4", 2, shape);
        std::vector<float> gradient(static_cast<std::size_t>(shape.count()));
        for (std::size_t i = 0; i < gradient.size(); ++i)
            gradient[i] = static_cast<float>(i / 20) + static_cast<float>(i % 20 == 3);
        for (int step = 0; step < 3; ++step) {
            const std::vector<float> sum = two.step({gradient, gradient});
            for (std::size_t i = 0; i < sum.size(); ++i)
                QVERIFY(isNear(sum[i], 2 * static_cast<double>(gradient[i]), 1e-3));
        }
        for (std::size_t k = 0; k < 4; ++k) {
            double square = 0;
            for (std::size_t j = 0; j < 20; ++j)
                square += std::pow(two.state()[j * 4 + k], 2);
            QVERIFY(square > 0);
        }
    }

    void sizesOfMessages()
    {
        const std::vector<PartShape> parts{{100, 50, operators::ParameterKind::Table},
                                           {1, 50, operators::ParameterKind::Vector},
                                           {6, 6, operators::ParameterKind::Matrix},
                                           {0, 50, operators::ParameterKind::Table}};
        const auto sizes = operators::compressedSizes({"powersgd", 4}, parts);
        QCOMPARE(sizes.isCompressed, (std::vector<bool>{true, false, false, false}));
        QCOMPARE(sizes.exact, 86);
        QCOMPARE(sizes.sums[0], 86 + 4 * 100);
        QCOMPARE(sizes.sums[1], 4 * 50);
        QCOMPARE(sizes.elements, 5000);
        QCOMPARE(sizes.state, 200);
        const auto signs = operators::compressedSizes({"sign", 0}, parts);
        QCOMPARE(signs.gathered, 1 + 157 + 1 + 2);
        QCOMPARE(signs.sums[0], 50);
        const auto top = operators::compressedSizes({"top-k", 0.01}, parts);
        QCOMPARE(top.gathered, 2 * 50 + 2 * 1);
    }

    void words_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QByteArray>("part"); // of the message; empty: sound
        QTest::newRow("none") << QByteArray("none") << QByteArray();
        QTest::newRow("rank") << QByteArray("powersgd=4") << QByteArray();
        QTest::newRow("share") << QByteArray("top-k=0.01") << QByteArray();
        QTest::newRow("momentum") << QByteArray("one-bit-adam") << QByteArray();
        QTest::newRow("signs") << QByteArray("sign") << QByteArray();
        QTest::newRow("rank 0") << QByteArray("powersgd=0") << QByteArray("rank is a whole number from 1");
        QTest::newRow("half a rank") << QByteArray("powersgd=2.5") << QByteArray("choose powersgd=4");
        QTest::newRow("no rank") << QByteArray("powersgd") << QByteArray("choose powersgd=4");
        QTest::newRow("share 0") << QByteArray("top-k=0") << QByteArray("above 0 and at most 0.5");
        QTest::newRow("share of more") << QByteArray("top-k=1.5") << QByteArray("choose top-k=0.01");
        QTest::newRow("not a number") << QByteArray("top-k=nan") << QByteArray("choose top-k=0.01");
        QTest::newRow("number of signs") << QByteArray("sign=2") << QByteArray("choose sign");
        QTest::newRow("unknown") << QByteArray("qsgd") << QByteArray("choose none, one-bit-adam, powersgd=R, sign or top-k=F");
    }
    void words()
    {
        QFETCH(QByteArray, word);
        QFETCH(QByteArray, part);
        const model::Field &field = model::schemaField("training.gradient_compression");
        model::Experiment experiment;
        const std::string fault = model::edit(experiment, field, std::string(word.constData()));
        QVERIFY2(fault.empty() == part.isEmpty() && fault.find(part.constData()) != std::string::npos, fault.c_str());
        if (part.isEmpty())
            QCOMPARE(std::get<std::string>(field.value(experiment)), word.toStdString());
    }

    void refused()
    {
        auto experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
        const auto problem = [&] {
            const base::Problems found = model::validate(experiment);
            return found.empty() ? std::string() : found.front().field + " " + found.front().message;
        };
        experiment.training.compression = {"powersgd", 4};
        QVERIFY(problem().find("at least 2 replicas") != std::string::npos);
        experiment.parallel.replicas = 2;
        QCOMPARE(problem(), std::string());
        experiment.training.compression.number = 16;
        QVERIFY(problem().find("at most 15") != std::string::npos);
        experiment.training.compression.number = 15;
        QCOMPARE(problem(), std::string());
        experiment.parallel.zero = 2;
        QVERIFY(problem().find("training.gradient_compression") == 0);
    }
};

STAGELENS_TEST(RuntimeCompression)

} // namespace unit_runtime_compression

#include "runtime/compression.moc"
