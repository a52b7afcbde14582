// The lever board and the table of shapes: windows that follow the plan.
#pragma once

#include <QObject>
#include <QPointer>

#include <utility>
#include <vector>

class QWidget;

namespace stagelens::model {
struct Experiment;
}

namespace stagelens::ui {

class EngineBridge;
class Forecast;
class LeversDialog;
class ShapeDialog;
class WindowActions;

/// Opens the lever board, which follows the plan until it is closed.
class LeversController : public QObject {
    Q_OBJECT
public:
    LeversController(EngineBridge *bridge, Forecast *forecast, WindowActions *actions, QWidget *window);

signals:
    void applied(const QString &words, const model::Experiment &experiment);

private:
    void open();
    void follow();

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    WindowActions *m_actions;
    QWidget *m_window;
    QPointer<LeversDialog> m_dialog;
};

/// Opens the table of shapes, which follows the plan until it is closed.
class ShapeController : public QObject {
    Q_OBJECT
public:
    ShapeController(EngineBridge *bridge, Forecast *forecast, WindowActions *actions, QWidget *window);

signals:
    void applied(const QString &words, const model::Experiment &experiment);
    void compareAsked(const std::vector<std::pair<QString, model::Experiment>> &plans);

private:
    void open();
    void follow();

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    WindowActions *m_actions;
    QWidget *m_window;
    QPointer<ShapeDialog> m_dialog;
};

} // namespace stagelens::ui
