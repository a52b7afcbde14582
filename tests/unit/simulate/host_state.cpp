// Predictions of plans whose hosts keep the optimizer's state and weights.
#include "engine/simulate/host_state.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/planned_schedule.h"
#include "engine/simulate/simulate.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

namespace unit_simulate_host_state {

using namespace stagelens;
using model::Experiment;

namespace {

Experiment plan(bool offloadsParameters)
{
    Experiment experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
    experiment.model.dtype = model::DataType::Bf16;
    experiment.cost.source = model::HardwarePreset{.name = "a100-80gb"};
    experiment.schedule.offloadOptimizer = true;
    experiment.schedule.offloadParameters = offloadsParameters;
    return operators::resolved(experiment, 2);
}

/// 4 layers on each of two devices: qkv, projection and MLP with biases, and two norms.
constexpr base::Bytes kLayer = 32 * 96 + 96 + 32 * 32 + 32 + 2 * 32 * 128 + 128 + 32 + 4 * 32;
constexpr base::Bytes kTable = 97 * 32;
constexpr base::Bytes kPositions = 16 * 32;

} // namespace

class SimulateHostState : public QObject {
    Q_OBJECT

private slots:
    /// In bf16: 4 bytes of master weights, 8 of moments, and the gradient of the largest parameter.
    void bytesOfTheHost()
    {
        const Experiment experiment = plan(false);
        const auto schedule = simulate::plannedSchedule(experiment).value();
        const simulate::HostState state = simulate::hostState(experiment, schedule, 0);
        const base::Bytes count = kTable + kPositions + 4 * kLayer;
        QCOMPARE(state.weights, 4 * count);
        QCOMPARE(state.optimizer, 8 * count);
        QCOMPARE(state.gradient, base::Bytes{4 * 32 * 128});
        QCOMPARE(simulate::peakHostBytes(experiment, schedule, 0), state.total());
        const Experiment both = plan(true);
        QCOMPARE(simulate::hostState(both, schedule, 0).weights, 4 * count + 2 * 4 * kLayer);
        Experiment none = plan(false);
        none.schedule.offloadOptimizer = false;
        QCOMPARE(simulate::peakHostBytes(none, schedule, 0), base::Bytes{0});
    }

    /// A pass takes at least as long as the copies of its weights, and the optimizer as those of gradients and weights.
    void timesOfASlowLink()
    {
        Experiment experiment = plan(true);
        experiment.schedule.hostBandwidth = 0.001; // 1 byte a microsecond
        const auto schedule = simulate::plannedSchedule(experiment).value();
        const auto costs = simulate::makeCostModel(experiment, schedule).value();
        const auto passOf = [&](schedule::PassKind kind) { return costs.pass(0, kind, 0).duration; };
        const base::Nanos weights = 4 * 2 * kLayer * 1000;
        for (const schedule::PassKind kind : {schedule::PassKind::F, schedule::PassKind::B})
            QVERIFY(passOf(kind) >= weights && passOf(kind) < weights + weights / 100);
        // Gradients in bf16 plans are fp32; of the weights only tables come back.
        const base::Bytes out = 4 * (kTable + kPositions + 4 * kLayer);
        const base::Bytes in = 2 * (kTable + kPositions);
        const base::Nanos update = (out + in) * 1000;
        QVERIFY2(costs.optimizer(0) >= update && costs.optimizer(0) < update + update / 100,
                 qPrintable(QString("%1, expected %2").arg(costs.optimizer(0)).arg(update)));
        experiment.schedule.offloadParameters = false;
        const auto others = simulate::makeCostModel(experiment, schedule).value();
        QVERIFY(others.pass(0, schedule::PassKind::F, 0).duration < weights / 10);
        QVERIFY(others.optimizer(0) > costs.optimizer(0));
        // The pass of each slice copies all weights.
        Experiment sliced = plan(true);
        model::chooseFamily(sliced.schedule, "seq1f1b");
        sliced.schedule.hostBandwidth = 0.001;
        const auto ofSlices = simulate::makeCostModel(sliced, simulate::plannedSchedule(sliced).value()).value();
        for (int slice = 0; slice < 2; ++slice) {
            const base::Nanos pass = ofSlices.of(0, schedule::makePass(schedule::PassKind::F, 0, slice)).duration;
            QVERIFY(pass >= weights && pass < weights + weights / 100);
        }
    }

    /// Layers without experts are fewer bytes, and a place has room for either kind.
    void weightsOfExperts()
    {
        Experiment experiment = plan(true);
        experiment.model.family = model::ModelFamily::Llama;
        experiment.model.kvHeads = 2;
        experiment.model.ffn = 40;
        experiment.model.experts = 4;
        experiment.model.expertFfn = 24;
        experiment.model.denseLayers = 3;
        experiment.parallel.replicas = experiment.parallel.expert = 2;
        experiment = operators::resolved(experiment, 2);
        const auto schedule = simulate::plannedSchedule(experiment).value();
        constexpr std::int64_t kAttention = 2 * 32 * 32 + 2 * 32 * 16 + 2 * 32; // with the norms
        constexpr std::int64_t kDense = kAttention + 3 * 32 * 40;
        constexpr std::int64_t kOfExperts = kAttention + 4 * 32 + 2 * 3 * 32 * 24; // a half of them
        const auto weights = [&](int device) {
            return simulate::weightsOfDevice(experiment, schedule, device, base::Precision::Fp32);
        };
        QCOMPARE(weights(0).layers, 4);
        QCOMPARE(weights(0).count, 3 * kDense + kOfExperts);
        QCOMPARE(weights(1).count, 4 * kOfExperts);
        QCOMPARE(weights(0).slot, std::max(kDense, kOfExperts));
        const base::Bytes kept = simulate::offloadedWeightBytes(experiment, schedule, 0);
        QCOMPARE(kept, 2 * (3 * kDense + kOfExperts - 2 * std::max(kDense, kOfExperts)));
        experiment.schedule.hostBandwidth = 0.001; // 1 byte a microsecond
        const auto costs = simulate::makeCostModel(experiment, schedule).value();
        for (int stage = 0; stage < 2; ++stage) {
            const base::Nanos copy = 2 * weights(stage).count * 1000;
            const base::Nanos pass = costs.pass(stage, schedule::PassKind::F, stage).duration;
            QVERIFY(pass >= copy && pass < copy + copy / 100);
        }
    }

    void unknownLinkIsRefused()
    {
        Experiment experiment = plan(false);
        const auto schedule = simulate::plannedSchedule(experiment).value();
        auto cluster = std::make_shared<model::Hardware>(model::hardwareOf({.name = "a100-80gb"}).value());
        cluster->hostBytesPerSecond = cluster->sharedHostBytesPerSecond = 0;
        experiment.cost.source = model::HardwarePreset{cluster->name, cluster};
        const auto refused = simulate::makeCostModel(experiment, schedule);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.offload_optimizer"));
        experiment.schedule.hostBandwidth = 10;
        QVERIFY(simulate::makeCostModel(experiment, schedule).ok());
    }
};

STAGELENS_TEST(SimulateHostState)

} // namespace unit_simulate_host_state

#include "simulate/host_state.moc"
