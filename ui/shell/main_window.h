// The window: it only wires.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/controls/message_bar.h"
#include "ui/shell/picture_export.h"
#include "ui/words/train_words.h"

#include <QMainWindow>
#include <QTimer>

#include <utility>
#include <vector>

class QDockWidget;
class QMenu;
class QMenuBar;
class QStackedWidget;

namespace stagelens::ui {

class CompareController;
class ComparePanel;
class EngineBridge;
class ExperimentDocument;
class ExperimentEditor;
class ExplorePage;
class FieldEditor;
class FileController;
class Forecast;
class ImportController;
class InspectorPanel;
class LearnPage;
class MetricsPanel;
class NoticeController;
class RunController;
class RunsPanel;
class ScheduleController;
class SweepPage;
class TimelineView;
class ToolStrip;
class ViewState;
class WindowActions;

struct WindowOptions {
    std::filesystem::path database; ///< empty: the default file
    QString file;                   ///< the experiment to open; empty: the last one, or the demo
    bool remember = true;           ///< geometry, recent files and the session; false for pictures
    bool calibrate = false;         ///< measure this computer in the background if that was never done
};

/// The place of a window (without its frame) that lies with its frame in the available part of a screen, and is as large as the
/// one wanted where there is room.
[[nodiscard]] QRect fitted(const QRect &window, const QRect &available);

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(WindowOptions options, QWidget *parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ExperimentDocument &document() { return *m_document; }
    [[nodiscard]] Forecast &forecast() { return *m_forecast; }
    [[nodiscard]] RunController &runController() { return *m_runController; }
    [[nodiscard]] ExplorePage &explorePage() { return *m_explore; }
    [[nodiscard]] RunsPanel &runsPanel() { return *m_runs; }
    [[nodiscard]] ComparePanel &comparePanel() { return *m_compare; }
    [[nodiscard]] SweepPage &sweepPage() { return *m_sweep; }
    [[nodiscard]] LearnPage &learnPage() { return *m_learn; }
    [[nodiscard]] ScheduleController &scheduleController() { return *m_schedule; }
    [[nodiscard]] CompareController &compareController() { return *m_compareController; }
    [[nodiscard]] ImportController &importController() { return *m_imports; }
    [[nodiscard]] WindowActions &actions() { return *m_actions; }
    /// Sets the method, as the headline's button and the menu do.
    void apply(model::VocabularyMethod method);
    /// What is in front to a file: format "chrome-trace", "csv" or "json".
    [[nodiscard]] base::Result<> exportData(const QString &format, const QString &file);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void buildTop();
    void buildCentre();
    void buildDocks();
    void buildMenus();
    void connectModel();
    void connectRuns();
    void connectRunsPanel();
    void connectSweep();
    void connectSchedule();
    void setScheduleEditing(bool on);
    void askOpenSchedule();
    void askWriteSchedule();
    /// A custom schedule was chosen in the list: says what it is now, and where to change or replace it.
    void offerCustomOrder();
    void useCostsOfRun();
    /// The runs of this plan, and the steps of the one that is shown.
    void fillMeasured(QMenu *menu);
    void exportRun(qint64 run, const QString &format);
    void showRun(qint64 run);
    void deleteRun(qint64 run);
    /// Once for each: of the newest runs those whose process ended before they did.
    void tellInterrupted();
    void connectActions();
    void connectFields();
    [[nodiscard]] QWidget *makeModeSwitch();
    void connectModes();
    void connectPicture();
    void setPresentation(bool on);
    /// Shows around the page in front what belongs to it: a presentation is the page alone, in larger type, and beside the
    /// documentation the plan has no panel.
    void arrange();
    /// Hides the docks that are shown, or shows those again as they were.
    void setDocksAside(bool aside);
    void showFamily(const QString &family);
    void restoreMemory();
    /// Makes the window as large as it should be, but no larger than its screen has room for.
    void fitIntoScreen();
    void connectMemory();
    void saveMemory();

    void updateTrain();
    void updateFigures();
    void updateProblems(bool atOnce);
    void showProblems();
    /// A step of undo was made, taken back or merged with the one before.
    void stepDone();
    /// Takes back what was done since the plan was sound last.
    [[nodiscard]] MessageBar::Action undoToSound();
    void updateMethodDetails();
    void updateRuns();
    void updateStoreBar();
    void updateTitle();
    /// Nothing is exported that would not be what it seems to be.
    void updateExports();
    /// What is exported in the mode in front, or why there is nothing.
    [[nodiscard]] base::Result<Picture> pictureInFront();
    [[nodiscard]] base::Result<> planIsShown() const;
    [[nodiscard]] base::Result<> hasDataInFront(const QString &format) const;
    /// Whether what stands in the picture is a run alone.
    [[nodiscard]] bool showsRun() const;
    void askAndExportData(const QString &format);
    void showPlanOfRun();
    void applyFix();
    /// Makes a resolved plan the experiment, as free to be edited as it was before it was resolved.
    void takeOver(const QString &label, const model::Experiment &resolved);
    void offerScaledCopy();
    void exportAs(const QString &format);
    void chooseDatabase();
    void setNarrow(bool narrow);
    void giveRunsRoom();
    void nextPane();
    void showText(const QString &title, const QString &richText);

    WindowOptions m_options;
    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    FileController *m_files;
    Forecast *m_forecast;
    RunController *m_runController;
    ViewState *m_view;
    ScheduleController *m_schedule = nullptr;
    WindowActions *m_actions;
    QMenuBar *m_menuBar;
    ToolStrip *m_strip;
    ExperimentEditor *m_editor;
    ExplorePage *m_explore;
    ComparePanel *m_compare;
    SweepPage *m_sweep;
    LearnPage *m_learn;
    QStackedWidget *m_pages;
    MetricsPanel *m_metrics;
    InspectorPanel *m_inspector;
    RunsPanel *m_runs;
    MessageBar *m_noticeBar;
    MessageBar *m_storeBar;
    MessageBar *m_importBar;
    QDockWidget *m_left;
    QDockWidget *m_right;
    QDockWidget *m_bottom;
    QTimer m_problemDelay;
    QTimer m_memoryDelay;
    std::pair<service::PredictionPtr, MachineObstacle> m_hindrance; ///< why this plan cannot be trained here
    model::Experiment m_runBaseline;                                ///< that the table's differences were made against
    struct SetAside {
        QDockWidget *dock;
        QSize size;
        bool isInFront;
    };
    std::optional<std::vector<SetAside>> m_aside; ///< the docks that were shown before; absent while they are shown
    Qt::WindowStates m_stateBefore;               ///< the presentation
    int m_soundStep = 0;                          ///< index of undo at which the plan was sound last
    bool m_narrow = false;
    bool m_foldedByHand = false;
    bool m_closeWhenStopped = false;
    // Destroyed before the widgets and the state that they listen to.
    std::unique_ptr<NoticeController> m_notice;
    std::unique_ptr<CompareController> m_compareController;
    std::unique_ptr<ImportController> m_imports;
};

} // namespace stagelens::ui
