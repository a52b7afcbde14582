#include "ui/morph/morph_places.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QFontInfo>

#include <algorithm>

namespace stagelens::ui {

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
    /// The patterns of a piece, which has one place in the first plan and another in the second.
    void patterns(const MorphPiece &piece, QRectF before, QRectF after, std::pair<double, double> flight);
    [[nodiscard]] QString pathOf(const MorphPattern &pattern, QRectF place, const QString &animation, bool isShown) const;
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
    patterns(piece, a, b, flight);
    const QString label = QString::number(piece.microbatch);
    const int width = m_metrics.horizontalAdvance(label);
    if (std::min(a.width(), b.width()) >= width + 2 && a.height() >= m_metrics.ascent())
        m_text += QStringLiteral(R"(<text x="%1" y="%2" text-anchor="middle" fill="%3">%4%5</text>)")
                      .arg(svgNumber(a.width() / 2), svgNumber(a.height() / 2 + m_metrics.ascent() / 2.0 - 1),
                           inkOn(QColor(from)).name(),
                           animate(QStringLiteral("x"), svgNumber(a.width() / 2), svgNumber(b.width() / 2), flight), label);
    m_text += QStringLiteral("</g>\n");
}

QString SvgWriter::pathOf(const MorphPattern &pattern, QRectF place, const QString &animation, bool isShown) const
{
    if (pattern.shape == PassPattern::None)
        return {};
    const int edge = place.width() >= kPieceEdgeFrom ? 1 : 0;
    const QRect inner = place.toRect().adjusted(edge, 1, -edge, -1);
    QString path;
    if (pattern.shape == PassPattern::Hatch)
        for (const QLine &line : hatchLines(inner, kPatternStep))
            path += QStringLiteral("M%1 %2L%3 %4")
                        .arg(svgNumber(line.x1() - place.left()), svgNumber(line.y1() - place.top()),
                             svgNumber(line.x2() - place.left()), svgNumber(line.y2() - place.top()));
    else if (pattern.shape == PassPattern::Dots)
        for (const QRect &dot : dotRects(inner, 1))
            path +=
                QStringLiteral("M%1 %2h2v2h-2z").arg(svgNumber(dot.left() - place.left()), svgNumber(dot.top() - place.top()));
    else
        path = QStringLiteral("M0 0H%1L0 %1z").arg(kNotch);
    const bool isLines = pattern.shape == PassPattern::Hatch;
    return QStringLiteral(R"(<path d="%1" %2="%3"%4>%5</path>)")
        .arg(path, isLines ? QStringLiteral("fill=\"none\" stroke") : QStringLiteral("fill"), pattern.colour.name(),
             isShown ? QString() : QStringLiteral(" opacity=\"0\""), animation);
}

void SvgWriter::patterns(const MorphPiece &piece, QRectF before, QRectF after, std::pair<double, double> flight)
{
    const MorphPattern from = patternOf(*m_look.colours, piece.from ? piece.from : piece.to, before.size());
    const MorphPattern to = patternOf(*m_look.colours, piece.to ? piece.to : piece.from, after.size());
    if (from == to && before.size() == after.size()) {
        m_text += pathOf(from, before, {}, true);
        return;
    }
    const QString shown = QStringLiteral("1");
    const QString hidden = QStringLiteral("0");
    m_text += pathOf(from, before, animate(QStringLiteral("opacity"), shown, hidden, flight), true);
    m_text += pathOf(to, after, animate(QStringLiteral("opacity"), hidden, shown, flight), false);
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
