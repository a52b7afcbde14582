#include "ui/shapes/shape_table.h"

#include "ui/canvas/colours.h"
#include "ui/controls/button_style.h"
#include "ui/controls/copied_rows.h"
#include "ui/words/plain_text.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kShapeRowRole = Qt::UserRole;       ///< of an item: index of its row
constexpr int kShapeOrderRole = Qt::UserRole + 1; ///< of a cell: what it sorts by; absent: last in either order
constexpr int kShapeRowRoom = 8;
constexpr int kShapeColumnRoom = 14;
constexpr int kNarrowestMethods = 240;

class ShapeItem : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem &other) const override
    {
        const int column = treeWidget() ? treeWidget()->sortColumn() : 0;
        const bool isDown = treeWidget() && treeWidget()->header()->sortIndicatorOrder() == Qt::DescendingOrder;
        const QVariant mine = data(column, kShapeOrderRole);
        const QVariant theirs = other.data(column, kShapeOrderRole);
        if (mine.isValid() != theirs.isValid())
            return isDown ? theirs.isValid() : mine.isValid();
        return mine.typeId() == QMetaType::QString ? mine.toString() < theirs.toString() : mine.toDouble() < theirs.toDouble();
    }
};

void setCell(QTreeWidgetItem &item, int column, const QString &text, const QVariant &order)
{
    item.setText(column, text);
    item.setData(column, kShapeOrderRole, order);
}

/// Whether a plan is that of a row: with the same shape, microbatches and methods.
bool isPlanOf(const ShapeRow &row, const model::Experiment &plan)
{
    const model::ParallelPlan &one = row.experiment.parallel;
    const model::ParallelPlan &other = plan.parallel;
    return one.devices == other.devices && one.tensor == other.tensor && one.context == other.context &&
           one.replicas == other.replicas && one.microbatchSize == other.microbatchSize && one.zero == other.zero &&
           row.experiment.model.sequence == plan.model.sequence && row.experiment.schedule.family == plan.schedule.family &&
           row.experiment.schedule.vocabulary == plan.schedule.vocabulary &&
           row.experiment.schedule.chunks == plan.schedule.chunks &&
           row.experiment.schedule.recompute == plan.schedule.recompute;
}

} // namespace

ShapeTable::ShapeTable(QWidget *parent) : QTreeWidget(parent)
{
    setObjectName(u"shapes.table"_s);
    setAccessibleName(Words::tr("Shapes that fit"));
    setColumnCount(kColumns);
    setHeaderLabels({Words::tr("Pipeline"), Words::tr("Tensor"), Words::tr("Context"), Words::tr("Data"), Words::tr("Schedule"),
                     Words::tr("Microbatches"), Words::tr("Time"), Words::tr("Memory"), Words::tr("Days"), Words::tr("Cost"),
                     Words::tr("Front"), Words::tr("Headroom"), Words::tr("Bubble"), Words::tr("Exchanges"),
                     Words::tr("Remark")});
    const auto explain = [this](Column column, const QString &tip) {
        headerItem()->setData(column, Qt::ToolTipRole, plainTip(tip));
    };
    explain(Pipeline, Words::tr("Devices of the pipeline: each has some of the layers"));
    explain(Tensor, Words::tr("Ranks that share each layer"));
    explain(Context, Words::tr("Ranks that share each sequence"));
    explain(Replicas, Words::tr("Copies of the model, each with its own sequences"));
    explain(Microbatches, Words::tr("Microbatches of a replica × sequences of a microbatch"));
    explain(Bubble, Words::tr("The part of the devices' time without a pass"));
    explain(Exchanges, Words::tr("The part of the iteration in which a rank waits for tensor, context or data exchanges"));
    explain(Memory, Words::tr("Peak of the fullest rank"));
    explain(Front, Words::tr("A dot: no other plan that fits is both faster and smaller (Pareto front)"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTabKeyNavigation(false);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setTextElideMode(Qt::ElideMiddle); // methods may differ only at their end
    addCopyAction(this);
    setSortingEnabled(true);
    header()->setStretchLastSection(true);
    connect(this, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem *item) {
        if (QApplication::keyboardModifiers() == Qt::NoModifier && selectedItems().size() == 1)
            choose(item);
    });
}

void ShapeTable::setRows(std::vector<ShapeRow> rows, Frame frame)
{
    m_rows = std::move(rows);
    m_frame = std::move(frame);
    fill();
}

void ShapeTable::setTraining(std::optional<double> tokens, double price, const QString &currency)
{
    if (std::tie(tokens, price, currency) == std::tie(m_frame.tokens, m_frame.price, m_frame.currency))
        return;
    m_frame.tokens = tokens;
    m_frame.price = price;
    m_frame.currency = currency;
    fill();
}

void ShapeTable::fill()
{
    clear();
    setSortingEnabled(false);
    const QStringList methods = methodsTexts(m_rows);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        auto *item = new ShapeItem(this);
        item->setData(Pipeline, kShapeRowRole, static_cast<int>(i));
        item->setSizeHint(Pipeline, {0, fontMetrics().height() + kShapeRowRoom});
        for (const int column :
             {Pipeline, Tensor, Context, Replicas, Microbatches, Time, Bubble, Exchanges, Memory, Headroom, Days, Money})
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        item->setTextAlignment(Front, Qt::AlignCenter);
        fillRow(*item, m_rows[i], methods[static_cast<qsizetype>(i)]);
    }
    setColumnHidden(Days, !m_frame.tokens);
    setColumnHidden(Money, !m_frame.tokens || m_frame.price <= 0);
    // What would be the same or empty in every row.
    setColumnHidden(Context,
                    std::ranges::all_of(m_rows, [](const ShapeRow &row) { return row.experiment.parallel.context == 1; }));
    setColumnHidden(Headroom, !m_frame.limit);
    setColumnHidden(Remark, std::ranges::all_of(
                                m_rows, [this](const ShapeRow &row) { return obstacleText(row, m_frame.limit).isEmpty(); }));
    for (int column = 0; column < kColumns; ++column) { // those that are shown: a hidden one has no width
        headerItem()->setTextAlignment(column, column == Methods || column == Remark ? Qt::AlignLeft | Qt::AlignVCenter
                                               : column == Front                     ? Qt::AlignCenter
                                                                                     : Qt::AlignRight | Qt::AlignVCenter);
        resizeColumnToContents(column);
        setColumnWidth(column, columnWidth(column) + kShapeColumnRoom);
    }
    fitMethods();
    sortByColumn(-1, Qt::AscendingOrder); // as the rows are: the front first
    setSortingEnabled(true);
    setFilter(m_filter);
    if (m_plan)
        markPlan(*m_plan);
}

void ShapeTable::fitMethods()
{
    const int wanted = sizeHintForColumn(Methods) + kShapeColumnRoom;
    const auto roomBefore = [this](int last) {
        int room = viewport()->width();
        for (int column = 0; column <= last; ++column)
            if (column != Methods)
                room -= columnWidth(column);
        return room;
    };
    // All columns stay in view if the methods can be read with little left out, else time and memory do.
    const int room = roomBefore(Exchanges);
    const int most = 4 * room >= 3 * wanted ? room : std::max(kNarrowestMethods, roomBefore(Memory));
    setColumnWidth(Methods, std::min(wanted, most));
}

void ShapeTable::resizeEvent(QResizeEvent *event)
{
    QTreeWidget::resizeEvent(event);
    fitMethods();
}

void ShapeTable::fillRow(QTreeWidgetItem &item, const ShapeRow &row, const QString &methods)
{
    const model::ParallelPlan &plan = row.experiment.parallel;
    for (const auto &[column, degree] : {std::pair{Pipeline, plan.devices}, std::pair{Tensor, plan.tensor},
                                         std::pair{Context, plan.context}, std::pair{Replicas, plan.replicas}})
        setCell(item, column, countText(degree), degree);
    setCell(item, Microbatches, u"%1 × %2"_s.arg(countText(plan.microbatches), countText(plan.microbatchSize)),
            plan.microbatches);
    setCell(item, Methods, methods, methods);
    item.setData(Methods, Qt::ToolTipRole, plainTip(methods));
    const QString obstacle = obstacleText(row, m_frame.limit);
    setCell(item, Remark, obstacle, obstacle.isEmpty() ? QVariant() : QVariant(obstacle));
    setCell(item, Front, QString(), row.isOnFront ? 0 : 1);
    item.setIcon(Front, row.isOnFront ? glyphIcon(Glyph::Dot) : QIcon());
    item.setData(Front, Qt::AccessibleTextRole, row.isOnFront ? Words::tr("nothing is better") : QString());
    if (row.memory)
        setCell(item, Memory, bytesText(*row.memory), static_cast<double>(*row.memory));
    const Colours &tones = coloursFor(palette());
    if (!row.fits) {
        for (int column = 0; column < kColumns; ++column)
            item.setForeground(column, tones.muted);
        item.setForeground(Memory, tones.alarm);
        item.setForeground(Remark, tones.alarm);
        item.setData(Remark, Qt::ToolTipRole, plainTip(obstacle));
    }
    if (!row.metrics)
        return;
    const simulate::Metrics &metrics = *row.metrics;
    const ExchangeShares shares = exchangeShares(metrics);
    setCell(item, Time, durationText(metrics.iteration), static_cast<double>(metrics.iteration));
    setCell(item, Bubble, shareText(metrics.bubbleRatio), metrics.bubbleRatio);
    setCell(item, Exchanges, shareText(shares.all()), shares.all());
    item.setData(Exchanges, Qt::ToolTipRole, plainTip(exchangesText(shares)));
    if (row.fits && row.memory && m_frame.limit)
        setCell(item, Headroom, bytesText(*m_frame.limit - *row.memory), static_cast<double>(*m_frame.limit - *row.memory));
    const auto cost = trainingCost(row, m_frame.tokens.value_or(0), m_frame.price);
    if (!cost)
        return;
    setCell(item, Days, QString::number(cost->days, 'f', cost->days < 10 ? 2 : 0), cost->days);
    item.setData(Days, Qt::ToolTipRole, plainTip(Words::tr("%1 GPU-hours").arg(countText(std::round(cost->gpuHours)))));
    if (cost->money)
        setCell(item, Money, countText(std::round(*cost->money)) + u' ' + m_frame.currency, *cost->money);
}

void ShapeTable::setFilter(const Filter &filter)
{
    m_filter = filter;
    for (int i = 0; i < topLevelItemCount(); ++i) {
        QTreeWidgetItem *item = topLevelItem(i);
        const ShapeRow &row = *rowOf(item);
        const model::ParallelPlan &plan = row.experiment.parallel;
        const std::array degrees{plan.devices, plan.tensor, plan.context, plan.replicas};
        bool isKept = (!filter.onlyFitting || row.fits) && (!filter.onlyFront || row.isOnFront);
        for (std::size_t axis = 0; axis < degrees.size(); ++axis)
            isKept = isKept && (filter.degrees[axis] == 0 || filter.degrees[axis] == degrees[axis]);
        item->setHidden(!isKept);
    }
}

void ShapeTable::markPlan(const model::Experiment &plan)
{
    m_plan = plan;
    for (int i = 0; i < topLevelItemCount(); ++i) {
        QFont letters = font();
        letters.setBold(isPlanOf(*rowOf(topLevelItem(i)), plan));
        for (int column = 0; column < kColumns; ++column)
            topLevelItem(i)->setFont(column, letters);
    }
}

int ShapeTable::shownRows() const
{
    int count = 0;
    for (int i = 0; i < topLevelItemCount(); ++i)
        count += topLevelItem(i)->isHidden() ? 0 : 1;
    return count;
}

const ShapeRow *ShapeTable::rowOf(const QTreeWidgetItem *item) const
{
    return item == nullptr ? nullptr : &m_rows[static_cast<std::size_t>(item->data(Pipeline, kShapeRowRole).toInt())];
}

std::vector<const ShapeRow *> ShapeTable::selectedRows() const
{
    std::vector<const ShapeRow *> rows;
    for (int i = 0; i < topLevelItemCount(); ++i)
        if (const QTreeWidgetItem *item = topLevelItem(i); item->isSelected() && !item->isHidden() && rowOf(item)->metrics)
            rows.push_back(rowOf(item));
    return rows;
}

void ShapeTable::choose(const QTreeWidgetItem *item)
{
    if (const ShapeRow *row = rowOf(item); row != nullptr && row->refusal.isEmpty())
        emit chosen(model::Experiment(row->experiment));
}

void ShapeTable::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        choose(currentItem());
    else
        QTreeWidget::keyPressEvent(event);
}

} // namespace stagelens::ui
