// Every operation of SQLite on its files fails once, and from then on: no run that was finished is lost, none is called
// finished that is not whole, and what fails is an error.
#include "tests/support/store_samples.h"
#include "tests/support/test_program.h"

#include <sqlite3.h>

#include <cstring>
#include <vector>

namespace integration_store_faults {

using namespace stagelens;
using namespace stagelens::test;

namespace {

/// Which operation fails, and how.
struct Faults {
    long count = 0;
    long at = 0; ///< from 1; 0: none
    bool isForGood = false;
    bool isLock = false; ///< another process holds a lock for a moment; else the disk is full or broken

    /// Whether the operation that begins now fails.
    bool strike(bool ofLock)
    {
        if (ofLock != isLock)
            return false;
        ++count;
        return at > 0 && (isForGood ? count >= at : count == at);
    }
};
Faults g_faults;

/// A file of this VFS; the real one is in the memory behind it.
struct File {
    sqlite3_file base;
    sqlite3_file *real() { return reinterpret_cast<sqlite3_file *>(this + 1); }
    const sqlite3_io_methods &methods() { return *real()->pMethods; }
};
File &fileOf(sqlite3_file *file)
{
    return *reinterpret_cast<File *>(file);
}

constexpr sqlite3_io_methods kMethods{
    .iVersion = 2,
    .xClose = [](sqlite3_file *f) { return fileOf(f).methods().xClose(fileOf(f).real()); },
    .xRead =
        [](sqlite3_file *f, void *to, int count, sqlite3_int64 at) {
            return g_faults.strike(false) ? SQLITE_IOERR_READ : fileOf(f).methods().xRead(fileOf(f).real(), to, count, at);
        },
    .xWrite =
        [](sqlite3_file *f, const void *from, int count, sqlite3_int64 at) {
            if (!g_faults.strike(false))
                return fileOf(f).methods().xWrite(fileOf(f).real(), from, count, at);
            // What fits is written.
            (void)fileOf(f).methods().xWrite(fileOf(f).real(), from, count / 2, at);
            return SQLITE_FULL;
        },
    .xTruncate =
        [](sqlite3_file *f, sqlite3_int64 size) {
            return g_faults.strike(false) ? SQLITE_IOERR_TRUNCATE : fileOf(f).methods().xTruncate(fileOf(f).real(), size);
        },
    .xSync =
        [](sqlite3_file *f, int flags) {
            return g_faults.strike(false) ? SQLITE_IOERR_FSYNC : fileOf(f).methods().xSync(fileOf(f).real(), flags);
        },
    .xFileSize = [](sqlite3_file *f, sqlite3_int64 *size) { return fileOf(f).methods().xFileSize(fileOf(f).real(), size); },
    .xLock = [](sqlite3_file *f,
                int level) { return g_faults.strike(true) ? SQLITE_BUSY : fileOf(f).methods().xLock(fileOf(f).real(), level); },
    .xUnlock = [](sqlite3_file *f, int level) { return fileOf(f).methods().xUnlock(fileOf(f).real(), level); },
    .xCheckReservedLock = [](sqlite3_file *f, int *is) { return fileOf(f).methods().xCheckReservedLock(fileOf(f).real(), is); },
    .xFileControl = [](sqlite3_file *f, int op,
                       void *argument) { return fileOf(f).methods().xFileControl(fileOf(f).real(), op, argument); },
    .xSectorSize = [](sqlite3_file *f) { return fileOf(f).methods().xSectorSize(fileOf(f).real()); },
    .xDeviceCharacteristics = [](sqlite3_file *f) { return fileOf(f).methods().xDeviceCharacteristics(fileOf(f).real()); },
    .xShmMap = [](sqlite3_file *f, int page, int size, int extend,
                  void volatile **memory) { return fileOf(f).methods().xShmMap(fileOf(f).real(), page, size, extend, memory); },
    .xShmLock =
        [](sqlite3_file *f, int offset, int count, int flags) {
            return (flags & SQLITE_SHM_LOCK) != 0 && g_faults.strike(true)
                       ? SQLITE_BUSY
                       : fileOf(f).methods().xShmLock(fileOf(f).real(), offset, count, flags);
        },
    .xShmBarrier = [](sqlite3_file *f) { fileOf(f).methods().xShmBarrier(fileOf(f).real()); },
    .xShmUnmap = [](sqlite3_file *f, int remove) { return fileOf(f).methods().xShmUnmap(fileOf(f).real(), remove); },
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

sqlite3_vfs *g_real = nullptr;

int openFile(sqlite3_vfs *, sqlite3_filename name, sqlite3_file *file, int flags, int *flagsOut)
{
    file->pMethods = nullptr;
    if (g_faults.strike(false))
        return SQLITE_CANTOPEN;
    const int code = g_real->xOpen(g_real, name, fileOf(file).real(), flags, flagsOut);
    if (fileOf(file).real()->pMethods != nullptr)
        file->pMethods = &kMethods;
    return code;
}

int deleteFile(sqlite3_vfs *, const char *name, int syncs)
{
    return g_faults.strike(false) ? SQLITE_IOERR_DELETE : g_real->xDelete(g_real, name, syncs);
}

/// From now on every database of this process is opened through it.
void install()
{
    static sqlite3_vfs vfs;
    g_real = sqlite3_vfs_find(nullptr);
    vfs = *g_real;
    vfs.pNext = nullptr;
    vfs.zName = "faults";
    vfs.szOsFile = static_cast<int>(sizeof(File)) + g_real->szOsFile;
    vfs.xOpen = openFile;
    vfs.xDelete = deleteFile;
    if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK)
        qFatal("the VFS cannot be registered");
}

/// What the work reported.
struct Told {
    RunId run = 0; ///< of the new run; 0: it could not begin
    int steps = 0; ///< that were stored
    bool isFinished = false;
};

/// A run of two steps beside the finished one, which is read and given a name.
Told work(const std::filesystem::path &file)
{
    Told told;
    auto store = RunStore::open(file);
    if (!store)
        return told;
    (void)store->read().list();
    (void)store->read().load(1);
    (void)store->edit().setNote(1, "looked at");
    const auto run = store->edit().begin(sampleExperiment(), Provenance::MeasuredLive, "second", {{"cpu", "one"}});
    if (!run)
        return told;
    told.run = *run;
    for (int step = 0; step < 2 && told.steps == step; ++step)
        told.steps += store->edit().addStep(*run, step, 5.0 - step, 1000, sampleTimeline(), sampleMetrics()).ok() ? 1 : 0;
    told.isFinished = told.steps == 2 && store->edit().setTimeline(*run, sampleTimeline(), sampleMetrics()).ok() &&
                      store->edit().finish(*run, RunStatus::Finished, "").ok();
    return told;
}

} // namespace

class StoreFaults : public StoreTest {
    Q_OBJECT

private slots:
    void initTestCase() { install(); }
    void init() { makeFolder(); }

    void everyOperationFails_data()
    {
        QTest::addColumn<bool>("isForGood");
        QTest::addColumn<bool>("isLock");
        QTest::newRow("a disk that fails once") << false << false;
        QTest::newRow("a disk that is full from then on") << true << false;
        QTest::newRow("a lock of another process") << false << true;
    }
    void everyOperationFails()
    {
        QFETCH(bool, isForGood);
        QFETCH(bool, isLock);
        g_faults = {};
        {
            auto store = open("template.db");
            QCOMPARE(finishedRun(store), RunId{1});
        }
        const store::RunRecord before = *open("template.db").read().load(1);
        g_faults = {.isLock = isLock};
        copyTemplate();
        QVERIFY(work(path()).isFinished);
        const long operations = g_faults.count;
        QVERIFY2(operations > 20, qPrintable(QString::number(operations)));
        const bool isLong = qEnvironmentVariableIsSet("STAGELENS_LONG");
        const long stride = isLong || operations < 60 ? 1 : operations / 60;
        for (long at = 1; at <= operations; at += stride) {
            copyTemplate();
            g_faults = {.at = at, .isForGood = isForGood, .isLock = isLock};
            const Told told = work(path());
            QVERIFY(g_faults.count >= at);
            g_faults = {};
            check(told, before, at);
            if (QTest::currentTestFailed())
                return;
            if (isLock)
                QVERIFY2(told.isFinished, qPrintable(QStringLiteral("lock %1 was not waited for").arg(at)));
        }
        qInfo("%ld operations, every %ld. failed", operations, stride);
    }

private:
    void copyTemplate() const
    {
        for (const char *ending : {"", "-wal", "-shm", "-journal", ".locks"}) {
            std::filesystem::remove(path().string() + ending);
            if (const std::string from = path("template.db").string() + ending; std::filesystem::exists(from))
                std::filesystem::copy_file(from, path().string() + ending);
        }
    }

    void check(const Told &told, const store::RunRecord &before, long at) const
    {
        const QByteArray place = "operation " + QByteArray::number(static_cast<qlonglong>(at));
        auto store = RunStore::open(path());
        QVERIFY2(store, place + ": " + (store ? "" : store.error().text().c_str()));
        const auto report = store->check();
        QVERIFY2(report && report->faults.empty(), place + " damaged the database");
        const auto after = store->read().load(1);
        QVERIFY2(after, place + ": " + (after ? "" : after.error().text().c_str()));
        QVERIFY2(after->losses == before.losses && after->iterations == before.iterations, place);
        QVERIFY2(after->timeline && after->timeline->lanes == before.timeline->lanes, place);
        QVERIFY2(after->summary.status == RunStatus::Finished && after->summary.name == before.summary.name, place);
        if (told.run == 0)
            return;
        const auto second = store->read().load(told.run);
        QVERIFY2(second, place + ": " + (second ? "" : second.error().text().c_str()));
        QVERIFY2(static_cast<int>(second->losses.size()) >= told.steps, place + " lost a stored step");
        if (told.isFinished)
            QVERIFY2(second->summary.status == RunStatus::Finished && second->timeline, place + " lost a finish");
        else if (second->summary.status == RunStatus::Finished) // its end was written, and only then did something fail
            QVERIFY2(second->losses.size() == 2 && second->timeline, place + " finished half a run");
    }
};

STAGELENS_TEST(StoreFaults)

} // namespace integration_store_faults

#include "store_faults.moc"
