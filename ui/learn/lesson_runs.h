// Runs that a lesson offers to train, so that their losses can be seen in one plot.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/learn/live_plan.h"
#include "ui/state/latest_job.h"

#include <QPointer>
#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;

namespace stagelens::ui {

class LossPlot;
class MessageBar;

/// Trains the runs one after another on this computer and draws their losses while they arrive. The runs are stored like any
/// other. Hidden without runs.
class LessonRuns : public QWidget {
    Q_OBJECT
public:
    LessonRuns(EngineBridge *bridge, QWidget *parent);
    ~LessonRuns() override;

    /// Replaces the runs; training of those before stops. Their plans follow with setPlan().
    void setRuns(std::vector<OfferedRun> runs);
    /// Sets the plan that the runs change. Training of another plan stops; the losses of plans that were trained before
    /// return.
    void setPlan(const model::Experiment &plan);
    /// Returns the losses of every step of each run once all are trained; empty before.
    [[nodiscard]] std::vector<std::vector<double>> losses() const;
    /// Returns whether there is a plan to train.
    [[nodiscard]] bool isReady() const { return !m_runs.empty(); }
    [[nodiscard]] bool isTraining() const { return m_job != 0; }
    void train();
    /// Stops after the current pass. The steps so far remain.
    void stop();

signals:
    /// All runs are trained.
    void trained();
    void compareAsked(const std::vector<qint64> &runs);

private:
    struct Run {
        model::Experiment plan;
        std::vector<double> losses;
        store::RunId id = 0;
    };
    void build();
    void trainNext();
    void take(quint64 job, const service::RunSnapshotPtr &snapshot);
    void end();
    void estimate();
    void refresh();
    [[nodiscard]] bool isTrained() const { return !m_runs.empty() && m_done == m_runs.size(); }
    [[nodiscard]] QString progressWords() const;
    [[nodiscard]] QString resultWords() const;

    QPointer<EngineBridge> m_bridge; ///< gone before this when the window closes; it ends its jobs then
    std::vector<OfferedRun> m_offered;
    std::vector<Run> m_runs; ///< one for each that is offered; empty until there is a plan
    std::size_t m_done = 0;
    std::vector<std::vector<Run>> m_kept; ///< that were trained before, the latest last
    service::JobId m_job = 0;             ///< of m_runs[m_done]; 0: none
    bool m_isStopping = false;
    service::RunSnapshotPtr m_live;
    LatestJob m_estimating;
    std::optional<double> m_seconds; ///< to train all runs; absent while unknown
    QPushButton *m_train;
    QPushButton *m_stop;
    QPushButton *m_compare;
    QLabel *m_words;
    LossPlot *m_plot;
    QLabel *m_results;
    MessageBar *m_bar;
};

} // namespace stagelens::ui
