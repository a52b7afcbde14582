#include "ui/panels/pass_table.h"

#include "ui/controls/copied_rows.h"
#include "ui/state/pass_table_model.h"
#include "ui/words/tr.h"

#include <QHeaderView>

#include <algorithm>

namespace stagelens::ui {

PassTable::PassTable(ViewState *state, QWidget *parent) : QTableView(parent), m_state(state), m_model(new PassTableModel(this))
{
    setObjectName(QStringLiteral("passes.table"));
    setAccessibleName(Words::tr("Passes"));
    setModel(m_model);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setStretchLastSection(true);
    constexpr int kRoom = 18;
    const int duration = fontMetrics().horizontalAdvance(QStringLiteral("88.8 ms"));
    for (int column = 0; column < m_model->columnCount(); ++column)
        setColumnWidth(
            column, kRoom + std::max(duration, fontMetrics().horizontalAdvance(
                                                   m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString())));
    horizontalHeader()->setHighlightSections(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setTabKeyNavigation(false); // Tab moves to the next control
    setSelectionMode(QAbstractItemView::SingleSelection);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    addCopyAction(this);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &row) {
        if (row.isValid())
            m_state->select(m_model->selectionAt(row.row()));
    });
    connect(m_state, &ViewState::selectionChanged, this, &PassTable::follow);
}

void PassTable::setContent(const TimelineContent &content)
{
    m_model->setContent(content);
    resizeColumnToContents(0);
    follow();
}

void PassTable::showEvent(QShowEvent *event)
{
    QTableView::showEvent(event);
    // Only now the rows have places.
    QMetaObject::invokeMethod(
        this, [this] { scrollTo(currentIndex(), QAbstractItemView::PositionAtCenter); }, Qt::QueuedConnection);
}

void PassTable::follow()
{
    const int row = m_state->selection() ? m_model->rowOf(*m_state->selection()) : -1;
    if (row < 0)
        clearSelection();
    else if (row != currentIndex().row())
        setCurrentIndex(m_model->index(row, 0));
}

} // namespace stagelens::ui
