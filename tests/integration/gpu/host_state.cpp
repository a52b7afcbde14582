// Optimizer state and weights on the host of a GPU, without a GPU: what its host computes is what a processor computes of the
// same gradients, and devices and hosts hold what is planned. Streams execute their work as late as possible or, with a seed,
// now and then at once, so that a wait that is missing changes what is copied.
#include "engine/model/capabilities.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/session.h"
#include "engine/simulate/offload/offload_plan.h"
#include "tests/cuda_emulator/devices.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"
#include "tests/support/updated_parameter.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace integration_gpu_host_state {

using namespace stagelens;
using model::Experiment;
using model::VocabularyMethod;
using test::Trained;

namespace {

// Functions of tests/cuda_emulator/devices.h in the loaded plug-in.
decltype(&stagelensSetFibreGpus) setGpus = nullptr;
decltype(&stagelensSetFibreStreams) setStreams = nullptr;
decltype(&stagelensLimitPinnedOfFibres) limitPinned = nullptr;
decltype(&stagelensRefusePinnedOfFibres) refusePinned = nullptr;
decltype(&stagelensPinnedOfFibres) pinnedBytes = nullptr;
decltype(&stagelensReleasedEarlyOnFibreGpus) releasedEarly = nullptr;

constexpr std::size_t kUnlimited = ~std::size_t{0};

enum class Kept : unsigned char { Optimizer, Parameters };

/// Three layers on each of two devices, of which offloaded parameters leave two.
Experiment planOf(VocabularyMethod method = VocabularyMethod::None, bool isBf16 = false, const char *family = "1f1b")
{
    Experiment plan = test::onGpu(family, method);
    plan.model.layers = 6;
    plan.model.dtype = isBf16 ? model::DataType::Bf16 : model::DataType::Fp32;
    plan.parallel.stageLayers.clear();
    plan.training.steps = 3;
    plan.training.optimizer.weightDecay = 0.1;
    return operators::resolved(plan, 2);
}

Experiment onHost(Experiment plan, Kept kept)
{
    plan.schedule.offloadOptimizer = true;
    plan.schedule.offloadParameters = kept == Kept::Parameters;
    return plan;
}

std::vector<float> read(backend::Compute &compute, backend::ConstValues from, std::int64_t count)
{
    std::vector<float> values(runtime::size(count));
    compute.read(values, from);
    return values;
}

/// Updates of a processor beside those of a run, from the gradients that the run has.
class Beside {
public:
    explicit Beside(const Experiment &plan) : m_choice(plan.training.optimizer), m_precision(plan.model.dtype) {}

    /// Compares a parameter of a run before an update.
    void update(const runtime::Parameter &parameter, backend::Compute &compute)
    {
        using Kind = operators::ParameterKind;
        const std::int64_t count = parameter.count();
        auto &own = m_own[parameter.index];
        const std::vector<float> values = read(compute, parameter.value.data(), count);
        if (!own) {
            own = std::make_unique<test::UpdatedParameter>(*operators::findOptimizer(m_choice.name), 1, count, Kind::Matrix);
            own->set({values.begin(), values.end()});
        }
        QCOMPARE(own->values(), std::vector<double>(values.begin(), values.end()));
        if (parameter.rounded.size() > 0) // on the device, or on the host if it is copied for each pass
            QCOMPARE(read(compute, {parameter.rounded.data(), parameter.precision}, count), asRead(values));
        const std::vector<float> gradient = read(compute, parameter.gradient.data(), count);
        own->update(m_choice, {gradient.begin(), gradient.end()}, 1);
    }
    void compare(const runtime::Tensors &last) const
    {
        QCOMPARE(m_own.size(), last.size());
        for (const auto &[index, own] : m_own)
            QCOMPARE(own->values(), std::vector<double>(last[runtime::size(index)].begin(), last[runtime::size(index)].end()));
    }

private:
    [[nodiscard]] std::vector<float> asRead(std::vector<float> values) const
    {
        for (float &value : values)
            value = m_precision == model::DataType::Bf16 ? kernels::toFloat(kernels::toBf16(value)) : value;
        return values;
    }
    operators::OptimizerChoice m_choice;
    model::DataType m_precision;
    std::map<int, std::unique_ptr<test::UpdatedParameter>> m_own;
};

} // namespace

class GpuHostState : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const test::FibrePlugin plugin;
        QVERIFY2(plugin.gpus().problem.empty(), plugin.gpus().problem.c_str());
        QVERIFY(plugin.find(setGpus, "stagelensSetFibreGpus"));
        QVERIFY(plugin.find(setStreams, "stagelensSetFibreStreams"));
        QVERIFY(plugin.find(limitPinned, "stagelensLimitPinnedOfFibres"));
        QVERIFY(plugin.find(refusePinned, "stagelensRefusePinnedOfFibres"));
        QVERIFY(plugin.find(pinnedBytes, "stagelensPinnedOfFibres"));
        QVERIFY(plugin.find(releasedEarly, "stagelensReleasedEarlyOnFibreGpus"));
        QVERIFY(m_folder.isValid());
    }

    void init() { setGpus(1, std::size_t{1} << 30); }
    void cleanup()
    {
        setStreams(0);
        limitPinned(kUnlimited);
        refusePinned(kUnlimited, kUnlimited);
        QCOMPARE(releasedEarly(), 0);
        QCOMPARE(pinnedBytes(), std::size_t{0});
    }

    void updatesAreThoseOfAProcessor_data()
    {
        QTest::addColumn<QString>("optimizer");
        QTest::addColumn<bool>("isBf16");
        for (const char *optimizer : {"adamw", "lion", "sgd"})
            for (const bool isBf16 : {false, true})
                if (!test::kIsSanitized || isBf16)
                    QTest::addRow("%s%s", optimizer, isBf16 ? " bf16" : "") << optimizer << isBf16;
    }
    /// The bits of every value, and of what passes read of it, before each update and at the end.
    void updatesAreThoseOfAProcessor()
    {
        QFETCH(QString, optimizer);
        QFETCH(bool, isBf16);
        Experiment plan = planOf(VocabularyMethod::None, isBf16);
        plan.training.optimizer.name = optimizer.toStdString();
        plan.training.optimizer.learningRate = 0.01;
        setStreams(isBf16 ? 7 : 0);
        for (const Kept kept : {Kept::Optimizer, Kept::Parameters}) {
            const Experiment offloaded = onHost(plan, kept);
            QVERIFY(model::unsupported(offloaded, model::Use::Run).empty());
            const auto session = runtime::Session::open(offloaded, test::scheduleOf(offloaded), {});
            QVERIFY2(session.ok(), session ? "" : session.error().text().c_str());
            Beside beside(offloaded);
            (*session)->watchUpdates(
                [&](const runtime::Parameter &parameter, backend::Compute &compute) { beside.update(parameter, compute); });
            for (int step = 0; step < 3; ++step)
                QVERIFY((*session)->step(step, true, {}).ok());
            beside.compare((*session)->parameters());
        }
    }

    void bitsDependOnNothingElse_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<int>("zero"); // with two replicas
        const auto row = [](const char *name, VocabularyMethod method, bool isBf16, int zero) {
            QTest::newRow(name) << static_cast<int>(method) << isBf16 << zero;
        };
        row("vocab-2, zero 2, bf16", VocabularyMethod::Vocab2, true, 2);
        if (test::kIsSanitized)
            return;
        row("none", VocabularyMethod::None, false, -1);
    }
    /// Not on where the weights are, modes, the order of streams, ZeRO, or the rate of copies. The first gradients are those of
    /// a run that offloads nothing, and all losses nearly so: its GPU updates with kernels of its own.
    void bitsDependOnNothingElse()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(int, method);
        QFETCH(bool, isBf16);
        QFETCH(int, zero);
        Experiment plan = planOf(static_cast<VocabularyMethod>(method), isBf16);
        plan.training.steps = 2;
        plan.training.optimizer.clip = 0.5;
        plan.parallel.replicas = zero < 0 ? 1 : 2;
        const Trained resident = train(plan);
        const Trained first = train(onHost(plan, Kept::Optimizer));
        QVERIFY(first.gradients == resident.gradients);
        QCOMPARE(first.losses.front(), resident.losses.front());
        for (std::size_t step = 0; step < first.losses.size(); ++step)
            QVERIFY2(
                std::abs(first.losses[step] - resident.losses[step]) <= (isBf16 ? 2e-3 : 1e-5),
                fmt::format("step {}: {}, with all on the GPU {}", step, first.losses[step], resident.losses[step]).c_str());
        plan.parallel.zero = std::max(0, zero);
        const auto compare = [&](const Experiment &other, const char *what) {
            const Trained trained = train(other);
            QVERIFY2(trained.losses == first.losses, what);
            QVERIFY2(trained.gradients == first.gradients, what);
            QVERIFY2(trained.final == first.final, what);
        };
        compare(onHost(plan, Kept::Parameters), "parameters");
        plan.training.mode = model::RunMode::Live;
        setStreams(3);
        compare(onHost(plan, Kept::Optimizer), "optimizer, live");
        compare(onHost(plan, Kept::Parameters), "parameters, live");
        plan.schedule.hostBandwidth = 5;
        compare(onHost(plan, Kept::Parameters), "parameters, at a rate");
    }

    /// Experts, of which passes copy those of a layer; tied tables of a family with split backwards; both kinds of offload.
    void suitsOtherPlans()
    {
        STAGELENS_NOT_SANITIZED();
        const auto compare = [this](Experiment plan, Kept kept) {
            plan.training.steps = 2;
            plan.model.layers = 4;
            plan.parallel.stageLayers.clear();
            plan = operators::resolved(plan, 2);
            const Trained resident = train(plan);
            const Trained trained = train(onHost(plan, kept));
            QVERIFY(trained.gradients == resident.gradients);
            for (std::size_t step = 0; step < trained.losses.size(); ++step)
                QVERIFY(std::abs(trained.losses[step] - resident.losses[step]) <= 1e-5);
        };
        Experiment experts = test::asLlama(planOf(), 1);
        experts.model.experts = 4;
        experts.model.topK = 2;
        experts.model.expertFfn = 12;
        experts.schedule.recompute = model::Recompute::Full;
        compare(experts, Kept::Parameters);
        Experiment tied = planOf(VocabularyMethod::None, false, "zb-h1");
        tied.model.tied = true;
        compare(tied, Kept::Parameters);
        Experiment averages = planOf();
        averages.parallel.replicas = 2;
        averages.parallel.syncEvery = 2;
        compare(averages, Kept::Optimizer);
        const Experiment plan = planOf(VocabularyMethod::Vocab1);
        Experiment both = plan;
        both.schedule.offload.fraction = 1;
        both.training.mode = model::RunMode::Live;
        setStreams(5);
        const auto copies = simulate::withOffload(both, test::scheduleOf(both)).value();
        QVERIFY(copies.hasCopies());
        QVERIFY(test::sameBits(test::gradientsOf(onHost(both, Kept::Optimizer), copies), test::gradientsOf(plan)));
    }

    void hasTheSameBitsOverNccl()
    {
        STAGELENS_NOT_UNDER_TSAN();
        setGpus(4, std::size_t{2} << 30);
        Experiment plan = onHost(planOf(VocabularyMethod::None, true), Kept::Parameters);
        plan.parallel.replicas = 2;
        plan.parallel.zero = 1;
        plan.training.mode = model::RunMode::Live;
        plan.training.steps = 2;
        std::vector<double> losses;
        const auto onStep = [&losses](const runtime::StepReport &report) { losses.push_back(report.loss); };
        const auto trained = runtime::train(plan, test::scheduleOf(plan), {}, {onStep, {}}, {}, {{}, true});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QCOMPARE(losses, test::lossesOf(plan));
    }

    /// A checkpoint has what the host keeps, for any other plan.
    void continuesFromACheckpoint()
    {
        STAGELENS_NOT_SANITIZED();
        const Experiment plan = onHost(planOf(VocabularyMethod::Vocab1, true), Kept::Parameters);
        const Trained whole = train(plan);
        Experiment begin = plan;
        begin.training.steps = 2;
        const std::filesystem::path checkpoints = folder() / "checkpoints";
        (void)train(begin, {{}, {}, checkpoints, 2});
        const Trained rest = train(onHost(plan, Kept::Optimizer), {{}, {}, {}, 0, checkpoints});
        QCOMPARE(rest.losses, std::vector<double>{whole.losses.back()});
        QVERIFY(rest.final == whole.final);
        Experiment resident = plan;
        resident.schedule.offloadOptimizer = resident.schedule.offloadParameters = false;
        QCOMPARE(train(resident, {{}, {}, {}, 0, checkpoints}).losses, std::vector<double>{whole.losses.back()});
    }

    /// Devices, their hosts, and what is pinned.
    void bytesAreThoseOfThePlan()
    {
        STAGELENS_NOT_SANITIZED();
        int turn = 0;
        for (const Kept kept : {Kept::Optimizer, Kept::Parameters})
            for (const int zero : {0, 2}) {
                Experiment plan = planOf(VocabularyMethod::Vocab1, ++turn % 2 == 0);
                plan.training.steps = 1;
                plan.parallel.replicas = zero > 0 ? 2 : 1;
                std::size_t without = 0;
                const auto noted = [&](const runtime::StepReport &) { without = pinnedBytes(); };
                QVERIFY(runtime::train(plan, test::scheduleOf(plan), {}, {noted, {}}, {}).ok());
                plan.parallel.zero = zero;
                compareBytes(onHost(plan, kept), without);
            }
    }

    void pinsInParts()
    {
        STAGELENS_NOT_UNDER_TSAN();
        Experiment plan = onHost(planOf(VocabularyMethod::None, true), Kept::Parameters);
        plan.training.steps = 2;
        const Trained expected = train(plan);
        refusePinned(kPage + 1, kStaging);
        for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            plan.training.mode = mode;
            const Trained inParts = train(plan);
            QCOMPARE(inParts.losses, expected.losses);
            QVERIFY(inParts.final == expected.final);
        }
    }

    void tooLittlePinnedMemoryIsRefused()
    {
        Experiment plan = planOf();
        plan.training.steps = 1;
        std::size_t without = 0;
        const auto noted = [&](const runtime::StepReport &) { without = pinnedBytes(); };
        QVERIFY(runtime::train(plan, test::scheduleOf(plan), {}, {noted, {}}, {}).ok());
        limitPinned(without + kPage);
        const Experiment offloaded = onHost(plan, Kept::Optimizer);
        const auto refused = runtime::train(offloaded, test::scheduleOf(offloaded), {}, {}, {});
        QVERIFY(!refused.ok());
        const std::string text = refused.error().text();
        QVERIFY2(text.find("of pinned memory for what is offloaded; offload less") != std::string::npos, text.c_str());
    }

private:
    [[nodiscard]] std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    [[nodiscard]] Trained train(const Experiment &plan, const runtime::RunFolders &folders = {}) const
    {
        return test::trainedWithDump(plan, folder() / "dump", folders);
    }
    static void compareBytes(const Experiment &plan, std::size_t without)
    {
        const schedule::Schedule schedule = test::scheduleOf(plan);
        std::size_t pools = 0;
        std::vector<runtime::DevicePlan> plans;
        for (int replica = 0; replica < plan.parallel.replicas; ++replica)
            for (runtime::DevicePlan &each : runtime::memoryPlan(plan, runtime::lowered(schedule), replica).value()) {
                pools += (static_cast<std::size_t>(each.hostBytes()) + 255) / 256 * 256; // as the emulator rounds
                plans.push_back(std::move(each));
            }
        const auto onStep = [&](const runtime::StepReport &report) {
            QCOMPARE(pinnedBytes(), without + pools);
            for (std::size_t device = 0; device < report.peakHost.size(); ++device) {
                base::Bytes most = 0;
                for (std::size_t rank = device; rank < plans.size(); rank += report.peakHost.size())
                    most = std::max(most, plans[rank].hostPeak);
                QVERIFY(most > 0);
                QCOMPARE(report.peakHost[device], most);
                QCOMPARE(report.peakHost[device], simulate::peakHostBytes(plan, schedule, static_cast<int>(device)));
                for (std::size_t i = 0; i < report.peakMemory[device].size(); ++i)
                    if (i != simulate::at(simulate::MemoryCategory::Communication))
                        QCOMPARE(report.peakMemory[device][i], plans[device].peak[i]);
            }
        };
        const auto trained = runtime::train(plan, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }
    static constexpr int kPage = 4096;
    static constexpr int kStaging = 1 << 20; ///< what a device pins beside what is offloaded
    QTemporaryDir m_folder;
};

STAGELENS_TEST(GpuHostState)

} // namespace integration_gpu_host_state

#include "gpu/host_state.moc"
