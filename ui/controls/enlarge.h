// The larger type of a presentation.
#pragma once

class QWidget;

namespace stagelens::ui {

/// Shows a page in larger type, or in the window's again.
void enlarge(QWidget &page, bool on);

} // namespace stagelens::ui
