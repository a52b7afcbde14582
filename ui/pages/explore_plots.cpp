#include "ui/pages/explore_plots.h"

#include "ui/controls/faded.h"
#include "ui/pages/explore_content.h"
#include "ui/plots/expert_plot.h"
#include "ui/plots/plots.h"
#include "ui/shapes/topology_strip.h"
#include "ui/state/forecast.h"
#include "ui/state/lane_groups.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QSplitter>
#include <QTabWidget>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

namespace {
constexpr QSize kSmallestPlot{160, 84};
constexpr int kBubbleStretch = 7;
constexpr int kLossStretch = 3;
} // namespace

ExplorePlots::ExplorePlots(Forecast *forecast, const ExploreContent *content, ViewState *view, QSplitter *splitter,
                           QWidget *page)
    : QObject(page), m_forecast(forecast), m_content(content), m_splitter(splitter), m_memory(new MemoryPlot(view, page)),
      m_bubbles(new BubblePlot(page)), m_loss(new LossPlot(page)), m_experts(new ExpertPlot(page)),
      m_tabs(new QTabWidget(page)), m_topology(new TopologyStrip(page))
{
    // QCustomPlot cannot paint into nothing, which is what a page has before its first layout.
    for (QWidget *plot : std::initializer_list<QWidget *>{m_memory, m_bubbles, m_loss, m_experts})
        plot->setMinimumSize(plot->minimumSizeHint().expandedTo(kSmallestPlot));
    m_tabs->setDocumentMode(true);
    m_tabs->setTabBarAutoHide(true);
    m_tabs->setFocusProxy(nullptr); // a bar that is hidden would end the way of the Tab key
    m_tabs->setFocusPolicy(Qt::NoFocus);
    m_pair = new QSplitter(Qt::Horizontal, page);
    m_pair->addWidget(m_bubbles);
    m_pair->addWidget(m_loss);
    m_pair->setStretchFactor(0, kBubbleStretch);
    m_pair->setStretchFactor(1, kLossStretch);
    m_pair->setSizes({kBubbleStretch * 100, kLossStretch * 100});
    m_pair->setChildrenCollapsible(false);
    m_tabs->addTab(m_pair, Words::tr("Bubbles and loss"));
    m_tabs->setTabToolTip(0, Words::tr("Where each device waits, and why; loss of the run that is shown"));
    m_splitter->addWidget(m_memory);
    m_splitter->addWidget(m_tabs);
    m_experts->hide();
    m_topology->hide();
}

void ExplorePlots::setLow(bool low)
{
    m_isLow = low;
    if (low) {
        m_tabs->insertTab(0, m_memory, Words::tr("Memory"));
        m_tabs->setTabToolTip(0, Words::tr("Live bytes of each device over time"));
        m_tabs->setCurrentIndex(0);
    } else {
        m_splitter->insertWidget(2, m_memory); // above the tabs
        m_memory->setVisible(!m_isHidden);
    }
}

void ExplorePlots::setHidden(bool hidden)
{
    m_isHidden = hidden;
    if (!m_isLow)
        m_memory->setVisible(!hidden);
    m_tabs->setVisible(!hidden);
}

void ExplorePlots::setTopologyShown(bool on)
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
    refresh();
}

void ExplorePlots::refresh()
{
    if (!m_forecast->plan())
        return;
    if (m_tabs->indexOf(m_topology) >= 0)
        m_topology->setTopology(topologyOf(*m_forecast->plan()));
    for (QWidget *plot : std::initializer_list<QWidget *>{m_memory, m_bubbles, m_topology})
        setFaded(plot, m_forecast->isStale()); // what a run measured stays true
    refreshMemory();
    refreshLoss();
    refreshExperts();
}

void ExplorePlots::refreshMemory()
{
    const auto &plan = m_forecast->plan();
    const service::RunSnapshotPtr run = m_content->run();
    const service::PredictionPtr baseline = m_forecast->comparableBaseline();
    const std::vector<base::Bytes> others = baseline ? baseline->metrics.peakMemory : std::vector<base::Bytes>();
    const bool measuredOnly = m_content->shown == Shown::Measured && run && run->record.timeline && run->schedule;
    MemoryContent content;
    content.capacity = plan->memoryCapacity;
    content.baseline = others.empty() ? 0 : std::ranges::max(others);
    content.ghostWords = Words::tr("without ZeRO");
    if (measuredOnly) {
        content.profiles = memoryOf(*run);
        content.end = lengthOf(*run->record.timeline);
        content.caption = Words::tr("computed, run %1").arg(run->record.summary.id);
        content.ghost = unshardedMemory(run->record.experiment, run->schedule, run->record.timeline);
        if (run->record.metrics)
            content.activations = run->record.metrics->peakActivationMicrobatches;
    } else {
        content.inMicrobatches = !plan->experiment.hasModel;
        content.profiles = content.inMicrobatches ? heldMicrobatches(plan->timeline, kMicrobatch) : plan->memory;
        content.end = lengthOf(*plan->timeline);
        content.caption = caption(timeline::Provenance::Predicted);
        content.ghost = unshardedMemory(plan->experiment, plan->schedule, plan->timeline);
        content.activations = plan->metrics.peakActivationMicrobatches;
    }
    m_memory->setContent(std::move(content));
}

void ExplorePlots::refreshLoss()
{
    const auto &plan = m_forecast->plan();
    const service::RunSnapshotPtr run = m_content->run();
    std::vector<LossPlot::Curve> curves;
    int vocabulary = plan->experiment.model.vocabularySize;
    if (run && !run->record.losses.empty()) {
        curves.push_back({.name = Words::tr("run %1").arg(run->record.summary.id),
                          .losses = run->record.losses,
                          .skipped = run->record.skipped});
        vocabulary = run->record.experiment.model.vocabularySize;
    }
    m_loss->setCurves(std::move(curves), plan->experiment.hasModel ? std::optional(std::log(vocabulary)) : std::nullopt);
}

void ExplorePlots::refreshExperts()
{
    const service::RunSnapshotPtr run = m_content->run();
    const bool hasSteps = run && !run->record.routers.empty();
    const int tab = m_tabs->indexOf(m_experts);
    if (!hasSteps && !m_forecast->plan()->experiment.model.hasExperts()) {
        m_tabs->removeTab(tab);
        m_experts->hide();
        return;
    }
    if (tab < 0) {
        const int added = m_tabs->insertTab(m_tabs->indexOf(m_pair) + 1, m_experts, Words::tr("Experts"));
        m_tabs->setTabToolTip(added, Words::tr("How evenly the routers of the shown run choose experts"));
    }
    m_experts->setSteps(hasSteps ? run->record.routers : std::vector<timeline::RouterStepPtr>(),
                        hasSteps ? run->record.experiment.parallel.expert : 1,
                        hasSteps ? Words::tr("run %1").arg(run->record.summary.id) : QString());
}

void ExplorePlots::refreshBubbles()
{
    const auto &plan = m_forecast->plan();
    const service::RunSnapshotPtr run = m_content->run();
    if (m_content->shown == Shown::Measured && run && run->record.timeline && run->record.metrics) {
        const store::RunSummary &summary = run->record.summary;
        m_bubbles->setBubbles(*run->record.metrics, std::nullopt,
                              Words::tr("%1, run %2").arg(caption(summary.kind)).arg(summary.id));
    } else if (plan) {
        const service::Advice *advice = m_forecast->advice();
        m_bubbles->setBubbles(plan->metrics, advice ? std::optional(advice->causes) : std::nullopt,
                              caption(timeline::Provenance::Predicted));
    }
}

} // namespace stagelens::ui
