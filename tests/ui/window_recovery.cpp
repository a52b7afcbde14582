// Windows of other processes: one that is killed (SIGKILL) and started again has what was stored, edited and chosen; the first
// start on a small screen fits it.
#include "engine/model/experiment_json.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/pane_controller.h"

#include <QMenu>
#include <QProcess>
#include <QScreen>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>

#include <csignal>
#include <cstdio>

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowRecovery : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        test::failOnWarnings();
        m_fixture = std::make_unique<test::WindowFixture>();
    }
    void cleanup() { m_fixture.reset(); }
    void aKilledWindowComesBack();
    void whatIsInItsFileIsNotCalledChanged();
    void theFirstWindowFitsItsScreen_data();
    void theFirstWindowFitsItsScreen();
    void aWindowIsPlacedWithinTheScreen();

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

namespace {

constexpr int kSteps = 100'000;

/// In the process that is killed: edits its plan without saving, makes the window its own, trains, and dies.
int liveAndDie(const QString &folder)
{
    ui::WindowOptions options;
    options.database = (folder + u"/runs.db"_s).toStdString();
    options.file = folder + u"/plan.stagelens.json"_s;
    ui::applyAppearance(ui::Appearance::Light);
    ui::MainWindow window(options);
    window.show();
    QApplication::setActiveWindow(&window);
    window.actions().dark->trigger();
    QTest::mouseClick(window.findChild<QToolButton *>(u"group.Training"_s), Qt::LeftButton);
    auto *microbatches = window.findChild<QSpinBox *>(u"strip.parallel.microbatches"_s);
    microbatches->setFocus();
    microbatches->selectAll();
    QTest::keyClicks(microbatches, u"6"_s);
    QTest::keyClick(&window, Qt::Key_F5);
    const auto isWritten = [&folder] {
        const QSettings settings(folder + u"/window.ini"_s, QSettings::IniFormat);
        const auto session = model::loadExperiment((folder + u"/session.stagelens.json"_s).toStdString());
        return settings.value(u"appearance"_s) == u"dark"_s &&
               settings.value(u"groups"_s).toStringList().contains(u"Training"_s) && session &&
               session->parallel.microbatches == 6;
    };
    if (!QTest::qWaitFor(
            [&] { return isWritten() && window.runController().live() && window.runController().live()->step >= 3; },
            test::kPatience))
        return EXIT_FAILURE;
    return std::raise(SIGKILL);
}

/// In a process with a screen of its own: the first start in an empty folder. Prints what takes room, in this screen's units.
int measureFirstStart(const QString &folder)
{
    qputenv("STAGELENS_DATA_DIR", folder.toUtf8());
    ui::WindowOptions options;
    options.database = (folder + u"/runs.db"_s).toStdString();
    ui::MainWindow window(options);
    window.show();
    const auto print = [](const char *name, QSize size) { std::printf("%s %d %d\n", name, size.width(), size.height()); };
    if (!QTest::qWaitFor([&window] { return window.forecast().advice() != nullptr; }, test::kPatience))
        return EXIT_FAILURE;
    print("screen", window.screen()->availableGeometry().size());
    print("window", window.frameGeometry().size());
    print("centre", window.explorePage().size());
    print("picture", window.explorePage().timeline()->size());
    // Nothing that is opened later makes it larger.
    for (QAction *mode : {window.actions().compare, window.actions().sweep, window.actions().learn, window.actions().explore}) {
        mode->trigger();
        QTest::qWait(1);
        print("mode", window.frameGeometry().size());
    }
    window.actions().editSchedule->trigger();
    window.runsPanel().setFolded(false);
    QTest::qWait(1);
    print("opened", window.frameGeometry().size());
    return EXIT_SUCCESS;
}

} // namespace

void WindowRecovery::theFirstWindowFitsItsScreen_data()
{
    QTest::addColumn<QSize>("pixels");
    QTest::addColumn<QByteArray>("scale");
    QTest::newRow("1366x768") << QSize(1366, 768) << QByteArray("1");
    QTest::newRow("1280x720") << QSize(1280, 720) << QByteArray("1");
    QTest::newRow("1920x1080 at 200 %") << QSize(1920, 1080) << QByteArray("2");
    QTest::newRow("1366x768 at 200 %") << QSize(1366, 768) << QByteArray("2");
}

void WindowRecovery::theFirstWindowFitsItsScreen()
{
    QFETCH(QSize, pixels);
    QFETCH(QByteArray, scale);
    QFile screens(m_fixture->path(u"screens.json"_s));
    QVERIFY(screens.open(QIODevice::WriteOnly));
    screens.write(QStringLiteral(R"({"screens":[{"name":"one","x":0,"y":0,"width":%1,"height":%2,"logicalDpi":96,"dpr":1}]})")
                      .arg(pixels.width())
                      .arg(pixels.height())
                      .toUtf8());
    screens.close();
    QProcess other;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen:configfile="_s + screens.fileName());
    environment.insert(u"QT_SCALE_FACTOR"_s, QString::fromLatin1(scale));
    other.setProcessEnvironment(environment);
    other.start(QCoreApplication::applicationFilePath(), {u"--measure"_s, m_fixture->path(u"first"_s)});
    QVERIFY(other.waitForFinished(2 * test::kPatience));
    QCOMPARE(other.exitCode(), EXIT_SUCCESS);
    const QByteArray said = other.readAllStandardOutput();
    QSize screen;
    for (const QByteArray &line : said.trimmed().split('\n')) {
        const QByteArrayList words = line.split(' ');
        QCOMPARE(words.size(), 3);
        const QSize size(words[1].toInt(), words[2].toInt());
        if (words[0] == "screen") {
            screen = size;
            QCOMPARE(screen, pixels / scale.toInt());
        } else if (words[0] == "picture") {
            QVERIFY2(size.width() >= 200 && size.height() >= 60, said.constData());
        } else { // a page that is higher is scrolled
            QVERIFY2(size.width() <= screen.width(), said.constData());
            QVERIFY2(size.height() <= screen.height() || words[0] == "centre", said.constData());
        }
    }
}

void WindowRecovery::aWindowIsPlacedWithinTheScreen()
{
    const QRect screen(0, 24, 1366, 744); // a panel above
    for (const QRect &window : {QRect(0, 0, 1440, 900), QRect(-300, 900, 800, 600), QRect(1300, 700, 400, 300)}) {
        const QRect place = ui::fitted(window, screen);
        QVERIFY(screen.contains(place));
        QVERIFY(place.top() > screen.top()); // room for the title
        QCOMPARE(place.size(), window.size().boundedTo(place.size()));
        QVERIFY(place.width() == window.width() || place.width() > 1300);
    }
    QCOMPARE(ui::fitted(QRect(100, 100, 800, 500), screen), QRect(100, 100, 800, 500));
    const QRect right(1366, 0, 1920, 1080); // the second of two screens
    QVERIFY(right.contains(ui::fitted(QRect(3000, 40, 1440, 900), right)));
}

void WindowRecovery::aKilledWindowComesBack()
{
    m_fixture->open();
    m_fixture->usePlanForTraining(kSteps);
    const QString file = m_fixture->path(u"plan.stagelens.json"_s);
    QVERIFY(m_fixture->window().document().save(file).ok());
    m_fixture->window().close();
    m_fixture->close();
    QProcess other;
    other.setProcessChannelMode(QProcess::ForwardedChannels);
    other.start(QCoreApplication::applicationFilePath(), {u"--die"_s, m_fixture->path({})});
    QVERIFY(other.waitForFinished(2 * test::kPatience));
    QCOMPARE(other.exitStatus(), QProcess::CrashExit);

    auto &window = m_fixture->open();
    // The experiment that was not saved, known as what it is.
    QCOMPARE(window.document().experiment().parallel.microbatches, 6);
    QCOMPARE(window.document().file(), file);
    QVERIFY(window.isWindowModified());
    // What was chosen.
    QVERIFY(window.actions().dark->isChecked());
    QVERIFY(m_fixture->find<QToolButton>(u"group.Training"_s)->isChecked());
    window.actions().recent->popup({});
    QCOMPARE(window.actions().recent->actions().constFirst()->text(), u"plan.stagelens.json"_s);
    window.actions().recent->close();
    // What was stored.
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    static const QRegularExpression words(
        u"^Run 1 was interrupted\\. Its process ended before the run did\\. Steps done: (\\d+) of 100000\\. "
        "What was measured remains\\.$"_s);
    QVERIFY(notice->isVisible());
    const auto told = words.match(notice->text());
    QVERIFY2(told.hasMatch() && told.captured(1).toInt() >= 3, qPrintable(notice->text()));
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run && run->status == store::RunStatus::Interrupted);
    // The plan comes back with its newest run, once that was read; one that was hidden is shown again.
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    window.runController().showNone();
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    m_fixture->click(u"bar.notice.Show it"_s);
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY2(m_fixture->content().groups[1].caption.endsWith(u", the median"_s),
             qPrintable(m_fixture->content().groups[1].caption));
    QVERIFY(m_fixture->find<ui::MessageBar>(u"bar.provenance"_s)->text().startsWith(u"Run 1 was interrupted. "_s));
    // It is told once.
    window.close();
    m_fixture->open();
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->isVisible());
}

void WindowRecovery::whatIsInItsFileIsNotCalledChanged()
{
    m_fixture->open();
    m_fixture->usePlanForTraining(2);
    QVERIFY(m_fixture->window().document().save(m_fixture->path(u"plan.stagelens.json"_s)).ok());
    m_fixture->window().close();
    auto &window = m_fixture->open();
    QCOMPARE(window.document().file(), m_fixture->path(u"plan.stagelens.json"_s));
    QVERIFY(!window.isWindowModified());
}

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], "--die") == 0)
        return liveAndDie(QString::fromLocal8Bit(argv[2]));
    if (argc == 3 && qstrcmp(argv[1], "--measure") == 0)
        return measureFirstStart(QString::fromLocal8Bit(argv[2]));
    WindowRecovery test;
    return QTest::qExec(&test, argc, argv);
}
#include "window_recovery.moc"
