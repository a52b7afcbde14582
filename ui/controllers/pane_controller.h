// The panes around the pages: where they are, when the window is small, and what of it the next start restores.
#pragma once

#include <QObject>
#include <QSize>
#include <QTimer>

#include <optional>
#include <vector>

class QDockWidget;
class QMainWindow;

namespace stagelens::ui {

class ExperimentEditor;
class ExplorePage;
class RunsPanel;
class WindowActions;

/// Returns the position of a window (without its frame) at which it lies with its frame in the available part of a screen; as
/// large as the one wanted if there is room.
[[nodiscard]] QRect fitted(const QRect &window, const QRect &available);

class PaneController : public QObject {
    Q_OBJECT
public:
    struct Docks {
        QDockWidget *left;
        QDockWidget *right;
        QDockWidget *bottom;
    };
    /// What the docks contain and whose choices are remembered.
    struct Contents {
        ExperimentEditor *editor;
        RunsPanel *runs;
        ExplorePage *explore;
    };
    PaneController(QMainWindow *window, const Docks &docks, const Contents &contents, WindowActions *actions, bool remember);

    /// Restores the geometry and the choices of the last session.
    void restore();
    /// Saves them now.
    void save();
    /// The window has another size.
    void resized();
    /// Which docks a page hides.
    enum class Aside : unsigned char { None, OfThePlan, All };
    /// Hides these docks; those that are no longer meant are shown again as they were.
    void setDocksAside(Aside aside);
    /// Shows or hides the runs, where the page in front has no docks, once it no longer is.
    void setRunsShown(bool shown);
    /// The widgets that F6 walks through, the page in front among them.
    void focusNext(QList<QWidget *> panes);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void connectMemory();
    void setNarrow(bool narrow);
    /// Their panel or the page's line.
    void arrangeFigures();
    /// Makes the window as large as it should be, but no larger than its screen has room for.
    void fitIntoScreen();
    /// Moves a window whose frame, once it is known, reaches out of the screen.
    void keepFrameInside();
    void giveRunsRoom();
    /// Gives the dock that width or height if it has a place in the window.
    void resizeDock(QDockWidget *dock, int size, Qt::Orientation orientation);
    [[nodiscard]] std::vector<QDockWidget *> docks() const { return {m_docks.left, m_docks.right, m_docks.bottom}; }

    QMainWindow *m_window;
    Docks m_docks;
    Contents m_contents;
    WindowActions *m_actions;
    bool m_remember;
    QTimer m_saveDelay;
    struct SetAside {
        QDockWidget *dock;
        QSize size;
        bool isInFront;
    };
    void showAgain(const std::vector<SetAside> &shown);
    Aside m_asideNow = Aside::None;
    std::vector<SetAside> m_aside; ///< the docks that were shown before
    bool m_narrow = false;
    bool m_areFiguresShown = true; ///< the panel of figures, where the window is wide
    bool m_areRunsChosen = false;  ///< folded or unfolded by hand, not by their number
};

} // namespace stagelens::ui
