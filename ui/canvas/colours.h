// The one palette: every colour of the pictures, light and dark, read from resources/palette.json.
#pragma once

#include "engine/base/units.h"
#include "engine/layout/mesh.h"
#include "engine/passes/pass.h"
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
    /// Of the bubble: fill and drain, unequal stages, vocabulary layers, communication, slow parts.
    std::array<QColor, 5> causes;
    std::vector<QColor> microbatches;       ///< used in turn, where fills tell microbatches or chunks apart
    std::vector<QColor> slack;              ///< from none to much, for slackLevel()
    std::array<QColor, layout::kAxes> axes; ///< what the ranks of each axis exchange, for axisColour()
    QColor message;                         ///< a message between devices: that of the pipeline's axis
    QColor copy;                            ///< activations on their way to the host and back
    QColor expert;                          ///< the load of experts: that of their axis
    std::vector<QColor> curves;             ///< of several runs in one plot, used in turn
    QColor background;
    QColor band; ///< behind the ruler and the lane names
    QColor lane; ///< an idle device
    QColor grid;
    QColor ink;
    QColor muted; ///< secondary text
    QColor rail;  ///< provenance at a group's left
    QColor focus; ///< the accent of the whole window: focus, selection, filled buttons, links
    QColor alarm; ///< over capacity, failed
    QColor panel; ///< what hovers over the picture
    QColor panelEdge;
    QColor idle; ///< the idle part of a load bar

    /// What fills tell apart where it is not kinds: slack, or microbatches and chunks.
    [[nodiscard]] const std::vector<QColor> &classes(bool ofSlack) const { return ofSlack ? slack : microbatches; }
    [[nodiscard]] const QColor &pass(schedule::PassKind kind) const { return passes[static_cast<std::size_t>(kind)]; }
};

/// The colours of the light or the dark theme; the same object each time.
[[nodiscard]] const Colours &colours(bool dark);
/// Those that suit a widget's palette, told by the brightness of its window colour.
[[nodiscard]] const Colours &coloursFor(const QPalette &palette);

/// Of the colours for slack, that of a pass which may be so late; nothing beyond shows in a lane.
[[nodiscard]] std::size_t slackLevel(base::Nanos slack, base::Nanos makespan);
/// The least slack of each level as a share of the makespan; the first is any slack at all.
inline constexpr std::array kSlackShares{0.0, 0.01, 0.03, 0.1};
/// The colour of what the ranks of an axis exchange: those that fills of passes do not use.
[[nodiscard]] QColor axisColour(const Colours &colours, layout::Axis axis);
/// The kind's colour for a device's n-th stage: each is lighter by one step.
[[nodiscard]] QColor chunkShade(const QColor &colour, int chunk);
/// The part of a pass with that colour which computes again what the forward has dropped; hatched with the colour of F.
[[nodiscard]] QColor recomputedShade(const QColor &colour);
/// "a", "b", "c" of a device's stages.
[[nodiscard]] QChar chunkLetter(int chunk);

/// Contrast of two colours as WCAG 2 defines it, 1 to 21.
[[nodiscard]] double contrast(const QColor &a, const QColor &b);
/// Black or white, whichever reads better on a fill.
[[nodiscard]] QColor inkOn(const QColor &fill);
/// `share` of a colour on top of another.
[[nodiscard]] QColor mix(const QColor &colour, const QColor &under, double share);
/// The edge of a rectangle with that fill.
[[nodiscard]] QColor edgeOf(const QColor &fill);

} // namespace stagelens::ui
