// The run database as a whole: what is kept, what is refused, and what other processes may do to it.
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stagelens;
using store::RunId;
using store::RunStatus;
using store::RunStore;
using timeline::Provenance;

namespace {

model::Experiment sampleExperiment()
{
    model::Experiment experiment;
    experiment.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    experiment.parallel.stageLayers = {2, 2, 2, 2};
    experiment.training.steps = 5;
    experiment.training.data = "naïve \"data\".txt";
    return experiment;
}

timeline::Timeline sampleTimeline(base::Nanos scale = 100)
{
    timeline::Timeline timeline;
    timeline.provenance = Provenance::MeasuredLive;
    for (int device = 0; device < 4; ++device) {
        timeline::Lane lane;
        for (int microbatch = 0; microbatch < 16; ++microbatch) {
            lane.begin.push_back((microbatch + device) * scale);
            lane.end.push_back((microbatch + device + 1) * scale);
            lane.pass.push_back(schedule::makePass(schedule::PassKind::F, device, microbatch));
        }
        timeline.lanes.push_back(std::move(lane));
        timeline.stages.push_back({device});
    }
    return timeline;
}

simulate::Metrics sampleMetrics()
{
    simulate::Metrics metrics;
    metrics.makespan = 1900;
    metrics.iteration = 2000;
    metrics.bubbleRatio = 0.25;
    metrics.bubbleRatioPerDevice = {0.1, 0.2, 0.3, 0.4};
    metrics.busyPerDevice = {1600, 1600, 1600, 1600};
    metrics.tokensPerSecond = 1234.5678901234567;
    metrics.peakMemory = {10, 30, 20, 5};
    metrics.peakMemoryByCategory = {{1, 2, 3, 4, 5, 6, 7}};
    metrics.peakActivationMicrobatches = {4, 3, 2, 1};
    return metrics;
}

/// Runs `work` in a process of its own. Its pipe says "ready" to us; it then waits for our word or its end.
class Child {
public:
    using Work = std::function<bool(Child &)>;
    explicit Child(const Work &work)
    {
        if (::pipe(m_toParent.data()) != 0 || ::pipe(m_toChild.data()) != 0)
            qFatal("no pipe");
        m_pid = ::fork();
        if (m_pid == 0) {
            ::alarm(60); // never outlives a test that failed
            ::close(m_toChild[1]);
            ::_exit(work(*this) ? 0 : 1);
        }
        ::close(m_toParent[1]);
        ::close(m_toChild[0]);
    }
    ~Child()
    {
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            wait();
        }
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    // In the child:
    void sayReady() const { (void)!::write(m_toParent[1], "r", 1); }
    void awaitWord() const
    {
        char word = 0;
        (void)!::read(m_toChild[0], &word, 1);
    }
    // In the parent:
    bool awaitReady() const
    {
        char word = 0;
        return ::read(m_toParent[0], &word, 1) == 1;
    }
    void goOn() const { (void)!::write(m_toChild[1], "g", 1); }
    void kill() const { ::kill(m_pid, SIGKILL); }
    /// The exit status, or -1 if it was killed.
    int wait()
    {
        int status = 0;
        ::waitpid(m_pid, &status, 0);
        m_pid = -1;
        ::close(m_toParent[0]);
        ::close(m_toChild[1]);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t m_pid = -1;
    std::array<int, 2> m_toParent{};
    std::array<int, 2> m_toChild{};
};

RunStatus statusOf(RunStore &store, RunId run)
{
    const auto runs = store.list();
    if (runs)
        for (const store::RunSummary &summary : *runs)
            if (summary.id == run)
                return summary.status;
    qFatal("run %lld is not listed", static_cast<long long>(run));
}

/// A finished run of three steps.
RunId finishedRun(RunStore &store)
{
    const auto run = store.begin(sampleExperiment(), Provenance::MeasuredLive, "finished", {});
    if (!run)
        return 0;
    bool good = true;
    for (int step = 0; step < 3; ++step)
        good = good && store.addStep(*run, step, 9.0 - step, 1000 + step).ok();
    good = good && store.setTimeline(*run, sampleTimeline(), sampleMetrics()).ok();
    return good && store.finish(*run, RunStatus::Finished, "").ok() ? *run : 0;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(cannot be read)");
}

} // namespace

class StoreRuns : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] std::filesystem::path path(const char *name = "runs.db") const
    {
        return m_folder->filePath(name).toStdString();
    }
    [[nodiscard]] RunStore open(const char *name = "runs.db") const
    {
        auto opened = RunStore::open(path(name));
        if (!opened)
            qFatal("%s", opened.error().text().c_str());
        return *std::move(opened);
    }
    [[nodiscard]] QString refusal(const std::filesystem::path &file) const
    {
        const auto opened = RunStore::open(file);
        return opened ? "accepted" : QString::fromStdString(opened.error().text());
    }
    void execute(const char *sql) const
    {
        auto database = store::Database::open(path());
        QVERIFY(database.ok());
        const auto done = database->execute(sql);
        QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder->filePath("data").toUtf8());
    }

    void runComesBackAsItWas()
    {
        RunId id = 0;
        const std::map<std::string, std::string> environment{{"cpu", "Test 9000"}, {"host", "hôte"}};
        {
            RunStore store = open();
            const auto run = store.begin(sampleExperiment(), Provenance::MeasuredLive, "my run", environment);
            QVERIFY(run.ok());
            id = *run;
            const std::array<base::Nanos, 5> times{9000, 8000, 300, 100, 200};
            for (int step = 0; step < 5; ++step)
                QVERIFY(store.addStep(id, step, 9.0 - step / 3.0, times[static_cast<std::size_t>(step)]).ok());
            QVERIFY(store.setTimeline(id, sampleTimeline(1), {}).ok());
            QVERIFY(store.setTimeline(id, sampleTimeline(), sampleMetrics()).ok());
            QVERIFY(store.setTags(id, {"zeta", " alpha ", "", "zeta"}).ok());
            QVERIFY(store.finish(id, RunStatus::Finished, "").ok());
        }
        RunStore store = open();
        const auto record = store.load(id);
        QVERIFY2(record.ok(), record.ok() ? "" : record.error().text().c_str());
        QVERIFY(record->experiment == sampleExperiment());
        QVERIFY(record->environment == environment);
        QVERIFY(record->losses == (std::vector<double>{9.0, 9.0 - 1 / 3.0, 9.0 - 2 / 3.0, 8.0, 9.0 - 4 / 3.0}));
        QVERIFY(record->iterations == (std::vector<base::Nanos>{9000, 8000, 300, 100, 200}));
        QVERIFY(record->timeline && *record->timeline == sampleTimeline());
        QVERIFY(record->metrics.has_value());
        QCOMPARE(record->metrics->tokensPerSecond, sampleMetrics().tokensPerSecond);
        QVERIFY(record->metrics->peakMemoryByCategory == sampleMetrics().peakMemoryByCategory);
        QVERIFY(record->metrics->bubbleRatioPerDevice == sampleMetrics().bubbleRatioPerDevice);
        QVERIFY(!record->metrics->mfu && !record->metrics->lowerBound);

        const auto runs = store.list();
        QVERIFY(runs.ok());
        QCOMPARE(runs->size(), std::size_t{1});
        const store::RunSummary &summary = runs->front();
        QCOMPARE(summary.name, std::string("my run"));
        QCOMPARE(summary.status, RunStatus::Finished);
        QCOMPARE(summary.kind, Provenance::MeasuredLive);
        QCOMPARE(summary.vocabulary, model::VocabularyMethod::Vocab2);
        QCOMPARE(summary.stepsDone, 5);
        QCOMPARE(summary.stepsPlanned, 5);
        QCOMPARE(summary.iteration, std::optional<base::Nanos>(200)); // the first two apart
        QCOMPARE(summary.firstLoss, std::optional<double>(9.0));
        QCOMPARE(summary.bubbleRatio, std::optional<double>(0.25));
        QCOMPARE(summary.peakMemory, std::optional<base::Bytes>(30));
        QVERIFY(summary.tags == (std::vector<std::string>{"alpha", "zeta"}));
        QVERIFY(summary.startedUnixMs > 1'500'000'000'000);
        QVERIFY(store.check()->faults.empty());
        QCOMPARE(store.check()->schemaVersion, 3);
    }

    void stepsAreLoadedByTheirNumber()
    {
        RunStore store = open();
        const auto run = store.begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(run.ok());
        simulate::Metrics metrics = sampleMetrics();
        for (int step = 0; step < 3; ++step) {
            metrics.makespan = 100 * (step + 1);
            QVERIFY(store.addStep(*run, step, 9.0, metrics.makespan, sampleTimeline(step + 1), metrics).ok());
        }
        QVERIFY(store.addStep(*run, 3, 9.0, 400).ok()); // its timeline is not kept
        QVERIFY(store.setTimeline(*run, sampleTimeline(), sampleMetrics()).ok());
        QVERIFY(store.finish(*run, RunStatus::Finished, "").ok());

        const auto second = store.load(*run, 1);
        QVERIFY(second.ok());
        QVERIFY(*second->timeline == sampleTimeline(2));
        QCOMPARE(second->metrics->makespan, base::Nanos{200});
        QCOMPARE(second->losses.size(), std::size_t{4});
        QVERIFY(*store.load(*run)->timeline == sampleTimeline());
        for (const int absent : {3, 99, -1}) {
            const auto refused = store.load(*run, absent);
            QVERIFY(!refused.ok());
            QCOMPARE(refused.error().kind, base::ErrorKind::InvalidInput);
            QVERIFY(refused.error().text().find("steps 0 to 2") != std::string::npos);
        }
        QVERIFY(store.check()->faults.empty());
        {
            auto database = store::Database::open(path());
            QVERIFY(database->execute("UPDATE step_timeline SET data = x'00' WHERE step = 2").ok());
        }
        const auto report = store.check();
        QCOMPARE(report->faults.size(), std::size_t{1});
        QVERIFY(report->faults[0].find("step 2") != std::string::npos);
    }

    void aRunWithoutStepsAndWithoutNumbers()
    {
        RunStore store = open();
        const auto run = store.begin(sampleExperiment(), Provenance::MeasuredVirtualClock, "", {});
        QVERIFY(run.ok());
        QVERIFY(store.addStep(*run, 0, std::numeric_limits<double>::quiet_NaN(), 5).ok());
        QCOMPARE(store.list()->front().stepsDone, 1); // a running run's figures are up to date
        QVERIFY(store.finish(*run, RunStatus::Failed, "loss is not finite").ok());
        const auto record = store.load(*run);
        QVERIFY(record.ok());
        QVERIFY(std::isnan(record->losses.at(0)));
        QVERIFY(!record->timeline && !record->metrics && !record->summary.firstLoss);
        QCOMPARE(record->summary.kind, Provenance::MeasuredVirtualClock);
        QCOMPARE(record->summary.reason, std::string("loss is not finite"));
    }

    void changesOfARun()
    {
        RunStore store = open();
        const RunId run = finishedRun(store);
        QVERIFY(store.rename(run, "Zoë's").ok());
        QCOMPARE(store.list()->front().name, std::string("Zoë's"));
        for (const auto &answer :
             {store.rename(99, "x"), store.setTags(99, {}), store.remove(99), store.finish(99, RunStatus::Failed, ""),
              store.addStep(99, 0, 1, 1), store.setTimeline(99, sampleTimeline(), sampleMetrics())})
            QVERIFY(!answer.ok());
        QVERIFY(QString::fromStdString(store.load(99).error().text()).contains("no run 99"));
        QVERIFY(!store.addStep(run, 0, 1, 1).ok()); // that step is there
        const auto running = store.begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(QString::fromStdString(store.remove(*running).error().text()).contains("stop that run first"));
        QVERIFY(store.finish(*running, RunStatus::Cancelled, "").ok());
        QVERIFY(store.remove(*running).ok());
        QVERIFY(store.remove(run).ok());
        QVERIFY(store.list()->empty());
        auto database = store::Database::open(path());
        QCOMPARE(*database->queryInteger("SELECT (SELECT count(*) FROM step) + (SELECT count(*) FROM timeline) +"
                                         " (SELECT count(*) FROM metrics) + (SELECT count(*) FROM environment) +"
                                         " (SELECT count(*) FROM step_timeline)"),
                 0);
        const auto next = store.begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(*next > *running); // numbers are never used again
    }

    void killedRunIsInterrupted()
    {
        RunId first = 0;
        {
            RunStore store = open();
            first = finishedRun(store);
        }
        Child child([this](Child &self) {
            auto store = RunStore::open(path());
            const auto run = store ? store->begin(sampleExperiment(), Provenance::MeasuredLive, "doomed", {}) : store.error();
            for (int step = 0; run && step < 1'000'000; ++step) {
                if (!store->addStep(*run, step, 5, 100) || !store->setTimeline(*run, sampleTimeline(), sampleMetrics()))
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
        QVERIFY(store.load(first).ok());
        const auto doomed = store.load(first + 1);
        QVERIFY(doomed.ok());
        QVERIFY(doomed->summary.stepsDone >= 6 && doomed->timeline);
        QVERIFY(!doomed->summary.reason.empty());
        QVERIFY(store.remove(first + 1).ok());
    }

    void liveRunOfAnotherProcessStaysRunning()
    {
        Child child([this](Child &self) {
            auto store = RunStore::open(path());
            const auto run = store ? store->begin(sampleExperiment(), Provenance::MeasuredLive, "theirs", {}) : store.error();
            self.sayReady();
            self.awaitWord();
            return run && store->addStep(*run, 0, 7, 70) && store->finish(*run, RunStatus::Finished, "");
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
        const auto run = writer.begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
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
            QVERIFY(store.begin(sampleExperiment(), Provenance::MeasuredLive, "", {}).ok());
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
        QCOMPARE(store.list()->size(), std::size_t{4});
        QVERIFY(store.check()->faults.empty());
    }

    void newerDatabaseIsRefusedUnchanged()
    {
        {
            RunStore store = open();
            QVERIFY(finishedRun(store) > 0);
        }
        execute("PRAGMA user_version = 999");
        const QByteArray before = contentOf(m_folder->filePath("runs.db"));
        const QStringList files = QDir(m_folder->path()).entryList(QDir::Files);
        QVERIFY(refusal(path()).contains("schema version 999, made by a newer Stagelens"));
        QVERIFY(contentOf(m_folder->filePath("runs.db")) == before);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), files);
    }

    void otherFilesAreRefusedUnchanged()
    {
        const auto write = [&](const QByteArray &content) {
            QFile file(m_folder->filePath("f.db"));
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        for (const QByteArray &content : {QByteArray("hello"), QByteArray("word ").repeated(1000), QByteArray(4096, '\0'),
                                          QByteArray("SQLite format 3\0", 16) + QByteArray(500, 'x')}) {
            QVERIFY(write(content));
            QVERIFY2(refusal(path("f.db")).contains("is not a database of Stagelens"), qPrintable(refusal(path("f.db"))));
            QCOMPARE(contentOf(m_folder->filePath("f.db")), content);
        }
        {
            auto foreign = store::Database::open(path("foreign.db"));
            QVERIFY(foreign->execute("CREATE TABLE theirs (i INTEGER)").ok());
        }
        const QByteArray before = contentOf(m_folder->filePath("foreign.db"));
        QVERIFY(refusal(path("foreign.db")).contains("is not a database of Stagelens"));
        QCOMPARE(contentOf(m_folder->filePath("foreign.db")), before);
        QVERIFY(refusal(m_folder->path().toStdString()).contains("is a folder"));
        QVERIFY(refusal(path("no/folder/runs.db")).contains("cannot be opened"));
        QVERIFY(refusal("").contains("names no file"));
        QVERIFY(refusal("/dev/zero").contains("not a regular file"));
        QVERIFY(write("")); // an empty file becomes a database
        QCOMPARE(refusal(path("f.db")), QString("accepted"));
    }

    void damagedPagesAreReported()
    {
        {
            RunStore store = open();
            for (int i = 0; i < 20; ++i)
                QVERIFY(finishedRun(store) > 0);
        }
        QFile file(m_folder->filePath("runs.db"));
        QVERIFY(file.open(QIODevice::ReadWrite));
        for (qint64 page = 3; page * 4096 < file.size(); page += 2)
            QVERIFY(file.seek(page * 4096) && file.write(QByteArray(1000, '\xa5')) == 1000);
        file.close();
        auto opened = RunStore::open(path());
        if (!opened) {
            QVERIFY(QString::fromStdString(opened.error().text()).contains("damaged"));
            return;
        }
        const auto report = opened->check();
        QVERIFY(report.ok());
        QVERIFY(!report->faults.empty() && !report->hints.empty());
    }

    void damagedTimelineIsRefused()
    {
        RunId run = 0;
        {
            RunStore store = open();
            run = finishedRun(store);
        }
        execute("UPDATE timeline SET data = CAST(substr(data, 1, 100) || x'ff' || substr(data, 102) AS BLOB)");
        RunStore store = open();
        const auto record = store.load(run);
        QVERIFY(!record.ok());
        QVERIFY(QString::fromStdString(record.error().text()).contains("timeline is damaged"));
        QCOMPARE(store.list()->size(), std::size_t{1});
        const auto report = store.check();
        QVERIFY(report.ok());
        QCOMPARE(report->faults.size(), std::size_t{1});
        QVERIFY(store.remove(run).ok());
        QVERIFY(store.check()->faults.empty());
    }

    /// Beyond the limit a write fails as it does on a full disk.
    void fullDiskKeepsWhatIsThere()
    {
        {
            RunStore store = open();
            QVERIFY(finishedRun(store) > 0);
        }
        Child child([this](Child &) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{200'000, 200'000};
            auto store = RunStore::open(path());
            const auto run = store ? store->begin(sampleExperiment(), Provenance::MeasuredLive, "large", {}) : store.error();
            if (!run || ::setrlimit(RLIMIT_FSIZE, &limit) != 0)
                return false;
            timeline::Timeline large = sampleTimeline();
            large.transfers.resize(100'000);
            const auto stored = store->setTimeline(*run, large, sampleMetrics());
            if (stored || QString::fromStdString(stored.error().text()).contains("does not accept"))
                return false;
            return store->addStep(*run, 0, 1, 1).ok() && store->list().ok(); // the connection goes on
        });
        QCOMPARE(child.wait(), 0);
        RunStore store = open();
        QVERIFY(store.check()->faults.empty());
        QCOMPARE(statusOf(store, 1), RunStatus::Finished);
        QCOMPARE(statusOf(store, 2), RunStatus::Interrupted);
        QCOMPARE(store.load(2)->losses.size(), std::size_t{1});
    }

    void readOnlyPlaceIsSaidToBe()
    {
        {
            RunStore store = open();
            QVERIFY(finishedRun(store) > 0);
        }
        const QByteArray before = contentOf(m_folder->filePath("runs.db"));
        constexpr auto kRead = QFile::ReadOwner | QFile::ReadGroup | QFile::ReadOther;
        constexpr auto kEnter = QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther;
        QVERIFY(QFile::setPermissions(m_folder->filePath("runs.db"), kRead));
        QVERIFY(QFile::setPermissions(m_folder->path(), kRead | kEnter));
        Child child([this](Child &) {
            constexpr uid_t kNobody = 65534;
            if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) // root may write anywhere
                return false;
            const QString file = refusal(path());
            const QString folder = refusal(path("new.db"));
            if (!file.contains("is read-only") || !folder.contains("cannot be opened"))
                qWarning("%s\n%s", qPrintable(file), qPrintable(folder));
            return file.contains("is read-only") && folder.contains("cannot be opened");
        });
        QCOMPARE(child.wait(), 0);
        QVERIFY(QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QCOMPARE(contentOf(m_folder->filePath("runs.db")), before);
    }

    void lockedDatabaseIsSaidToBe()
    {
        RunStore store = open();
        auto other = store::Database::open(path());
        QVERIFY(other->execute("BEGIN IMMEDIATE").ok());
        const auto answer = store.begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(!answer.ok());
        QVERIFY(QString::fromStdString(answer.error().text()).contains("locked by another program"));
        QVERIFY(other->execute("ROLLBACK").ok());
        QVERIFY(store.begin(sampleExperiment(), Provenance::MeasuredLive, "", {}).ok());
    }

    void defaultFileIsInTheDataFolder()
    {
        QCOMPARE(RunStore::defaultFile(), path("data") / "runs.db");
        QVERIFY(RunStore::open(RunStore::defaultFile()).ok()); // the folder is made
        QVERIFY(QFile::exists(m_folder->filePath("data/runs.db")));
    }
};

QTEST_GUILESS_MAIN(StoreRuns)
#include "store_runs.moc"
