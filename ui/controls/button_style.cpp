#include "ui/controls/button_style.h"

#include "ui/canvas/colours.h"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QStyleOption>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRadius = 3;

bool isFlat(const QStyleOption &option)
{
    return option.state.testFlag(QStyle::State_AutoRaise);
}

bool isFilled(const QStyleOption &option)
{
    return !isFlat(option) && option.state.testFlag(QStyle::State_On);
}

/// Who walks by keyboard sees a ring of two pixels; else the edge is halfway between text and window.
QPen edgePen(const QStyleOption &option)
{
    const QColor text = option.palette.color(QPalette::Active, QPalette::ButtonText);
    const QColor highlight = option.palette.color(QPalette::Highlight);
    if (option.state.testFlag(QStyle::State_HasFocus) && option.state.testFlag(QStyle::State_KeyboardFocusChange))
        return {isFilled(option) ? text : highlight, 2};
    if (isFilled(option))
        return highlight;
    return mix(text, option.palette.color(QPalette::Window), option.state.testFlag(QStyle::State_Enabled) ? 0.5 : 0.25);
}

void paintEdge(QPainter &painter, const QStyleOption &option, const QBrush &fill)
{
    const QPen pen = edgePen(option);
    const double inset = pen.widthF() / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(pen);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
    painter.restore();
}

void paintButton(QPainter &painter, const QStyleOption &option)
{
    const bool down = option.state.testFlag(QStyle::State_Sunken);
    const bool hovered = option.state.testFlag(QStyle::State_Enabled) && option.state.testFlag(QStyle::State_MouseOver);
    const QPalette &palette = option.palette;
    const QColor text = palette.color(QPalette::Active, QPalette::ButtonText);
    QColor fill = palette.color(isFilled(option) ? QPalette::Highlight : QPalette::Button);
    if (down || hovered)
        fill = mix(text, fill, down ? 0.2 : 0.08);
    paintEdge(painter, option, fill);
}

class GlyphEngine : public QIconEngine {
public:
    explicit GlyphEngine(Glyph glyph) : m_glyph(glyph) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(QApplication::palette().color(group, QPalette::ButtonText));
        const double half = qMin(rect.width(), rect.height()) / 3.0;
        const QRectF inner(QRectF(rect).center() - QPointF(half, half), QSizeF(2 * half, 2 * half));
        if (m_glyph == Glyph::Play)
            painter->drawPolygon(QPolygonF{inner.topLeft(), QPointF(inner.right(), inner.center().y()), inner.bottomLeft()});
        else
            painter->drawRect(inner);
        painter->restore();
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect({0, 0}, size), mode, state);
        return picture;
    }
    [[nodiscard]] QIconEngine *clone() const override { return new GlyphEngine(m_glyph); }

private:
    Glyph m_glyph;
};

} // namespace

ButtonStyle::ButtonStyle() : QProxyStyle(u"Fusion"_s) {}

void ButtonStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                                const QWidget *widget) const
{
    switch (element) {
    case PE_PanelButtonTool:
        if (!isFlat(*option)) {
            paintButton(*painter, *option);
        } else if (option->state & (State_MouseOver | State_Sunken)) {
            QStyleOption unchecked = *option;
            unchecked.state.setFlag(State_On, false);
            QProxyStyle::drawPrimitive(element, &unchecked, painter, widget);
        }
        return;
    case PE_PanelButtonCommand:
        if (widget && widget->property(kPrimaryProperty).toBool()) {
            QStyleOption primary = *option;
            primary.state.setFlag(State_On);
            primary.state.setFlag(State_AutoRaise, false);
            paintButton(*painter, primary);
            return;
        }
        [[fallthrough]];
    case PE_FrameLineEdit:
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        paintEdge(*painter, *option, Qt::NoBrush);
        return;
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void ButtonStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                     const QWidget *widget) const
{
    const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option);
    if (spin && !spin->frame)
        return; // a number inside a chip
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox || control == CC_ComboBox)
        paintEdge(*painter, *option, Qt::NoBrush);
}

void ButtonStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                              const QWidget *widget) const
{
    const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option);
    if (element != CE_ToolButtonLabel || !button || !isFilled(*option)) {
        QProxyStyle::drawControl(element, option, painter, widget);
        return;
    }
    QStyleOptionToolButton filled = *button;
    filled.palette.setColor(QPalette::ButtonText, option->palette.color(QPalette::HighlightedText));
    QProxyStyle::drawControl(element, &filled, painter, widget);
}

QIcon glyphIcon(Glyph glyph)
{
    return QIcon(new GlyphEngine(glyph));
}

} // namespace stagelens::ui
