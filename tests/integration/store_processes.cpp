// Several processes on one run database, and the death of some.
#include "engine/base/process_mark.h"
#include "engine/store/reason_file.h"
#include "tests/support/child_process.h"
#include "tests/support/sanitized.h"
#include "tests/support/store_samples.h"
#include "tests/support/test_program.h"

#include <array>
#include <sys/syscall.h>
#include <thread>

namespace integration_store_processes {

using namespace stagelens;
using namespace stagelens::test;

class StoreProcesses : public StoreTest {
    Q_OBJECT
private slots:
    void init() { makeFolder(); }

    void killedRunIsInterrupted()
    {
        RunId first = 0;
        {
            RunStore store = open();
            first = finishedRun(store);
        }
        Child child([this](Child &self) {
            auto store = RunStore::open(path());
            const auto run =
                store ? store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "doomed", {}) : store.error();
            for (int step = 0; run && step < 1'000'000; ++step) {
                if (!store->edit().addStep(*run, step, 5, 100) ||
                    !store->edit().setTimeline(*run, sampleTimeline(), sampleMetrics()))
                    return false;
                if (step == 5)
                    self.sayReady(); // and goes on writing until it is killed
            }
            return false;
        });
        QVERIFY(child.awaitReady());
        child.kill();
        QCOMPARE(child.wait(), -1);
        RunStore store = open();
        const auto report = store.check();
        QVERIFY(report.ok());
        QVERIFY2(report->faults.empty(), report->faults.empty() ? "" : report->faults[0].c_str());
        QCOMPARE(statusOf(store, first), RunStatus::Finished);
        QCOMPARE(statusOf(store, first + 1), RunStatus::Interrupted);
        QVERIFY(store.read().load(first).ok());
        const auto doomed = store.read().load(first + 1);
        QVERIFY(doomed.ok());
        QVERIFY(doomed->summary.stepsDone >= 6 && doomed->timeline);
        QVERIFY(!doomed->summary.reason.empty());
        QVERIFY(store.remove(first + 1).ok());
    }

    /// A process that is killed before it has stored why its run ends left the reason in a file.
    void killedRunWithAReasonHasFailed()
    {
        Child child([this](Child &self) {
            auto store = RunStore::open(path());
            if (!store || !store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "doomed", {}))
                return false;
            store::ReasonFile(RunStore::placeOf(path()), base::ownProcess()).write("process 3 ended unexpectedly");
            self.sayReady();
            self.awaitWord(); // which does not come
            return false;
        });
        QVERIFY(child.awaitReady());
        const std::filesystem::path folder = path().string() + ".reasons";
        { // while it lives nothing is known of the end
            RunStore store = open();
            QCOMPARE(statusOf(store, 1), RunStatus::Running);
            QVERIFY(std::filesystem::exists(folder));
        }
        child.kill();
        QCOMPARE(child.wait(), -1);
        RunStore store = open();
        const auto doomed = store.read().load(1);
        QVERIFY(doomed.ok());
        QCOMPARE(doomed->summary.status, RunStatus::Failed);
        QCOMPARE(doomed->summary.reason, std::string("process 3 ended unexpectedly"));
        QVERIFY(!std::filesystem::exists(folder));
    }

    /// A killed process is a zombie from the end of its first thread on, and holds its locks until the end of the last.
    void aZombieWithItsLocksIsInterrupted()
    {
        if (kIsThreadSanitized)
            QSKIP("a forked process cannot start threads under ThreadSanitizer");
        Child child([this](Child &self) {
            static auto store = RunStore::open(path());
            if (!store || !store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "doomed", {}))
                return false;
            std::thread([] { ::pause(); }).detach();
            self.sayReady();
            ::syscall(SYS_exit, 0); // of this thread
            return false;
        });
        QVERIFY(child.awaitReady());
        const auto status = [this] {
            RunStore store = open();
            return statusOf(store, 1);
        };
        QTRY_COMPARE(status(), RunStatus::Interrupted);
        child.kill();
    }

    void itIsShownWithTheMedianOfItsSteps()
    {
        Child child([this](Child &self) {
            auto store = RunStore::open(path());
            const auto run =
                store ? store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "doomed", {}) : store.error();
            for (int step = 0; run && step < 5; ++step) {
                simulate::Metrics metrics = sampleMetrics();
                metrics.iteration = std::array{900, 800, 130, 110, 120}[static_cast<std::size_t>(step)];
                if (!store->edit().addStep(*run, step, 5, metrics.iteration, sampleTimeline(), metrics))
                    return false;
            }
            self.sayReady();
            self.awaitWord(); // which does not come
            return false;
        });
        QVERIFY(child.awaitReady());
        child.kill();
        QCOMPARE(child.wait(), -1);
        RunStore store = open();
        const auto doomed = store.read().load(1);
        QVERIFY2(doomed.ok(), doomed ? "" : doomed.error().text().c_str());
        QVERIFY(doomed->timeline && doomed->metrics);
        QCOMPARE(doomed->metrics->iteration, base::Nanos{120});
        QCOMPARE(doomed->summary.bubbleRatio, std::optional(sampleMetrics().bubbleRatio));
    }

    void liveRunOfAnotherProcessStaysRunning()
    {
        Child child([this](Child &self) {
            auto store = RunStore::open(path());
            const auto run =
                store ? store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "theirs", {}) : store.error();
            self.sayReady();
            self.awaitWord();
            return run && store->edit().addStep(*run, 0, 7, 70) && store->edit().finish(*run, RunStatus::Finished, "");
        });
        QVERIFY(child.awaitReady());
        {
            RunStore store = open();
            QCOMPARE(statusOf(store, 1), RunStatus::Running);
            const RunId ours = finishedRun(store); // both write into one database
            QCOMPARE(ours, RunId{2});
            QCOMPARE(statusOf(store, 1), RunStatus::Running);
        }
        child.goOn();
        QCOMPARE(child.wait(), 0);
        RunStore store = open();
        QCOMPARE(statusOf(store, 1), RunStatus::Finished);
        QCOMPARE(statusOf(store, 2), RunStatus::Finished);
    }

    void lockAloneKeepsARunAlive()
    {
        RunStore writer = open();
        const auto run = writer.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        execute("UPDATE run SET pid = 1, process_start = 1"); // as from another container
        {
            RunStore other = open();
            QCOMPARE(statusOf(other, *run), RunStatus::Running);
        }
        { // and when the lock is gone too, the run was abandoned
            const RunStore dropped = std::move(writer);
        }
        RunStore other = open();
        QCOMPARE(statusOf(other, *run), RunStatus::Interrupted);
    }

    void reusedProcessNumberIsNotTheWriter()
    {
        {
            RunStore store = open();
            QVERIFY(store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {}).ok());
        }
        { // this process lives, though its store was closed
            RunStore store = open();
            QCOMPARE(statusOf(store, 1), RunStatus::Running);
        }
        execute("UPDATE run SET process_start = process_start - 1");
        RunStore store = open();
        QCOMPARE(statusOf(store, 1), RunStatus::Interrupted);
    }

    void processesMakeOneDatabaseAtOnce()
    {
        std::vector<std::unique_ptr<Child>> children;
        for (int i = 0; i < 4; ++i)
            children.push_back(std::make_unique<Child>([this](Child &self) {
                self.awaitWord();
                auto store = RunStore::open(path());
                if (!store)
                    qWarning("%s", store.error().text().c_str());
                return store && finishedRun(*store) > 0;
            }));
        for (const auto &child : children)
            child->goOn();
        for (const auto &child : children)
            QCOMPARE(child->wait(), 0);
        RunStore store = open();
        QCOMPARE(store.read().list()->size(), std::size_t{4});
        QVERIFY(store.check()->faults.empty());
    }
};

STAGELENS_TEST(StoreProcesses)

} // namespace integration_store_processes

#include "store_processes.moc"
