#include "ui/panels/compare_panel.h"

#include "ui/bridge/differences.h"
#include "ui/bridge/verdict.h"
#include "ui/bridge/words.h"
#include "ui/panels/message_bar.h"
#include "ui/shell/view_state.h"
#include "ui/timeline/timeline_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kUnknown = u"–"_s;

LaneGroup groupOf(const QString &chip, const service::RunSnapshot &run)
{
    LaneGroup group;
    group.timeline = run.record.timeline;
    group.schedule = run.schedule;
    group.metrics = run.record.metrics.value_or(simulate::Metrics{});
    group.caption = u"%1 · %2 · run %3"_s.arg(chip, caption(run.record.summary.kind)).arg(run.record.summary.id);
    return group;
}

base::Bytes peakOf(const service::RunSnapshot &run)
{
    if (!run.record.metrics || run.record.metrics->peakMemory.empty())
        return 0;
    return *std::max_element(run.record.metrics->peakMemory.begin(), run.record.metrics->peakMemory.end());
}

double tokensOfStep(const model::Experiment &experiment)
{
    return static_cast<double>(experiment.parallel.microbatches) * experiment.parallel.microbatchSize *
           experiment.model.sequence;
}

} // namespace

ComparePanel::ComparePanel(QWidget *parent)
    : QWidget(parent), m_view(new ViewState(this)), m_bar(new MessageBar(u"compare.bar"_s, this)),
      m_empty(new QLabel(u"Tick two runs in the table of runs to compare them here."_s, this)),
      m_timeline(new TimelineView(m_view, this)), m_table(new QTableWidget(0, 4, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_bar);
    m_empty->setAlignment(Qt::AlignCenter);
    layout->addWidget(m_empty, 1);
    m_table->setObjectName(u"compare.table"_s);
    m_table->setAccessibleName(u"What differs"_s);
    m_table->setHorizontalHeaderLabels({u"What differs"_s, u"A"_s, u"B"_s, u"B against A"_s});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 8);
    // The figures of A and B share what the words and the verdict leave.
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    for (const int column : {0, 3})
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    auto *splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(m_timeline);
    splitter->addWidget(m_table);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    layout->addWidget(splitter, 4);
    splitter->hide();
}

void ComparePanel::setRuns(const service::RunSnapshotPtr &first, const service::RunSnapshotPtr &second)
{
    m_first = first;
    m_second = second;
    m_empty->hide();
    m_table->parentWidget()->show();
    TimelineContent content;
    for (const auto &[chip, run] : {std::pair{u"A"_s, first}, std::pair{u"B"_s, second}}) {
        if (run->record.timeline)
            content.groups.push_back(groupOf(chip, *run));
    }
    m_timeline->setContent(std::move(content));
    m_view->fit();
    fillTable();
    warn();
}

void ComparePanel::addRow(const QString &what, const QString &first, const QString &second, const QString &verdict)
{
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    int column = 0;
    for (const QString &text : {what, first, second, verdict})
        m_table->setItem(row, column++, new QTableWidgetItem(text));
}

void ComparePanel::fillTable()
{
    m_table->setRowCount(0);
    const store::RunRecord &a = m_first->record;
    const store::RunRecord &b = m_second->record;
    addRow(u"Run"_s, runName(a.summary), runName(b.summary), {});
    for (const FieldDifference &difference : differences(a.experiment, b.experiment))
        addRow(fieldCaption(difference.field), difference.first, difference.second, {});
    for (const auto &[key, value] : a.environment) {
        const auto other = b.environment.find(key);
        if (other != b.environment.end() && other->second != value)
            addRow(qtText(key), qtText(value), qtText(other->second), {});
    }
    const Spread spreadA = spreadOf(a.iterations);
    const Spread spreadB = spreadOf(b.iterations);
    const bool sameTokens = tokensOfStep(a.experiment) == tokensOfStep(b.experiment);
    const QString verdict = iterationVerdict(spreadA, spreadB);
    const auto tokens = [](const store::RunRecord &run) {
        return run.summary.tokensPerSecond ? countText(*run.summary.tokensPerSecond) : kUnknown;
    };
    const auto addTokens = [&] {
        addRow(u"Tokens/s"_s, tokens(a), tokens(b),
               a.summary.tokensPerSecond && b.summary.tokensPerSecond
                   ? figureVerdict(*b.summary.tokensPerSecond, *a.summary.tokensPerSecond, true)
                   : QString());
    };
    if (!sameTokens)
        addTokens();
    addRow(u"Iteration, median (quartiles)"_s, spreadText(spreadA), spreadText(spreadB), sameTokens ? verdict : QString());
    if (sameTokens)
        addTokens();
    if (a.metrics && b.metrics)
        addRow(u"Bubble"_s, shareText(a.metrics->bubbleRatio), shareText(b.metrics->bubbleRatio),
               figureVerdict(b.metrics->bubbleRatio, a.metrics->bubbleRatio, false));
    const base::Bytes peakA = peakOf(*m_first);
    const base::Bytes peakB = peakOf(*m_second);
    addRow(u"Peak memory"_s, peakA > 0 ? bytesText(peakA) : kUnknown, peakB > 0 ? bytesText(peakB) : kUnknown,
           peakA > 0 && peakB > 0 ? figureVerdict(static_cast<double>(peakB), static_cast<double>(peakA), false) : QString());
    const auto loss = [](const store::RunRecord &run) {
        return run.losses.empty() ? kUnknown : QString::number(run.losses.back(), 'f', 4);
    };
    addRow(u"Loss after the last step"_s, loss(a), loss(b), {});
}

void ComparePanel::warn()
{
    const store::RunRecord &a = m_first->record;
    const store::RunRecord &b = m_second->record;
    QStringList doubts;
    if (a.summary.kind != b.summary.kind)
        doubts << u"A is %1 and B is %2: two kinds of measurement."_s.arg(caption(a.summary.kind), caption(b.summary.kind));
    const auto differsIn = [&](const char *key) {
        const auto x = a.environment.find(key);
        const auto y = b.environment.find(key);
        return x != a.environment.end() && y != b.environment.end() && x->second != y->second;
    };
    if (differsIn("host") || differsIn("cpu"))
        doubts << u"They were measured on different machines."_s;
    if (tokensOfStep(a.experiment) != tokensOfStep(b.experiment))
        doubts << u"They train different numbers of tokens a step: compare tokens/s."_s;
    if (doubts.isEmpty())
        m_bar->clear();
    else
        m_bar->say(MessageBar::Tone::Warning, doubts.join(u' '));
}

} // namespace stagelens::ui
