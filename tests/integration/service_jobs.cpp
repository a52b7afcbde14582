// The service as the window and the command line use it: jobs in, snapshots out, runs in the store.
#include "engine/service/engine_service.h"
#include "engine/store/sqlite.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

namespace integration_service_jobs {

using namespace stagelens;

namespace {

/// A service on a database of its own, with a wake-up that a test can wait for.
class Bench {
public:
    explicit Bench(const QTemporaryDir &folder)
        : m_service({folder.filePath(QStringLiteral("runs.db")).toStdString(), 2}, [this] {
              if (m_atFirstEvent)
                  std::exchange(m_atFirstEvent, {})();
              const std::scoped_lock lock(m_mutex);
              m_woken = true;
              m_changed.notify_all();
          })
    {}
    service::EngineService &service() { return m_service; }
    service::StoredRuns stored() const { return service::StoredRuns(m_service.databaseFile()); }
    /// Runs `work` on the engine's thread that posts the first event.
    void atFirstEvent(std::function<void()> work) { m_atFirstEvent = std::move(work); }
    /// Waits for a wake-up and takes what came.
    std::vector<service::Event> wait()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_woken; });
        m_woken = false;
        lock.unlock();
        return m_service.drain();
    }
    /// The last snapshot of a run, after it has ended.
    service::RunSnapshotPtr finish(service::JobId job)
    {
        for (;;)
            for (const service::Event &event : wait())
                if (const auto *snapshot = std::get_if<service::RunSnapshotPtr>(&event.answer))
                    if (event.job == job && (*snapshot)->finished)
                        return *snapshot;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_woken = false;
    std::function<void()> m_atFirstEvent;
    service::EngineService m_service;
};

model::Experiment smallPlan()
{
    model::Experiment plan;
    plan.model = test::tinyModel();
    plan.parallel.devices = 4;
    plan.parallel.microbatches = 4;
    plan.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    plan.training.steps = 3;
    return plan;
}

} // namespace

class ServiceJobs : public QObject {
    Q_OBJECT
private slots:
    void init() { qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8()); }

    void predictionBearsAdviceForTheSlowLastDevice()
    {
        Bench bench(m_folder);
        const service::JobId job = bench.service().submitPrediction(model::Experiment{}, true);
        const auto events = bench.wait();
        QCOMPARE(events.size(), std::size_t{1});
        QCOMPARE(events.front().job, job);
        const auto answer = std::get<service::PredictionAnswerPtr>(events.front().answer);
        QVERIFY(answer->prediction.ok());
        QVERIFY(answer->advice.has_value());
        QCOMPARE(answer->advice->slowestDevice, 3);
        QVERIFY(answer->advice->better.has_value());
        QVERIFY(answer->advice->speedup > 1.2);
        QVERIFY(*answer->advice->vocabularyShare > 0.4);
        QCOMPARE(answer->advice->options.size(), std::size_t{5});
    }

    /// Silence means that no method which fits saves a hundredth.
    void adviceIsTrueToTheLastPercent()
    {
        model::Experiment plan;
        plan.model = *model::modelPreset("gpt-4b");
        plan.model.vocabularySize = 262'144;
        plan.parallel = {8, 128, 1, {}};
        plan.cost.source = model::HardwarePreset{"a100-80gb"};
        for (const auto method : {model::VocabularyMethod::None, model::VocabularyMethod::Redis,
                                  model::VocabularyMethod::Vocab1, model::VocabularyMethod::Vocab2}) {
            plan.schedule.vocabulary = method;
            const auto prediction = service::predict(plan, 2);
            QVERIFY(prediction.ok());
            const service::Advice advice = service::advise(**prediction, 2);
            double fastest = 1;
            for (const service::Advice::Option &option : advice.options)
                if (option.iteration && option.peakMemory <= (*prediction)->memoryCapacity)
                    fastest = std::min(fastest, static_cast<double>(*option.iteration) /
                                                    static_cast<double>((*prediction)->metrics.iteration));
            QCOMPARE(advice.better.has_value(), fastest <= 0.99);
            QVERIFY(advice.better != method);
            if (advice.better)
                QVERIFY(advice.speedup >= 1 / 0.99);
        }
    }

    void aStopEndsPredictionAndAdvice()
    {
        std::stop_source stop;
        const auto whole = service::predict(smallPlan(), 2, {stop.get_token(), {}});
        QVERIFY(whole.ok());
        QCOMPARE(service::advise(**whole, 2, stop.get_token()).options.size(), std::size_t{5});
        stop.request_stop();
        const auto ended = service::predict(smallPlan(), 2, {stop.get_token(), {}});
        QVERIFY(!ended.ok());
        QCOMPARE(ended.error().kind, base::ErrorKind::Cancelled);
        const service::Advice none = service::advise(**whole, 2, stop.get_token());
        QVERIFY(std::ranges::none_of(none.options, [](const service::Advice::Option &option) {
            return option.iteration && option.method != model::VocabularyMethod::Vocab2; // the plan's own
        }));
    }

    void everyProblemOfAPlanIsReported()
    {
        model::Experiment plan;
        plan.model.heads = 3;
        plan.parallel.devices = 0;
        const auto answer = service::predict(plan, 2);
        QVERIFY(!answer.ok());
        QCOMPARE(answer.error().kind, base::ErrorKind::InvalidInput);
        QVERIFY(answer.error().problems.size() >= 2);
    }

    void aRunIsStoredWithLossesTimelineAndEnvironment()
    {
        Bench bench(m_folder);
        const auto last = bench.finish(bench.service().submitTraining(smallPlan()));
        QVERIFY2(!last->error.has_value(), last->error ? last->error->text().c_str() : "");
        QVERIFY(last->stored);
        QCOMPARE(last->step, 3);
        const auto record = bench.stored().load(last->record.summary.id);
        QVERIFY(record.ok());
        QCOMPARE(record->summary.status, store::RunStatus::Finished);
        QCOMPARE(record->losses, last->record.losses);
        QCOMPARE(record->losses.size(), std::size_t{3});
        QVERIFY(record->timeline != nullptr);
        QCOMPARE(record->timeline->provenance, timeline::Provenance::MeasuredVirtualClock);
        QCOMPARE(record->timeline->sliceCount(), last->schedule->passCount());
        QVERIFY(record->environment.contains("cpu") && record->environment.contains("commit"));
        QVERIFY(record->metrics.has_value() && record->metrics->peakMemory.size() == 4);
    }

    void aCancelledRunIsKeptAndSaysSo()
    {
        Bench bench(m_folder);
        model::Experiment plan = smallPlan();
        plan.training.steps = 100'000;
        const service::JobId job = bench.service().submitTraining(plan);
        service::RunSnapshotPtr snapshot;
        while (!snapshot || snapshot->step < 1)
            for (const service::Event &event : bench.wait())
                snapshot = std::get<service::RunSnapshotPtr>(event.answer);
        bench.service().cancel(job);
        const auto last = bench.finish(job);
        QCOMPARE(last->record.summary.status, store::RunStatus::Cancelled);
        QVERIFY(!last->error.has_value());
        const auto record = bench.stored().load(last->record.summary.id);
        QVERIFY(record.ok());
        QCOMPARE(record->summary.status, store::RunStatus::Cancelled);
        QVERIFY(record->losses.size() >= 1);
    }

    void aRefusedRunLeavesNoRow()
    {
        Bench bench(m_folder);
        const auto before = bench.stored().list();
        model::Experiment plan = smallPlan();
        plan.training.data = "/no/such/text.txt";
        const auto last = bench.finish(bench.service().submitTraining(plan));
        QVERIFY(last->error.has_value());
        QCOMPARE(last->error->kind, base::ErrorKind::InvalidInput);
        QCOMPARE(last->record.summary.id, store::RunId{0});
        const auto after = bench.stored().list();
        QVERIFY(before.ok() && after.ok());
        QCOMPARE(after->size(), before->size());
    }

    void aPlanThatCannotRunIsAnswered()
    {
        Bench bench(m_folder);
        model::Experiment plan = smallPlan();
        plan.training.backend = "cuda";
        const auto last = bench.finish(bench.service().submitTraining(plan));
        QVERIFY(last->error.has_value());
        QCOMPARE(last->error->problems.front().field, std::string("training.backend"));
    }

    void destructionStopsARun()
    {
        model::Experiment plan = smallPlan();
        plan.training.steps = 100'000;
        {
            Bench bench(m_folder);
            bench.service().submitTraining(plan);
            (void)bench.wait();
        }
        Bench again(m_folder);
        const auto runs = again.stored().list();
        QVERIFY(runs.ok());
        for (const store::RunSummary &run : *runs)
            QVERIFY(run.status != store::RunStatus::Running);
    }

    /// Answers come in the order of the questions, and those about another database from that one.
    void storedRunsAreAskedForOffTheCallersThread()
    {
        Bench bench(m_folder);
        std::vector<std::string> answers;
        const auto askForFile = [&] {
            bench.service().ask(
                service::StoreUse::Read,
                [](service::StoredRuns &stored) {
                    return base::Result<std::pair<std::thread::id, std::string>>(
                        {std::this_thread::get_id(), stored.file().filename().string()});
                },
                [&](const auto &answer) {
                    QVERIFY(answer->first != std::this_thread::get_id());
                    answers.push_back(answer->second);
                });
        };
        askForFile();
        bench.service().useDatabase(m_folder.filePath(QStringLiteral("other.db")).toStdString());
        askForFile();
        bench.service().ask(
            service::StoreUse::Read, [](service::StoredRuns &) -> base::Result<> { throw std::bad_alloc(); },
            [&](const base::Result<> &answer) {
                QVERIFY(!answer);
                answers.push_back("failed");
            });
        while (answers.size() < 3)
            for (const service::Event &event : bench.wait())
                std::get<service::StoreAnswer>(event.answer)();
        QCOMPARE(answers, (std::vector<std::string>{"runs.db", "other.db", "failed"}));
    }

    /// A service that ends drops questions, but makes the changes that it was asked for.
    void changesAreMadeBeforeTheServiceEnds()
    {
        store::RunId run = 0;
        {
            Bench bench(m_folder);
            run = bench.finish(bench.service().submitTraining(smallPlan()))->record.summary.id;
            for (int i = 1; i <= 50; ++i)
                bench.service().ask(
                    service::StoreUse::Change,
                    [run, i](service::StoredRuns &stored) { return stored.rename(run, "named " + std::to_string(i)); },
                    [](const base::Result<> &) {});
        }
        QCOMPARE(Bench(m_folder).stored().load(run)->summary.name, std::string("named 50"));
    }

    /// What waits in memory has a bound; then training waits, and nothing is lost.
    void trainingWaitsWhenTooManyStepsAreInMemory_data()
    {
        QTest::addColumn<bool>("isCancelled");
        QTest::newRow("until the lock goes") << false;
        QTest::newRow("until it is cancelled") << true;
    }
    void trainingWaitsWhenTooManyStepsAreInMemory()
    {
        QFETCH(const bool, isCancelled);
        constexpr std::size_t kMost = 12;
        Bench bench(m_folder);
        QVERIFY(bench.stored().list().ok()); // makes the database
        auto other = store::Database::open(bench.service().databaseFile());
        model::Experiment plan = smallPlan();
        plan.training.steps = 40;
        service::TrainingOptions options;
        options.mostWaiting = kMost;
        std::atomic<bool> isLocked = false;
        bench.atFirstEvent([&] { isLocked = other->execute("BEGIN EXCLUSIVE").ok(); }); // before the first step
        const service::JobId job = bench.service().submitTraining(plan, options);
        service::RunSnapshotPtr snapshot;
        const auto waitUntil = [&](auto condition) {
            while (!snapshot || !condition(*snapshot))
                for (const service::Event &event : bench.wait())
                    snapshot = std::get<service::RunSnapshotPtr>(event.answer);
        };
        waitUntil([](const service::RunSnapshot &now) { return now.waitsForStore; });
        QVERIFY(isLocked);
        QVERIFY(snapshot->step < plan.training.steps);
        QVERIFY(!snapshot->stored);
        for (const char *part : {"runs.db", "is being used by another process; ", "training waits until then", "12 changes"})
            QVERIFY2(snapshot->storeProblem.find(part) != std::string::npos, snapshot->storeProblem.c_str());
        const int steps = snapshot->step;
        if (isCancelled)
            bench.service().cancel(job);
        QVERIFY(other->execute("ROLLBACK").ok());
        const auto last = snapshot->finished ? snapshot : bench.finish(job);
        QVERIFY2(last->stored, last->storeProblem.c_str());
        QCOMPARE(last->record.summary.status, isCancelled ? store::RunStatus::Cancelled : store::RunStatus::Finished);
        const auto record = bench.stored().load(last->record.summary.id);
        QCOMPARE(record->losses, last->record.losses);
        if (isCancelled)
            QCOMPARE(record->losses.size(), static_cast<std::size_t>(steps));
        else
            QCOMPARE(record->losses.size(), std::size_t{40});
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(ServiceJobs)

} // namespace integration_service_jobs

#include "service_jobs.moc"
