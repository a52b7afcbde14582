// Fusion with controls that can be told apart in the dark, and icons in the colour of the text.
#pragma once

#include <QIcon>
#include <QProxyStyle>
#include <QToolButton>

namespace stagelens::ui {

/// Fusion's edges are darker than the window, which is not seen on a dark one: buttons, fields and boxes to tick have an edge
/// between text and window. A tool button with a frame is filled with the highlight while it is checked; one that raises itself
/// has no fill of its own: an open group is told by its arrow.
class ButtonStyle : public QProxyStyle {
    Q_OBJECT
public:
    ButtonStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
    /// Margins and spacings of layouts, tables and splitters come from the grid of ui/canvas/design.h.
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                         const QWidget *widget) const override;
};

/// Makes the tool buttons of a row one segmented control: of equal height, edge to edge, rounded at its two ends.
void makeSegments(const QList<QToolButton *> &buttons);

/// Property of a push button that is filled with the highlight: the one action of a card.
inline constexpr const char *kPrimaryProperty = "primary";

/// The drawn icons: filled shapes and strokes of one weight, on a square. Next is also a folded group, and Open an open one.
enum class Glyph : unsigned char { Play, Stop, Previous, Next, Close, Warning, Info, Dot, Ring, Check, Open };
/// Painted in the button text's colour of the moment: it follows a change of the theme.
[[nodiscard]] QIcon glyphIcon(Glyph glyph);

} // namespace stagelens::ui
