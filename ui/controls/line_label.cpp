#include "ui/controls/line_label.h"

#include "ui/words/plain_text.h"

#include <QPainter>

#include <algorithm>

namespace stagelens::ui {

namespace {
constexpr int kLeastWidth = 48;
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

void LineLabel::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

} // namespace stagelens::ui
