// The editor of lectures: scenes are taken from the window, and shown in Learn.
#pragma once

#include "ui/learn/lectures/lecture.h"

#include <QObject>

class QWidget;

namespace stagelens::ui {

class ComparePanel;
class EngineBridge;
class ExplorePage;
class Forecast;
class LearnPage;
class LectureDialog;
class ViewState;
class WindowActions;

/// Has one editor, which keeps its lecture while it is closed.
class LectureController : public QObject {
    Q_OBJECT
public:
    /// With `remember` a lecture that has no file is kept in the data folder.
    LectureController(EngineBridge *bridge, WindowActions *actions, Forecast *forecast, ViewState *view, ExplorePage *explore,
                      ComparePanel *compare, LearnPage *learn, bool remember, QWidget *window);
    /// Opens the editor with a lecture's file.
    void openFile(const QString &file);

private:
    void open();
    void present(const Tour &tour, int scene);
    /// The plans that Compare shows if it is in front, else that of Explore.
    [[nodiscard]] std::vector<LectureScene> scenesOfWindow() const;
    /// The plan that Explore shows, with its part of the time axis and its colours; or the morph that it shows.
    [[nodiscard]] LectureScene sceneOfExplore() const;
    /// Tells the editor what can be added.
    void updateShown();

    EngineBridge *m_bridge;
    WindowActions *m_actions;
    Forecast *m_forecast;
    ViewState *m_view;
    ExplorePage *m_explore;
    ComparePanel *m_compare;
    LearnPage *m_learn;
    bool m_remember;
    QWidget *m_window;
    QMetaObject::Connection m_wayBack; ///< leads back to where a lecture was presented from
    LectureDialog *m_dialog = nullptr; ///< owned by the window; hidden while it is closed
};

} // namespace stagelens::ui
