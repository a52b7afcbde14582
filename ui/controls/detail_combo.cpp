#include "ui/controls/detail_combo.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStyledItemDelegate>

namespace stagelens::ui {

namespace {

constexpr int kGap = 24;
constexpr int kMargin = 8;

/// Paints the caption at the left and the figure at the right.
class DetailDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const QString detail = index.data(DetailCombo::kDetailRole).toString();
        if (detail.isEmpty())
            return;
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        QColor ink = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
        ink.setAlphaF(0.75F);
        painter->setPen(ink);
        painter->drawText(option.rect.adjusted(0, 0, -kMargin, 0), Qt::AlignRight | Qt::AlignVCenter, detail);
        painter->restore();
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        const QString detail = index.data(DetailCombo::kDetailRole).toString();
        if (!detail.isEmpty())
            size.rwidth() += kGap + kMargin + option.fontMetrics.horizontalAdvance(detail);
        size.setHeight(qMax(size.height(), option.fontMetrics.height() + kMargin));
        return size;
    }
};

} // namespace

DetailCombo::DetailCombo(QWidget *parent) : QComboBox(parent)
{
    setItemDelegate(new DetailDelegate(this));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

void DetailCombo::showPopup()
{
    view()->setMinimumWidth(qMax(width(), view()->sizeHintForColumn(0) + 2 * kMargin));
    QComboBox::showPopup();
}

void DetailCombo::hidePopup()
{
    QComboBox::hidePopup();
    emit popupHidden();
}

} // namespace stagelens::ui
