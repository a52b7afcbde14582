#include "ui/controllers/compare_controller.h"

#include "engine/model/experiment_json.h"
#include "ui/panels/compare_panel.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_database.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

#include <ranges>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::size_t kRunsToAdd = 10;
} // namespace

CompareController::CompareController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast,
                                     RunDatabase *database, ComparePanel *panel)
    : m_bridge(bridge), m_document(document), m_forecast(forecast), m_database(database), m_panel(panel), m_job(bridge)
{
    connect(&m_job, &LatestJob::waitChanged, this,
            [this] { m_panel->setComputing(m_job.wait() != LatestJob::Wait::None, m_job.wait() == LatestJob::Wait::Long); });
    connect(m_panel, &ComparePanel::cancelled, this, &CompareController::cancel);
    connect(m_forecast, &Forecast::changed, this, &CompareController::updateProposal);
    connect(m_forecast, &Forecast::adviceChanged, this, &CompareController::updateProposal);
    connect(m_panel, &ComparePanel::proposalAsked, this, &CompareController::acceptProposal);
    connect(m_panel, &ComparePanel::methodsAsked, this, &CompareController::compareMethods);
    connect(m_panel, &ComparePanel::predictionAsked, this, &CompareController::addPlan);
    connect(m_panel, &ComparePanel::filesAsked, this, &CompareController::askFiles);
    connect(m_panel, &ComparePanel::addMenuOpens, this, &CompareController::fillMenu);
}

void CompareController::compareRuns(const std::vector<qint64> &runs)
{
    m_database->load({runs.begin(), runs.end()}, [this](const std::vector<service::RunSnapshotPtr> &loaded) {
        std::vector<CompareItem> items;
        for (const service::RunSnapshotPtr &run : loaded)
            items.push_back(itemOf(*run, m_bridge->cores()));
        cancel();
        if (items.size() == 1)
            m_waiting.push_back({Words::tr("Its prediction"),
                                 [plan = items.front().experiment] { return base::Result<model::Experiment>(plan); }});
        m_panel->setItems(std::move(items));
        emit pageAsked();
        predictNext();
    });
}

std::optional<model::VocabularyMethod> CompareController::bestMethod() const
{
    const auto &plan = m_forecast->plan();
    const auto &baseline = m_forecast->baseline();
    const bool isBaseline = plan && baseline && baseline->experiment == plan->experiment;
    return isBaseline && m_forecast->advice() ? m_forecast->advice()->better : std::nullopt;
}

void CompareController::updateProposal()
{
    const auto &plan = m_forecast->plan();
    const auto baseline = m_forecast->comparableBaseline();
    const auto method = bestMethod();
    m_panel->setProposal(!plan || !baseline                         ? QString()
                         : method                                   ? Words::tr("Compare this plan with ") + shortName(*method)
                         : baseline->experiment == plan->experiment ? Words::tr("Add this plan")
                                                                    : Words::tr("Compare this plan with the baseline"));
}

CompareItem CompareController::planItem() const
{
    const service::PredictionPtr &plan = m_forecast->plan();
    return itemOf(*plan, m_document->title() + u": "_s + planCaption(plan->experiment));
}

void CompareController::acceptProposal()
{
    const auto &plan = m_forecast->plan();
    const auto baseline = m_forecast->comparableBaseline();
    if (!plan || !baseline)
        return;
    cancel();
    if (const auto method = bestMethod()) {
        const model::Experiment other = withMethod(m_document->experiment(), *method);
        compareWith(other, planCaption(other), false);
    } else if (baseline->experiment != plan->experiment) {
        compareWith(baseline->experiment, m_forecast->baselineName(), true);
    } else {
        m_panel->setItems({planItem()});
    }
}

void CompareController::compareMethods()
{
    std::vector<std::pair<QString, model::Experiment>> plans;
    for (const model::VocabularyTraits &choice : model::kVocabularyChoices) {
        model::Experiment plan = withMethod(m_document->experiment(), choice.method);
        plans.emplace_back(planCaption(plan), std::move(plan));
    }
    comparePlans(plans);
}

void CompareController::compareWith(const model::Experiment &other, const QString &name, bool isFirst)
{
    const auto predict = [other, cores = m_bridge->cores()](const std::stop_token &stop) {
        return service::predict(other, cores, {stop, {}});
    };
    m_job.start(predict, [this, name, isFirst, plan = planItem()](const base::Result<service::PredictionPtr> &prediction) {
        std::vector<CompareItem> items{plan};
        if (prediction)
            items.insert(isFirst ? items.begin() : items.end(), itemOf(**prediction, name));
        else
            emit failed(sentence(prediction.error()));
        m_panel->setItems(std::move(items));
        predictNext();
    });
}

void CompareController::addPlan()
{
    if (m_forecast->plan())
        m_panel->add(planItem());
}

void CompareController::askFiles()
{
    addFiles(QFileDialog::getOpenFileNames(m_panel->window(), Words::tr("Compare experiments"), {},
                                           Words::tr("Experiments (*.stagelens.json);;All files (*)")));
}

void CompareController::addFiles(const QStringList &files)
{
    for (const QString &file : files)
        m_waiting.push_back({QFileInfo(file).fileName(), [path = utf8(file)] { return model::loadExperiment(path); }});
    if (!m_job.isRunning())
        predictNext();
}

void CompareController::comparePlans(const std::vector<std::pair<QString, model::Experiment>> &plans)
{
    cancel();
    m_panel->setItems({});
    for (const auto &[name, plan] : plans)
        m_waiting.push_back({name, [plan] { return base::Result<model::Experiment>(plan); }});
    emit pageAsked();
    predictNext();
}

void CompareController::predictNext()
{
    if (m_waiting.empty())
        return;
    const Waiting next = std::move(m_waiting.front());
    m_waiting.erase(m_waiting.begin());
    const auto predict = [read = next.read, cores = m_bridge->cores()](const std::stop_token &stop) {
        const auto experiment = read();
        return experiment ? service::predict(*experiment, cores, {stop, {}})
                          : base::Result<service::PredictionPtr>(experiment.error());
    };
    m_job.start(predict, [this, name = next.name](const base::Result<service::PredictionPtr> &prediction) {
        if (prediction)
            m_panel->add(itemOf(**prediction, name));
        else
            emit failed(Words::tr("%1 was not added. %2").arg(name, sentence(prediction.error())));
        predictNext();
    });
}

void CompareController::cancel()
{
    m_waiting.clear();
    m_job.cancel();
}

void CompareController::fillMenu(QMenu *menu)
{
    menu->addSeparator();
    for (const store::RunSummary &run : m_database->table().firstRows | std::views::take(kRunsToAdd))
        menu->addAction(Words::tr("Run %1: %2").arg(run.id).arg(runName(run)), this, [this, id = run.id] {
            m_database->load({id}, [this](const std::vector<service::RunSnapshotPtr> &loaded) {
                m_panel->add(itemOf(*loaded.front(), m_bridge->cores()));
            });
        });
}

} // namespace stagelens::ui
