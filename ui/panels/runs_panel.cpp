#include "ui/panels/runs_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// The rows that the unfolded table would like at most, and what it needs at least: in a low window it must not push the
/// picture away.
constexpr int kRows = 5;
constexpr int kFewestRows = 1;
} // namespace

RunsPanel::RunsPanel(QWidget *parent)
    : QWidget(parent), m_model(new RunTableModel(this)), m_header(new QWidget(this)), m_fold(new QToolButton(m_header)),
      m_compare(new QPushButton(u"Compare"_s, m_header)), m_table(new QTableView(this)),
      m_empty(new QLabel(u"No runs yet. Train (F5) trains the plan that you see and keeps the result here."_s, this))
{
    setObjectName(u"runs"_s);
    makeHeader();
    makeTable();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_empty->setContentsMargins(10, 6, 10, 6);
    m_empty->setAlignment(Qt::AlignTop);
    layout->addWidget(m_empty);
    layout->addWidget(m_table, 1);
    connect(m_model, &RunTableModel::tickedChanged, this, &RunsPanel::updateHeader);
    connect(m_model, &RunTableModel::renameAsked, this, &RunsPanel::renameAsked);
    updateHeader();
    setFolded(true);
}

void RunsPanel::makeHeader()
{
    auto *row = new QHBoxLayout(m_header);
    row->setContentsMargins(4, 1, 8, 1);
    m_fold->setObjectName(u"runs.fold"_s);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setAutoRaise(true);
    m_fold->setFocusPolicy(Qt::StrongFocus);
    m_fold->setToolTip(u"Fold or unfold the runs"_s);
    m_compare->setObjectName(u"runs.compare"_s);
    m_compare->setAutoDefault(false);
    row->addWidget(m_fold);
    row->addStretch(1);
    row->addWidget(m_compare);
    connect(m_fold, &QToolButton::clicked, this, [this] {
        setFolded(!m_folded);
        emit foldedByHand(m_folded);
    });
    connect(m_compare, &QPushButton::clicked, this, [this] {
        if (const auto ticked = m_model->ticked(); ticked.size() == 2)
            emit compareAsked(ticked[0], ticked[1]);
    });
}

void RunsPanel::makeTable()
{
    m_table->setObjectName(u"runs.table"_s);
    m_table->setAccessibleName(u"Runs"_s);
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setMinimumHeight(0);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 8);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(RunTableModel::Name, QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex &index) {
        if (const auto *run = m_model->run(index); run && index.column() != RunTableModel::Status)
            emit showAsked(run->id);
    });
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [this](const QString &caption, const QKeySequence &key, auto run) {
        auto *action = new QAction(caption, m_table);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        m_table->addAction(action);
        connect(action, &QAction::triggered, this, run);
    };
    add(u"Show"_s, Qt::Key_Return, [this] {
        if (const auto *run = current())
            emit showAsked(run->id);
    });
    add(u"Rename…"_s, Qt::Key_F2, [this] {
        if (const auto *run = current(); run)
            m_table->edit(m_table->currentIndex().siblingAtColumn(RunTableModel::Name));
    });
    add(u"Delete"_s, Qt::Key_Delete, [this] {
        if (const auto *run = current())
            emit deleteAsked(run->id);
    });
}

const store::RunSummary *RunsPanel::current() const
{
    return m_model->run(m_table->currentIndex());
}

void RunsPanel::setRuns(std::vector<store::RunSummary> runs, const std::set<store::RunId> &hidden)
{
    m_model->setRuns(std::move(runs), hidden);
    updateHeader();
    setFolded(m_folded);
}

void RunsPanel::updateHeader()
{
    m_fold->setText(u"Runs (%1)"_s.arg(m_model->rowCount()));
    const std::size_t ticked = m_model->ticked().size();
    m_compare->setEnabled(ticked == 2);
    m_compare->setText(ticked == 2 ? u"Compare the two ticked runs"_s : u"Compare"_s);
    m_compare->setToolTip(ticked == 2 ? u"Both timelines on one axis, and what differs"_s
                                      : u"Tick two runs in the first column to compare them"_s);
}

void RunsPanel::setFolded(bool folded)
{
    const bool wasShown = m_table->isVisibleTo(this);
    m_folded = folded;
    m_fold->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(!folded && any);
    m_empty->setVisible(!folded && !any);
    m_compare->setVisible(!folded && any);
    setMinimumHeight(folded ? 0 : any ? heightOf(kFewestRows) : m_empty->sizeHint().height());
    setMaximumHeight(folded ? 0 : QWIDGETSIZE_MAX);
    if (!wasShown && m_table->isVisibleTo(this))
        emit unfolded();
}

int RunsPanel::heightOf(int rows) const
{
    return m_table->horizontalHeader()->sizeHint().height() + rows * m_table->verticalHeader()->defaultSectionSize();
}

QSize RunsPanel::sizeHint() const
{
    const int height = m_folded                  ? 0
                       : m_model->rowCount() > 0 ? heightOf(std::min(kRows, m_model->rowCount()))
                                                 : m_empty->sizeHint().height();
    return {QWidget::sizeHint().width(), height};
}

QSize RunsPanel::minimumSizeHint() const
{
    return {QWidget::minimumSizeHint().width(), 0}; // the minimum height says the rest
}

} // namespace stagelens::ui
