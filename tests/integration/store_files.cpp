// What becomes of damaged, foreign, full, read-only and locked run databases.
#include "engine/service/runs/stored_runs.h"
#include "engine/store/migrations.h"
#include "engine/store/own_files.h"
#include "engine/store/removal.h"
#include "tests/support/child_process.h"
#include "tests/support/store_samples.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace integration_store_files {

using namespace stagelens;
using namespace stagelens::test;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(cannot be read)");
}

/// Makes a file with its folders.
bool touch(const std::filesystem::path &file)
{
    std::filesystem::create_directories(file.parent_path());
    return std::ofstream(file).put('x').good();
}

} // namespace

class StoreFiles : public StoreTest {
    Q_OBJECT
private slots:
    void init() { makeFolder(); }

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
        const auto record = store.read().load(run);
        QVERIFY(!record.ok());
        QVERIFY(QString::fromStdString(record.error().text()).contains("timeline is damaged"));
        QCOMPARE(store.read().list()->size(), std::size_t{1});
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
            const auto run =
                store ? store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "large", {}) : store.error();
            if (!run || ::setrlimit(RLIMIT_FSIZE, &limit) != 0)
                return false;
            timeline::Timeline large = sampleTimeline();
            large.transfers.resize(100'000);
            const auto stored = store->edit().setTimeline(*run, large, sampleMetrics());
            if (stored || QString::fromStdString(stored.error().text()).contains("does not accept"))
                return false;
            return store->edit().addStep(*run, 0, 1, 1).ok() && store->read().list().ok(); // the connection remains usable
        });
        QCOMPARE(child.wait(), 0);
        RunStore store = open();
        QVERIFY(store.check()->faults.empty());
        QCOMPARE(statusOf(store, 1), RunStatus::Finished);
        QCOMPARE(statusOf(store, 2), RunStatus::Interrupted);
        QCOMPARE(store.read().load(2)->losses.size(), std::size_t{1});
    }

    void readOnlyDatabasesAreRead_data()
    {
        QTest::addColumn<bool>("isOld");
        QTest::newRow("of today") << false;
        QTest::newRow("of an older schema") << true;
    }
    void readOnlyDatabasesAreRead()
    {
        QFETCH(const bool, isOld);
        {
            RunStore store = open();
            QVERIFY(finishedRun(store) > 0);
        }
        if (isOld)
            execute("DROP TABLE identity; DROP TABLE router; DROP TABLE operator_time; DROP TABLE skipped_step; PRAGMA "
                    "user_version = 4");
        const QByteArray before = contentOf(m_folder->filePath("runs.db"));
        constexpr auto kRead = QFile::ReadOwner | QFile::ReadGroup | QFile::ReadOther;
        constexpr auto kEnter = QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther;
        QVERIFY(QFile::setPermissions(m_folder->filePath("runs.db"), kRead));
        QVERIFY(QFile::setPermissions(m_folder->path(), kRead | kEnter));
        Child child([this](Child &) {
            constexpr uid_t kNobody = 65534;
            if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) // root may write anywhere
                return false;
            const QString folder = refusal(path("new.db"));
            auto store = RunStore::open(path());
            if (!store || !folder.contains("cannot be opened"))
                return false;
            const auto begun = store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
            const auto writable = store::requireWritable(path());
            return store->read().list()->size() == 1 && store->read().load(1)->losses.size() == 3 &&
                   store->check()->faults.empty() && !begun && begun.error().text().find("is read-only") != std::string::npos &&
                   !store->remove(1) && !writable && !store::removeInPlace(path(), 1);
        });
        QCOMPARE(child.wait(), 0);
        QVERIFY(QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QCOMPARE(contentOf(m_folder->filePath("runs.db")), before);
    }

    /// In a file system of 1 MiB that is filled to its last block.
    void aRunIsDeletedOnAFullDisk()
    {
        const std::filesystem::path disk = path("disk");
        std::filesystem::create_directory(disk);
        Child child([&](Child &) {
            if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
                ::_exit(77);
            const auto file = disk / "runs.db";
            {
                auto store = RunStore::open(file);
                timeline::Timeline large = sampleTimeline();
                large.transfers.resize(10'000, {0, 1, 0, 0, -1, schedule::Transfer::Send});
                const auto run = store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "large", {});
                if (!run || !store->edit().setTimeline(*run, large, sampleMetrics()) ||
                    !store->edit().finish(*run, RunStatus::Finished, "") || finishedRun(*store) != 2 ||
                    !store->checkpoints().make(1))
                    return false;
            }
            std::ofstream fill(disk / "fill", std::ios::binary);
            while (fill.put('x').flush())
                ;
            const auto before = std::filesystem::file_size(file);
            auto store = RunStore::open(file);
            if (!store || store->read().list()->size() != 2 || store->read().load(1)->losses.size() != 0 ||
                !store->check()->faults.empty())
                return false;
            if (store->remove(1)) // a transaction has no room
                return false;
            store = RunStore::open(disk / "none.db"); // lets go of the file
            if (const auto removed = service::StoredRuns(file).remove(1); !removed)
                qWarning("%s", removed.error().text().c_str());
            store = RunStore::open(file);
            return store && store->read().list()->size() == 1 && std::filesystem::file_size(file) < before &&
                   !std::filesystem::exists(disk / "runs.db.checkpoints" / "run-1");
        });
        const int status = child.wait();
        if (status == 77)
            QSKIP("this test may not mount a file system");
        QCOMPARE(status, 0);
    }

    void openingAwaitsAnotherWhoIsStillMakingIt()
    {
        {
            RunStore store = open();
            QVERIFY(finishedRun(store) > 0);
        }
        execute("PRAGMA journal_mode = DELETE"); // as it is before the first opening has come to its end
        auto other = store::Database::open(path());
        QVERIFY(other.ok());
        auto writing = store::Transaction::begin(*other);
        QVERIFY(writing.ok());
        std::jthread release([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            (void)writing->commit();
        });
        RunStore store = open();
        QCOMPARE(store.read().list()->size(), std::size_t{1});
    }

    void lockedDatabaseIsSaidToBe()
    {
        RunStore store = open();
        auto other = store::Database::open(path());
        QVERIFY(other->execute("BEGIN IMMEDIATE").ok());
        const auto answer = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(!answer.ok());
        QVERIFY(QString::fromStdString(answer.error().text()).contains("is being used by another process"));
        QVERIFY(other->execute("ROLLBACK").ok());
        QVERIFY(store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {}).ok());
    }

    void checkpointsOfAnotherDatabaseAreSetAside()
    {
        const auto folder = path("runs.db.checkpoints") / "run-1";
        {
            RunStore store = open();
            QCOMPARE(finishedRun(store), RunId{1});
            QVERIFY(store.checkpoints().make(1).ok() && touch(folder / "step-2" / "parameters.safetensors"));
            QVERIFY(store.checkpoints().requireOurs(1).ok());
        }
        std::filesystem::rename(path(), path("moved.db"));
        RunStore store = open();
        const auto refused = store.checkpoints().requireOurs(1);
        QVERIFY(!refused.ok() && refused.error().text().find("another database") != std::string::npos);
        QCOMPARE(finishedRun(store), RunId{1});
        QVERIFY(!std::filesystem::exists(folder));
        QVERIFY(std::filesystem::exists(folder.string() + ".aside-1/step-2/parameters.safetensors"));
        // And where they come back, they stay.
        std::filesystem::rename(folder.string() + ".aside-1", folder);
        QVERIFY(store.remove(1).ok());
        QVERIFY(std::filesystem::exists(folder / "step-2" / "parameters.safetensors"));
        QCOMPARE(finishedRun(store), RunId{2});
        QVERIFY(store.checkpoints().make(2).ok());
        QVERIFY(store.remove(2).ok());
        QVERIFY(!std::filesystem::exists(path("runs.db.checkpoints") / "run-2"));
    }

    void checkpointsOfAnOlderSchemaAreOurs()
    {
        const auto folder = path("runs.db.checkpoints") / "run-1";
        {
            RunStore store = open();
            QCOMPARE(finishedRun(store), RunId{1});
        }
        execute("DROP TABLE identity; DROP TABLE router; DROP TABLE operator_time; DROP TABLE skipped_step; PRAGMA "
                "user_version = 4");
        QVERIFY(touch(folder / "step-2" / "parameters.safetensors"));
        RunStore store = open();
        QVERIFY(store.checkpoints().requireOurs(1).ok());
        QVERIFY(store.remove(1).ok());
        QVERIFY(!std::filesystem::exists(folder));
    }

    void orphanCheckpointsAreRemoved()
    {
        const auto folder = [this](int run) { return path("runs.db.checkpoints") / ("run-" + std::to_string(run)); };
        RunStore writer = open();
        for (int run = 1; run <= 3; ++run) {
            QVERIFY(run == 3 ? writer.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {}).ok()
                             : finishedRun(writer) > 0);
            QVERIFY(writer.checkpoints().make(run).ok());
            QVERIFY(touch(folder(run) / "part-4" / "parameters.safetensors") && touch(folder(run) / "step-2" / "x"));
        }
        QVERIFY(writer.checkpoints().make(9).ok()); // of a later state of the database, which a backup replaced
        QVERIFY(touch(folder(5) / "step-2" / "x")); // nobody knows whose
        execute("DELETE FROM run WHERE id = 2");    // a deletion that came no further
        RunStore store = open();
        QVERIFY(std::filesystem::exists(folder(1) / "step-2") && !std::filesystem::exists(folder(1) / "part-4"));
        QVERIFY(!std::filesystem::exists(folder(2)));
        QVERIFY(std::filesystem::exists(folder(3) / "part-4")); // still being written
        QVERIFY(std::filesystem::exists(folder(5) / "step-2" / "x") && std::filesystem::exists(folder(9)));
    }

    void aSymbolicLinkLeadsToTheSameFolders()
    {
        std::filesystem::create_directory(path("elsewhere"));
        std::filesystem::create_symlink("elsewhere/runs.db", path("link.db")); // whose target is not there yet
        RunStore writer = open("link.db");
        QVERIFY(writer.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {}).ok());
        QVERIFY(writer.checkpoints().make(1).ok());
        QVERIFY(std::filesystem::exists(path("elsewhere/runs.db.checkpoints/run-1")));
        {
            auto database = store::Database::open(path("link.db"));
            QVERIFY(database->execute("UPDATE run SET pid = 1, process_start = 1").ok()); // the lock alone shows it
        }
        RunStore direct = open("elsewhere/runs.db");
        QCOMPARE(statusOf(direct, 1), RunStatus::Running);
        QVERIFY(direct.checkpoints().requireOurs(1).ok());
        QVERIFY(!std::filesystem::exists(path("link.db.locks")) && !std::filesystem::exists(path("link.db.checkpoints")));
    }

    /// Views and triggers of a hostile file never run, and a check names them.
    void foreignObjectsOfTheSchemaAreReported()
    {
        {
            RunStore store = open();
            QCOMPARE(finishedRun(store), RunId{1});
            QVERIFY(store.check()->faults.empty() && store.check()->hints.empty());
        }
        execute("CREATE TRIGGER grow AFTER UPDATE ON run BEGIN INSERT INTO tag VALUES (new.id, 'triggered'); END;"
                "ALTER TABLE tag RENAME TO tags;"
                "CREATE VIEW tag AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                " SELECT i AS run, '' AS tag FROM n;"
                "CREATE INDEX mine ON run (pid)");
        RunStore store = open();
        QVERIFY(!store.read().load(1).ok()); // at once
        QVERIFY(store.edit().rename(1, "new").ok());
        const auto report = store.check();
        QVERIFY(report.ok());
        const auto reports = [](const std::vector<std::string> &lines, const char *text) {
            return std::ranges::any_of(lines, [&](const std::string &line) { return line.find(text) != std::string::npos; });
        };
        QVERIFY(reports(report->faults, "the trigger grow is not of Stagelens"));
        QVERIFY(reports(report->faults, "the table tag is not as Stagelens makes it"));
        QVERIFY(reports(report->hints, "the index mine is not of Stagelens"));
    }

    void queriesHaveABound()
    {
        auto database = store::Database::open(path());
        const auto endless =
            database->queryInteger("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
        QVERIFY(!endless.ok() && endless.error().text().find("takes longer to read") != std::string::npos);
        QCOMPARE(*database->queryInteger("SELECT 7"), std::int64_t{7});
    }

    void aTimelineOfAnotherPlanIsRefused()
    {
        RunStore store = open();
        const auto storeAs = [&](const timeline::Timeline &timeline, const simulate::Metrics &metrics) {
            const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
            const bool good = store.edit().addStep(*run, 0, 1, 1, timeline, metrics).ok() &&
                              store.edit().setTimeline(*run, timeline, metrics).ok() &&
                              store.edit().finish(*run, RunStatus::Finished, "").ok();
            return good ? *run : 0;
        };
        timeline::Timeline fewer = sampleTimeline();
        fewer.lanes.pop_back();
        fewer.stages.pop_back();
        timeline::Timeline later = sampleTimeline();
        later.lanes[1].pass[3].microbatch = 16;
        timeline::Timeline elsewhere = sampleTimeline();
        elsewhere.lanes[1].pass[3].stage = 4;
        simulate::Metrics longer = sampleMetrics();
        longer.peakMemory.push_back(1);
        const std::vector<RunId> runs{storeAs(fewer, sampleMetrics()), storeAs(later, sampleMetrics()),
                                      storeAs(elsewhere, sampleMetrics()), storeAs(sampleTimeline(), longer)};
        for (const RunId run : runs) {
            QVERIFY(run > 0);
            const auto loaded = store.read().load(run);
            QVERIFY2(!loaded.ok() && loaded.error().text().find("does not fit together") != std::string::npos, "refused");
        }
        const auto report = store.check();
        QCOMPARE(report->faults.size(), std::size_t{7}); // and the steps of the three timelines
    }

    void outputsAreNoFilesOfTheDatabase()
    {
        {
            RunStore store = open();
        }
        std::filesystem::create_symlink("runs.db", path("link.db"));
        std::filesystem::create_hard_link(path(), path("hard.db"));
        for (const char *name : {"runs.db", "link.db", "hard.db", "runs.db-wal", "runs.db.locks", "runs.db.bak-v4",
                                 "runs.db.checkpoints/run-1/step-2/parameters.safetensors"}) {
            QVERIFY2(!store::requireForeign(path(name), path()).ok(), name);
            QVERIFY2(!store::requireForeign(path(name), path("link.db")).ok(), name);
        }
        for (const char *name : {"other.db", "runs.json", "runs.db.png", "folder/runs.db"})
            QVERIFY2(store::requireForeign(path(name), path()).ok(), name);
    }

    void defaultFileIsInTheDataFolder()
    {
        QCOMPARE(RunStore::defaultFile(), path("data") / "runs.db");
        QVERIFY(RunStore::open(RunStore::defaultFile()).ok()); // the folder is made
        QVERIFY(QFile::exists(m_folder->filePath("data/runs.db")));
    }
};

STAGELENS_TEST(StoreFiles)

} // namespace integration_store_files

#include "store_files.moc"
