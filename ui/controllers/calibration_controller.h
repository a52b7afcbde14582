// "Measure this computer again" of the hardware chip.
#pragma once

#include "engine/service/engine_service.h"

#include <QObject>

namespace stagelens::ui {

class EngineBridge;
class Forecast;
class NoticeController;
class RunController;
class WindowActions;

/// Measures this computer when asked, says in the command by how much the measured times vary, and in a message what a
/// measurement, also that of the first start, has changed.
class CalibrationController : public QObject {
    Q_OBJECT
public:
    CalibrationController(EngineBridge *bridge, Forecast *forecast, RunController *runController, WindowActions *actions,
                          NoticeController *notice);

private:
    void measure();
    void showSpread();
    /// Says how the times of the plan have changed, once it is predicted with the new costs.
    void compareTimes();

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    RunController *m_runController;
    WindowActions *m_actions;
    NoticeController *m_notice;
    bool m_isAsked = false;          ///< else the first start measures
    QString m_measured;              ///< what the last measurement said
    service::PredictionPtr m_before; ///< the plan with the costs before it; null once the times are compared
};

} // namespace stagelens::ui
