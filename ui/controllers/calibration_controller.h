// "Measure this computer again" of the hardware chip.
#pragma once

#include <QObject>

namespace stagelens::ui {

class EngineBridge;
class NoticeController;
class RunController;
class WindowActions;

/// Measures this computer when asked, and says in the command by how much the measured times vary.
class CalibrationController : public QObject {
    Q_OBJECT
public:
    CalibrationController(EngineBridge *bridge, RunController *runController, WindowActions *actions, NoticeController *notice);

private:
    void measure();
    void showSpread();

    EngineBridge *m_bridge;
    RunController *m_runController;
    WindowActions *m_actions;
    NoticeController *m_notice;
    bool m_isAsked = false; ///< else the first start measures, of which nothing is said
};

} // namespace stagelens::ui
