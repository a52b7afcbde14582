// The size of a dialog on any screen.
#pragma once

#include <QSize>

class QWidget;

namespace stagelens::ui {

/// Gives a dialog the wanted size, or as much of it as its screen has beside the window's frame and the desktop's panels, so
/// that its buttons are never outside. Shown again, it is where it was.
void resizeWithinScreen(QWidget &dialog, QSize wanted);

} // namespace stagelens::ui
