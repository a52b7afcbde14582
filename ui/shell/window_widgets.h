// The widgets of a window: menu and strip at the top, pages in the centre, docks around them.
#pragma once

#include <vector>

class QDockWidget;
class QMainWindow;
class QMenuBar;
class QStackedWidget;
class QWidget;

namespace stagelens::ui {

class ComparePanel;
class ExperimentEditor;
class ExplorePage;
class FieldEditor;
class InspectorPanel;
class LearnPage;
class MessageBar;
class MetricsPanel;
class RunsPanel;
class SettingsPanel;
class SweepPage;
class PlanStrip;
class StatusBar;
class WindowActions;
struct WindowModel;

/// Creates them as children of the window, which deletes them.
class WindowWidgets {
public:
    WindowWidgets(QMainWindow *window, const WindowModel &model);
    /// Returns the fields of the strip and of the editor.
    [[nodiscard]] std::vector<FieldEditor *> fieldEditors() const;

    QMenuBar *menuBar;
    PlanStrip *strip;
    MessageBar *storeBar; ///< in the status bar, like the next
    MessageBar *importBar;
    MessageBar *noticeBar; ///< over the picture, like the next
    MessageBar *problemBar;
    StatusBar *status;
    QStackedWidget *pages;
    ExplorePage *explore;
    ComparePanel *compare;
    SweepPage *sweep;
    LearnPage *learn;
    SettingsPanel *settings;
    ExperimentEditor *editor;
    MetricsPanel *metrics;
    InspectorPanel *inspector;
    RunsPanel *runs;
    QDockWidget *left;
    QDockWidget *right;
    QDockWidget *bottom;

private:
    void buildTop(QMainWindow *window, const WindowModel &model);
    [[nodiscard]] QWidget *makeModeSwitch(const WindowActions &actions);
    void buildCentre(QMainWindow *window, const WindowModel &model);
    void buildDocks(QMainWindow *window, const WindowModel &model);
    void buildStatus(QMainWindow *window);
    [[nodiscard]] QWidget *makeFigures(QMainWindow *window);
};

} // namespace stagelens::ui
