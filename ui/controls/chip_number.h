// A number inside a chip of the plan strip.
#pragma once

#include "ui/controls/number_box.h"

#include <QTimer>

namespace stagelens::ui {

/// A number without a frame that is edited in place: by click and type, by the wheel, by the arrow keys, and by dragging it
/// sideways.
class ChipNumber : public NumberBox {
    Q_OBJECT
public:
    /// What one notch of the wheel does to the number.
    enum class Step : unsigned char { One, Double };
    explicit ChipNumber(Step step, QWidget *parent = nullptr);
    void stepBy(int steps) override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void setEdited(bool on);
    bool drag(const QMouseEvent &mouse);

    Step m_step;
    QTimer m_wheelEnds; ///< turns of the wheel that follow each other closely are one edit
    bool m_pressed = false;
    bool m_dragging = false;
    int m_from = 0;  ///< x of the press, in global pixels
    int m_taken = 0; ///< steps of the drag that the number has made
};

} // namespace stagelens::ui
