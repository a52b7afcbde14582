// What Ctrl+C takes from a table or a tree.
#include "ui/controls/copied_rows.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QTableWidget>
#include <QTreeWidget>

namespace ui_shell_copied_rows {

using namespace stagelens;
using namespace Qt::StringLiterals;

class ShellCopiedRows : public QObject {
    Q_OBJECT
private slots:
    void init() { QApplication::clipboard()->setText(u"before"_s); }

    void aTableGivesCellsRowsOrAll()
    {
        QTableWidget table(3, 3);
        ui::addCopyAction(&table);
        table.setHorizontalHeaderLabels({u"Name"_s, u"Time"_s, u"Front"_s});
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                table.setItem(row, column, new QTableWidgetItem(u"%1%2"_s.arg(row).arg(column)));
        table.item(1, 2)->setText({}); // an icon alone
        table.item(1, 2)->setData(Qt::AccessibleTextRole, u"on the front"_s);
        QCOMPARE(copiedFrom(table), u"Name\tTime\tFront\n00\t01\t02\n10\t11\ton the front\n20\t21\t22"_s);
        table.horizontalHeader()->moveSection(1, 0);
        table.setColumnHidden(2, true);
        table.setRowHidden(2, true);
        QCOMPARE(copiedFrom(table), u"Time\tName\n01\t00\n11\t10"_s);
        table.item(0, 1)->setSelected(true);
        QCOMPARE(copiedFrom(table), u"01"_s);
        table.item(1, 1)->setSelected(true);
        QCOMPARE(copiedFrom(table), u"01\n11"_s);
        table.selectAll();
        QCOMPARE(copiedFrom(table), u"Time\tName\n01\t00\n11\t10"_s);
        table.setColumnHidden(2, false);
        table.clearSelection();
        table.selectRow(1);
        QCOMPARE(copiedFrom(table), u"Time\tName\tFront\n11\t10\ton the front"_s);
    }

    void aTreeGivesItsRowsInTheirOrder()
    {
        QTreeWidget tree;
        ui::addCopyAction(&tree);
        tree.setHeaderLabels({u"Lever"_s, u"Time"_s});
        for (const QString &name : {u"A"_s, u"B"_s}) {
            auto *group = new QTreeWidgetItem(&tree, {name});
            for (int i = 0; i < 2; ++i)
                new QTreeWidgetItem(group, {name + QString::number(i), u"%1 ms"_s.arg(i)});
        }
        QCOMPARE(copiedFrom(tree), u"Lever\tTime\nA\t\nA0\t0 ms\nA1\t1 ms\nB\t\nB0\t0 ms\nB1\t1 ms"_s);
        tree.topLevelItem(0)->child(1)->setSelected(true);
        QCOMPARE(copiedFrom(tree), u"Lever\tTime\nA1\t1 ms"_s);
    }

    void aLongTableGivesWhatIsSelected()
    {
        QStandardItemModel model;
        for (int row = 0; row < 20'000; ++row)
            model.appendRow({new QStandardItem(QString::number(row)), new QStandardItem(u"x"_s)});
        QTableView table;
        table.setModel(&model);
        table.setSelectionBehavior(QAbstractItemView::SelectRows);
        ui::addCopyAction(&table);
        QCOMPARE(copiedFrom(table), u"before"_s); // too much to be meant
        table.selectRow(19'998);
        QCOMPARE(copiedFrom(table), u"1\t2\n19998\tx"_s);
    }

    void theMenuHasIt()
    {
        QTableWidget table;
        ui::addCopyAction(&table);
        QCOMPARE(table.contextMenuPolicy(), Qt::ActionsContextMenu);
        QCOMPARE(table.actions().size(), 1);
        QCOMPARE(table.actions().front()->text(), u"Copy"_s);
    }

private:
    static QString copiedFrom(QAbstractItemView &view)
    {
        view.show();
        if (!QTest::qWaitForWindowActive(&view))
            return u"not active"_s;
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        return QApplication::clipboard()->text();
    }
};

STAGELENS_TEST(ShellCopiedRows)

} // namespace ui_shell_copied_rows

#include "shell/copied_rows.moc"
