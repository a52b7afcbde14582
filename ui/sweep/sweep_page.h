// The page on which many plans are swept through: what varies, how much that costs, and two linked plots.
#pragma once

#include "ui/sweep/sweep_outcomes.h"

#include <QTimer>
#include <QWidget>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class MessageBar;
class SweepControls;
class SweepEstimate;
class SweepResultsView;

/// Runs one sweep at a time. Predictions that take less than a second start by themselves, after a pause in typing.
class SweepPage : public QWidget {
    Q_OBJECT
public:
    SweepPage(EngineBridge *bridge, ExperimentDocument *document, QWidget *parent = nullptr);
    [[nodiscard]] bool isRunning() const { return m_job != 0; }
    /// Starts what the controls describe, and cancels predictions that are under way.
    void start();
    /// Returns whether the results are those of the controls and of the plan.
    [[nodiscard]] bool isUpToDate() const;
    void cancel();
    /// While a training run of the window is under way none can be started here.
    void setTraining(bool training);
    [[nodiscard]] SweepResultsView *results() { return m_results; }

signals:
    /// A plan is to become the experiment.
    void openAsked(const QString &words, const stagelens::model::Experiment &plan);
    /// Two to six plans, with their names, are to be compared.
    void compareAsked(const std::vector<std::pair<QString, stagelens::model::Experiment>> &plans);
    /// Runs were stored.
    void runsChanged();
    void resultsChanged();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void connectParts();
    /// The controls or the plan have changed.
    void edited();
    [[nodiscard]] bool isLive() const;
    [[nodiscard]] SweepOutcomes::Kind chosenKind() const;
    [[nodiscard]] std::optional<double> estimatedSeconds(const std::vector<SweepEntry> &entries) const;
    /// Says what would be started and what it costs.
    void showAmount();
    /// Greys results that are of other controls or of another plan.
    void greyOldResults();
    void take(quint64 job, const service::SweepSnapshotPtr &snapshot);
    void end(const service::SweepSnapshot &snapshot);
    void showResults();

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    SweepEstimate *m_estimate;
    SweepControls *m_controls;
    MessageBar *m_bar;
    SweepResultsView *m_results;
    SweepOutcomes m_outcomes;
    service::JobId m_job = 0; ///< 0: no sweep is running
    std::size_t m_storedRuns = 0;
    QTimer m_liveDelay;
    bool m_training = false; ///< the window trains
};

} // namespace stagelens::ui
