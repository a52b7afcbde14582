// What `cmake --install` puts down: programs that find their presets without the source tree, and pages that tell all of them.
#include "tests/support/test_program.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

namespace integration_install_tree {

using namespace Qt::StringLiterals;

class InstallTree : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QString cmake = QStandardPaths::findExecutable(u"cmake"_s);
        QVERIFY(!cmake.isEmpty());
        run(cmake, {u"--install"_s, qEnvironmentVariable("STAGELENS_BINARIES"), u"--prefix"_s, m_prefix.path()});
    }

    void programsFindTheirPresets()
    {
        const QString models = run(m_prefix.filePath(u"bin/stagelens-cli"_s), {u"list"_s, u"models"_s});
        QVERIFY(models.contains(u"gpt-demo"_s));
        const QDir examples(m_prefix.filePath(u"share/stagelens/examples"_s));
        const QStringList files = examples.entryList({u"*.stagelens.json"_s});
        QVERIFY(files.size() >= 3);
        for (const QString &file : files)
            run(m_prefix.filePath(u"bin/stagelens-cli"_s), {u"simulate"_s, examples.filePath(file)});
    }

    void translatedToursAreInstalled()
    {
        const QDir docs(m_prefix.filePath(u"share/stagelens/docs"_s));
        const QStringList tours = QDir(docs.filePath(u"tours"_s)).entryList({u"*.tour"_s});
        QVERIFY(!tours.isEmpty());
        for (const QString &code : {u"ko"_s, u"zh_CN"_s})
            QCOMPARE(QDir(docs.filePath(code + u"/tours"_s)).entryList({u"*.tour"_s}), tours);
    }

    void theManualNamesEveryCommand()
    {
        const QString help = run(m_prefix.filePath(u"bin/stagelens-cli"_s), {u"--help"_s});
        QFile page(m_prefix.filePath(u"share/man/man1/stagelens-cli.1"_s));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString manual = QString::fromUtf8(page.readAll());
        const QString commands = help.mid(help.indexOf(u"Subcommands:"_s));
        static const QRegularExpression kName(u"^  ([a-z]+) "_s, QRegularExpression::MultilineOption);
        int found = 0;
        for (const auto &match : kName.globalMatch(commands)) {
            QVERIFY2(manual.contains(u".It Cm "_s + match.captured(1)), qPrintable(match.captured(1)));
            ++found;
        }
        QVERIFY(found >= 11);
    }

    void theDesktopKnowsTheWindow()
    {
        if (!QFile::exists(m_prefix.filePath(u"bin/stagelens"_s)))
            QSKIP("this build has no window");
        const QString id = u"org.stagelens.Stagelens"_s;
        QSettings entry(m_prefix.filePath(u"share/applications/"_s + id + u".desktop"_s), QSettings::IniFormat);
        entry.beginGroup(u"Desktop Entry"_s);
        const QString program = entry.value(u"Exec"_s).toString().section(u' ', 0, 0);
        QVERIFY(QFileInfo(m_prefix.filePath(u"bin/"_s + program)).isExecutable());
        const QString icon = entry.value(u"Icon"_s).toString();
        QVERIFY(QFile::exists(m_prefix.filePath(u"share/icons/hicolor/scalable/apps/"_s + icon + u".svg"_s)));
        QFile metadata(m_prefix.filePath(u"share/metainfo/"_s + id + u".metainfo.xml"_s));
        QVERIFY(metadata.open(QIODevice::ReadOnly));
        const QString version = run(m_prefix.filePath(u"bin/stagelens-cli"_s), {u"--version"_s});
        const QString number = version.simplified().section(u' ', -1);
        QVERIFY2(metadata.readAll().contains(("version=\"" + number + '"').toUtf8()), qPrintable(version));
    }

private:
    /// Standard output of a program that must end well; it sees nothing of the source tree's resources.
    QString run(const QString &program, const QStringList &arguments)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(u"STAGELENS_RESOURCES"_s);
        environment.remove(u"DESTDIR"_s);
        environment.insert(u"STAGELENS_DATA_DIR"_s, m_prefix.filePath(u"data"_s));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        const bool ended = process.waitForFinished(120'000) && process.exitStatus() == QProcess::NormalExit;
        if (!ended || process.exitCode() != 0)
            qFatal("%s %s: %s", qPrintable(program), qPrintable(arguments.join(u' ')),
                   process.readAllStandardError().constData());
        return QString::fromUtf8(process.readAllStandardOutput());
    }

    QTemporaryDir m_prefix;
};

STAGELENS_TEST(InstallTree)

} // namespace integration_install_tree

#include "install_tree.moc"
