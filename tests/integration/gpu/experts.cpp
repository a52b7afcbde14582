// Mixtures of experts on GPUs without a GPU: their gradients, bits, routers and memory.
#include "engine/model/capabilities.h"
#include "engine/operators/stage_layers.h"
#include "engine/simulate/memory.h"
#include "tests/cuda_emulator/devices.h"
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
using model::Experiment;
using model::VocabularyMethod;

namespace {

decltype(&stagelensSetFibreGpus) setGpus = nullptr;
decltype(&stagelensReleasedEarlyOnFibreGpus) releasedEarly = nullptr;

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

class GpuExperts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const test::FibrePlugin plugin;
        QVERIFY2(plugin.gpus().problem.empty(), plugin.gpus().problem.c_str());
        QVERIFY(plugin.find(setGpus, "stagelensSetFibreGpus"));
        QVERIFY(plugin.find(releasedEarly, "stagelensReleasedEarlyOnFibreGpus"));
    }
    void init() { setGpus(1, std::size_t{1} << 30); }
    void cleanup() { QCOMPARE(releasedEarly(), 0); }

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
        STAGELENS_NOT_UNDER_TSAN();
        for (const bool isBf16 : {false, true}) {
            Experiment plan = onGpu("1f1b", VocabularyMethod::None, useSigmoid);
            plan.model.dtype = isBf16 ? model::DataType::Bf16 : model::DataType::Fp32;
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
        STAGELENS_NOT_UNDER_TSAN();
        Experiment plan = onGpu("zb-h1", VocabularyMethod::Vocab2, useSigmoid);
        plan.model.dtype = model::DataType::Bf16;
        plan.model.denseLayers = 1;
        plan.training.steps = 1;
        test::verifyHeldMemory(operators::resolved(plan, 2));
    }

    /// Rows go to the experts of other ranks and back. The first loss has the bits of one rank: with eight tokens, whose arrays
    /// begin at multiples of 16 bytes whatever the ranks are, so that norms add in one order.
    void expertRanksTrain()
    {
        const auto onRanks = [](int expert, VocabularyMethod method) {
            return onGpu("1f1b", method, [expert](Experiment &plan) {
                plan.model.sequence = 8;
                plan.model.capacityFactor = 1.5;
                plan.parallel.replicas = 2;
                plan.parallel.expert = expert;
                plan.parallel.expertHeadroom = 4;
            });
        };
        test::verifyPlan(onRanks(2, VocabularyMethod::Vocab2));
        STAGELENS_NOT_UNDER_TSAN();
        Experiment plan = onRanks(2, VocabularyMethod::None);
        plan.training.steps = 2;
        const std::vector<double> losses = trained(plan).losses;
        QCOMPARE(losses.size(), std::size_t{2});
        plan.training.mode = model::RunMode::Live;
        QCOMPARE(trained(plan).losses, losses);
        plan = onRanks(1, VocabularyMethod::None);
        plan.training.steps = 1;
        QCOMPARE(trained(plan).losses.front(), losses.front());
    }
};

STAGELENS_TEST(GpuExperts)

} // namespace integration_gpu_experts

#include "gpu/experts.moc"
