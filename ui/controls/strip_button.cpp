#include "ui/controls/strip_button.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"

#include <QPainter>
#include <QStyleOptionToolButton>

#include <algorithm>

namespace stagelens::ui {

namespace {
constexpr int kButtonPadding = 8;
constexpr int kQuietPadding = 4;
constexpr double kButtonRadius = 6;
constexpr int kGlyphSize = 10;
constexpr int kGlyphGap = 6;
} // namespace

StripButton::StripButton(Tone tone, QWidget *parent) : QToolButton(parent), m_tone(tone)
{
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setFocusPolicy(Qt::StrongFocus);
    setAutoRaise(tone == Tone::Quiet);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StripButton::initStyleOption(QStyleOptionToolButton *option) const
{
    QToolButton::initStyleOption(option);
    const int padding = m_tone == Tone::Quiet ? kQuietPadding : kButtonPadding;
    const int icon = option->icon.isNull() ? 0 : option->iconSize.width() + kButtonPadding;
    const int arrow = popupMode() == QToolButton::MenuButtonPopup ? 24 : 0;
    option->text = wordsFor(std::max(width() - icon - arrow - 2 * padding, 0), option->fontMetrics);
    if (m_tone == Tone::Quiet) {
        const bool isWrong = property("problem").toBool();
        option->palette.setColor(QPalette::ButtonText, isWrong ? coloursFor(palette()).alarm : palette().color(QPalette::Link));
    }
}

QString StripButton::wordsFor(int room, const QFontMetrics &metrics) const
{
    // elidedText() measures fractions of a pixel, and would elide words that just fit.
    const auto fits = [&](const QString &words) { return metrics.horizontalAdvance(words) <= room; };
    if (m_narrowText.isEmpty() || fits(text()))
        return fits(text()) ? text() : metrics.elidedText(text(), Qt::ElideRight, room);
    if (fits(m_narrowText))
        return m_narrowText;
    return m_tone == Tone::Filled ? QString() : metrics.elidedText(m_narrowText, Qt::ElideRight, room);
}

void StripButton::paintEvent(QPaintEvent *event)
{
    if (m_tone == Tone::Filled)
        paintFilled();
    else
        QToolButton::paintEvent(event);
}

void StripButton::paintFilled()
{
    QStyleOptionToolButton option;
    initStyleOption(&option);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor accent = palette().color(QPalette::Active, QPalette::Highlight);
    const QColor contrastInk = palette().color(QPalette::Active, QPalette::WindowText);
    QColor fill = isEnabled() ? accent : mix(contrastInk, palette().color(QPalette::Window), 0.12);
    if (isEnabled() && (option.state & (QStyle::State_MouseOver | QStyle::State_Sunken)))
        fill = mix(Qt::black, accent, option.state.testFlag(QStyle::State_Sunken) ? 0.25 : 0.12);
    const QColor ink = isEnabled() ? palette().color(QPalette::Active, QPalette::HighlightedText)
                                   : palette().color(QPalette::Disabled, QPalette::ButtonText);
    painter.setPen(hasFocus() ? QPen(contrastInk, 2) : QPen(Qt::NoPen));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kButtonRadius, kButtonRadius);
    if (m_chevron) {
        const QPointF tip(width() / 2.0, height() / 2.0 + 2);
        painter.setPen(QPen(ink, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(QPolygonF{tip + QPointF(-4, -4), tip, tip + QPointF(4, -4)});
        return;
    }
    painter.setFont(scaled(font(), TypeSize::Text, QFont::DemiBold));
    int glyph = option.icon.isNull() ? 0 : kGlyphSize + kGlyphGap;
    const QString words = wordsFor(width() - glyph - 2 * kButtonPadding, painter.fontMetrics());
    if (words.isEmpty())
        glyph = std::min(glyph, kGlyphSize);
    const int wide = glyph + painter.fontMetrics().horizontalAdvance(words);
    const int left = std::max((width() - wide) / 2, kButtonPadding);
    if (glyph > 0) {
        const double top = (height() - kGlyphSize) / 2.0;
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        if (m_glyph == Glyph::Play)
            painter.drawPolygon(
                QPolygonF{{left + 1.0, top}, {left + 1.0 + kGlyphSize, height() / 2.0}, {left + 1.0, top + kGlyphSize}});
        else
            painter.drawRect(QRectF(left, top, kGlyphSize, kGlyphSize));
    }
    painter.setPen(ink);
    painter.drawText(QRect(left + glyph, 0, width() - left - glyph, height()), Qt::AlignLeft | Qt::AlignVCenter, words);
}

} // namespace stagelens::ui
