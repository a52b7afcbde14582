#include "ui/controls/line_label.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QApplication>
#include <QClipboard>
#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLeastWidth = 48;
constexpr int kWholeWidth = 440; ///< of the whole text in lines
} // namespace

LineLabel::LineLabel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void LineLabel::setText(const QString &text)
{
    m_text = text;
    setAccessibleName(text);
    setToolTip(plainTip(text));
    offerWhole();
    updateGeometry();
    update();
}

QSize LineLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_text) + 1, fontMetrics().height()};
}

QSize LineLabel::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), kLeastWidth), fontMetrics().height()};
}

bool LineLabel::isElided() const
{
    return fontMetrics().horizontalAdvance(m_text) > width();
}

void LineLabel::offerWhole()
{
    const bool isOffered = isElided();
    setFocusPolicy(isOffered ? Qt::TabFocus : Qt::NoFocus);
    if (isOffered)
        setCursor(Qt::PointingHandCursor);
    else
        unsetCursor();
}

void LineLabel::showWhole()
{
    auto *panel = new QFrame(this, Qt::Popup);
    panel->setObjectName(u"line.whole"_s);
    panel->setAttribute(Qt::WA_DeleteOnClose);
    panel->setFrameShape(QFrame::StyledPanel);
    auto *text = plainLabel(m_text, panel);
    text->setWordWrap(true);
    text->setMinimumWidth(kWholeWidth);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *copy = new QPushButton(Words::tr("Copy"), panel);
    copy->setObjectName(u"line.copy"_s);
    connect(copy, &QPushButton::clicked, panel, [panel, whole = m_text] {
        QApplication::clipboard()->setText(whole);
        panel->close();
    });
    auto *layout = new QVBoxLayout(panel);
    layout->setContentsMargins(kPanelMargin, kPanelMargin, kPanelMargin, kPanelMargin);
    layout->setSpacing(kControlSpacing);
    layout->addWidget(text);
    layout->addWidget(copy, 0, Qt::AlignRight);
    panel->adjustSize();
    const QRect room = screen()->availableGeometry();
    const QPoint above = mapToGlobal(QPoint(0, -panel->height()));
    panel->move(std::clamp(above.x(), room.left(), std::max(room.right() - panel->width(), room.left())),
                std::max(above.y(), room.top()));
    panel->show();
    copy->setFocus();
}

void LineLabel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    offerWhole();
}

void LineLabel::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && isElided() && rect().contains(event->position().toPoint()))
        showWhole();
    else
        QWidget::mouseReleaseEvent(event);
}

void LineLabel::keyPressEvent(QKeyEvent *event)
{
    const bool isPress = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
    if (isPress && isElided())
        showWhole();
    else
        QWidget::keyPressEvent(event);
}

void LineLabel::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
    if (hasFocus()) {
        painter.setPen(QPen(coloursFor(palette()).focus, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

} // namespace stagelens::ui
