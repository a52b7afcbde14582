#include "ui/shell/forecast.h"

#include "ui/bridge/engine_bridge.h"
#include "ui/bridge/words.h"
#include "ui/models/experiment_document.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// Up to here a prediction takes milliseconds and is made where the key was pressed.
constexpr double kPassesAtOnce = 100'000;

bool isSmall(const model::Experiment &experiment)
{
    const int passesOfMicrobatch = model::isSharded(experiment.schedule.vocabulary) ? 7 : 2;
    return static_cast<double>(experiment.parallel.devices) * experiment.parallel.microbatches * passesOfMicrobatch <=
           kPassesAtOnce;
}

} // namespace

Forecast::Forecast(EngineBridge *bridge, ExperimentDocument *document, QObject *parent)
    : QObject(parent), m_bridge(bridge), m_document(document)
{
    connect(m_document, &ExperimentDocument::changed, this, &Forecast::predict);
    connect(m_bridge, &EngineBridge::predictionArrived, this, &Forecast::take);
}

void Forecast::predict()
{
    const model::Experiment &experiment = m_document->experiment();
    m_job = 0; // whatever is under way belongs to the plan before
    m_stage = Stage::Idle;
    m_problems = model::validate(experiment);
    if (!m_problems.empty()) {
        emit changed();
        return;
    }
    if (!isSmall(experiment)) {
        submit(Stage::Plan, experiment);
        emit changed();
        return;
    }
    auto plan = service::predict(experiment, m_bridge->cores());
    if (!plan) {
        m_problems = plan.error().problems;
        emit changed();
        return;
    }
    accept(*plan);
}

void Forecast::accept(const service::PredictionPtr &plan)
{
    m_plan = plan;
    m_advice.reset();
    predictBaseline();
}

model::Experiment Forecast::baselineExperiment() const
{
    if (m_pinned)
        return *m_pinned;
    model::Experiment experiment = m_document->experiment();
    experiment.schedule = {};
    return experiment;
}

void Forecast::predictBaseline()
{
    model::Experiment source = baselineExperiment();
    m_baselineName = m_pinned ? planCaption(source) + u" (pinned)"_s : u"1F1B, vocabulary not split"_s;
    source.training = m_document->experiment().training; // how long one trains changes no prediction
    if (source == m_document->experiment()) {
        m_baseline = m_plan;
    } else if (!m_baseline || !(source == m_baselineSource)) {
        m_baseline.reset();
        if (!isSmall(source)) {
            m_baselineSource = source;
            submit(Stage::Baseline, source);
            emit changed();
            return;
        }
        if (auto predicted = service::predict(source, m_bridge->cores()))
            m_baseline = *predicted;
    }
    m_baselineSource = source;
    emit changed();
    askAdvice();
}

void Forecast::askAdvice()
{
    submit(Stage::Advice, m_document->experiment());
}

void Forecast::submit(Stage stage, const model::Experiment &experiment)
{
    m_stage = stage;
    m_job = m_bridge->service().submitPrediction(experiment, stage == Stage::Advice);
}

void Forecast::take(quint64 job, const service::PredictionAnswerPtr &answer)
{
    if (job != m_job)
        return;
    const Stage stage = std::exchange(m_stage, Stage::Idle);
    m_job = 0;
    if (!answer->prediction) {
        if (stage == Stage::Plan) {
            m_problems = answer->prediction.error().problems;
            emit changed();
        }
        return;
    }
    if (stage == Stage::Plan) {
        accept(*answer->prediction);
    } else if (stage == Stage::Baseline) {
        m_baseline = *answer->prediction;
        emit changed();
        askAdvice();
    } else {
        m_advice = answer->advice;
        emit adviceChanged();
    }
}

void Forecast::pinBaseline()
{
    if (!m_problems.empty() || !m_plan)
        return;
    m_pinned = m_document->experiment();
    predictBaseline();
}

void Forecast::unpinBaseline()
{
    m_pinned.reset();
    if (m_plan && m_problems.empty())
        predictBaseline();
}

void Forecast::refresh()
{
    m_baseline.reset();
    predict();
}

} // namespace stagelens::ui
