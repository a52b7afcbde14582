#include "ui/controllers/calibration_controller.h"

#include "engine/model/calibration.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <cmath>
#include <utility>

namespace stagelens::ui {

namespace {
constexpr double kNoticed = 0.01; ///< a smaller change of an iteration's time is not mentioned
} // namespace

CalibrationController::CalibrationController(EngineBridge *bridge, Forecast *forecast, RunController *runController,
                                             WindowActions *actions, NoticeController *notice)
    : m_bridge(bridge), m_forecast(forecast), m_runController(runController), m_actions(actions), m_notice(notice)
{
    connect(actions->calibrate, &QAction::triggered, this, &CalibrationController::measure);
    connect(bridge, &EngineBridge::calibrated, this, [this, forecast] {
        showSpread();
        m_measured = Words::tr("This computer was measured: equal passes differ by %1.")
                         .arg(shareText(model::calibrationSpread().value_or(0)));
        m_before = forecast->plan();
        if (std::exchange(m_isAsked, false))
            m_notice->say(MessageBar::Tone::Note, m_measured);
    });
    connect(forecast, &Forecast::changed, this, &CalibrationController::compareTimes);
    connect(bridge, &EngineBridge::calibrationFailed, this, [this](const QString &why) {
        showSpread();
        if (std::exchange(m_isAsked, false))
            m_notice->warn(Words::tr("This computer could not be measured. ") + why);
    });
    showSpread();
}

void CalibrationController::measure()
{
    if (m_runController->isTraining()) {
        m_notice->warn(Words::tr("A run is going on and would disturb the measurement. Stop it first (Shift+F5)."));
        return;
    }
    m_isAsked = true;
    m_actions->calibrate->setEnabled(false);
    m_actions->calibrate->setText(Words::tr("Measuring this computer…"));
    m_bridge->calibrate();
}

void CalibrationController::compareTimes()
{
    const service::PredictionPtr &now = m_forecast->plan();
    if (!m_before || now == m_before || !m_forecast->isCurrent())
        return;
    const service::PredictionPtr before = std::exchange(m_before, nullptr);
    const base::Nanos took = before->metrics.iteration;
    const base::Nanos takes = now->metrics.iteration;
    const bool isOther = std::abs(static_cast<double>(takes - took)) > kNoticed * static_cast<double>(took);
    if (isOther && now->experiment == before->experiment)
        m_notice->say(MessageBar::Tone::Note, m_measured + u' ' +
                                                  Words::tr("An iteration of this plan now takes %1; before it was %2.")
                                                      .arg(durationText(takes), durationText(took)));
}

void CalibrationController::showSpread()
{
    const auto spread = model::calibrationSpread();
    m_actions->calibrate->setEnabled(true);
    m_actions->calibrate->setText(
        spread ? Words::tr("&Measure this computer again (equal passes differ by %1)").arg(shareText(*spread))
               : Words::tr("&Measure this computer"));
}

} // namespace stagelens::ui
