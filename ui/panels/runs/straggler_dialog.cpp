#include "ui/panels/runs/straggler_dialog.h"

#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/words/plain_text.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kTableSize{720, 560};
constexpr int kRowRoom = 8; ///< of a row around its text
constexpr std::size_t kShownWorkers = 10;

QString nanosText(double nanos)
{
    return durationText(static_cast<base::Nanos>(std::llround(nanos)));
}

QString recoveredText(const std::optional<double> &share)
{
    return share ? percentText(std::abs(*share) < 0.0005 ? 0 : *share) : u"–"_s; // what rounds to nothing has no sign
}

QString slowdownText(double factor)
{
    return QString::number(factor, 'f', 3);
}

QString operationText(simulate::JobOperation operation)
{
    switch (operation) {
    case simulate::JobOperation::Forward: return Words::tr("Forwards");
    case simulate::JobOperation::Backward: return Words::tr("Backwards");
    case simulate::JobOperation::ForwardTransfer: return Words::tr("Messages of forwards");
    case simulate::JobOperation::BackwardTransfer: return Words::tr("Messages of backwards");
    case simulate::JobOperation::GatherParameters: return Words::tr("Gathers of parameters");
    case simulate::JobOperation::ReduceGradients: return Words::tr("Reductions of gradients");
    case simulate::JobOperation::CollectGarbage: return Words::tr("Garbage collection");
    case simulate::JobOperation::ReduceNorms: return Words::tr("Reductions of norm layers");
    case simulate::JobOperation::ReduceEmbedding: return Words::tr("Reductions of the embedding");
    case simulate::JobOperation::ReduceSeparate: return Words::tr("Reductions after the passes");
    case simulate::JobOperation::ClipGradients: return Words::tr("Gradient norm");
    case simulate::JobOperation::Optimize: return Words::tr("Optimizer");
    }
    return {};
}

QString headingText(const service::StragglerAnalysis &analysis)
{
    const simulate::StragglerReport &report = analysis.report;
    QString text = Words::tr("A step takes %1 measured, %2 replayed, and %3 if all parts of a kind take the same time.")
                       .arg(nanosText(report.measured), nanosText(report.actual), nanosText(report.ideal));
    text += u' ';
    if (report.slowestRecovered)
        text +=
            Words::tr("Stragglers make it %1 times as long. Fixing the last device recovers %2 of the lost time, fixing the "
                      "slowest %3 of %4 workers %5.")
                .arg(slowdownText(report.slowdown), recoveredText(report.lastDeviceRecovered()))
                .arg(report.slowestWorkers)
                .arg(report.workerCount)
                .arg(recoveredText(report.slowestRecovered));
    else
        text += Words::tr("Its stragglers lose no time.");
    if (analysis.skewedMessages > 0)
        text +=
            u' ' +
            Words::tr("Messages that end before they begin, by the clocks of their workers: %1.").arg(analysis.skewedMessages);
    return text;
}

} // namespace

StragglerDialog::StragglerDialog(const QString &file, std::shared_ptr<const service::StragglerAnalysis> analysis,
                                 QWidget *parent)
    : QDialog(parent), m_analysis(std::move(analysis)), m_tree(new QTreeWidget(this))
{
    setObjectName(u"stragglers"_s);
    setWindowTitle(Words::tr("Stragglers of %1").arg(file));
    auto *heading = plainLabel(headingText(*m_analysis), this);
    heading->setObjectName(u"stragglers.heading"_s);
    heading->setWordWrap(true);
    heading->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_tree->setObjectName(u"stragglers.tree"_s);
    m_tree->setAccessibleName(Words::tr("What if a part were fixed"));
    m_tree->setColumnCount(kColumns);
    m_tree->setHeaderLabels(
        {Words::tr("Part"), Words::tr("Step if fixed"), Words::tr("Recovers"), Words::tr("Slow-down alone")});
    m_tree->headerItem()->setData(StepColumn, Qt::ToolTipRole,
                                  plainTip(Words::tr("The part takes the mean of all, the others what they took")));
    m_tree->headerItem()->setData(RecoveredColumn, Qt::ToolTipRole,
                                  plainTip(Words::tr("Share of the time that stragglers lose")));
    m_tree->headerItem()->setData(
        AloneColumn, Qt::ToolTipRole,
        plainTip(Words::tr("The step if only this part took what it took, relative to the even step")));
    m_tree->setRootIsDecorated(false);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setTabKeyNavigation(false);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(PartColumn, QHeaderView::Stretch);
    m_tree->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto *copyAction = new QAction(Words::tr("Copy"), m_tree);
    copyAction->setShortcut(QKeySequence::Copy);
    copyAction->setShortcutContext(Qt::WidgetShortcut);
    m_tree->addAction(copyAction);
    connect(copyAction, &QAction::triggered, this, &StragglerDialog::copy);
    auto *buttons = dialogButtons(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(heading);
    layout->addWidget(m_tree, 1);
    layout->addWidget(buttons);
    fill();
    resizeWithinScreen(*this, kTableSize);
}

QTreeWidgetItem *StragglerDialog::addGroup(const QString &text)
{
    auto *group = new QTreeWidgetItem(m_tree, {text});
    group->setFlags(Qt::ItemIsEnabled);
    QFont bold = font();
    bold.setBold(true);
    group->setFont(PartColumn, bold);
    group->setSizeHint(PartColumn, {0, fontMetrics().height() + kRowRoom});
    group->setFirstColumnSpanned(true);
    group->setExpanded(true);
    return group;
}

void StragglerDialog::addPart(QTreeWidgetItem *group, const QString &name, const simulate::StragglerPart &part)
{
    auto *item =
        new QTreeWidgetItem(group, {name, nanosText(part.fixed), recoveredText(part.recovered), slowdownText(part.slowdown)});
    item->setSizeHint(PartColumn, {0, fontMetrics().height() + kRowRoom});
    for (int column = StepColumn; column < kColumns; ++column) {
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        m_tree->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
}

void StragglerDialog::fill()
{
    const simulate::StragglerReport &report = m_analysis->report;
    QTreeWidgetItem *devices = addGroup(Words::tr("Devices"));
    for (std::size_t device = 0; device < report.devices.size(); ++device)
        addPart(devices, Words::tr("Device %1").arg(device), report.devices[device]);
    if (report.replicas.size() > 1) {
        QTreeWidgetItem *replicas = addGroup(Words::tr("Replicas"));
        for (std::size_t replica = 0; replica < report.replicas.size(); ++replica)
            addPart(replicas, Words::tr("Replica %1").arg(replica), report.replicas[replica]);
        QTreeWidgetItem *workers = addGroup(Words::tr("Slowest workers"));
        for (std::size_t i = 0; i < std::min(report.workers.size(), kShownWorkers); ++i)
            addPart(workers, Words::tr("Device %1 of replica %2").arg(report.workers[i].device).arg(report.workers[i].replica),
                    report.workers[i].part);
    }
    QTreeWidgetItem *operations = addGroup(Words::tr("Operations"));
    for (std::size_t kind = 0; kind < simulate::kJobOperations; ++kind)
        if (const auto &part = report.operations[kind])
            addPart(operations, operationText(static_cast<simulate::JobOperation>(kind)), *part);
}

/// Copies all rows, with tabs between the columns.
void StragglerDialog::copy() const
{
    QStringList lines;
    const auto add = [&lines](const QTreeWidgetItem &item) {
        QStringList cells;
        for (int column = 0; column < kColumns; ++column)
            cells << item.text(column);
        lines << cells.join(u'\t').trimmed();
    };
    add(*m_tree->headerItem());
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        add(*m_tree->topLevelItem(i));
        for (int row = 0; row < m_tree->topLevelItem(i)->childCount(); ++row)
            add(*m_tree->topLevelItem(i)->child(row));
    }
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

} // namespace stagelens::ui
