// What is exported: pictures and data of the page in front, and stored runs.
#pragma once

#include "engine/base/result.h"
#include "ui/pages/picture_export.h"

#include <QObject>

class QStackedWidget;

namespace stagelens::ui {

class ComparePanel;
class ExplorePage;
class Forecast;
class RunController;
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
    ExportController(WindowActions *actions, const Pages &pages, Forecast *forecast, RunController *runController);

    /// Enables what can be exported now; the others say why not.
    void refresh();
    /// Writes what is in front: format "chrome-trace", "csv" or "json".
    [[nodiscard]] base::Result<> exportData(const QString &format, const QString &file);
    /// Lets the user choose the file of a stored run.
    void exportRun(qint64 run, const QString &format);

signals:
    void failed(const QString &sentence);

private:
    /// Returns the picture of the page in front, or why there is none.
    [[nodiscard]] base::Result<Picture> pictureInFront();
    [[nodiscard]] base::Result<> planIsShown() const;
    [[nodiscard]] base::Result<> hasDataInFront(const QString &format) const;
    /// Whether the picture shows a run alone.
    [[nodiscard]] bool showsRun() const;
    void copyPicture();
    void exportPictureAs(const QString &format);
    void exportDataAs(const QString &format);
    [[nodiscard]] QString askForFile(const QString &title, const QString &name, const QString &format) const;

    WindowActions *m_actions;
    Pages m_pages;
    Forecast *m_forecast;
    RunController *m_runController;
};

} // namespace stagelens::ui
