// The wrapper around SQLite: values, errors in words, transactions and migrations.
#include "engine/store/sqlite.h"
#include "engine/store/migrations.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace unit_store_sqlite {

using namespace stagelens;
using store::Database;
using store::Migration;
using store::Transaction;

class StoreSqlite : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] std::filesystem::path path(const char *name) const { return m_folder->filePath(name).toStdString(); }
    Database open(const char *name) const
    {
        auto database = Database::open(path(name));
        if (!database)
            qFatal("%s", database.error().text().c_str());
        return *std::move(database);
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void valuesComeBack()
    {
        Database database = open("a.db");
        QVERIFY(database.execute("CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB, n INTEGER) STRICT").ok());
        auto insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?)");
        QVERIFY(insert.ok());
        const std::string bytes("\0\1\2", 3);
        insert->bind(std::int64_t{1} << 62).bind(0.1).bind(std::string_view("τ")).bindBlob(bytes).bind(std::optional<double>());
        QVERIFY(insert->run().ok());
        insert->reset();
        insert->bind(std::int64_t{2}).bind(1.0).bind(std::string_view()).bindBlob({}).bindNull();
        QVERIFY(insert->run().ok());
        auto select = database.prepare("SELECT i, r, s, b, n FROM t ORDER BY i DESC");
        QVERIFY(select.ok() && *select->step());
        QCOMPARE(select->integer(0), std::int64_t{1} << 62);
        QCOMPARE(select->real(1), 0.1);
        QCOMPARE(select->text(2), std::string("τ"));
        QCOMPARE(select->text(3), bytes);
        QVERIFY(!select->optionalReal(4) && !select->optionalInteger(4));
        QVERIFY(*select->step());
        QVERIFY(select->text(2).empty() && !select->isNull(2) && !select->isNull(3));
        QVERIFY(!*select->step());
    }

    void errorsSayWhatToDo()
    {
        Database database = open("a.db");
        QVERIFY(!database.prepare("SELEC").ok());
        QVERIFY(!database.execute("INSERT INTO nowhere VALUES (1)").ok());
        QFile text(m_folder->filePath("text.db"));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("these are only words, but quite a few of them") > 0);
        text.close();
        Database words = open("text.db");
        const auto version = words.queryInteger("PRAGMA user_version");
        QVERIFY(!version.ok());
        QVERIFY(version.error().text().find("not a database of Stagelens") != std::string::npos);
        const auto absent = Database::open(path("no/such/folder/a.db"));
        QVERIFY(!absent.ok());
        QVERIFY(absent.error().text().find("cannot be opened") != std::string::npos);
    }

    void transactionIsRolledBack()
    {
        Database database = open("a.db");
        QVERIFY(database.execute("CREATE TABLE t (i INTEGER) STRICT").ok());
        {
            const auto transaction = Transaction::begin(database);
            QVERIFY(transaction.ok());
            QVERIFY(database.execute("INSERT INTO t VALUES (1)").ok());
        }
        QCOMPARE(*database.queryInteger("SELECT count(*) FROM t"), 0);
        {
            auto transaction = Transaction::begin(database);
            QVERIFY(database.execute("INSERT INTO t VALUES (1)").ok());
            QVERIFY(transaction->commit().ok());
        }
        QCOMPARE(*database.queryInteger("SELECT count(*) FROM t"), 1);
    }

    void fullDiskLosesNothing()
    {
        Database database = open("a.db");
        QVERIFY(database.execute("CREATE TABLE t (b BLOB) STRICT; INSERT INTO t VALUES (x'01')").ok());
        QVERIFY(database.execute("PRAGMA max_page_count = 4").ok());
        {
            const auto transaction = Transaction::begin(database);
            const auto full = database.execute("INSERT INTO t VALUES (zeroblob(100000))");
            QVERIFY(!full.ok());
            QVERIFY(full.error().text().find("disk is full") != std::string::npos);
        }
        QVERIFY(!database.inTransaction());
        QCOMPARE(*database.queryInteger("SELECT count(*) FROM t"), 1);
        QCOMPARE(*database.queryInteger("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    }

    void migratesStepByStep()
    {
        const std::vector<Migration> first{{"0001", "CREATE TABLE a (i INTEGER) STRICT;"}};
        std::vector<Migration> both = first;
        both.push_back({"0002", "ALTER TABLE a ADD COLUMN j INTEGER NOT NULL DEFAULT 5;"});
        {
            Database database = open("a.db");
            QVERIFY(migrate(database, first).ok());
            QVERIFY(database.execute("INSERT INTO a VALUES (1)").ok());
            QVERIFY(!std::filesystem::exists(path("a.db.bak-v0"))); // there was nothing to keep
        }
        {
            Database database = open("a.db");
            QVERIFY(migrate(database, both).ok());
            QCOMPARE(*database.queryInteger("PRAGMA user_version"), 2);
            QCOMPARE(*database.queryInteger("PRAGMA application_id"), store::kApplicationId);
            QCOMPARE(*database.queryInteger("SELECT j FROM a"), 5);
            QVERIFY(migrate(database, both).ok()); // nothing more to do
        }
        {
            Database backup = open("a.db.bak-v1");
            QCOMPARE(*backup.queryInteger("PRAGMA user_version"), 1);
            QCOMPARE(*backup.queryInteger("SELECT i FROM a"), 1);
            QVERIFY(!backup.queryInteger("SELECT j FROM a").ok());
        }
        Database database = open("a.db");
        const auto newer = migrate(database, first);
        QVERIFY(!newer.ok());
        QCOMPARE(newer.error().kind, base::ErrorKind::InvalidInput);
        QVERIFY(newer.error().text().find("schema version 2, made by a newer Stagelens") != std::string::npos);
        QCOMPARE(*database.queryInteger("PRAGMA user_version"), 2);
    }

    void failingStepChangesNothing()
    {
        const std::vector<Migration> steps{{"0001", "CREATE TABLE a (i INTEGER) STRICT;"},
                                           {"0002", "CREATE TABLE b (i INTEGER) STRICT; INSERT INTO nowhere VALUES (1);"}};
        Database database = open("a.db");
        QVERIFY(!migrate(database, steps).ok());
        QCOMPARE(*database.queryInteger("PRAGMA user_version"), 1);
        QCOMPARE(*database.queryInteger("SELECT count(*) FROM sqlite_schema"), 1);
    }

    void foreignDatabaseIsRefused()
    {
        Database database = open("other.db");
        QVERIFY(database.execute("CREATE TABLE theirs (i INTEGER)").ok());
        QVERIFY(!migrate(database, store::migrations()).ok());
        Database marked = open("marked.db");
        QVERIFY(marked.execute("PRAGMA application_id = 1234").ok());
        QVERIFY(!migrate(marked, store::migrations()).ok());
        QCOMPARE(*marked.queryInteger("SELECT count(*) FROM sqlite_schema"), 0);
    }

    void ownMigrationsAreInOrder()
    {
        int number = 0;
        for (const Migration &migration : store::migrations()) {
            QCOMPARE(QString::fromStdString(migration.name).left(5), QString("%1_").arg(++number, 4, 10, QChar('0')));
            QVERIFY(!migration.sql.empty());
        }
        QVERIFY(number >= 1);
    }
};

STAGELENS_TEST(StoreSqlite)

} // namespace unit_store_sqlite

#include "store/sqlite.moc"
