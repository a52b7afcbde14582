// The status bar of the window: the source of the costs, the file of the runs, why a plan cannot be trained, and lasting
// messages.
#pragma once

#include <QStatusBar>

class QAbstractButton;

namespace stagelens::ui {

class LineLabel;
class MessageBar;

/// 24 pixels high whatever it says.
class StatusBar : public QStatusBar {
    Q_OBJECT
public:
    /// `runs` is the button at the right end that folds and unfolds the runs.
    StatusBar(QAbstractButton *runs, QWidget *parent);
    /// Adds a message that lasts; several share the room.
    void add(MessageBar *message);
    /// What the line says at its left: the sources of the plan's times and the file of the runs.
    void setSources(const QString &text);
    /// Why the plan cannot be trained, before the sources; empty: it can.
    void setObstacle(const QString &text);
    /// What a mode changes for the mouse, before the sources; empty: none.
    void setMode(const QString &text);

private:
    void say();
    /// The spacing of the grid: Qt makes the layout anew for each widget.
    void space();
    LineLabel *m_text;
    QString m_sources;
    QString m_obstacle;
    QString m_mode;
};

} // namespace stagelens::ui
