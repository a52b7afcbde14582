// The search for the fastest schedule of the plan at hand.
#pragma once

#include "engine/service/search/predict.h"
#include "ui/state/latest_job.h"

#include <QObject>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class Forecast;
class NoticeController;
class PlanController;
class WindowActions;

/// Searches as `--schedule auto` does, in the background, and makes what it finds the plan, which undo takes back. An edit
/// meanwhile ends the search.
class SearchController : public QObject {
    Q_OBJECT
public:
    struct Parts {
        EngineBridge *bridge;
        ExperimentDocument *document;
        Forecast *forecast;
        PlanController *plan;
        NoticeController *notice;
    };
    SearchController(const Parts &parts, WindowActions *actions);
    void start();

private:
    void show(const service::SearchProgress &progress);
    void take(const base::Result<service::PredictionPtr> &answer);
    /// Ends the search and replaces its progress message with the sentence.
    void end(const QString &sentence);

    Parts m_parts;
    LatestJob m_job;
    QString m_said;           ///< the progress that is shown
    base::Nanos m_before = 0; ///< iteration of the plan that the search began with
    bool m_inUnits = false;   ///< its times are teaching units
};

} // namespace stagelens::ui
