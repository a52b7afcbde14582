// Schedules from and to files.
#pragma once

#include "engine/service/plans/schedule_text.h"
#include "ui/state/latest_job.h"

namespace stagelens::ui {

class ExperimentDocument;
class Forecast;
class NoticeController;
class WindowActions;

/// Reads and writes files off the GUI thread unless they are short.
class ScheduleFileController : public QObject {
    Q_OBJECT
public:
    ScheduleFileController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, WindowActions *actions,
                           NoticeController *notice, QWidget *window);

    /// Lets the user choose a schedule's file to open.
    void askOpen();
    /// Opens a custom schedule from a file (either form), as one step of undo; the file stays its place. One with faults is
    /// opened as well if it is short enough to be repaired as text.
    void open(const QString &file);
    /// Returns whether a file is being read.
    [[nodiscard]] bool isOpening() const { return m_openJob.isRunning(); }
    /// Writes the plan's order for another program.
    void write(const QString &file, service::ScheduleFormat format);

private:
    /// A schedule's file as it would be opened.
    struct Opened {
        model::Experiment experiment;
        bool isFaulty = false;
    };
    void take(const QString &file, const Opened &opened);
    void askWrite();

    ExperimentDocument *m_document;
    Forecast *m_forecast;
    WindowActions *m_actions;
    NoticeController *m_notice;
    QWidget *m_window;
    LatestJob m_openJob;
    LatestJob m_writeJob;
};

} // namespace stagelens::ui
