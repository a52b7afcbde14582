#include "ui/controls/button_style.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QStyleOption>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRadius = 3;
constexpr double kGlyphStroke = 1.6;
constexpr int kHeaderInset = kCellMargin - kGrid;

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

/// Which end of a segmented control a button is.
enum Segment : int { None, First, Middle, Last };
constexpr const char *kSegmentProperty = "segment";

Segment segmentOf(const QWidget *widget)
{
    return widget ? static_cast<Segment>(widget->property(kSegmentProperty).toInt()) : None;
}

/// A segment: its neighbours share its left and right edges.
void paintSegment(QPainter &painter, const QStyleOption &option, const QColor &fill, Segment segment)
{
    const QPen pen = edgePen(option);
    const double inset = pen.widthF() / 2;
    QRectF shape = QRectF(option.rect).adjusted(inset, inset, -inset, -inset);
    constexpr double kBeyond = 8; // what is outside the button is clipped
    shape.adjust(segment == First ? 0 : -kBeyond, 0, segment == Last ? 0 : kBeyond, 0);
    painter.save();
    painter.setClipRect(option.rect);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(pen);
    painter.setBrush(fill);
    painter.drawRoundedRect(shape, kRadius, kRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (segment != First)
        painter.fillRect(QRect(option.rect.left(), option.rect.top(), 1, option.rect.height()), pen.color());
    painter.restore();
}

void paintButton(QPainter &painter, const QStyleOption &option, Segment segment = None)
{
    const bool down = option.state.testFlag(QStyle::State_Sunken);
    const bool hovered = option.state.testFlag(QStyle::State_Enabled) && option.state.testFlag(QStyle::State_MouseOver);
    const QPalette &palette = option.palette;
    const QColor text = palette.color(QPalette::Active, QPalette::ButtonText);
    QColor fill = palette.color(isFilled(option) ? QPalette::Highlight : QPalette::Button);
    if (down || hovered)
        fill = mix(text, fill, down ? 0.2 : 0.08);
    if (segment == None)
        paintEdge(painter, option, fill);
    else
        paintSegment(painter, option, fill, segment);
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
        drawGlyph(*painter, inner);
        painter->restore();
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        if (size.isEmpty()) // of a button that has no room
            return {};
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect({0, 0}, size), mode, state);
        return picture;
    }
    [[nodiscard]] QIconEngine *clone() const override { return new GlyphEngine(m_glyph); }

private:
    void drawGlyph(QPainter &painter, const QRectF &inner) const
    {
        const QPointF middle = inner.center();
        const QPen stroke(painter.brush(), kGlyphStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
        const double size = inner.width();
        switch (m_glyph) {
        case Glyph::Play:
            painter.drawPolygon(QPolygonF{inner.topLeft(), {inner.right(), middle.y()}, inner.bottomLeft()});
            break;
        case Glyph::Stop: painter.drawRect(inner); break;
        case Glyph::Previous:
        case Glyph::Next: {
            const double tip = (m_glyph == Glyph::Next ? 1 : -1) * size / 4;
            painter.setPen(stroke);
            painter.setBrush(Qt::NoBrush);
            painter.drawPolyline(
                QPolygonF{middle + QPointF(-tip, -size / 2), middle + QPointF(tip, 0), middle + QPointF(-tip, size / 2)});
            break;
        }
        case Glyph::Open:
            painter.setPen(stroke);
            painter.setBrush(Qt::NoBrush);
            painter.drawPolyline(QPolygonF{middle + QPointF(-size / 2, -size / 4), middle + QPointF(0, size / 4),
                                           middle + QPointF(size / 2, -size / 4)});
            break;
        case Glyph::Dot: painter.drawEllipse(middle, size / 3, size / 3); break;
        case Glyph::Ring:
            painter.setPen(stroke);
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(inner);
            break;
        case Glyph::Check:
            painter.setPen(stroke);
            painter.setBrush(Qt::NoBrush);
            painter.drawPolyline(QPolygonF{{inner.left(), middle.y()},
                                           {middle.x() - size / 8, inner.bottom() - size / 8},
                                           {inner.right(), inner.top() + size / 8}});
            break;
        case Glyph::Close:
            painter.setPen(stroke);
            painter.drawLine(inner.topLeft(), inner.bottomRight());
            painter.drawLine(inner.topRight(), inner.bottomLeft());
            break;
        case Glyph::Warning:
        case Glyph::Info: {
            painter.setPen(stroke);
            painter.setBrush(Qt::NoBrush);
            const QRectF around = inner.adjusted(-2, -2, 2, 2);
            const bool isWarning = m_glyph == Glyph::Warning;
            if (isWarning)
                painter.drawPolygon(QPolygonF{{middle.x(), around.top()}, around.bottomRight(), around.bottomLeft()});
            else
                painter.drawEllipse(around);
            // The stroke of the mark, and its dot: below of a warning, above of a note.
            const double down = isWarning ? 1 : -1;
            const double centre = isWarning ? middle.y() + size / 8 : middle.y();
            painter.drawLine(QPointF(middle.x(), centre - down * size / 4), QPointF(middle.x(), centre + down * size / 10));
            painter.drawPoint(QPointF(middle.x(), centre + down * size * 0.42));
            break;
        }
        }
    }

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
            paintButton(*painter, *option, segmentOf(widget));
        } else if (option->state & (State_MouseOver | State_Sunken)) {
            QStyleOption unchecked = *option;
            unchecked.state.setFlag(State_On, false);
            QProxyStyle::drawPrimitive(element, &unchecked, painter, widget);
        }
        return;
    case PE_IndicatorButtonDropDown:
        if (segmentOf(widget) == None)
            QProxyStyle::drawPrimitive(element, option, painter, widget);
        else
            paintButton(*painter, *option, Middle);
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
    if (const auto *title = qstyleoption_cast<const QStyleOptionDockWidget *>(option); element == CE_DockWidgetTitle && title) {
        QStyleOptionDockWidget inset = *title; // above the text of its panel
        inset.rect.adjust(kPanelMargin - kGrid, 0, 0, 0);
        painter->save();
        QFont heading = painter->font(); // as the other parts of the window have it
        heading.setBold(true);
        painter->setFont(heading);
        QProxyStyle::drawControl(element, &inset, painter, widget);
        painter->restore();
        return;
    }
    if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option); element == CE_HeaderLabel && header) {
        QStyleOptionHeader inset = *header; // in line with the text of the cells
        inset.rect.adjust(kHeaderInset, 0, -kHeaderInset, 0);
        QProxyStyle::drawControl(element, &inset, painter, widget);
        return;
    }
    if (element != CE_ToolButtonLabel || !button || !isFilled(*option)) {
        QProxyStyle::drawControl(element, option, painter, widget);
        return;
    }
    QStyleOptionToolButton filled = *button;
    filled.palette.setColor(QPalette::ButtonText, option->palette.color(QPalette::HighlightedText));
    QProxyStyle::drawControl(element, &filled, painter, widget);
}

int ButtonStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_LayoutLeftMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutBottomMargin: return kPanelMargin;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing: return kControlSpacing;
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent: return kControlSpacing;
    case PM_HeaderMargin: return kGrid;
    case PM_HeaderDefaultSectionSizeVertical: return 6 * kGrid;
    case PM_MenuButtonIndicator:
        return segmentOf(widget) != None ? 5 * kGrid : QProxyStyle::pixelMetric(metric, option, widget);
    case PM_FocusFrameHMargin: // the cells' text is as far from their edges as the headers'
        return qobject_cast<const QAbstractItemView *>(widget) ? kCellMargin - 1
                                                               : QProxyStyle::pixelMetric(metric, option, widget);
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

QSize ButtonStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                    const QWidget *widget) const
{
    QSize needed = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_MenuBarItem) // in line with the segments beside them
        needed.setHeight(std::max(needed.height(), kSegmentHeight + 2 * kGrid));
    else if (type == CT_HeaderSection)
        needed.setWidth(needed.width() + 2 * kHeaderInset);
    else if (type == CT_ToolButton && segmentOf(widget) != None)
        needed.setWidth(needed.width() + 2 * kGrid);
    else if (type == CT_PushButton)
        needed.setWidth(std::max(needed.width(), size.width() + 4 * kGrid));
    return needed;
}

void makeSegments(const QList<QToolButton *> &buttons)
{
    for (QToolButton *button : buttons) {
        button->setProperty(kSegmentProperty, static_cast<int>(button == buttons.first()  ? First
                                                               : button == buttons.last() ? Last
                                                                                          : Middle));
        button->setMinimumHeight(kSegmentHeight);
        button->setMaximumHeight(QWIDGETSIZE_MAX);
    }
}

QIcon glyphIcon(Glyph glyph)
{
    return QIcon(new GlyphEngine(glyph));
}

} // namespace stagelens::ui
