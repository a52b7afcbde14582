#include "ui/shell/focus_ring.h"

#include "ui/canvas/colours.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QFocusEvent>
#include <QLabel>
#include <QPainter>

namespace stagelens::ui {

namespace {
constexpr int kWidth = 2;

/// Covers a widget and lets the mouse through.
class Ring : public QWidget {
public:
    explicit Ring(QWidget *around) : QWidget(around)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setObjectName("focus.ring");
        setGeometry(around->rect());
        around->installEventFilter(this);
        show();
        raise();
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize)
            setGeometry(parentWidget()->rect());
        return QWidget::eventFilter(watched, event);
    }
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setPen(QPen(coloursFor(palette()).focus, kWidth));
        painter.drawRect(rect().adjusted(kWidth / 2, kWidth / 2, -kWidth / 2, -kWidth / 2));
    }
};

} // namespace

FocusRing::FocusRing(QObject *parent) : QObject(parent)
{
    qApp->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    // The style hears of the focus as well.
    if ((event->type() != QEvent::FocusIn && event->type() != QEvent::FocusOut) || !watched->isWidgetType())
        return false;
    delete m_ring;
    const Qt::FocusReason reason = static_cast<QFocusEvent *>(event)->reason();
    const bool isByKey = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
    const bool isBare = qobject_cast<QAbstractScrollArea *>(watched) || qobject_cast<QLabel *>(watched);
    if (isBare && isByKey && event->type() == QEvent::FocusIn)
        m_ring = new Ring(static_cast<QWidget *>(watched));
    return false;
}

} // namespace stagelens::ui
