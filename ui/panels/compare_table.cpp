#include "ui/panels/compare_table.h"

#include "ui/controls/button_style.h"
#include "ui/controls/copied_rows.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/verdict.h"

#include <QEvent>
#include <QHeaderView>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>
#include <optional>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kWidestCell = 52; ///< in letters
constexpr int kRowRoom = 8;
constexpr int kColumnRoom = 12;
} // namespace

CompareTable::CompareTable(QWidget *parent) : QTableWidget(parent)
{
    setObjectName(u"compare.table"_s);
    setAccessibleName(Words::tr("What differs"));
    verticalHeader()->hide();
    fit();
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setTabKeyNavigation(false); // Tab moves to the next control
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    addCopyAction(this);
}

void CompareTable::addRow(const QString &what, const QStringList &cells)
{
    const int row = rowCount();
    insertRow(row);
    setItem(row, 0, new QTableWidgetItem(what));
    for (int column = 0; column < cells.size(); ++column) {
        auto *cell = new QTableWidgetItem(cells[column]);
        cell->setToolTip(plainTip(cells[column]));
        setItem(row, column + 1, cell);
    }
}

void CompareTable::setComparison(const Comparison &comparison, const QStringList &header)
{
    clearSpans();
    setRowCount(0);
    setColumnCount(static_cast<int>(header.size()));
    setHorizontalHeaderLabels(header);
    const int side = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, this);
    QPixmap empty(side, side);
    empty.fill(Qt::transparent);
    const QIcon none(empty);
    std::optional<ComparisonRow::Section> section;
    for (const ComparisonRow &row : comparison.rows) {
        if (row.section != section) {
            section = row.section;
            addRow(caption(row.section), {});
            setSpan(rowCount() - 1, 0, 1, columnCount());
        }
        QStringList cells;
        for (qsizetype i = 0; i < row.values.size(); ++i)
            cells << (row.verdicts[i].isEmpty() ? row.values[i] : row.values[i] + u"   "_s + row.verdicts[i]);
        addRow(row.what, cells);
        // An arrow would point up beside a smaller number. What has no check keeps its place, in line with the others.
        for (qsizetype i = 1; i < row.values.size(); ++i)
            item(rowCount() - 1, static_cast<int>(i) + 1)->setIcon(isBetter(row.verdicts[i]) ? glyphIcon(Glyph::Check) : none);
    }
    fit();
    horizontalHeader()->setStretchLastSection(true);
}

int CompareTable::contentHeight() const
{
    return horizontalHeader()->sizeHint().height() + rowCount() * verticalHeader()->defaultSectionSize() +
           horizontalScrollBar()->sizeHint().height() + 2 * frameWidth();
}

void CompareTable::fit()
{
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + kRowRoom);
    QFont bold = font();
    bold.setBold(true);
    for (int row = 0; row < rowCount(); ++row)
        if (columnSpan(row, 0) > 1)
            item(row, 0)->setFont(bold);
    resizeColumnsToContents();
    const int widest = kWidestCell * fontMetrics().averageCharWidth();
    for (int column = 0; column < columnCount(); ++column)
        setColumnWidth(column, std::min(columnWidth(column) + kColumnRoom, widest));
}

void CompareTable::changeEvent(QEvent *event)
{
    QTableWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fit();
}

} // namespace stagelens::ui
