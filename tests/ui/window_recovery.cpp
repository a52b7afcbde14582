// A window that is killed (SIGKILL, a process of its own) and started again: what was stored, edited and chosen is there.
#include "engine/model/experiment_json.h"
#include "tests/ui/window_fixture.h"

#include <QMenu>
#include <QProcess>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>

#include <csignal>

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

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

namespace {

constexpr int kSteps = 100'000;
constexpr int kPatience = 60'000;

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
    if (!QTest::qWaitFor([&] { return isWritten() && window.desk().live() && window.desk().live()->step >= 3; }, kPatience))
        return EXIT_FAILURE;
    return std::raise(SIGKILL);
}

} // namespace

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
    QVERIFY(other.waitForFinished(2 * kPatience));
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
        u"^Run 1 was interrupted after (\\d+) of 100000 steps\\. Its process ended before the run "
        "did\\. What was measured remains\\.$"_s);
    QVERIFY(notice->isVisible());
    const auto told = words.match(notice->text());
    QVERIFY2(told.hasMatch() && told.captured(1).toInt() >= 3, qPrintable(notice->text()));
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run && run->status == store::RunStatus::Interrupted);
    QCOMPARE(m_fixture->content().groups.size(), std::size_t{1});
    m_fixture->click(u"bar.notice.Show it"_s);
    QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{2});
    QVERIFY2(m_fixture->content().groups[1].caption.endsWith(u", the median"_s),
             qPrintable(m_fixture->content().groups[1].caption));
    QVERIFY(m_fixture->find<ui::MessageBar>(u"bar.provenance"_s)->text().startsWith(u"Run 1 was interrupted after "_s));
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
    WindowRecovery test;
    return QTest::qExec(&test, argc, argv);
}
#include "window_recovery.moc"
