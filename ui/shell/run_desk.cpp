#include "ui/shell/run_desk.h"

#include "engine/base/log.h"
#include "engine/service/timeline_order.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/bridge/run_words.h"
#include "ui/bridge/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// The table need not be read from disk more often while a run goes on.
constexpr qint64 kRefreshMilliseconds = 1000;
/// Runs of the plan are looked for among the newest.
constexpr std::size_t kRunsLookedAt = 2000;
} // namespace

RunDesk::RunDesk(EngineBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(m_bridge, &EngineBridge::runArrived, this, &RunDesk::take);
    connect(m_bridge, &EngineBridge::storeChanged, this, &RunDesk::refreshRuns);
}

void RunDesk::train(const model::Experiment &experiment)
{
    if (isTraining())
        return;
    m_stopping = false;
    m_following = true;
    m_step.reset();
    m_live.reset();
    m_job = m_bridge->service().submitTraining(experiment);
    emit trainingChanged();
}

void RunDesk::stop()
{
    if (!isTraining() || m_stopping)
        return;
    m_stopping = true;
    m_bridge->service().cancel(m_job);
    emit trainingChanged();
}

void RunDesk::take(quint64 job, const service::RunSnapshotPtr &snapshot)
{
    if (job != m_job)
        return;
    const bool first = !m_live;
    m_live = snapshot;
    if (!snapshot->stored)
        setStoreProblem(qtText(snapshot->storeProblem));
    if (m_following) {
        m_shown = snapshot;
        emit shownChanged();
    }
    if (snapshot->finished)
        finish(*snapshot);
    else if (first || m_lastRefresh.hasExpired(kRefreshMilliseconds))
        refreshRuns();
    emit trainingChanged();
}

void RunDesk::finish(const service::RunSnapshot &last)
{
    m_job = 0;
    m_stopping = false;
    refreshRuns();
    if (const BadEnd end = badEnd(last.record.summary); !end.words.isEmpty() && !m_following)
        emit failed(end.words); // a run that is shown has its bar
}

void RunDesk::show(store::RunId run, std::optional<int> step)
{
    const bool isLive = m_live && m_live->record.summary.id == run && !step;
    service::RunSnapshotPtr found = m_live;
    if (!isLive) {
        auto loaded = load(run, step);
        if (!loaded) {
            emit failed(sentence(loaded.error()));
            return;
        }
        found = *std::move(loaded);
    }
    m_following = isLive;
    m_shown = std::move(found);
    m_step = step;
    emit shownChanged();
}

void RunDesk::showNone()
{
    m_following = false;
    m_shown.reset();
    m_step.reset();
    emit shownChanged();
}

QString RunDesk::shownCaption() const
{
    if (!m_shown)
        return {};
    const store::RunSummary &run = m_shown->record.summary;
    QString text = caption(run.kind) + u" · run %1"_s.arg(run.id);
    const auto &metrics = m_shown->record.metrics;
    const bool isMedian =
        !m_step && m_shown->finished && metrics && store::medianIteration(m_shown->record.iterations) == metrics->iteration;
    const int step = m_step ? *m_step + 1 : isMedian ? *medianStep(m_shown->record) : m_shown->finished ? 0 : m_shown->step;
    if (step > 0)
        text += u", step %1 of %2"_s.arg(step).arg(m_shown->steps);
    return isMedian && m_shown->record.iterations.size() > 1 ? text + u", the median"_s : text;
}

std::vector<store::RunSummary> RunDesk::runsOf(const model::Experiment &plan, std::size_t most)
{
    std::vector<store::RunSummary> found;
    const auto all = m_bridge->service().findRuns({}); // whatever the table is filtered by
    if (!all)
        return found;
    const std::span<const store::RunId> ids = std::span(all->ids).first(std::min(all->ids.size(), kRunsLookedAt));
    for (store::RunSummary &run : rows(ids)) {
        if (found.size() == most)
            break;
        const bool isAlike = run.family == plan.schedule.family && run.vocabulary == plan.schedule.vocabulary &&
                             run.devices == plan.parallel.devices && run.microbatches == plan.parallel.microbatches;
        if (!isAlike || run.stepsDone == 0 || m_deleted.contains(run.id))
            continue;
        const auto experiment = m_bridge->service().runExperiment(run.id);
        if (experiment && planDifferences(model::resolved(*experiment, m_bridge->cores()), plan).empty())
            found.push_back(std::move(run));
    }
    return found;
}

base::Result<service::RunSnapshotPtr> RunDesk::load(store::RunId run, std::optional<int> step)
{
    auto record = m_bridge->service().loadRun(run, step);
    if (!record)
        return std::move(record).error();
    auto snapshot = std::make_shared<service::RunSnapshot>();
    snapshot->record = *std::move(record);
    snapshot->step = snapshot->record.summary.stepsDone;
    snapshot->steps = snapshot->record.summary.stepsPlanned;
    snapshot->finished = snapshot->record.summary.status != store::RunStatus::Running;
    const timeline::TimelinePtr &timeline = snapshot->record.timeline;
    if (auto made = service::scheduleOf(snapshot->record.experiment);
        made && (!timeline || service::checkOrder(*timeline, *made)))
        snapshot->schedule = std::make_shared<const schedule::Schedule>(*std::move(made));
    return service::RunSnapshotPtr(std::move(snapshot));
}

service::RunSnapshotPtr RunDesk::shownBeside(const model::Experiment &plan) const
{
    if (!m_shown)
        return nullptr;
    const model::Experiment own = model::resolved(m_shown->record.experiment, m_bridge->cores());
    model::ModelConfig config = own.model;
    config.preset = plan.model.preset; // only a name
    const bool sameModel = own.hasModel == plan.hasModel && (!own.hasModel || config == plan.model);
    // A teaching unit is no time. The durations of an imported run are those of its plan.
    const bool imported = m_shown->record.summary.kind == timeline::Provenance::Imported;
    const bool sameUnit = !inTeachingUnits(plan) || (imported && own.cost == plan.cost);
    return sameModel && sameUnit ? m_shown : nullptr;
}

std::vector<FieldDifference> RunDesk::shownDifferences(const model::Experiment &plan) const
{
    if (!m_shown)
        return {};
    return planDifferences(model::resolved(m_shown->record.experiment, m_bridge->cores()), plan);
}

void RunDesk::refreshRuns()
{
    m_lastRefresh.start();
    auto runs = m_bridge->service().findRuns(m_query);
    if (!runs) {
        setStoreProblem(sentence(runs.error()));
        return;
    }
    m_runs = *std::move(runs);
    emit runsChanged();
}

std::vector<store::RunSummary> RunDesk::rows(std::span<const store::RunId> runs)
{
    auto rows = m_bridge->service().runSummaries(runs);
    if (!rows) {
        base::log(base::LogLevel::Warning, rows.error().text());
        return {};
    }
    return *std::move(rows);
}

QString RunDesk::difference(const model::Experiment &baseline, store::RunId run)
{
    const auto plan = m_bridge->service().runExperiment(run);
    return plan ? differenceWords(baseline, model::resolved(*plan, m_bridge->cores())) : QString();
}

void RunDesk::setFilter(const QString &filter)
{
    m_query.words = filterWords(filter);
    refreshRuns();
}

void RunDesk::setOrder(store::RunOrder order, bool reversed)
{
    m_query.order = order;
    m_query.reversed = reversed;
    refreshRuns();
}

void RunDesk::remove(store::RunId run)
{
    if (isLive(run))
        return;
    m_deleted.insert(run);
    if (m_shown && m_shown->record.summary.id == run)
        showNone();
    emit runsChanged();
}

void RunDesk::restore(store::RunId run)
{
    if (m_deleted.erase(run) > 0)
        emit runsChanged();
}

bool RunDesk::isLive(store::RunId run) const
{
    return isTraining() && m_live && m_live->record.summary.id == run;
}

void RunDesk::commitDeletions()
{
    for (const store::RunId run : std::exchange(m_deleted, {})) {
        if (const auto removed = m_bridge->service().removeRun(run); !removed)
            base::log(base::LogLevel::Warning, removed.error().text());
    }
}

void RunDesk::rename(store::RunId run, const QString &name)
{
    changed(m_bridge->service().renameRun(run, utf8(name)));
}

void RunDesk::setTags(store::RunId run, const QStringList &tags)
{
    std::vector<std::string> words;
    for (const QString &tag : tags)
        words.push_back(utf8(tag));
    changed(m_bridge->service().tagRun(run, words));
}

void RunDesk::setNote(store::RunId run, const QString &note)
{
    changed(m_bridge->service().noteRun(run, utf8(note)));
}

void RunDesk::changed(const base::Result<> &change)
{
    if (!change)
        emit failed(sentence(change.error()));
    refreshRuns();
}

void RunDesk::setStoreProblem(const QString &problem)
{
    if (problem == m_storeProblem)
        return;
    m_storeProblem = problem;
    emit storeProblemChanged();
}

void RunDesk::databaseChanged()
{
    ++m_databaseNumber;
    m_live.reset();
    m_deleted.clear();
    m_runs = {};
    setStoreProblem({});
    showNone();
    refreshRuns();
}

QString RunDesk::progressText() const
{
    if (!isTraining())
        return {};
    if (m_stopping)
        return u"stopping"_s;
    if (!m_live)
        return u"preparing"_s;
    const service::RunSnapshot &run = *m_live;
    QString text = u"step %1 of %2"_s.arg(std::min(run.step + 1, run.steps)).arg(run.steps);
    if (run.step == 0 && run.passCount > 0)
        text += u" · pass %1 of %2"_s.arg(run.passesDone).arg(run.passCount);
    if (!run.record.losses.empty())
        text += u" · loss "_s + QString::number(run.record.losses.back(), 'f', 2);
    if (run.secondsLeft)
        text += u" · %1 left"_s.arg(secondsText(*run.secondsLeft));
    return text;
}

} // namespace stagelens::ui
