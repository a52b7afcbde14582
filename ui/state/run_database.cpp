#include "ui/state/run_database.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/predictions/export_text.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
/// How often the table is read again during a run.
constexpr qint64 kRefreshMilliseconds = 1000;
constexpr int kRetryMilliseconds = 1000;
} // namespace

QString storeSentence(const base::Error &error)
{
    base::Problem problem = error.problems.front();
    if (problem.field.starts_with('/'))
        problem.message = problem.field + ' ' + problem.message;
    return sentence(problem);
}

RunDatabase::RunDatabase(EngineBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    connect(m_bridge, &EngineBridge::storeChanged, this, &RunDatabase::refresh);
    m_retry.setSingleShot(true);
    m_retry.setInterval(kRetryMilliseconds);
    connect(&m_retry, &QTimer::timeout, this, &RunDatabase::refresh);
}

template <class Work, class Take>
void RunDatabase::ask(service::StoreUse use, Work work, Take take)
{
    m_bridge->ask(use, this, std::move(work), [this, take = std::move(take), number = m_number](auto answer) {
        if (number == m_number)
            take(std::move(answer));
    });
}

template <class Change>
void RunDatabase::change(Change change)
{
    ask(service::StoreUse::Change, std::move(change), [this](const base::Result<> &changed) {
        if (!changed)
            emit failed(storeSentence(changed.error()));
        refresh();
    });
}

void RunDatabase::refresh()
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

void RunDatabase::takeTable(base::Result<RunTable> table)
{
    m_isRefreshing = false;
    if (table) {
        m_table = *std::move(table);
        setProblem(&RunDatabase::m_notRead, {});
        emit runsChanged();
    } else {
        const bool isOurs = table.error().kind != base::ErrorKind::InvalidInput;
        setProblem(&RunDatabase::m_notRead,
                   (isOurs ? Words::tr("The stored runs cannot be read now. Stagelens tries again every second. ")
                           : Words::tr("Results of this session are not being stored. ")) +
                       storeSentence(table.error()));
        m_retry.start();
    }
    if (std::exchange(m_refreshAgain, false))
        refresh();
}

void RunDatabase::refreshSometimes()
{
    if (m_lastRefresh.hasExpired(kRefreshMilliseconds))
        refresh();
}

void RunDatabase::setFilter(const QString &filter)
{
    m_query.words = filterWords(filter);
    refresh();
}

void RunDatabase::setOrder(store::RunOrder order, bool reversed)
{
    m_query.order = order;
    m_query.reversed = reversed;
    refresh();
}

void RunDatabase::readRows(std::vector<store::RunId> runs, std::function<void(std::vector<store::RunSummary>)> take)
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

void RunDatabase::readDifference(const model::Experiment &baseline, store::RunId run, std::function<void(const QString &)> take)
{
    ask(
        service::StoreUse::Read,
        [run, baseline, cores = m_bridge->cores()](service::StoredRuns &stored) -> base::Result<QString> {
            const auto plan = stored.experiment(run);
            if (!plan)
                return plan.error();
            return differenceWords(baseline, operators::resolved(*plan, cores));
        },
        [take = std::move(take)](const base::Result<QString> &words) {
            if (words)
                take(*words);
        });
}

void RunDatabase::findRunsOf(const model::Experiment &plan, std::size_t most,
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

void RunDatabase::load(std::vector<store::RunId> runs, std::function<void(const std::vector<service::RunSnapshotPtr> &)> take)
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

void RunDatabase::loadStep(store::RunId run, std::optional<int> step,
                           std::function<void(const base::Result<service::RunSnapshotPtr> &)> take)
{
    ask(
        service::StoreUse::Read, [run, step](service::StoredRuns &stored) { return readRun(stored, run, step); },
        std::move(take));
}

void RunDatabase::exportRun(store::RunId run, const QString &format, const QString &file)
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

void RunDatabase::remove(store::RunId run)
{
    m_deleted.insert(run);
    emit removed(run);
    emit runsChanged();
}

void RunDatabase::restore(store::RunId run)
{
    if (m_deleted.erase(run) > 0)
        emit runsChanged();
}

void RunDatabase::commitDeletions()
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

void RunDatabase::rename(store::RunId run, const QString &name)
{
    change([run, name = utf8(name)](service::StoredRuns &stored) { return stored.rename(run, name); });
}

void RunDatabase::setTags(store::RunId run, const QStringList &tags)
{
    std::vector<std::string> words;
    for (const QString &tag : tags)
        words.push_back(utf8(tag));
    change([run, words = std::move(words)](service::StoredRuns &stored) { return stored.setTags(run, words); });
}

void RunDatabase::setNote(store::RunId run, const QString &note)
{
    change([run, note = utf8(note)](service::StoredRuns &stored) { return stored.setNote(run, note); });
}

QString RunDatabase::problem() const
{
    return m_notStored.isEmpty() ? m_notRead : Words::tr("Results of this session are not being stored. ") + m_notStored;
}

void RunDatabase::setNotStored(const QString &reason)
{
    setProblem(&RunDatabase::m_notStored, reason);
}

void RunDatabase::setProblem(QString RunDatabase::*which, const QString &problem)
{
    const QString before = this->problem();
    this->*which = problem;
    if (this->problem() != before)
        emit problemChanged();
}

void RunDatabase::reset()
{
    ++m_number;
    m_deleted.clear();
    m_table = {};
    m_isRefreshing = false;
    setProblem(&RunDatabase::m_notStored, {});
    setProblem(&RunDatabase::m_notRead, {});
    emit replaced();
    emit runsChanged();
    refresh();
}

} // namespace stagelens::ui
