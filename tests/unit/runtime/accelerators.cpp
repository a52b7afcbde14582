// Assignment of GPUs to devices, and errors if they do not fit.
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/memory/gpu_memory.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace unit_runtime_accelerators {

using namespace stagelens;
using backend::Gpu;

namespace {

constexpr base::Bytes kGiB = base::Bytes{1} << 30;

Gpu gpu(base::Bytes free, const char *problem = "")
{
    return {"Test GPU", "0000:1B:00.0", "sm_90", 132, 80 * kGiB, free, problem};
}

} // namespace

class RuntimeAccelerators : public QObject {
    Q_OBJECT

private slots:
    void neighboursShareAGpu()
    {
        const std::vector<Gpu> two{gpu(kGiB), gpu(kGiB)};
        QCOMPARE(runtime::gpuOfRank(two, 4), (std::vector<int>{0, 0, 1, 1}));
        QCOMPARE(runtime::gpuOfRank(two, 3), (std::vector<int>{0, 0, 1}));
        QCOMPARE(runtime::gpuOfRank(two, 1), (std::vector<int>{0}));
        const std::vector<Gpu> withOld{gpu(kGiB, "it is sm_75"), gpu(kGiB), gpu(kGiB)};
        QCOMPARE(runtime::gpuOfRank(withOld, 2), (std::vector<int>{1, 2}));
        QCOMPARE(runtime::gpuOfRank({gpu(kGiB, "it is sm_75")}, 2), std::vector<int>{});
    }

    void processesTakeTheGpusThatTheySee()
    {
        using Chosen = std::vector<std::optional<int>>;
        QCOMPARE(runtime::gpuOfProcess({{"a", "b"}, {"a", "b"}}), (Chosen{0, 1}));
        QCOMPARE(runtime::gpuOfProcess({{"a"}, {"b"}}), (Chosen{0, 0})); // a launcher shows each its own
        QCOMPARE(runtime::gpuOfProcess({{"a"}, {"a"}}), (Chosen{0, std::nullopt}));
        QCOMPARE(runtime::gpuOfProcess({{"b", "a"}, {}, {"a", "c"}}), (Chosen{0, std::nullopt, 0}));
    }

    void saysOnWhichGpusDevicesAre()
    {
        const std::vector<Gpu> one{gpu(kGiB)};
        const std::vector<Gpu> two{gpu(kGiB), gpu(kGiB)};
        QCOMPARE(runtime::mappingText(one, 8, false), std::string("8 ranks on 1 x Test GPU"));
        QCOMPARE(runtime::mappingText(two, 2, true), std::string("2 ranks on 2 x Test GPU"));
        QCOMPARE(runtime::mappingText(one, 8, true),
                 std::string("8 ranks on 1 x Test GPU, at once: they share its multiprocessors and memory, so that bubbles can "
                             "be compared, but absolute times cannot"));
    }

    void eachGpuMustHoldItsDevices()
    {
        runtime::MemoryNeed need;
        need.slabs = {kGiB, kGiB, kGiB, 3 * kGiB};
        need.libraries = runtime::gpuLibraryBytes(false);
        QVERIFY(runtime::checkGpuMemory({gpu(80 * kGiB)}, need, {0, 0, 0, 0}).ok());
        QVERIFY(runtime::checkGpuMemory({gpu(3 * kGiB), gpu(5 * kGiB)}, need, {0, 0, 1, 1}).ok());
        need.libraries = runtime::gpuLibraryBytes(true); // NCCL takes more
        QVERIFY(!runtime::checkGpuMemory({gpu(3 * kGiB), gpu(5 * kGiB)}, need, {0, 0, 1, 1}).ok());
        QVERIFY(runtime::checkGpuMemory({gpu(4 * kGiB), gpu(6 * kGiB)}, need, {0, 0, 1, 1}).ok());
        need.libraries = runtime::gpuLibraryBytes(false);
        const auto refused = runtime::checkGpuMemory({gpu(3 * kGiB), gpu(4 * kGiB)}, need, {0, 0, 1, 1});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("model"));
        QCOMPARE(refused.error().problems.front().message,
                 std::string("the ranks on GPU 1 (Test GPU), 2 of them, take 4.12 GiB, CUDA's code about 256 MiB, but only "
                             "4.00 GiB are free; "
                             "lower model.layers, model.hidden, model.vocabulary_size or parallel.microbatch_size, or choose "
                             "--recompute full"));
    }

    void theHostMustHoldWhatItsDevicesOffload()
    {
        runtime::MemoryNeed need;
        need.hosts = {3 * kGiB, 2 * kGiB, kGiB};
        QVERIFY(runtime::checkPinnedMemory(need, {0, 1, 2}, 6 * kGiB, {}).ok());
        QVERIFY(runtime::checkPinnedMemory(need, {0, 1, 2}, 0, {}).ok()); // unknown
        QVERIFY(runtime::checkPinnedMemory(need, {-1, 0, 1}, 3 * kGiB, {}).ok());
        const auto refused = runtime::checkPinnedMemory(need, {0, 1, -1}, 4 * kGiB, {});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.offload"));
        QCOMPARE(
            refused.error().problems.front().message,
            std::string("the ranks of this machine offload to 5.00 GiB of pinned memory, but only 4.00 GiB are free; lower "
                        "--offload, choose a family that offloads less, or --no-offload-optimizer"));
        model::ScheduleChoice optimizer;
        optimizer.offloadOptimizer = true;
        QCOMPARE(runtime::checkPinnedMemory(need, {0, 1, -1}, kGiB, optimizer).error().problems.front().field,
                 std::string("schedule.offload_optimizer"));
    }

    void saysWhatThereIs()
    {
        QCOMPARE(runtime::gpusText({gpu(70 * kGiB), gpu(kGiB, "it is sm_75, and the kernels need sm_80 or newer")}),
                 std::string("0 Test GPU (sm_90, 70.0 GiB of 80.0 GiB free), 1 Test GPU (sm_90, it is sm_75, and the kernels "
                             "need sm_80 or newer)"));
    }

    void aMissingPluginIsAReason()
    {
        qputenv("STAGELENS_CUDA_PLUGIN", "/nowhere/libstagelens-cuda.so");
        QCOMPARE(runtime::backendProblem("cpu"), std::string());
        QCOMPARE(runtime::backendProblem("cuda"), std::string("there is no plug-in libstagelens-cuda.so; install the CUDA "
                                                              "Toolkit, 12 or newer, and build again"));
    }
};

STAGELENS_TEST(RuntimeAccelerators)

} // namespace unit_runtime_accelerators

#include "runtime/accelerators.moc"
