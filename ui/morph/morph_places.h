// Where the pieces of a morph are in a picture, and how they look; the same for the screen and for SVG.
#pragma once

#include "ui/canvas/pass_pattern.h"
#include "ui/morph/morph_painter.h"
#include "ui/words/tr.h"

#include <QFontMetrics>
#include <QRectF>

#include <algorithm>

namespace stagelens::ui {

inline constexpr int kPieceEdgeFrom = 4; ///< narrower pieces have no edge

/// Where time and lanes are in a picture.
class MorphPlaces {
public:
    MorphPlaces(const Morph &morph, const MorphLook &look, QRect place) : m_span(std::max<base::Nanos>(morph.span(), 1))
    {
        const QFontMetrics metrics(look.font);
        const int line = metrics.height();
        const int left =
            look.isThumbnail ? 0 : metrics.horizontalAdvance(Words::tr("Device %1").arg(QStringLiteral("00"))) + 20;
        titles = look.isThumbnail ? QRect(place.topLeft(), QSize(place.width(), 0))
                                  : QRect(place.left() + left, place.top(), place.width() - left, line + 12);
        ruler = look.isThumbnail ? QRect(titles.bottomLeft(), QSize(place.width(), 0))
                                 : QRect(place.left() + left, titles.bottom() + 1, place.width() - left, line + 8);
        const int top = look.isThumbnail ? place.top() : ruler.bottom() + 1;
        axis = QRect(place.left() + left, top, place.width() - left - (look.isThumbnail ? 0 : 12), place.bottom() + 1 - top);
        pitch = static_cast<double>(axis.height()) / std::max(morph.devices, 1);
        if (!look.isThumbnail)
            pitch = std::min(pitch, 10.0 * line);
        gap = pitch >= 40 ? 6 : pitch >= 20 ? 4 : pitch >= 8 ? 2 : 1;
    }
    [[nodiscard]] double x(double time) const { return axis.left() + time * axis.width() / static_cast<double>(m_span); }
    [[nodiscard]] double y(double lane) const { return axis.top() + lane * pitch; }
    [[nodiscard]] double height() const { return std::max(pitch - gap, 1.0); }
    [[nodiscard]] QRectF rect(const MorphBox &box) const
    {
        return {x(box.begin), y(box.lane), std::max(x(box.end) - x(box.begin), 0.5), height()};
    }

    QRect titles;
    QRect ruler;
    QRect axis;
    double pitch = 1;
    double gap = 1;

private:
    base::Nanos m_span;
};

inline QColor colourOf(const Colours &colours, const MorphSpot &spot)
{
    return spot.isVocabulary ? colours.vocabulary : colours.pass(spot.kind);
}

inline QColor colourOf(const Colours &colours, const MorphPiece &piece, double share)
{
    const QColor a = colourOf(colours, piece.from ? *piece.from : *piece.to);
    const QColor b = colourOf(colours, piece.to ? *piece.to : *piece.from);
    return a == b ? a : mix(b, a, share);
}

/// The pattern of a piece in one of the plans, with its colour.
struct MorphPattern {
    PassPattern shape = PassPattern::None;
    QColor colour;
    friend bool operator==(const MorphPattern &, const MorphPattern &) = default;
};
/// Returns the pattern that a piece of that size has in a plan; none where it is absent or too small. A vocabulary share is cut
/// into narrow pieces, whose hatches have one phase and so join to that of the whole share.
[[nodiscard]] inline MorphPattern patternOf(const Colours &colours, const std::optional<MorphSpot> &spot, QSizeF size)
{
    if (!spot || (size.width() < kPatternFrom && !spot->isVocabulary) || size.height() < kNotchFrom)
        return {};
    const PassPattern shape = patternOf(spot->kind, spot->isVocabulary);
    return shape == PassPattern::None
               ? MorphPattern()
               : MorphPattern{shape, patternColour(colours, spot->kind, spot->isVocabulary, colourOf(colours, *spot))};
}

} // namespace stagelens::ui
