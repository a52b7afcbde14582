#include "ui/sweep/sweep_page.h"

#include "ui/controls/message_bar.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/sweep/sweep_controls.h"
#include "ui/sweep/sweep_estimate.h"
#include "ui/sweep/sweep_results_view.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using OutcomeKind = SweepOutcomes::Kind;

namespace {
constexpr int kLiveMilliseconds = 300; ///< pause in typing after which predictions start
constexpr double kLiveSeconds = 1;     ///< predictions that take less start by themselves
} // namespace

SweepPage::SweepPage(EngineBridge *bridge, ExperimentDocument *document, QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_document(document), m_estimate(new SweepEstimate(bridge, this)),
      m_controls(new SweepControls(document, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(8);
    m_bar = new MessageBar(u"sweep.bar"_s, this);
    m_results = new SweepResultsView(&m_outcomes, document, this);
    layout->addWidget(m_controls);
    layout->addWidget(m_bar);
    layout->addWidget(m_results, 1);
    m_liveDelay.setSingleShot(true);
    m_liveDelay.setInterval(kLiveMilliseconds);
    connectParts();
    edited();
    showResults();
}

void SweepPage::connectParts()
{
    connect(&m_liveDelay, &QTimer::timeout, this, &SweepPage::start);
    connect(m_controls, &SweepControls::edited, this, &SweepPage::edited);
    connect(m_controls, &SweepControls::metricChanged, this, [this] { m_results->setMetric(m_controls->metric()); });
    connect(m_controls, &SweepControls::startAsked, this, &SweepPage::start);
    connect(m_controls, &SweepControls::cancelAsked, this, &SweepPage::cancel);
    connect(m_estimate, &SweepEstimate::changed, this, [this] {
        if (m_controls->trains())
            showAmount();
        else
            edited(); // predictions may start by themselves now
    });
    connect(m_results, &SweepResultsView::openAsked, this, &SweepPage::openAsked);
    connect(m_results, &SweepResultsView::compareAsked, this, &SweepPage::compareAsked);
    connect(m_results, &SweepResultsView::schedulesAsked, this, [this] {
        m_controls->varySchedule();
        if (!m_controls->trains()) // trainings take long: they are started by hand
            start();
    });
    connect(m_results, &SweepResultsView::failed, this,
            [this](const QString &why) { m_bar->say(MessageBar::Tone::Warning, why); });
    connect(m_bridge, &EngineBridge::sweepArrived, this, &SweepPage::take);
    connect(m_document, &ExperimentDocument::changed, this, &SweepPage::edited);
}

OutcomeKind SweepPage::chosenKind() const
{
    return m_controls->trains() ? OutcomeKind::Trained : OutcomeKind::Predicted;
}

void SweepPage::edited()
{
    m_estimate->stop();
    m_liveDelay.stop();
    if (const auto now = m_controls->setup(); now && m_controls->trains())
        m_estimate->estimateTraining(sweepEntries(m_document->experiment(), *now));
    else if (isVisible() && isLive() && !isUpToDate())
        m_liveDelay.start();
    showAmount();
    greyOldResults();
}

void SweepPage::greyOldResults()
{
    const auto now = m_controls->setup();
    const bool isOld = !now || !m_outcomes.areOf(sweepEntries(m_document->experiment(), *now));
    m_results->setStale(isOld && !isRunning() && !isLive()); // live ones are replaced at once
}

bool SweepPage::isLive() const
{
    const auto now = m_controls->setup();
    if (!now || m_controls->trains() || (isRunning() && m_outcomes.running() == OutcomeKind::Trained))
        return false;
    const auto seconds = m_estimate->secondsToPredict(sweepEntries(m_document->experiment(), *now));
    return seconds && *seconds < kLiveSeconds;
}

bool SweepPage::isUpToDate() const
{
    const auto now = m_controls->setup();
    return now && m_outcomes.isComplete(chosenKind(), sweepEntries(m_document->experiment(), *now));
}

void SweepPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    edited(); // the plan may have changed meanwhile
}

std::optional<double> SweepPage::estimatedSeconds(const std::vector<SweepEntry> &entries) const
{
    return m_controls->trains() ? m_estimate->secondsToTrain(entries) : m_estimate->secondsToPredict(entries);
}

void SweepPage::showAmount()
{
    const auto now = m_controls->setup();
    const bool trains = m_controls->trains();
    QString obstacle = now ? QString() : sentence(now.error());
    if (now && trains && m_training)
        obstacle = Words::tr("A training run is going on; this can start when it has ended.");
    m_controls->setActivity(isLive()      ? SweepControls::Activity::Live
                            : isRunning() ? SweepControls::Activity::Running
                                          : SweepControls::Activity::Idle,
                            obstacle.isEmpty() && !isRunning());
    if (!obstacle.isEmpty()) {
        m_controls->setAmount(obstacle);
        return;
    }
    const auto entries = sweepEntries(m_document->experiment(), *now);
    const auto seconds = estimatedSeconds(entries);
    QString text = sweepAmount(entries.size(), trains, seconds);
    if (trains && !seconds)
        text += Words::tr(", estimating…");
    else if (trains)
        text += Words::tr(", %1 steps each").arg(m_document->experiment().training.steps);
    m_controls->setAmount(text);
}

void SweepPage::start()
{
    const auto now = m_controls->setup();
    const OutcomeKind kind = chosenKind();
    const bool isBusy = isRunning() && (kind == OutcomeKind::Trained || m_outcomes.running() == OutcomeKind::Trained);
    if (!now || isBusy || (kind == OutcomeKind::Trained && m_training))
        return;
    if (isRunning())
        m_bridge->service().cancel(m_job);
    m_liveDelay.stop();
    m_storedRuns = 0;
    auto entries = sweepEntries(m_document->experiment(), *now);
    std::vector<model::Experiment> plans;
    for (const SweepEntry &entry : entries)
        plans.push_back(entry.plan);
    auto published = publishedPoints(entries, m_bridge->cores());
    m_outcomes.begin(kind, *now, std::move(entries), std::move(published));
    m_bar->clear();
    m_job = m_bridge->service().submitSweep(std::move(plans), kind == OutcomeKind::Trained);
    m_controls->beginProgress(m_outcomes.count(kind));
    showAmount();
    m_results->forgetChoice();
    showResults();
}

void SweepPage::cancel()
{
    if (isRunning()) {
        m_bridge->service().cancel(m_job);
        m_controls->showStopping();
    }
}

void SweepPage::setTraining(bool training)
{
    if (training == m_training)
        return;
    m_training = training;
    showAmount();
}

void SweepPage::take(quint64 job, const service::SweepSnapshotPtr &snapshot)
{
    if (job != m_job)
        return;
    m_outcomes.update(snapshot);
    m_controls->showProgress(*snapshot);
    if (snapshot->finished)
        end(*snapshot);
    showResults();
    const auto runs = static_cast<std::size_t>(
        std::ranges::count_if(snapshot->points, [](const service::SweepPoint &point) { return point.run != 0; }));
    if (std::exchange(m_storedRuns, runs) != runs)
        emit runsChanged();
}

void SweepPage::end(const service::SweepSnapshot &snapshot)
{
    m_job = 0;
    showAmount();
    const auto impossible = std::ranges::count_if(
        snapshot.points, [](const service::SweepPoint &point) { return point.done && !impossibility(point).isEmpty(); });
    if (snapshot.cancelled)
        m_bar->say(MessageBar::Tone::Note,
                   Words::tr("Cancelled: %1 of %2 are done and stay.").arg(snapshot.done).arg(snapshot.points.size()));
    else if (impossible > 0)
        m_bar->say(MessageBar::Tone::Note, Words::tr("%1 of %2 are impossible here, marked ×: point at one for the reason.")
                                               .arg(impossible)
                                               .arg(snapshot.points.size()));
}

void SweepPage::showResults()
{
    m_results->refresh();
    greyOldResults();
    emit resultsChanged();
}

} // namespace stagelens::ui
