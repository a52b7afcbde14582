// The run sheet's choice of another machine, through a stand-in for ssh.
#include "tests/support/loopback_sshd.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controls/message_bar.h"
#include "ui/state/run_database.h"

#include <QComboBox>
#include <QDir>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace ui_window_remote {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowRemote : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        qputenv("STAGELENS_SSH", qgetenv("STAGELENS_TEST_DATA") + "/support/stand_in_ssh.py");
        qputenv("PATH", qgetenv("STAGELENS_BINARIES") + ':' + qgetenv("PATH"));
        qunsetenv("STAND_IN_FAIL");
        m_fixture = std::make_unique<test::WindowFixture>();
        m_fixture->open();
        m_fixture->usePlanForTraining(2);
    }
    void cleanup() { m_fixture.reset(); }

    void trainsOnAnotherMachine()
    {
        choose(u"me@there"_s);
        auto *machine = m_fixture->find<QLabel>(u"sheet.machine"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(machine->text().contains(u"cores"_s), qPrintable(machine->text()), test::kPatience);
        auto *start = m_fixture->find<QToolButton>(u"run.start"_s);
        QTRY_VERIFY(start->isEnabled());
        QVERIFY(m_fixture->find<QLabel>(u"run.where"_s)->text().startsWith(u"On me@there"_s));
        m_fixture->click(u"run.start"_s);
        QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
        const auto run = m_fixture->window().runController().shown();
        QVERIFY(run != nullptr);
        QCOMPARE(run->step, 2);
        QVERIFY(run->record.environment.at("reached through").starts_with("ssh me@there"));
    }

    void trainsThroughSshd()
    {
        QDir().mkpath(m_fixture->path(u"sshd"_s));
        const test::LoopbackSshd server(m_fixture->path(u"sshd"_s));
        if (!server.obstacle().isEmpty())
            QSKIP(server.obstacle());
        qputenv("STAGELENS_SSH", server.client().toUtf8());
        m_fixture->usePlanForTraining(1'000'000);
        choose(u"there"_s);
        auto *start = m_fixture->find<QToolButton>(u"run.start"_s);
        QTRY_VERIFY_WITH_TIMEOUT(start->isEnabled(), test::kPatience);
        m_fixture->click(u"run.start"_s);
        const auto step = [this] {
            const auto run = m_fixture->window().runController().shown();
            return run ? run->step : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(step() > 2, test::kPatience);
        server.cut(true);
        QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
        QVERIFY(step() > 2); // what was measured remains
        auto *notice = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
        QTRY_VERIFY2(notice->text().contains(u"was lost after"_s), qPrintable(notice->text()));
    }

    void saysWhyAMachineDoesNotAnswer()
    {
        qputenv("STAND_IN_FAIL", "me@there: Permission denied (publickey).");
        choose(u"me@there"_s);
        auto *machine = m_fixture->find<QLabel>(u"sheet.machine"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(machine->text().contains(u"Permission denied"_s), qPrintable(machine->text()),
                                  test::kPatience);
        QVERIFY(!m_fixture->find<QToolButton>(u"run.start"_s)->isEnabled());
        m_fixture->find<QComboBox>(u"sheet.where"_s)->setCurrentIndex(0);
        QTRY_VERIFY(m_fixture->find<QToolButton>(u"run.start"_s)->isEnabled());
    }

    void refusesANameThatIsAnOption()
    {
        choose(u"-oProxyCommand=x"_s);
        auto *machine = m_fixture->find<QLabel>(u"sheet.machine"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(machine->text().contains(u"begins with"_s), qPrintable(machine->text()), test::kPatience);
    }

private:
    void choose(const QString &host)
    {
        m_fixture->click(u"strip.train.sheet"_s);
        QTRY_VERIFY(m_fixture->find<QFrame>(u"run.sheet"_s)->isVisible());
        m_fixture->find<QComboBox>(u"sheet.where"_s)->setCurrentIndex(1);
        auto *name = m_fixture->find<QLineEdit>(u"sheet.host"_s);
        QTRY_VERIFY(name->isVisible());
        name->setFocus();
        QTest::keyClicks(name, host);
        QTest::keyClick(name, Qt::Key_Return);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

STAGELENS_TEST(WindowRemote)

} // namespace ui_window_remote

#include "window_remote.moc"
