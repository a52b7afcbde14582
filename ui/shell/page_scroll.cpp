#include "ui/shell/page_scroll.h"

#include <QCoreApplication>
#include <QEvent>

namespace stagelens::ui {
namespace {

constexpr int kMostChanges = 4; // a bar that comes or goes changes the size twice

} // namespace

bool PageScroll::event(QEvent *event)
{
    if (event->type() == QEvent::Resize)
        setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    return QScrollArea::event(event);
}

bool PageScroll::eventFilter(QObject *object, QEvent *event)
{
    if (object != widget() || event->type() != QEvent::Resize)
        return QScrollArea::eventFilter(object, event);
    if (m_changes == kMostChanges) {
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
        QCoreApplication::postEvent(widget(), new QEvent(QEvent::LayoutRequest)); // the page fits the width beside the bar
        return false;
    }
    ++m_changes;
    const bool isHandled = QScrollArea::eventFilter(object, event);
    --m_changes;
    return isHandled;
}

} // namespace stagelens::ui
