#include "ui/controls/enlarge.h"

#include <QWidget>

namespace stagelens::ui {

void enlarge(QWidget &page, bool on)
{
    constexpr double kLarger = 1.6;
    QFont font;
    if (on) {
        font = page.window()->font();
        font.setPointSizeF(font.pointSizeF() * kLarger);
    }
    page.setFont(font);
}

} // namespace stagelens::ui
