#include "ui/panels/runs/runs_panel.h"
#include "ui/words/comparison.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// The rows that the unfolded table would like at most, and what it needs at least: in a low window it must not push the
/// picture away.
constexpr int kRows = 5;
constexpr int kFewestRows = 3;
/// A filter is applied after a pause in typing.
constexpr int kTypingMilliseconds = 150;
constexpr int kFilterWidth = 360;
constexpr int kCellPadding = 24;
constexpr int kEditorWidth = 240;

/// Fills an editor once: rows that change meanwhile must not replace what the user has typed.
class TypingDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setEditorData(QWidget *editor, const QModelIndex &index) const override
    {
        constexpr const char *kIsFilled = "stagelens.filled";
        if (editor->property(kIsFilled).toBool())
            return;
        editor->setProperty(kIsFilled, true);
        QStyledItemDelegate::setEditorData(editor, index);
    }
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::updateEditorGeometry(editor, option, index);
        const int room = editor->parentWidget()->width(); // at the edge of a narrow table a cell is too short to type in
        const int width = std::min(room, std::max(editor->width(), kEditorWidth));
        editor->setGeometry(std::clamp(editor->x(), 0, room - width), editor->y(), width, editor->height());
    }
};
} // namespace

RunsPanel::RunsPanel(QWidget *parent)
    : QWidget(parent), m_model(new RunTableModel(this)), m_header(new QWidget(this)), m_fold(new QToolButton(this)),
      m_filter(new QLineEdit(m_header)), m_import(new QPushButton(Words::tr("Import…"), m_header)),
      m_plot(new QPushButton(Words::tr("Plot…"), m_header)), m_compare(new QPushButton(Words::tr("Compare"), m_header)),
      m_table(new QTableView(this)), m_empty(plainLabel(this))
{
    setObjectName(u"runs"_s);
    makeHeader();
    makeTable();
    makeColumns();
    makeRowActions();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_empty->setObjectName(u"runs.empty"_s);
    m_empty->setContentsMargins(12, 8, 12, 8);
    m_empty->setAlignment(Qt::AlignTop);
    layout->addWidget(m_empty);
    layout->addWidget(m_table, 1);
    connect(m_model, &RunTableModel::tickedChanged, this, &RunsPanel::updateHeader);
    connect(m_model, &RunTableModel::renameAsked, this, &RunsPanel::renameAsked);
    connect(m_model, &RunTableModel::tagsAsked, this, [this](qint64 run, const QStringList &tags) {
        // Tags typed into one of several selected rows are given to all of them.
        const std::vector<qint64> all = selected();
        for (const qint64 each : std::ranges::count(all, run) > 0 ? all : std::vector{run})
            emit tagsAsked(each, tags);
    });
    connect(m_model, &RunTableModel::noteAsked, this, &RunsPanel::noteAsked);
    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingMilliseconds);
    connect(&m_typing, &QTimer::timeout, this, [this] { emit filterChanged(m_filter->text()); });
    updateHeader();
    setFolded(true);
}

void RunsPanel::makeHeader()
{
    auto *row = new QHBoxLayout(m_header);
    row->setContentsMargins(4, 4, 8, 4);
    m_fold->setObjectName(u"runs.fold"_s);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setAutoRaise(true);
    m_fold->setFocusPolicy(Qt::StrongFocus);
    m_fold->setToolTip(Words::tr("Fold or unfold the runs"));
    m_filter->setObjectName(u"runs.filter"_s);
    m_filter->setAccessibleName(Words::tr("Filter of the runs"));
    m_filter->setPlaceholderText(Words::tr("Filter: vocab-2, 4x16, 8192, a tag…"));
    m_filter->setToolTip(Words::tr("Shows the runs in whose name, schedule, method, kind, tags or note every word is found"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(kFilterWidth);
    m_import->setObjectName(u"runs.import"_s);
    m_import->setAutoDefault(false);
    m_import->setToolTip(Words::tr("Reads a measured timeline: Chrome or Kineto traces with events named PP:0F0"));
    m_plot->setObjectName(u"runs.plot"_s);
    m_plot->setAutoDefault(false);
    m_plot->setToolTip(Words::tr("Draws these runs as lines through their figures, to find those that are good in several"));
    m_compare->setObjectName(u"runs.compare"_s);
    m_compare->setAutoDefault(false);
    row->addWidget(m_filter, 1);
    row->addStretch(1);
    row->addWidget(m_import);
    row->addWidget(m_plot);
    row->addWidget(m_compare);
    connect(m_filter, &QLineEdit::textChanged, &m_typing, qOverload<>(&QTimer::start));
    connect(m_import, &QPushButton::clicked, this, &RunsPanel::importAsked);
    connect(m_plot, &QPushButton::clicked, this, &RunsPanel::plotAsked);
    connect(m_fold, &QToolButton::clicked, this, [this] { foldByHand(!m_folded); });
    connect(m_compare, &QPushButton::clicked, this, [this] { emit compareAsked(compared()); });
}

void RunsPanel::makeTable()
{
    m_table->setObjectName(u"runs.table"_s);
    m_table->setAccessibleName(Words::tr("Runs"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new TypingDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setTabKeyNavigation(false); // Tab moves to the next control
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setMinimumHeight(0);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 8);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPanel::updateHeader);
    // Queued: the editor is still open when it asks to be closed.
    connect(
        m_table->itemDelegate(), &QAbstractItemDelegate::closeEditor, this,
        [this] {
            if (!isTyping() && std::exchange(m_isWaiting, false))
                emit typingEnded();
        },
        Qt::QueuedConnection);
    connect(m_table->horizontalScrollBar(), &QScrollBar::rangeChanged, this, &RunsPanel::keepRowsInSight);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex &index) {
        if (const auto *run = m_model->run(index); run && index.column() != RunTableModel::Status)
            emit showAsked(run->id);
    });
}

void RunsPanel::makeColumns()
{
    QHeaderView *header = m_table->horizontalHeader();
    // Widths come from the longest usual text: measuring the rows would read them, and columns would jump while one scrolls.
    static const QStringList kLongest = {u"[x] interrupted 99/99"_s,
                                         u"10,000"_s,
                                         u"Interleaved 1F1B · rebalancing · 16x128"_s,
                                         u"2026-03-01 14:02"_s,
                                         u"Interleaved 1F1B; VOCAB-2; Devices 16"_s,
                                         Words::tr("Measured live"),
                                         u"1,000,000"_s,
                                         Words::tr("Bubble ^"),
                                         Words::tr("Peak memory ^"),
                                         u"1,234 ms"_s,
                                         u"10.82 → 10.03"_s,
                                         u"1000/1000"_s,
                                         u"paper, keep"_s,
                                         u"fan was loud, measured twice"_s};
    for (int column = 0; column < RunTableModel::ColumnCount; ++column) {
        m_table->setColumnWidth(column, header->fontMetrics().horizontalAdvance(kLongest.value(column)) + kCellPadding);
        m_table->setColumnHidden(column, !RunTableModel::isShownAtFirst(column));
    }
    header->moveSection(header->visualIndex(RunTableModel::Number), 0);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(RunTableModel::Differs, QHeaderView::Stretch);
    header->setHighlightSections(false);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setSortIndicator(m_sorted, Qt::DescendingOrder);
    connect(header, &QHeaderView::sectionClicked, this, &RunsPanel::sortBy);
    header->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (int column = RunTableModel::When; column < RunTableModel::ColumnCount; ++column) {
        auto *action = new QAction(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), header);
        action->setCheckable(true);
        action->setChecked(!m_table->isColumnHidden(column));
        header->addAction(action);
        connect(action, &QAction::toggled, this, [this, column](bool on) { m_table->setColumnHidden(column, !on); });
        connect(action, &QAction::toggled, this, &RunsPanel::columnsChanged);
    }
}

void RunsPanel::sortBy(int column)
{
    if (const auto order = RunTableModel::orderOf(column)) {
        m_reversed = column == m_sorted && !m_reversed;
        m_sorted = column;
        emit orderAsked(*order, m_reversed);
    }
    const bool ascending = store::isText(RunTableModel::orderOf(m_sorted).value_or(store::RunOrder::Newest)) != m_reversed;
    m_table->horizontalHeader()->setSortIndicator(m_sorted, ascending ? Qt::AscendingOrder : Qt::DescendingOrder);
}

QStringList RunsPanel::columns() const
{
    QStringList captions;
    for (const QAction *action : m_table->horizontalHeader()->actions())
        if (action->isChecked())
            captions << action->text();
    return captions;
}

void RunsPanel::setColumns(const QStringList &captions)
{
    for (QAction *action : m_table->horizontalHeader()->actions())
        action->setChecked(captions.contains(action->text()));
}

void RunsPanel::editCell(int column)
{
    if (!current())
        return;
    if (m_table->isColumnHidden(column))
        setColumns(columns() << m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    const QModelIndex cell = m_table->currentIndex().siblingAtColumn(column);
    m_table->selectionModel()->setCurrentIndex(cell, QItemSelectionModel::NoUpdate); // several may stay selected
    m_table->scrollTo(cell);
    m_table->edit(cell);
}

void RunsPanel::makeRowActions()
{
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [this](const QString &name, const QString &caption, const QKeySequence &key, auto run) {
        auto *action = new QAction(caption, m_table);
        action->setObjectName(u"runs."_s + name);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        m_table->addAction(action);
        connect(action, &QAction::triggered, this, run);
    };
    add(u"show"_s, Words::tr("Show with its plan"), Qt::Key_Return, [this] {
        if (const auto *run = current())
            emit showAsked(run->id);
    });
    add(u"tick"_s, Words::tr("Tick for comparing"), Qt::Key_Space, [this] {
        if (const auto *run = current())
            m_model->setTicked(run->id, !std::ranges::count(m_model->ticked(), run->id));
    });
    add(u"rename"_s, Words::tr("Rename…"), Qt::Key_F2, [this] { editCell(RunTableModel::Name); });
    add(u"tags"_s, Words::tr("Tags…"), Qt::Key_T, [this] { editCell(RunTableModel::Tags); });
    add(u"note"_s, Words::tr("Note…"), Qt::Key_N, [this] { editCell(RunTableModel::Note); });
    for (const auto &[format, caption] :
         {std::pair{u"chrome-trace"_s, Words::tr("Export as Chrome trace…")}, std::pair{u"csv"_s, Words::tr("Export as CSV…")},
          std::pair{u"json"_s, Words::tr("Export as JSON…")}})
        add(u"export."_s + format, caption, {}, [this, format = format] {
            if (const auto *run = current())
                emit exportAsked(run->id, format);
        });
    add(u"compare-selected"_s, Words::tr("Compare"), Qt::Key_C, [this] {
        if (m_compare->isEnabled())
            emit compareAsked(compared());
    });
    auto *apart = new QAction(m_table); // Delete is not beside what is clicked often
    apart->setSeparator(true);
    m_table->addAction(apart);
    add(u"delete"_s, Words::tr("Delete"), Qt::Key_Delete, [this] {
        if (const std::vector<qint64> runs = selected(); !runs.empty())
            emit deleteAsked(runs);
    });
}

const store::RunSummary *RunsPanel::current() const
{
    return m_model->run(m_table->currentIndex());
}

std::vector<qint64> RunsPanel::selected() const
{
    std::vector<qint64> runs;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
        if (const auto *run = m_model->run(row))
            runs.push_back(run->id);
    std::ranges::sort(runs);
    return runs;
}

std::vector<qint64> RunsPanel::compared() const
{
    const auto ticked = m_model->ticked();
    return ticked.empty() ? selected() : std::vector<qint64>(ticked.begin(), ticked.end());
}

bool RunsPanel::isTyping() const
{
    return m_table->isPersistentEditorOpen(m_table->currentIndex());
}

void RunsPanel::setRuns(const RunTable &table, const std::set<store::RunId> &hidden)
{
    m_isWaiting = isTyping(); // other rows would close the editor
    if (m_isWaiting)
        return;
    m_isRead = table.isRead;
    m_model->setRuns(table, hidden);
    updateHeader();
    setFolded(m_folded);
}

void RunsPanel::updateHeader()
{
    const int shown = m_model->rowCount();
    const int total = m_model->total();
    m_fold->setText(shown == total ? Words::tr("Runs (%1)").arg(countText(total))
                                   : Words::tr("Runs (%1 of %2)").arg(countText(shown), countText(total)));
    m_empty->setText(total > 0 ? Words::tr("No run has all these words. Clear the filter to see all %1.").arg(countText(total))
                     : !m_isRead
                         ? Words::tr("The stored runs are not read yet.")
                         : Words::tr("No runs yet. Train (F5) trains the plan that you see and keeps the result here."));
    const bool isTicked = !m_model->ticked().empty();
    const std::size_t count = compared().size();
    const bool canCompare = count >= 1 && count <= kMostCompared;
    m_compare->setEnabled(canCompare);
    m_compare->setText(!canCompare               ? Words::tr("Compare")
                       : count < kFewestCompared ? Words::tr("Compare with its prediction")
                       : isTicked                ? Words::tr("Compare the %1 ticked runs").arg(count)
                                                 : Words::tr("Compare the %1 selected runs").arg(count));
    m_compare->setToolTip(plainTip(canCompare ? Words::tr("Their timelines on one axis, and what differs")
                                              : Words::tr("Tick or select one to six runs to compare them")));
}

void RunsPanel::foldByHand(bool folded)
{
    setFolded(folded);
    emit foldedByHand();
}

void RunsPanel::setFolded(bool folded)
{
    const bool wasShown = m_table->isVisibleTo(this);
    if (std::exchange(m_folded, folded) != folded)
        emit foldedChanged(folded);
    m_fold->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(!folded && any);
    m_empty->setVisible(!folded && !any);
    m_filter->setVisible(m_model->total() > 0);
    m_plot->setVisible(any);
    m_compare->setVisible(any);
    keepRowsInSight();
    if (!wasShown && m_table->isVisibleTo(this))
        emit unfolded();
}

void RunsPanel::keepRowsInSight()
{
    setMinimumHeight(m_model->rowCount() > 0 ? heightOf(std::min(kFewestRows, m_model->rowCount()))
                                             : m_empty->sizeHint().height());
}

int RunsPanel::heightOf(int rows) const
{
    const QScrollBar *bar = m_table->horizontalScrollBar();
    return m_table->horizontalHeader()->sizeHint().height() + rows * m_table->verticalHeader()->defaultSectionSize() +
           (bar->maximum() > 0 ? bar->sizeHint().height() : 0);
}

QSize RunsPanel::sizeHint() const
{
    const int height = m_model->rowCount() > 0 ? heightOf(std::min(kRows, m_model->rowCount())) : m_empty->sizeHint().height();
    return {QWidget::sizeHint().width(), height};
}

QSize RunsPanel::minimumSizeHint() const
{
    return {QWidget::minimumSizeHint().width(), 0}; // the minimum height says the rest
}

} // namespace stagelens::ui
