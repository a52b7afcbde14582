#include "ui/controllers/calibration_controller.h"

#include "engine/model/calibration.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/run_controller.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <utility>

namespace stagelens::ui {

CalibrationController::CalibrationController(EngineBridge *bridge, RunController *runController, WindowActions *actions,
                                             NoticeController *notice)
    : m_bridge(bridge), m_runController(runController), m_actions(actions), m_notice(notice)
{
    connect(actions->calibrate, &QAction::triggered, this, &CalibrationController::measure);
    connect(bridge, &EngineBridge::calibrated, this, [this] {
        showSpread();
        if (std::exchange(m_isAsked, false))
            m_notice->say(MessageBar::Tone::Note, Words::tr("This computer was measured again: equal passes differ by %1.")
                                                      .arg(shareText(model::calibrationSpread().value_or(0))));
    });
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

void CalibrationController::showSpread()
{
    const auto spread = model::calibrationSpread();
    m_actions->calibrate->setEnabled(true);
    m_actions->calibrate->setText(
        spread ? Words::tr("&Measure this computer again (equal passes differ by %1)").arg(shareText(*spread))
               : Words::tr("&Measure this computer"));
}

} // namespace stagelens::ui
