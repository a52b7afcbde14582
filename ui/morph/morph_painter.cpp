#include "ui/morph/morph_painter.h"

#include "ui/morph/morph_places.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::ui {
namespace {

void paintPattern(QPainter &painter, const MorphPattern &pattern, QRectF rect)
{
    const int edge = rect.width() >= kPieceEdgeFrom ? 1 : 0;
    const QRect inner = rect.toRect().adjusted(edge, 1, -edge, -1);
    painter.save();
    painter.setPen(pattern.colour);
    switch (pattern.shape) {
    case PassPattern::Hatch: painter.drawLines(hatchLines(inner, kPatternStep)); break;
    case PassPattern::Dots:
        for (const QRect dot : dotRects(inner, 1))
            painter.fillRect(dot, pattern.colour);
        break;
    case PassPattern::Notch:
        painter.setPen(Qt::NoPen);
        painter.setBrush(pattern.colour);
        painter.drawConvexPolygon(
            QPolygonF({rect.topLeft(), rect.topLeft() + QPointF(kNotch, 0), rect.topLeft() + QPointF(0, kNotch)}));
        break;
    case PassPattern::None: break;
    }
    painter.restore();
}

/// The pattern of the first plan gives way to that of the second as the colours do. Returns whether a hatch was painted.
bool paintPatterns(QPainter &painter, const Colours &colours, const MorphPiece &piece, const MorphBox &box, QRectF rect)
{
    const MorphPattern from = patternOf(colours, piece.from ? piece.from : piece.to, rect.size());
    const MorphPattern to = patternOf(colours, piece.to ? piece.to : piece.from, rect.size());
    if (from.shape == PassPattern::None && to.shape == PassPattern::None)
        return false;
    if (from == to) {
        paintPattern(painter, from, rect);
    } else {
        painter.setOpacity(box.opacity * (1 - box.share));
        paintPattern(painter, from, rect);
        painter.setOpacity(box.opacity * box.share);
        paintPattern(painter, to, rect);
        painter.setOpacity(box.opacity);
    }
    return from.shape == PassPattern::Hatch || to.shape == PassPattern::Hatch;
}

void paintPieces(QPainter &painter, const Morph &morph, const MorphLook &look, const MorphPlaces &places, double progress)
{
    const QFontMetrics metrics(look.font);
    painter.setFont(look.font);
    for (const MorphPiece &piece : morph.pieces) {
        const MorphBox box = boxAt(morph, piece, progress);
        if (box.opacity <= 0)
            continue;
        const QRectF rect = places.rect(box);
        const QColor fill = colourOf(*look.colours, piece, box.share);
        painter.setOpacity(box.opacity);
        const bool edged = rect.width() >= kPieceEdgeFrom && rect.height() >= kPieceEdgeFrom;
        painter.fillRect(rect, edged ? edgeOf(fill) : fill);
        if (edged)
            painter.fillRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), fill);
        const bool isHatched = paintPatterns(painter, *look.colours, piece, box, rect);
        const QString number = QString::number(piece.microbatch);
        const int width = metrics.horizontalAdvance(number);
        if (!look.isThumbnail && rect.height() >= metrics.ascent() && rect.width() >= width + 4) {
            if (isHatched) // hidden under the number
                painter.fillRect(QRectF(rect.center().x() - width / 2.0 - 2, rect.center().y() - metrics.ascent() / 2.0 - 1,
                                        width + 4, metrics.ascent() + 2)
                                     .intersected(rect.adjusted(1, 1, -1, -1)),
                                 fill);
            painter.setPen(inkOn(fill));
            painter.drawText(rect, Qt::AlignCenter, number);
        }
    }
    painter.setOpacity(1);
}

void paintMorphLanes(QPainter &painter, const Morph &morph, const MorphLook &look, const MorphPlaces &places)
{
    const QFontMetrics metrics(look.font);
    for (int device = 0; device < morph.devices; ++device) {
        const QRectF lane(places.axis.left(), places.y(device), places.axis.width(), places.height());
        painter.fillRect(lane, look.colours->lane);
        if (look.isThumbnail || places.pitch < metrics.ascent())
            continue;
        painter.setPen(look.colours->ink);
        painter.drawText(QRectF(places.axis.left() - 400, lane.top(), 392, lane.height()), Qt::AlignRight | Qt::AlignVCenter,
                         Words::tr("Device %1").arg(device));
    }
}

void paintAxis(QPainter &painter, const Morph &morph, const MorphLook &look, const MorphPlaces &places)
{
    const TimeScale scale =
        timeScale(0, std::max<base::Nanos>(morph.span(), 1), places.axis.width(), look.font, look.teachingUnits);
    painter.setPen(look.colours->muted);
    for (const base::Nanos mark : marks(scale, 0, morph.span())) {
        const auto x = static_cast<int>(places.x(static_cast<double>(mark)));
        painter.fillRect(QRectF(x, places.axis.top(), 1, places.y(morph.devices) - places.axis.top()), look.colours->grid);
        const QString text = markText(scale, mark);
        const int width = QFontMetrics(look.font).horizontalAdvance(text);
        const int left =
            std::clamp(x - width / 2, places.ruler.left(), std::max(places.ruler.right() - width, places.ruler.left()));
        painter.drawText(QRect(left, places.ruler.top(), width + 2, places.ruler.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    }
}

/// The plans' names; the one that is nearer is the darker.
void paintTitles(QPainter &painter, const Morph &morph, const MorphLook &look, const MorphPlaces &places, double progress)
{
    QFont bold = look.font;
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    painter.setFont(bold);
    const auto text = [&](const QString &name, base::Nanos end) {
        return name + QStringLiteral("  ") + durationText(end, look.teachingUnits);
    };
    const QString from = text(look.from, morph.fromEnd);
    const QString arrow = QStringLiteral("  →  ");
    QRect place = places.titles;
    const auto write = [&](const QString &words, double strength) {
        painter.setPen(mix(look.colours->ink, look.colours->background, 0.45 + 0.55 * strength));
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words);
        place.setLeft(place.left() + metrics.horizontalAdvance(words));
    };
    write(from, 1 - progress);
    write(arrow, 0);
    write(text(look.to, morph.toEnd), progress);
    painter.setFont(look.font);
}

/// What the colours mean, at the right of the titles where there is room.
void paintKinds(QPainter &painter, const Morph &morph, const MorphLook &look, const MorphPlaces &places)
{
    std::array<bool, schedule::kPassKindCount> present{};
    bool hasShare = false;
    for (const MorphPiece &piece : morph.pieces)
        for (const auto &spot : {piece.from, piece.to}) {
            present[static_cast<std::size_t>(spot ? spot->kind : piece.from ? piece.from->kind : piece.to->kind)] = true;
            hasShare = hasShare || (spot && spot->isVocabulary);
        }
    const QFontMetrics metrics(look.font);
    const int size = metrics.ascent();
    int x = places.axis.right();
    const auto swatch = [&](const QColor &fill, const QString &text, const MorphPattern &pattern) {
        x -= metrics.horizontalAdvance(text);
        const int middle = places.titles.center().y();
        painter.setPen(look.colours->ink);
        painter.drawText(QRect(x, places.titles.top(), metrics.horizontalAdvance(text) + 2, places.titles.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        const QRect place(x - size - 6, middle - size / 2 + 1, size, size);
        painter.fillRect(place, fill);
        paintPattern(painter, pattern, place);
        x -= size + 20;
    };
    const QFontMetrics bold(painter.font());
    const QString title =
        look.from + look.to + durationText(morph.fromEnd, look.teachingUnits) + durationText(morph.toEnd, look.teachingUnits);
    if (places.titles.width() < bold.horizontalAdvance(title) * 5 / 4 + 8 * (size + 40))
        return;
    if (hasShare)
        swatch(look.colours->vocabulary, Words::tr("vocabulary share"), {PassPattern::Hatch, look.colours->vocabularyHatch});
    for (std::size_t number = present.size(); number-- > 0;) {
        const auto kind = static_cast<schedule::PassKind>(number);
        const QColor &fill = look.colours->pass(kind);
        if (present[number])
            swatch(fill, QString::fromUtf8(schedule::name(kind).data()),
                   {patternOf(kind), patternColour(*look.colours, kind, false, fill)});
    }
}

void paintFlag(QPainter &painter, const Morph &morph, const MorphLook &look, const MorphPlaces &places, double progress)
{
    const double share = progress * progress * (3 - 2 * progress);
    const double end = static_cast<double>(morph.fromEnd) + share * static_cast<double>(morph.toEnd - morph.fromEnd);
    const auto pole = [&](double time, const QColor &colour) {
        painter.fillRect(
            QRectF(places.x(time) - 1, places.ruler.bottom() - 4, 2, places.y(morph.devices) - places.ruler.bottom() + 4),
            colour);
    };
    pole(static_cast<double>(morph.fromEnd), look.colours->muted);
    pole(end, look.colours->focus);
}

} // namespace

void paintMorph(QPainter &painter, const Morph &morph, const MorphLook &look, QRect place, double progress)
{
    const MorphPlaces places(morph, look, place);
    painter.save();
    painter.setFont(look.font);
    painter.fillRect(place, look.colours->background);
    paintMorphLanes(painter, morph, look, places);
    if (!look.isThumbnail)
        paintAxis(painter, morph, look, places);
    painter.setRenderHint(QPainter::Antialiasing, progress > 0 && progress < 1);
    paintPieces(painter, morph, look, places, progress);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (!look.isThumbnail) {
        paintFlag(painter, morph, look, places, progress);
        paintTitles(painter, morph, look, places, progress);
        paintKinds(painter, morph, look, places);
    }
    painter.restore();
}

} // namespace stagelens::ui
