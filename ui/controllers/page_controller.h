// Which page is in front, and how its picture is shown: presentation, colours, critical path, table, playing.
#pragma once

#include <QObject>
#include <QWidget>

class QMainWindow;
class QStackedWidget;

namespace stagelens::ui {

class ComparePanel;
class ExplorePage;
class LearnPage;
class PaneController;
class SweepPage;
class PlanStrip;
class ViewState;
class WindowActions;

/// Does what the actions of modes and of the picture ask for.
class PageController : public QObject {
    Q_OBJECT
public:
    /// The pages, in the order of the modes, and the stack that holds them.
    struct Pages {
        QStackedWidget *stack;
        ExplorePage *explore;
        ComparePanel *compare;
        SweepPage *sweep;
        LearnPage *learn;
    };
    PageController(QMainWindow *window, WindowActions *actions, const Pages &pages, PlanStrip *strip, ViewState *view,
                   PaneController *panes);

    /// Leaves the innermost of what can be left: presentation, playing, page, selection. Never stops a run.
    void escape();
    /// Returns what of the page in front the keyboard walks through, between `before` and `after`.
    [[nodiscard]] QList<QWidget *> panes(const QList<QWidget *> &before, const QList<QWidget *> &after) const;

signals:
    void failed(const QString &sentence);
    /// An animation is in the file.
    void written(const QString &file);

private:
    void connectPicture();
    /// Shows around the page in front what belongs to it. A presentation is the page alone, in larger type. Beside the
    /// documentation the panels of the plan are hidden.
    void arrange();
    void setPresentation(bool on);

    QMainWindow *m_window;
    WindowActions *m_actions;
    Pages m_pages;
    PlanStrip *m_strip;
    ViewState *m_view;
    PaneController *m_panes;
    Qt::WindowStates m_stateBefore; ///< the presentation
};

} // namespace stagelens::ui
