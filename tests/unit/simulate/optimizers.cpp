// What predictions say of optimizers: bytes of published sizes, shares of replicas, times, and the wait for the sums of tables.
#include "engine/model/presets.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/simulate/costs/cost_model.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/steps/step_end.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_optimizers {

using namespace stagelens;
using base::kNanosPerMilli;
using base::Nanos;
using model::VocabularyMethod;

namespace {

/// 8.54 billion parameters: h = 4096, 32 layers, 256k tokens in two tables.
model::Experiment largePlan(const char *optimizer)
{
    model::Experiment experiment;
    experiment.model.preset = "custom";
    experiment.model.layers = 32;
    experiment.model.hidden = 4096;
    experiment.model.heads = 32;
    experiment.model.kvHeads = 32;
    experiment.model.ffn = 4 * 4096;
    experiment.model.sequence = 1024;
    experiment.model.vocabularySize = 256000;
    experiment.parallel.devices = 1;
    experiment.parallel.microbatches = 1;
    experiment.training.optimizer.name = optimizer;
    return operators::resolved(experiment, 2);
}

double gigabytesOf(const char *optimizer)
{
    const model::Experiment experiment = largePlan(optimizer);
    return static_cast<double>(simulate::optimizerBytes(experiment, test::scheduleOf(experiment), 0).state) / 1e9;
}

} // namespace

class SimulateOptimizers : public QObject {
    Q_OBJECT

private slots:
    void bytesOfALargeModel()
    {
        const double parameters = 8.5435e9;
        QVERIFY(std::abs(gigabytesOf("adamw") - 68.35) < 0.05);
        QVERIFY(std::abs(gigabytesOf("adafactor") - 0.0173) < 1e-4);
        QVERIFY(std::abs(gigabytesOf("sgd") - 34.17) < 0.05);
        QCOMPARE(gigabytesOf("lion"), gigabytesOf("sgd"));
        QVERIFY(std::abs(gigabytesOf("adam8bit") / (parameters / 1e9) - 2.004) < 0.002);
        const double tables = (2.0 * 256000 + 1024) * 4096; // and vectors of 13 h a layer
        QVERIFY(std::abs(gigabytesOf("muon") - (4 * parameters + 4 * tables) / 1e9) < 0.05);
    }

    /// The parts of a device are those of its memory: each category of a plan in fp32 is exact.
    void stateIsInTheProfile()
    {
        for (const operators::Optimizer *optimizer : operators::optimizers()) {
            auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::Vocab1, 3, 4);
            experiment.training.optimizer.name = optimizer->name;
            const test::Plan plan = test::planOf(experiment);
            for (int device = 0; device < 3; ++device) {
                const auto bytes = simulate::optimizerBytes(plan.experiment, plan.schedule, device);
                const auto peak = simulate::memoryPeak(plan.experiment, plan.schedule, plan.timeline, device).byCategory;
                QCOMPARE(peak[simulate::at(simulate::MemoryCategory::Optimizer)], bytes.state);
                base::Bytes sum = 0;
                for (const operators::PartShape &part : simulate::deviceParts(plan.experiment, plan.schedule, device))
                    sum += optimizer->stateBytes(part.kind, part.count(), part.columns);
                QCOMPARE(bytes.state, sum);
                QCOMPARE(bytes.messages > 0, optimizer->sums != nullptr);
            }
        }
    }

    /// Replicas hold all of the state together; a share is whole where the optimizer needs it.
    void replicasShareTheState()
    {
        for (const operators::Optimizer *optimizer : operators::optimizers()) {
            auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::None, 2, 4);
            experiment.training.optimizer.name = optimizer->name;
            experiment.parallel.replicas = 3;
            experiment.parallel.zero = 1;
            const auto schedule = test::scheduleOf(experiment);
            base::Bytes sum = 0;
            base::Bytes most = 0;
            for (int replica = 0; replica < 3; ++replica) {
                const auto bytes = simulate::optimizerBytes(experiment, schedule, 0, replica);
                sum += bytes.state;
                most = std::max(most, bytes.state);
            }
            const auto fullest = simulate::optimizerBytes(experiment, schedule, 0);
            QCOMPARE(fullest.state, most);
            QVERIFY(most < fullest.allState);
            // The codes of a share fill whole floats.
            QVERIFY(sum >= fullest.allState && sum < fullest.allState + 200 * 4);
            const auto cut = simulate::replicaCuts(experiment, schedule, 0).shared;
            const auto parts = simulate::deviceParts(experiment, schedule, 0);
            for (std::size_t i = 0; i < parts.size(); ++i)
                for (int replica = 0; replica < 3; ++replica)
                    QCOMPARE(cut.share(replica, i).size() % optimizer->indivisible(parts[i]), 0);
        }
    }

    /// Bytes over bandwidth: 28 of AdamW, 20 of SGD and Lion, 16 of Adafactor a parameter; Muon adds products.
    void timesFollowTheBytes()
    {
        auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        const auto millisecondsOf = [&](const char *optimizer) {
            const auto experiment = largePlan(optimizer);
            const auto costs = simulate::analyticCosts(experiment, *hardware, test::scheduleOf(experiment));
            return static_cast<double>(costs.optimizer(0) - hardware->passOverhead) / 1e6;
        };
        const double byte = 8.5435e9 / hardware->memoryBytesPerSecond * 1e3;
        QVERIFY(std::abs(millisecondsOf("adamw") - 28 * byte) < 0.01 * byte);
        QVERIFY(std::abs(millisecondsOf("sgd") - 20 * byte) < 0.01 * byte);
        QVERIFY(std::abs(millisecondsOf("lion") - 20 * byte) < 0.01 * byte);
        QVERIFY(std::abs(millisecondsOf("adafactor") - 16 * byte) < 0.05 * byte);
        QVERIFY(std::abs(millisecondsOf("adam8bit") - 16 * byte) < 0.05 * byte);
        QVERIFY(millisecondsOf("muon") > 30 * byte);
    }

    /// No device ends its tables before the last has sent its sums: the first stage ends its passes 6 ms after the last.
    void sumsWaitForTheLastDevice()
    {
        test::Plan plan = test::planOf(test::teachingExperiment("1f1b", 4, 8, VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
        for (int device = 0; device < 4; ++device) {
            plan.costs.setOptimizer(device, 5 * kNanosPerMilli);
            plan.costs.setOptimizerSums(device, 2 * kNanosPerMilli);
        }
        plan.costs.tableSums = kNanosPerMilli;
        for (const bool waits : {false, true}) {
            plan.costs.sumsOverDevices = waits;
            const auto timeline = simulate::simulate(plan.schedule, plan.costs);
            QVERIFY(timeline.ok());
            const Nanos last = timeline->lanes[0].end.back(); // the first stage is the last to end
            for (const timeline::Lane &lane : timeline->lanes) {
                QCOMPARE(lane.tailBegin, lane.end.back());
                QCOMPARE(lane.tailEnd, waits ? last + (2 + 1 + 3) * kNanosPerMilli : lane.tailBegin + 5 * kNanosPerMilli);
            }
        }
    }

    void onlyShardedTablesAddSums()
    {
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            auto experiment = test::tinyExperiment("1f1b", method, 2, 4);
            experiment.training.optimizer.name = "adafactor";
            const auto costs = simulate::makeCostModel(experiment, test::scheduleOf(experiment));
            QVERIFY(costs.ok());
            QCOMPARE(costs->sumsOverDevices, method == VocabularyMethod::Vocab2);
        }
    }
};

STAGELENS_TEST(SimulateOptimizers)

} // namespace unit_simulate_optimizers

#include "simulate/optimizers.moc"
