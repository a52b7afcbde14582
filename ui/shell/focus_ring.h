// The ring around what has the keyboard.
#pragma once

#include <QPointer>
#include <QWidget>

namespace stagelens::ui {

/// Draws a ring of two pixels around a table, a text, a label with links or a page that a person has reached by keyboard.
/// Buttons, fields and pictures draw their own.
class FocusRing : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QPointer<QWidget> m_ring; ///< a child of what it surrounds, with which it moves, hides and ends
};

} // namespace stagelens::ui
