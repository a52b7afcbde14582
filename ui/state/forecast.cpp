#include "ui/state/forecast.h"

#include "engine/model/family_shape.h"
#include "engine/model/what_if.h"
#include "engine/operators/stage_layers.h"
#include "engine/passes/recipe_book.h"
#include "engine/schedule/families.h"
#include "engine/service/search/recompute_advice.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/differences.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// Returns whether a plan is small enough to be predicted with every family after each edit.
bool isTriedWithFamilies(const model::Experiment &experiment)
{
    constexpr double kMostPasses = 100'000;
    const std::size_t kinds = 2 + schedule::vocabularyPasses(experiment.schedule.vocabulary).size();
    const int simulations = model::changesTimes(experiment.whatIf) ? 2 * experiment.parallel.replicas : 1;
    return experiment.schedule.family != model::kAutomaticFamily && experiment.whatIf.lengths.empty() &&
           static_cast<double>(kinds) * experiment.parallel.devices * experiment.parallel.microbatches *
                   experiment.schedule.iterations * simulations <=
               kMostPasses;
}

/// A prediction without its timeline and schedule, which of a large plan take tens of megabytes.
service::PredictionPtr figuresOf(const service::Prediction &prediction)
{
    auto figures = std::make_shared<service::Prediction>();
    figures->experiment = prediction.experiment;
    figures->metrics = prediction.metrics;
    return figures;
}

std::optional<base::Bytes> greatestPeak(const std::vector<base::Bytes> &bytes)
{
    return bytes.empty() ? std::nullopt : std::optional(*std::max_element(bytes.begin(), bytes.end()));
}

} // namespace

Forecast::Forecast(EngineBridge *bridge, ExperimentDocument *document, QObject *parent)
    : QObject(parent), m_bridge(bridge), m_document(document)
{
    connect(m_document, &ExperimentDocument::changed, this, &Forecast::predict);
    connect(m_bridge, &EngineBridge::predictionArrived, this, &Forecast::take);
    connect(m_document, &ExperimentDocument::editing, this, [this] {
        const bool isOfDocument = m_plan && m_problems.empty() && m_stage != Stage::Plan && !m_cancelled;
        if (!std::exchange(m_isEditing, true) && isOfDocument)
            m_beforeEdit = Answers{m_plan, m_baseline, m_baselineSource, m_baselineName, m_advice, m_fix, m_families};
    });
    connect(m_document, &ExperimentDocument::edited, this, [this] {
        m_isEditing = false;
        if (m_problems.empty() && m_stage != Stage::Plan)
            m_beforeEdit.reset();
    });
    connect(m_document, &ExperimentDocument::preparingChanged, this, &Forecast::changed);
    m_clock.setSingleShot(true);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        if (m_wait == Wait::None)
            m_clock.start(LatestJob::kLongMilliseconds - LatestJob::kNoticeableMilliseconds);
        m_wait = m_wait == Wait::None ? Wait::Noticeable : Wait::Long;
        emit changed();
    });
}

Forecast::Wait Forecast::wait() const
{
    return std::max(m_wait, m_document->wait());
}

bool Forecast::isComputing() const
{
    return m_stage == Stage::Plan || m_document->isPreparing();
}

void Forecast::predict()
{
    const model::Experiment &experiment = m_document->experiment();
    m_job = 0; // whatever is under way belongs to the plan before
    m_stage = Stage::Idle;
    m_cancelled = false;
    if (auto problems = model::validate(experiment); !problems.empty()) {
        refuse(std::move(problems));
        return;
    }
    m_problems.clear();
    if (!isQuick(experiment)) {
        submit(Stage::Plan, experiment);
        if (!m_clock.isActive() && m_wait == Wait::None)
            m_clock.start(LatestJob::kNoticeableMilliseconds);
        emit changed();
        return;
    }
    stopWaiting();
    auto plan = service::predict(experiment, m_bridge->cores());
    if (plan)
        accept(*plan);
    else
        refuse(plan.error().problems);
}

void Forecast::refuse(base::Problems problems)
{
    stopWaiting();
    m_problems = std::move(problems);
    if (m_beforeEdit) {
        const Answers &before = *m_beforeEdit;
        m_plan = before.plan;
        m_baseline = before.baseline;
        m_baselineSource = before.baselineSource;
        m_baselineName = before.baselineName;
        m_advice = before.advice;
        m_fix = before.fix;
        m_families = before.families;
    }
    emit changed();
}

void Forecast::accept(const service::PredictionPtr &plan)
{
    stopWaiting();
    if (!m_isEditing)
        m_beforeEdit.reset();
    m_plan = plan;
    m_advice.reset();
    m_fixes.clear();
    m_fix.reset();
    m_families = {};
    m_families.state = FamilyOptions::State::Trying;
    predictBaseline();
}

service::PredictionPtr Forecast::comparableBaseline() const
{
    const bool hasSameUnit =
        m_plan && m_baseline && inTeachingUnits(m_plan->experiment) == inTeachingUnits(m_baseline->experiment);
    return hasSameUnit ? m_baseline : nullptr;
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
    m_baselineName = m_pinned ? planCaption(source) + Words::tr(" (pinned)") : Words::tr("1F1B, vocabulary not split");
    const model::ScheduleChoice &own = m_document->experiment().schedule;
    if (!m_pinned && own.family == source.schedule.family && own.vocabulary == source.schedule.vocabulary)
        for (const FieldDifference &each : planDifferences(m_plan->experiment, operators::resolved(source, m_bridge->cores())))
            m_baselineName += u", "_s + fieldCaption(each.field) + u' ' + each.second;
    source.training = m_document->experiment().training; // how long one trains changes no prediction
    // However it is written down, a plan that is the baseline need not be predicted twice.
    if (source == m_document->experiment() || operators::resolved(source, m_bridge->cores()) == m_plan->experiment) {
        m_baseline = figuresOf(*m_plan);
    } else if (!m_baseline || !(source == m_baselineSource)) {
        m_baseline.reset();
        if (!isQuick(source)) {
            m_baselineSource = source;
            submit(Stage::Baseline, source);
            emit changed();
            return;
        }
        if (auto predicted = service::predict(source, m_bridge->cores()))
            m_baseline = figuresOf(**predicted);
    }
    m_baselineSource = source;
    emit changed();
    askAdvice();
}

void Forecast::askAdvice()
{
    submit(Stage::Advice, m_document->experiment());
}

void Forecast::askLeast()
{
    if (m_fixes.empty() || m_plan->experiment.schedule.recompute == model::Recompute::Full)
        return askFix();
    m_stage = Stage::Least;
    m_job = m_bridge->compute(
        this,
        [plan = m_plan, cores = m_bridge->cores()](const std::stop_token &stop) {
            return service::withLeastRecomputation(plan->experiment, cores, plan->memoryCapacity, stop);
        },
        [this, plan = m_plan](base::Result<model::Experiment> least) {
            if (m_stage != Stage::Least || plan != m_plan)
                return;
            m_stage = Stage::Idle;
            m_job = 0;
            if (least)
                m_fixes.push_back(recomputationFix(*std::move(least)));
            askFix();
        });
}

void Forecast::askFix()
{
    if (m_fixes.empty())
        askFamily();
    else
        submit(Stage::Fix, m_fixes.back().experiment);
}

void Forecast::askFamily()
{
    const model::Experiment &now = m_document->experiment();
    // As with the advice: durations from a file say nothing about another order.
    if (!isTriedWithFamilies(now) || !std::holds_alternative<model::HardwarePreset>(now.cost.source)) {
        m_families.state = FamilyOptions::State::NotTried;
        emit familiesChanged();
        return;
    }
    const auto families = schedule::families();
    if (const std::size_t tried = m_families.options.size(); tried < families.size()) {
        submit(Stage::Family, withFamily(now, families[tried].name));
        return;
    }
    if (m_families.state == FamilyOptions::State::Trying)
        m_families.method = m_advice ? methodToCombine(*m_plan, *m_advice) : std::nullopt;
    const std::size_t combined = m_families.combined.size();
    m_families.state =
        m_families.method && combined < families.size() ? FamilyOptions::State::Combining : FamilyOptions::State::Tried;
    if (m_families.state == FamilyOptions::State::Tried)
        return;
    model::Experiment next = withFamily(now, families[combined].name);
    next.schedule.vocabulary = *m_families.method;
    submit(Stage::Family, next);
}

void Forecast::stopWaiting()
{
    m_clock.stop();
    m_wait = Wait::None;
}

void Forecast::cancel()
{
    m_document->cancel();
    if (m_stage != Stage::Plan)
        return;
    m_bridge->service().cancel(m_job);
    m_job = 0;
    m_stage = Stage::Idle;
    m_cancelled = true;
    stopWaiting();
    emit changed();
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
    if (stage == Stage::Fix || stage == Stage::Family) {
        if (stage == Stage::Fix)
            takeFix(answer->prediction);
        else
            takeFamily(answer->prediction);
        return;
    }
    if (!answer->prediction) {
        if (stage == Stage::Plan)
            refuse(answer->prediction.error().problems);
        return;
    }
    if (stage == Stage::Plan) {
        accept(*answer->prediction);
    } else if (stage == Stage::Baseline) {
        m_baseline = figuresOf(**answer->prediction);
        emit changed();
        askAdvice();
    } else {
        m_advice = answer->advice;
        m_fixes = m_advice ? memoryFixes(*m_plan, *m_advice) : std::vector<MemoryFix>();
        std::reverse(m_fixes.begin(), m_fixes.end());
        askLeast();
        emit adviceChanged();
    }
}

void Forecast::takeFix(const base::Result<service::PredictionPtr> &answer)
{
    MemoryFix tried = std::move(m_fixes.back());
    m_fixes.pop_back();
    if (answer) {
        const service::Prediction &prediction = **answer;
        tried.iteration = prediction.metrics.iteration;
        tried.peakMemory = greatestPeak(prediction.metrics.peakMemory).value_or(0);
        if (tried.peakMemory <= prediction.memoryCapacity) {
            m_fix = std::move(tried);
            m_fixes.clear();
            emit adviceChanged();
        }
    }
    askFix();
}

void Forecast::takeFamily(const base::Result<service::PredictionPtr> &answer)
{
    std::vector<FamilyOption> &options =
        m_families.state == FamilyOptions::State::Combining ? m_families.combined : m_families.options;
    FamilyOption option{std::string(schedule::families()[options.size()].name), {}, {}};
    if (answer) {
        option.iteration = (*answer)->metrics.iteration;
        option.peakMemory = greatestPeak((*answer)->metrics.peakMemory);
        if (const std::vector<base::Nanos> &experts = (*answer)->metrics.expertPerDevice; !experts.empty())
            option.experts = std::ranges::max(experts);
    }
    options.push_back(std::move(option));
    askFamily();
    emit familiesChanged();
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
