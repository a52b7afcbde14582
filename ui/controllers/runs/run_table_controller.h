// The table of runs: show, describe, filter and delete, and what is said of runs that ended early.
#pragma once

#include "engine/model/experiment.h"

#include <QObject>
#include <QPointer>

namespace stagelens::ui {

class ExperimentDocument;
class Forecast;
class NoticeController;
class RunController;
class RunDatabase;
class RunPlotDialog;
class RunsPanel;

/// Keeps the panel at what is stored, and does what is asked for in it.
class RunTableController : public QObject {
    Q_OBJECT
public:
    RunTableController(ExperimentDocument *document, Forecast *forecast, RunController *runController, RunDatabase *database,
                       RunsPanel *panel, NoticeController *notice);

    /// Shows a run in Explore, with its plan if the plan differs.
    void show(qint64 run);
    /// Warns once of each of the newest runs of this database whose process ended before they did.
    void warnOfInterrupted(const QString &database);

signals:
    /// The page of Explore should be shown.
    void pageAsked();
    /// The plan of the shown run should become the experiment.
    void planOfRunAsked();

private:
    void connectPanel();
    void refresh();
    void remove(const std::vector<qint64> &runs);
    /// Opens the plot of the table's runs, which follows the table until it is closed.
    void plot();
    void refreshPlot();

    ExperimentDocument *m_document;
    Forecast *m_forecast;
    RunController *m_runController;
    RunDatabase *m_database;
    RunsPanel *m_panel;
    NoticeController *m_notice;
    model::Experiment m_baseline; ///< that the table's differences were made against
    bool m_isFoldedByHand = false;
    QPointer<RunPlotDialog> m_plot;
};

} // namespace stagelens::ui
