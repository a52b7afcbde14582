// Mixtures of experts on GPUs without a GPU: their gradients, bits, routers and memory.
#include "engine/model/capabilities.h"
#include "engine/operators/stage_layers.h"
#include "engine/simulate/memory.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/held_memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace integration_gpu_experts {

using namespace stagelens;
using model::DataType;
using model::Experiment;
using model::VocabularyMethod;

namespace {

Experiment onGpu(const std::string &schedule, VocabularyMethod method, const std::function<void(Experiment &)> &change = {})
{
    Experiment plan = test::smallExperiment(schedule, method, 2, 2);
    plan.model.layers = 4; // a fibre a thread takes its time
    plan.parallel.stageLayers.clear();
    plan.training.backend = "cuda";
    plan = test::asLlama(plan, 1);
    plan.model.experts = 4;
    plan.model.topK = 2;
    plan.model.expertFfn = 12;
    plan.model.auxLoss = 0.01;
    plan.model.zLoss = 1e-3;
    if (change)
        change(plan);
    return operators::resolved(plan, 2);
}

void useSigmoid(Experiment &plan)
{
    plan.model.router = model::RouterScore::Sigmoid;
    plan.model.routerBiasRate = 1e-3;
    plan.model.routerGroups = 2;
    plan.model.routerGroupLimit = 1;
    plan.model.routerScale = 2.5;
    plan.model.sharedExperts = 1;
}

struct Trained {
    std::vector<double> losses;
    std::vector<timeline::RouterStepPtr> routers;
};
/// Ranks of each axis.
struct Ranks {
    int tensor = 1;
    int context = 1;
    int replicas = 1;
    int expert = 1;
};

/// Eight tokens, so that arrays begin at multiples of 16 bytes whatever the ranks are, and norms add in one order.
Experiment onRanks(const Ranks &ranks, DataType type = DataType::Fp32, VocabularyMethod method = VocabularyMethod::None)
{
    return onGpu("1f1b", method, [&](Experiment &plan) {
        const bool isNarrow = type != DataType::Fp32;
        plan.model.dtype = type;
        plan.model.sequence = isNarrow ? 16 : 8;
        plan.model.kvHeads = 2;
        plan.parallel.tensor = ranks.tensor;
        plan.parallel.context = ranks.context;
        plan.parallel.replicas = ranks.replicas;
        plan.parallel.expert = ranks.expert;
        plan.parallel.expertHeadroom = 4;
        if (ranks.expert > 1 && ranks.tensor > 1)
            plan.parallel.sequenceParallel = true;
        if (isNarrow) {
            plan.model.layers = 2;
            plan.model.expertFfn = 16;
        }
    });
}

Trained trained(const Experiment &plan)
{
    Trained all;
    runtime::TrainingObserver observer;
    observer.onStep = [&all](const runtime::StepReport &report) {
        all.losses.push_back(report.loss);
        all.routers.push_back(report.routers);
    };
    const auto done = runtime::train(plan, test::scheduleOf(plan), {}, observer, {});
    if (!done)
        qCritical("%s", done.error().text().c_str());
    return all;
}

} // namespace

class GpuExperts : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    void trainLikeTheReference()
    {
        const auto verify = [](const char *schedule, VocabularyMethod method, const std::function<void(Experiment &)> &change) {
            test::verifyPlan(onGpu(schedule, method, change));
        };
        verify("zb-h1", VocabularyMethod::Vocab2, {});
        verify("1f1b", VocabularyMethod::None, [](Experiment &plan) { plan.model.topK = 1; });
        verify("1f1b", VocabularyMethod::Vocab1, useSigmoid);
        verify("zb-h1", VocabularyMethod::None, [](Experiment &plan) {
            plan.model.capacityFactor = 1;
            plan.schedule.recompute = model::Recompute::Full;
        });
        verify("1f1b", VocabularyMethod::None, [](Experiment &plan) {
            plan.model.denseLayers = 1;
            plan.schedule.recomputeModules = {true, true, true};
            plan.model.capacityFactor = 1;
            plan.model.dropRule = model::DropRule::Position;
        });
    }

    /// Losses and routers are those of the processor, and twice the same.
    void routeAsOnTheProcessor()
    {
        STAGELENS_NOT_SANITIZED();
        for (const bool isBf16 : {false, true}) {
            Experiment plan = onGpu("1f1b", VocabularyMethod::None, useSigmoid);
            plan.model.dtype = isBf16 ? DataType::Bf16 : DataType::Fp32;
            plan.model.layers = 2;
            plan.parallel.stageLayers.clear();
            plan.training.steps = 3;
            plan = operators::resolved(plan, 2);
            const Trained first = trained(plan);
            QCOMPARE(first.losses.size(), std::size_t{3});
            plan.training.mode = model::RunMode::Live;
            const Trained again = trained(plan);
            QCOMPARE(again.losses, first.losses);
            plan.training.backend = "cpu";
            const Trained expected = trained(plan);
            for (std::size_t step = 0; step < 3; ++step) {
                QVERIFY2(
                    std::abs(first.losses[step] - expected.losses[step]) <= (isBf16 ? 2e-2 : 1e-4),
                    fmt::format("step {}: {}, on the processor {}", step, first.losses[step], expected.losses[step]).c_str());
                for (std::size_t layer = 0; layer < 2; ++layer) {
                    const timeline::RouterCounts &counts = first.routers[step]->layers[layer];
                    const timeline::RouterCounts &others = expected.routers[step]->layers[layer];
                    QCOMPARE(again.routers[step]->layers[layer], counts);
                    QCOMPARE(counts.tokens, others.tokens);
                    QVERIFY(std::abs(counts.entropy - others.entropy) <= (isBf16 ? 1e-2 : 1e-5) * others.entropy);
                    if (!isBf16)
                        QCOMPARE(counts.rows, others.rows);
                }
            }
        }
    }

    void holdWhatIsPlanned()
    {
        STAGELENS_NOT_SANITIZED();
        Experiment plan = onGpu("zb-h1", VocabularyMethod::Vocab2, useSigmoid);
        plan.model.dtype = DataType::Bf16;
        plan.model.denseLayers = 1;
        plan.training.steps = 1;
        test::verifyHeldMemory(operators::resolved(plan, 2));
    }

    void severalRanksTrainLikeTheReference_data()
    {
        QTest::addColumn<Ranks>("ranks");
        QTest::addColumn<DataType>("type");
        test::Sample sample;
        const auto row = [&sample](const char *name, const Ranks &ranks, DataType type) {
            if (!sample.leavesOut())
                QTest::newRow(name) << ranks << type;
        };
        row("expert ranks", {1, 1, 2, 2}, DataType::Fp32);
        row("expert ranks, bf16", {1, 1, 2, 2}, DataType::Bf16);
        row("expert ranks, fp16", {1, 1, 2, 2}, DataType::Fp16);
        row("tensor ranks", {2, 1, 1, 1}, DataType::Fp32);
        row("tensor ranks, bf16", {2, 1, 1, 1}, DataType::Bf16);
        row("context ranks", {1, 2, 1, 1}, DataType::Fp32);
        row("context ranks, bf16", {1, 2, 1, 1}, DataType::Bf16);
        row("expert ranks of tensor ranks", {2, 1, 1, 2}, DataType::Fp32);
        row("expert ranks of tensor ranks, bf16", {2, 1, 2, 4}, DataType::Bf16);
        row("expert ranks with context ranks", {1, 2, 2, 2}, DataType::Fp32);
    }
    /// With rows that are dropped, and a method for each precision. In 16 bits like the processor, because routers choose other
    /// experts than the reference where logits are close.
    void severalRanksTrainLikeTheReference()
    {
        QFETCH(Ranks, ranks);
        QFETCH(DataType, type);
        const bool isExact = type == DataType::Fp32;
        Experiment plan = onRanks(ranks, type, isExact ? VocabularyMethod::Vocab2 : VocabularyMethod::Vocab1);
        plan.model.capacityFactor = 1.5;
        for (const base::Problem &problem : model::unsupported(plan, model::Use::Run))
            QFAIL(problem.message.c_str());
        if (isExact)
            return test::verifyPlan(plan);
        STAGELENS_NOT_UNDER_TSAN();
        plan.training.steps = 3;
        trainsLikeOnTheProcessor(plan, type == DataType::Fp16 ? 4e-3 : 2e-2);
    }

    /// Rows go to the experts of other ranks and back, once for each expert or once for each node. The first loss has the bits
    /// of one rank.
    void expertRanksTrain()
    {
        STAGELENS_NOT_SANITIZED();
        for (const bool isBf16 : {false, true}) {
            Experiment plan = onRanks({1, 1, 2, 2}, isBf16 ? DataType::Bf16 : DataType::Fp32);
            plan.model.capacityFactor = 1.5;
            plan.training.steps = 2;
            const std::vector<double> losses = trained(plan).losses;
            QCOMPARE(losses.size(), std::size_t{2});
            plan.parallel.expertDispatch = model::ExpertDispatch::PerNode;
            QCOMPARE(trained(plan).losses, losses);
            plan.parallel.expertDispatch = model::ExpertDispatch::PerExpert;
            if (!isBf16) {
                plan.training.mode = model::RunMode::Live;
                QCOMPARE(trained(plan).losses, losses);
            }
            plan.parallel.expert = 1;
            plan.training.steps = 1;
            QCOMPARE(trained(plan).losses.front(), losses.front());
        }
    }

    /// Rows that are sent in 8 bits: the losses of the processor, which are not those of rows in fp32.
    void eightBitsAreSentAsByTheProcessor()
    {
        STAGELENS_NOT_SANITIZED();
        Experiment plan = onRanks({1, 1, 2, 2});
        plan.training.steps = 2;
        const std::vector<double> exact = trained(plan).losses;
        plan.parallel.dispatchPrecision = model::DispatchPrecision::Fp8;
        const std::vector<double> losses = trained(plan).losses;
        QCOMPARE(losses.size(), std::size_t{2});
        plan.parallel.expertDispatch = model::ExpertDispatch::PerNode;
        QCOMPARE(trained(plan).losses, losses);
        plan.training.backend = "cpu";
        const std::vector<double> expected = trained(plan).losses;
        for (std::size_t step = 0; step < 2; ++step) {
            const double change = std::abs(exact[step] - expected[step]);
            QVERIFY(change > 0);
            QVERIFY2(std::abs(losses[step] - expected[step]) <= 0.1 * change,
                     fmt::format("{}: {}, on the processor {}, in fp32 {}", step, losses[step], expected[step], exact[step])
                         .c_str());
        }
    }

    /// Optimizers whose state is of whole matrices, of which a layer has one for each expert.
    void matricesOfExpertsAreUpdated()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const char *optimizer : {"muon", "adafactor"})
            for (const int expert : {1, 2}) {
                Experiment plan = onRanks({1, 1, 2, expert});
                plan.model.layers = 2;
                plan.parallel.stageLayers.clear();
                plan.training.optimizer.name = optimizer;
                plan.training.steps = 3;
                trainsLikeOnTheProcessor(operators::resolved(plan, 2), 1e-4);
            }
    }

    /// Slices of sequences have router losses and capacities of their own, on expert ranks too.
    void slicesTrain()
    {
        test::verifyPlan(onGpu("seq1f1b", VocabularyMethod::Vocab1, [](Experiment &plan) {
            plan.schedule.sequenceSlices = 3;
            plan.model.capacityFactor = 1;
        }));
        test::verifyPlan(onGpu("seq1f1b-zb", VocabularyMethod::None, [](Experiment &plan) {
            useSigmoid(plan);
            plan.schedule.sequenceSlices = 2;
            plan.model.denseLayers = 1;
            plan.schedule.recompute = model::Recompute::Full;
        }));
        test::verifyPlan(onGpu("seq1f1b", VocabularyMethod::None, [](Experiment &plan) {
            plan.schedule.sequenceSlices = 2;
            plan.parallel.replicas = 2;
            plan.parallel.expert = 2;
            plan.parallel.expertHeadroom = 4;
        }));
        STAGELENS_NOT_UNDER_TSAN();
        Experiment plan = onGpu("seq1f1b-zb", VocabularyMethod::Vocab2, useSigmoid);
        plan.schedule.sequenceSlices = 3;
        plan.model.dtype = DataType::Bf16;
        plan.model.denseLayers = 1;
        plan.training.steps = 1;
        test::verifyHeldMemory(operators::resolved(plan, 2));
    }

private:
    static void trainsLikeOnTheProcessor(Experiment plan, double tolerance)
    {
        const std::vector<double> losses = trained(plan).losses;
        QCOMPARE(losses.size(), static_cast<std::size_t>(plan.training.steps));
        plan.training.backend = "cpu";
        const std::vector<double> expected = trained(plan).losses;
        for (std::size_t step = 0; step < losses.size(); ++step)
            QVERIFY2(std::abs(losses[step] - expected[step]) <= tolerance,
                     fmt::format("step {}: {}, on the processor {}", step, losses[step], expected[step]).c_str());
    }
};

STAGELENS_TEST(GpuExperts)

} // namespace integration_gpu_experts

#include "gpu/experts.moc"
