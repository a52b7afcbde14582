// Every optimizer in runs: updates against float64, bits that depend on neither schedule, mode nor ZeRO, planned memory,
// resumed runs, and asynchronous schedules.
#include "engine/model/names.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/state/optimizer.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/session.h"
#include "tests/support/optimizer_oracles.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <filesystem>

namespace integration_training_optimizers {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
namespace fs = std::filesystem;

namespace {

model::Experiment planOf(const operators::Optimizer &optimizer, const char *family, VocabularyMethod method, int devices,
                         bool tied = false, int replicas = 1, int zero = 0)
{
    auto experiment = test::tinyExperiment(family, method, devices, 4);
    experiment.model.layers = 4;
    experiment.model.tied = tied;
    experiment.parallel.stageLayers.clear();
    experiment.parallel.replicas = replicas;
    experiment.parallel.zero = zero;
    model::OptimizerChoice &choice = experiment.training.optimizer;
    choice.name = optimizer.name;
    operators::followOptimizer({}, choice, [](std::string_view) { return false; });
    choice.weightDecay = 0.1;
    choice.clip = 0.5;
    return operators::resolved(experiment, 2);
}

/// The same with experts, which `expert` ranks divide. A matrix of each expert is a parameter of its own.
model::Experiment withExperts(model::Experiment experiment, int expert)
{
    experiment = test::asLlama(experiment, 2);
    experiment.model.experts = 4;
    experiment.model.topK = 2;
    experiment.model.expertFfn = 24;
    experiment.model.auxLoss = 0.02;
    experiment.parallel.expert = expert;
    experiment.parallel.expertHeadroom = 4;
    return operators::resolved(experiment, 2);
}

double normOf(const runtime::Tensors &tensors)
{
    double squares = 0;
    for (const std::vector<float> &tensor : tensors)
        for (const float value : tensor)
            squares += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(squares);
}

/// Follows a run: takes its gradients and repeats its updates on the values that it had before each.
class Follower {
public:
    Follower(const runtime::Session &session, const model::OptimizerChoice &choice) : m_session(session), m_choice(choice)
    {
        for (const runtime::ParameterInfo &info : session.plan().parameters) {
            const operators::PartShape each = info.shape().matrix();
            for (std::int64_t matrix = 0; matrix < info.shape().matrices(); ++matrix) {
                m_parameters.push_back({each.rows, each.columns, each.kind, {}, {}});
                m_places.emplace_back(m_index, runtime::size(matrix * each.count()));
            }
            ++m_index;
        }
    }
    void takeGradients()
    {
        const runtime::Tensors values = m_session.parameters();
        const runtime::Tensors gradients = m_session.gradients();
        const double scale = runtime::clipFactor(normOf(gradients), *m_choice.clip);
        for (std::size_t i = 0; i < m_parameters.size(); ++i) {
            const auto [index, first] = m_places[i];
            const std::size_t count = runtime::size(m_parameters[i].rows * m_parameters[i].columns);
            const auto own = std::span(values[index]).subspan(first, count);
            m_parameters[i].values.assign(own.begin(), own.end());
            m_parameters[i].gradient.clear();
            for (const float gradient : std::span(gradients[index]).subspan(first, count))
                m_parameters[i].gradient.push_back(static_cast<double>(gradient) * scale);
        }
    }
    /// Returns the distance of the run's updates from its own, relative to their length, of the parameter farthest off.
    [[nodiscard]] std::pair<double, std::string> compare()
    {
        std::pair<double, std::string> worst;
        const runtime::Tensors after = m_session.parameters();
        for (std::size_t i = 0; i < m_parameters.size(); ++i) {
            const auto [index, first] = m_places[i];
            const std::vector<double> before = m_parameters[i].values;
            test::oracleUpdate(m_choice, m_parameters[i]);
            double distance = 0;
            double length = 0;
            double squares = 0;
            std::size_t otherSigns = 0;
            for (std::size_t j = 0; j < before.size(); ++j) {
                double off = static_cast<double>(after[index][first + j]) - m_parameters[i].values[j];
                // Near 0 rounding decides for a sign of Lion's.
                if (m_choice.name == "lion" && std::abs(std::abs(off) / m_choice.learningRate - 2) < 1e-3) {
                    ++otherSigns;
                    off = 0;
                }
                const double change = m_parameters[i].values[j] - before[j];
                distance += off * off;
                length += change * change;
                squares += before[j] * before[j];
            }
            // A float keeps a value to 6e-8 of it, however short the update is.
            const double beyondRounding = std::max(0.0, std::sqrt(distance) - 1e-7 * std::sqrt(squares));
            const double relative = otherSigns > 1 + before.size() / 1024 ? 1 : beyondRounding / std::sqrt(length);
            if (!(relative <= worst.first))
                worst = {relative, m_session.plan().parameters[index].name};
        }
        return worst;
    }

private:
    const runtime::Session &m_session;
    model::OptimizerChoice m_choice;
    std::vector<test::OracleParameter> m_parameters;           ///< a matrix each
    std::vector<std::pair<std::size_t, std::size_t>> m_places; ///< of each: the parameter, and its first element there
    std::size_t m_index = 0;
};

/// Losses of every step and the weights after the last.
struct Trained {
    std::vector<double> losses;
    QByteArray weights;
};

void addOptimizers()
{
    QTest::addColumn<int>("index");
    // What an optimizer computes is for AddressSanitizer; the threads are the same for each.
    for (std::size_t i = 0; i < (test::kIsThreadSanitized ? 2 : operators::optimizers().size()); ++i)
        QTest::newRow(operators::optimizers()[i]->name.data()) << static_cast<int>(i);
}

} // namespace

class Optimizers : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void updatesMatchFloat64_data() { addOptimizers(); }
    /// Four steps with clipping and weight decay: tables whole, in shards of 33, 33 and 31 rows, tied, in ZeRO's shares, and
    /// with experts.
    void updatesMatchFloat64()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *operators::optimizers()[runtime::size(index)];
        // At the middle of two entries of its codebook rounding decides for one of them.
        const double tolerance = optimizer.name == "adam8bit" ? 5e-3 : 2e-4;
        for (const auto &experiment :
             {planOf(optimizer, "1f1b", VocabularyMethod::None, 1), planOf(optimizer, "zb-h1", VocabularyMethod::None, 2, true),
              planOf(optimizer, "1f1b", VocabularyMethod::Vocab1, 3),
              planOf(optimizer, "gpipe", VocabularyMethod::Vocab2, 4, true, 2, 0),
              planOf(optimizer, "1f1b", VocabularyMethod::Vocab2, 3, false, 3, 1),
              planOf(optimizer, "chimera", VocabularyMethod::Vocab1, 2, true),
              withExperts(planOf(optimizer, "1f1b", VocabularyMethod::None, 2, true, 3, 1), 1),
              withExperts(planOf(optimizer, "zb-h1", VocabularyMethod::None, 1, false, 4, 1), 2)}) {
            if (test::kIsSanitized && !experiment.model.tied)
                continue;
            auto session = runtime::Session::open(experiment, scheduleOf(experiment), {});
            QVERIFY2(session.ok(), session ? "" : session.error().text().c_str());
            Follower follower(**session, experiment.training.optimizer);
            for (int step = 0; step < 4; ++step) {
                const auto done = (*session)->step(step, true, {}, [&follower]() -> base::Result<> {
                    follower.takeGradients();
                    return {};
                });
                QVERIFY2(done.ok(), done ? "" : done.error().text().c_str());
                const auto [worst, where] = follower.compare();
                QVERIFY2(worst < tolerance, qPrintable(QStringLiteral("%1, step %2: %3 is off by %4")
                                                           .arg(QString::fromStdString(experiment.schedule.family))
                                                           .arg(step)
                                                           .arg(QString::fromStdString(where))
                                                           .arg(worst)));
            }
        }
    }

    void bitsDependOnNeitherScheduleNorModeNorZero_data() { addOptimizers(); }
    void bitsDependOnNeitherScheduleNorModeNorZero()
    {
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *operators::optimizers()[runtime::size(index)];
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            for (const bool tied : {false, true}) {
                if (test::kIsSanitized && tied == (method == VocabularyMethod::None))
                    continue; // the slowest test under sanitizers
                const int replicas = tied ? 3 : 2;
                const Trained whole = train(planOf(optimizer, "1f1b", method, 2, tied, replicas, 0));
                for (const auto &[family, zero, mode] : {std::tuple("1f1b", 1, model::RunMode::VirtualClock),
                                                         {"gpipe", 1, model::RunMode::Live},
                                                         {"zb-h1", 0, model::RunMode::Live}}) {
                    auto other = planOf(optimizer, family, method, 2, tied, replicas, zero);
                    other.training.mode = mode;
                    const Trained trained = train(other);
                    QCOMPARE(trained.losses, whole.losses);
                    QVERIFY(trained.weights == whole.weights);
                }
            }
        }
    }

    void memoryIsPlanned_data() { addOptimizers(); }
    /// The live bytes of each category equal the plan after every pass (DeviceMemory checks it), and so do the peaks.
    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *operators::optimizers()[runtime::size(index)];
        for (const auto &experiment : {planOf(optimizer, "1f1b", VocabularyMethod::None, 2),
                                       planOf(optimizer, "1f1b", VocabularyMethod::Vocab1, 3, true),
                                       planOf(optimizer, "zb-h1", VocabularyMethod::Vocab2, 2, false, 3, 1),
                                       withExperts(planOf(optimizer, "1f1b", VocabularyMethod::None, 2, false, 3, 1), 1),
                                       withExperts(planOf(optimizer, "1f1b", VocabularyMethod::None, 1, false, 4, 0), 2)}) {
            const auto schedule = scheduleOf(experiment);
            const auto bounds = runtime::memoryPlan(experiment, schedule); // messages depend on timing
            QVERIFY(bounds.ok());
            const auto onStep = [&](const runtime::StepReport &report) {
                for (int device = 0; device < schedule.devices(); ++device) {
                    const auto planned = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
                    const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
                    for (std::size_t i = 0; i < measured.size(); ++i) {
                        const base::Bytes most = (*bounds)[runtime::size(device)].peak[i];
                        QVERIFY2(i == backend::kMessages ? measured[i] <= most : measured[i] == planned[i],
                                 qPrintable(QStringLiteral("device %1, category %2: %3, planned %4, at most %5")
                                                .arg(device)
                                                .arg(i)
                                                .arg(measured[i])
                                                .arg(planned[i])
                                                .arg(most)));
                    }
                }
            };
            const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
    }

    void resumedRunsHaveTheSameBits_data() { addOptimizers(); }
    void resumedRunsHaveTheSameBits()
    {
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *operators::optimizers()[runtime::size(index)];
        auto experiment = planOf(optimizer, "1f1b", VocabularyMethod::Vocab1, 3, false, 2, 1);
        const Trained whole = train(experiment);
        const fs::path checkpoint = place(std::string("checkpoint-") + std::string(optimizer.name));
        experiment.training.steps = 3;
        (void)train(experiment, {{}, {}, checkpoint, 3, {}});
        experiment.training.steps = 6;
        for (const int zero : {3, 0}) {
            experiment.parallel.zero = zero;
            const Trained rest = train(experiment, {{}, {}, {}, 0, checkpoint});
            QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
            QVERIFY(rest.weights == whole.weights);
        }
        // Another mesh continues within the tolerance of another order of sums.
        auto other = planOf(optimizer, "gpipe", VocabularyMethod::None, 4);
        other.parallel.microbatches = 8;
        const Trained alone = train(other, {{}, {}, {}, 0, checkpoint});
        for (std::size_t step = 0; step < 3; ++step)
            QVERIFY(std::abs(alone.losses[step] - whole.losses[step + 3]) < 1e-4);
        // The state is that of one optimizer.
        for (const operators::Optimizer *another : operators::optimizers()) {
            if (another == &optimizer)
                continue;
            experiment.training.optimizer.name = another->name;
            const auto refused = runtime::train(experiment, scheduleOf(experiment), {{}, {}, {}, 0, checkpoint}, {}, {});
            QVERIFY(!refused.ok());
            QCOMPARE(refused.error().problems.front().field, std::string("training.optimizer.name"));
            QVERIFY(refused.error().text().find("leave it as it was") != std::string::npos);
        }
    }

    void resumedExpertsHaveTheSameBits_data() { addOptimizers(); }
    /// Shares of the state begin within the matrices of all experts, or after those of some.
    void resumedExpertsHaveTheSameBits()
    {
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *operators::optimizers()[runtime::size(index)];
        auto experiment = withExperts(planOf(optimizer, "1f1b", VocabularyMethod::None, 1, false, 4, 1), 2);
        const Trained whole = train(experiment);
        const fs::path checkpoint = place(std::string("experts-") + std::string(optimizer.name));
        experiment.training.steps = 3;
        (void)train(experiment, {{}, {}, checkpoint, 3, {}});
        experiment.training.steps = 6;
        for (const int zero : {1, 0}) {
            experiment.parallel.zero = zero;
            const Trained rest = train(experiment, {{}, {}, {}, 0, checkpoint});
            QCOMPARE(rest.losses, std::vector<double>(whole.losses.begin() + 3, whole.losses.end()));
            QVERIFY(rest.weights == whole.weights);
        }
        experiment.parallel.expert = 1;
        const Trained alone = train(experiment, {{}, {}, {}, 0, checkpoint});
        for (std::size_t step = 0; step < 3; ++step)
            QVERIFY(std::abs(alone.losses[step] - whole.losses[step + 3]) < 1e-4);
    }

    void asynchronousSchedulesMatchTheReference_data() { addOptimizers(); }
    void asynchronousSchedulesMatchTheReference()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, index);
        const operators::Optimizer &optimizer = *operators::optimizers()[runtime::size(index)];
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            auto experiment = planOf(optimizer, family, VocabularyMethod::None, 2, family == std::string("pipedream"));
            experiment.training.optimizer.clip.reset();
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(),
                     qPrintable(QStringLiteral("%1: off by %2").arg(QLatin1StringView(family)).arg(found->worst())));
        }
    }

private:
    [[nodiscard]] fs::path place(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }
    Trained train(model::Experiment experiment, runtime::RunFolders folders = {})
    {
        Trained result;
        folders.dump = place("dump");
        experiment.training.steps = experiment.training.steps == 3 ? 3 : 6;
        const auto onStep = [&result](const runtime::StepReport &report) { result.losses.push_back(report.loss); };
        const auto trained = runtime::train(experiment, scheduleOf(experiment), folders, {onStep, {}}, {});
        if (!trained)
            qFatal("%s", trained.error().text().c_str());
        QFile content(QString::fromStdString((place("dump") / "model-final.safetensors").string()));
        if (content.open(QIODevice::ReadOnly))
            result.weights = content.readAll();
        if (result.weights.isEmpty())
            qFatal("no dump");
        return result;
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(Optimizers)

} // namespace integration_training_optimizers

#include "training/optimizers.moc"
