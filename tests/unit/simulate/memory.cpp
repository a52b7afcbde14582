// Memory profiles and the figures beside a timeline.
#include "engine/operators/sizes.h"
#include "engine/simulate/memory_profiles.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_memory {

using namespace stagelens;
using model::VocabularyMethod;
using simulate::MemoryCategory;

namespace {

model::Experiment smallExperiment(VocabularyMethod method)
{
    model::Experiment experiment;
    experiment.parallel = {4, 16, 1, {2, 2, 2, 2}};
    experiment.schedule.vocabulary = method;
    experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}, {"S", .25}, {"T", .25}, {"EF", .1}, {"EB", .1}}};
    return experiment;
}

base::Bytes of(const simulate::MemoryByCategory &bytes, MemoryCategory category)
{
    return bytes[static_cast<std::size_t>(category)];
}

} // namespace

class SimulateMemory : public QObject {
    Q_OBJECT

private slots:
    void whatComesGoes_data()
    {
        QTest::addColumn<int>("method");
        for (int method = 0; method < 5; ++method)
            QTest::addRow("method %d", method) << method;
    }
    void whatComesGoes()
    {
        QFETCH(int, method);
        const test::Plan plan = test::planOf(smallExperiment(static_cast<VocabularyMethod>(method)));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        for (int device = 0; device < 4; ++device) {
            const simulate::MemoryProfile profile =
                simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, device);
            QCOMPARE(profile.steps.front().time, 0);
            QCOMPARE(profile.steps.front().bytes, profile.steps.back().bytes);
            QVERIFY(std::ranges::is_sorted(profile.steps, {}, &simulate::MemoryStep::time));
            for (const simulate::MemoryStep &step : profile.steps)
                QVERIFY(std::ranges::all_of(step.bytes, [](base::Bytes bytes) { return bytes >= 0; }));
            base::Bytes sum = 0;
            for (const base::Bytes bytes : profile.atPeak())
                sum += bytes;
            QCOMPARE(sum, profile.peak());
            // Figures and plot speak of the same peak.
            const simulate::MemoryPeak peak = simulate::memoryPeak(plan.experiment, plan.schedule, plan.timeline, device);
            QCOMPARE(profile.peak(), peak.total);
            QCOMPARE(profile.atPeak(), peak.byCategory);
        }
    }

    void aMeasuredPeakDecides()
    {
        const test::Plan plan = test::planOf(smallExperiment(VocabularyMethod::Vocab1));
        const auto schedule = std::make_shared<const schedule::Schedule>(plan.schedule);
        const auto timeline = std::make_shared<const timeline::Timeline>(plan.timeline);
        std::vector<base::Bytes> peaks;
        for (int device = 0; device < 4; ++device)
            peaks.push_back(simulate::memoryPeak(plan.experiment, *schedule, *timeline, device).total + device * 1000);
        const simulate::MemoryProfiles profiles(peaks, plan.experiment, schedule, timeline);
        for (int device = 0; device < 4; ++device)
            QCOMPARE(profiles.of(device)->peak(), peaks[static_cast<std::size_t>(device)]);
    }

    void parametersOfAllDevicesAreTheModels()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            const test::Plan plan = test::planOf(smallExperiment(method));
            base::Bytes parameters = 0;
            for (int device = 0; device < 4; ++device)
                parameters += of(simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, device).steps[0].bytes,
                                 MemoryCategory::Parameters);
            QCOMPARE(parameters, 4 * operators::totalParameters(plan.experiment.model));
        }
    }

    void tiedShardsStandOnceWithTwoGradients()
    {
        model::Experiment experiment = smallExperiment(VocabularyMethod::Vocab1);
        const test::Plan untied = test::planOf(experiment);
        experiment.model.tied = true;
        const test::Plan tied = test::planOf(experiment);
        const auto constant = [](const test::Plan &plan) {
            return simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, 1).steps[0].bytes;
        };
        const base::Bytes shard = 4 * operators::embeddingParameters(experiment.model) / 4;
        QCOMPARE(of(constant(untied), MemoryCategory::Parameters) - of(constant(tied), MemoryCategory::Parameters), shard);
        QCOMPARE(of(constant(untied), MemoryCategory::Gradients), of(constant(tied), MemoryCategory::Gradients));
    }

    void activationsFollowTheMicrobatchesInFlight()
    {
        const test::Plan plan = test::planOf(smallExperiment(VocabularyMethod::Vocab1));
        const auto peak = simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, 0).atPeak();
        const base::Bytes layer = operators::layerActivationBytes(plan.experiment.model, 1, model::Recompute::None);
        QCOMPARE(of(peak, MemoryCategory::Activations), 6 * 2 * layer);
    }

    /// Only the layers' weight gradients wait for W: one microbatch's logits at a time, however many W are pending.
    void logitsGoWithTheInputGradient()
    {
        model::Experiment experiment = smallExperiment(VocabularyMethod::None);
        experiment.schedule.family = "zb-h1";
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const simulate::MemoryProfile last = simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, 3);
        base::Bytes logits = 0;
        for (const simulate::MemoryStep &step : last.steps)
            logits = std::max(logits, of(step.bytes, MemoryCategory::Vocabulary));
        QCOMPARE(logits, 4 * 128 * (128 + 8192 + 3)); // X, softmax, statistics
    }

    /// GPT h 4096, L 32, V 131072, s 2048 in bf16 on p 4, t 2, d 4 with sequence parallelism: by hand, 0.8055e9 layer
    /// parameters a rank at 18 or (ZeRO-1) 9 bytes; 34 s b h / t of activations a layer; V h / t of a table on either end or,
    /// with vocabulary parallelism, twice V h / (p t) everywhere.
    void tensorRanksDivideAll()
    {
        constexpr double kGibi = 1024.0 * 1024 * 1024;
        model::Experiment experiment;
        experiment.model = test::gptOf(32, 4096, 32, 2048, 131072, model::DataType::Bf16);
        experiment.parallel = {4, 16, 1, {8, 8, 8, 8}};
        experiment.parallel.tensor = 2;
        experiment.parallel.replicas = 4;
        experiment.cost.source = model::HardwarePreset{"a100-80gb"};
        for (const int zero : {0, 1})
            for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
                experiment.parallel.zero = zero;
                experiment.schedule.vocabulary = method;
                const test::Plan plan = test::planOf(experiment);
                QVERIFY2(plan.error.empty(), plan.error.c_str());
                const auto statesOf = [&](int device) {
                    const auto bytes =
                        simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, device).steps[0].bytes;
                    return static_cast<double>(of(bytes, MemoryCategory::Parameters) + of(bytes, MemoryCategory::Gradients) +
                                               of(bytes, MemoryCategory::Optimizer)) /
                           kGibi;
                };
                const double layers = zero == 0 ? 13.50 : 6.75;
                const double table = zero == 0 ? 4.5 : 2.25;
                const double inner = method == VocabularyMethod::None ? layers : layers + table / 2;
                QVERIFY2(std::abs(statesOf(1) - inner) < 0.01, qPrintable(QString::number(statesOf(1))));
                const double last = method == VocabularyMethod::None ? layers + table : inner;
                QVERIFY2(std::abs(statesOf(3) - last) < 0.01, qPrintable(QString::number(statesOf(3))));
                if (method != VocabularyMethod::None)
                    continue;
                const double inFlight[] = {4.25, 3.19, 2.13, 1.06};
                for (int device = 0; device < 4; ++device) {
                    const auto peak = simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, device).atPeak();
                    const double held = static_cast<double>(of(peak, MemoryCategory::Activations)) / kGibi;
                    QVERIFY2(std::abs(held - inFlight[device]) < 0.02, qPrintable(QString::number(held)));
                }
            }
    }

    void theFirstStageKeepsTheSumOfTheShardsEmbeddings()
    {
        const auto activations = [](model::DataType dtype) {
            model::Experiment experiment = smallExperiment(VocabularyMethod::Vocab1);
            experiment.model.dtype = dtype;
            const test::Plan plan = test::planOf(experiment);
            const base::Bytes layer = operators::layerActivationBytes(plan.experiment.model, 1, model::Recompute::None);
            const auto peak = simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, 0).atPeak();
            return of(peak, MemoryCategory::Activations) - 6 * 2 * layer;
        };
        QCOMPARE(activations(model::DataType::Bf16), 6 * 128 * 128 * 2); // six microbatches in flight
        QCOMPARE(activations(model::DataType::Fp32), 0);
    }

    void profilesAreMadeWhenTheyAreLookedAt()
    {
        int made = 0;
        const auto ofSteps = [&made](std::size_t count) {
            return simulate::MemoryProfiles(std::vector<base::Bytes>(3), [&made, count](int device) {
                ++made;
                simulate::MemoryProfile profile;
                profile.steps.resize(count, {device, {}});
                return profile;
            });
        };
        const simulate::MemoryProfiles small = ofSteps(10);
        QCOMPARE(small.devices(), 3);
        QCOMPARE(made, 0);
        for (const int device : {2, 0, 1, 2, 0})
            QCOMPARE(small.of(device)->steps.front().time, device);
        QCOMPARE(made, 3);
        // Large ones do not pile up: whoever looks at one holds it.
        const simulate::MemoryProfiles large = ofSteps(70'000);
        const std::weak_ptr<const simulate::MemoryProfile> first = large.of(0);
        QVERIFY(!first.expired());
        QCOMPARE(large.of(0)->steps.front().time, 0);
        QCOMPARE(made, 4);
        QCOMPARE(large.of(1)->steps.front().time, 1);
        QVERIFY(first.expired());
        QCOMPARE(made, 5);
    }

    void aTeachingExampleHasNoBytes()
    {
        const test::Plan plan =
            test::planOf(test::teachingExperiment("1f1b", 4, 8, VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
        const simulate::Metrics metrics =
            simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 1e12);
        QVERIFY(metrics.peakMemory.empty());
        QVERIFY(metrics.vocabularySharePerDevice.empty());
        QVERIFY(!metrics.mfu && !metrics.tokensPerSecond && !metrics.modelFlops);
        QCOMPARE(metrics.makespan, 33 * base::kNanosPerMilli);
        QVERIFY(std::abs(metrics.bubbleRatio - 9.0 / 33) < 1e-12);
        QVERIFY(std::abs(metrics.bubbleRatioPerDevice[2] - 9.0 / 33) < 1e-12);
        QCOMPARE(metrics.lowerBound, std::optional(33 * base::kNanosPerMilli));
        QCOMPARE(metrics.peakActivationMicrobatches, (std::vector<double>{4, 3, 2, 1}));
    }

    void vocabularyShareAndModelFigures()
    {
        const test::Plan plan = test::planOf(smallExperiment(VocabularyMethod::Vocab2));
        const simulate::Metrics metrics =
            simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, nullptr, 1e12);
        QVERIFY(!metrics.lowerBound);
        for (const double share : metrics.vocabularySharePerDevice)
            QVERIFY(std::abs(share - 0.7 / 3.7) < 1e-9);
        const double seconds = static_cast<double>(metrics.iteration) / 1e9;
        QCOMPARE(*metrics.tokensPerSecond, 16 * 128 / seconds);
        QVERIFY(std::abs(*metrics.mfu - *metrics.modelFlops / seconds / 4e12) < 1e-9);
    }

    void bubblesOfAnUnequalPipeline()
    {
        const model::Experiment experiment = smallExperiment(VocabularyMethod::None);
        const schedule::Schedule schedule = *schedule::makeSchedule(experiment);
        simulate::CostModel costs(4, 4);
        costs.vocabularyKnown = true;
        for (int device = 0; device < 4; ++device) {
            const base::Nanos vocabulary = device == 3 ? 1000 : 0;
            costs.setPass(device, schedule::PassKind::F, device, {1000 + vocabulary, vocabulary});
            costs.setPass(device, schedule::PassKind::B, device, {2000 + vocabulary, vocabulary});
        }
        const simulate::BubbleCauses causes = simulate::bubbleCauses(schedule, costs);
        QCOMPARE(causes.communication, 0);
        QCOMPARE(causes.unequalStages, 0);
        QVERIFY(causes.vocabularyLayers > 0);
        // Equal stages of 3.5 us: what every order of 1F1B pays, on each of four devices.
        QCOMPARE(causes.fillAndDrain, 4 * 3 * 3500);
    }

    /// Pairs that hide half of the all-to-alls, which are a fifth of each pass, are a tenth shorter.
    void causesOfPairsThatHideAllToAlls()
    {
        model::Experiment experiment = smallExperiment(VocabularyMethod::None);
        experiment.schedule.overlappedPairs = true;
        const schedule::Schedule schedule = *schedule::makeSchedule(experiment);
        simulate::CostModel hiding(4, 4);
        simulate::CostModel scaled(4, 4);
        for (int device = 0; device < 4; ++device) {
            for (const schedule::PassKind kind : {schedule::PassKind::F, schedule::PassKind::B}) {
                const base::Nanos duration = (kind == schedule::PassKind::F ? 1000 : 2000) * (device + 2);
                hiding.setPass(device, kind, device, {.duration = duration, .expert = duration / 5});
                scaled.setPass(device, kind, device, {.duration = duration});
            }
        }
        hiding.hiddenInPairs = 0.5;
        scaled.pairScale = 0.9;
        const simulate::BubbleCauses one = simulate::bubbleCauses(schedule, hiding);
        const simulate::BubbleCauses other = simulate::bubbleCauses(schedule, scaled);
        QVERIFY(one.unequalStages > 0);
        QCOMPARE(one.unequalStages, other.unequalStages);
        QCOMPARE(one.fillAndDrain, other.fillAndDrain);
    }
};

STAGELENS_TEST(SimulateMemory)

} // namespace unit_simulate_memory

#include "simulate/memory.moc"
