#include "ui/pages/sweep_page.h"

#include "engine/base/file.h"
#include "ui/controls/message_bar.h"
#include "ui/controls/number_box.h"
#include "ui/pages/picture_export.h"
#include "ui/pages/sweep_content.h"
#include "ui/plots/sweep_multiples.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// An estimate of training waits for a pause in typing.
constexpr int kEstimateMilliseconds = 300;
/// Predictions that take less start by themselves.
constexpr double kLiveSeconds = 1;
constexpr std::size_t kPredicted = 0;
constexpr std::size_t kTrained = 1;
constexpr std::size_t kPublished = 2;
/// The points of a kind have numbers from this times its own on.
constexpr int kIdsOfKind = 1'000'000;
/// Plans that Compare shows.
constexpr std::size_t kMostCompared = 6;
} // namespace

SweepPage::SweepPage(EngineBridge *bridge, ExperimentDocument *document, QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_document(document), m_outcomes(3)
{
    build();
    m_estimateDelay.setSingleShot(true);
    m_estimateDelay.setInterval(kEstimateMilliseconds);
    connect(&m_estimateDelay, &QTimer::timeout, this, &SweepPage::askEstimate);
    m_liveDelay.setSingleShot(true);
    m_liveDelay.setInterval(kEstimateMilliseconds);
    connect(&m_liveDelay, &QTimer::timeout, this, &SweepPage::start);
    connect(m_bridge, &EngineBridge::sweepArrived, this, &SweepPage::take);
    connect(m_document, &ExperimentDocument::changed, this, &SweepPage::edited);
    edited();
    refreshPlots();
}

base::Result<SweepSetup> SweepPage::setup() const
{
    SweepSetup setup;
    setup.first.parameter = static_cast<std::size_t>(m_first->currentIndex());
    auto values = parseSweepValues(sweepParameters()[setup.first.parameter], m_firstValues->text());
    if (!values)
        return std::move(values).error();
    setup.first.values = *std::move(values);
    if (m_second->currentIndex() > 0) {
        const auto second = static_cast<std::size_t>(m_second->currentIndex() - 1);
        auto others = parseSweepValues(sweepParameters()[second], m_secondValues->text());
        if (!others)
            return std::move(others).error();
        setup.second = SweepAxis{second, *std::move(others)};
    }
    for (std::size_t i = 0; i < m_methods.size(); ++i)
        if (m_methods[i]->isChecked())
            setup.methods.push_back(static_cast<model::VocabularyMethod>(i));
    if (const QString obstacle = sweepObstacle(m_document->experiment(), setup); !obstacle.isEmpty())
        return base::Error::invalid("sweep", utf8(obstacle));
    return setup;
}

bool SweepPage::trains() const
{
    return m_how->currentIndex() == static_cast<int>(kTrained);
}

void SweepPage::edited()
{
    const bool second = m_second->currentIndex() > 0;
    m_secondValues->setVisible(second);
    m_estimateDelay.stop();
    m_liveDelay.stop();
    if (trains() && setup())
        m_estimateDelay.start();
    else if (isVisible() && isLive() && !isUpToDate())
        m_liveDelay.start();
    showAmount();
}

bool SweepPage::isLive()
{
    const auto now = setup();
    if (!now || trains() || (isRunning() && m_running == kTrained))
        return false;
    const auto seconds = estimatedSeconds(sweepEntries(m_document->experiment(), *now));
    return seconds && *seconds < kLiveSeconds;
}

bool SweepPage::isUpToDate() const
{
    const auto now = setup();
    const Outcome &outcome = m_outcomes[trains() ? kTrained : kPredicted];
    return now && outcome.state && outcome.state->finished && !outcome.state->cancelled &&
           outcome.entries == sweepEntries(m_document->experiment(), *now);
}

void SweepPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    edited(); // the plan may have changed meanwhile
}

void SweepPage::showAmount()
{
    const auto now = setup();
    QString obstacle = now ? QString() : sentence(now.error());
    if (now && trains() && m_training)
        obstacle = Words::tr("A training run is going on; this can start when it has ended.");
    m_start->setEnabled(obstacle.isEmpty() && !isRunning());
    const bool live = isLive();
    m_start->setVisible(!isRunning() && !live);
    m_cancel->setVisible(isRunning() && !live);
    m_progress->setVisible(isRunning() && !live);
    m_amount->setVisible(!isRunning() || live);
    if (!obstacle.isEmpty()) {
        m_amount->setText(obstacle);
        return;
    }
    const auto entries = sweepEntries(m_document->experiment(), *now);
    const auto seconds = estimatedSeconds(entries);
    QString text = sweepAmount(entries.size(), trains(), seconds);
    if (trains() && !seconds)
        text += Words::tr(", estimating…");
    else if (trains())
        text += Words::tr(", %1 steps each").arg(m_document->experiment().training.steps);
    m_amount->setText(text);
}

double SweepPage::secondsOfPrediction(const model::Experiment &plan)
{
    const auto passes = [](const model::Experiment &experiment) {
        return static_cast<double>(experiment.parallel.devices) * experiment.parallel.microbatches *
               (model::traits(experiment.schedule.vocabulary).isSharded ? 6 : 2);
    };
    if (m_secondsOfPass <= 0) { // once: the default plan, a few milliseconds
        const model::Experiment small;
        QElapsedTimer clock;
        clock.start();
        (void)service::predict(small, m_bridge->cores());
        m_secondsOfPass = static_cast<double>(clock.nsecsElapsed()) / 1e9 / passes(small);
    }
    return passes(plan) * m_secondsOfPass;
}

std::optional<double> SweepPage::estimatedSeconds(const std::vector<SweepEntry> &entries)
{
    double seconds = 0;
    if (!trains()) {
        for (const SweepEntry &entry : entries)
            seconds += secondsOfPrediction(entry.plan);
        return seconds;
    }
    if (!m_estimate || !m_estimate->finished || m_estimated != entries)
        return std::nullopt;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const service::SweepPoint &point = m_estimate->points[i];
        const bool live = model::runMode(entries[i].plan, m_bridge->cores()) == model::RunMode::Live;
        seconds += static_cast<double>(live ? point.iteration : point.work) / 1e9 * entries[i].plan.training.steps;
    }
    return seconds;
}

void SweepPage::askEstimate()
{
    const auto now = setup();
    if (!now || !trains())
        return;
    if (m_estimateJob != 0)
        m_bridge->service().cancel(m_estimateJob);
    m_estimated = sweepEntries(m_document->experiment(), *now);
    m_estimate.reset();
    std::vector<model::Experiment> plans;
    for (const SweepEntry &entry : m_estimated) {
        plans.push_back(entry.plan);
        if (plans.back().hasModel)
            plans.back().cost.source = model::HardwarePreset{}; // training happens on this computer
    }
    m_estimateJob = m_bridge->service().submitSweep(std::move(plans), false);
}

void SweepPage::start()
{
    const auto now = setup();
    if (!now || (isRunning() && (trains() || m_running == kTrained)) || (trains() && m_training))
        return;
    if (isRunning())
        m_bridge->service().cancel(m_job);
    m_liveDelay.stop();
    const std::size_t kind = trains() ? kTrained : kPredicted;
    auto entries = sweepEntries(m_document->experiment(), *now);
    Outcome &other = m_outcomes[1 - kind];
    if (other.entries != entries) // they would stand on other axes
        other = {};
    m_shownSetup = *now;
    m_running = kind;
    m_storedRuns = 0;
    m_chosen = -1;
    m_isChosenByHand = false;
    std::vector<model::Experiment> plans;
    for (const SweepEntry &entry : entries)
        plans.push_back(entry.plan);
    auto published = publishedPoints(entries, m_bridge->cores());
    auto points = std::make_shared<service::SweepSnapshot>();
    points->points = std::move(published.points);
    m_outcomes[kPublished] = {std::move(published.entries), std::move(points)};
    m_outcomes[kind] = {std::move(entries), nullptr};
    m_bar->clear();
    m_job = m_bridge->service().submitSweep(std::move(plans), kind == kTrained);
    m_progress->setRange(0, static_cast<int>(m_outcomes[kind].entries.size()));
    m_progress->setValue(0);
    showAmount();
    refreshPlots();
}

void SweepPage::cancel()
{
    if (isRunning()) {
        m_bridge->service().cancel(m_job);
        m_progress->setFormat(Words::tr("stopping"));
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
    if (job == m_estimateJob) {
        m_estimate = snapshot;
        if (snapshot->finished)
            showAmount();
        return;
    }
    if (job != m_job)
        return;
    m_outcomes[m_running].state = snapshot;
    showProgress(*snapshot);
    refreshPlots();
    const auto runs = static_cast<std::size_t>(
        std::ranges::count_if(snapshot->points, [](const service::SweepPoint &point) { return point.run != 0; }));
    if (std::exchange(m_storedRuns, runs) != runs)
        emit runsChanged();
}

void SweepPage::showProgress(const service::SweepSnapshot &snapshot)
{
    m_progress->setValue(static_cast<int>(snapshot.done));
    m_progress->setFormat(Words::tr("%1 of %2").arg(snapshot.done).arg(snapshot.points.size()) +
                          (snapshot.secondsLeft ? Words::tr(", %1 left").arg(secondsText(*snapshot.secondsLeft)) : QString()));
    if (!snapshot.finished)
        return;
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

std::vector<SweepResult> SweepPage::done() const
{
    std::vector<SweepResult> results;
    for (std::size_t kind = 0; kind < m_outcomes.size(); ++kind) {
        const Outcome &outcome = m_outcomes[kind];
        for (std::size_t i = 0; outcome.state && i < outcome.entries.size(); ++i)
            if (outcome.state->points[i].done)
                results.push_back({static_cast<int>(kind) * kIdsOfKind + static_cast<int>(i), &outcome.entries[i],
                                   &outcome.state->points[i]});
    }
    return results;
}

void SweepPage::refreshPlots()
{
    const std::vector<SweepResult> results = done();
    const SweepMetric &metric = sweepMetrics()[static_cast<std::size_t>(m_metric->currentIndex())];
    m_metricPlot->setContents(metricContents(m_shownSetup, metric, results));
    m_memoryPlot->setContent(memoryContent(m_shownSetup, results));
    m_legend->setVisible(!results.empty());
    SweepSetup coloured = m_shownSetup;
    if (hasMultiples(coloured))
        coloured.second.reset();
    fillSweepLegend(*m_legend, results.empty() ? QStringList() : seriesNames(coloured),
                    !m_outcomes[kPublished].entries.empty());
    m_export->setEnabled(!results.empty());
    if (m_isChosenByHand)
        choose(m_chosen);
    else
        chooseBest();
    emit resultsChanged();
}

bool SweepPage::hasResults() const
{
    return m_export->isEnabled();
}

std::string SweepPage::resultsText(const QString &format) const
{
    return format == u"csv"_s ? sweepCsv(done()) : sweepJson(done());
}

base::Result<> SweepPage::exportResults(const QString &file)
{
    const QString format = QFileInfo(file).suffix().toLower();
    if (format == u"csv"_s || format == u"json"_s)
        return base::writeFile(utf8(file), resultsText(format));
    return exportPicture(pictureOf(*m_results, u"sweep"_s), file, format);
}

void SweepPage::askForFile()
{
    const QString file = QFileDialog::getSaveFileName(this, Words::tr("Export the sweep"), u"sweep.csv"_s,
                                                      Words::tr("Tables (*.csv *.json);;Pictures (*.png *.svg *.pdf)"));
    if (file.isEmpty())
        return;
    if (const auto saved = exportResults(file); !saved)
        m_bar->say(MessageBar::Tone::Warning, sentence(saved.error()));
}

const SweepEntry *SweepPage::entryOf(int id) const
{
    const Outcome &outcome = m_outcomes[static_cast<std::size_t>(std::max(id, 0) / kIdsOfKind)];
    const auto index = static_cast<std::size_t>(id % kIdsOfKind);
    return id >= 0 && index < outcome.entries.size() ? &outcome.entries[index] : nullptr;
}

const service::SweepPoint *SweepPage::pointOf(int id) const
{
    const Outcome &outcome = m_outcomes[static_cast<std::size_t>(std::max(id, 0) / kIdsOfKind)];
    const auto index = static_cast<std::size_t>(id % kIdsOfKind);
    return id >= 0 && outcome.state && index < outcome.state->points.size() ? &outcome.state->points[index] : nullptr;
}

QString SweepPage::wordsOf(int id) const
{
    const SweepEntry *entry = entryOf(id);
    const service::SweepPoint *point = pointOf(id);
    return entry && point ? sweepWords(*entry, *point) : QString();
}

void SweepPage::highlight(int id)
{
    const int shown = id >= 0 ? id : m_chosen;
    m_metricPlot->setHighlighted(shown);
    m_memoryPlot->setHighlighted(shown);
    const QString words = wordsOf(shown);
    m_point->setText(words.isEmpty() ? Words::tr("Point at a result to see its figures in both plots; a click keeps it.")
                                     : words);
}

void SweepPage::chooseBest()
{
    std::vector<SweepResult> results = done();
    std::erase_if(results, [&](const SweepResult &one) {
        return one.id / kIdsOfKind != static_cast<int>(m_running); // predictions and measurements are not ranked together
    });
    const SweepGoal goal{m_goal->isChecked(), m_allowance->value() / 100.0};
    choose(bestResult(m_document->experiment(), results, goal).value_or(-1));
}

void SweepPage::chooseByHand(int id)
{
    m_isChosenByHand = true;
    choose(id);
}

void SweepPage::choose(int id)
{
    m_chosen = id;
    m_open->setEnabled(entryOf(id) != nullptr);
    const std::size_t count = seriesOfChosen().size();
    m_compare->setEnabled(count >= 2 && count <= kMostCompared);
    highlight(-1);
}

std::vector<std::pair<QString, model::Experiment>> SweepPage::seriesOfChosen() const
{
    std::vector<std::pair<QString, model::Experiment>> plans;
    const SweepEntry *chosen = entryOf(m_chosen);
    const Outcome &outcome = m_outcomes[static_cast<std::size_t>(std::max(m_chosen, 0) / kIdsOfKind)];
    for (std::size_t i = 0; chosen && outcome.state && i < outcome.entries.size(); ++i)
        if (outcome.entries[i].series == chosen->series && outcome.state->points[i].done &&
            impossibility(outcome.state->points[i]).isEmpty())
            plans.emplace_back(outcome.entries[i].words, outcome.entries[i].plan);
    return plans;
}

void SweepPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshPlots(); // the legend's signs have the theme's colours
}

void SweepPage::open(int id)
{
    if (const SweepEntry *entry = entryOf(id))
        emit openAsked(entry->words, entry->plan);
}

} // namespace stagelens::ui
