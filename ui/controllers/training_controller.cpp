#include "ui/controllers/training_controller.h"

#include "ui/controllers/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/strip/plan_strip.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

TrainingController::TrainingController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast,
                                       RunController *runController, WindowActions *actions, PlanStrip *strip)
    : m_bridge(bridge), m_document(document), m_forecast(forecast), m_runController(runController), m_actions(actions),
      m_strip(strip), m_job(bridge)
{
    connect(m_forecast, &Forecast::changed, this, &TrainingController::refresh);
    connect(m_runController, &RunController::trainingChanged, this, &TrainingController::refresh);
    connect(m_actions->train, &QAction::triggered, this, [this] { m_runController->train(m_document->experiment()); });
    connect(m_actions->stop, &QAction::triggered, m_runController, &RunController::stop);
}

void TrainingController::refresh()
{
    const auto &plan = m_forecast->plan();
    const int steps = m_document->experiment().training.steps;
    const QString problem = trainingObstacle(plan, m_forecast->problems());
    const bool isTraining = m_runController->isTraining();
    // Once is enough until a run has changed what is free.
    if (!problem.isEmpty() || isTraining) {
        m_job.cancel();
        m_obstacle = {};
    } else if (m_obstacle.first != plan) {
        checkMachine(plan);
    }
    const MachineObstacle &obstacle = m_obstacle.second;
    m_actions->train->setText(Words::tr("&Train %1 steps").arg(steps));
    m_actions->train->setIconText(Words::tr("Train %1 steps").arg(steps));
    m_actions->train->setEnabled(problem.isEmpty() && obstacle.words.isEmpty() && !isTraining && !m_job.isRunning());
    m_actions->trainCopy->setEnabled(obstacle.copyHelps);
    m_actions->trainCopy->setToolTip(plainTip(obstacle.words + Words::tr(" (F5)")));
    describe(problem);
    m_actions->stop->setEnabled(isTraining && !m_runController->isStopping());
    m_strip->setProgress(m_runController->progressText());
}

void TrainingController::checkMachine(const service::PredictionPtr &plan)
{
    if (plan->schedule->passCount() <= kPassesAtOnce) {
        m_job.cancel();
        m_obstacle = {plan, machineObstacle(*plan)};
        return;
    }
    if (m_job.isRunning() && m_checked == plan)
        return;
    m_checked = plan;
    m_obstacle = {};
    m_job.start([plan](const std::stop_token &) { return base::Result<MachineObstacle>(machineObstacle(*plan)); },
                [this, plan](const base::Result<MachineObstacle> &found) {
                    m_obstacle = {plan, found ? *found : MachineObstacle{sentence(found.error()), false}};
                    refresh();
                });
}

void TrainingController::describe(const QString &problem)
{
    const MachineObstacle &obstacle = m_obstacle.second;
    if (m_runController->isTraining())
        m_actions->train->setToolTip(Words::tr("A run is going on. Stop it with Shift+F5."));
    else if (m_job.isRunning())
        m_actions->train->setToolTip(Words::tr("Stagelens checks whether this computer can run the plan."));
    else if (!obstacle.words.isEmpty())
        m_actions->train->setToolTip(plainTip(obstacle.words));
    else
        m_actions->train->setToolTip(
            plainTip(problem.isEmpty() ? trainingWords(*m_forecast->plan(), m_bridge->cores()) + Words::tr(" (F5)") : problem));
}

} // namespace stagelens::ui
