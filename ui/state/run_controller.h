// Training, the run that is shown, and the table of runs.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/run_reader.h"
#include "ui/words/differences.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace stagelens::ui {

/// Nothing here waits for the run database: what is read of it comes later.
class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(EngineBridge *bridge, QObject *parent = nullptr);

    void train(const model::Experiment &experiment);
    void stop();
    [[nodiscard]] bool isTraining() const { return m_job != 0; }
    [[nodiscard]] bool isStopping() const { return m_stopping; }
    /// The run under way or the last one; null before its first event.
    [[nodiscard]] const service::RunSnapshotPtr &live() const { return m_live; }

    /// The run that stands under the prediction: the live one until another was chosen; may be null.
    [[nodiscard]] const service::RunSnapshotPtr &shown() const { return m_shown; }
    /// A step from 0, where its timeline was kept; else the median one, or the latest while the run goes on. `then` is called
    /// when the run is shown, unless another was chosen before.
    void show(store::RunId run, std::optional<int> step = {}, std::function<void()> then = {});
    void showNone();
    /// From 0, where one was chosen.
    [[nodiscard]] std::optional<int> shownStep() const { return m_step; }
    /// "Virtual clock · run 12, step 7 of 50, the median"
    [[nodiscard]] QString shownCaption() const;
    /// Answers with the newest runs that measured exactly that plan (resolved) and have something to show; none where the
    /// database cannot be read.
    void findRunsOf(const model::Experiment &plan, std::size_t most,
                    std::function<void(const std::vector<store::RunSummary> &)> take);
    /// Answers with stored runs, in that order.
    void load(std::vector<store::RunId> runs, std::function<void(const std::vector<service::RunSnapshotPtr> &)> take);
    /// Writes a stored run: format "chrome-trace", "csv" or "json".
    void exportRun(store::RunId run, const QString &format, const QString &file);
    /// The shown run where it may stand beside that plan (resolved): it trained the same model, and its times are of the plan's
    /// unit. Else null.
    [[nodiscard]] service::RunSnapshotPtr shownBeside(const model::Experiment &plan) const;
    /// In what the shown run differs from that plan (resolved), as far as a timeline depends on it.
    [[nodiscard]] std::vector<FieldDifference> shownDifferences(const model::Experiment &plan) const;

    /// Those that the filter lets through, in the chosen order.
    [[nodiscard]] const RunTable &table() const { return m_table; }
    [[nodiscard]] const store::RunList &runs() const { return m_table.list; }
    /// Answers with rows of the table; not at all where the database cannot be read, which is then tried again.
    void readRows(std::vector<store::RunId> runs, std::function<void(std::vector<store::RunSummary>)> take);
    /// Answers in what a run differs from a plan (resolved), in words.
    void readDifference(const model::Experiment &baseline, store::RunId run, std::function<void(const QString &)> take);
    /// Reads the table again, and every second where that fails.
    void refreshRuns();
    [[nodiscard]] bool isRefreshing() const { return m_isRefreshing; }
    void setFilter(const QString &filter);
    void setOrder(store::RunOrder order, bool reversed);
    /// Hides a run; it is deleted when the window closes, until then restore() brings it back.
    void remove(store::RunId run);
    void restore(store::RunId run);
    void commitDeletions();
    [[nodiscard]] const std::set<store::RunId> &deleted() const { return m_deleted; }
    void rename(store::RunId run, const QString &name);
    void setTags(store::RunId run, const QStringList &tags);
    void setNote(store::RunId run, const QString &note);
    /// Why results are not being stored, or runs not read, in whole sentences; empty while they are.
    [[nodiscard]] QString storeProblem() const;

    /// Whether the run goes on in this window, so that it cannot be deleted.
    [[nodiscard]] bool isLive(store::RunId run) const;
    /// Another database: its runs and its problems, none of the former's.
    void databaseChanged();
    /// Tells databases apart: what was deleted from one is not restored in another.
    [[nodiscard]] int databaseNumber() const { return m_databaseNumber; }

    /// "step 12 of 50 · loss 7.31 · 18 s left"
    [[nodiscard]] QString progressText() const;

signals:
    void shownChanged();
    void trainingChanged();
    void runsChanged();
    void storeProblemChanged();
    /// A run that is not shown failed, or a request to the store did.
    void failed(const QString &sentence);

private:
    void take(quint64 job, const service::RunSnapshotPtr &snapshot);
    void finish(const service::RunSnapshot &last);
    void takeTable(base::Result<RunTable> table);
    void setProblem(QString RunController::*which, const QString &problem);
    void setShown(service::RunSnapshotPtr run, std::optional<int> step);
    /// Makes a change, says why where that fails, and reads the table again.
    template <class Change>
    void change(Change change);
    /// EngineBridge::ask(), without the answers of another database.
    template <class Work, class Take>
    void ask(service::StoreUse use, Work work, Take take);

    EngineBridge *m_bridge;
    service::JobId m_job = 0;
    bool m_stopping = false;
    bool m_following = true; ///< the live run is the one that is shown
    service::RunSnapshotPtr m_live;
    service::RunSnapshotPtr m_shown;
    std::optional<int> m_step; ///< of the shown run, if one was chosen
    int m_choice = 0;          ///< counts what was chosen to be shown, so that the last choice holds
    store::RunQuery m_query;
    RunTable m_table;
    bool m_isRefreshing = false;
    bool m_refreshAgain = false;
    QTimer m_retry;
    std::set<store::RunId> m_deleted;
    int m_databaseNumber = 0;
    QString m_notStored; ///< why
    QString m_notRead;
    QElapsedTimer m_lastRefresh;
};

} // namespace stagelens::ui
