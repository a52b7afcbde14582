// The sizes of type.
#pragma once

#include <QFont>

namespace stagelens::ui {

/// In pixels where the desktop's font has 12.
enum class TypeSize : unsigned char { Caption = 11, Small = 12, Text = 13, Heading = 15, Verdict = 18, Figure = 24 };

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
