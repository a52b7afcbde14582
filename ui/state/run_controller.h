// Training, and the run that is shown.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/state/engine_bridge.h"
#include "ui/words/differences.h"

#include <QObject>

#include <functional>
#include <optional>
#include <vector>

namespace stagelens::ui {

class RunDatabase;

/// Trains plans one at a time and shows a run: the live one until another was chosen.
class RunController : public QObject {
    Q_OBJECT
public:
    RunController(EngineBridge *bridge, RunDatabase *database, QObject *parent = nullptr);

    /// `options` choose another machine than this one.
    void train(const model::Experiment &experiment, service::TrainingOptions options = {});
    void stop();
    [[nodiscard]] bool isTraining() const { return m_job != 0; }
    [[nodiscard]] bool isStopping() const { return m_stopping; }
    /// The run under way or the last one; null before its first event.
    [[nodiscard]] const service::RunSnapshotPtr &live() const { return m_live; }

    /// Returns the run shown below the prediction: the live one unless another was selected. May be null.
    [[nodiscard]] const service::RunSnapshotPtr &shown() const { return m_shown; }
    /// Shows the given step (from 0) if its timeline was stored, otherwise the typical step, or the latest one of a running
    /// run. Calls `then` once the run is shown, unless another was selected first.
    void show(store::RunId run, std::optional<int> step = {}, std::function<void()> then = {});
    void showNone();
    /// From 0, where one was chosen.
    [[nodiscard]] std::optional<int> shownStep() const { return m_step; }
    /// Whether the shown run, asked for no step, shows its typical one; of old runs it is the median.
    [[nodiscard]] bool hasTypicalStep() const;
    /// "Virtual clock · run 12, typical of 48 steps", "…, step 7 of 50"
    [[nodiscard]] QString shownCaption() const;
    /// The shown run where it may stand beside that plan (resolved): it trained the same model, and its times are of the plan's
    /// unit. Else null.
    [[nodiscard]] service::RunSnapshotPtr shownBeside(const model::Experiment &plan) const;
    /// In what the shown run differs from that plan (resolved), as far as a timeline depends on it.
    [[nodiscard]] std::vector<FieldDifference> shownDifferences(const model::Experiment &plan) const;

    /// Returns whether this window is training the run; it then cannot be deleted.
    [[nodiscard]] bool isLive(store::RunId run) const;
    /// "step 12 of 50 · loss 7.31 · 18 s left"
    [[nodiscard]] QString progressText() const;
    /// Returns the running step as "12/50"; empty before the first and after the last.
    [[nodiscard]] QString stepText() const;

signals:
    /// Another database was opened: it has none of the runs that were shown before.
    void databaseReplaced();
    void shownChanged();
    void trainingChanged();
    /// A run that is not shown failed.
    void failed(const QString &sentence);

private:
    void take(quint64 job, const service::RunSnapshotPtr &snapshot);
    void finish(const service::RunSnapshot &last);
    void setShown(service::RunSnapshotPtr run, std::optional<int> step);

    EngineBridge *m_bridge;
    RunDatabase *m_database;
    service::JobId m_job = 0;
    bool m_stopping = false;
    bool m_following = true; ///< the live run is the one that is shown
    service::RunSnapshotPtr m_live;
    service::RunSnapshotPtr m_shown;
    std::optional<int> m_step; ///< of the shown run, if one was chosen
    bool m_hasTypical = false; ///< before a step was chosen
    int m_choice = 0;          ///< counts what was chosen to be shown, so that the last choice holds
};

} // namespace stagelens::ui
