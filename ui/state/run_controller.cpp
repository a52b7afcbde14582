#include "ui/state/run_controller.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "ui/words/run_words.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// The table need not be read from disk more often while a run goes on.
constexpr qint64 kRefreshMilliseconds = 1000;
constexpr int kRetryMilliseconds = 1000;

/// A problem of the database has its file as the subject.
QString storeSentence(const base::Error &error)
{
    base::Problem problem = error.problems.front();
    if (problem.field.starts_with('/'))
        problem.message = problem.field + ' ' + problem.message;
    return sentence(problem);
}
} // namespace

RunController::RunController(EngineBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(m_bridge, &EngineBridge::runArrived, this, &RunController::take);
    connect(m_bridge, &EngineBridge::storeChanged, this, &RunController::refreshRuns);
    m_retry.setSingleShot(true);
    m_retry.setInterval(kRetryMilliseconds);
    connect(&m_retry, &QTimer::timeout, this, &RunController::refreshRuns);
}

template <class Work, class Take>
void RunController::ask(service::StoreUse use, Work work, Take take)
{
    m_bridge->ask(use, this, std::move(work), [this, take = std::move(take), number = m_databaseNumber](auto answer) {
        if (number == m_databaseNumber)
            take(std::move(answer));
    });
}

template <class Change>
void RunController::change(Change change)
{
    ask(service::StoreUse::Change, std::move(change), [this](const base::Result<> &changed) {
        if (!changed)
            emit failed(storeSentence(changed.error()));
        refreshRuns();
    });
}

void RunController::train(const model::Experiment &experiment)
{
    if (isTraining())
        return;
    m_stopping = false;
    m_following = true;
    ++m_choice;
    m_step.reset();
    m_live.reset();
    m_job = m_bridge->service().submitTraining(experiment);
    emit trainingChanged();
}

void RunController::stop()
{
    if (!isTraining() || m_stopping)
        return;
    m_stopping = true;
    m_bridge->service().cancel(m_job);
    emit trainingChanged();
}

void RunController::take(quint64 job, const service::RunSnapshotPtr &snapshot)
{
    if (job != m_job)
        return;
    const bool first = !m_live;
    m_live = snapshot;
    setProblem(&RunController::m_notStored, qtText(snapshot->storeProblem));
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

void RunController::finish(const service::RunSnapshot &last)
{
    m_job = 0;
    m_stopping = false;
    refreshRuns();
    if (const BadEnd end = badEnd(last.record.summary); !end.words.isEmpty() && !m_following)
        emit failed(end.words); // a run that is shown has its bar
}

void RunController::show(store::RunId run, std::optional<int> step, std::function<void()> then)
{
    const int choice = ++m_choice;
    if (m_live && m_live->record.summary.id == run && !step) {
        m_following = true;
        setShown(m_live, {});
        if (then)
            then();
        return;
    }
    ask(
        service::StoreUse::Read, [run, step](service::StoredRuns &stored) { return readRun(stored, run, step); },
        [this, run, step, choice, then = std::move(then)](base::Result<service::RunSnapshotPtr> loaded) {
            if (choice != m_choice || m_deleted.contains(run))
                return;
            if (!loaded) {
                emit failed(storeSentence(loaded.error()));
                return;
            }
            m_following = false;
            setShown(*std::move(loaded), step);
            if (then)
                then();
        });
}

void RunController::setShown(service::RunSnapshotPtr run, std::optional<int> step)
{
    m_shown = std::move(run);
    m_step = step;
    emit shownChanged();
}

void RunController::showNone()
{
    ++m_choice;
    m_following = false;
    setShown(nullptr, {});
}

QString RunController::shownCaption() const
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

void RunController::findRunsOf(const model::Experiment &plan, std::size_t most,
                               std::function<void(const std::vector<store::RunSummary> &)> take)
{
    ask(
        service::StoreUse::Read,
        [query = PlanQuery{plan, m_bridge->cores(), most, m_deleted}](service::StoredRuns &stored) {
            return ui::findRunsOf(stored, query);
        },
        [take = std::move(take)](const base::Result<std::vector<store::RunSummary>> &found) {
            take(found ? *found : std::vector<store::RunSummary>());
        });
}

void RunController::load(std::vector<store::RunId> runs, std::function<void(const std::vector<service::RunSnapshotPtr> &)> take)
{
    using Loaded = base::Result<std::vector<service::RunSnapshotPtr>>;
    ask(
        service::StoreUse::Read,
        [runs = std::move(runs)](service::StoredRuns &stored) -> Loaded {
            std::vector<service::RunSnapshotPtr> all;
            for (const store::RunId run : runs) {
                auto loaded = readRun(stored, run);
                if (!loaded)
                    return std::move(loaded).error();
                all.push_back(*std::move(loaded));
            }
            return all;
        },
        [this, take = std::move(take)](const Loaded &loaded) {
            if (loaded)
                take(*loaded);
            else
                emit failed(storeSentence(loaded.error()));
        });
}

void RunController::exportRun(store::RunId run, const QString &format, const QString &file)
{
    ask(
        service::StoreUse::Read,
        [run, format = utf8(format), file = utf8(file)](service::StoredRuns &stored) -> base::Result<> {
            const auto record = stored.load(run);
            const auto text = record ? service::exportText(*record, format) : record.error();
            return text ? base::writeFile(file, *text) : base::Result<>(text.error());
        },
        [this](const base::Result<> &exported) {
            if (!exported)
                emit failed(sentence(exported.error()));
        });
}

service::RunSnapshotPtr RunController::shownBeside(const model::Experiment &plan) const
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

std::vector<FieldDifference> RunController::shownDifferences(const model::Experiment &plan) const
{
    if (!m_shown)
        return {};
    return planDifferences(model::resolved(m_shown->record.experiment, m_bridge->cores()), plan);
}

void RunController::refreshRuns()
{
    m_refreshAgain = m_isRefreshing;
    if (std::exchange(m_isRefreshing, true))
        return;
    m_retry.stop();
    m_lastRefresh.start();
    ask(
        service::StoreUse::Read, [query = m_query](service::StoredRuns &stored) { return readTable(stored, query); },
        [this](base::Result<RunTable> table) { takeTable(std::move(table)); });
}

void RunController::takeTable(base::Result<RunTable> table)
{
    m_isRefreshing = false;
    if (table) {
        m_table = *std::move(table);
        setProblem(&RunController::m_notRead, {});
        emit runsChanged();
    } else {
        const bool isOurs = table.error().kind != base::ErrorKind::InvalidInput;
        setProblem(&RunController::m_notRead,
                   (isOurs ? u"The stored runs cannot be read now. Stagelens tries again every second. "_s
                           : u"Results of this session are not being stored. "_s) +
                       storeSentence(table.error()));
        m_retry.start();
    }
    if (std::exchange(m_refreshAgain, false))
        refreshRuns();
}

void RunController::readRows(std::vector<store::RunId> runs, std::function<void(std::vector<store::RunSummary>)> take)
{
    ask(
        service::StoreUse::Read, [runs = std::move(runs)](service::StoredRuns &stored) { return stored.summaries(runs); },
        [this, take = std::move(take)](base::Result<std::vector<store::RunSummary>> rows) {
            if (rows)
                take(*std::move(rows));
            else if (!m_retry.isActive())
                m_retry.start();
        });
}

void RunController::readDifference(const model::Experiment &baseline, store::RunId run,
                                   std::function<void(const QString &)> take)
{
    ask(
        service::StoreUse::Read,
        [run, baseline, cores = m_bridge->cores()](service::StoredRuns &stored) -> base::Result<QString> {
            const auto plan = stored.experiment(run);
            if (!plan)
                return plan.error();
            return differenceWords(baseline, model::resolved(*plan, cores));
        },
        [take = std::move(take)](const base::Result<QString> &words) {
            if (words)
                take(*words);
        });
}

void RunController::setFilter(const QString &filter)
{
    m_query.words = filterWords(filter);
    refreshRuns();
}

void RunController::setOrder(store::RunOrder order, bool reversed)
{
    m_query.order = order;
    m_query.reversed = reversed;
    refreshRuns();
}

void RunController::remove(store::RunId run)
{
    if (isLive(run))
        return;
    m_deleted.insert(run);
    if (m_shown && m_shown->record.summary.id == run)
        showNone();
    emit runsChanged();
}

void RunController::restore(store::RunId run)
{
    if (m_deleted.erase(run) > 0)
        emit runsChanged();
}

bool RunController::isLive(store::RunId run) const
{
    return isTraining() && m_live && m_live->record.summary.id == run;
}

void RunController::commitDeletions()
{
    if (m_deleted.empty())
        return;
    ask(
        service::StoreUse::Change,
        [runs = std::exchange(m_deleted, {})](service::StoredRuns &stored) {
            for (const store::RunId run : runs) {
                const auto removed = stored.remove(run);
                if (!removed) // the window has gone
                    base::log(base::LogLevel::Warning, "a deleted run is still stored: " + removed.error().text());
                if (!removed && removed.error().kind == base::ErrorKind::Failed)
                    break; // nor can the others be removed
            }
            return base::Result<>();
        },
        [](const base::Result<> &) {});
}

void RunController::rename(store::RunId run, const QString &name)
{
    change([run, name = utf8(name)](service::StoredRuns &stored) { return stored.rename(run, name); });
}

void RunController::setTags(store::RunId run, const QStringList &tags)
{
    std::vector<std::string> words;
    for (const QString &tag : tags)
        words.push_back(utf8(tag));
    change([run, words = std::move(words)](service::StoredRuns &stored) { return stored.setTags(run, words); });
}

void RunController::setNote(store::RunId run, const QString &note)
{
    change([run, note = utf8(note)](service::StoredRuns &stored) { return stored.setNote(run, note); });
}

QString RunController::storeProblem() const
{
    return m_notStored.isEmpty() ? m_notRead : u"Results of this session are not being stored. "_s + m_notStored;
}

void RunController::setProblem(QString RunController::*which, const QString &problem)
{
    const QString before = storeProblem();
    this->*which = problem;
    if (storeProblem() != before)
        emit storeProblemChanged();
}

void RunController::databaseChanged()
{
    ++m_databaseNumber;
    m_live.reset();
    m_deleted.clear();
    m_table = {};
    m_isRefreshing = false;
    setProblem(&RunController::m_notStored, {});
    setProblem(&RunController::m_notRead, {});
    showNone();
    emit runsChanged();
    refreshRuns();
}

QString RunController::progressText() const
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
