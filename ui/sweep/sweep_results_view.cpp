#include "ui/sweep/sweep_results_view.h"

#include "engine/base/file.h"
#include "ui/controls/flow_layout.h"
#include "ui/controls/number_box.h"
#include "ui/controls/save_dialog.h"
#include "ui/pages/picture_export.h"
#include "ui/state/experiment_document.h"
#include "ui/sweep/sweep_content.h"
#include "ui/sweep/sweep_multiples.h"
#include "ui/sweep/sweep_plot.h"
#include "ui/words/comparison.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QEvent>
#include <QGraphicsOpacityEffect>
#include <QLabel>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kGap = 8;
constexpr int kDefaultAllowance = 5; ///< per cent
constexpr double kStaleOpacity = 0.5;
} // namespace

SweepResultsView::SweepResultsView(const SweepOutcomes *outcomes, ExperimentDocument *document, QWidget *parent)
    : QWidget(parent), m_outcomes(outcomes), m_document(document), m_metric(&sweepMetrics().front())
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGap);
    makePlots();
    layout->addWidget(m_picture, 1);
    QWidget *actions = makeActions();
    layout->addWidget(makeGoal(), 0, Qt::AlignLeft); // a line of its own: both rows fit a screen of 683 pixels
    layout->addWidget(actions);
}

void SweepResultsView::makePlots()
{
    m_picture = new QWidget(this);
    auto *column = new QVBoxLayout(m_picture);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    m_grey = new QGraphicsOpacityEffect(m_picture);
    m_grey->setOpacity(kStaleOpacity);
    m_grey->setEnabled(false);
    m_picture->setGraphicsEffect(m_grey);
    m_legend = new QWidget(m_picture);
    auto *legend = new FlowLayout(m_legend, 2 * kGap, 4);
    legend->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_legend);
    m_metricPlot = new SweepMultiples(u"sweep.metricPlot"_s, this);
    m_memoryPlot = new SweepPlot(u"sweep.memoryPlot"_s, this);
    const auto follow = [this]<class Plot>(Plot *plot) {
        connect(plot, &Plot::pointed, this, &SweepResultsView::highlight);
        connect(plot, &Plot::chosen, this, &SweepResultsView::chooseByHand);
        connect(plot, &Plot::opened, this, &SweepResultsView::open);
    };
    follow(m_metricPlot);
    follow(m_memoryPlot);
    auto *plots = new QSplitter(Qt::Horizontal, m_picture);
    plots->addWidget(m_metricPlot);
    plots->addWidget(m_memoryPlot);
    plots->setChildrenCollapsible(false);
    column->addWidget(plots, 1);
}

void SweepResultsView::setStale(bool on)
{
    m_grey->setEnabled(on && hasResults());
}

QWidget *SweepResultsView::makeActions()
{
    auto *actions = new QWidget(this);
    m_point = plainLabel(this);
    m_point->setObjectName(u"sweep.point"_s);
    m_point->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_point->setWordWrap(true);
    m_vary = new QPushButton(Words::tr("Vary the schedule"), this);
    m_vary->setObjectName(u"sweep.vary"_s);
    m_vary->setToolTip(Words::tr("Tries the schedules that suit this plan in place of the parameter above"));
    m_vary->hide();
    connect(m_vary, &QPushButton::clicked, this, &SweepResultsView::schedulesAsked);
    m_open = new QPushButton(Words::tr("Open in Explore"), this);
    m_open->setObjectName(u"sweep.open"_s);
    m_open->setToolTip(Words::tr("Makes the chosen point's plan the experiment (double-click or Return on the point)"));
    connect(m_open, &QPushButton::clicked, this, [this] { open(m_chosen); });
    m_compare = new QPushButton(Words::tr("Compare the series"), this);
    m_compare->setObjectName(u"sweep.compare"_s);
    m_compare->setToolTip(Words::tr("Puts the plans of the marked point's series side by side: two to six; of more, it and the "
                                    "fastest others"));
    connect(m_compare, &QPushButton::clicked, this, [this] { emit compareAsked(m_outcomes->series(m_chosen, kMostCompared)); });
    m_export = new QPushButton(Words::tr("Export…"), this);
    m_export->setObjectName(u"sweep.export"_s);
    m_export->setToolTip(Words::tr("The figures as CSV or JSON, or the picture as PNG, SVG or PDF"));
    connect(m_export, &QPushButton::clicked, this, &SweepResultsView::askForFile);
    auto *row = new QHBoxLayout(actions);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kGap);
    row->addWidget(m_point, 1);
    row->addWidget(m_vary);
    row->addWidget(m_export);
    row->addWidget(m_compare);
    row->addWidget(m_open);
    return actions;
}

QWidget *SweepResultsView::makeGoal()
{
    auto *goal = new QWidget(this);
    auto *row = new QHBoxLayout(goal);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    m_goal = new QCheckBox(Words::tr("&Mark the least memory, slower by at most"), goal);
    m_goal->setObjectName(u"sweep.goal"_s);
    m_goal->setToolTip(Words::tr("Which of the plans that do the same work is marked in both plots; unticked, the fastest is"));
    m_allowance = new NumberBox(goal);
    m_allowance->setObjectName(u"sweep.allowance"_s);
    m_allowance->setAccessibleName(Words::tr("Slower by at most"));
    m_allowance->setRange(0, 100);
    m_allowance->setValue(kDefaultAllowance);
    m_allowance->setSuffix(u" %"_s);
    row->addWidget(m_goal);
    row->addWidget(m_allowance);
    connect(m_goal, &QCheckBox::toggled, this, [this] { forgetChoice(); });
    connect(m_allowance, &QSpinBox::valueChanged, this, [this] { forgetChoice(); });
    return goal;
}

const std::vector<SweepPlot *> &SweepResultsView::metricPlots() const
{
    return m_metricPlot->plots();
}

void SweepResultsView::setMetric(const SweepMetric &metric)
{
    m_metric = &metric;
    refresh();
}

void SweepResultsView::refresh()
{
    const std::vector<SweepResult> results = m_outcomes->done();
    const SweepSetup &setup = m_outcomes->setup();
    m_metricPlot->setContents(metricContents(setup, *m_metric, results));
    m_memoryPlot->setContent(memoryContent(setup, results));
    m_legend->setVisible(!results.empty());
    SweepSetup coloured = setup;
    if (hasMultiples(coloured))
        coloured.second.reset();
    fillSweepLegend(*m_legend, results.empty() ? QStringList() : seriesNames(coloured),
                    m_outcomes->count(SweepOutcomes::Kind::Published) > 0,
                    std::ranges::any_of(results, [](const SweepResult &result) { return result.point->error.has_value(); }));
    m_export->setEnabled(!results.empty());
    if (m_isChosenByHand)
        choose(m_chosen);
    else
        chooseBest();
}

bool SweepResultsView::hasResults() const
{
    return m_export->isEnabled();
}

std::string SweepResultsView::text(const QString &format) const
{
    return format == u"csv"_s ? sweepCsv(m_outcomes->done()) : sweepJson(m_outcomes->done());
}

base::Result<> SweepResultsView::exportTo(const QString &file, const QString &format)
{
    if (format == u"csv"_s || format == u"json"_s)
        return base::writeFile(utf8(file), text(format));
    const QSignalBlocker quiet(m_grey); // the window is not painted meanwhile
    const bool wasGrey = m_grey->isEnabled();
    const auto restore = qScopeGuard([&] { m_grey->setEnabled(wasGrey); });
    m_grey->setEnabled(false);
    return exportPicture(pictureOf(*m_picture, u"sweep"_s), file, format);
}

void SweepResultsView::askForFile()
{
    const QList<SaveKind> kinds =
        QList<SaveKind>{{Words::tr("CSV table (*.csv)"), u"csv"_s}, {Words::tr("JSON document (*.json)"), u"json"_s}} +
        pictureKinds();
    const auto [file, kind] = askWhereToSave(this, Words::tr("Export the sweep"), u"sweep.csv"_s, kinds);
    if (file.isEmpty())
        return;
    if (const auto saved = exportTo(file, kinds[kind].suffix); !saved)
        emit failed(notWritten(file, saved.error()));
}

void SweepResultsView::highlight(int id)
{
    const int shown = id >= 0 ? id : m_chosen;
    m_metricPlot->setHighlighted(shown);
    m_memoryPlot->setHighlighted(shown);
    QString words = m_outcomes->words(shown);
    const SweepEntry *entry = m_goal->isChecked() && shown == m_chosen ? m_outcomes->entry(shown) : nullptr;
    const bool isOneFamily = entry != nullptr && m_outcomes->areAllOf(entry->plan.schedule.family);
    if (isOneFamily)
        words += Words::tr(" · Only %1 was tried.").arg(familyCaption(entry->plan.schedule.family));
    m_vary->setVisible(isOneFamily);
    m_point->setText(words.isEmpty() ? Words::tr("Point at a result to see its figures in both plots; click to pin it.")
                                     : words);
}

void SweepResultsView::chooseBest()
{
    std::vector<SweepResult> results = m_outcomes->done();
    std::erase_if(results, [&](const SweepResult &one) {
        return SweepOutcomes::kindOf(one.id) != m_outcomes->running(); // predictions and measurements are not ranked together
    });
    const SweepGoal goal{m_goal->isChecked(), m_allowance->value() / 100.0};
    choose(bestResult(m_document->experiment(), results, goal).value_or(-1));
}

void SweepResultsView::chooseByHand(int id)
{
    m_isChosenByHand = true;
    choose(id);
}

void SweepResultsView::choose(int id)
{
    m_chosen = id;
    m_open->setEnabled(m_outcomes->entry(id) != nullptr);
    m_compare->setEnabled(m_outcomes->seriesSize(id) >= kFewestCompared);
    highlight(-1);
}

void SweepResultsView::forgetChoice()
{
    m_isChosenByHand = false;
    chooseBest();
}

void SweepResultsView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        QMetaObject::invokeMethod(this, &SweepResultsView::refresh, Qt::QueuedConnection); // once the legend has it as well
}

void SweepResultsView::open(int id)
{
    if (const SweepEntry *entry = m_outcomes->entry(id))
        emit openAsked(entry->words, entry->plan);
}

} // namespace stagelens::ui
