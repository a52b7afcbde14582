// A straggler trace imported by the window: a run like any other, and a table of what-ifs.
#include "tests/support/straggler_csv.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/runs/import_controller.h"
#include "ui/panels/runs/straggler_dialog.h"

#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QTreeWidget>

namespace ui_shell_straggler_import {

using namespace stagelens;
using namespace Qt::StringLiterals;

class ShellStragglerImport : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void aTableOfWhatIfsIsShown()
    {
        auto &window = m_fixture->open();
        // Two devices and replicas, one microbatch: the last device takes twice as long, 2 + 4 ms.
        std::string csv = test::stragglerHeader();
        for (const int replica : {0, 1}) {
            csv += test::stragglerRow(replica, 0, 5, "forward-compute", 0, 1e6, 0);
            csv += test::stragglerRow(replica, 1, 5, "forward-compute", 1e6, 2e6, 0);
            csv += test::stragglerRow(replica, 1, 5, "backward-compute", 3e6, 4e6, 0);
            csv += test::stragglerRow(replica, 0, 5, "backward-compute", 7e6, 2e6, 0);
        }
        window.controllers().imports->importFiles({write(csv)});
        QTRY_VERIFY(window.findChild<ui::StragglerDialog *>());
        auto *dialog = window.findChild<ui::StragglerDialog *>();
        QTRY_VERIFY(dialog->isVisible());
        QCOMPARE(dialog->windowTitle(), u"Stragglers of job.csv"_s);
        const QString heading = dialog->findChild<QLabel *>(u"stragglers.heading"_s)->text();
        QVERIFY2(heading.contains(u"9 ms measured"_s) && heading.contains(u"lose no time"_s), qPrintable(heading));
        auto *tree = dialog->findChild<QTreeWidget *>(u"stragglers.tree"_s);
        QCOMPARE(tree->topLevelItemCount(), 4);
        const QTreeWidgetItem *devices = tree->topLevelItem(0);
        QCOMPARE(devices->childCount(), 2);
        QCOMPARE(devices->child(1)->text(0), u"Device 1"_s);
        // Fixed, it takes the means, 1.5 + 3 ms: 7.5 ms instead of 9, and the even step takes 9.
        QVERIFY2(devices->child(1)->text(1).startsWith(u"7.5"_s), qPrintable(devices->child(1)->text(1)));
        QCOMPARE(devices->child(1)->text(2), u"–"_s);
        QCOMPARE(tree->topLevelItem(2)->childCount(), 4);
        QCOMPARE(tree->topLevelItem(3)->childCount(), 2);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.startsWith(u"Part\tStep if fixed\t"_s) && copied.contains(u"\nReplica 1\t"_s), qPrintable(copied));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!window.findChild<ui::StragglerDialog *>());
        QTRY_COMPARE(window.runDatabase().runs().ids.size(), std::size_t{1});
    }

    void aBadRowIsNamed()
    {
        auto &window = m_fixture->open();
        window.controllers().imports->importFiles({write(test::stragglerHeader() + "0,0,0,0,gc,0,nan,0,,,\n")});
        auto *bar = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
        QTRY_VERIFY2(bar->text().startsWith(u"Nothing was imported."_s), qPrintable(bar->text()));
        QVERIFY2(bar->text().contains(u"Line 2, column 7: duration is 'nan'"_s), qPrintable(bar->text()));
        QVERIFY(!window.findChild<ui::StragglerDialog *>());
    }

private:
    QString write(const std::string &content)
    {
        QFile file(m_fixture->path(u"job.csv"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(content.data(), static_cast<qint64>(content.size())) < 0)
            qFatal("job.csv cannot be written");
        return file.fileName();
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

STAGELENS_TEST(ShellStragglerImport)

} // namespace ui_shell_straggler_import

#include "shell/straggler_import.moc"
