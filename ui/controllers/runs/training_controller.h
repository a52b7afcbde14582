// Train, scaled copy and stop: what their buttons say, and when they are enabled.
#pragma once

#include "ui/state/latest_job.h"
#include "ui/words/train_words.h"

#include <QObject>

#include <utility>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class Forecast;
class RunController;
class RunPlace;
class PlanStrip;
class WindowActions;

/// Finds out whether the chosen machine can run a plan: of a small plan at once, of a large one off the GUI thread.
class TrainingController : public QObject {
    Q_OBJECT
public:
    TrainingController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, RunController *runController,
                       WindowActions *actions, PlanStrip *strip);

signals:
    /// Why a valid plan cannot be trained now; empty if it can, or is trained.
    void obstacleChanged(const QString &words);

private:
    void refresh();
    /// Returns whether it is not known yet if the document's plan can be trained.
    [[nodiscard]] bool isChecking() const;
    void checkMachine(const service::PredictionPtr &plan);
    void describe(const QString &problem);
    void train();
    void predictForPlace();

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    Forecast *m_forecast;
    RunController *m_runController;
    WindowActions *m_actions;
    PlanStrip *m_strip;
    RunPlace *m_place;
    QString m_told; ///< what obstacleChanged() said last
    std::pair<service::PredictionPtr, MachineObstacle>
        m_obstacle;                   ///< why this plan cannot be trained; no plan: for the machine alone
    service::PredictionPtr m_checked; ///< the plan of m_job
    LatestJob m_job;
};

} // namespace stagelens::ui
