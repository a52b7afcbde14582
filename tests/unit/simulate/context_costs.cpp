// Predictions with context ranks: what they divide, what they exchange, and over which links.
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace unit_simulate_context_costs {

using namespace stagelens;

namespace {

constexpr int kMicrobatches = 8;

/// A Llama-like model in bf16: h 4096, 32 heads on 8 of keys and values, L 16, s 8192, on 2 devices.
model::Experiment contextPlan(int context, int tensor = 1)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(16, 4096, 32, 8192, 131072, model::DataType::Bf16);
    experiment.model.family = model::ModelFamily::Llama;
    experiment.model.kvHeads = 8;
    experiment.parallel = {2, kMicrobatches, 1, {8, 8}};
    experiment.parallel.context = context;
    experiment.parallel.tensor = tensor;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

simulate::Metrics metricsOf(const test::Plan &plan)
{
    return simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
}

} // namespace

class ContextCosts : public QObject {
    Q_OBJECT
private slots:
    /// K and V forward, K and V again and their gradients backward: 12 (c - 1) / c N k / t L / p m bytes in 16 bit.
    void sentBytes()
    {
        for (const int context : {2, 4, 8})
            for (const int tensor : {1, 2, 8}) {
                const test::Plan plan = test::planOf(contextPlan(context, tensor));
                QVERIFY2(plan.error.empty(), plan.error.c_str());
                const simulate::Metrics metrics = metricsOf(plan);
                constexpr double kTokens = 8192;
                constexpr double kKeys = 1024; // numbers of the keys of a token
                const double expected = 12.0 * (context - 1) / context * kTokens * kKeys / tensor * 8 * kMicrobatches;
                for (const base::Bytes sent : metrics.contextTraffic)
                    QCOMPARE(static_cast<double>(sent), expected);
                QVERIFY(metrics.contextPerDevice[0] > 0);
            }
        QVERIFY(metricsOf(test::planOf(contextPlan(1, 2))).contextTraffic.empty());
    }

    /// A ring sends as much, and hides a message behind the attention that runs beside it.
    void ring()
    {
        for (const int sequence : {1024, 131072}) {
            for (const int tensor : {1, 8}) {
                auto gathering = contextPlan(4, tensor);
                gathering.model.sequence = sequence;
                auto ring = gathering;
                ring.parallel.contextMethod = model::ContextMethod::Ring;
                const test::Plan all = test::planOf(gathering);
                const test::Plan hops = test::planOf(ring);
                QVERIFY2(hops.error.empty(), hops.error.c_str());
                QCOMPARE(metricsOf(hops).contextTraffic, metricsOf(all).contextTraffic);
                const simulate::PassCost &forward = hops.costs.pass(0, schedule::PassKind::F, 0);
                const bool isHidden = sequence > 100'000;
                QCOMPARE(forward.context == 0, isHidden);
                if (tensor == 8 && !isHidden) { // between nodes: 30 us, and the bytes over the eighth of a node's adapters
                    const auto hardware = model::hardwarePreset("a100-80gb");
                    const double bytes = 4.0 * sequence / 4 * 1024 / tensor;
                    const double hop = 30e-6 + bytes / hardware->networkRate(8);
                    const double flops = 4.0 * sequence / 4 * sequence * 4096 / tensor;
                    const double attention = flops / (hardware->peakFlops * hardware->attentionEfficiency) / 4;
                    const double exposed = static_cast<double>(forward.context) / 1e9 / 8;
                    QVERIFY(std::abs(exposed - 3 * (hop - attention)) < 1e-7);
                }
                QVERIFY(metricsOf(hops).peakMemory[0] < metricsOf(all).peakMemory[0]);
            }
        }
    }

    /// Tensor ranks are neighbours; with 8 of them a node has no room for another context rank.
    void linkOfTheGroup()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        for (const int tensor : {1, 8}) {
            const test::Plan plan = test::planOf(contextPlan(2, tensor));
            const layout::NodeSpan span = tensor == 1 ? layout::NodeSpan{1, 2} : layout::NodeSpan{2, 1};
            const double bytes = 4.0 * 8192 * 1024 / tensor;
            using simulate::GroupCollective;
            const double gather = simulate::collectiveSeconds(*hardware, GroupCollective::AllGather, 2, span, bytes);
            const double scatter = simulate::collectiveSeconds(*hardware, GroupCollective::ReduceScatter, 2, span, bytes);
            const auto seconds = [&](schedule::PassKind kind) {
                return static_cast<double>(plan.costs.pass(0, kind, 0).context) / 1e9 / 8; // a layer
            };
            QVERIFY(std::abs(seconds(schedule::PassKind::F) - gather) < 1e-8);
            QVERIFY(std::abs(seconds(schedule::PassKind::B) - gather - scatter) < 1e-8);
        }
    }

    /// A backward that rebuilds attention, alone or with its layer, gathers the keys once more.
    void recomputationGathersAgain()
    {
        const test::Plan kept = test::planOf(contextPlan(4));
        auto norms = contextPlan(4);
        norms.schedule.recomputeModules.norms = true;
        auto attention = contextPlan(4);
        attention.schedule.recomputeModules.attention = true;
        auto full = contextPlan(4);
        full.schedule.recompute = model::Recompute::Full;
        const simulate::PassCost &forward = kept.costs.pass(1, schedule::PassKind::F, 1);
        const simulate::PassCost &backward = kept.costs.pass(1, schedule::PassKind::B, 1);
        for (const auto &[experiment, again] : {std::pair(norms, 0), {attention, 1}, {full, 1}}) {
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const simulate::PassCost &cost = plan.costs.pass(1, schedule::PassKind::B, 1);
            QCOMPARE(cost.contextBytes, backward.contextBytes + again * forward.contextBytes);
            QVERIFY(std::abs(cost.context - backward.context - again * forward.context) <= 2);
            QCOMPARE(plan.costs.pass(1, schedule::PassKind::F, 1).context, forward.context);
            // What is computed again, gathers included, is what lengthens the pass.
            QVERIFY(cost.recomputed > 0);
            QVERIFY(std::abs(cost.duration - backward.duration - cost.recomputed) <= 2);
        }
    }

    /// Every rank has the same number of pairs, so attention and all else is divided; what is left are the exchanges.
    void workIsDivided()
    {
        const test::Plan one = test::planOf(contextPlan(1));
        const test::Plan four = test::planOf(contextPlan(4));
        for (const auto kind : {schedule::PassKind::F, schedule::PassKind::B}) {
            const simulate::PassCost &whole = one.costs.pass(1, kind, 1);
            const simulate::PassCost &part = four.costs.pass(1, kind, 1);
            QVERIFY(std::abs(static_cast<double>(part.quadratic) * 4 / static_cast<double>(whole.quadratic) - 1) < 1e-6);
            const base::Nanos overhead = 50'000; // of a pass
            const auto work = static_cast<double>(part.duration - part.context - overhead);
            QVERIFY(std::abs(work * 4 / static_cast<double>(whole.duration - overhead) - 1) < 0.02);
        }
        for (const auto recompute : {model::Recompute::None, model::Recompute::Full}) {
            const auto bytes = [&](int context) {
                return operators::layerActivationBytes(one.experiment.model, 1, recompute, model::Attention::Flash,
                                                       {1, false, context});
            };
            QCOMPARE(bytes(4) * 4, bytes(1));
        }
        const simulate::Metrics metrics = metricsOf(four);
        const simulate::Metrics whole = metricsOf(one);
        QVERIFY(metrics.peakMemory[0] < whole.peakMemory[0]);
        QCOMPARE(metrics.peakMemoryByCategory[0][simulate::at(simulate::MemoryCategory::Activations)] * 4,
                 whole.peakMemoryByCategory[0][simulate::at(simulate::MemoryCategory::Activations)]);
        QCOMPARE(metrics.modelFlops, whole.modelFlops);
    }

    /// Gradients are summed, and the optimizer's state is divided, over d c ranks.
    void gradientsOfAllShares()
    {
        for (const int zero : {0, 1, 2, 3}) {
            auto replicas = contextPlan(1);
            replicas.parallel.replicas = 4;
            replicas.parallel.zero = zero;
            auto both = contextPlan(2);
            both.parallel.replicas = 2;
            both.parallel.zero = zero;
            const test::Plan four = test::planOf(replicas);
            const test::Plan twice = test::planOf(both);
            QCOMPARE(metricsOf(twice).replicaTraffic, metricsOf(four).replicaTraffic);
            const auto kind = timeline::AnchoredKind::ReduceGradients;
            QCOMPARE(twice.costs.exchange(0, kind).duration, four.costs.exchange(0, kind).duration);
            const auto state = simulate::at(simulate::MemoryCategory::Optimizer);
            QCOMPARE(metricsOf(twice).peakMemoryByCategory[0][state], metricsOf(four).peakMemoryByCategory[0][state]);
        }
    }
};

STAGELENS_TEST(ContextCosts)

} // namespace unit_simulate_context_costs

#include "simulate/context_costs.moc"
