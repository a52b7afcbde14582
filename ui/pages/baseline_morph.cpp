#include "ui/pages/baseline_morph.h"

#include "ui/morph/morph_panel.h"
#include "ui/state/forecast.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

BaselineMorph::BaselineMorph(EngineBridge *bridge, Forecast *forecast, MorphPanel *panel, QObject *parent)
    : QObject(parent), m_bridge(bridge), m_forecast(forecast), m_panel(panel), m_job(bridge)
{}

void BaselineMorph::refresh()
{
    const auto &plan = m_forecast->plan();
    const service::PredictionPtr baseline = m_forecast->comparableBaseline();
    if (!plan)
        return;
    if (!baseline) {
        m_panel->showReason(Words::tr("The baseline has other units than this plan. Pin another baseline with Ctrl+B."));
    } else if (baseline->experiment == plan->experiment) {
        m_panel->showReason(
            Words::tr("This plan is its own baseline. Change its schedule or vocabulary method, and its passes fly from "
                      "the baseline to their new places."));
    } else if (hasBaseline(baseline->experiment)) {
        m_panel->setPlans({m_baseline->timeline, planCaption(baseline->experiment)},
                          {plan->timeline, planCaption(plan->experiment)}, inTeachingUnits(plan->experiment));
    }
}

bool BaselineMorph::hasBaseline(const model::Experiment &experiment)
{
    if (m_baseline && m_baseline->experiment == experiment)
        return true;
    if (m_job.isRunning() && m_asked == experiment)
        return false;
    m_asked = experiment;
    m_baseline.reset();
    m_panel->showReason(Words::tr("The baseline is being predicted…"));
    m_job.run(
        isQuick(experiment),
        [experiment, cores = m_bridge->cores()](const std::stop_token &stop) {
            return service::predict(experiment, cores, {stop, {}});
        },
        [this](const base::Result<service::PredictionPtr> &predicted) {
            if (!predicted) {
                m_panel->showReason(sentence(predicted.error()));
                return;
            }
            m_baseline = *predicted;
            if (!m_panel->isHidden())
                refresh();
        });
    return false;
}

} // namespace stagelens::ui
