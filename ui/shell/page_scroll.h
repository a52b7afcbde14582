// A scroll area around the pages of the window.
#pragma once

#include <QScrollArea>

namespace stagelens::ui {

/// Shows a page that needs more than the window has.
///
/// Parts of a page set their least height when their width changes, as a headline does whose type depends on its width. If a
/// page needs more height without the vertical bar than beside it, QScrollArea follows each change of its size from within the
/// last one, without end. Here the bar stays after a few such changes, until the window has another size.
class PageScroll : public QScrollArea {
public:
    using QScrollArea::QScrollArea;

protected:
    bool event(QEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    int m_changes = 0; // of the size of the page, each within the one before
};

} // namespace stagelens::ui
