// What follows the passes with replicas: known times of 1F1B, collectives as measured, and the memory of ZeRO.
#include "engine/simulate/steps/step_end.h"
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/memory.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace unit_simulate_step_end {

using namespace stagelens;
using base::kNanosPerMilli;
using base::Nanos;
using model::VocabularyMethod;
using simulate::GroupCollective;
using timeline::AnchoredKind;

namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

/// 1F1B on 4 devices with 8 microbatches, F 1, B 2: a reduction of 3, an optimizer of 1 and a gather of 2 on each device.
timeline::Timeline stepOf(bool limitsNorm, Nanos optimizer, Nanos gather, bool gathersFirst = false)
{
    test::Plan plan = test::planOf(test::teachingExperiment("1f1b", 4, 8, VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
    plan.costs.replicas = 2;
    plan.costs.limitsNorm = limitsNorm;
    plan.costs.gathersFirst = gathersFirst;
    for (int device = 0; device < 4; ++device) {
        plan.costs.setExchange(device, AnchoredKind::ReduceGradients, {3 * kNanosPerMilli, 100});
        plan.costs.setExchange(device, AnchoredKind::GatherParameters, {gather * kNanosPerMilli, gather > 0 ? 50 : 0});
        plan.costs.setOptimizer(device, optimizer * kNanosPerMilli);
    }
    auto timeline = simulate::simulate(plan.schedule, plan.costs);
    if (!timeline)
        qFatal("%s", timeline.error().text().c_str());
    return std::move(timeline).value();
}

double busRateOf(const model::Hardware &hardware, GroupCollective collective, int ranks, layout::NodeSpan span, double bytes)
{
    return simulate::bytesSent(collective, ranks, bytes) /
           simulate::collectiveSeconds(hardware, collective, ranks, span, bytes);
}

model::Hardware hardwareOf(const char *name)
{
    auto hardware = model::hardwarePreset(name);
    if (!hardware)
        qFatal("%s", hardware.error().text().c_str());
    return std::move(hardware).value();
}

} // namespace

class SimulateStepEnd : public QObject {
    Q_OBJECT

private slots:
    void onlyTheFirstStageExposesItsReduction()
    {
        const timeline::Timeline step = stepOf(false, 0, 0);
        QCOMPARE(step.makespan(), 33 * kNanosPerMilli);
        constexpr std::array<int, 4> kReduced{36, 34, 32, 30};
        for (std::size_t device = 0; device < 4; ++device) {
            QCOMPARE(step.lanes[device].anchored.size(), std::size_t{1});
            QCOMPARE(step.lanes[device].anchored[0].end, kReduced[device] * kNanosPerMilli);
        }
        QCOMPARE(step.period, 36 * kNanosPerMilli);
        QCOMPARE(step.iteration(), step.period);
        QCOMPARE(simulate::exposedExchange(step), 3 * kNanosPerMilli);
    }

    void theNormWaitsForAllReductions()
    {
        const timeline::Timeline step = stepOf(true, 1, 2);
        for (const timeline::Lane &lane : step.lanes) {
            QCOMPARE(lane.tailBegin, 36 * kNanosPerMilli);
            QCOMPARE(lane.anchored.back().kind, AnchoredKind::GatherParameters);
            QCOMPARE(lane.anchored.back().end, 39 * kNanosPerMilli);
        }
        QCOMPARE(step.period, 39 * kNanosPerMilli); // the others begin their next step later than the first
        const timeline::Timeline without = stepOf(false, 1, 2);
        QCOMPARE(without.lanes[3].tailBegin, 30 * kNanosPerMilli);
        QCOMPARE(without.period, step.period);
    }

    /// ZeRO-3: what is gathered at the begin of a step rather than at the end of the one before costs the same.
    void aGatherAtTheBeginOfTheStepCostsTheSame()
    {
        for (const bool limitsNorm : {false, true}) {
            const timeline::Timeline step = stepOf(limitsNorm, 1, 2, true);
            const timeline::Timeline late = stepOf(limitsNorm, 1, 2);
            QCOMPARE(step.period, 39 * kNanosPerMilli);
            QCOMPARE(simulate::exposedExchange(step), simulate::exposedExchange(late));
            QCOMPARE(step.makespan(), late.makespan());
            for (std::size_t device = 0; device < 4; ++device) {
                const timeline::Lane &lane = step.lanes[device];
                QCOMPARE(lane.anchored.size(), std::size_t{2});
                QCOMPARE(lane.anchored[0].kind, AnchoredKind::GatherParameters);
                QCOMPARE(lane.anchored[0].begin, Nanos{0});
                QCOMPARE(lane.anchored[0].end, 2 * kNanosPerMilli);
                QCOMPARE(lane.begin.front(), late.lanes[device].begin.front() + 2 * kNanosPerMilli);
                QCOMPARE(lane.tailBegin, late.lanes[device].tailBegin + 2 * kNanosPerMilli);
                QCOMPARE(lane.anchored[1].begin, late.lanes[device].anchored[0].begin + 2 * kNanosPerMilli);
            }
        }
    }

    void onePlanWithoutReplicasHasNoPeriod()
    {
        const test::Plan plan =
            test::planOf(test::teachingExperiment("1f1b", 4, 8, VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
        QCOMPARE(plan.timeline.period, Nanos{0});
        QCOMPARE(plan.timeline.iteration(), 33 * kNanosPerMilli);
    }

    /// nccl-tests' tables in stas00/ml-engineering, network/.
    void collectivesTakeTheirMeasuredTimes()
    {
        const model::Hardware a100 = hardwareOf("a100-80gb");
        constexpr layout::NodeSpan kOneNode{1, 8};
        const double gibibyte = simulate::collectiveSeconds(a100, GroupCollective::AllReduce, 8, kOneNode, kGiB);
        QVERIFY2(std::abs(gibibyte - 8204e-6) < 1e-3 * 8204e-6, qPrintable(QString::number(gibibyte)));
        const double small = simulate::collectiveSeconds(a100, GroupCollective::AllReduce, 8, kOneNode, 1024);
        QVERIFY2(std::abs(small - 43.8e-6) < 1e-6, qPrintable(QString::number(small))); // latency only
        const model::Hardware h200 = hardwareOf("h200");
        QVERIFY(std::abs(busRateOf(h200, GroupCollective::AllReduce, 8, kOneNode, 16 * kGiB) / 482.3e9 - 1) < 1e-3);
        QVERIFY(std::abs(busRateOf(h200, GroupCollective::AllGather, 8, kOneNode, 16 * kGiB) / 361e9 - 1) < 1e-3);
        const model::Hardware b200 = hardwareOf("b200");
        constexpr layout::NodeSpan kFourNodes{4, 8};
        for (const auto &[bytes, rate] : {std::pair(16 * kGiB, 382e9), {kGiB, 362e9}, {kGiB / 8, 198e9}, {kGiB / 64, 64.4e9}})
            QVERIFY(std::abs(busRateOf(b200, GroupCollective::AllReduce, 32, kFourNodes, bytes) / rate - 1) < 2e-2);
        QCOMPARE(simulate::collectiveSeconds(b200, GroupCollective::AllReduce, 1, {}, kGiB), 0.0);
    }

    /// ZeRO, arXiv 1910.02054, figure 1: 16-bit weights and gradients, 12 bytes of state over 64 replicas.
    void stateIsSharedAmongReplicas()
    {
        model::Experiment experiment = test::tinyExperiment("1f1b", VocabularyMethod::None, 4, 8);
        experiment.model.dtype = model::DataType::Fp16;
        experiment.cost.source = model::HardwarePreset{"a100-80gb"};
        experiment.parallel.replicas = 64;
        const auto bytesOf = [&](int zero) {
            experiment.parallel.zero = zero;
            const test::Plan plan = test::planOf(experiment);
            return simulate::memoryPeak(plan.experiment, plan.schedule, plan.timeline, 1).byCategory;
        };
        const simulate::MemoryByCategory whole = bytesOf(0);
        const simulate::MemoryByCategory shared = bytesOf(1);
        using simulate::MemoryCategory;
        QCOMPARE(whole[at(MemoryCategory::Optimizer)], 6 * whole[at(MemoryCategory::Parameters)]);
        QCOMPARE(shared[at(MemoryCategory::Optimizer)], (whole[at(MemoryCategory::Optimizer)] + 63) / 64);
        QCOMPARE(shared[at(MemoryCategory::Gradients)], whole[at(MemoryCategory::Gradients)]);
        QCOMPARE(bytesOf(2), shared); // at the peak gradients and parameters are whole
        QCOMPARE(bytesOf(3), shared);
        // Between steps: the figure's GB of 7.5e9 parameters.
        const auto parameters = static_cast<double>(whole[at(MemoryCategory::Parameters)]) / 2;
        for (const auto &[zero, gigabytes] : {std::pair(1, 31.4), {2, 16.6}, {3, 1.9}}) {
            experiment.parallel.zero = zero;
            const test::Plan plan = test::planOf(experiment);
            const auto last = simulate::memoryProfile(plan.experiment, plan.schedule, plan.timeline, 1).steps.back().bytes;
            const auto held = static_cast<double>(last[at(MemoryCategory::Parameters)] + last[at(MemoryCategory::Gradients)] +
                                                  last[at(MemoryCategory::Optimizer)]);
            QVERIFY2(std::abs(7.5 * held / parameters - gigabytes) < 0.06,
                     qPrintable(QString::number(7.5 * held / parameters)));
        }
    }
};

STAGELENS_TEST(SimulateStepEnd)

} // namespace unit_simulate_step_end

#include "simulate/step_end.moc"
