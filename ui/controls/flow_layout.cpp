#include "ui/controls/flow_layout.h"

#include "ui/words/plain_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QWidget>

namespace stagelens::ui {

FlowLayout::FlowLayout(QWidget *parent, int horizontalGap, int verticalGap)
    : QLayout(parent), m_horizontalGap(horizontalGap), m_verticalGap(verticalGap)
{}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items)
        size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect &area)
{
    QLayout::setGeometry(area);
    arrange(area, true);
}

int FlowLayout::arrange(const QRect &area, bool place) const
{
    const QRect inner = area.marginsRemoved(contentsMargins());
    int left = inner.left();
    int top = inner.top();
    int rowHeight = 0;
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        if (left > inner.left() && left + size.width() > inner.right() + 1) {
            left = inner.left();
            top += rowHeight + m_verticalGap;
            rowHeight = 0;
        }
        if (place)
            item->setGeometry(QRect(QPoint(left, top), QSize(qMin(size.width(), inner.width()), size.height())));
        left += size.width() + m_horizontalGap;
        rowHeight = qMax(rowHeight, size.height());
    }
    const QMargins margins = contentsMargins();
    return top + rowHeight - area.top() + margins.bottom();
}

QWidget *captioned(const QString &caption, QWidget *control)
{
    auto *box = new QWidget;
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    auto *label = plainLabel(caption, box);
    label->setBuddy(control);
    control->setAccessibleName(caption);
    row->addWidget(label);
    row->addWidget(control);
    return box;
}

} // namespace stagelens::ui
