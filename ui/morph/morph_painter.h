// A moment between two plans as a picture, and the whole way as an animation for a browser or a slide.
#pragma once

#include "ui/canvas/colours.h"
#include "ui/morph/morph.h"

#include <QFont>
#include <QRect>
#include <QString>

class QPainter;

namespace stagelens::ui {

/// What the picture of a morph shows beside its pieces.
struct MorphLook {
    const Colours *colours = nullptr;
    QFont font;
    QString from; ///< names of the plans
    QString to;
    bool teachingUnits = false;
    bool isThumbnail = false; ///< lanes alone
};

/// Lanes with all pieces at `progress` from 0 to 1, the end of the iteration as a flag, and the plans' names above.
void paintMorph(QPainter &painter, const Morph &morph, const MorphLook &look, QRect place, double progress);

/// The way there as SVG with SMIL animation, which browsers and presentation programs play in a loop. Programs that do not
/// animate show the first plan.
[[nodiscard]] QString morphSvg(const Morph &morph, const MorphLook &look, QSize size);

/// Seconds of one round of an exported animation, and the parts of it in which the two plans stand still.
inline constexpr double kMorphSeconds = 6;
inline constexpr double kMorphHoldBefore = 0.15;
inline constexpr double kMorphHoldAfter = 0.25;
/// Pieces up to which a picture is animated; more are neither seen apart nor fast.
inline constexpr std::size_t kMostMorphPieces = 20'000;
inline constexpr std::size_t kMostExportedPieces = 6'000;

} // namespace stagelens::ui
