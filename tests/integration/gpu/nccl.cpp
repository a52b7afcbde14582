// Training over NCCL without a GPU: the plug-in with the CUDA emulator, and a mock of NCCL whose sends block.
#include "engine/runtime/processes/nccl.h"
#include "engine/backend/ordered_transport.h"
#include "engine/backend/plugin.h"
#include "engine/backend/process_group.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/accelerators.h"
#include "tests/cuda_emulator/devices.h"
#include "tests/cuda_emulator/mock_nccl.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/memory_wire.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/verify_matrix.h"

#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <thread>

namespace integration_gpu_nccl {

using namespace stagelens;
using model::VocabularyMethod;
using namespace std::chrono_literals;

namespace {

// Test hooks of the plug-in that the engine has loaded.
decltype(&stagelensSetFibreGpus) setGpus = nullptr;
decltype(&stagelensTakenOfFibreGpu) takenBytes = nullptr;
decltype(&stagelensFailMockNccl) failNccl = nullptr;
decltype(&stagelensMockNcclMessages) messagesEver = nullptr;
decltype(&stagelensMockNcclOpen) openCommunicators = nullptr;

/// A small plan of two or four devices, because the emulator is slow.
model::Experiment planOf(const std::string &schedule, VocabularyMethod method, int devices, bool isLlama, bool isTied)
{
    model::Experiment plan = test::smallExperiment(schedule, method, devices, devices);
    plan.model.layers = schedule == "interleaved-1f1b" || schedule == "v-half" ? 2 * devices : devices;
    plan.model.hidden = 8;
    plan.model.ffn = 16;
    plan.model.sequence = 4;
    plan.model.vocabularySize = 37;
    plan.model.tied = isTied;
    plan.parallel.stageLayers.clear();
    plan.training.backend = "cuda";
    plan.training.steps = 2;
    plan.training.optimizer.clip = 0.5;
    plan.training.mode = model::RunMode::Live;
    if (isLlama) {
        plan.model.family = model::ModelFamily::Llama;
        plan.model.kvHeads = 1;
    }
    return operators::resolved(plan, 2);
}

struct Trained {
    base::Result<> outcome = base::Error::cancelled();
    std::vector<double> losses;
    std::vector<runtime::Evaluation> evaluations;
};

Trained trained(const model::Experiment &plan, const runtime::TransportOptions &transport, std::stop_token stop = {},
                const std::function<void()> &onPass = {})
{
    Trained result;
    runtime::TrainingObserver observer;
    observer.onStep = [&result](const runtime::StepReport &report) { result.losses.push_back(report.loss); };
    observer.onEvaluation = [&result](const runtime::Evaluation &each) { result.evaluations.push_back(each); };
    if (onPass)
        observer.onProgress = [&onPass](const runtime::Progress &) { onPass(); };
    result.outcome = runtime::train(plan, test::scheduleOf(plan), {}, observer, std::move(stop), transport);
    return result;
}

std::string textOf(const base::Result<> &outcome)
{
    return outcome ? std::string() : outcome.error().text();
}

/// Trains with processes that are threads; returns the result of each.
std::vector<Trained> together(const model::Experiment &plan, const std::shared_ptr<test::WireHub> &hub,
                              std::chrono::milliseconds silence,
                              const std::function<void(int rank, std::stop_source &stop)> &onPass = {})
{
    const auto count = static_cast<int>(plan.parallel.ranks(plan.parallel.devices));
    std::vector<Trained> results(static_cast<std::size_t>(count));
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < count; ++rank) {
        threads.emplace_back([&, rank] {
            const auto wire = [&]() -> base::Result<std::unique_ptr<backend::Wire>> {
                return std::unique_ptr<backend::Wire>(std::make_unique<test::MemoryWire>(hub, rank));
            };
            const auto group = backend::ProcessGroup::join(wire, silence);
            if (!group)
                qFatal("%s", group.error().text().c_str());
            std::stop_source stop;
            results[static_cast<std::size_t>(rank)] = trained(plan, {*group, true}, stop.get_token(), [&] {
                if (onPass)
                    onPass(rank, stop);
            });
            (void)(*group)->leave(0);
        });
    }
    threads.clear();
    return results;
}

/// Messages 0 -> 1, 1 -> 2, 2 -> 0 of four floats. Those with one key are posted together.
constexpr backend::MessageKey kKey{0, 0, 0};
constexpr backend::MessageKey keyFrom(int rank)
{
    return {0, static_cast<std::uint16_t>(rank), 0};
}
const std::vector<backend::Message> kRing{{0, 1, keyFrom(0), 4}, {1, 2, keyFrom(1), 4}, {2, 0, keyFrom(2), 4}};

/// Creates the transport of `here` in a run of `all` ranks.
std::unique_ptr<backend::Transport> transportOf(const std::vector<int> &ranks, int all, const std::vector<std::byte> &id,
                                                backend::Pool &pool, std::chrono::milliseconds stallTimeout)
{
    backend::OrderedSettings settings;
    settings.ranks = all;
    settings.describe = [](const backend::Message &each) { return fmt::format("letter {} to {}", each.from, each.to); };
    settings.progress = [] { return 0; };
    settings.stallTimeout = stallTimeout;
    for (const int rank : ranks)
        settings.here.push_back({rank, &pool, [&id, all, rank] {
                                     std::string problem;
                                     return backend::cudaGpus(problem)->joinNccl(id, all, rank, rank);
                                 }});
    return backend::makeOrderedTransport(std::move(settings));
}

backend::Tensor letter(backend::Pool &pool)
{
    auto tensor = std::make_shared<backend::Buffer>(pool.allocate(4, backend::kMessages));
    std::ranges::fill(tensor->values(), 1.0F);
    return tensor;
}

/// Two steps of the plan, each rank on a GPU of its own, have the losses of ranks that pass tensors in one process.
void haveTheBitsOfOneProcess(const model::Experiment &plan, bool asProcesses)
{
    const auto ranks = static_cast<int>(plan.parallel.ranks(plan.parallel.devices));
    setGpus(ranks, std::size_t{1} << 31);
    const Trained inProcess = trained(plan, {});
    QVERIFY2(inProcess.outcome.ok(), textOf(inProcess.outcome).c_str());
    QCOMPARE(inProcess.losses.size(), std::size_t{2});
    const std::vector<Trained> overNccl =
        asProcesses ? together(plan, std::make_shared<test::WireHub>(ranks), 60s) : std::vector{trained(plan, {{}, true})};
    for (const Trained &each : overNccl)
        QVERIFY2(each.outcome.ok(), textOf(each.outcome).c_str());
    QCOMPARE(overNccl.front().losses, inProcess.losses);
}

} // namespace

class GpuNccl : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const test::FibrePlugin plugin;
        QVERIFY2(plugin.gpus().problem.empty(), plugin.gpus().problem.c_str());
        QVERIFY(plugin.find(setGpus, "stagelensSetFibreGpus"));
        QVERIFY(plugin.find(takenBytes, "stagelensTakenOfFibreGpu"));
        QVERIFY(plugin.find(failNccl, "stagelensFailMockNccl"));
        QVERIFY(plugin.find(messagesEver, "stagelensMockNcclMessages"));
        QVERIFY(plugin.find(openCommunicators, "stagelensMockNcclOpen"));
        std::string problem;
        QCOMPARE(runtime::ncclVersion(problem), std::string("2.99.0"));
    }
    void init()
    {
        setGpus(4, std::size_t{1} << 31);
        qunsetenv("STAGELENS_NCCL_PATIENCE_SECONDS");
        for (int rank = 0; rank < 4; ++rank)
            failNccl(rank, -1, 0);
    }
    void cleanup()
    {
        QCOMPARE(openCommunicators(), 0);
        for (int gpu = 0; gpu < 4; ++gpu)
            QCOMPARE(takenBytes(gpu), std::size_t{0});
    }

    void givesTheBitsOfTheInProcessTransport_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("devices");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isTied");
        QTest::addColumn<bool>("asProcesses");
        bool asProcesses = false;
        const auto row = [&](const char *schedule, VocabularyMethod method, int devices, bool isLlama, bool isTied = false) {
            asProcesses = !asProcesses;
            QTest::addRow("%s %s p=%d%s%s%s", schedule, model::name(method).data(), devices, isLlama ? " llama" : "",
                          isTied ? " tied" : "", asProcesses ? ", as processes" : "")
                << schedule << static_cast<int>(method) << devices << isLlama << isTied << asProcesses;
        };
        row("1f1b", VocabularyMethod::None, 2, false);
        row("zb-h1", VocabularyMethod::Vocab2, 2, true, true);
        if (test::kIsSanitized)
            return;
        row("1f1b", VocabularyMethod::Vocab1, 4, true);
        row("1f1b", VocabularyMethod::Vocab2, 2, false, true);
        row("1f1b", VocabularyMethod::Naive, 4, false);
        row("interleaved-1f1b", VocabularyMethod::Vocab1, 2, true, true);
        row("zb-h1", VocabularyMethod::Vocab2, 4, false);
        row("v-half", VocabularyMethod::Vocab1, 4, false);
        row("v-half", VocabularyMethod::Naive, 2, true);
        row("dualpipe", VocabularyMethod::Vocab1, 4, false, true);
    }
    void givesTheBitsOfTheInProcessTransport()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(int, devices);
        QFETCH(bool, isLlama);
        QFETCH(bool, isTied);
        QFETCH(bool, asProcesses);
        const model::Experiment plan =
            planOf(schedule.toStdString(), static_cast<VocabularyMethod>(method), devices, isLlama, isTied);
        const Trained inProcess = trained(plan, {});
        QVERIFY2(inProcess.outcome.ok(), textOf(inProcess.outcome).c_str());
        QCOMPARE(inProcess.losses.size(), std::size_t{2});
        const std::int64_t before = messagesEver();
        const std::vector<Trained> overNccl = asProcesses ? together(plan, std::make_shared<test::WireHub>(devices), 60s)
                                                          : std::vector{trained(plan, {{}, true})};
        for (const Trained &each : overNccl)
            QVERIFY2(each.outcome.ok(), textOf(each.outcome).c_str());
        QCOMPARE(overNccl.front().losses, inProcess.losses); // the second step's has what the first one's gradients did
        QVERIFY(messagesEver() - before > std::int64_t{2} * plan.training.steps * plan.parallel.microbatches);
    }

    void severalRanksGiveTheSameBits_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<std::vector<int>>("sizes"); // devices, tensor ranks, replicas, stage of ZeRO
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isByTokens"); // tensor ranks divide the tokens of the vocabulary layers
        QTest::addColumn<bool>("asProcesses");
        bool asProcesses = false;
        const auto row = [&](const char *schedule, VocabularyMethod method, const std::vector<int> &sizes, bool isLlama,
                             bool isByTokens = false) {
            asProcesses = !asProcesses;
            QTest::addRow("%s %s p=%d t=%d d=%d zero=%d%s%s%s", schedule, model::name(method).data(), sizes[0], sizes[1],
                          sizes[2], sizes[3], isLlama ? " llama" : "", isByTokens ? ", by tokens" : "",
                          asProcesses ? ", as processes" : "")
                << schedule << static_cast<int>(method) << sizes << isLlama << isByTokens << asProcesses;
        };
        row("1f1b", VocabularyMethod::Vocab2, {2, 2, 2, 1}, false);
        row("zb-h1", VocabularyMethod::Vocab1, {2, 2, 2, 3}, true);
        if (test::kIsSanitized)
            return;
        row("1f1b", VocabularyMethod::None, {1, 2, 1, 0}, false);
        row("1f1b", VocabularyMethod::None, {1, 1, 3, 2}, true);
        row("1f1b", VocabularyMethod::Naive, {2, 4, 1, 0}, false);
        row("1f1b", VocabularyMethod::Redis, {2, 1, 4, 0}, false);
        row("interlaced", VocabularyMethod::None, {2, 2, 1, 0}, true);
        row("1f1b", VocabularyMethod::Vocab2, {2, 2, 2, 2}, true, true);
        row("zb-h1", VocabularyMethod::Vocab1, {2, 4, 1, 0}, false, true);
    }
    void severalRanksGiveTheSameBits()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(std::vector<int>, sizes);
        QFETCH(bool, isLlama);
        QFETCH(bool, isByTokens);
        QFETCH(bool, asProcesses);
        model::Experiment plan =
            planOf(schedule.toStdString(), static_cast<VocabularyMethod>(method), sizes[0], isLlama, false);
        if (isByTokens)
            plan.parallel.vocabularySharding = model::VocabularySharding::Device;
        plan.model.hidden = 16;
        plan.model.ffn = 32;
        plan.model.heads = 4;
        plan.model.kvHeads = isLlama ? 2 : 4;
        plan.parallel.tensor = sizes[1];
        plan.parallel.replicas = sizes[2];
        plan.parallel.zero = sizes[3];
        haveTheBitsOfOneProcess(plan, asProcesses);
    }

    void carriesWhatIsPackedAndCompressed()
    {
        for (const char *method : {"none", "sign", "top-k=0.1", "powersgd=2", "one-bit-adam"}) {
            if (test::kIsSanitized && std::string_view(method) != "sign")
                continue;
            model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab1, 2, false, false);
            plan.parallel.replicas = 2;
            plan.parallel.messagePrecision = model::PackedPrecision::Int8;
            plan.training.compression = operators::parseCompression(method).choice;
            const Trained inProcess = trained(plan, {});
            QVERIFY2(inProcess.outcome.ok(), textOf(inProcess.outcome).c_str());
            const Trained overNccl = trained(plan, {{}, true});
            QVERIFY2(overNccl.outcome.ok(), textOf(overNccl.outcome).c_str());
            QCOMPARE(overNccl.losses, inProcess.losses);
        }
    }

    void contextRanksGiveTheSameBits_data()
    {
        QTest::addColumn<int>("way");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<bool>("asProcesses");
        QTest::newRow("ring") << static_cast<int>(model::ContextMethod::Ring) << 1 << true;
        if (test::kIsSanitized)
            return;
        QTest::newRow("all-gather, two replicas") << static_cast<int>(model::ContextMethod::AllGather) << 2 << false;
        QTest::newRow("by heads") << static_cast<int>(model::ContextMethod::Ulysses) << 1 << false;
    }
    void contextRanksGiveTheSameBits()
    {
        QFETCH(int, way);
        QFETCH(int, replicas);
        QFETCH(bool, asProcesses);
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab1, 2, false, false);
        plan.model.sequence = 8;
        plan.parallel.context = 2;
        plan.parallel.contextMethod = static_cast<model::ContextMethod>(way);
        plan.parallel.replicas = replicas;
        haveTheBitsOfOneProcess(plan, asProcesses);
    }

    void expertRanksGiveTheSameBits_data()
    {
        QTest::addColumn<std::vector<int>>("sizes"); // devices, tensor ranks, replicas, expert ranks
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<bool>("asProcesses");
        QTest::newRow("replicas") << std::vector{2, 1, 2, 2} << false << true;
        if (test::kIsSanitized)
            return;
        QTest::newRow("groups of replicas, bf16") << std::vector{1, 1, 4, 2} << true << false;
        QTest::newRow("tensor ranks and replicas") << std::vector{1, 2, 2, 4} << false << true;
    }
    /// A replica has 80 rows, more than two messages of 32.
    void expertRanksGiveTheSameBits()
    {
        QFETCH(std::vector<int>, sizes);
        QFETCH(bool, isBf16);
        QFETCH(bool, asProcesses);
        model::Experiment plan = planOf("1f1b", VocabularyMethod::None, sizes[0], true, false);
        plan.model.sequence = 40;
        plan.model.hidden = 16;
        plan.model.heads = plan.model.kvHeads = 2;
        plan.model.experts = 4;
        plan.model.topK = 2;
        plan.model.expertFfn = 8;
        plan.parallel.tensor = sizes[1];
        plan.parallel.replicas = sizes[2];
        plan.parallel.expert = sizes[3];
        plan.parallel.expertHeadroom = 4;
        plan.parallel.microbatches = 2;
        plan.parallel.zero = 1;
        if (isBf16)
            plan.model.dtype = model::DataType::Bf16;
        if (sizes[1] > 1)
            plan.parallel.sequenceParallel = true;
        plan = operators::resolved(plan, 2);
        haveTheBitsOfOneProcess(plan, asProcesses);
    }

    void evaluatesBeforeAndAfter_data()
    {
        QTest::addColumn<bool>("asProcesses");
        QTest::newRow("one process") << false;
        QTest::newRow("three processes") << true;
    }
    /// Stages before the last one have computed their part long before it has received that, and may not leave until then.
    void evaluatesBeforeAndAfter()
    {
        QFETCH(bool, asProcesses);
        model::Experiment plan =
            planOf("1f1b", asProcesses ? VocabularyMethod::None : VocabularyMethod::Vocab2, 3, false, false);
        plan.training.data = (qgetenv("STAGELENS_RESOURCES") + "/docs/glossary.md").toStdString();
        plan.model.vocabularySize = !asProcesses ? 300 : test::kIsSanitized ? 2000 : 20'000; // its stage takes its time
        plan.training.steps = 1;
        plan.parallel.microbatchSize = 1;
        const Trained inProcess = trained(plan, {});
        QVERIFY2(inProcess.outcome.ok(), textOf(inProcess.outcome).c_str());
        QCOMPARE(inProcess.evaluations.size(), std::size_t{2});
        const std::vector<Trained> overNccl =
            asProcesses ? together(plan, std::make_shared<test::WireHub>(3), 60s) : std::vector{trained(plan, {{}, true})};
        for (const Trained &each : overNccl)
            QVERIFY2(each.outcome.ok(), textOf(each.outcome).c_str());
        QCOMPARE(overNccl.front().evaluations, inProcess.evaluations);
    }

    /// With fewer GPUs than devices, adjacent devices share one, and NCCL is refused.
    void neighboursShareAGpu()
    {
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab1, 3, false, false);
        const Trained alone = trained(plan, {});
        QVERIFY2(alone.outcome.ok(), textOf(alone.outcome).c_str());
        for (const int gpus : {1, 2}) {
            setGpus(gpus, std::size_t{1} << 31);
            for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
                plan.training.mode = mode;
                const Trained shared = trained(plan, {});
                QVERIFY2(shared.outcome.ok(), textOf(shared.outcome).c_str());
                QCOMPARE(shared.losses, alone.losses);
            }
        }
        const std::string refused = textOf(trained(plan, {{}, true}).outcome);
        QCOMPARE(refused, std::string("--transport: NCCL puts one rank on a GPU, but 3 are to train on the 2 GPUs that can "
                                      "train here; choose --transport in-process, fewer ranks, or more machines"));
    }

    void refusesWhatNcclCannot()
    {
        model::Experiment plan = planOf("1f1b", VocabularyMethod::None, 2, false, false);
        qputenv("CUDA_LAUNCH_BLOCKING", "1");
        std::string text = textOf(trained(plan, {{}, true}).outcome);
        qunsetenv("CUDA_LAUNCH_BLOCKING");
        QCOMPARE(text, std::string("--transport: nccl is not available: CUDA_LAUNCH_BLOCKING is set, with which NCCL waits for "
                                   "ever; unset it"));
        model::Experiment summed = planOf("1f1b", VocabularyMethod::Vocab1, 2, false, false);
        summed.training.optimizer.name = "adafactor";
        text = textOf(trained(summed, {{}, true}).outcome);
        QVERIFY2(text.find("--transport: NCCL does not yet carry the sums of adafactor") == 0, text.c_str());
        model::Experiment forwarded = planOf("1f1b", VocabularyMethod::None, 2, true, false);
        forwarded.model.experts = 4;
        forwarded.parallel.replicas = forwarded.parallel.expert = 2;
        forwarded.parallel.expertDispatch = model::ExpertDispatch::PerNode;
        text = textOf(trained(operators::resolved(forwarded, 2), {{}, true}).outcome);
        QVERIFY2(text.find("--transport: is nccl, to which ranks do not yet tell how many tokens") == 0, text.c_str());
        plan.training.backend = "cpu";
        text = textOf(trained(plan, {{}, true}).outcome);
        QVERIFY2(text.find("training.backend: NCCL carries tensors between GPUs, but the backend is cpu") == 0, text.c_str());
    }

    void stopEndsARun()
    {
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab2, 4, false, false);
        plan.training.steps = 1000;
        for (const int after : {1, 9}) {
            std::stop_source stop;
            std::atomic<int> passes = 0;
            const Trained stopped = trained(plan, {{}, true}, stop.get_token(), [&] {
                if (++passes == after)
                    stop.request_stop();
            });
            QVERIFY(!stopped.outcome.ok());
            QCOMPARE(stopped.outcome.error().kind, base::ErrorKind::Cancelled);
        }
    }

    /// Failures that NCCL reports.
    void aBrokenLinkEndsARun()
    {
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab1, 4, false, false);
        plan.training.steps = 1000;
        for (const int after : {1, 30}) { // while links are opened, and in steps
            failNccl(2, after, kMockLost);
            const Trained broken = trained(plan, {{}, true});
            failNccl(2, -1, 0);
            const std::string text = textOf(broken.outcome);
            QVERIFY(!broken.outcome.ok());
            QCOMPARE(broken.outcome.error().kind, base::ErrorKind::Failed);
            QVERIFY2(text.find("NCCL failed on device ") != std::string::npos, text.c_str());
            QVERIFY2(text.find("the link is gone") != std::string::npos ||
                         text.find("rank 2 has closed its connection") != std::string::npos,
                     text.c_str());
            for (const char *device : {"device 0 has completed ", "device 3 has completed "})
                QVERIFY2(text.find(device) != std::string::npos, text.c_str());
        }
    }

    /// Also while tensor ranks and replicas exchange: rank 1 of each group breaks or hangs.
    void aLostMemberOfAGroupEndsARun()
    {
        qputenv("STAGELENS_NCCL_PATIENCE_SECONDS", "0.5");
        model::Experiment plan = planOf("1f1b", VocabularyMethod::None, 1, false, false);
        plan.parallel.tensor = 2;
        plan.parallel.replicas = 2;
        plan.parallel.zero = 1;
        plan.training.steps = 1000;
        for (const int kind : {kMockLost, kMockHung})
            for (const int after : {2, 40}) { // while links are opened, and in steps
                failNccl(1, after, kind);
                const Trained ended = trained(plan, {{}, true});
                failNccl(1, -1, 0);
                const std::string text = textOf(ended.outcome);
                QCOMPARE(ended.outcome.error().kind, base::ErrorKind::Failed);
                QVERIFY2(text.find(kind == kMockLost ? "NCCL failed on " : "no message and no pass has completed for ") !=
                             std::string::npos,
                         text.c_str());
                QVERIFY2(text.find("; rank ") != std::string::npos, text.c_str());
            }
    }

    /// Failures that only the stall detector finds.
    void aLinkThatHangsEndsARun()
    {
        qputenv("STAGELENS_NCCL_PATIENCE_SECONDS", "0.5");
        model::Experiment plan = planOf("1f1b", VocabularyMethod::None, 2, false, false);
        plan.training.steps = 1000;
        for (const int after : {1, 20}) {
            failNccl(1, after, kMockHung);
            const Trained hung = trained(plan, {{}, true});
            failNccl(1, -1, 0);
            const std::string text = textOf(hung.outcome);
            QVERIFY2(text.find("no message and no pass has completed for ") != std::string::npos, text.c_str());
            QVERIFY2(text.find("; device 1 has completed ") != std::string::npos, text.c_str());
            if (after > 1)
                QVERIFY2(text.find("from device 1 to device 0") != std::string::npos ||
                             text.find("from device 0 to device 1") != std::string::npos ||
                             text.find("in flight") != std::string::npos,
                         text.c_str());
        }
    }

    /// The other processes name one that stops responding.
    void aLostProcessEndsTheOthers()
    {
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab2, 4, false, false);
        plan.training.steps = 1000;
        const auto hub = std::make_shared<test::WireHub>(4);
        std::atomic<int> passes = 0;
        const auto results = together(plan, hub, 1500ms, [&](int rank, std::stop_source &stop) {
            if (rank != 1 || ++passes != 12)
                return;
            {
                const std::scoped_lock lock(hub->mutex);
                hub->mute.insert(1);
            }
            stop.request_stop();
        });
        for (const std::size_t rank : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
            const std::string text = textOf(results[rank].outcome);
            QVERIFY2(text.find("process 1") != std::string::npos &&
                         text.find("has not answered for 1.5 s") != std::string::npos,
                     text.c_str());
        }
    }

    /// If each rank sends first all wait for each other, and the error names the cycle.
    void ordersThatDifferAreADeadlock()
    {
        std::string problem;
        const std::vector<std::byte> id = backend::cudaGpus(problem)->newNcclId();
        std::vector<std::string> problems(3);
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < 3; ++rank) {
            threads.emplace_back([&, rank] {
                backend::Pool pool;
                const auto transport = transportOf({rank}, 3, id, pool, 60s);
                const int before = (rank + 2) % 3;
                transport->announce(
                    rank, std::vector{kRing[static_cast<std::size_t>(rank)], kRing[static_cast<std::size_t>(before)]});
                transport->send(rank, (rank + 1) % 3, keyFrom(rank), letter(pool));
                QVERIFY(transport->receive(before, rank, keyFrom(before)) == nullptr);
                problems[static_cast<std::size_t>(rank)] = transport->problem();
            });
        }
        threads.clear();
        QVERIFY2(problems[1].find("dead-lock: rank 0 sends to 1, rank 1 sends to 2, rank 2 sends to 0") != std::string::npos,
                 problems[1].c_str());
        QVERIFY2(problems[1].find("device 1 has completed 0 of 2 announced messages, in flight is letter 1 to 2") !=
                     std::string::npos,
                 problems[1].c_str());
    }
    void theSameOrderForAllIsNone()
    {
        std::string problem;
        const std::vector<std::byte> id = backend::cudaGpus(problem)->newNcclId();
        backend::Pool pool;
        const auto transport = transportOf({0, 1, 2}, 3, id, pool, 60s);
        for (int round = 0; round < 50; ++round) {
            for (int rank = 0; rank < 3; ++rank)
                transport->announce(rank, kRing);
            for (int rank = 0; rank < 3; ++rank)
                transport->send(rank, (rank + 1) % 3, keyFrom(rank), letter(pool));
            for (int rank = 0; rank < 3; ++rank)
                QVERIFY2(transport->receive((rank + 2) % 3, rank, keyFrom((rank + 2) % 3)) != nullptr,
                         transport->problem().c_str());
        }
        QCOMPARE(transport->problem(), std::string());
    }
    /// More messages than are in flight at a time, and a receiver that is late.
    void aRankThatLeavesSendsWhatItHas()
    {
        std::string problem;
        const std::vector<std::byte> id = backend::cudaGpus(problem)->newNcclId();
        std::vector<backend::Message> order;
        for (std::uint16_t number = 0; number < 12; ++number)
            order.push_back({0, 1, {0, number, 0}, 4});
        backend::Pool pools[2];
        const auto sender = transportOf({0}, 2, id, pools[0], 2s);
        const auto receiver = transportOf({1}, 2, id, pools[1], 2s);
        sender->announce(0, order);
        for (const backend::Message &message : order)
            sender->send(0, 1, message.key, letter(pools[0]));
        bool hasEnded = false;
        std::jthread leaving([&] { hasEnded = sender->end(); });
        std::this_thread::sleep_for(50ms);
        receiver->announce(1, order);
        for (const backend::Message &message : order)
            QVERIFY2(receiver->receive(0, 1, message.key) != nullptr, receiver->problem().c_str());
        leaving.join();
        QVERIFY(hasEnded);
        QCOMPARE(sender->problem(), std::string());
    }
    /// The stall detector reports a message that precedes one that it depends on.
    void anOrderThatDoesNotSuitIsNoticed()
    {
        std::string problem;
        const std::vector<std::byte> id = backend::cudaGpus(problem)->newNcclId();
        backend::Pool pool;
        const auto transport = transportOf({0, 1}, 2, id, pool, 50ms);
        for (const int rank : {0, 1})
            transport->announce(rank, std::vector<backend::Message>{{1, 0, kKey, 4}, {0, 1, kKey, 4}});
        transport->send(0, 1, kKey, letter(pool));
        QVERIFY(transport->receive(0, 1, kKey) == nullptr); // after which it would answer
        const std::string text = transport->problem();
        QVERIFY2(text.find("no message and no pass has completed for ") == 0, text.c_str());
        QVERIFY2(text.find("device 1 has completed 0 of 2 announced messages, and it has not computed letter 1 to 0") !=
                     std::string::npos,
                 text.c_str());
    }
    void aTensorOfAnotherSizeIsNotSent()
    {
        std::string problem;
        const std::vector<std::byte> id = backend::cudaGpus(problem)->newNcclId();
        backend::Pool pool;
        const auto transport = transportOf({0, 1}, 2, id, pool, 60s);
        for (const int rank : {0, 1})
            transport->announce(rank, std::vector<backend::Message>{{0, 1, kKey, 5}});
        transport->send(0, 1, kKey, letter(pool));
        QVERIFY(transport->receive(0, 1, kKey) == nullptr);
        const std::string text = transport->problem();
        QVERIFY2(text.find("device 0 sends 4 floats to device 1, but 5 were announced") == 0, text.c_str());
    }

    /// The error of one process ends all of them.
    void aFailureIsTheReasonOfAll()
    {
        model::Experiment plan = planOf("1f1b", VocabularyMethod::Vocab1, 2, false, false);
        plan.training.steps = 1000;
        plan.training.optimizer.learningRate = 1e30;
        plan.training.optimizer.clip.reset();
        const auto results = together(plan, std::make_shared<test::WireHub>(2), 60s);
        for (const Trained &each : results)
            QVERIFY2(textOf(each.outcome).find("the loss is not finite") != std::string::npos, textOf(each.outcome).c_str());
    }
};

STAGELENS_TEST(GpuNccl)

} // namespace integration_gpu_nccl

#include "gpu/nccl.moc"
