#include "ui/controls/enlarge.h"

#include <QFontInfo>
#include <QWidget>

#include <algorithm>

namespace stagelens::ui {

void enlarge(QWidget &page, bool on)
{
    constexpr int kLeastPixels = 24; ///< what the last row of a lecture hall can read
    constexpr double kLarger = 1.6;
    QFont font;
    if (on) {
        font = page.window()->font();
        font.setPixelSize(std::max(kLeastPixels, qRound(QFontInfo(font).pixelSize() * kLarger)));
    }
    page.setFont(font);
}

} // namespace stagelens::ui
