#include "ui/morph/morph_painter.h"

#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr int kPieceEdgeFrom = 4; ///< narrower pieces have no edge

/// Where time and lanes are in a picture; the same for the screen and for SVG.
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
            pitch = std::min(pitch, 7.0 * line);
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

QColor colourOf(const Colours &colours, const MorphSpot &spot)
{
    return spot.isVocabulary ? colours.vocabulary : colours.pass(spot.kind);
}

QColor colourOf(const Colours &colours, const MorphPiece &piece, double share)
{
    const QColor a = colourOf(colours, piece.from ? *piece.from : *piece.to);
    const QColor b = colourOf(colours, piece.to ? *piece.to : *piece.from);
    return a == b ? a : mix(b, a, share);
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
        const QString number = QString::number(piece.microbatch);
        if (!look.isThumbnail && rect.height() >= metrics.ascent() && rect.width() >= metrics.horizontalAdvance(number) + 4) {
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
    const auto swatch = [&](const QColor &fill, const QString &text) {
        x -= metrics.horizontalAdvance(text);
        const int middle = places.titles.center().y();
        painter.setPen(look.colours->ink);
        painter.drawText(QRect(x, places.titles.top(), metrics.horizontalAdvance(text) + 2, places.titles.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        painter.fillRect(QRect(x - size - 6, middle - size / 2 + 1, size, size), fill);
        x -= size + 20;
    };
    const QFontMetrics bold(painter.font());
    const QString title =
        look.from + look.to + durationText(morph.fromEnd, look.teachingUnits) + durationText(morph.toEnd, look.teachingUnits);
    if (places.titles.width() < bold.horizontalAdvance(title) * 5 / 4 + 8 * (size + 40))
        return;
    if (hasShare)
        swatch(look.colours->vocabulary, Words::tr("vocabulary share"));
    for (std::size_t kind = present.size(); kind-- > 0;)
        if (present[kind])
            swatch(look.colours->passes[kind], QString::fromUtf8(schedule::name(static_cast<schedule::PassKind>(kind)).data()));
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

namespace {

QString svgNumber(double value)
{
    QString text = QString::number(value, 'f', 2);
    while (text.endsWith(u'0'))
        text.chop(1);
    if (text.endsWith(u'.'))
        text.chop(1);
    return text;
}

/// Writes the elements of an animation.
class SvgWriter {
public:
    SvgWriter(const Morph &morph, const MorphLook &look, QSize size)
        : m_morph(morph), m_look(look), m_size(size), m_places(morph, look, QRect({0, 0}, size)), m_metrics(look.font)
    {}
    [[nodiscard]] QString write();

private:
    [[nodiscard]] QString animate(const QString &attribute, const QString &before, const QString &after,
                                  std::pair<double, double> flight) const;
    [[nodiscard]] QString timing(std::pair<double, double> flight) const;
    void frame();
    void piece(const MorphPiece &piece);
    void flag();

    const Morph &m_morph;
    const MorphLook &m_look;
    QSize m_size;
    MorphPlaces m_places;
    QFontMetrics m_metrics;
    QString m_text;
};

QString SvgWriter::timing(std::pair<double, double> flight) const
{
    const double moving = 1 - kMorphHoldBefore - kMorphHoldAfter;
    return QStringLiteral(
               R"(keyTimes="0;%1;%2;1" calcMode="spline" keySplines="0 0 1 1;.45 0 .55 1;0 0 1 1" dur="%3s" repeatCount="indefinite"/>)")
        .arg(svgNumber(kMorphHoldBefore + moving * flight.first), svgNumber(kMorphHoldBefore + moving * flight.second),
             svgNumber(kMorphSeconds));
}

QString SvgWriter::animate(const QString &attribute, const QString &before, const QString &after,
                           std::pair<double, double> flight) const
{
    if (before == after)
        return {};
    return QStringLiteral(R"(<animate attributeName="%1" values="%2;%2;%3;%3" )").arg(attribute, before, after) +
           timing(flight);
}

void SvgWriter::frame()
{
    const auto rect = [this](const QRectF &place, const QColor &fill) {
        m_text += QStringLiteral(R"(<rect x="%1" y="%2" width="%3" height="%4" fill="%5"/>)")
                      .arg(svgNumber(place.left()), svgNumber(place.top()), svgNumber(place.width()), svgNumber(place.height()),
                           fill.name()) +
                  u'\n';
    };
    const auto words = [this](QPointF at, const QString &text, const QColor &ink, const char16_t *anchor, bool bold) {
        m_text += QStringLiteral(R"(<text x="%1" y="%2" fill="%3" text-anchor="%4"%5>%6</text>)")
                      .arg(svgNumber(at.x()), svgNumber(at.y()), ink.name(), QString::fromUtf16(anchor),
                           bold ? QStringLiteral(" font-weight=\"bold\"") : QString(), text.toHtmlEscaped()) +
                  u'\n';
    };
    rect(QRectF({0, 0}, QSizeF(m_size)), m_look.colours->background);
    const double base = m_metrics.ascent() / 2.0 - 1;
    for (int device = 0; device < m_morph.devices; ++device) {
        rect({m_places.axis.left() + 0.0, m_places.y(device), m_places.axis.width() + 0.0, m_places.height()},
             m_look.colours->lane);
        if (m_places.pitch >= m_metrics.ascent())
            words({m_places.axis.left() - 8.0, m_places.y(device) + m_places.height() / 2 + base},
                  Words::tr("Device %1").arg(device), m_look.colours->ink, u"end", false);
    }
    const TimeScale scale =
        timeScale(0, std::max<base::Nanos>(m_morph.span(), 1), m_places.axis.width(), m_look.font, m_look.teachingUnits);
    for (const base::Nanos mark : marks(scale, 0, m_morph.span()))
        words({m_places.x(static_cast<double>(mark)), m_places.ruler.center().y() + base}, markText(scale, mark),
              m_look.colours->muted, mark == 0 ? u"start" : u"middle", false);
    const QString title = QStringLiteral("%1  %2  →  %3  %4")
                              .arg(m_look.from, durationText(m_morph.fromEnd, m_look.teachingUnits), m_look.to,
                                   durationText(m_morph.toEnd, m_look.teachingUnits));
    words({m_places.titles.left() + 0.0, m_places.titles.center().y() + base}, title, m_look.colours->ink, u"start", true);
}

void SvgWriter::piece(const MorphPiece &piece)
{
    const auto flight = flightOf(m_morph, piece);
    const QRectF a = m_places.rect(boxAt(m_morph, piece, 0));
    const QRectF b = m_places.rect(boxAt(m_morph, piece, 1));
    const QString from = colourOf(*m_look.colours, piece, 0).name();
    const QString to = colourOf(*m_look.colours, piece, 1).name();
    m_text += QStringLiteral(R"x(<g transform="translate(%1 %2)"%3>)x")
                  .arg(svgNumber(a.left()), svgNumber(a.top()), piece.from ? QString() : QStringLiteral(" opacity=\"0\""));
    if (a.topLeft() != b.topLeft())
        m_text +=
            QStringLiteral(R"(<animateTransform attributeName="transform" type="translate" values="%1 %2;%1 %2;%3 %4;%3 %4" )")
                .arg(svgNumber(a.left()), svgNumber(a.top()), svgNumber(b.left()), svgNumber(b.top())) +
            timing(flight);
    m_text += animate(QStringLiteral("opacity"), piece.from ? QStringLiteral("1") : QStringLiteral("0"),
                      piece.to ? QStringLiteral("1") : QStringLiteral("0"), flight);
    m_text += QStringLiteral(R"(<rect width="%1" height="%2" fill="%3" stroke="%4" stroke-width="%5">)")
                  .arg(svgNumber(a.width()), svgNumber(a.height()), from, edgeOf(QColor(from)).name(),
                       a.width() >= kPieceEdgeFrom ? QStringLiteral("0.6") : QStringLiteral("0")) +
              animate(QStringLiteral("width"), svgNumber(a.width()), svgNumber(b.width()), flight) +
              animate(QStringLiteral("fill"), from, to, flight) + QStringLiteral("</rect>");
    const QString label = QString::number(piece.microbatch);
    const int width = m_metrics.horizontalAdvance(label);
    if (std::min(a.width(), b.width()) >= width + 2 && a.height() >= m_metrics.ascent())
        m_text += QStringLiteral(R"(<text x="%1" y="%2" text-anchor="middle" fill="%3">%4%5</text>)")
                      .arg(svgNumber(a.width() / 2), svgNumber(a.height() / 2 + m_metrics.ascent() / 2.0 - 1),
                           inkOn(QColor(from)).name(),
                           animate(QStringLiteral("x"), svgNumber(a.width() / 2), svgNumber(b.width() / 2), flight), label);
    m_text += QStringLiteral("</g>\n");
}

void SvgWriter::flag()
{
    const QString before = svgNumber(m_places.x(static_cast<double>(m_morph.fromEnd)) - 1);
    const QString after = svgNumber(m_places.x(static_cast<double>(m_morph.toEnd)) - 1);
    m_text += QStringLiteral(R"(<rect x="%1" y="%2" width="2" height="%3" fill="%4">%5</rect>)")
                  .arg(before, svgNumber(m_places.ruler.bottom() - 4),
                       svgNumber(m_places.y(m_morph.devices) - m_places.ruler.bottom() + 4), m_look.colours->focus.name(),
                       animate(QStringLiteral("x"), before, after, {0, 1})) +
              u'\n';
}

QString SvgWriter::write()
{
    m_text =
        QStringLiteral(
            R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1 %2" width="%1" height="%2" font-family="%3, sans-serif" font-size="%4">)")
            .arg(m_size.width())
            .arg(m_size.height())
            .arg(m_look.font.family().toHtmlEscaped())
            .arg(QFontInfo(m_look.font).pixelSize());
    m_text += QStringLiteral("\n<title>%1 → %2</title>\n").arg(m_look.from.toHtmlEscaped(), m_look.to.toHtmlEscaped());
    frame();
    for (const MorphPiece &each : m_morph.pieces)
        piece(each);
    flag();
    return m_text + QStringLiteral("</svg>\n");
}

} // namespace

QString morphSvg(const Morph &morph, const MorphLook &look, QSize size)
{
    return SvgWriter(morph, look, size).write();
}

} // namespace stagelens::ui
