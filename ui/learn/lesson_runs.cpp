#include "ui/learn/lesson_runs.h"

#include "ui/controls/button_style.h"
#include "ui/controls/message_bar.h"
#include "ui/learn/facts.h"
#include "ui/plots/plots.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMostKept = 8; ///< sets of runs whose losses are remembered
constexpr int kPlotHeight = 160;
/// Width of the last curve. Each before it is wider, so that those that coincide are all seen.
constexpr double kThinnest = 1.6;
constexpr double kWider = 1.4;

/// Returns the time in seconds to train the plans one after another on this computer.
base::Result<double> secondsToTrain(std::vector<model::Experiment> plans, int cores, const std::stop_token &stop)
{
    double seconds = 0;
    for (model::Experiment &plan : plans) {
        plan.cost.source = model::HardwarePreset{}; // training happens here
        const auto predicted = service::predict(plan, cores, {stop, {}});
        if (!predicted)
            return predicted.error();
        const std::vector<base::Nanos> &busy = (*predicted)->metrics.busyPerDevice;
        const base::Nanos step = model::runMode(plan, cores) == model::RunMode::Live
                                     ? (*predicted)->metrics.iteration
                                     : std::accumulate(busy.begin(), busy.end(), base::Nanos{0});
        seconds += static_cast<double>(step) / 1e9 * plan.training.steps;
    }
    return seconds;
}

} // namespace

LessonRuns::LessonRuns(EngineBridge *bridge, QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_estimating(bridge),
      m_train(new QPushButton(glyphIcon(Glyph::Play), QString(), this)),
      m_stop(new QPushButton(glyphIcon(Glyph::Stop), Words::tr("Stop"), this)),
      m_compare(new QPushButton(Words::tr("&Compare the runs"), this)), m_words(plainLabel(this)), m_plot(new LossPlot(this)),
      m_results(plainLabel(this)), m_bar(new MessageBar(u"bar.lesson.runs"_s, this))
{
    build();
    connect(m_train, &QPushButton::clicked, this, &LessonRuns::train);
    connect(m_stop, &QPushButton::clicked, this, &LessonRuns::stop);
    connect(m_compare, &QPushButton::clicked, this, [this] {
        std::vector<qint64> runs;
        for (const Run &run : m_runs)
            runs.push_back(run.id);
        emit compareAsked(runs);
    });
    connect(bridge, &EngineBridge::runArrived, this, &LessonRuns::take);
    connect(bridge, &EngineBridge::calibrated, this, &LessonRuns::estimate);
}

LessonRuns::~LessonRuns()
{
    end();
}

void LessonRuns::build()
{
    m_train->setObjectName(u"lesson.train"_s);
    m_stop->setObjectName(u"lesson.stop"_s);
    m_stop->setToolTip(Words::tr("The steps so far remain"));
    m_compare->setObjectName(u"lesson.compare"_s);
    m_compare->setToolTip(Words::tr("Opens Compare with these runs, the first as the baseline"));
    m_words->setObjectName(u"lesson.training"_s);
    m_words->setWordWrap(true);
    m_results->setObjectName(u"lesson.losses"_s);
    m_results->setWordWrap(true);
    m_results->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_plot->setFixedHeight(kPlotHeight);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    for (QPushButton *button : {m_train, m_stop, m_compare}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    row->addWidget(m_words, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_plot);
    layout->addWidget(m_results);
    layout->addWidget(m_bar);
    layout->addLayout(row);
    hide();
}

void LessonRuns::setRuns(std::vector<OfferedRun> runs)
{
    end();
    m_estimating.cancel();
    m_offered = std::move(runs);
    m_runs.clear();
    m_done = 0;
    m_bar->clear();
    setVisible(!m_offered.empty());
    refresh();
}

void LessonRuns::setPlan(const model::Experiment &plan)
{
    std::vector<Run> runs;
    for (const OfferedRun &offered : m_offered)
        runs.push_back({besideOf(plan, offered.changes), {}, 0});
    const auto isSame = [&runs](const std::vector<Run> &others) {
        return std::ranges::equal(runs, others, {}, &Run::plan, &Run::plan);
    };
    if (isSame(m_runs))
        return;
    end();
    m_bar->clear();
    const auto kept = std::ranges::find_if(m_kept, isSame);
    m_runs = kept == m_kept.end() ? std::move(runs) : *kept;
    m_done = kept == m_kept.end() ? 0 : m_runs.size();
    estimate();
    refresh();
}

void LessonRuns::estimate()
{
    m_seconds.reset();
    if (m_runs.empty())
        return;
    std::vector<model::Experiment> plans;
    for (const Run &run : m_runs)
        plans.push_back(run.plan);
    m_estimating.start([plans = std::move(plans),
                        cores = m_bridge->cores()](const std::stop_token &stop) { return secondsToTrain(plans, cores, stop); },
                       [this](const base::Result<double> &seconds) {
                           m_seconds =
                               seconds ? std::optional(*seconds) : std::nullopt; // training says what is wrong with a plan
                           refresh();
                       });
}

std::vector<std::vector<double>> LessonRuns::losses() const
{
    std::vector<std::vector<double>> losses;
    for (std::size_t i = 0; isTrained() && i < m_runs.size(); ++i)
        losses.push_back(m_runs[i].losses);
    return losses;
}

void LessonRuns::train()
{
    if (isTraining() || m_runs.empty())
        return;
    m_bar->clear();
    m_done = 0;
    for (Run &run : m_runs)
        run = {run.plan, {}, 0};
    trainNext();
}

void LessonRuns::trainNext()
{
    m_live.reset();
    m_isStopping = false;
    m_job = m_bridge->service().submitTraining(m_runs[m_done].plan);
    refresh();
}

void LessonRuns::stop()
{
    if (!isTraining() || m_isStopping)
        return;
    m_isStopping = true;
    m_bridge->service().cancel(m_job);
    refresh();
}

void LessonRuns::end()
{
    if (isTraining() && m_bridge)
        m_bridge->service().cancel(m_job);
    m_job = 0;
    m_isStopping = false;
}

void LessonRuns::take(quint64 job, const service::RunSnapshotPtr &snapshot)
{
    if (!isTraining() || job != m_job)
        return;
    m_live = snapshot;
    Run &run = m_runs[m_done];
    run.losses = snapshot->record.losses;
    run.id = snapshot->record.summary.id;
    if (!snapshot->finished)
        return refresh();
    m_job = 0;
    if (snapshot->error)
        m_bar->say(MessageBar::Tone::Warning,
                   Words::tr("%1 was not trained. %2").arg(m_offered[m_done].name, sentence(*snapshot->error)),
                   {{Words::tr("Try again"), [this] { train(); }}});
    if (snapshot->error || snapshot->record.summary.status == store::RunStatus::Cancelled)
        return refresh();
    if (++m_done < m_runs.size())
        return trainNext();
    m_kept.push_back(m_runs);
    if (m_kept.size() > kMostKept)
        m_kept.erase(m_kept.begin());
    refresh();
    emit trained();
}

QString LessonRuns::progressWords() const
{
    const QString which = Words::tr("%1 (run %2 of %3): ").arg(m_offered[m_done].name).arg(m_done + 1).arg(m_runs.size());
    if (m_isStopping)
        return which + Words::tr("stopping");
    if (!m_live)
        return which + Words::tr("preparing");
    return which + Words::tr("step %1 of %2").arg(std::min(m_live->step + 1, m_live->steps)).arg(m_live->steps);
}

QString LessonRuns::resultWords() const
{
    Facts facts;
    facts.addLosses(losses());
    QStringList lines;
    for (std::size_t i = 0; isTrained() && i < m_runs.size(); ++i) {
        const std::string letter(1, static_cast<char>('a' + i));
        const QString &name = m_offered[i].name;
        const QString mean = QString::number(facts.value("mean_" + letter).value_or(NAN), 'f', 3);
        const double apart = facts.value("apart_" + letter).value_or(NAN);
        if (i == 0)
            lines << Words::tr("%1: mean loss %2").arg(name, mean);
        else if (apart == 0)
            lines << Words::tr("%1: mean loss %2, at every step that of %3").arg(name, mean, m_offered.front().name);
        else
            lines << Words::tr("%1: mean loss %2, at a step at most %3 from %4")
                         .arg(name, mean, fineShareText(apart), m_offered.front().name);
    }
    return lines.join(u'\n');
}

void LessonRuns::refresh()
{
    std::vector<LossPlot::Curve> curves;
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        if (!m_runs[i].losses.empty())
            curves.push_back(
                {m_offered[i].name, m_runs[i].losses, kThinnest + kWider * static_cast<double>(m_runs.size() - 1 - i)});
    const bool hasBegun = !curves.empty();
    m_plot->setVisible(hasBegun);
    m_plot->setCurves(std::move(curves), std::nullopt);
    m_train->setText(hasBegun ? Words::tr("&Train again") : Words::tr("&Train %1 runs").arg(m_offered.size()));
    m_train->setVisible(!isTraining());
    m_train->setEnabled(!m_runs.empty());
    m_stop->setVisible(isTraining());
    m_stop->setEnabled(!m_isStopping);
    m_compare->setVisible(isTrained());
    m_results->setText(resultWords());
    m_results->setVisible(isTrained());
    if (isTraining())
        m_words->setText(progressWords());
    else if (isTrained())
        m_words->setText(Words::tr("These runs are in the table of runs."));
    else if (!m_runs.empty())
        m_words->setText(Words::tr("%1 steps each, on this computer").arg(m_runs.front().plan.training.steps) +
                         (m_seconds ? Words::tr("; about ") + secondsText(*m_seconds) : QString()));
}

} // namespace stagelens::ui
