// The runs of the open database: their table, what is read of them, and changes to them.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/run_reader.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace stagelens::ui {

/// A problem of the database as a sentence; its file is the subject.
[[nodiscard]] QString storeSentence(const base::Error &error);

/// Nothing here waits for the database: what is read of it comes later, unless another database was opened by then.
class RunDatabase : public QObject {
    Q_OBJECT
public:
    explicit RunDatabase(EngineBridge *bridge, QObject *parent = nullptr);

    /// Those that the filter lets through, in the chosen order.
    [[nodiscard]] const RunTable &table() const { return m_table; }
    [[nodiscard]] const store::RunList &runs() const { return m_table.list; }
    /// Reads the table again; retries every second after a failure.
    void refresh();
    [[nodiscard]] bool isRefreshing() const { return m_isRefreshing; }
    /// Reads the table again if that was not done for a second: a run in progress changes it often.
    void refreshSometimes();
    void setFilter(const QString &filter);
    void setOrder(store::RunOrder order, bool reversed);

    /// Answers with rows of the table; not at all where the database cannot be read, which is then tried again.
    void readRows(std::vector<store::RunId> runs, std::function<void(std::vector<store::RunSummary>)> take);
    /// Answers in what a run differs from a plan (resolved), in words.
    void readDifference(const model::Experiment &baseline, store::RunId run, std::function<void(const QString &)> take);
    /// Answers with the newest runs that measured exactly that plan (resolved) and have something to show; none where the
    /// database cannot be read.
    void findRunsOf(const model::Experiment &plan, std::size_t most,
                    std::function<void(const std::vector<store::RunSummary> &)> take);
    /// Answers with stored runs, in that order.
    void load(std::vector<store::RunId> runs, std::function<void(const std::vector<service::RunSnapshotPtr> &)> take);
    /// Answers with a stored run and the timeline of a step, the median one if none is given; or with what is wrong.
    void loadStep(store::RunId run, std::optional<int> step,
                  std::function<void(const base::Result<service::RunSnapshotPtr> &)> take);
    /// Writes a stored run: format "chrome-trace", "csv" or "json".
    void exportRun(store::RunId run, const QString &format, const QString &file);

    /// Hides a run; it is deleted when the window closes, until then restore() brings it back.
    void remove(store::RunId run);
    void restore(store::RunId run);
    void commitDeletions();
    [[nodiscard]] const std::set<store::RunId> &deleted() const { return m_deleted; }
    void rename(store::RunId run, const QString &name);
    void setTags(store::RunId run, const QStringList &tags);
    void setNote(store::RunId run, const QString &note);

    /// Why results are not being stored, or runs not read, in whole sentences; empty while they are.
    [[nodiscard]] QString problem() const;
    /// Sets why results of the run in progress are not being stored; empty: they are.
    void setNotStored(const QString &reason);
    /// Another database was opened: its runs and its problems, none of the former's.
    void reset();
    /// Tells databases apart: what was deleted from one is not restored in another.
    [[nodiscard]] int number() const { return m_number; }

signals:
    void runsChanged();
    /// A run was hidden.
    void removed(qint64 run);
    /// Another database was opened.
    void replaced();
    void problemChanged();
    /// A request to the database failed.
    void failed(const QString &sentence);

private:
    void takeTable(base::Result<RunTable> table);
    void setProblem(QString RunDatabase::*which, const QString &problem);
    /// Makes a change, reports a failure, and reads the table again.
    template <class Change>
    void change(Change change);
    /// EngineBridge::ask(), without the answers of another database.
    template <class Work, class Take>
    void ask(service::StoreUse use, Work work, Take take);

    EngineBridge *m_bridge;
    store::RunQuery m_query;
    RunTable m_table;
    bool m_isRefreshing = false;
    bool m_refreshAgain = false;
    QTimer m_retry;
    QElapsedTimer m_lastRefresh;
    std::set<store::RunId> m_deleted;
    int m_number = 0;
    QString m_notStored; ///< why
    QString m_notRead;
};

} // namespace stagelens::ui
