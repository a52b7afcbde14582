#include "ui/controls/faded.h"

#include "ui/canvas/colours.h"

#include <QEvent>
#include <QPainter>
#include <QWidget>

namespace stagelens::ui {
namespace {

constexpr double kVeil = 0.5; ///< part of each colour that is the background's

/// Covers a widget with a half transparent layer that mouse events pass through. A QGraphicsOpacityEffect is no choice: it
/// draws plots, which paint all their pixels themselves, on black.
class Veil : public QWidget {
public:
    explicit Veil(QWidget *under) : QWidget(under)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setGeometry(under->rect());
        under->installEventFilter(this);
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
        QColor colour = coloursFor(palette()).background;
        colour.setAlphaF(kVeil);
        QPainter(this).fillRect(rect(), colour);
    }
};

} // namespace

void setFaded(QWidget *widget, bool faded)
{
    QWidget *veil = nullptr;
    for (QObject *child : widget->children())
        if (auto *found = dynamic_cast<Veil *>(child))
            veil = found;
    if (faded && veil == nullptr)
        new Veil(widget);
    else if (!faded)
        delete veil;
}

} // namespace stagelens::ui
