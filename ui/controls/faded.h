// A widget whose content is out of date.
#pragma once

class QWidget;

namespace stagelens::ui {

/// Mixes the colours of the widget with the background, or leaves them as they are.
void setFaded(QWidget *widget, bool faded);

} // namespace stagelens::ui
