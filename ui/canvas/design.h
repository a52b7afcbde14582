// The type scale and the spacing grid of the window. Every font size and every margin is one of these; the test
// ui.window_design and lint.spacing check it.
#pragma once

#include <QFont>

#include <array>

namespace stagelens::ui {

/// In pixels where the desktop's font has 12.
enum class TypeSize : unsigned char { Small = 12, Text = 13, Heading = 15, Verdict = 18, Figure = 24 };
inline constexpr std::array kTypeScale{TypeSize::Small, TypeSize::Text, TypeSize::Heading, TypeSize::Verdict, TypeSize::Figure};

/// Margins and spacings are multiples of it, in pixels.
inline constexpr int kGrid = 4;
inline constexpr int kControlSpacing = 2 * kGrid; ///< between two controls of a layout
inline constexpr int kPanelMargin = 3 * kGrid;    ///< around the contents of a window or panel
inline constexpr int kCellMargin = 2 * kGrid;     ///< left and right of the text in a cell or header of a table
inline constexpr int kSegmentHeight = 7 * kGrid;  ///< of the buttons of a segmented control

/// Returns the font in that size of the scale; it grows with the desktop's font.
[[nodiscard]] inline QFont scaled(QFont font, TypeSize size, QFont::Weight weight = QFont::Normal)
{
    constexpr double kPlain = 12;
    const double factor = static_cast<double>(size) / kPlain;
    if (font.pixelSize() > 0) // a presentation's, which is given in pixels
        font.setPixelSize(qRound(font.pixelSize() * factor));
    else
        font.setPointSizeF(font.pointSizeF() * factor);
    font.setWeight(weight);
    return font;
}

} // namespace stagelens::ui
