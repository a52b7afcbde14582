#include "ui/controls/theme.h"

#include "ui/canvas/colours.h"
#include "ui/controls/button_style.h"

#include <QApplication>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

QPalette paletteOf(bool dark)
{
    const QColor window = dark ? QColor(0x202226) : QColor(0xf4f5f7);
    const QColor base = dark ? QColor(0x17191c) : QColor(0xffffff);
    const QColor text = dark ? QColor(0xe6e8eb) : QColor(0x1b1e23);
    const QColor muted = dark ? QColor(0x9aa0a9) : QColor(0x686e78);
    const QColor accent = colours(dark).focus;
    QPalette palette(dark ? QColor(0x26292e) : QColor(0xe8eaee), window);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, dark ? QColor(0x1d2024) : QColor(0xf4f6f9));
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText, QPalette::ToolTipText})
        palette.setColor(role, text);
    palette.setColor(QPalette::ToolTipBase, dark ? QColor(0x2c2f35) : QColor(0xffffff));
    palette.setColor(QPalette::PlaceholderText, muted);
    palette.setColor(QPalette::Highlight, accent);
    palette.setColor(QPalette::HighlightedText, inkOn(accent));
    palette.setColor(QPalette::Link, accent);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, muted);
    return palette;
}

void applyAppearance(Appearance appearance)
{
    static const bool systemIsDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    if (!qobject_cast<ButtonStyle *>(QApplication::style()))
        QApplication::setStyle(new ButtonStyle);
    const bool dark = appearance == Appearance::Dark || (appearance == Appearance::System && systemIsDark);
    QApplication::setPalette(paletteOf(dark));
}

bool isDark()
{
    return QApplication::palette().color(QPalette::Window).lightness() < 128;
}

} // namespace stagelens::ui
