#include "ui/controllers/levers_controller.h"

#include "ui/controllers/window_actions.h"
#include "ui/panels/levers_dialog.h"
#include "ui/shapes/shape_dialog.h"
#include "ui/state/forecast.h"

namespace stagelens::ui {

LeversController::LeversController(EngineBridge *bridge, Forecast *forecast, WindowActions *actions, QWidget *window)
    : QObject(window), m_bridge(bridge), m_forecast(forecast), m_actions(actions), m_window(window)
{
    connect(actions->levers, &QAction::triggered, this, &LeversController::open);
    connect(forecast, &Forecast::changed, this, &LeversController::follow);
}

void LeversController::open()
{
    if (!m_dialog) {
        m_dialog = new LeversDialog(m_bridge, m_window);
        m_dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_dialog, &LeversDialog::applied, this, &LeversController::applied);
        follow();
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void LeversController::follow()
{
    const service::PredictionPtr &plan = m_forecast->plan();
    m_actions->levers->setEnabled(plan && plan->experiment.hasModel);
    if (m_dialog)
        m_dialog->setPlan(plan && plan->experiment.hasModel ? plan : nullptr);
}

ShapeController::ShapeController(EngineBridge *bridge, Forecast *forecast, WindowActions *actions, QWidget *window)
    : QObject(window), m_bridge(bridge), m_forecast(forecast), m_actions(actions), m_window(window)
{
    connect(actions->shapes, &QAction::triggered, this, &ShapeController::open);
    connect(forecast, &Forecast::changed, this, &ShapeController::follow);
}

void ShapeController::open()
{
    if (!m_dialog) {
        m_dialog = new ShapeDialog(m_bridge, m_window);           // stays when it is closed: it remembers what was asked
        m_dialog->addActions({m_actions->undo, m_actions->redo}); // what a click applied
        connect(m_dialog, &ShapeDialog::applied, this, &ShapeController::applied);
        connect(m_dialog, &ShapeDialog::compareAsked, this, &ShapeController::compareAsked);
    }
    follow();
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void ShapeController::follow()
{
    if (m_dialog && !m_forecast->isComputing())
        m_dialog->setPlan(m_forecast->plan());
}

} // namespace stagelens::ui
