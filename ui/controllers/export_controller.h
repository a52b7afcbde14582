// What is exported: pictures and data of the page in front, and stored runs.
#pragma once

#include "engine/base/result.h"
#include "ui/pages/picture_export.h"
#include "ui/state/engine_bridge.h"

#include <QObject>

#include <functional>

class QStackedWidget;

namespace stagelens::ui {

class ComparePanel;
class ExplorePage;
class Forecast;
class RunController;
class RunDatabase;
class SweepPage;
class WindowActions;

/// Enables the actions of export for what can be exported, and writes the files. Nothing is exported that would not be what it
/// seems to be.
class ExportController : public QObject {
    Q_OBJECT
public:
    /// The pages that have something to export, and the stack that holds them.
    struct Pages {
        QStackedWidget *stack;
        ExplorePage *explore;
        ComparePanel *compare;
        SweepPage *sweep;
    };
    ExportController(EngineBridge *bridge, WindowActions *actions, const Pages &pages, Forecast *forecast,
                     RunController *runController, RunDatabase *database);

    /// Enables what can be exported now; the others say why not.
    void refresh();
    /// Writes what is in front off the GUI thread: format "chrome-trace", "csv" or "json".
    void exportData(const QString &format, const QString &file);
    /// Writes what starts the plan in another framework off the GUI thread, then opens a report of what it leaves out.
    void exportLaunch(const QString &format, const QString &file);
    /// Lets the user choose the file of a stored run.
    void exportRun(qint64 run, const QString &format);

signals:
    void failed(const QString &sentence);
    /// What was in front is in the file.
    void written(const QString &file);

private:
    /// Returns the picture of the page in front, or why there is none.
    [[nodiscard]] base::Result<Picture> pictureInFront();
    [[nodiscard]] base::Result<> planIsShown() const;
    /// Returns what makes the text of the data in front, on any thread.
    [[nodiscard]] std::function<base::Result<std::string>()> textInFront(const QString &format) const;
    [[nodiscard]] base::Result<> hasDataInFront(const QString &format) const;
    /// Whether the picture shows a run alone.
    [[nodiscard]] bool showsRun() const;
    void copyPicture();
    void exportPictureAs(const QString &format);
    void exportDataAs(const QString &format);
    void exportLaunchAs(const QString &format);
    [[nodiscard]] base::Result<> hasLaunchInFront() const;
    [[nodiscard]] QString askForFile(const QString &title, const QString &name, const QString &format) const;

    EngineBridge *m_bridge;
    WindowActions *m_actions;
    Pages m_pages;
    Forecast *m_forecast;
    RunController *m_runController;
    RunDatabase *m_database;
};

} // namespace stagelens::ui
