// The window: creates widgets, controllers and menus, and connects them.
#pragma once

#include "ui/shell/window_controllers.h"
#include "ui/shell/window_model.h"
#include "ui/shell/window_widgets.h"

#include <QMainWindow>

#include <filesystem>
#include <memory>

namespace stagelens::ui {

struct WindowOptions {
    std::filesystem::path database; ///< empty: the default file
    QString file;                   ///< the experiment to open; empty: the last one, or the demo
    bool remember = true;           ///< geometry, recent files and the session; false for pictures
    bool calibrate = false;         ///< measure this computer in the background if that was never done
};

/// Owns the widgets and the controllers. Each controller owns one subject.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const WindowOptions &options, QWidget *parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ExperimentDocument &document() { return *m_model.document; }
    [[nodiscard]] Forecast &forecast() { return *m_model.forecast; }
    [[nodiscard]] RunController &runController() { return *m_model.run; }
    [[nodiscard]] RunDatabase &runDatabase() { return *m_model.database; }
    [[nodiscard]] WindowActions &actions() { return *m_model.actions; }
    [[nodiscard]] ExplorePage &explorePage() { return *m_widgets->explore; }
    [[nodiscard]] RunsPanel &runsPanel() { return *m_widgets->runs; }
    [[nodiscard]] MessageBar &problemBar() { return *m_widgets->problemBar; }
    [[nodiscard]] ComparePanel &comparePanel() { return *m_widgets->compare; }
    [[nodiscard]] SweepPage &sweepPage() { return *m_widgets->sweep; }
    [[nodiscard]] LearnPage &learnPage() { return *m_widgets->learn; }
    [[nodiscard]] WindowControllers &controllers() { return *m_controllers; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void connectModel();
    void connectInspector();
    void connectActions();
    void updateFigures();
    void updateStatus();
    void updateTitle();
    void showText(const QString &title, const QString &richText);
    void showAbout();

    WindowModel m_model;
    std::unique_ptr<WindowWidgets> m_widgets;
    std::unique_ptr<WindowControllers> m_controllers; ///< destroyed before the widgets
    bool m_closeWhenStopped = false;
};

} // namespace stagelens::ui
