#include "ui/controls/copied_rows.h"

#include "ui/words/tr.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <vector>

namespace stagelens::ui {
namespace {

constexpr int kMostRows = 10'000;

QHeaderView *headerOf(QAbstractItemView *view)
{
    if (auto *table = qobject_cast<QTableView *>(view))
        return table->horizontalHeader();
    auto *tree = qobject_cast<QTreeView *>(view);
    return tree != nullptr ? tree->header() : nullptr;
}

bool isHidden(QAbstractItemView *view, const QModelIndex &row)
{
    if (const auto *table = qobject_cast<QTableView *>(view))
        return table->isRowHidden(row.row());
    const auto *tree = qobject_cast<QTreeView *>(view);
    return tree != nullptr && tree->isRowHidden(row.row(), row.parent());
}

/// Adds the first cells of the rows below a parent, in the order in which they are shown.
void addRows(QAbstractItemView *view, const QModelIndex &parent, std::vector<QModelIndex> &rows)
{
    for (int row = 0; row < view->model()->rowCount(parent) && rows.size() <= kMostRows; ++row) {
        const QModelIndex first = view->model()->index(row, 0, parent);
        if (isHidden(view, first))
            continue;
        rows.push_back(first);
        addRows(view, first, rows);
    }
}

/// Of an icon, what a screen reader says.
QString textOf(const QModelIndex &cell)
{
    const QString text = cell.data(Qt::DisplayRole).toString();
    return text.isEmpty() ? cell.data(Qt::AccessibleTextRole).toString() : text;
}

QString copied(QAbstractItemView *view)
{
    const QHeaderView *header = headerOf(view);
    const QItemSelectionModel *selection = view->selectionModel();
    if (header == nullptr || selection == nullptr)
        return {};
    std::vector<int> columns;
    for (int place = 0; place < header->count(); ++place)
        if (const int column = header->logicalIndex(place); !header->isSectionHidden(column))
            columns.push_back(column);
    const bool all = !selection->hasSelection();
    std::vector<QModelIndex> rows;
    const QModelIndexList cells = all ? QModelIndexList() : selection->selectedIndexes();
    if (const qsizetype width = view->model()->columnCount();
        cells.size() == width && std::ranges::all_of(cells, [&](const QModelIndex &cell) {
            return cell.row() == cells.front().row() && cell.parent() == cells.front().parent();
        }))
        rows = {cells.front().siblingAtColumn(0)}; // one row, of a table of any size
    else
        addRows(view, {}, rows);
    if (rows.size() > kMostRows)
        return {};
    QStringList lines;
    bool areWhole = true;
    for (const QModelIndex &row : rows) {
        QStringList texts;
        for (const int column : columns)
            if (const QModelIndex cell = row.siblingAtColumn(column); all || selection->isSelected(cell))
                texts << textOf(cell);
        if (texts.isEmpty())
            continue;
        areWhole = areWhole && texts.size() == static_cast<qsizetype>(columns.size());
        lines << texts.join(u'\t');
    }
    if (areWhole && !lines.isEmpty()) {
        QStringList captions;
        for (const int column : columns)
            captions << view->model()->headerData(column, Qt::Horizontal).toString();
        lines.prepend(captions.join(u'\t'));
    }
    return lines.join(u'\n');
}

} // namespace

void addCopyAction(QAbstractItemView *view)
{
    auto *copy = new QAction(Words::tr("Copy"), view);
    copy->setObjectName(QStringLiteral("copy"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    view->addAction(copy);
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
    QObject::connect(copy, &QAction::triggered, view, [view] {
        if (const QString text = copied(view); !text.isEmpty())
            QGuiApplication::clipboard()->setText(text);
    });
}

} // namespace stagelens::ui
