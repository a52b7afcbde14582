#include "ui/controllers/runs/training_controller.h"

#include "engine/service/plans/training_check.h"
#include "ui/controllers/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/strip/plan_strip.h"
#include "ui/strip/run_place.h"
#include "ui/strip/run_sheet.h"
#include "ui/words/plain_text.h"
#include "ui/words/problem_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

TrainingController::TrainingController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast,
                                       RunController *runController, WindowActions *actions, PlanStrip *strip)
    : m_bridge(bridge), m_document(document), m_forecast(forecast), m_runController(runController), m_actions(actions),
      m_strip(strip), m_place(new RunPlace(bridge, this)), m_job(bridge)
{
    connect(m_forecast, &Forecast::changed, this, &TrainingController::refresh);
    connect(m_runController, &RunController::trainingChanged, this, &TrainingController::refresh);
    connect(m_actions->train, &QAction::triggered, this, &TrainingController::train);
    connect(m_place, &RunPlace::changed, this, [this] {
        m_job.cancel(); // it is about the machine before
        m_obstacle = {};
        refresh();
    });
    m_strip->sheet()->setPlace(m_place);
    connect(m_strip->sheet(), &RunSheet::predictionAsked, this, &TrainingController::predictForPlace);
    connect(m_actions->stop, &QAction::triggered, m_runController, &RunController::stop);
}

namespace {

/// Returns why the chosen machine can train nothing with the backend now; empty if it can or is this one.
QString placeObstacle(const std::string &backend, const RunPlace &place)
{
    if (place.isHere())
        return {};
    if (place.isAsking())
        return Words::tr("Stagelens connects to the other machine.");
    if (place.canTrain(backend))
        return {};
    return place.answer().isEmpty() || place.canTrain("cpu")
               ? Words::tr("The other machine cannot train with %1.").arg(qtText(backend))
               : place.answer();
}

/// Returns why a plan cannot run on another machine, as far as that is known here. O(passes).
MachineObstacle planObstacle(const service::Prediction &plan)
{
    const base::Problems problems = service::planProblems(plan.experiment, *plan.schedule);
    return problems.empty() ? MachineObstacle() : MachineObstacle{problemWords(problems.front(), plan.experiment), false};
}

} // namespace

void TrainingController::train()
{
    service::TrainingOptions options;
    options.host = m_place->choice();
    m_runController->train(m_document->experiment(), std::move(options));
}

void TrainingController::predictForPlace()
{
    if (!m_place->hardware())
        return;
    model::Experiment next = m_document->experiment();
    next.cost.source =
        model::HardwarePreset{m_place->hardware()->name, std::make_shared<const model::Hardware>(*m_place->hardware())};
    m_document->edit(u"cost.hardware"_s, Words::tr("Hardware"), std::move(next));
    m_document->closeGesture();
}

void TrainingController::refresh()
{
    const auto &plan = m_forecast->plan();
    const int steps = m_document->experiment().training.steps;
    const QString problem = trainingObstacle(plan, m_forecast->problems());
    const bool isTraining = m_runController->isTraining();
    // Once is enough until a run has changed what is free.
    if (!problem.isEmpty() || isTraining || m_forecast->isComputing()) { // the plan may be that before the edit
        m_job.cancel();
        m_obstacle = {};
    } else if (const QString place = placeObstacle(plan->experiment.training.backend, *m_place); !place.isEmpty()) {
        m_job.cancel();
        m_obstacle = {nullptr, {place, false}};
    } else if (m_obstacle.first != plan) {
        checkMachine(plan);
    }
    const MachineObstacle &obstacle = m_obstacle.second;
    m_actions->train->setText(Words::tr("&Train %1 steps").arg(steps));
    m_actions->train->setIconText(Words::tr("Train %1 steps").arg(steps));
    m_actions->train->setEnabled(problem.isEmpty() && obstacle.words.isEmpty() && !isTraining && !isChecking());
    m_actions->trainCopy->setEnabled(obstacle.copyHelps);
    m_actions->trainCopy->setToolTip(plainTip(obstacle.words + Words::tr(" (F5)")));
    describe(problem);
    // Of an invalid plan the verdict says why.
    const bool isJudged = isTraining || isChecking() || !m_forecast->problems().empty();
    const QString words = isJudged ? QString() : problem.isEmpty() ? obstacle.words : problem;
    if (std::exchange(m_told, words) != words)
        emit obstacleChanged(words);
    m_actions->stop->setEnabled(isTraining && !m_runController->isStopping());
    m_strip->setProgress(m_runController->progressText(), m_runController->stepText());
}

bool TrainingController::isChecking() const
{
    return m_job.isRunning() || m_forecast->isComputing();
}

void TrainingController::checkMachine(const service::PredictionPtr &plan)
{
    const auto check = m_place->isHere() ? machineObstacle : planObstacle;
    if (service::passesToCheck(plan->experiment, *plan->schedule) <= kPassesAtOnce) {
        m_job.cancel();
        m_obstacle = {plan, check(*plan)};
        return;
    }
    if (m_job.isRunning() && m_checked == plan)
        return;
    m_checked = plan;
    m_obstacle = {};
    m_job.start([plan, check](const std::stop_token &) { return base::Result<MachineObstacle>(check(*plan)); },
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
    else if (problem.isEmpty() && isChecking())
        m_actions->train->setToolTip(plainTip(m_place->isHere()
                                                  ? Words::tr("Stagelens checks whether this computer can run the plan.")
                                                  : Words::tr("Stagelens checks whether the other machine can run the plan.")));
    else if (!obstacle.words.isEmpty())
        m_actions->train->setToolTip(plainTip(obstacle.words));
    else if (problem.isEmpty() && !m_place->isHere())
        m_actions->train->setToolTip(
            plainTip(Words::tr("On %1, through ssh").arg(QString::fromStdString(m_place->choice().host)) + Words::tr(" (F5)")));
    else
        m_actions->train->setToolTip(
            plainTip(problem.isEmpty() ? trainingWords(*m_forecast->plan(), m_bridge->cores()) + Words::tr(" (F5)") : problem));
}

} // namespace stagelens::ui
