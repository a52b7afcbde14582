#include "ui/pages/explore_page.h"

#include "ui/canvas/design.h"
#include "ui/controls/computing_sign.h"
#include "ui/controls/enlarge.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/baseline_morph.h"
#include "ui/pages/explore_plots.h"
#include "ui/pages/gap_explainer.h"
#include "ui/pages/provenance_bar.h"
#include "ui/panels/figures/figures_line.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/pass_table.h"
#include "ui/panels/play_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/shown_switch.h"
#include "ui/shapes/topology_strip.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// "4B GPT, vocabulary 256,000: 1F1B · VOCAB-2 · 8 devices × 128 microbatches, on A100 80 GB".
QString presentedTitle(const model::Experiment &experiment)
{
    const QString plan = planCaption(experiment);
    return experiment.hasModel ? Words::tr("%1, vocabulary %2: %3, on %4")
                                     .arg(modelCaption(experiment.model.preset), countText(experiment.model.vocabularySize),
                                          plan, costCaption(experiment))
                               : plan;
}
} // namespace

ExplorePage::ExplorePage(EngineBridge *bridge, Forecast *forecast, RunController *runController, ViewState *view,
                         QWidget *parent)
    : QWidget(parent), m_forecast(forecast), m_runController(runController), m_headline(new HeadlineBar(this)),
      m_figures(new FiguresLine(this)), m_explanations(new Explanations(bridge, this)),
      m_content(forecast, runController, m_explanations),
      m_provenanceBar(new ProvenanceBar(forecast, runController, &m_content, this)), m_timeline(new TimelineView(view, this)),
      m_table(new PassTable(view, this)), m_morph(new MorphPanel(this)), m_play(new PlayBar(m_timeline, view, this)),
      m_picture(new QStackedWidget(this)), m_computing(new ComputingSign(m_timeline)), m_schedule(new SchedulePanel(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)), m_baselineMorph(new BaselineMorph(bridge, forecast, m_morph, this)),
      m_gaps(new GapExplainer(m_timeline, &m_content, m_explanations, this))
{
    build(view);
    connect(m_provenanceBar, &ProvenanceBar::showPlanAsked, this, &ExplorePage::showPlanAsked);
    connect(m_provenanceBar, &ProvenanceBar::trainAsked, this, &ExplorePage::trainAsked);
    connect(m_provenanceBar, &ProvenanceBar::fieldAsked, this, &ExplorePage::fieldAsked);
    connect(m_explanations, &Explanations::arrived, this, [this] {
        showContent();
        m_gaps->update();
    });
    connect(m_gaps, &GapExplainer::explained, this, &ExplorePage::gapExplained);
    connect(m_forecast, &Forecast::changed, this, &ExplorePage::refresh);
    connect(m_computing, &ComputingSign::cancelled, m_forecast, &Forecast::cancel);
    connect(m_forecast, &Forecast::adviceChanged, this, &ExplorePage::refreshAdvice);
    connect(m_forecast, &Forecast::familiesChanged, this, [this] {
        if (m_forecast->familyOptions().state != FamilyOptions::State::Trying)
            refreshAdvice();
    });
    connect(m_runController, &RunController::shownChanged, this, &ExplorePage::refresh);
    connect(m_runController, &RunController::databaseReplaced, this, [this] {
        m_content.unpinMeasured();
        refresh();
    });
    connect(m_headline, &HeadlineBar::deviceAsked, m_timeline, &TimelineView::showLane);
    connect(m_headline, &HeadlineBar::hovered, this, [this](const Alternative *plan) {
        setGhost(plan ? plan->method : std::nullopt);
        setGhostFamily(plan ? plan->family : QString());
    });
}

void ExplorePage::build(ViewState *view)
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
    layout->addWidget(m_figures);
    m_figures->hide();
    layout->addWidget(makeTitle());
    m_picture->addWidget(m_timeline);
    m_picture->addWidget(m_table);
    m_picture->addWidget(m_morph);
    m_splitter->addWidget(m_picture);
    m_splitter->addWidget(m_schedule);
    m_schedule->hide();
    m_plots = new ExplorePlots(m_forecast, &m_content, view, m_splitter, this);
    m_splitter->setChildrenCollapsible(false);
    const std::array stretches{55, 20, 25, 20}; // picture, text, memory, bubbles and loss
    for (int part = 0; part < static_cast<int>(stretches.size()); ++part)
        m_splitter->setStretchFactor(part, stretches[static_cast<std::size_t>(part)]);
    sizeParts();
    layout->addWidget(m_splitter, 1);
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
    showContent();
    if (!on)
        m_timeline->setFocus();
}

void ExplorePage::setFiguresLineShown(bool shown)
{
    m_hasFiguresLine = shown;
    m_figures->setVisible(shown && !m_presentation);
}

void ExplorePage::setLow(bool low)
{
    if (low == m_low)
        return;
    m_low = low;
    m_plots->setLow(low);
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

void ExplorePage::pinBaseline()
{
    m_content.unpinMeasured();
    if (m_forecast->isCurrent())
        m_content.pinMeasured();
    m_forecast->pinBaseline();
}

void ExplorePage::unpinBaseline()
{
    m_content.unpinMeasured();
    m_forecast->unpinBaseline();
}

void ExplorePage::setSensitivity(timeline::TimelinePtr timeline, SensitivityPtr sensitivity)
{
    m_content.sensitivityTimeline = std::move(timeline);
    m_content.sensitivity = std::move(sensitivity);
    showContent();
    refreshAdvice();
}

void ExplorePage::setColourBy(ColourBy colourBy)
{
    m_content.colourBy = colourBy;
    showContent();
}

void ExplorePage::setCritical(bool shown)
{
    m_content.critical = shown;
    showContent();
}

void ExplorePage::setLaneDetail(LaneDetail detail)
{
    m_content.detail = detail;
    showContent();
}

void ExplorePage::setAsTable(bool table)
{
    m_picture->setCurrentWidget(table ? static_cast<QWidget *>(m_table) : m_timeline);
    showContent();
    m_picture->currentWidget()->setFocus();
}

void ExplorePage::setTopologyShown(bool on)
{
    m_plots->setTopologyShown(on);
    if (on)
        emit partAsked(m_plots->tabs());
}

void ExplorePage::setMorphing(bool on)
{
    m_picture->setCurrentWidget(on ? static_cast<QWidget *>(m_morph) : m_timeline);
    m_title->setVisible(!on && !m_presentation); // the morph names its plans
    showContent();
    m_picture->currentWidget()->setFocus();
}

bool ExplorePage::isMorphing() const
{
    return m_picture->currentWidget() == m_morph;
}

TopologyStrip *ExplorePage::topology()
{
    return m_plots->topology();
}

MessageBar *ExplorePage::provenanceBar()
{
    return m_provenanceBar;
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
    m_plots->setHidden(on);
    m_title->setVisible(!on && !isMorphing());
    QFont bold = font();
    bold.setBold(true);
    m_planTitle->setFont(bold);
    m_planTitle->setVisible(on);
    m_figures->setVisible(m_hasFiguresLine && !on);
    m_schedule->setVisible(!on && m_editing);
    m_play->setKept(on);
    if (on)
        m_timeline->setFocus();
}

void ExplorePage::showContent()
{
    TimelineContent made = m_content.make();
    if (m_picture->currentWidget() == m_table)
        m_table->setContent(made);
    if (isMorphing())
        m_baselineMorph->refresh();
    m_timeline->setContent(std::move(made));
    m_play->endWithPicture();
}

void ExplorePage::refresh()
{
    showContent();
    m_computing->setState(m_forecast->wait() != Forecast::Wait::None, m_forecast->wait() == Forecast::Wait::Long);
    if (const auto &plan = m_forecast->plan())
        m_planTitle->setText(presentedTitle(plan->experiment));
    m_provenanceBar->refresh();
    m_plots->refresh();
    refreshAdvice();
}

void ExplorePage::setProblem(const Headline &headline)
{
    m_problem = headline;
    refreshAdvice();
}

void ExplorePage::refreshAdvice()
{
    if (!m_problem.text.isEmpty()) {
        m_headline->setHeadline(m_problem);
        m_headline->setEnabled(true);
        m_plots->refreshBubbles();
        return;
    }
    const auto &plan = m_forecast->plan();
    if (!plan)
        return;
    const service::Advice *advice = m_forecast->advice();
    m_headline->setHeadline(makeHeadline(*plan, m_forecast->isStale() ? nullptr : advice, m_forecast->fix(),
                                         m_forecast->familyOptions(), m_content.sensitivityOfPlan().get()));
    m_headline->setEnabled(!m_forecast->isStale());
    m_plots->refreshBubbles();
}

} // namespace stagelens::ui
