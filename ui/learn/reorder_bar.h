// Above the picture of a challenge whose passes are moved: the score, how to move one, and undo.
#pragma once

#include <QWidget>

class QLabel;
class QUndoStack;

namespace stagelens::ui {

/// Hidden until it is shown for a plan whose passes can be moved.
class ReorderBar : public QWidget {
    Q_OBJECT
public:
    ReorderBar(QUndoStack *undo, QWidget *parent);
    void setScore(const QString &score);

protected:
    void changeEvent(QEvent *event) override;

private:
    void setFonts();
    QLabel *m_score;
};

} // namespace stagelens::ui
