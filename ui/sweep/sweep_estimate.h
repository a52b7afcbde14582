// How long a sweep would take on this computer.
#pragma once

#include "ui/state/latest_job.h"
#include "ui/sweep/sweep_plan.h"

#include <QTimer>

#include <optional>
#include <vector>

namespace stagelens::ui {

/// Predictions are estimated from the time that one of them took, training from the predicted time of every plan. Both are
/// computed on the engine's threads; until then the time is unknown.
class SweepEstimate : public QObject {
    Q_OBJECT
public:
    explicit SweepEstimate(EngineBridge *bridge, QObject *parent = nullptr);

    /// Returns the time to predict the plans, in seconds; nothing while it is unknown.
    [[nodiscard]] std::optional<double> secondsToPredict(const std::vector<SweepEntry> &entries) const;
    /// Returns the time to train the plans, in seconds; nothing unless it was estimated for exactly these plans.
    [[nodiscard]] std::optional<double> secondsToTrain(const std::vector<SweepEntry> &entries) const;
    /// Estimates the training of the plans after a pause in typing, and drops estimates that are under way.
    void estimateTraining(std::vector<SweepEntry> entries);
    /// Estimates no training, unless estimateTraining() is called again.
    void stop() { m_pause.stop(); }

signals:
    /// A time that was unknown is known.
    void changed();

private:
    void timeOnePrediction();
    void submit();
    void take(quint64 job, const service::SweepSnapshotPtr &snapshot);

    EngineBridge *m_bridge;
    LatestJob m_timing;
    std::optional<double> m_secondsOfPass;
    QTimer m_pause;
    std::vector<SweepEntry> m_asked;      ///< to be estimated after the pause
    std::vector<SweepEntry> m_estimated;  ///< the estimate is of these
    service::SweepSnapshotPtr m_estimate; ///< predictions of what is to be trained
    service::JobId m_job = 0;
};

} // namespace stagelens::ui
