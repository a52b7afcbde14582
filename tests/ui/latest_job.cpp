// Computations off the GUI thread: which answer counts, what is said while it takes long, and how they end.
#include "ui/state/latest_job.h"
#include "engine/model/family_shape.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/state/quick_prediction.h"
#include "ui/sweep/sweep_estimate.h"

#include <QTemporaryDir>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ui_latest_job {

using namespace stagelens;
using namespace Qt::StringLiterals;
using ui::LatestJob;

namespace {
/// A work that runs until it is asked to stop.
struct Endless {
    std::atomic<bool> begun = false;
    std::atomic<bool> stopped = false;
};
base::Result<int> untilStopped(const std::stop_token &stop, Endless &work)
{
    work.begun = true;
    while (!stop.stop_requested())
        std::this_thread::yield();
    work.stopped = true;
    return 0;
}
} // namespace

class LatestJobs : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        test::failOnWarnings();
        m_bridge =
            std::make_unique<ui::EngineBridge>(service::ServiceOptions{m_folder.filePath(u"runs.db"_s).toStdString(), 1});
    }
    void theWorkRunsElsewhereAndItsAnswerArrivesHere();
    void onlyTheNewestAnswerCounts();
    void cancellingStopsTheWork();
    void aLongWaitIsReported();
    void anExceptionIsAnError();
    void smallWorkRunsAtOnce();
    void nobodyWaitsForADestroyedJob();
    void onlyQuickPlansArePredictedAtOnce();
    void theTimeOfASweepIsMeasuredElsewhere();

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ui::EngineBridge> m_bridge;
};

void LatestJobs::theWorkRunsElsewhereAndItsAnswerArrivesHere()
{
    LatestJob job(m_bridge.get());
    const auto here = std::this_thread::get_id();
    std::optional<bool> ranElsewhere;
    job.start([here](const std::stop_token &) { return base::Result<bool>(std::this_thread::get_id() != here); },
              [&](const base::Result<bool> &answer) {
                  QCOMPARE(std::this_thread::get_id(), here);
                  ranElsewhere = *answer;
              });
    QVERIFY(job.isRunning() && !ranElsewhere);
    QTRY_VERIFY(ranElsewhere);
    QVERIFY(*ranElsewhere && !job.isRunning());
}

void LatestJobs::onlyTheNewestAnswerCounts()
{
    LatestJob job(m_bridge.get());
    std::vector<int> answers;
    for (int i = 0; i < 20; ++i)
        job.start([i](const std::stop_token &) { return base::Result<int>(i); },
                  [&](const base::Result<int> &answer) { answers.push_back(*answer); });
    QTRY_VERIFY(!job.isRunning());
    QCOMPARE(answers, std::vector<int>{19});
}

void LatestJobs::cancellingStopsTheWork()
{
    LatestJob job(m_bridge.get());
    Endless work;
    bool answered = false;
    job.start([&work](const std::stop_token &stop) { return untilStopped(stop, work); },
              [&](const base::Result<int> &) { answered = true; });
    QTRY_VERIFY(work.begun.load());
    job.cancel();
    QVERIFY(!job.isRunning());
    job.start([](const std::stop_token &) { return base::Result<int>(1); }, [](const base::Result<int> &) {});
    QTRY_VERIFY(!job.isRunning());
    QTRY_VERIFY(work.stopped.load());
    QVERIFY(!answered);
}

void LatestJobs::aLongWaitIsReported()
{
    LatestJob job(m_bridge.get());
    Endless work;
    job.start([&work](const std::stop_token &stop) { return untilStopped(stop, work); }, [](const base::Result<int> &) {});
    QVERIFY(job.wait() == LatestJob::Wait::None);
    QTRY_VERIFY(job.wait() == LatestJob::Wait::Noticeable);
    QTRY_VERIFY(job.wait() == LatestJob::Wait::Long);
    job.cancel();
    QVERIFY(job.wait() == LatestJob::Wait::None);
    QTRY_VERIFY(work.stopped.load());
}

void LatestJobs::anExceptionIsAnError()
{
    LatestJob job(m_bridge.get());
    QString text;
    job.start([](const std::stop_token &) -> base::Result<int> { throw std::runtime_error("no memory"); },
              [&](const base::Result<int> &answer) { text = QString::fromStdString(answer.error().text()); });
    QTRY_VERIFY2(text.contains(u"no memory"_s), qPrintable(text));
}

void LatestJobs::smallWorkRunsAtOnce()
{
    LatestJob job(m_bridge.get());
    int answer = 0;
    job.run(
        true, [](const std::stop_token &) { return base::Result<int>(7); },
        [&](const base::Result<int> &given) { answer = *given; });
    QCOMPARE(answer, 7);
    QVERIFY(!job.isRunning());
}

void LatestJobs::nobodyWaitsForADestroyedJob()
{
    Endless work;
    bool answered = false;
    {
        LatestJob job(m_bridge.get());
        job.start([](const std::stop_token &) { return base::Result<int>(1); },
                  [&](const base::Result<int> &) { answered = true; });
    }
    LatestJob other(m_bridge.get());
    other.start([&work](const std::stop_token &stop) { return untilStopped(stop, work); }, [](const base::Result<int> &) {});
    QTRY_VERIFY(work.begun.load());
    QVERIFY(!answered);
    m_bridge.reset(); // ends the work under way
    QVERIFY(work.stopped.load());
}

void LatestJobs::onlyQuickPlansArePredictedAtOnce()
{
    model::Experiment plan;
    plan.parallel.devices = 8;
    plan.parallel.microbatches = 64;
    QVERIFY(ui::isQuick(plan));
    model::Experiment large = plan;
    large.parallel.microbatches = 2048;
    QVERIFY(!ui::isQuick(large));
    model::Experiment search = plan;
    search.schedule.family = model::kAutomaticFamily;
    QVERIFY(!ui::isQuick(search));
    model::Experiment fromFile = plan;
    fromFile.cost.source = model::DurationsFile{"durations.json"};
    QVERIFY(!ui::isQuick(fromFile));
}

void LatestJobs::theTimeOfASweepIsMeasuredElsewhere()
{
    ui::SweepEstimate estimate(m_bridge.get());
    const auto entries = ui::sweepEntries(model::Experiment(), ui::preparedSweep());
    QVERIFY(!estimate.secondsToPredict(entries)); // the window does not wait for it
    QTRY_VERIFY(estimate.secondsToPredict(entries));
    QVERIFY(*estimate.secondsToPredict(entries) > 0);
    QVERIFY(!estimate.secondsToTrain(entries));
    estimate.estimateTraining(entries);
    QTRY_VERIFY_WITH_TIMEOUT(estimate.secondsToTrain(entries), test::kPatience);
}

STAGELENS_TEST(LatestJobs)

} // namespace ui_latest_job

#include "latest_job.moc"
