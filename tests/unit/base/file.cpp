// Whole files: what cannot be read or written is a message with a remedy, and nothing is lost.
#include "engine/base/file.h"
#include "engine/base/protected_file.h"
#include "engine/base/temporary_folder.h"
#include "tests/support/child_process.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace unit_base_file {

using namespace stagelens::base;

class BaseFile : public QObject {
    Q_OBJECT
private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void roundTrip()
    {
        const std::string content("a\0b\n\xff", 5);
        QVERIFY(writeFile(path("a"), content).ok());
        QCOMPARE(*readFile(path("a"), 5), content);
        QVERIFY(writeFile(path("a"), "").ok());
        QCOMPARE(*readFile(path("a"), 0), std::string());
        QCOMPARE(entries(), QStringList{"a"});
    }

    void unreadableFiles()
    {
        const auto text = [&](const std::filesystem::path &file) { return readFile(file, 4).error().text(); };
        QVERIFY(text(path("missing")).find("does not exist") != std::string::npos);
        QVERIFY(text(m_folder->path().toStdString()).find("is a folder; name a file") != std::string::npos);
        QVERIFY(text("/dev/null").find("not a regular file") != std::string::npos);
        QVERIFY(writeFile(path("long"), "12345").ok());
        QVERIFY(text(path("long")).find("5 B long and at most 4 B") != std::string::npos);
        QCOMPARE(readFile(path("long"), 4).error().kind, ErrorKind::InvalidInput);
    }

    void unwritableFiles()
    {
        const auto text = [](const std::filesystem::path &file) { return writeFile(file, "x").error().text(); };
        QVERIFY(text(path("no/where")).find("its folder does not exist") != std::string::npos);
        QVERIFY(text(m_folder->path().toStdString()).find("it is a folder") != std::string::npos);
        QVERIFY(text("/dev/full").find("the disk is full") != std::string::npos);
        QCOMPARE(entries(), QStringList{});
    }

    /// A process that was killed while it wrote left its part beside the file for ever.
    void partsOfEndedProcessesAreRemoved()
    {
        const pid_t ended = ::fork();
        if (ended == 0)
            ::_exit(0);
        QCOMPARE(::waitpid(ended, nullptr, 0), ended);
        const QString left = QString(".stagelens-%1-0.part").arg(ended);
        const QString growing = QString(".stagelens-%1-0.part").arg(::getppid());
        for (const QString &name : {left, growing, QString(".stagelens-mine.part")})
            QVERIFY(QFile(m_folder->filePath(name)).open(QIODevice::WriteOnly));
        QVERIFY(writeFile(path("a"), "content").ok());
        QCOMPARE(entries(), (QStringList{growing, ".stagelens-mine.part", "a"}));
    }

    /// Folders for passing files had names that could be guessed.
    void temporaryFoldersArePrivate()
    {
        std::filesystem::path former;
        {
            const auto one = TemporaryFolder::make();
            const auto other = TemporaryFolder::make();
            QVERIFY(one.ok() && other.ok());
            QVERIFY(one->path() != other->path());
            QVERIFY(one->path().string().find(std::to_string(::getpid())) == std::string::npos);
            struct stat info {};
            QCOMPARE(::stat(one->path().c_str(), &info), 0);
            QCOMPARE(info.st_mode & 07777U, 0700U);
            QVERIFY(writeFile(one->path() / "a", "x").ok());
            former = one->path();
        }
        QVERIFY(!std::filesystem::exists(former));
    }

    void devicesAreWrittenToAndNotReplaced()
    {
        QVERIFY(writeFile("/dev/null", "x").ok());
        QVERIFY(std::filesystem::is_character_file("/dev/null"));
    }

    void linksKeepPointing()
    {
        QVERIFY(writeFile(path("target"), "old").ok());
        std::filesystem::create_symlink("target", path("link"));
        QVERIFY(writeFile(path("link"), "new").ok());
        QVERIFY(std::filesystem::is_symlink(path("link")));
        QCOMPARE(*readFile(path("target"), 10), std::string("new"));
    }

    void linksToNothingGetTheirTarget()
    {
        std::filesystem::create_directory(path("folder"));
        std::filesystem::create_symlink("folder/target", path("link"));
        std::filesystem::create_symlink("link", path("linkToLink"));
        QVERIFY(writeFile(path("linkToLink"), "new").ok());
        QVERIFY(std::filesystem::is_symlink(path("link")) && std::filesystem::is_symlink(path("linkToLink")));
        QCOMPARE(*readFile(path("folder/target"), 10), std::string("new"));
        std::filesystem::create_symlink("circle", path("circle"));
        QVERIFY(!writeFile(path("circle"), "new").ok());
        QVERIFY(std::filesystem::is_symlink(path("circle")));
    }

    void databasesAreNotReplaced()
    {
        const std::string database = std::string("SQLite format 3\0", 16) + "pages";
        const auto write = [&](const std::string &content) {
            return std::ofstream(path("runs.db"), std::ios::trunc).write(content.data(), std::ssize(content)).good();
        };
        for (const std::string &content : {database, std::string("\x37\x7f\x06\x82 log", 8)}) {
            QVERIFY(write(content));
            std::filesystem::remove(path("link"));
            std::filesystem::create_symlink("runs.db", path("link"));
            for (const char *name : {"runs.db", "link"}) {
                const auto refused = writeFile(path(name), "x");
                QVERIFY(!refused.ok() && refused.error().text().find("is a database") != std::string::npos);
                QCOMPARE(refused.error().kind, ErrorKind::InvalidInput);
            }
            QCOMPARE(*readFile(path("runs.db"), 100), content);
        }
        QVERIFY(write("no database"));
        {
            const ProtectedFile open(path("runs.db"));
            const ProtectedFile again(path("link"));
            QVERIFY(!writeFile(path("runs.db"), "x").ok());
        }
        QVERIFY(writeFile(path("runs.db"), "x").ok());
    }

    /// A name may be 255 bytes long.
    void longNamesAreWritten()
    {
        const std::string name(255, 'n');
        QVERIFY(writeFile(path(name.c_str()), "x").ok());
        QCOMPARE(*readFile(path(name.c_str()), 1), std::string("x"));
        QCOMPARE(entries().size(), 1);
    }

    void permissionsAreKept()
    {
        using std::filesystem::perms;
        for (const perms mode : {perms::owner_read | perms::owner_write, perms::all, perms::owner_read}) {
            QVERIFY(writeFile(path("a"), "old").ok());
            std::filesystem::permissions(path("a"), mode);
            QVERIFY(writeFile(path("a"), "new").ok());
            QVERIFY(std::filesystem::status(path("a")).permissions() == mode);
        }
    }

    void writersOfOneFileDoNotMix()
    {
        const auto write = [&](char letter) {
            for (int i = 0; i < 20; ++i) {
                if (!writeFile(path("shared"), std::string(10'000, letter)))
                    m_failed = true;
            }
        };
        {
            const std::jthread a(write, 'a');
            const std::jthread b(write, 'b');
        }
        QVERIFY(!m_failed);
        const std::string content = *readFile(path("shared"), 10'000);
        QCOMPARE(content, std::string(10'000, content[0]));
        QCOMPARE(entries(), QStringList{"shared"});
    }

    void dataFolderFollowsTheEnvironment()
    {
        qputenv("STAGELENS_DATA_DIR", "/own");
        QCOMPARE(dataFolder(), std::filesystem::path("/own"));
        qunsetenv("STAGELENS_DATA_DIR");
        qputenv("XDG_DATA_HOME", "/xdg");
        QCOMPARE(dataFolder(), std::filesystem::path("/xdg/stagelens"));
        qputenv("XDG_DATA_HOME", "relative");
        qputenv("HOME", "/home/someone");
        QCOMPARE(dataFolder(), std::filesystem::path("/home/someone/.local/share/stagelens"));
    }

    /// A folder in /tmp whose name can be guessed may be another user's.
    void dataIsPrivateWithoutAHome()
    {
        if (::getuid() != 0)
            QSKIP("only root becomes a user without a home");
        const QString answer = m_folder->filePath("answer");
        QVERIFY(QFile::setPermissions(m_folder->path(), QFile::Permissions(0x7777)));
        stagelens::test::Child child([&](stagelens::test::Child &) {
            for (const char *name : {"STAGELENS_DATA_DIR", "XDG_DATA_HOME", "HOME"})
                qunsetenv(name);
            const uid_t nobodyInTheList = 54321;
            if (::setgid(nobodyInTheList) != 0 || ::setuid(nobodyInTheList) != 0)
                return false;
            const std::filesystem::path folder = dataFolder();
            return folder == dataFolder() && writeFile(answer.toStdString(), folder.string()).ok();
        });
        QCOMPARE(child.wait(), 0);
        const std::filesystem::path folder = *readFile(answer.toStdString(), 1000);
        QVERIFY(folder != std::filesystem::temp_directory_path() / "stagelens");
        struct stat info {};
        QCOMPARE(::stat(folder.c_str(), &info), 0);
        QCOMPARE(info.st_mode & 07777U, 0700U);
        QCOMPARE(info.st_uid, 54321U);
        std::filesystem::remove(folder);
    }

    void theListOfUsersNamesAHome()
    {
        for (const char *name : {"STAGELENS_DATA_DIR", "XDG_DATA_HOME", "HOME"})
            qunsetenv(name);
        if (::getuid() == 0 && QDir("/root").exists())
            QCOMPARE(dataFolder(), std::filesystem::path("/root/.local/share/stagelens"));
    }

    void resourcesAreFound() { QVERIFY(std::filesystem::is_directory(resourceFolder() / "models")); }

private:
    [[nodiscard]] std::filesystem::path path(const char *name) const { return m_folder->filePath(name).toStdString(); }
    [[nodiscard]] QStringList entries() const
    {
        return QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden | QDir::System, QDir::Name);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::atomic<bool> m_failed = false;
};

STAGELENS_TEST(BaseFile)

} // namespace unit_base_file

#include "base/file.moc"
