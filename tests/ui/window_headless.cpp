// `stagelens` without a display: exports, screenshots and exit codes.
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/canvas/gif_writer.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include <chrono>

namespace ui_window_headless {

using namespace Qt::StringLiterals;

class WindowHeadless : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init() { stagelens::test::failOnWarnings(); }
    void exportsEveryFormat();
    void exportsAnimations();
    void screenshotOfAScene();
    void firstPictureIsTimed();
    void wrongInputIsRefused_data();
    void wrongInputIsRefused();
    void noDisplayIsSaid();

private:
    struct Outcome {
        int code;
        QString errors;
        QString output;
    };
    Outcome run(const QStringList &arguments, bool display = true);
    QString path(const QString &name) const { return m_folder.filePath(name); }

    QTemporaryDir m_folder;
    QString m_program;
    QString m_demo;
};

void WindowHeadless::initTestCase()
{
    m_program = qEnvironmentVariable("STAGELENS_BINARIES") + u"/stagelens"_s;
    m_demo = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/demo-slow-last-device.stagelens.json"_s;
    if (!QFileInfo::exists(m_program))
        QSKIP("the program stagelens is not built here");
}

WindowHeadless::Outcome WindowHeadless::run(const QStringList &arguments, bool display)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"STAGELENS_DATA_DIR"_s, m_folder.path());
    environment.remove(u"DISPLAY"_s);
    environment.remove(u"WAYLAND_DISPLAY"_s);
    if (!display)
        environment.remove(u"QT_QPA_PLATFORM"_s);
    process.setProcessEnvironment(environment);
    process.start(m_program, arguments);
    if (!process.waitForFinished(120000))
        process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardError()), QString::fromUtf8(process.readAllStandardOutput())};
}

void WindowHeadless::exportsEveryFormat()
{
    const QString png = path(u"a.png"_s);
    auto outcome = run({u"--export"_s, png, u"--experiment"_s, m_demo, u"--size"_s, u"800x400"_s}, false);
    QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
    const QImage picture(png);
    QCOMPARE(picture.size(), QSize(800, 400));
    // Forward blue and the vocabulary's yellow are in the picture: it is not an empty frame.
    int blue = 0;
    int yellow = 0;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            blue += picture.pixelColor(x, y) == QColor(0x2b6cb0);
            yellow += picture.pixelColor(x, y) == QColor(0xfbe552);
        }
    }
    QVERIFY(blue > 100);
    QVERIFY(yellow > 100);
    outcome = run({u"--export"_s, path(u"a.svg"_s), u"--experiment"_s, m_demo});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
    QFile svg(path(u"a.svg"_s));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("<svg"));
    outcome = run({u"--export"_s, path(u"b"_s), u"--experiment"_s, m_demo, u"--format"_s, u"pdf"_s});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
    QFile pdf(path(u"b"_s));
    QVERIFY(pdf.open(QIODevice::ReadOnly));
    QVERIFY(pdf.readAll().startsWith("%PDF"));
}

void WindowHeadless::exportsAnimations()
{
    const QString textbook = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/textbook-1f1b.stagelens.json"_s;
    QFile demo(m_demo);
    QVERIFY(demo.open(QIODevice::ReadOnly));
    QFile other(path(u"split.stagelens.json"_s));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(demo.readAll().replace("\"vocabulary\": \"none\"", "\"vocabulary\": \"vocab-2\""));
    other.close();
    const auto written = [&](const QString &name) {
        const auto outcome = run({u"--export"_s, path(name), u"--from"_s, m_demo, u"--experiment"_s, other.fileName()}, false);
        if (outcome.code != 0)
            qWarning("%s", qPrintable(outcome.errors));
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QVERIFY(written(u"a.svg"_s).contains("<animate"));
    const QByteArray gif = written(u"a.gif"_s);
    QVERIFY(stagelens::ui::canWriteGif() ? gif.startsWith("GIF89a") : gif.isEmpty());
    written(u"frames.png"_s); // a folder, as the window names it
    QVERIFY(!QFileInfo::exists(path(u"frames.png"_s)));
    const QStringList frames = QDir(path(u"frames"_s)).entryList({u"*.png"_s}, QDir::Files, QDir::Name);
    QCOMPARE(frames.size(), 180); // six seconds
    const auto frame = [&](const QString &name) { return QImage(path(u"frames/"_s + name)); };
    QVERIFY(!frame(frames.front()).isNull() && frame(frames.front()) != frame(frames.back()));
    const auto mixed = run({u"--export"_s, path(u"b.svg"_s), u"--from"_s, textbook, u"--experiment"_s, m_demo});
    QCOMPARE(mixed.code, 2);
    QVERIFY2(mixed.errors.contains(u"teaching units"_s), qPrintable(mixed.errors));
}

void WindowHeadless::screenshotOfAScene()
{
    const QString file = path(u"window.png"_s);
    const auto outcome =
        run({u"--screenshot"_s, file, u"--scene"_s, u"vocab-2"_s, u"--size"_s, u"1024x700"_s, u"--dark"_s}, false);
    QVERIFY2(outcome.code == 0, qPrintable(outcome.errors));
    const QImage picture(file);
    QCOMPARE(picture.size(), QSize(1024, 700));
    QVERIFY(picture.pixelColor(2, 698).lightness() < 80);
}

void WindowHeadless::firstPictureIsTimed()
{
    const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
    const auto before = now();
    const auto outcome = run({u"--first-picture"_s, u"--db"_s, path(u"none.db"_s), m_demo});
    QCOMPARE(outcome.code, 0);
    bool isNumber = false;
    const qint64 shown = outcome.output.trimmed().toLongLong(&isNumber);
    QVERIFY2(isNumber && shown > before && shown < now(), qPrintable(outcome.output));
}

void WindowHeadless::wrongInputIsRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    QTest::addColumn<int>("code");
    const QString out = path(u"never.png"_s);
    QTest::newRow("option") << QStringList{u"--colour"_s} << u"colour"_s << 2;
    QTest::newRow("scene") << QStringList{u"--screenshot"_s, out, u"--scene"_s, u"sunset"_s} << u"sunset"_s << 2;
    QTest::newRow("page") << QStringList{u"--screenshot"_s, out, u"--scene"_s, u"learn:foo.md"_s} << u"foo.md"_s << 2;
    QTest::newRow("no runs") << QStringList{u"--screenshot"_s, out, u"--scene"_s, u"learn:tours/1-bubble.tour#1+train"_s}
                             << u"offers no runs"_s << 2;
    QTest::newRow("step") << QStringList{u"--screenshot"_s, out, u"--scene"_s, u"learn:tours/1-bubble.tour#99"_s} << u"1 to "_s
                          << 2;
    QTest::newRow("file") << QStringList{u"--screenshot"_s, out, u"nofile.json"_s} << u"nofile.json"_s << 2;
    QTest::newRow("size") << QStringList{u"--screenshot"_s, out, u"--size"_s, u"big"_s} << u"--size"_s << 2;
    QTest::newRow("nothing to draw") << QStringList{u"--export"_s, out} << u"--experiment"_s << 2;
    QTest::newRow("format") << QStringList{u"--export"_s, path(u"x.gif"_s), u"--experiment"_s, m_demo} << u"gif"_s << 2;
    QTest::newRow("animation as pdf") << QStringList{u"--export"_s, path(u"x.pdf"_s),  u"--from"_s,
                                                     m_demo,        u"--experiment"_s, m_demo}
                                      << u"--from"_s << 2;
    QTest::newRow("animation from nothing")
        << QStringList{u"--export"_s, path(u"x.svg"_s), u"--from"_s, u"nofile.json"_s, u"--experiment"_s, m_demo}
        << u"nofile.json"_s << 2;
    QTest::newRow("animation to nothing") << QStringList{u"--export"_s, path(u"x.svg"_s), u"--from"_s, m_demo} << u"--from"_s
                                          << 2;
    QTest::newRow("run") << QStringList{u"--export"_s, out, u"--run"_s, u"first"_s} << u"first"_s << 2;
    QTest::newRow("folder") << QStringList{u"--export"_s, path(u"no/where.png"_s), u"--experiment"_s, m_demo}
                            << u"no/where.png"_s << 1;
    for (const QString &format : {u"png"_s, u"svg"_s, u"pdf"_s})
        QTest::newRow(qPrintable(u"full disk "_s + format))
            << QStringList{u"--export"_s, u"/dev/full"_s, u"--experiment"_s, m_demo, u"--format"_s, format} << u"/dev/full"_s
            << 1;
    QTest::newRow("screenshot, full disk") << QStringList{u"--screenshot"_s, u"/dev/full"_s} << u"/dev/full"_s << 1;
}

void WindowHeadless::wrongInputIsRefused()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    QFETCH(int, code);
    const auto outcome = run(arguments);
    QCOMPARE(outcome.code, code);
    QVERIFY2(outcome.errors.contains(named), qPrintable(outcome.errors));
    QVERIFY(outcome.output.isEmpty());
    QVERIFY(!QFileInfo::exists(path(u"never.png"_s)));
}

void WindowHeadless::noDisplayIsSaid()
{
    const auto outcome = run({}, false);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.errors.contains(u"no display"_s), qPrintable(outcome.errors));
}

STAGELENS_TEST(WindowHeadless)

} // namespace ui_window_headless

#include "window_headless.moc"
