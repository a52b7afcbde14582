// The one palette: every colour of the pictures, light and dark, read from resources/palette.json.
#pragma once

#include "engine/schedule/pass.h"
#include "engine/simulate/memory.h"

#include <QColor>

#include <array>
#include <vector>

class QPalette;

namespace stagelens::ui {

/// The colours of one theme. A fill of the timeline means the kind of a pass and nothing else.
struct Colours {
    std::array<QColor, schedule::kPassKindCount> passes;
    QColor vocabulary;      ///< the share of a pass spent in vocabulary layers
    QColor vocabularyHatch; ///< its diagonal lines
    std::array<QColor, simulate::kMemoryCategoryCount> memory;
    std::array<QColor, 4> causes; ///< of the bubble: fill and drain, unequal stages, vocabulary layers, communication
    std::vector<QColor> curves;   ///< of several runs in one plot, used in turn
    QColor background;
    QColor band; ///< behind the ruler and the lane names
    QColor lane; ///< an idle device
    QColor grid;
    QColor ink;
    QColor muted; ///< secondary text
    QColor rail;  ///< provenance at a group's left
    QColor focus;
    QColor alarm; ///< over capacity, failed
    QColor panel; ///< what hovers over the picture
    QColor panelEdge;
    QColor idle; ///< the idle part of a load bar

    [[nodiscard]] const QColor &pass(schedule::PassKind kind) const { return passes[static_cast<std::size_t>(kind)]; }
};

/// The colours of the light or the dark theme; the same object each time.
[[nodiscard]] const Colours &colours(bool dark);
/// Those that suit a widget's palette, told by the brightness of its window colour.
[[nodiscard]] const Colours &coloursFor(const QPalette &palette);

/// Contrast of two colours as WCAG 2 defines it, 1 to 21.
[[nodiscard]] double contrast(const QColor &a, const QColor &b);
/// Black or white, whichever reads better on a fill.
[[nodiscard]] QColor inkOn(const QColor &fill);
/// `share` of a colour on top of another.
[[nodiscard]] QColor mix(const QColor &colour, const QColor &under, double share);
/// The edge of a rectangle with that fill.
[[nodiscard]] QColor edgeOf(const QColor &fill);

} // namespace stagelens::ui
