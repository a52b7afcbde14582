#include "ui/state/run_controller.h"

#include "engine/operators/stage_layers.h"
#include "ui/state/run_database.h"
#include "ui/words/engine_messages.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

RunController::RunController(EngineBridge *bridge, RunDatabase *database, QObject *parent)
    : QObject(parent), m_bridge(bridge), m_database(database)
{
    connect(m_bridge, &EngineBridge::runArrived, this, &RunController::take);
    connect(m_database, &RunDatabase::removed, this, [this](qint64 run) {
        if (m_shown && m_shown->record.summary.id == run)
            showNone();
    });
    connect(m_database, &RunDatabase::replaced, this, [this] {
        m_live.reset();
        showNone();
        emit databaseReplaced();
    });
}

void RunController::train(const model::Experiment &experiment, service::TrainingOptions options)
{
    if (isTraining())
        return;
    m_stopping = false;
    m_following = true;
    ++m_choice;
    m_step.reset();
    m_live.reset();
    m_job = m_bridge->service().submitTraining(experiment, std::move(options));
    emit trainingChanged();
}

void RunController::stop()
{
    if (!isTraining() || m_stopping)
        return;
    m_stopping = true;
    m_bridge->service().cancel(m_job);
    emit trainingChanged();
}

void RunController::take(quint64 job, const service::RunSnapshotPtr &snapshot)
{
    if (job != m_job)
        return;
    const bool first = !m_live;
    m_live = snapshot;
    m_database->setNotStored(engineMessage(snapshot->storeProblem));
    if (m_following) {
        m_shown = snapshot;
        emit shownChanged();
    }
    if (snapshot->finished)
        finish(*snapshot);
    else if (first)
        m_database->refresh();
    else
        m_database->refreshSometimes();
    emit trainingChanged();
}

void RunController::finish(const service::RunSnapshot &last)
{
    m_job = 0;
    m_stopping = false;
    m_database->refresh();
    if (const BadEnd end = badEnd(last.record.summary); !end.words.isEmpty() && !m_following)
        emit failed(end.words); // a run that is shown has its bar
}

void RunController::show(store::RunId run, std::optional<int> step, std::function<void()> then)
{
    const int choice = ++m_choice;
    if (m_live && m_live->record.summary.id == run && !step) {
        m_following = true;
        setShown(m_live, {});
        if (then)
            then();
        return;
    }
    const auto takeRun = [this, run, step, choice,
                          then = std::move(then)](const base::Result<service::RunSnapshotPtr> &loaded) {
        if (choice != m_choice || m_database->deleted().contains(run))
            return;
        if (!loaded) {
            emit failed(storeSentence(loaded.error()));
            return;
        }
        m_following = false;
        setShown(*loaded, step);
        if (then)
            then();
    };
    m_database->loadStep(run, step, takeRun);
}

void RunController::setShown(service::RunSnapshotPtr run, std::optional<int> step)
{
    const bool isSame = m_shown && run && m_shown->record.summary.id == run->record.summary.id;
    m_hasTypical = isSame && hasTypicalStep();
    m_shown = std::move(run);
    m_step = step;
    emit shownChanged();
}

bool RunController::hasTypicalStep() const
{
    if (m_step)
        return m_hasTypical;
    return m_shown && m_shown->record.metrics && m_shown->record.metrics->typicalOfSteps;
}

void RunController::showNone()
{
    ++m_choice;
    m_following = false;
    setShown(nullptr, {});
}

QString RunController::shownCaption() const
{
    if (!m_shown)
        return {};
    const store::RunSummary &run = m_shown->record.summary;
    QString text = caption(run.kind) + Words::tr(" · run %1").arg(run.id);
    const auto &metrics = m_shown->record.metrics;
    if (!m_step && metrics && metrics->typicalOfSteps)
        return text + typicalText(*metrics);
    const bool isMedian =
        !m_step && m_shown->finished && metrics && store::medianIteration(m_shown->record.iterations) == metrics->iteration;
    const int step = m_step ? *m_step + 1 : isMedian ? *medianStep(m_shown->record) : m_shown->finished ? 0 : m_shown->step;
    if (step > 0)
        text += Words::tr(", step %1 of %2").arg(step).arg(m_shown->steps);
    return isMedian && m_shown->record.iterations.size() > 1 ? text + Words::tr(", the median") : text;
}

service::RunSnapshotPtr RunController::shownBeside(const model::Experiment &plan) const
{
    if (!m_shown)
        return nullptr;
    const model::Experiment own = operators::resolved(m_shown->record.experiment, m_bridge->cores());
    model::ModelConfig config = own.model;
    config.preset = plan.model.preset; // only a name
    const bool sameModel = own.hasModel == plan.hasModel && (!own.hasModel || config == plan.model);
    // A teaching unit is no time. The durations of an imported run are those of its plan.
    const bool imported = m_shown->record.summary.kind == timeline::Provenance::Imported;
    const bool sameUnit = !inTeachingUnits(plan) || (imported && own.cost == plan.cost);
    return sameModel && sameUnit ? m_shown : nullptr;
}

std::vector<FieldDifference> RunController::shownDifferences(const model::Experiment &plan) const
{
    if (!m_shown)
        return {};
    return planDifferences(operators::resolved(m_shown->record.experiment, m_bridge->cores()), plan);
}

bool RunController::isLive(store::RunId run) const
{
    return isTraining() && m_live && m_live->record.summary.id == run;
}

QString RunController::stepText() const
{
    const bool hasStep = isTraining() && !m_stopping && m_live && m_live->connecting.empty();
    return hasStep ? u"%1/%2"_s.arg(std::min(m_live->step + 1, m_live->steps)).arg(m_live->steps) : QString();
}

QString RunController::progressText() const
{
    if (!isTraining())
        return {};
    if (m_stopping)
        return Words::tr("stopping");
    if (!m_live)
        return Words::tr("preparing");
    if (!m_live->connecting.empty())
        return Words::tr("connecting to %1").arg(qtText(m_live->connecting));
    const service::RunSnapshot &run = *m_live;
    QString text = Words::tr("step %1 of %2").arg(std::min(run.step + 1, run.steps)).arg(run.steps);
    if (run.step == 0 && run.passCount > 0)
        text += Words::tr(" · pass %1 of %2").arg(run.passesDone).arg(run.passCount);
    if (!run.record.losses.empty())
        text += Words::tr(" · loss ") + QString::number(run.record.losses.back(), 'f', 2);
    if (run.secondsLeft)
        text += Words::tr(" · %1 left").arg(secondsText(*run.secondsLeft));
    return text;
}

} // namespace stagelens::ui
