// Runs that really train: they learn, can be stopped anywhere, and report what they measured.
#include "engine/base/file.h"
#include "engine/base/random.h"
#include "engine/exchange/safetensors.h"
#include "engine/model/names.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/training/dump.h"
#include "tests/support/requirements.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>

namespace integration_runtime_training {

using namespace stagelens;
using model::VocabularyMethod;
using test::kAllMethods;
using test::lossesOf;
using test::scheduleOf;
using test::tinyExperiment;

class RuntimeTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
        // A sequence that can be learned by heart: 0, 1, ..., 96, 0, 1, ...
        std::string tokens;
        for (int i = 0; i < 5000; ++i) {
            tokens.push_back(static_cast<char>(i % 97));
            tokens.push_back('\0');
        }
        m_tokens = m_folder.filePath("counting.bin").toStdString();
        QVERIFY(base::writeFile(m_tokens, tokens).ok());
    }

    void lossFallsOnALearnableSequence_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        QTest::addColumn<bool>("tied");
        test::Sample sample;
        const auto add = [&sample](const char *family, VocabularyMethod method, int devices, bool tied) {
            if (sample.leavesOut())
                return;
            QTest::addRow("%s %s%s", family, model::name(method).data(), tied ? " tied" : "")
                << QString(family) << static_cast<int>(method) << devices << tied;
        };
        add("1f1b", VocabularyMethod::None, 2, false);
        add("1f1b", VocabularyMethod::None, 2, true);
        add("1f1b", VocabularyMethod::Vocab1, 4, false);
        add("1f1b", VocabularyMethod::Vocab2, 4, true);
        add("dualpipe", VocabularyMethod::None, 4, true);
        add("chimera", VocabularyMethod::Vocab2, 4, false);
        add("pipedream", VocabularyMethod::None, 4, false);
        add("pipedream", VocabularyMethod::None, 4, true);
        add("pipedream-2bw", VocabularyMethod::None, 4, true);
    }
    void lossFallsOnALearnableSequence()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, devices);
        QFETCH(bool, tied);
        auto experiment = tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), devices, 8);
        experiment.model.tied = tied;
        experiment.training.data = m_tokens;
        // Weights that change late, or often, ask for smaller steps.
        const bool isSynchronous = schedule::findFamily(experiment.schedule.family)->synchronous;
        experiment.training.optimizer.learningRate = isSynchronous ? 0.01 : 0.0015;
        experiment.training.steps = isSynchronous ? 30 : 40;
        if (isSynchronous)
            experiment.training.optimizer.clip = 1.0;
        const std::vector<double> losses = lossesOf(experiment);
        QCOMPARE(static_cast<int>(losses.size()), experiment.training.steps);
        QVERIFY(std::abs(losses.front() - std::log(97.0)) < 0.3);
        QVERIFY2(losses.back() < (isSynchronous ? 2.5 : 4.1), qPrintable(QString::number(losses.back())));
    }

    void lossesDoNotDependOnModeOrOrder()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::Vocab2, 4, 4);
        experiment.training.steps = 5;
        experiment.training.optimizer.clip = 0.5;
        const std::vector<double> virtualClock = lossesOf(experiment);
        experiment.training.mode = model::RunMode::Live;
        QCOMPARE(lossesOf(experiment), virtualClock);
        experiment.schedule.family = "gpipe";
        QCOMPARE(lossesOf(experiment), virtualClock);
    }

    void lossesOfTwoDirectionsAndWeightVersionsDoNotDependOnTheMode()
    {
        for (const char *family : {"dualpipe", "chimera", "pipedream", "pipedream-2bw"}) {
            auto experiment = tinyExperiment(family, VocabularyMethod::None, 4, 6);
            experiment.model.tied = true;
            experiment.training.steps = 4;
            const std::vector<double> virtualClock = lossesOf(experiment);
            experiment.training.mode = model::RunMode::Live;
            QVERIFY2(lossesOf(experiment) == virtualClock, family);
        }
    }

    /// PipeDream-2BW makes its second step with the first weights, and its third with those after one update.
    void doubleBufferedWeightsAreAStepLate()
    {
        auto plain = tinyExperiment("1f1b", VocabularyMethod::None, 2, 4);
        auto late = tinyExperiment("pipedream-2bw", VocabularyMethod::None, 2, 4);
        plain.training.steps = late.training.steps = 3;
        const std::vector<double> expected = lossesOf(plain);
        plain.training.optimizer.learningRate = 0;
        const std::vector<double> unmoved = lossesOf(plain);
        const std::vector<double> losses = lossesOf(late);
        QCOMPARE(losses[0], expected[0]);
        QCOMPARE(losses[1], unmoved[1]);
        QVERIFY(losses[2] != unmoved[2] && losses[2] != expected[2]);
    }

    void otherNumbersOfDevicesAndDirectionsAgreeWithinTolerance()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 1, 4);
        experiment.training.steps = 10;
        const std::vector<double> alone = lossesOf(experiment);
        test::Sample sample;
        for (const VocabularyMethod method : kAllMethods) {
            for (const char *family : {"1f1b", "dualpipe", "chimera"}) {
                if (sample.leavesOut())
                    continue;
                auto other = tinyExperiment(family, method, family[0] == '1' ? 8 : 4, 4);
                other.training.steps = 10;
                const std::vector<double> losses = lossesOf(other);
                for (std::size_t step = 0; step < alone.size(); ++step)
                    QVERIFY2(std::abs(losses[step] - alone[step]) < 2e-5, family);
            }
        }
    }

    void reportsAreWhole_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("method");
        test::Sample sample;
        for (const char *family : {"1f1b", "v-half", "dualpipe-v", "dualpipe"})
            for (const VocabularyMethod method : kAllMethods)
                for (const auto mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
                    if (sample.leavesOut())
                        continue;
                    QTest::addRow("%s mode %d method %d", family, static_cast<int>(mode), static_cast<int>(method))
                        << QString(family) << static_cast<int>(mode) << static_cast<int>(method);
                }
        for (const auto mode : {model::RunMode::Live, model::RunMode::VirtualClock})
            QTest::addRow("interlaced mode %d", static_cast<int>(mode))
                << QString("interlaced") << static_cast<int>(mode) << static_cast<int>(VocabularyMethod::None);
    }
    void reportsAreWhole()
    {
        QFETCH(QString, family);
        QFETCH(int, mode);
        QFETCH(int, method);
        auto experiment = tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), 4, 8);
        experiment.training.mode = static_cast<model::RunMode>(mode);
        experiment.training.steps = 2;
        const auto schedule = scheduleOf(experiment);
        std::vector<runtime::StepReport> reports;
        std::vector<runtime::Progress> progress;
        const auto trained = runtime::train(experiment, schedule, {},
                                            {[&](const runtime::StepReport &report) { reports.push_back(report); },
                                             [&](const runtime::Progress &each) { progress.push_back(each); }},
                                            {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QCOMPARE(reports.size(), std::size_t{2});
        QCOMPARE(progress.back().passesDone, progress.back().passCount);
        QCOMPARE(progress.back().step, 1);
        for (const runtime::StepReport &report : reports)
            checkTimeline(*report.timeline, schedule, experiment);
        QVERIFY(reports.back().iteration >= reports.back().timeline->makespan());
        QCOMPARE(reports.back().peakMemory.size(), std::size_t{4});
        for (const simulate::MemoryByCategory &bytes : reports.back().peakMemory) {
            const auto of = [&](simulate::MemoryCategory category) { return bytes[static_cast<std::size_t>(category)]; };
            QVERIFY(of(simulate::MemoryCategory::Parameters) > 0);
            QCOMPARE(of(simulate::MemoryCategory::Gradients), of(simulate::MemoryCategory::Parameters));
            QCOMPARE(of(simulate::MemoryCategory::Optimizer), 2 * of(simulate::MemoryCategory::Parameters));
        }
    }

    void memoryStaysWithinThePlan()
    {
        for (const char *family : {"1f1b", "gpipe"}) {
            for (const VocabularyMethod method : kAllMethods) {
                auto experiment = tinyExperiment(family, method, 4, 12);
                experiment.training.steps = 1;
                base::Bytes measured = 0;
                const auto onStep = [&](const runtime::StepReport &report) {
                    for (const auto &device : report.peakMemory)
                        for (const base::Bytes bytes : device)
                            measured += bytes;
                };
                QVERIFY(runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {}).ok());
                const base::Bytes planned = runtime::requiredBytes(experiment);
                QVERIFY2(measured <= planned && planned < 2 * measured,
                         qPrintable(QString("%1: %2 planned, %3 measured").arg(family).arg(planned).arg(measured)));
            }
        }
    }

    void stopsAtAnyPass()
    {
        const auto seed = std::random_device{}();
        qInfo("seed %u", seed);
        base::Random numbers(seed);
        for (int i = 0; i < (test::kIsThreadSanitized ? 12 : 24); ++i) {
            const char *family = std::array{"1f1b", "gpipe", "zb-h1", "zb-v"}[static_cast<std::size_t>(i % 4)];
            auto experiment = tinyExperiment(family, kAllMethods[i % 5], 4, 6);
            experiment.training.mode = i % 3 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1'000'000;
            const auto schedule = scheduleOf(experiment);
            std::stop_source stop;
            const auto last = numbers.nextInteger(1, 3 * static_cast<std::int64_t>(schedule.passCount()) / 2);
            std::atomic<std::int64_t> seen = 0;
            std::chrono::steady_clock::time_point asked;
            const auto onProgress = [&](const runtime::Progress &progress) {
                const auto passes = progress.step * static_cast<std::int64_t>(schedule.passCount()) +
                                    static_cast<std::int64_t>(progress.passesDone);
                if (passes >= last && !stop.stop_requested()) {
                    asked = std::chrono::steady_clock::now();
                    stop.request_stop();
                }
            };
            const auto outcome = runtime::train(experiment, schedule, {}, {{}, onProgress}, stop.get_token());
            QVERIFY(!outcome.ok());
            QCOMPARE(outcome.error().kind, base::ErrorKind::Cancelled);
            QVERIFY(std::chrono::steady_clock::now() - asked < std::chrono::seconds(2));
        }
    }

    void stopBeforeTheBeginning()
    {
        const auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        std::stop_source stop;
        stop.request_stop();
        const auto outcome = runtime::train(experiment, scheduleOf(experiment), {}, {}, stop.get_token());
        QVERIFY(!outcome.ok());
        QCOMPARE(outcome.error().kind, base::ErrorKind::Cancelled);
        const auto checked = runtime::verify(experiment, scheduleOf(experiment), stop.get_token());
        QVERIFY(!checked.ok());
        QCOMPARE(checked.error().kind, base::ErrorKind::Cancelled);
    }

    void dumpsStartRunsAgain()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::Vocab1, 4, 3);
        experiment.model.tied = true;
        experiment.training.steps = 3;
        const auto schedule = scheduleOf(experiment);
        const std::filesystem::path folder = m_folder.filePath("dump/first").toStdString();
        QVERIFY(runtime::train(experiment, schedule, {folder, {}}, {}, {}).ok());
        for (const char *file : {"config.json", "model.safetensors", "gradients.safetensors", "model-final.safetensors",
                                 "batch.safetensors", "result.json"})
            QVERIFY2(std::filesystem::exists(folder / file), file);

        const runtime::RunPlan plan(experiment, schedule);
        const auto gradients = exchange::SafetensorsFile::read(folder / "gradients.safetensors");
        QVERIFY(gradients.ok());
        std::vector<float> all;
        for (const runtime::ParameterInfo &info : plan.parameters) {
            const std::vector<std::int64_t> shape =
                info.isMatrix ? std::vector{info.rows, info.columns} : std::vector{info.columns};
            const auto values = gradients->floats(info.name, shape);
            QVERIFY2(values.ok(), info.name.c_str());
            all.insert(all.end(), values->begin(), values->end());
        }
        QCOMPARE(all, *test::stepGradients(experiment, schedule));
        QCOMPARE(gradients->entries().size(), plan.parameters.size());
        const auto batch = exchange::SafetensorsFile::read(folder / "batch.safetensors");
        QVERIFY(batch.ok());
        const auto inputs = batch->integers("input_ids", std::vector<std::int64_t>{3, 16});
        const auto labels = batch->integers("labels", std::vector<std::int64_t>{3, 16});
        QVERIFY(inputs.ok() && labels.ok());
        QVERIFY(std::equal(inputs->begin() + 1, inputs->begin() + 16, labels->begin()));

        // Another seed, but the same parameters: the run starts where the first one did.
        auto other = experiment;
        other.training.seed = 77;
        other.training.data = m_tokens;
        experiment.training.data = m_tokens;
        const std::filesystem::path second = m_folder.filePath("dump/second").toStdString();
        QVERIFY(runtime::train(other, schedule, {second, folder}, {}, {}).ok());
        const auto before = base::readFile(folder / "model.safetensors", 1 << 24);
        const auto again = base::readFile(second / "model.safetensors", 1 << 24);
        QVERIFY(before.ok() && again.ok());
        QVERIFY(*before == *again);

        other.model.hidden = 64;
        const auto refused = runtime::train(other, scheduleOf(other), {{}, folder}, {}, {});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().kind, base::ErrorKind::InvalidInput);
        QVERIFY(!runtime::train(experiment, schedule, {"/proc/nowhere", {}}, {}, {}).ok());
    }

    void divergenceIsNamed()
    {
        for (const auto mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            for (const VocabularyMethod method : kAllMethods) {
                auto experiment = tinyExperiment("1f1b", method, 4, 4);
                experiment.training.mode = mode;
                experiment.training.steps = 20;
                experiment.training.optimizer.learningRate = 1e30;
                const auto outcome = runtime::train(experiment, scheduleOf(experiment), {}, {}, {});
                QVERIFY(!outcome.ok());
                QCOMPARE(outcome.error().kind, base::ErrorKind::Failed);
                const std::string text = outcome.error().text();
                QVERIFY2(text.find("not finite in step") != std::string::npos, text.c_str());
                QVERIFY(text.find("lower the learning rate") != std::string::npos);
            }
        }
    }

private:
    static void checkTimeline(const timeline::Timeline &timeline, const schedule::Schedule &schedule,
                              const model::Experiment &experiment)
    {
        const bool isLive = experiment.training.mode == model::RunMode::Live;
        QCOMPARE(timeline.provenance, isLive ? timeline::Provenance::MeasuredLive : timeline::Provenance::MeasuredVirtualClock);
        QCOMPARE(timeline.devices(), schedule.devices());
        QCOMPARE(timeline.sliceCount(), schedule.passCount());
        for (int device = 0; device < schedule.devices(); ++device) {
            const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
            QCOMPARE(timeline.stages[static_cast<std::size_t>(device)], schedule.placement().stagesOf(device));
            QCOMPARE(lane.vocabulary.size(), lane.size());
            QCOMPARE(lane.processor.size(), lane.size());
            for (std::size_t i = 0; i < lane.size(); ++i) {
                QCOMPARE(lane.pass[i], schedule.device(device)[i]);
                QVERIFY(lane.begin[i] >= (i > 0 ? lane.end[i - 1] : 0));
                QVERIFY(lane.end[i] >= lane.begin[i]);
                QVERIFY(lane.processor[i] >= 0 && lane.processor[i] <= lane.end[i] - lane.begin[i]);
                QVERIFY(lane.vocabulary[i] >= 0 && lane.vocabulary[i] <= lane.end[i] - lane.begin[i]);
                checkOrder(timeline, schedule, lane.pass[i], lane.begin[i]);
            }
            QVERIFY(lane.tailBegin >= lane.end.back());
            QVERIFY(lane.tailEnd > lane.tailBegin);
        }
    }

    /// Every pass begins after what it needs has ended; what a pair makes is there at its end.
    static void checkOrder(const timeline::Timeline &timeline, const schedule::Schedule &schedule, const schedule::Pass &pass,
                           base::Nanos begin)
    {
        const schedule::Placement &placement = schedule.placement();
        for (const schedule::Requirement &need : test::requirementsOf(schedule, pass)) {
            const int first = need.allDevices ? 0 : placement.deviceOf(need.stage, placement.directionOf(pass.microbatch));
            const int last = need.allDevices ? schedule.devices() - 1 : first;
            for (int device = first; device <= last; ++device) {
                const int stage = need.allDevices ? placement.stagesOf(device).front() : need.stage;
                auto slice = timeline::findSlice(timeline, schedule::makePass(need.kind, stage, pass.microbatch), device);
                if (!slice && need.kind == schedule::PassKind::B)
                    slice = timeline::findSlice(timeline, schedule::makePass(schedule::PassKind::I, stage, pass.microbatch),
                                                device);
                QVERIFY(slice.has_value());
                const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
                const bool isPaired = lane.pass[slice->index].pairedWithNext;
                QVERIFY(lane.end[slice->index + (isPaired ? 1 : 0)] <= begin);
            }
        }
    }

    QTemporaryDir m_folder;
    std::string m_tokens;
};

STAGELENS_TEST(RuntimeTraining)

} // namespace integration_runtime_training

#include "runtime_training.moc"
