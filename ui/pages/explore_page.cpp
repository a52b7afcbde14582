#include "ui/pages/explore_page.h"

#include "ui/canvas/design.h"
#include "ui/controls/computing_sign.h"
#include "ui/controls/enlarge.h"
#include "ui/controls/message_bar.h"
#include "ui/pages/provenance_bar.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/morph_panel.h"
#include "ui/panels/pass_table.h"
#include "ui/panels/play_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/shown_switch.h"
#include "ui/plots/plots.h"
#include "ui/shapes/topology_strip.h"
#include "ui/state/forecast.h"
#include "ui/state/gap_explanation.h"
#include "ui/state/lane_groups.h"
#include "ui/state/run_controller.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr QSize kSmallestPlot{160, 84};
constexpr int kMorphedAtOnce = 2048; ///< forwards of a plan that is predicted within a few milliseconds

/// "4B GPT: 1F1B · VOCAB-2 · 8 devices x 128 microbatches".
QString presentedTitle(const model::Experiment &experiment)
{
    const QString plan = planCaption(experiment);
    return experiment.hasModel ? u"%1: %2"_s.arg(modelCaption(experiment.model.preset), plan) : plan;
}
} // namespace

ExplorePage::ExplorePage(EngineBridge *bridge, Forecast *forecast, RunController *runController, ViewState *view,
                         QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_forecast(forecast), m_runController(runController),
      m_headline(new HeadlineBar(this)), m_problemBar(new MessageBar(u"bar.problem"_s, this)),
      m_explanations(new Explanations(bridge, this)), m_content(forecast, runController, m_explanations),
      m_provenanceBar(new ProvenanceBar(forecast, runController, &m_content, this)), m_timeline(new TimelineView(view, this)),
      m_table(new PassTable(view, this)), m_morph(new MorphPanel(this)), m_play(new PlayBar(m_timeline, view, this)),
      m_picture(new QStackedWidget(this)), m_computing(new ComputingSign(m_timeline)), m_schedule(new SchedulePanel(this)),
      m_memory(new MemoryPlot(view, this)), m_bubbles(new BubblePlot(this)), m_loss(new LossPlot(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)), m_tabs(new QTabWidget(this)), m_topology(new TopologyStrip(this))
{
    build();
    connect(m_provenanceBar, &ProvenanceBar::showPlanAsked, this, &ExplorePage::showPlanAsked);
    connect(m_provenanceBar, &ProvenanceBar::trainAsked, this, &ExplorePage::trainAsked);
    connect(m_provenanceBar, &ProvenanceBar::fieldAsked, this, &ExplorePage::fieldAsked);
    connect(m_explanations, &Explanations::arrived, this, &ExplorePage::takeExplanation);
    connect(m_timeline, &TimelineView::gapForgotten, this, [this] { m_gap.reset(); });
    connect(m_timeline, &TimelineView::gapClicked, this, &ExplorePage::explain);
    connect(m_forecast, &Forecast::changed, this, &ExplorePage::refresh);
    connect(m_computing, &ComputingSign::cancelled, m_forecast, &Forecast::cancel);
    connect(m_forecast, &Forecast::adviceChanged, this, &ExplorePage::refreshAdvice);
    connect(m_forecast, &Forecast::familiesChanged, this, [this] {
        if (m_forecast->familyOptions().state == FamilyOptions::State::Tried)
            refreshAdvice();
    });
    connect(m_runController, &RunController::shownChanged, this, &ExplorePage::refresh);
    connect(m_headline, &HeadlineBar::deviceAsked, m_timeline, &TimelineView::showLane);
    connect(m_headline, &HeadlineBar::hovered, this, [this](bool on) {
        setGhost(on ? m_headline->headline().action : std::nullopt);
        setGhostFamily(on ? m_headline->headline().family : QString());
    });
}

void ExplorePage::build()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    m_planTitle = plainLabel(this);
    m_planTitle->setObjectName(u"presentation.title"_s);
    m_planTitle->setContentsMargins(16, 8, 16, 0);
    m_planTitle->setWordWrap(true);
    m_planTitle->hide();
    layout->addWidget(m_planTitle);
    layout->addWidget(m_headline);
    layout->addWidget(m_problemBar);
    layout->addWidget(m_provenanceBar);
    layout->addWidget(makeTitle());
    // QCustomPlot cannot paint into nothing, which is what a page has before its first layout.
    for (QWidget *plot : std::initializer_list<QWidget *>{m_memory, m_bubbles, m_loss})
        plot->setMinimumSize(plot->minimumSizeHint().expandedTo(kSmallestPlot));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_bubbles, Words::tr("Bubbles"));
    m_tabs->addTab(m_loss, Words::tr("Loss"));
    m_tabs->setTabToolTip(0, Words::tr("Where each device waits, and why"));
    m_tabs->setTabToolTip(1, Words::tr("Loss of the run that is shown"));
    m_picture->addWidget(m_timeline);
    m_picture->addWidget(m_table);
    m_picture->addWidget(m_morph);
    m_splitter->addWidget(m_picture);
    m_splitter->addWidget(m_schedule);
    m_schedule->hide();
    m_splitter->addWidget(m_memory);
    m_splitter->addWidget(m_tabs);
    m_splitter->setChildrenCollapsible(false);
    const std::array stretches{55, 20, 25, 20}; // picture, text, memory, bubbles and loss
    for (int part = 0; part < static_cast<int>(stretches.size()); ++part)
        m_splitter->setStretchFactor(part, stretches[static_cast<std::size_t>(part)]);
    sizeParts();
    layout->addWidget(m_splitter, 1);
    m_topology->hide();
    layout->addWidget(m_play);
}

QWidget *ExplorePage::makeTitle()
{
    m_title = new QWidget(this);
    auto *row = new QHBoxLayout(m_title);
    row->setContentsMargins(8, 0, 0, 0);
    row->setSpacing(8);
    QLabel *name = plainLabel(Words::tr("Timeline"), m_title);
    name->setFont(scaled(font(), TypeSize::Text, QFont::DemiBold));
    m_shownSwitch = new ShownSwitch(m_title);
    row->addWidget(name);
    row->addStretch(1);
    row->addWidget(m_shownSwitch);
    return m_title;
}

void ExplorePage::sizeParts()
{
    if (m_low)
        m_splitter->setSizes(m_editing ? QList<int>{500, 300, 200} : QList<int>{650, 0, 350});
    else
        m_splitter->setSizes(m_editing ? QList<int>{400, 250, 175, 175} : QList<int>{550, 0, 250, 200});
}

void ExplorePage::setEditing(bool on)
{
    m_editing = on;
    m_content.movable = on;
    m_schedule->setVisible(on);
    sizeParts();
    setContent();
    if (!on)
        m_timeline->setFocus();
}

void ExplorePage::setLow(bool low)
{
    if (low == m_low)
        return;
    m_low = low;
    if (low) {
        m_tabs->insertTab(0, m_memory, Words::tr("Memory"));
        m_tabs->setTabToolTip(0, Words::tr("Live bytes of each device over time"));
        m_tabs->setCurrentIndex(0);
    } else {
        m_splitter->insertWidget(2, m_memory);
        m_memory->setVisible(!m_presentation);
    }
    sizeParts();
}

void ExplorePage::setShown(Shown shown)
{
    m_content.shown = shown;
    refresh();
    emit shownChanged();
}

void ExplorePage::setGhost(std::optional<model::VocabularyMethod> method)
{
    if (method == m_content.ghost)
        return;
    m_content.ghost = method;
    m_timeline->setContent(m_content.make());
}

void ExplorePage::setGhostFamily(const QString &family)
{
    if (family == m_content.ghostFamily)
        return;
    m_content.ghostFamily = family;
    m_timeline->setContent(m_content.make());
}

void ExplorePage::setSensitivity(timeline::TimelinePtr timeline, SensitivityPtr sensitivity)
{
    m_content.sensitivityTimeline = std::move(timeline);
    m_content.sensitivity = std::move(sensitivity);
    setContent();
    refreshAdvice();
}

void ExplorePage::setColourBy(ColourBy colourBy)
{
    m_content.colourBy = colourBy;
    setContent();
}

void ExplorePage::setCritical(bool shown)
{
    m_content.critical = shown;
    setContent();
}

void ExplorePage::setAsTable(bool table)
{
    m_picture->setCurrentWidget(table ? static_cast<QWidget *>(m_table) : m_timeline);
    setContent();
    m_picture->currentWidget()->setFocus();
}

void ExplorePage::setTopologyShown(bool on)
{
    // A tab, so that it takes no height from the timeline.
    if (!on) {
        m_tabs->removeTab(m_tabs->indexOf(m_topology));
        m_topology->hide();
        return;
    }
    const int tab = m_tabs->addTab(m_topology, Words::tr("Topology"));
    m_tabs->setTabToolTip(tab, Words::tr("Which ranks share a node, and which links their groups use"));
    m_tabs->setCurrentIndex(tab);
    refreshPlots();
    emit partAsked(m_tabs);
}

void ExplorePage::setMorphing(bool on)
{
    m_picture->setCurrentWidget(on ? static_cast<QWidget *>(m_morph) : m_timeline);
    m_title->setVisible(!on && !m_presentation); // the morph names its plans
    setContent();
    m_picture->currentWidget()->setFocus();
}

bool ExplorePage::isMorphing() const
{
    return m_picture->currentWidget() == m_morph;
}

bool ExplorePage::predictMorphFrom(const model::Experiment &experiment)
{
    if (m_morphFrom && m_morphFrom->experiment == experiment)
        return true;
    m_morphFrom.reset();
    if (experiment.parallel.devices * experiment.parallel.microbatches <= kMorphedAtOnce) {
        if (const auto predicted = service::predict(experiment, m_bridge->cores()))
            m_morphFrom = *predicted;
    } else if (!(m_morphAsked == experiment)) {
        m_morphAsked = experiment;
        const auto predict = [experiment, cores = m_bridge->cores()](const std::stop_token &) {
            return service::predict(experiment, cores);
        };
        m_bridge->compute(this, predict, [this](const base::Result<service::PredictionPtr> &predicted) {
            m_morphAsked.reset();
            if (predicted)
                m_morphFrom = *predicted;
            if (isMorphing())
                setMorph();
        });
    }
    if (!m_morphFrom)
        m_morph->showReason(Words::tr("The baseline is being predicted…"));
    return m_morphFrom != nullptr;
}

void ExplorePage::setMorph()
{
    const auto &plan = m_forecast->plan();
    const service::PredictionPtr baseline = m_forecast->comparableBaseline();
    if (!plan)
        return;
    // Of the baseline the forecast keeps figures alone.
    if (baseline && !(baseline->experiment == plan->experiment) && !predictMorphFrom(baseline->experiment))
        return;
    if (!baseline)
        m_morph->showReason(Words::tr("The baseline has other units than this plan. Pin another baseline with Ctrl+B."));
    else if (baseline->experiment == plan->experiment)
        m_morph->showReason(
            Words::tr("This plan is its own baseline. Change its schedule or vocabulary method, and its passes fly from "
                      "the baseline to their new places."));
    else
        m_morph->setPlans({m_morphFrom->timeline, planCaption(baseline->experiment)},
                          {plan->timeline, planCaption(plan->experiment)}, inTeachingUnits(plan->experiment));
}

QWidget *ExplorePage::picture()
{
    return m_picture->currentWidget();
}

void ExplorePage::setPresentation(bool on)
{
    if (on == m_presentation)
        return;
    m_presentation = on;
    enlarge(*this, on);
    if (!m_low)
        m_memory->setVisible(!on);
    m_tabs->setVisible(!on);
    m_title->setVisible(!on && !isMorphing());
    QFont bold = font();
    bold.setBold(true);
    m_planTitle->setFont(bold);
    m_planTitle->setVisible(on);
    m_schedule->setVisible(!on && m_editing);
    m_play->setKept(on);
    if (on)
        m_timeline->setFocus();
}

void ExplorePage::setContent()
{
    TimelineContent made = m_content.make();
    if (m_picture->currentWidget() == m_table)
        m_table->setContent(made);
    if (isMorphing())
        setMorph();
    m_timeline->setContent(std::move(made));
}

void ExplorePage::takeExplanation()
{
    setContent();
    const auto &groups = m_timeline->content().groups;
    const auto gap = std::exchange(m_gap, std::nullopt);
    if (!gap)
        return;
    if (gap->group < static_cast<int>(groups.size()) && groups[static_cast<std::size_t>(gap->group)].timeline == gap->timeline)
        explain(gap->group, gap->device, gap->time);
}

void ExplorePage::refresh()
{
    setContent();
    m_computing->setState(m_forecast->wait() != Forecast::Wait::None, m_forecast->wait() == Forecast::Wait::Long);
    if (const auto &plan = m_forecast->plan())
        m_planTitle->setText(presentedTitle(plan->experiment));
    m_provenanceBar->refresh();
    refreshPlots();
    refreshAdvice();
}

void ExplorePage::refreshPlots()
{
    const auto &plan = m_forecast->plan();
    if (!plan)
        return;
    if (m_tabs->indexOf(m_topology) >= 0)
        m_topology->setTopology(topologyOf(*plan));
    const service::RunSnapshotPtr run = m_content.run();
    const service::PredictionPtr baseline = m_forecast->comparableBaseline();
    const std::vector<base::Bytes> others = baseline ? baseline->metrics.peakMemory : std::vector<base::Bytes>();
    const base::Bytes most = others.empty() ? 0 : std::ranges::max(others);
    const bool measuredOnly = m_content.shown == Shown::Measured && run && run->record.timeline && run->schedule;
    if (measuredOnly) {
        m_memory->setProfiles(memoryOf(*run), run->record.timeline->iteration(), plan->memoryCapacity,
                              Words::tr("computed, run %1").arg(run->record.summary.id), most);
    } else {
        m_memory->setProfiles(plan->memory, plan->timeline->iteration(), plan->memoryCapacity,
                              caption(timeline::Provenance::Predicted), most);
    }
    const simulate::Metrics *of = measuredOnly ? (run->record.metrics ? &*run->record.metrics : nullptr) : &plan->metrics;
    m_memory->setActivations(of ? of->peakActivationMicrobatches : std::vector<double>());
    std::vector<LossPlot::Curve> curves;
    int vocabulary = plan->experiment.model.vocabularySize;
    if (run && !run->record.losses.empty()) {
        curves.push_back({Words::tr("run %1").arg(run->record.summary.id), run->record.losses});
        vocabulary = run->record.experiment.model.vocabularySize;
    }
    m_loss->setCurves(std::move(curves), plan->experiment.hasModel ? std::optional(std::log(vocabulary)) : std::nullopt);
}

void ExplorePage::refreshAdvice()
{
    const auto &plan = m_forecast->plan();
    if (!plan)
        return;
    const service::Advice *advice = m_forecast->advice();
    m_headline->setHeadline(makeHeadline(*plan, m_forecast->isStale() ? nullptr : advice, m_forecast->fix(),
                                         m_forecast->familyOptions(), m_content.sensitivityOfPlan().get()));
    m_headline->setEnabled(!m_forecast->isStale());
    m_bubbles->setBubbles(plan->metrics, advice ? std::optional(advice->causes) : std::nullopt,
                          caption(timeline::Provenance::Predicted));
}

void ExplorePage::explain(int group, int device, qint64 time)
{
    const auto &groups = m_timeline->content().groups;
    if (group < 0 || group >= static_cast<int>(groups.size()))
        return;
    const LaneGroup &lanes = groups[static_cast<std::size_t>(group)];
    if (!lanes.timeline)
        return;
    const auto why = m_content.whyOf(lanes.timeline);
    m_gap.reset();
    if (m_explanations->isComputing(lanes.timeline)) // until then only which requirement was met last
        m_gap = Gap{lanes.timeline, group, device, time};
    emit gapExplained(explainGap(lanes, why ? &why->idle : nullptr, device, time, m_timeline->content().teachingUnits));
}

} // namespace stagelens::ui
