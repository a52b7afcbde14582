#include "ui/controls/toast_stack.h"

#include "ui/canvas/design.h"
#include "ui/controls/message_bar.h"

#include <QEvent>

#include <algorithm>

namespace stagelens::ui {

namespace {
constexpr int kToastWidth = 760;
constexpr int kToastHeight = 48; ///< with one line of text
} // namespace

ToastStack::ToastStack(QWidget *host) : QWidget(host)
{
    host->installEventFilter(this);
    hide();
}

MessageBar *ToastStack::add(const QString &name)
{
    auto *message = new MessageBar(name, this);
    message->installEventFilter(this);
    m_messages.push_back(message);
    return message;
}

bool ToastStack::eventFilter(QObject *watched, QEvent *event)
{
    const bool isResized = watched == parent() && event->type() == QEvent::Resize;
    const bool isMessage =
        watched != parent() && (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent ||
                                event->type() == QEvent::LayoutRequest);
    if (isResized || isMessage)
        place();
    return QWidget::eventFilter(watched, event);
}

void ToastStack::place()
{
    const QRect host = parentWidget()->rect();
    const int width = std::min(host.width() - 2 * kPanelMargin, kToastWidth);
    int height = 0;
    for (MessageBar *message : m_messages) {
        if (message->isHidden())
            continue;
        const int own = std::max(message->hasHeightForWidth() ? message->heightForWidth(width) : message->sizeHint().height(),
                                 kToastHeight);
        message->setGeometry(0, height, width, own);
        height += own + kGrid;
    }
    setVisible(height > 0);
    if (height == 0)
        return;
    height -= kGrid;
    setGeometry((host.width() - width) / 2, std::max(host.height() - height - kPanelMargin, 0), width, height);
    raise();
}

} // namespace stagelens::ui
