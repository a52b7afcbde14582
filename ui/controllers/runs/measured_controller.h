// Which run is measured beside the prediction: the list at Measured.
#pragma once

#include "engine/service/engine_service.h"

#include <QObject>

#include <optional>

class QAction;
class QMenu;

namespace stagelens::ui {

class ExplorePage;
class Forecast;
class RunController;
class RunDatabase;
class ShownSwitch;

/// Fills the list with the runs of the plan and the steps of the shown run, and finds a run when Measured is chosen.
class MeasuredController : public QObject {
    Q_OBJECT
public:
    MeasuredController(Forecast *forecast, RunController *runController, RunDatabase *database, ShownSwitch *shownSwitch,
                       ExplorePage *page);

    /// Shows the newest run of the plan, once that is predicted, unless another is shown or trained by then.
    void showNewest();

private:
    void showChosen();
    void fill(QMenu *menu);
    void addRuns(QMenu *menu);
    void addSteps(QMenu *menu, const service::RunSnapshot &run);
    QAction *add(QMenu *menu, const QString &words, store::RunId run, std::optional<int> step, bool isShown);

    Forecast *m_forecast;
    RunController *m_runController;
    RunDatabase *m_database;
    ShownSwitch *m_switch;
    ExplorePage *m_page;
};

} // namespace stagelens::ui
