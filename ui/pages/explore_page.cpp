#include "ui/pages/explore_page.h"

#include "engine/service/published.h"
#include "engine/service/search/equal_work.h"
#include "ui/controls/computing_sign.h"
#include "ui/controls/enlarge.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/headline_bar.h"
#include "ui/panels/pass_table.h"
#include "ui/panels/play_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/plots/plots.h"
#include "ui/state/forecast.h"
#include "ui/state/gap_explanation.h"
#include "ui/state/lane_groups.h"
#include "ui/state/run_controller.h"
#include "ui/state/view_state.h"
#include "ui/words/run_words.h"
#include "ui/words/words.h"

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
} // namespace

ExplorePage::ExplorePage(EngineBridge *bridge, Forecast *forecast, RunController *runController, ViewState *view,
                         QWidget *parent)
    : QWidget(parent), m_forecast(forecast), m_runController(runController), m_headline(new HeadlineBar(this)),
      m_problemBar(new MessageBar(u"bar.problem"_s, this)), m_provenanceBar(new MessageBar(u"bar.provenance"_s, this)),
      m_timeline(new TimelineView(view, this)), m_table(new PassTable(view, this)), m_play(new PlayBar(m_timeline, view, this)),
      m_picture(new QStackedWidget(this)), m_computing(new ComputingSign(m_timeline)), m_schedule(new SchedulePanel(this)),
      m_memory(new MemoryPlot(view, this)), m_bubbles(new BubblePlot(this)), m_loss(new LossPlot(this)),
      m_splitter(new QSplitter(Qt::Vertical, this)), m_tabs(new QTabWidget(this)),
      m_explanations(new Explanations(bridge, this))
{
    build();
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
    layout->addWidget(m_headline);
    layout->addWidget(m_problemBar);
    layout->addWidget(m_provenanceBar);
    // QCustomPlot cannot paint into nothing, which is what a page has before its first layout.
    for (QWidget *plot : std::initializer_list<QWidget *>{m_memory, m_bubbles, m_loss})
        plot->setMinimumSize(plot->minimumSizeHint().expandedTo(kSmallestPlot));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_bubbles, u"Bubbles"_s);
    m_tabs->addTab(m_loss, u"Loss"_s);
    m_tabs->setTabToolTip(0, u"Where each device waits, and why"_s);
    m_tabs->setTabToolTip(1, u"Loss of the run that is shown"_s);
    m_picture->addWidget(m_timeline);
    m_picture->addWidget(m_table);
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
    layout->addWidget(m_play);
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
        m_tabs->insertTab(0, m_memory, u"Memory"_s);
        m_tabs->setTabToolTip(0, u"Live bytes of each device over time"_s);
        m_tabs->setCurrentIndex(0);
    } else {
        m_splitter->insertWidget(2, m_memory);
        m_memory->setVisible(!m_presentation);
    }
    sizeParts();
}

void ExplorePage::setShown(Shown shown)
{
    m_shown = shown;
    refresh();
    emit shownChanged();
}

void ExplorePage::setGhost(std::optional<model::VocabularyMethod> method)
{
    if (method == m_ghost)
        return;
    m_ghost = method;
    m_timeline->setContent(content());
}

void ExplorePage::setGhostFamily(const QString &family)
{
    if (family == m_ghostFamily)
        return;
    m_ghostFamily = family;
    m_timeline->setContent(content());
}

void ExplorePage::setColourBy(ColourBy colourBy)
{
    m_colourBy = colourBy;
    setContent();
}

void ExplorePage::setCritical(bool shown)
{
    m_critical = shown;
    setContent();
}

void ExplorePage::setAsTable(bool table)
{
    m_picture->setCurrentWidget(table ? static_cast<QWidget *>(m_table) : m_timeline);
    setContent();
    m_picture->currentWidget()->setFocus();
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
    m_schedule->setVisible(!on && m_editing);
    m_play->setKept(on);
    if (on)
        m_timeline->setFocus();
}

void ExplorePage::setContent()
{
    TimelineContent made = content();
    if (m_picture->currentWidget() == m_table)
        m_table->setContent(made);
    m_timeline->setContent(std::move(made));
}

bool ExplorePage::runDiffers() const
{
    const auto &plan = m_forecast->plan();
    if (!plan || !run())
        return false;
    const auto *hardware = std::get_if<model::HardwarePreset>(&plan->experiment.cost.source);
    return !hardware || hardware->name != "cpu-local" || !m_runController->shownDifferences(plan->experiment).empty();
}

service::RunSnapshotPtr ExplorePage::run() const
{
    const auto &plan = m_forecast->plan();
    return plan ? m_runController->shownBeside(plan->experiment) : m_runController->shown();
}

LaneGroup ExplorePage::measuredGroup() const
{
    const service::RunSnapshot &run = *m_runController->shown();
    LaneGroup group;
    group.timeline = run.record.timeline;
    group.schedule = run.schedule;
    group.metrics = run.record.metrics.value_or(simulate::Metrics{});
    group.caption = m_runController->shownCaption();
    const auto &plan = m_forecast->plan();
    group.faded = plan && !m_runController->shownDifferences(plan->experiment).empty();
    return group;
}

TimelineContent ExplorePage::content() const
{
    TimelineContent content;
    const auto &plan = m_forecast->plan();
    const service::RunSnapshotPtr run = this->run();
    const bool measured = run && run->record.timeline;
    if (plan && (m_shown != Shown::Measured || !measured))
        content.groups.push_back(predictedGroup(plan));
    if (!content.groups.empty())
        content.groups.front().movable = m_editing && !m_forecast->isStale();
    if (measured && m_shown != Shown::Predicted)
        content.groups.push_back(measuredGroup());
    if (!plan)
        return content;
    content.teachingUnits = inTeachingUnits(plan->experiment);
    content.stale = m_forecast->isStale();
    content.colourBy = m_colourBy;
    content.critical = m_critical;
    if (m_critical || m_colourBy == ColourBy::Slack)
        for (LaneGroup &group : content.groups)
            group.why = whyOf(group.timeline);
    const bool units = content.teachingUnits;
    if (const service::PredictionPtr baseline = m_forecast->comparableBaseline()) {
        const base::Nanos end = baseline->metrics.iteration;
        const base::Nanos now = plan->timeline->iteration();
        QString text = u"baseline %1"_s.arg(durationText(end, units));
        if (m_shown == Shown::Measured && measured)
            text += u" (predicted)"_s;
        else if (!service::workDifference(baseline->experiment, plan->experiment).empty())
            text += u" of other work"_s;
        else if (baseline->experiment != plan->experiment)
            text +=
                u", now %1, %2"_s.arg(durationText(now, units), changeText(static_cast<double>(now), static_cast<double>(end)));
        content.baseline = EndFlag{end, text};
    }
    if (const service::PublishedResult *published = service::publishedFor(plan->experiment))
        content.published = EndFlag{published->iteration, u"%1 %2"_s.arg(caption(timeline::Provenance::Published),
                                                                         durationText(published->iteration, units))};
    addGhost(content);
    return content;
}

void ExplorePage::addGhost(TimelineContent &content) const
{
    const auto flag = [&content](const QString &name, base::Nanos end) {
        content.ghost = EndFlag{end, u"%1: %2"_s.arg(name, durationText(end, content.teachingUnits))};
    };
    const service::Advice *advice = m_forecast->advice();
    const auto *option = advice && m_ghost ? findOption(*advice, *m_ghost) : nullptr;
    if (option && option->iteration)
        flag(shortName(*m_ghost), *option->iteration);
    for (const FamilyOption &family : m_forecast->familyOptions().options)
        if (qtText(family.family) == m_ghostFamily && family.iteration)
            flag(familyCaption(family.family), *family.iteration);
}

ExplanationPtr ExplorePage::whyOf(const timeline::TimelinePtr &timeline) const
{
    const auto &plan = m_forecast->plan();
    const auto &run = m_runController->shown();
    std::vector<timeline::TimelinePtr> shown;
    if (plan)
        shown.push_back(plan->timeline);
    if (run)
        shown.push_back(run->record.timeline);
    m_explanations->keep(shown);
    if (plan && timeline == plan->timeline)
        return m_explanations->of(plan);
    return run && timeline == run->record.timeline ? m_explanations->of(run) : nullptr;
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
    refreshProvenance();
    refreshPlots();
    refreshAdvice();
}

void ExplorePage::refreshProvenance()
{
    const auto &plan = m_forecast->plan();
    const auto &run = m_runController->shown();
    const BadEnd end = run ? badEnd(run->record.summary) : BadEnd();
    if (plan && !end.words.isEmpty()) {
        sayBadEnd(end);
        return;
    }
    const bool isBeside = plan && this->run();
    if (plan && run && !isBeside && inTeachingUnits(plan->experiment) &&
        m_runController->shownDifferences(plan->experiment).empty()) {
        m_provenanceBar->say(MessageBar::Tone::Note,
                             u"Run %1 measured this plan in milliseconds; teaching units have no common axis with it. Choose "
                             u"the costs of this computer to see both."_s.arg(run->record.summary.id),
                             {{u"Hide the run"_s, [this] { m_runController->showNone(); }}});
        return;
    }
    if (m_shown == Shown::Measured && !(isBeside && run->record.timeline) && !m_runController->isTraining()) {
        m_provenanceBar->say(MessageBar::Tone::Note, u"Nothing was measured yet: this is the prediction."_s,
                             {{u"Train this plan"_s, [this] { emit trainAsked(); }}});
        return;
    }
    if (!isBeside || !run->record.timeline || m_shown == Shown::Predicted || !runDiffers()) {
        m_provenanceBar->clear();
        return;
    }
    const QString from = u"From run %1"_s.arg(run->record.summary.id);
    const auto found = m_runController->shownDifferences(plan->experiment);
    if (found.empty()) {
        m_provenanceBar->say(MessageBar::Tone::Note,
                             from + u", measured on this computer; the prediction is for %1, so no error is shown."_s.arg(
                                        costCaption(plan->experiment)),
                             {{u"Hide the run"_s, [this] { m_runController->showNone(); }}});
        return;
    }
    m_provenanceBar->say(
        MessageBar::Tone::Note, from + u", which differs: "_s + differencesText(found) + u'.',
        {{u"Show its plan"_s, [this] { emit showPlanAsked(); }}, {u"Train this plan"_s, [this] { emit trainAsked(); }}});
}

void ExplorePage::sayBadEnd(const BadEnd &end)
{
    const service::RunSnapshot &run = *m_runController->shown();
    QString words = end.words + (run.record.timeline ? u" What was measured remains."_s : QString());
    std::vector<MessageBar::Action> actions;
    if (const auto found = m_runController->shownDifferences(m_forecast->plan()->experiment); !found.empty()) {
        words += u" It differs from this plan: %1."_s.arg(differencesText(found));
        actions.push_back({u"Show its plan"_s, [this] { emit showPlanAsked(); }});
    } else if (!end.field.isEmpty()) {
        actions.push_back({u"Go to %1"_s.arg(fieldCaption(end.field)), [this, field = end.field] { emit fieldAsked(field); }});
    } else {
        actions.push_back({u"Train this plan"_s, [this] { emit trainAsked(); }});
    }
    actions.push_back({u"Hide the run"_s, [this] { m_runController->showNone(); }});
    m_provenanceBar->say(MessageBar::Tone::Warning, words, std::move(actions));
}

void ExplorePage::refreshPlots()
{
    const auto &plan = m_forecast->plan();
    if (!plan)
        return;
    const service::RunSnapshotPtr run = this->run();
    const service::PredictionPtr baseline = m_forecast->comparableBaseline();
    const std::vector<base::Bytes> others = baseline ? baseline->metrics.peakMemory : std::vector<base::Bytes>();
    const base::Bytes most = others.empty() ? 0 : std::ranges::max(others);
    const bool measuredOnly = m_shown == Shown::Measured && run && run->record.timeline && run->schedule;
    if (measuredOnly) {
        m_memory->setProfiles(memoryOf(*run), run->record.timeline->iteration(), plan->memoryCapacity,
                              u"computed, run %1"_s.arg(run->record.summary.id), most);
    } else {
        m_memory->setProfiles(plan->memory, plan->timeline->iteration(), plan->memoryCapacity,
                              caption(timeline::Provenance::Predicted), most);
    }
    const simulate::Metrics *of = measuredOnly ? (run->record.metrics ? &*run->record.metrics : nullptr) : &plan->metrics;
    m_memory->setActivations(of ? of->peakActivationMicrobatches : std::vector<double>());
    std::vector<LossPlot::Curve> curves;
    int vocabulary = plan->experiment.model.vocabularySize;
    if (run && !run->record.losses.empty()) {
        curves.push_back({u"run %1"_s.arg(run->record.summary.id), run->record.losses});
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
    m_headline->setHeadline(
        makeHeadline(*plan, m_forecast->isStale() ? nullptr : advice, m_forecast->fix(), m_forecast->familyOptions()));
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
    const auto why = whyOf(lanes.timeline);
    m_gap.reset();
    if (m_explanations->isComputing(lanes.timeline)) // until then only which requirement was met last
        m_gap = Gap{lanes.timeline, group, device, time};
    emit gapExplained(explainGap(lanes, why ? &why->idle : nullptr, device, time, m_timeline->content().teachingUnits));
}

} // namespace stagelens::ui
