// The GPU's way through a training step without a GPU: the plug-in whose kernels run on fibres, loaded as the real one is.
#include "engine/runtime/accelerators.h"
#include "kernels/cuda/host/devices.h"
#include "tests/support/cli_runner.h"
#include "tests/support/verify_matrix.h"

#include <QFile>
#include <QJsonArray>

#include <array>
#include <dlfcn.h>
#include <set>
#include <type_traits>

using namespace stagelens;
using model::VocabularyMethod;

namespace {

// What kernels/cuda/host/devices.h declares, of the plug-in that the engine has loaded.
decltype(&stagelensSetFibreGpus) setGpus = nullptr;
decltype(&stagelensLoseFibreGpusAfter) loseGpusAfter = nullptr;
decltype(&stagelensTakenOfFibreGpu) takenBytes = nullptr;
decltype(&stagelensListenToFibres) listen = nullptr;
decltype(&stagelensRangesOfFibres) rangesHeard = nullptr;

model::Experiment onGpu(const std::string &schedule, VocabularyMethod method, bool isLlama = false)
{
    model::Experiment plan = test::smallExperiment(schedule, method, 2, 2);
    plan.model.layers = 4; // a fibre a thread takes its time
    plan.parallel.stageLayers.clear();
    plan.training.backend = "cuda";
    return model::resolved(isLlama ? test::asLlama(plan, 1) : plan, 2);
}

} // namespace

class GpuOnHost : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QByteArray plugin = qgetenv("STAGELENS_BINARIES") + "/libstagelens-cuda-on-host.so";
        qputenv("STAGELENS_CUDA_PLUGIN", plugin);
        const runtime::GpuList found = runtime::gpus();
        QVERIFY2(found.problem.empty(), found.problem.c_str());
        QCOMPARE(found.gpus.size(), std::size_t{1});
        QCOMPARE(found.gpus.front().name, std::string("fibres on the host"));
        void *handle = ::dlopen(plugin.constData(), RTLD_NOW | RTLD_NOLOAD);
        const auto find = [handle](auto &function, const char *name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
            return function != nullptr;
        };
        QVERIFY(find(setGpus, "stagelensSetFibreGpus"));
        QVERIFY(find(loseGpusAfter, "stagelensLoseFibreGpusAfter"));
        QVERIFY(find(takenBytes, "stagelensTakenOfFibreGpu"));
        QVERIFY(find(listen, "stagelensListenToFibres"));
        QVERIFY(find(rangesHeard, "stagelensRangesOfFibres"));
    }

    void init() { setGpus(1, std::size_t{1} << 30); }

    void trainsLikeTheReference_data()
    {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<bool>("isTied");
        const auto row = [](const char *schedule, VocabularyMethod method, bool isLlama, bool isTied) {
            QTest::addRow("%s %s%s%s", schedule, model::name(method).data(), isLlama ? " llama" : "", isTied ? " tied" : "")
                << schedule << static_cast<int>(method) << isLlama << isTied;
        };
        for (const VocabularyMethod method : test::kAllMethods)
            row("1f1b", method, false, false);
        row("zb-h1", VocabularyMethod::Vocab2, true, false);
        row("interlaced", VocabularyMethod::None, true, false);
        row("1f1b", VocabularyMethod::Vocab1, false, true);
        row("pipedream", VocabularyMethod::None, false, false);
        row("dualpipe", VocabularyMethod::Vocab1, true, false);
    }
    void trainsLikeTheReference()
    {
        QFETCH(QString, schedule);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        QFETCH(bool, isTied);
        model::Experiment plan = onGpu(schedule.toStdString(), static_cast<VocabularyMethod>(method), isLlama);
        plan.model.tied = isTied;
        test::verifyPlan(plan);
    }

    void givesTheSameBitsTwice()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
        const schedule::Schedule schedule = test::scheduleOf(plan);
        const auto first = runtime::stepGradients(plan, schedule);
        QVERIFY2(first.ok(), first ? "" : first.error().text().c_str());
        plan.training.mode = model::RunMode::Live;
        const auto second = runtime::stepGradients(plan, schedule);
        QVERIFY2(second.ok(), second ? "" : second.error().text().c_str());
        QCOMPARE(*first, *second);
    }

    void fourDevicesShareTwoGpus()
    {
        setGpus(2, std::size_t{1} << 30);
        model::Experiment plan = test::smallExperiment("1f1b", VocabularyMethod::Vocab1, 4, 3);
        plan.training.backend = "cuda";
        plan.training.mode = model::RunMode::Live;
        std::array<std::size_t, 2> held{};
        runtime::TrainingObserver observer;
        observer.onStep = [&held](const runtime::StepReport &) { held = {takenBytes(0), takenBytes(1)}; };
        plan.training.steps = 1;
        const auto trained = runtime::train(plan, test::scheduleOf(plan), {}, observer, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QVERIFY(held[0] > 0 && held[1] > 0);
        QCOMPARE(takenBytes(0) + takenBytes(1), std::size_t{0});
    }

    void aLostGpuEndsTheRun()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
        plan.training.steps = 1;
        plan.training.optimizer.clip = 1;
        const schedule::Schedule schedule = test::scheduleOf(plan);
        int ended = 0;
        // From the making of the devices to the optimizer.
        for (const int waits : {0, 1, 3, 10, 20, 40, 80, 120, 160, 200, 240, 280}) {
            loseGpusAfter(waits);
            const auto trained = runtime::train(plan, schedule, {}, {}, {});
            loseGpusAfter(-1);
            QCOMPARE(takenBytes(0), std::size_t{0});
            if (trained)
                continue;
            ++ended;
            const std::string text = trained.error().text();
            QCOMPARE(trained.error().kind, base::ErrorKind::Failed);
            QVERIFY2(text.find("the GPU failed in ") != std::string::npos, text.c_str());
        }
        QVERIFY(ended >= 6);
        QVERIFY(runtime::train(plan, schedule, {}, {}, {}).ok());
    }

    void checksItsKernels()
    {
        const auto checks = runtime::checkKernels(false);
        QVERIFY2(checks.ok(), checks ? "" : checks.error().text().c_str());
        QVERIFY(checks->size() > 40);
        for (const backend::KernelCheck &check : *checks)
            QVERIFY2(check.holds(), base::concat(check.kernel, ' ', check.type, ' ', check.shape, ": ", check.error, " of ",
                                                 check.bound, ' ', check.fault)
                                        .c_str());
    }

    void saysHowWellClocksAreAlignedAndWhatMemoryIsTaken()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
        plan.training.mode = model::RunMode::Live;
        plan.training.steps = 2;
        std::vector<std::map<std::string, std::string>> facts;
        std::size_t held = 0;
        runtime::TrainingObserver observer;
        observer.onStep = [&](const runtime::StepReport &report) {
            facts.push_back(report.facts);
            held = takenBytes(0);
        };
        const auto trained = runtime::train(plan, test::scheduleOf(plan), {}, observer, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QCOMPARE(facts.size(), std::size_t{2});
        QVERIFY(facts.front()["clocks"].starts_with("aligned within "));
        QVERIFY(facts.front()["clocks"].ends_with(" us"));
        const std::string memory = facts.front()["gpu memory"];
        QVERIFY2(memory.starts_with("GPU 0: planned "), memory.c_str());
        QVERIFY2(memory.find(base::concat("measured ", base::bytesText(static_cast<base::Bytes>(held)))) != std::string::npos,
                 memory.c_str());
        QVERIFY2(memory.find("more than planned") == std::string::npos, memory.c_str());
        QCOMPARE(facts.back()["gpu memory"], memory);
    }

    void namesItsPassesForTools()
    {
        const model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab1);
        QVERIFY(runtime::stepGradients(plan, test::scheduleOf(plan)).ok());
        QCOMPARE(std::string(rangesHeard()), std::string());
        listen(true);
        const auto made = runtime::stepGradients(plan, test::scheduleOf(plan));
        listen(false);
        QVERIFY(made.ok());
        const std::string ranges = rangesHeard();
        for (const char *range : {"F 0, stage 0", "B 1, stage 1", "S 0, stage ", "T 1, stage "})
            QVERIFY2(ranges.find(range) != std::string::npos, ranges.c_str());
    }

    void recordsTheKernelsOfItsPasses()
    {
        for (const auto mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
            model::Experiment plan = onGpu("1f1b", VocabularyMethod::Vocab2);
            plan.training.mode = mode;
            plan.training.steps = 2;
            std::vector<runtime::StepReport> reports;
            runtime::TrainingObserver observer;
            observer.onStep = [&](const runtime::StepReport &report) { reports.push_back(report); };
            runtime::RunFolders folders;
            folders.recordsKernels = true;
            const auto trained = runtime::train(plan, test::scheduleOf(plan), folders, observer, {});
            QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
            QVERIFY(!reports.front().kernels);
            const timeline::KernelTracePtr kernels = reports.back().kernels;
            QVERIFY(kernels && !kernels->slices.empty());
            std::set<std::pair<int, std::size_t>> passes; // with a kernel
            for (const timeline::KernelSlice &slice : kernels->slices) {
                const timeline::Lane &lane = reports.back().timeline->lanes[static_cast<std::size_t>(slice.device)];
                QVERIFY(slice.begin <= slice.end);
                const auto place = timeline::sliceAt(lane, slice.begin);
                QVERIFY(place && slice.end <= lane.end[*place]);
                passes.insert({slice.device, *place});
            }
            QCOMPARE(passes.size(), reports.back().timeline->sliceCount());
            const auto hasName = [&](const char *part) {
                return std::ranges::any_of(kernels->names,
                                           [part](const std::string &name) { return name.find(part) != std::string::npos; });
            };
            QVERIFY(hasName("product"));
            QVERIFY(hasName("layerNorm") || hasName("norm"));
        }
    }

    void theCommandLineWritesKernelsAsATrace()
    {
        const test::CliRunner cli;
        const test::CliAnswer answer =
            cli.run(QStringLiteral("run --backend cuda --layers 2 --hidden 16 --heads 2 --sequence 8 --vocabulary-size 64 "
                                   "--devices 2 --microbatches 2 --steps 1 --mode live --kernels trace.json --json"));
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonObject run = answer.object();
        QVERIFY(run[QLatin1String("kernels")][QLatin1String("slices")].toArray().size() > 20);
        const QJsonValue environment = run[QLatin1String("environment")];
        QVERIFY(environment[QLatin1String("devices")].toString().startsWith(
            QStringLiteral("2 devices on 1 x fibres on the host, at once")));
        QVERIFY(environment[QLatin1String("clocks")].toString().startsWith(QStringLiteral("aligned within ")));
        QFile file(cli.path(QStringLiteral("trace.json")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        int kernels = 0;
        for (const QJsonValue &event : QJsonDocument::fromJson(file.readAll())[QLatin1String("traceEvents")].toArray())
            kernels += event[QLatin1String("cat")].toString() == QStringLiteral("kernel") ? 1 : 0;
        QVERIFY(kernels > 20);
        const test::CliAnswer stored = cli.run(QStringLiteral("runs show 1"));
        QVERIFY2(stored.out.contains("aligned within ") && stored.out.contains("measured "), stored.out);
    }

    void timesItsKernels()
    {
        const auto figures = runtime::benchKernels(backend::BenchShapes::Small, {});
        QVERIFY2(figures.ok(), figures ? "" : figures.error().text().c_str());
        std::map<std::string, const backend::KernelFigure *> byName;
        for (const backend::KernelFigure &figure : *figures) {
            const std::string text = base::concat(figure.name, ", ", figure.shape, ": ", figure.fault);
            QVERIFY2(figure.fault.empty() && figure.seconds.size() == 3, text.c_str());
            QVERIFY2(std::ranges::all_of(figure.seconds, [](double seconds) { return seconds > 0; }), text.c_str());
            QVERIFY2((figure.flops > 0) != (figure.bytes > 0), text.c_str());
            byName.emplace(base::concat(figure.name, ", ", figure.shape), &figure);
        }
        const auto flopsOf = [&](const char *name) { return byName.contains(name) ? byName[name]->flops : -1; };
        const auto bytesOf = [&](const char *name) { return byName.contains(name) ? byName[name]->bytes : -1; };
        QCOMPARE(flopsOf("largest product, m 24, n 24, k 24"), 2.0 * 24 * 24 * 24);
        QCOMPARE(flopsOf("gradient of W (T), m 40, n 24, k 16"), 2.0 * 40 * 24 * 16);
        QCOMPARE(flopsOf("S + T of vocab-2, N 16, h 24, rows 40"), 3 * 2.0 * 16 * 24 * 40);
        QCOMPARE(flopsOf("attention forward, batch 1, T 33, heads 2, kv 1, d 64"), 2.0 * 33 * 33 * 128);
        QCOMPARE(flopsOf("attention backward, batch 1, T 33, heads 2, kv 1, d 64"), 5.0 * 33 * 33 * 128);
        QCOMPARE(bytesOf("copy, bytes 4096"), 2.0 * 4096);
        QCOMPARE(bytesOf("AdamW, values 256"), 34.0 * 256);
        QCOMPARE(bytesOf("softmax of a shard, in place (S), rows 8, width 40"), 2 * 2.0 * 8 * 40);
        QCOMPARE(bytesOf("gradient of the embedding, rows 8, width 32"), (2.0 + 8) * 8 * 32);
        QCOMPARE(takenBytes(0), std::size_t{0});
    }

    void theCommandLinesBenchmarkRunsSteps()
    {
        const test::CliAnswer answer = test::CliRunner().run(QStringLiteral("bench --backend cuda --small --json"));
        QVERIFY2(answer.status == 0, answer.err);
        const QJsonArray steps = answer.object()[QLatin1String("steps")].toArray();
        QCOMPARE(steps.size(), 7);
        for (const QJsonValue &step : steps) {
            QVERIFY2(step[QLatin1String("iteration_ns")].toDouble() > 0, QJsonDocument(step.toObject()).toJson());
            QVERIFY(step[QLatin1String("mfu_of_ceiling")].toDouble() > 0);
        }
        QVERIFY(answer.object()[QLatin1String("kernels")].toArray().size() > 60);
    }

    void refusesWhatDoesNotFit()
    {
        model::Experiment plan = onGpu("1f1b", VocabularyMethod::None);
        plan.model.vocabularySize = 4'000'000; // the GPU of fibres has 1 GiB
        const auto refused = runtime::verify(plan, test::scheduleOf(plan), {});
        QVERIFY(!refused.ok());
        const std::string text = refused.error().text();
        QVERIFY2(text.find("the 2 devices on GPU 0 (fibres on the host) take ") != std::string::npos, text.c_str());
    }
};

QTEST_GUILESS_MAIN(GpuOnHost)
#include "gpu_on_host.moc"
