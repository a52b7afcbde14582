#include "ui/strip/method_picker.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/state/experiment_document.h"
#include "ui/words/method_groups.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScreen>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPickerWidth = 520;
constexpr int kPickerHeight = 560;
constexpr int kRowHeight = 26;
constexpr int kBarWidth = 60;
constexpr int kBarHeight = 8;
constexpr int kReadingLines = 2;               ///< at the foot
constexpr int kValueRole = Qt::UserRole;       ///< of a row: its choice
constexpr int kSortRole = Qt::UserRole + 1;    ///< of a cell: what it sorts by
constexpr int kShareRole = Qt::UserRole + 2;   ///< of the difference: time / time of the plan
constexpr int kExcessRole = Qt::UserRole + 3;  ///< of the difference: true where the choice does not fit
constexpr int kReadingRole = Qt::UserRole + 4; ///< of a row: how its choice reads

/// Sorts rows within their group by the figures; groups keep their order.
class Row : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem &other) const override
    {
        const int column = treeWidget() ? treeWidget()->sortColumn() : 0;
        const bool isDown = treeWidget() && treeWidget()->header()->sortIndicatorOrder() == Qt::DescendingOrder;
        const QVariant mine = data(parent() ? column : 0, kSortRole);
        const QVariant theirs = other.data(parent() ? column : 0, kSortRole);
        if (!parent())
            return isDown ? mine.toDouble() > theirs.toDouble() : mine.toDouble() < theirs.toDouble();
        if (mine.isValid() != theirs.isValid()) // what is not possible comes last in either order
            return isDown ? theirs.isValid() : mine.isValid();
        return mine.toDouble() < theirs.toDouble();
    }
};

/// Paints the difference as a bar: to the left of its middle is faster.
class BarDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const QVariant share = index.data(kShareRole);
        if (!share.isValid())
            return;
        const double change = std::clamp(share.toDouble() - 1, -1.0, 1.0);
        const QRect middle(option.rect.left() + 4, option.rect.center().y() - kBarHeight / 2, kBarWidth, kBarHeight);
        const int centre = middle.center().x();
        const int reach = static_cast<int>(std::lround(std::abs(change) * kBarWidth / 2));
        const bool isDark = option.palette.color(QPalette::Base).lightness() < 128;
        painter->save();
        painter->fillRect(middle, mix(option.palette.color(QPalette::Text), option.palette.color(QPalette::Base), 0.08));
        const QColor gain = isDark ? QColor(0x5fc58a) : QColor(0x1b7a43);
        painter->fillRect(QRect(change < 0 ? centre - reach : centre, middle.top(), std::max(reach, 1), kBarHeight),
                          index.data(kExcessRole).toBool() ? coloursFor(option.palette).alarm
                          : change < 0                     ? gain
                                                           : QColor(0xc2762b));
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        painter->setPen(option.palette.color(isSelected ? QPalette::HighlightedText : QPalette::Text));
        painter->drawText(option.rect.adjusted(kBarWidth + 10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          changeText(share.toDouble(), 1));
        painter->restore();
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), kRowHeight};
    }
};

} // namespace

MethodPicker::MethodPicker(const Field &field, ExperimentDocument *document, QWidget *parent)
    : QFrame(parent, Qt::Popup), m_field(field), m_document(document), m_table(new QTreeWidget(this)),
      m_reading(plainLabel(this))
{
    setObjectName(u"picker."_s + field.id);
    setFrameShape(QFrame::StyledPanel);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(m_table);
    m_reading->setObjectName(objectName() + u".reading"_s);
    m_reading->setWordWrap(true);
    m_reading->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_reading->setContentsMargins(kCellMargin, 0, kCellMargin, kGrid);
    m_reading->setForegroundRole(QPalette::PlaceholderText);
    m_reading->setFixedHeight(kReadingLines * m_reading->fontMetrics().lineSpacing() + kGrid);
    layout->addWidget(m_reading);
    m_footHeight = m_reading->height() + layout->spacing();
    m_table->setObjectName(u"strip."_s + field.id);
    m_table->setAccessibleName(field.caption);
    m_table->setHeaderLabels(
        {field.caption, Words::tr("Time"), Words::tr("Peak memory"), Words::tr("Against this plan"), Words::tr("Front")});
    m_table->headerItem()->setData(
        Front, Qt::ToolTipRole,
        plainTip(Words::tr("A dot: no other choice that fits is both faster and smaller (Pareto front)")));
    for (const int column : {Time, Memory})
        m_table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_table->headerItem()->setTextAlignment(Front, Qt::AlignCenter);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setIndentation(12);
    m_table->setRootIsDecorated(false);
    m_table->setItemsExpandable(false);
    m_table->setUniformRowHeights(true);
    m_table->setMouseTracking(true);
    m_table->setItemDelegate(new BarDelegate(m_table));
    m_table->setFrameStyle(QFrame::NoFrame);
    m_table->viewport()->installEventFilter(this);
    m_table->installEventFilter(this);
    fill();
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    for (const auto &[column, width] :
         {std::pair{Time, 76}, std::pair{Memory, 108}, std::pair{Difference, 128}, std::pair{Front, 52}})
        m_table->setColumnWidth(column, width);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(Name, Qt::AscendingOrder);
    connect(m_table, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem *item) { pointAt(item); });
    connect(m_table, &QTreeWidget::itemEntered, this, [this](const QTreeWidgetItem *item) { pointAt(item); });
    resize(kPickerWidth, kPickerHeight);
}

void MethodPicker::pointAt(const QTreeWidgetItem *item)
{
    const bool isChoice = item && item->data(Name, kReadingRole).isValid(); // and no name of a group
    const QTreeWidgetItem *shown = isChoice ? item : m_table->currentItem();
    m_reading->setText(shown ? shown->data(Name, kReadingRole).toString() : QString());
    if (isVisible() && item)
        emit choiceHovered(item->data(Name, kValueRole).toString());
}

void MethodPicker::fill()
{
    QHash<QString, QTreeWidgetItem *> groups;
    for (const Choice &choice : m_field.choices) {
        const QString group = methodGroup(m_field.id, choice.value);
        QTreeWidgetItem *&above = groups[group];
        if (!above) {
            above = new Row(m_table);
            above->setText(Name, group);
            above->setData(Name, kSortRole, groups.size());
            above->setFlags(Qt::ItemIsEnabled);
            above->setFirstColumnSpanned(true);
            QFont bold = m_table->font();
            bold.setWeight(QFont::DemiBold);
            above->setFont(Name, bold);
            above->setForeground(Name, palette().brush(QPalette::PlaceholderText));
            above->setExpanded(true);
        }
        auto *item = new Row(above);
        item->setText(Name, choice.caption);
        item->setData(Name, kValueRole, choice.value);
        item->setData(Name, kSortRole, m_rows.size());
        const QString reading = methodReading(m_field.id, choice.value);
        item->setData(Name, kReadingRole, reading.isEmpty() ? choice.tip : reading);
        item->setData(Name, Qt::AccessibleDescriptionRole, item->data(Name, kReadingRole));
        const QString tip = reading.isEmpty() ? choice.tip : choice.tip + u'\n' + reading;
        item->setData(Name, Qt::ToolTipRole, plainTip(tip + u'\n' + m_field.option + u' ' + choice.value));
        item->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
        item->setTextAlignment(Memory, Qt::AlignRight | Qt::AlignVCenter);
        item->setTextAlignment(Front, Qt::AlignCenter);
        m_rows.insert(choice.value, item);
    }
    m_table->expandAll();
}

void MethodPicker::addCommand(QAction *command)
{
    auto *button = new QToolButton(this);
    button->setObjectName(objectName() + u'.' + command->objectName().section(u'.', -1));
    button->setDefaultAction(command);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    layout()->addWidget(button);
    m_footHeight += button->sizeHint().height() + layout()->spacing();
    connect(command, &QAction::triggered, this, &MethodPicker::hide);
}

void MethodPicker::openBelow(const QWidget &chip)
{
    const QRect screen = chip.screen()->availableGeometry();
    int rows = m_table->topLevelItemCount() + static_cast<int>(m_rows.size());
    resize(kPickerWidth, std::min({rows * (kRowHeight + 1) + m_table->header()->sizeHint().height() + 16 + m_footHeight,
                                   kPickerHeight, screen.height()}));
    QPoint place = chip.mapToGlobal(chip.rect().bottomLeft()) + QPoint(0, 4);
    place.setX(std::clamp(place.x(), screen.left(), std::max(screen.left(), screen.right() - width())));
    place.setY(std::clamp(place.y(), screen.top(), std::max(screen.top(), screen.bottom() - height())));
    move(place);
    QTreeWidgetItem *now = row(m_field.value(m_document->experiment()).toString());
    for (QTreeWidgetItem *item : std::as_const(m_rows)) {
        QFont font = m_table->font();
        font.setWeight(item == now ? QFont::Bold : QFont::Normal);
        item->setFont(Name, font);
    }
    m_table->setCurrentItem(now);
    show();
    m_table->setFocus(Qt::PopupFocusReason);
    if (now)
        m_table->scrollToItem(now, QAbstractItemView::EnsureVisible);
}

void MethodPicker::setPlan(const Figures &plan, base::Bytes capacity)
{
    m_plan = plan;
    m_capacity = capacity;
}

void MethodPicker::setFigures(const QString &choice, const Figures &figures)
{
    m_figures.insert(choice, figures);
    if (QTreeWidgetItem *item = row(choice))
        showFigures(*item, figures);
    markFront();
}

void MethodPicker::clearFigures()
{
    m_figures.clear();
    for (QTreeWidgetItem *item : std::as_const(m_rows)) {
        for (int column = Time; column <= Front; ++column) {
            item->setText(column, {});
            item->setData(column, kSortRole, {});
            item->setData(column, kShareRole, {});
            item->setData(column, kExcessRole, {});
        }
    }
}

void MethodPicker::showFigures(QTreeWidgetItem &item, const Figures &figures)
{
    if (!figures.iteration) {
        item.setText(Time, Words::tr("not here"));
        item.setForeground(Time, palette().brush(QPalette::PlaceholderText));
        return;
    }
    item.setForeground(Time, palette().brush(QPalette::Text));
    item.setText(Time, durationText(*figures.iteration, inTeachingUnits(m_document->experiment())));
    item.setData(Time, kSortRole, static_cast<double>(*figures.iteration));
    if (figures.peakMemory) {
        const bool fits = m_capacity <= 0 || *figures.peakMemory <= m_capacity;
        item.setText(Memory, bytesText(*figures.peakMemory));
        item.setData(Memory, kSortRole, static_cast<double>(*figures.peakMemory));
        item.setForeground(Memory, fits ? palette().brush(QPalette::Text) : QBrush(coloursFor(palette()).alarm));
        item.setData(Difference, kExcessRole, !fits);
        item.setData(Memory, Qt::ToolTipRole, plainTip(fits ? QString() : needsText(*figures.peakMemory, m_capacity)));
    }
    if (m_plan.iteration && *m_plan.iteration > 0) {
        const double share = static_cast<double>(*figures.iteration) / static_cast<double>(*m_plan.iteration);
        item.setData(Difference, kShareRole, share);
        item.setData(Difference, kSortRole, share);
    }
}

void MethodPicker::markFront()
{
    for (auto one = m_figures.cbegin(); one != m_figures.cend(); ++one) {
        QTreeWidgetItem *item = row(one.key());
        const Figures &mine = one.value();
        const bool hasBoth = mine.iteration && mine.peakMemory;
        const bool fits = hasBoth && (m_capacity <= 0 || *mine.peakMemory <= m_capacity);
        const bool isBeaten = fits && std::ranges::any_of(m_figures, [&mine](const Figures &other) {
                                  return other.iteration && other.peakMemory && *other.iteration <= *mine.iteration &&
                                         *other.peakMemory <= *mine.peakMemory &&
                                         (*other.iteration < *mine.iteration || *other.peakMemory < *mine.peakMemory);
                              });
        if (item) {
            item->setIcon(Front, fits && !isBeaten ? glyphIcon(Glyph::Dot) : QIcon());
            item->setData(Front, Qt::AccessibleTextRole, fits && !isBeaten ? Words::tr("nothing is better") : QString());
            item->setData(Front, kSortRole, fits && !isBeaten ? 0.0 : 1.0);
        }
    }
}

void MethodPicker::choose(const QTreeWidgetItem *item)
{
    const QString value = item ? item->data(Name, kValueRole).toString() : QString();
    if (value.isEmpty())
        return;
    close();
    m_document->choose(m_field, value);
    emit chosen(value);
}

bool MethodPicker::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Leave)
        pointAt(nullptr);
    // The release of the press that opened the picker is no choice.
    if (watched == m_table->viewport() && event->type() == QEvent::MouseButtonPress)
        m_pressed = true;
    if (watched == m_table->viewport() && event->type() == QEvent::MouseButtonRelease && std::exchange(m_pressed, false))
        choose(m_table->itemAt(static_cast<QMouseEvent *>(event)->position().toPoint()));
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space) {
            choose(m_table->currentItem());
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void MethodPicker::hideEvent(QHideEvent *event)
{
    QFrame::hideEvent(event);
    emit choiceHovered({});
}

} // namespace stagelens::ui
