// Runs in a worker process: equal results, stopping, and crashes.
#include "engine/runtime/worker/worker.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <thread>

namespace integration_worker {

using namespace stagelens;

namespace {

struct Heard {
    std::vector<runtime::StepReport> steps;
    int progress = 0;
};

runtime::TrainingObserver observerOf(Heard &heard)
{
    runtime::TrainingObserver observer;
    observer.onStep = [&heard](const runtime::StepReport &report) { heard.steps.push_back(report); };
    observer.onProgress = [&heard](const runtime::Progress &) { ++heard.progress; };
    return observer;
}

/// The number of messages in flight depends on timing.
std::vector<simulate::MemoryByCategory> withoutMessages(std::vector<simulate::MemoryByCategory> peaks)
{
    for (simulate::MemoryByCategory &peak : peaks)
        peak[static_cast<std::size_t>(simulate::MemoryCategory::Communication)] = 0;
    return peaks;
}

model::Experiment planOf(int steps)
{
    model::Experiment plan = test::smallExperiment("1f1b", model::VocabularyMethod::Vocab2, 2, 3);
    plan.training.steps = steps;
    return plan;
}

/// Returns the only child of this process.
pid_t childOfThis()
{
    QProcess ps;
    ps.start(QStringLiteral("pgrep"), {QStringLiteral("-P"), QString::number(::getpid()), QStringLiteral("stagelens-cli")});
    ps.waitForFinished();
    return static_cast<pid_t>(ps.readAllStandardOutput().trimmed().toInt());
}

} // namespace

class Worker : public QObject {
    Q_OBJECT

private slots:
    void init() { qputenv("STAGELENS_WORKER", qgetenv("STAGELENS_BINARIES") + "/stagelens-cli"); }

    void tellsWhatTheRunTells()
    {
        const model::Experiment plan = planOf(4);
        const schedule::Schedule schedule = test::scheduleOf(plan);
        Heard here;
        Heard there;
        QVERIFY(runtime::train(plan, schedule, {}, observerOf(here), {}).ok());
        const auto trained = runtime::trainInWorker(plan, schedule, {}, observerOf(there), {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QCOMPARE(there.steps.size(), std::size_t{4});
        QCOMPARE(there.progress, here.progress);
        for (std::size_t i = 0; i < here.steps.size(); ++i) {
            QCOMPARE(there.steps[i].step, here.steps[i].step);
            QCOMPARE(there.steps[i].loss, here.steps[i].loss);
            QCOMPARE(withoutMessages(there.steps[i].peakMemory), withoutMessages(here.steps[i].peakMemory));
            const timeline::Timeline &first = *here.steps[i].timeline;
            const timeline::Timeline &second = *there.steps[i].timeline;
            QCOMPARE(second.provenance, first.provenance);
            QCOMPARE(second.stages, first.stages);
            for (std::size_t lane = 0; lane < first.lanes.size(); ++lane) {
                QCOMPARE(second.lanes[lane].pass, first.lanes[lane].pass);
                QVERIFY(second.lanes[lane].tailEnd > second.lanes[lane].tailBegin);
                QCOMPARE(second.lanes[lane].vocabulary.size(), first.lanes[lane].vocabulary.size());
            }
        }
    }

    /// The loss scale is so large that every gradient overflows.
    void tellsWhichStepsAreSkipped()
    {
        model::Experiment plan = planOf(2);
        plan.model.dtype = model::DataType::Fp16;
        plan.training.lossScale.fixed = model::kLargestLossScale;
        Heard there;
        const auto trained = runtime::trainInWorker(plan, test::scheduleOf(plan), {}, observerOf(there), {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
        QCOMPARE(there.steps.size(), std::size_t{2});
        for (const runtime::StepReport &step : there.steps) {
            QVERIFY(step.isSkipped);
            QCOMPARE(step.lossScale, model::kLargestLossScale);
        }
    }

    void tellsWhyARunFails()
    {
        model::Experiment plan = planOf(2);
        const schedule::Schedule schedule = test::scheduleOf(plan);
        plan.training.data = "/nowhere/text.txt";
        const auto failed = runtime::trainInWorker(plan, schedule, {}, {}, {});
        const auto here = runtime::train(plan, schedule, {}, {}, {});
        QVERIFY(!failed.ok());
        QCOMPARE(failed.error().kind, here.error().kind);
        QCOMPARE(failed.error().text(), here.error().text());
    }

    void stopsWhenAsked()
    {
        const model::Experiment plan = planOf(1'000'000);
        const schedule::Schedule schedule = test::scheduleOf(plan);
        std::stop_source stop;
        runtime::TrainingObserver observer;
        observer.onStep = [&stop](const runtime::StepReport &) { stop.request_stop(); };
        const auto ended = runtime::trainInWorker(plan, schedule, {}, observer, stop.get_token());
        QVERIFY(!ended.ok());
        QCOMPARE(ended.error().kind, base::ErrorKind::Cancelled);
        QCOMPARE(childOfThis(), 0);
    }

    void saysWhatTheProcessDiedOf()
    {
        const model::Experiment plan = planOf(1'000'000);
        const schedule::Schedule schedule = test::scheduleOf(plan);
        runtime::TrainingObserver observer;
        observer.onStep = [](const runtime::StepReport &report) {
            if (report.step == 0)
                ::kill(childOfThis(), SIGSEGV);
        };
        const auto ended = runtime::trainInWorker(plan, schedule, {}, observer, {});
        QVERIFY(!ended.ok());
        const std::string text = ended.error().text();
        QVERIFY2(text.find("was ended by signal 11 (Segmentation fault)") != std::string::npos ||
                     text.find("ended with status") != std::string::npos, // a sanitizer catches the signal
                 text.c_str());
        Heard heard;
        QVERIFY(runtime::trainInWorker(planOf(1), test::scheduleOf(planOf(1)), {}, observerOf(heard), {}).ok());
        QCOMPARE(heard.steps.size(), std::size_t{1});
    }

    void refusesAWorkerOfAnotherBuild()
    {
        QTemporaryDir folder;
        QFile foreign(folder.filePath(QStringLiteral("stagelens-cli")));
        QVERIFY(foreign.open(QIODevice::WriteOnly));
        foreign.write("#!/bin/sh\nprintf '\\377\\0\\0\\0\\5\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0'\n");
        foreign.close();
        QVERIFY(foreign.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        qputenv("STAGELENS_WORKER", foreign.fileName().toUtf8());
        const model::Experiment plan = planOf(1);
        const auto failed = runtime::trainInWorker(plan, test::scheduleOf(plan), {}, {}, {});
        QVERIFY(!failed.ok());
        const std::string text = failed.error().text();
        QVERIFY2(text.find("is from another build than this program; install both together") != std::string::npos,
                 text.c_str());
    }

    void saysWhatCannotBeStarted()
    {
        qputenv("STAGELENS_WORKER", "/nowhere/stagelens-cli");
        const model::Experiment plan = planOf(1);
        const auto failed = runtime::trainInWorker(plan, test::scheduleOf(plan), {}, {}, {});
        QVERIFY(!failed.ok());
        const std::string text = failed.error().text();
        QVERIFY2(text.find("cannot start the GPU worker /nowhere/stagelens-cli: No such file or directory") !=
                     std::string::npos,
                 text.c_str());
    }
};

STAGELENS_TEST(Worker)

} // namespace integration_worker

#include "worker.moc"
