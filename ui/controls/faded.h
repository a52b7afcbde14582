// A widget whose content is out of date.
#pragma once

class QWidget;

namespace stagelens::ui {

/// Draws the widget at half opacity, or as it is.
void setFaded(QWidget *widget, bool faded);

} // namespace stagelens::ui
