// The pattern on the fill of a pass: what tells kinds apart without their colours.
#pragma once

#include "engine/passes/pass.h"
#include "ui/canvas/colours.h"
#include "ui/canvas/geometry.h"

namespace stagelens::ui {

enum class PassPattern : unsigned char { None, Hatch, Dots, Notch };

/// Of a pass of layers, or of the share of it that is spent in vocabulary layers.
[[nodiscard]] constexpr PassPattern patternOf(schedule::PassKind kind, bool isVocabularyShare = false)
{
    if (isVocabularyShare)
        return PassPattern::Hatch;
    switch (kind) {
    case schedule::PassKind::T: return PassPattern::Hatch;
    case schedule::PassKind::U: return PassPattern::Dots;
    case schedule::PassKind::I: return PassPattern::Notch;
    default: return PassPattern::None;
    }
}
/// The colour of a pass's pattern on its fill.
[[nodiscard]] inline QColor patternColour(const Colours &colours, schedule::PassKind kind, bool isVocabularyShare,
                                          const QColor &fill)
{
    if (isVocabularyShare || kind == schedule::PassKind::U)
        return colours.vocabularyHatch;
    return kind == schedule::PassKind::I ? colours.lane : edgeOf(fill);
}

/// Narrower passes, in logical pixels, have no pattern; of shares see kShareHatchFrom.
inline constexpr int kPatternFrom = 12;
/// Between the lines of a hatch and between dots, in logical pixels.
inline constexpr int kPatternStep = 6;
/// Sides of a notch, in logical pixels, and the height of a pass from which it has one.
inline constexpr int kNotch = 4;
inline constexpr int kNotchFrom = 9;

/// Returns the dots on a rectangle. Lengths are in pixels of `unit`.
[[nodiscard]] inline QVector<QRect> dotRects(QRect rect, int unit)
{
    const int step = kPatternStep * unit;
    QVector<QRect> dots;
    for (int y = rect.top() + step / 2; y + unit < rect.bottom(); y += step)
        for (int x = rect.left() + step / 2; x + unit < rect.right(); x += step)
            dots.push_back(QRect(x, y, 2 * unit, 2 * unit));
    return dots;
}

} // namespace stagelens::ui
