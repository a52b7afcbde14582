// Activation offload on GPUs: copies between pinned memory and fibres in the place of a GPU, whose streams execute their work
// as late as possible or, with a seed, now and then at once. A wait that is missing then changes what is copied.
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/run_check.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/cuda_emulator/devices.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"

#include <QtTest>

#include <algorithm>
#include <fmt/format.h>

namespace integration_gpu_offload {

using namespace stagelens;
using model::VocabularyMethod;
using timeline::AnchoredKind;

namespace {

// Functions of tests/cuda_emulator/devices.h in the loaded plug-in.
decltype(&stagelensSetFibreGpus) setGpus = nullptr;
decltype(&stagelensSetFibreStreams) setStreams = nullptr;
decltype(&stagelensLimitPinnedOfFibres) limitPinned = nullptr;
decltype(&stagelensRefusePinnedOfFibres) refusePinned = nullptr;
decltype(&stagelensPinnedOfFibres) pinnedBytes = nullptr;
decltype(&stagelensLoseFibreGpusAfter) loseGpusAfter = nullptr;
decltype(&stagelensTakenOfFibreGpu) takenBytes = nullptr;
decltype(&stagelensReleasedEarlyOnFibreGpus) releasedEarly = nullptr;

constexpr std::size_t kUnlimited = ~std::size_t{0};

/// Everything is offloaded; the families of PipeOffload choose themselves.
model::Experiment onGpu(const std::string &family, VocabularyMethod method, int microbatches = 4)
{
    model::Experiment plan = test::smallExperiment(family, method, 2, microbatches);
    plan.model.layers = plan.schedule.chunks.value_or(1) > 1 || model::offloadOf(plan.schedule).isOn() ? 8 : 4;
    plan.parallel.stageLayers.clear();
    plan.training.backend = "cuda";
    plan.training.steps = 2;
    if (!model::offloadOf(plan.schedule).isOn())
        plan.schedule.offload.fraction = 1;
    return operators::resolved(plan, 2);
}

model::Experiment resident(model::Experiment plan)
{
    plan.schedule.offload = {};
    if (plan.schedule.family == "po-h" || plan.schedule.family == "po-f")
        plan.schedule.family = "gis";
    return plan;
}

schedule::Schedule planned(const model::Experiment &plan)
{
    auto schedule = simulate::plannedSchedule(plan);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    if (model::offloadOf(plan.schedule).isOn() && !schedule->hasCopies())
        qFatal("%s: no copies", plan.schedule.family.c_str());
    return *std::move(schedule);
}

base::Result<> train(const model::Experiment &plan, const std::function<void(const runtime::StepReport &)> &onStep = {},
                     bool isOverNccl = false)
{
    runtime::TrainingObserver observer;
    observer.onStep = onStep;
    auto trained = runtime::train(plan, planned(plan), {}, observer, {}, {{}, isOverNccl});
    return trained ? base::Result<>() : trained.error();
}

std::vector<float> gradientsOf(const model::Experiment &plan)
{
    return test::gradientsOf(plan, planned(plan));
}

/// Arrays of a GPU and of its host, and their lanes.
class Link {
public:
    static constexpr std::int64_t kCount = 1000;

    explicit Link(int lanes)
        : m_computes(*runtime::makeComputes(onGpu("1f1b", VocabularyMethod::None), {0}, {0}, {})),
          m_host(kCount, compute().linkedMemory())
    {
        for (int i = 0; i < lanes; ++i)
            m_lanes.push_back(compute().makeHostLane());
        compute().beginStep();
    }
    ~Link() { compute().finish(); }
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;

    [[nodiscard]] backend::Compute &compute() { return *m_computes.front(); }
    [[nodiscard]] backend::Slab array() { return backend::Slab(kCount, compute().memory()); }
    void fill(backend::Slab &array, float first)
    {
        compute().write(array.values().data(), kCount, [first](std::span<float> block, std::int64_t at) {
            for (float &value : block)
                value = first + static_cast<float>(at++);
        });
    }
    void copy(backend::Slab &to, backend::Slab &from) { compute().copy(to.values().data(), from.values().data(), kCount); }
    [[nodiscard]] std::vector<float> read(backend::Slab &array)
    {
        std::vector<float> values(kCount);
        compute().read(values, array.values().data());
        return values;
    }
    /// A kernel that comes after the join waits for it.
    [[nodiscard]] std::size_t offload(backend::Slab &from)
    {
        return m_lanes.front()->launch({backend::Move{m_host.values(), from.values()}, {}});
    }
    [[nodiscard]] std::size_t reload(backend::Slab &to)
    {
        return m_lanes.back()->launch({backend::Move{to.values(), m_host.values()}, {}});
    }
    [[nodiscard]] backend::HostLane &out() { return *m_lanes.front(); }
    [[nodiscard]] backend::HostLane &in() { return *m_lanes.back(); }

private:
    std::vector<std::unique_ptr<backend::Compute>> m_computes;
    backend::Slab m_host;
    std::vector<std::unique_ptr<backend::HostLane>> m_lanes;
};

} // namespace

class GpuOffload : public QObject {
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
        QVERIFY(plugin.find(loseGpusAfter, "stagelensLoseFibreGpusAfter"));
        QVERIFY(plugin.find(takenBytes, "stagelensTakenOfFibreGpu"));
        QVERIFY(plugin.find(releasedEarly, "stagelensReleasedEarlyOnFibreGpus"));
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

    /// A copy waits for the kernels before it; kernels that write its source, and copies to its place, wait for it.
    void copiesAndKernelsWaitForEachOther()
    {
        for (const int lanes : {1, 2})
            for (std::uint64_t seed = 0; seed < 24; ++seed) {
                setStreams(seed);
                Link link(lanes);
                backend::Slab first = link.array();
                backend::Slab second = link.array();
                backend::Slab place = link.array();
                backend::Slab result = link.array();
                link.fill(first, 1);
                link.fill(second, 5000);
                for (backend::Slab *source : {&first, &second, &first}) { // through the same memory of the host
                    link.copy(place, *source);
                    link.out().join(link.offload(place));
                    link.compute().zero(place.values().data(), Link::kCount);
                    link.in().join(link.reload(place));
                    link.copy(result, place);
                    link.compute().zero(place.values().data(), Link::kCount);
                    if (source != &second) // the second is overwritten before anything waits on the host
                        QVERIFY2(link.read(result) == link.read(*source), fmt::format("seed {}", seed).c_str());
                }
            }
    }

    void copiesAreTimedByTheClockOfTheKernels()
    {
        Link link(2);
        backend::Slab place = link.array();
        link.fill(place, 1);
        const backend::Compute::Mark before = link.compute().mark();
        const std::size_t out = link.offload(place);
        link.out().join(out);
        const std::size_t in = link.reload(place);
        link.in().join(in);
        const backend::Compute::Mark after = link.compute().mark();
        link.compute().finish();
        const backend::CopyTimes offload = link.out().times(out);
        const backend::CopyTimes reload = link.in().times(in);
        const std::vector times{link.compute().timeOf(before), offload.begin, offload.end, reload.begin, reload.end,
                                link.compute().timeOf(after)};
        QVERIFY(std::ranges::is_sorted(times));
        QVERIFY(link.out().copyNow({}) >= 0);
    }

    void changesNoBit_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isBf16");
        QTest::addColumn<bool>("takesTurns");
        QTest::addColumn<int>("tensor");
        const auto row = [](const char *family, VocabularyMethod method, bool isLlama, bool isBf16, bool takesTurns,
                            int tensor = 1) {
            QTest::addRow("%s %s%s%s%s t %d", family, model::name(method).data(), isLlama ? " llama" : "",
                          isBf16 ? " bf16" : "", takesTurns ? " half" : " full", tensor)
                << family << static_cast<int>(method) << isLlama << isBf16 << takesTurns << tensor;
        };
        row("1f1b", VocabularyMethod::None, false, false, true);
        row("zb-h1", VocabularyMethod::Vocab2, true, true, false);
        if (test::kIsSanitized)
            return;
        row("1f1b", VocabularyMethod::Vocab1, false, true, false);
        row("v-half", VocabularyMethod::Naive, true, false, false);
        row("gis", VocabularyMethod::None, false, true, false);
        row("po-h", VocabularyMethod::None, false, true, false);
        row("po-f", VocabularyMethod::Vocab2, true, false, true);
        row("dualpipe", VocabularyMethod::Redis, false, true, false);
        row("pipedream", VocabularyMethod::None, false, true, true);
        row("1f1b", VocabularyMethod::Vocab2, false, true, false, 2);
    }
    void changesNoBit()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        QFETCH(bool, isBf16);
        QFETCH(bool, takesTurns);
        QFETCH(int, tensor);
        model::Experiment plan = onGpu(family.toStdString(), static_cast<VocabularyMethod>(method));
        if (isLlama)
            plan = test::asLlama(plan, tensor);
        if (isBf16)
            plan.model.dtype = model::DataType::Bf16;
        plan.parallel.tensor = tensor;
        plan.schedule.offloadLanes = takesTurns ? model::OffloadLanes::Half : model::OffloadLanes::Full;
        plan = operators::resolved(plan, 2);
        const std::vector<float> expected = gradientsOf(resident(plan));
        plan.training.mode = model::RunMode::Live;
        QVERIFY(test::sameBits(gradientsOf(plan), expected));
        setStreams(static_cast<std::uint64_t>(family.size()));
        QVERIFY(test::sameBits(gradientsOf(plan), expected));
        if (takesTurns) {
            plan.schedule.hostBandwidth = 0.5;
            QVERIFY(test::sameBits(gradientsOf(plan), expected));
        } else {
            plan.training.mode = model::RunMode::VirtualClock;
            QVERIFY(test::sameBits(gradientsOf(plan), expected));
        }
    }

    void changesNoBitOverNccl()
    {
        STAGELENS_NOT_UNDER_TSAN();
        setGpus(2, std::size_t{2} << 30);
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab1);
        plan.training.mode = model::RunMode::Live;
        const auto lossesOf = [](const model::Experiment &each, bool isOverNccl) {
            std::vector<double> losses;
            const auto onStep = [&losses](const runtime::StepReport &report) { losses.push_back(report.loss); };
            if (const auto trained = train(each, onStep, isOverNccl); !trained)
                qCritical("%s", trained.error().text().c_str());
            return losses;
        };
        const std::vector<double> losses = lossesOf(resident(plan), false);
        QCOMPARE(losses.size(), std::size_t{2});
        QCOMPARE(lossesOf(plan, true), losses);
    }

    /// Devices, their hosts, and what is pinned.
    void bytesAreThoseOfThePlan()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto &[family, mode] :
             {std::pair("1f1b", model::RunMode::Live), std::pair("po-f", model::RunMode::VirtualClock)}) {
            model::Experiment plan = onGpu(family, VocabularyMethod::None);
            plan.training.mode = mode;
            plan.training.steps = 1;
            std::size_t without = 0;
            QVERIFY(train(resident(plan), [&](const runtime::StepReport &) { without = pinnedBytes(); }).ok());
            const auto plans = runtime::memoryPlan(plan, runtime::lowered(planned(plan))).value();
            std::size_t arenas = 0;
            for (const runtime::DevicePlan &each : plans)
                arenas += (static_cast<std::size_t>(each.hostBytes()) + 255) / 256 * 256; // as the emulator rounds
            const auto onStep = [&](const runtime::StepReport &report) {
                QCOMPARE(pinnedBytes(), without + arenas);
                for (std::size_t device = 0; device < plans.size(); ++device) {
                    for (std::size_t i = 0; i < report.peakMemory[device].size(); ++i)
                        if (i != simulate::at(simulate::MemoryCategory::Communication))
                            QCOMPARE(report.peakMemory[device][i], plans[device].peak[i]);
                    QVERIFY(plans[device].hostPeak > 0 || device > 0);
                    QCOMPARE(report.peakHost[device], plans[device].hostPeak);
                }
            };
            const auto trained = train(plan, onStep);
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        }
    }

    /// Each copy begins after the forward and ends before the backward; at a given rate, no earlier than that.
    void timelinesHaveTheCopies()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const model::RunMode mode : {model::RunMode::VirtualClock, model::RunMode::Live})
            for (const double rate : {0.0, 0.1}) {
                model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab1);
                plan.training.mode = mode;
                if (rate > 0)
                    plan.schedule.hostBandwidth = rate;
                timeline::TimelinePtr measured;
                QVERIFY(train(plan, [&](const runtime::StepReport &report) { measured = report.timeline; }).ok());
                const schedule::Schedule schedule = planned(plan);
                for (int device = 0; device < schedule.devices(); ++device)
                    checkCopies(measured->lanes[static_cast<std::size_t>(device)], schedule.copies(device).size(), rate);
            }
    }

    void pinsInParts()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::None);
        const std::vector<float> expected = gradientsOf(resident(plan));
        const auto plans = runtime::memoryPlan(plan, runtime::lowered(planned(plan))).value();
        QVERIFY(plans.front().hostBytes() > 2 * base::Bytes{kPage} && plans.front().hostBytes() < kStaging);
        refusePinned(kPage + 1, kStaging);
        plan.training.mode = model::RunMode::Live;
        QVERIFY(test::sameBits(gradientsOf(plan), expected));
        plan.training.mode = model::RunMode::VirtualClock;
        QVERIFY(test::sameBits(gradientsOf(plan), expected));
    }

    void tooLittlePinnedMemoryIsRefused()
    {
        const model::Experiment plan = onGpu("1f1b", VocabularyMethod::None);
        std::size_t without = 0;
        QVERIFY(train(resident(plan), [&](const runtime::StepReport &) { without = pinnedBytes(); }).ok());
        limitPinned(without + kPage);
        const auto refused = train(plan);
        QVERIFY(!refused.ok());
        const std::string text = refused.error().text();
        QVERIFY2(text.find("of pinned memory for what is offloaded; offload less, or raise") != std::string::npos,
                 text.c_str());
        limitPinned(kUnlimited);
        model::Experiment small = plan;
        small.schedule.hostMemory = 1000;
        const auto planless = runtime::checkRun(small, planned(plan));
        QVERIFY(!planless.ok());
        QCOMPARE(planless.error().problems.front().field, std::string("schedule.host_memory"));
    }

    /// Also while activations are copied, on streams and on threads.
    void aLostGpuEndsTheStep()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const double rate : {0.0, 1.0}) {
            model::Experiment plan = onGpu("1f1b", VocabularyMethod::None);
            plan.training.mode = model::RunMode::Live;
            if (rate > 0)
                plan.schedule.hostBandwidth = rate;
            int ended = 0;
            for (int waits = 50; waits <= 90; waits += 8) { // from the first pass on
                const auto session = runtime::Session::open(plan, planned(plan), {});
                QVERIFY(session.ok());
                loseGpusAfter(waits);
                const auto stepped = (*session)->step(0, true, {});
                loseGpusAfter(-1);
                ended += stepped.ok() ? 0 : 1;
                if (!stepped.ok())
                    QVERIFY2(stepped.error().text().find("the GPU failed in ") != std::string::npos,
                             stepped.error().text().c_str());
            }
            QVERIFY(ended >= 3);
            QCOMPARE(takenBytes(0), std::size_t{0});
        }
    }

private:
    static void checkCopies(const timeline::Lane &lane, std::size_t copies, double rate)
    {
        std::size_t count = 0;
        for (const timeline::AnchoredSlice &slice : lane.anchored) {
            if (!timeline::isCopy(slice.kind))
                continue;
            ++count;
            QVERIFY(slice.bytes > 0 && slice.end >= slice.begin);
            if (rate > 0)
                QVERIFY(static_cast<double>(slice.end - slice.begin) >= 0.99 * static_cast<double>(slice.bytes) / rate);
            for (std::size_t i = 0; i < lane.size(); ++i) {
                if (lane.pass[i].stage != slice.stage || lane.pass[i].microbatch != slice.microbatch)
                    continue;
                if (lane.pass[i].kind == schedule::PassKind::F)
                    QVERIFY(slice.begin + kRounding >= lane.end[i]);
                if (lane.pass[i].kind == schedule::PassKind::B)
                    QVERIFY(slice.end <= lane.begin[i] + kRounding);
            }
        }
        QCOMPARE(count, copies);
    }
    static constexpr int kPage = 4096;
    static constexpr int kStaging = 1 << 20; ///< what a device pins beside its arena
    /// Times by the device's clock are rounded one by one.
    static constexpr base::Nanos kRounding = 100;
};

STAGELENS_TEST(GpuOffload)

} // namespace integration_gpu_offload

#include "gpu/offload.moc"
