#include "ui/controllers/plan_controller.h"

#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/plans/training_check.h"
#include "engine/service/runs/run_durations.h"
#include "ui/panels/scaled_copy_dialog.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/scaled_copy.h"
#include "ui/words/advice/headline.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

PlanController::PlanController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast,
                               RunController *runController, QWidget *window)
    : m_bridge(bridge), m_document(document), m_forecast(forecast), m_runController(runController), m_window(window),
      m_copyJob(bridge), m_durationsJob(bridge)
{}

void PlanController::edit(const QString &field, const QString &label, model::Experiment next)
{
    m_document->closeGesture();
    m_document->edit(field, label, std::move(next));
    m_document->closeGesture();
}

void PlanController::chooseMethod(model::VocabularyMethod method)
{
    edit(u"schedule.vocabulary"_s, Words::tr("Vocabulary layers"), withMethod(m_document->experiment(), method));
}

void PlanController::chooseFamily(const QString &family)
{
    edit(u"schedule.family"_s, Words::tr("Schedule"), withFamily(m_document->experiment(), utf8(family)));
}

void PlanController::chooseAlternative(const Alternative &alternative)
{
    if (!alternative.stageLayers.empty()) {
        model::Experiment next = m_document->experiment();
        next.parallel.stageLayers = alternative.stageLayers;
        edit(u"parallel.stage_layers"_s, Words::tr("Layers of each stage"), std::move(next));
    } else if (alternative.family.isEmpty() && alternative.method) {
        chooseMethod(*alternative.method);
    } else if (!alternative.method) {
        chooseFamily(alternative.family);
    } else { // as Forecast predicts it
        model::Experiment next = withFamily(m_document->experiment(), utf8(alternative.family));
        next.schedule.vocabulary = *alternative.method;
        edit(u"schedule.family"_s, Words::tr("Schedule and vocabulary layers"), std::move(next));
    }
}

void PlanController::tryFamily(const QString &family)
{
    model::Experiment next = m_document->experiment();
    model::chooseFamily(next.schedule, utf8(family));
    model::followStages(next);
    edit(u"schedule.family"_s, Words::tr("Schedule"), std::move(next));
}

void PlanController::applyFix()
{
    if (const MemoryFix *fix = m_forecast->fix())
        takeOver(Words::tr("Use ") + fix->words, fix->experiment);
}

void PlanController::applyLever(const QString &words, const model::Experiment &plan)
{
    takeOver(words, plan);
}

void PlanController::open(const QString &words, const model::Experiment &plan)
{
    edit(u"plan"_s, Words::tr("Open ") + words, plan);
}

void PlanController::showPlanOfRun()
{
    if (const auto &run = m_runController->shown())
        takeOver(Words::tr("Show the plan of run %1").arg(run->record.summary.id), run->record.experiment);
}

void PlanController::takeOver(const QString &label, const model::Experiment &resolved)
{
    model::Experiment next = loosened(resolved);
    model::Experiment automatic = next;
    automatic.training.mode.reset();
    if (operators::resolved(automatic, m_bridge->cores()).training.mode == next.training.mode)
        next = automatic;
    if (next.hasModel) // else its costs are all that is known of it
        next.cost = m_document->experiment().cost;
    edit(u"plan"_s, label, std::move(next));
}

void PlanController::useCostsOfRun()
{
    const service::RunSnapshotPtr run = m_runController->shown();
    if (!run)
        return;
    using File = base::Result<std::filesystem::path>;
    m_durationsJob.start([run](const std::stop_token &) -> File { return service::writeDurations(run->record); },
                         [this, run](const File &file) {
                             if (!file) {
                                 emit failed(sentence(file.error()));
                                 return;
                             }
                             model::Experiment next = m_document->experiment();
                             next.cost.source = model::DurationsFile{file->string()};
                             edit(u"cost.durations"_s, Words::tr("Costs from run %1").arg(run->record.summary.id),
                                  std::move(next));
                         });
}

void PlanController::offerScaledCopy()
{
    using Copy = base::Result<std::optional<model::Experiment>>;
    const model::Experiment original = m_document->experiment();
    m_copyJob.start([original](const std::stop_token &) { return Copy(scaledCopy(original, service::availableBytes())); },
                    [this, original](const Copy &copy) {
                        if (copy && *copy)
                            showCopy(original, **copy);
                        else
                            emit failed(
                                Words::tr("No copy of this plan is small enough for this computer. Use fewer layers, devices "
                                          "or microbatches."));
                    });
}

void PlanController::showCopy(const model::Experiment &original, const model::Experiment &copy)
{
    auto *dialog = new ScaledCopyDialog(original, copy, m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, copy] { m_document->replace(copy, {}, Words::tr("Scaled copy of ") + m_document->title()); });
    dialog->open();
}

} // namespace stagelens::ui
