// A button that gives up letters before it gives up its place.
#pragma once

#include <QPushButton>

namespace stagelens::ui {

/// As wide as its text where there is room, else elided; the whole text is its accessible name.
class ChipButton : public QPushButton {
    Q_OBJECT
public:
    explicit ChipButton(QWidget *parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace stagelens::ui
