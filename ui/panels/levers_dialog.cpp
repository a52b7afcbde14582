#include "ui/panels/levers_dialog.h"

#include "ui/canvas/colours.h"
#include "ui/controls/button_style.h"
#include "ui/controls/copied_rows.h"
#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/state/latest_job.h"
#include "ui/words/lever_words.h"
#include "ui/words/plain_text.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <atomic>
#include <cstdlib>
#include <map>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kBoardSize{980, 640};
constexpr int kProgressMilliseconds = 100;
constexpr int kNumber = Qt::UserRole; ///< of an item: index of its lever, combinations after the levers; absent: a group
constexpr int kOptions = kNumber + 1; ///< its options of the command line
enum Column : int { LeverColumn, MemoryColumn, SavedColumn, TimeColumn, LostColumn, NumbersColumn, FrontColumn, kColumns };

/// "−1.2 MiB", "+3 MiB" or "±0".
QString signedBytes(base::Bytes change)
{
    return change == 0 ? u"±0"_s : (change < 0 ? u"−"_s : u"+"_s) + bytesText(std::abs(change));
}

} // namespace

/// Written by the engine's thread and read by a timer.
struct LeversDialog::Progress {
    std::atomic<std::size_t> done = 0;
    std::atomic<std::size_t> total = 0;
};

LeversDialog::LeversDialog(EngineBridge *bridge, QWidget *parent)
    : QDialog(parent), m_bridge(bridge), m_job(new LatestJob(bridge, this)), m_heading(plainLabel(this)),
      m_tree(new QTreeWidget(this)), m_onlyFront(new QCheckBox(Words::tr("Only the Pareto front"), this)),
      m_bar(new QProgressBar(this)), m_cancel(new QPushButton(Words::tr("Cancel"), this))
{
    setObjectName(u"levers"_s);
    setWindowTitle(Words::tr("Levers"));
    m_heading->setObjectName(u"levers.heading"_s);
    m_heading->setWordWrap(true);
    m_tree->setObjectName(u"levers.tree"_s);
    m_tree->setAccessibleName(Words::tr("Levers"));
    m_tree->setColumnCount(kColumns);
    m_tree->setHeaderLabels({Words::tr("Lever"), Words::tr("Fullest device"), Words::tr("Change"), Words::tr("Iteration"),
                             Words::tr("Change"), Words::tr("Numbers"), Words::tr("Front")});
    m_tree->setRootIsDecorated(false);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setTabKeyNavigation(false);
    m_tree->setWordWrap(true);
    m_tree->setTextElideMode(Qt::ElideNone);
    connect(m_tree->header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (column == LeverColumn)
            fitRows();
    });
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(LeverColumn, QHeaderView::Stretch);
    addCopyAction(m_tree);
    m_tree->headerItem()->setTextAlignment(FrontColumn, Qt::AlignCenter);
    for (const int column : {MemoryColumn, SavedColumn, TimeColumn, LostColumn})
        m_tree->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_onlyFront->setObjectName(u"levers.front"_s);
    m_onlyFront->setToolTip(plainTip(Words::tr("Rows that no other beats in memory, time and numbers together")));
    m_bar->setObjectName(u"levers.progress"_s);
    m_bar->setAccessibleName(Words::tr("Predictions"));
    m_cancel->setObjectName(u"levers.cancel"_s);
    m_cancel->setAutoDefault(false);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_heading);
    layout->addWidget(m_tree, 1);
    layout->addWidget(makeButtons());
    resizeWithinScreen(*this, kBoardSize);
    connect(m_onlyFront, &QCheckBox::toggled, this, &LeversDialog::hideOthers);
    connect(m_cancel, &QPushButton::clicked, this, &LeversDialog::cancel);
    connect(m_tree, &QTreeWidget::itemSelectionChanged, this, [this] { m_apply->setEnabled(selected() != nullptr); });
    connect(m_tree, &QTreeWidget::itemActivated, this, &LeversDialog::apply);
    m_clock.setInterval(kProgressMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &LeversDialog::showProgress);
    showProgress();
}

QWidget *LeversDialog::makeButtons()
{
    auto *row = new QWidget(this);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *buttons = dialogButtons(QDialogButtonBox::Close, row);
    m_apply = buttons->addButton(Words::tr("Apply to the plan"), QDialogButtonBox::ActionRole);
    m_apply->setObjectName(u"levers.apply"_s);
    m_apply->setAutoDefault(false);
    m_apply->setEnabled(false);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    layout->addWidget(m_onlyFront);
    layout->addWidget(m_bar, 1);
    layout->addWidget(m_cancel);
    layout->addStretch();
    layout->addWidget(buttons);
    connect(m_apply, &QPushButton::clicked, this, &LeversDialog::apply);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return row;
}

bool LeversDialog::isComputing() const
{
    return m_job->isRunning();
}

void LeversDialog::setPlan(const service::PredictionPtr &plan)
{
    if (plan == m_plan)
        return;
    m_plan = plan;
    compute();
}

void LeversDialog::compute()
{
    m_job->cancel();
    m_clock.stop();
    m_tree->setEnabled(false); // the rows are of another plan
    if (!m_plan) {
        showProgress();
        return;
    }
    m_progress = std::make_shared<Progress>();
    m_clock.start();
    m_job->start(
        [plan = m_plan, cores = m_bridge->cores(), progress = m_progress](const std::stop_token &stop) {
            return service::leverBoard(*plan, cores, {stop, [progress](const service::SearchProgress &now) {
                                                          progress->total = now.total;
                                                          progress->done = now.done;
                                                      }});
        },
        [this](const base::Result<service::LeverBoard> &board) { take(board); });
    showProgress();
}

void LeversDialog::cancel()
{
    m_job->cancel();
    m_clock.stop();
    showProgress();
    m_heading->setText(Words::tr("Cancelled. A change of the plan starts it again."));
}

void LeversDialog::take(const base::Result<service::LeverBoard> &board)
{
    m_clock.stop();
    showProgress();
    m_board = board ? *board : service::LeverBoard();
    m_heading->setText(board ? boardText(m_board) : Words::tr("There are no levers. ") + sentence(board.error()));
    m_tree->setEnabled(true);
    fill();
}

void LeversDialog::showProgress()
{
    const bool isRunning = m_job->isRunning();
    m_bar->setVisible(isRunning);
    m_cancel->setVisible(isRunning);
    if (!isRunning)
        return;
    m_bar->setMaximum(static_cast<int>(m_progress->total));
    m_bar->setValue(static_cast<int>(m_progress->done));
}

void LeversDialog::fill()
{
    m_tree->clear();
    std::map<service::LeverKind, QTreeWidgetItem *> groups;
    const auto addGroup = [this](const QString &text) {
        auto *group = new QTreeWidgetItem(m_tree, {text});
        group->setFlags(Qt::ItemIsEnabled);
        QFont bold = font();
        bold.setBold(true);
        group->setFont(LeverColumn, bold);
        group->setFirstColumnSpanned(true);
        group->setExpanded(true);
        group->setSizeHint(LeverColumn, {0, fontMetrics().height() + 10});
        return group;
    };
    int number = 0;
    for (const service::Lever &lever : m_board.levers) {
        QTreeWidgetItem *&group = groups[lever.kind];
        if (group == nullptr)
            group = addGroup(leverKindText(lever.kind));
        addLever(group, lever, number++);
    }
    if (!m_board.combinations.empty()) {
        QTreeWidgetItem *group = addGroup(Words::tr("Combinations"));
        for (const service::Lever &lever : m_board.combinations)
            addLever(group, lever, number++);
    }
    constexpr int kRoom = 14;
    constexpr int kLeastLever = 200;
    constexpr int kLeastNumbers = 90;
    for (int column = MemoryColumn; column < kColumns; ++column) {
        m_tree->resizeColumnToContents(column);
        m_tree->setColumnWidth(column, m_tree->columnWidth(column) + kRoom);
    }
    int missing = kLeastLever - m_tree->viewport()->width();
    for (int column = MemoryColumn; column < kColumns; ++column)
        missing += m_tree->columnWidth(column);
    if (missing > 0) // in a small window these words take lines, too
        m_tree->setColumnWidth(NumbersColumn, std::max(m_tree->columnWidth(NumbersColumn) - missing, kLeastNumbers));
    fitRows();
    hideOthers();
}

void LeversDialog::fitRows()
{
    constexpr int kAroundText = 24;
    const auto height = [this](const QTreeWidgetItem &item, int column, int room) {
        const QRect place(0, 0, std::max(room - kAroundText, 1), QWIDGETSIZE_MAX);
        return fontMetrics().boundingRect(place, Qt::TextWordWrap, item.text(column)).height();
    };
    const int room = m_tree->columnWidth(LeverColumn) - m_tree->indentation();
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i)
        for (int row = 0; row < m_tree->topLevelItem(i)->childCount(); ++row) {
            QTreeWidgetItem *item = m_tree->topLevelItem(i)->child(row);
            const int lines =
                std::max(height(*item, LeverColumn, room), height(*item, NumbersColumn, m_tree->columnWidth(NumbersColumn)));
            item->setSizeHint(LeverColumn, {0, lines + 6});
        }
}

void LeversDialog::addLever(QTreeWidgetItem *group, const service::Lever &lever, int number)
{
    auto *item = new QTreeWidgetItem(group, {leverText(lever, m_board)});
    item->setData(LeverColumn, kNumber, number);
    item->setData(LeverColumn, kOptions, qtText(lever.options));
    item->setData(LeverColumn, Qt::ToolTipRole, plainTip(item->text(LeverColumn) + u'\n' + qtText(lever.options)));
    item->setText(NumbersColumn, numbersText(lever.numbers));
    item->setData(NumbersColumn, Qt::ToolTipRole, plainTip(numbersTip(lever.numbers)));
    for (const int column : {MemoryColumn, SavedColumn, TimeColumn, LostColumn})
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(FrontColumn, Qt::AlignCenter);
    if (!lever.iteration || !lever.peakMemory) {
        item->setText(MemoryColumn, Words::tr("Not possible"));
        item->setFlags(Qt::ItemIsEnabled);
        const Colours &tones = coloursFor(palette());
        for (int column = 0; column < kColumns; ++column) {
            item->setForeground(column, tones.muted);
            if (!lever.refusal.empty())
                item->setData(column, Qt::ToolTipRole, plainTip(sentence(base::Error::invalid(lever.refusal))));
        }
        return;
    }
    const double change = static_cast<double>(*lever.iteration) / static_cast<double>(m_board.iteration) - 1;
    item->setText(MemoryColumn, bytesText(*lever.peakMemory));
    item->setText(SavedColumn, signedBytes(*lever.peakMemory - m_board.peakMemory));
    item->setText(TimeColumn, durationText(*lever.iteration));
    item->setText(LostColumn, *lever.iteration == m_board.iteration ? u"±0 %"_s : percentText(change));
    item->setIcon(FrontColumn, lever.isOnFront ? glyphIcon(Glyph::Dot) : QIcon());
    item->setData(FrontColumn, Qt::AccessibleTextRole, lever.isOnFront ? Words::tr("nothing is better") : QString());
    if (m_board.limit && *lever.peakMemory > *m_board.limit) {
        item->setForeground(MemoryColumn, coloursFor(palette()).alarm);
        item->setData(MemoryColumn, Qt::ToolTipRole,
                      plainTip(Words::tr("Does not fit into %1").arg(bytesText(*m_board.limit))));
    }
}

void LeversDialog::hideOthers()
{
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        QTreeWidgetItem *group = m_tree->topLevelItem(i);
        bool isEmpty = true;
        for (int row = 0; row < group->childCount(); ++row) {
            QTreeWidgetItem *item = group->child(row);
            item->setHidden(m_onlyFront->isChecked() && item->text(FrontColumn).isEmpty());
            isEmpty = isEmpty && item->isHidden();
        }
        group->setHidden(isEmpty);
    }
}

const service::Lever *LeversDialog::selected() const
{
    const QList<QTreeWidgetItem *> items = m_tree->selectedItems();
    const QVariant number = items.isEmpty() ? QVariant() : items.constFirst()->data(LeverColumn, kNumber);
    if (!number.isValid())
        return nullptr;
    const auto index = static_cast<std::size_t>(number.toInt());
    const std::size_t count = m_board.levers.size();
    return index < count ? &m_board.levers[index] : &m_board.combinations[index - count];
}

void LeversDialog::apply()
{
    if (const service::Lever *lever = selected(); lever != nullptr && lever->iteration) {
        const QString words = lever->parts.empty() ? leverKindText(lever->kind) + u": "_s + leverText(*lever, m_board)
                                                   : leverText(*lever, m_board);
        emit applied(words, model::Experiment(lever->experiment));
    }
}

} // namespace stagelens::ui
