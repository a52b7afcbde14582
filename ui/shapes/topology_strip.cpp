#include "ui/shapes/topology_strip.h"

#include "ui/canvas/colours.h"
#include "ui/canvas/design.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using layout::Axis;

namespace {

constexpr int kTopologyEdge = 8;
constexpr int kNodePadding = 3;
constexpr int kNodeGap = 6;
constexpr int kLargestCell = 24;
constexpr int kSmallestCell = 4;
constexpr int kTopologySwatch = 10;
constexpr int kSentenceLines = 2;

} // namespace

TopologyStrip::TopologyStrip(QWidget *parent) : QWidget(parent)
{
    setObjectName(u"topology"_s);
    setAccessibleName(Words::tr("Topology"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

int TopologyStrip::lineHeight() const
{
    return fontMetrics().height() + 3;
}

QSize TopologyStrip::sizeHint() const
{
    return {640, minimumSizeHint().height()};
}

QSize TopologyStrip::minimumSizeHint() const
{
    const int axes = m_topology ? static_cast<int>(m_topology->axes.size()) : 1;
    return {240, (1 + axes + kSentenceLines) * lineHeight() + 3 * kTopologyEdge};
}

void TopologyStrip::setTopology(std::optional<Topology> topology)
{
    m_topology = std::move(topology);
    if (m_rank && (!m_topology || *m_rank >= m_topology->mesh.ranks())) {
        m_rank.reset();
        m_isFixed = false;
    }
    setAccessibleDescription(sentence());
    updateGeometry();
    update();
}

/// The texts of the dimensions are not cut while the nodes have room.
int TopologyStrip::textWidth() const
{
    int widest = 0;
    for (const TopologyAxis &axis : m_topology->axes)
        widest = std::max(widest, fontMetrics().horizontalAdvance(axisLine(axis, *m_topology)));
    return std::clamp(widest + kTopologySwatch + 6 + 3 * kTopologyEdge, width() / 3, width() * 3 / 5);
}

QString TopologyStrip::sentence() const
{
    if (!m_topology)
        return Words::tr("One rank, or costs without hardware: there is no cluster to show.");
    return m_rank ? rankSentence(*m_rank, *m_topology)
                  : Words::tr("Point at a rank, or press an arrow key, to see its groups.");
}

/// Cells as large as they fit; a node is as square as a power of two allows.
TopologyStrip::Grid TopologyStrip::grid() const
{
    Grid grid;
    const int left = textWidth();
    grid.area = QRect(left, kTopologyEdge, width() - left - kTopologyEdge,
                      height() - 2 * kTopologyEdge - kSentenceLines * lineHeight());
    const int perNode = std::min(m_topology->ranksPerNode, m_topology->mesh.ranks()); // a computer has room for any number
    grid.across = static_cast<int>(std::ceil(std::sqrt(perNode)));
    while (grid.across < perNode && perNode % grid.across != 0)
        ++grid.across;
    grid.down = (perNode + grid.across - 1) / grid.across;
    for (grid.cell = kLargestCell; grid.cell >= kSmallestCell; --grid.cell) {
        const int wide = grid.across * grid.cell + 2 * kNodePadding + kNodeGap;
        const int high = grid.down * grid.cell + 2 * kNodePadding + kNodeGap;
        grid.columns = std::max((grid.area.width() + kNodeGap) / wide, 1);
        const int rows = std::max((grid.area.height() + kNodeGap) / high, 1);
        grid.shown = std::min(grid.columns * rows, m_topology->nodes);
        const bool fits = high <= grid.area.height() + kNodeGap && grid.shown == m_topology->nodes;
        if (fits || grid.cell == kSmallestCell)
            break;
    }
    return grid;
}

QRect TopologyStrip::nodeRect(const Grid &grid, int node) const
{
    const QSize size(grid.across * grid.cell + 2 * kNodePadding, grid.down * grid.cell + 2 * kNodePadding);
    return {grid.area.topLeft() +
                QPoint(node % grid.columns * (size.width() + kNodeGap), node / grid.columns * (size.height() + kNodeGap)),
            size};
}

int TopologyStrip::nodesBottom() const
{
    const Grid grid = this->grid();
    return grid.shown > 0 ? nodeRect(grid, grid.shown - 1).bottom() : 0;
}

QRect TopologyStrip::cellOf(int rank) const
{
    if (!m_topology || rank < 0 || rank >= m_topology->mesh.ranks())
        return {};
    const Grid grid = this->grid();
    const int node = rank / m_topology->ranksPerNode;
    if (node >= grid.shown)
        return {};
    const int place = rank % m_topology->ranksPerNode;
    const QPoint corner = nodeRect(grid, node).topLeft() + QPoint(kNodePadding, kNodePadding);
    return {corner + QPoint(place % grid.across * grid.cell, place / grid.across * grid.cell),
            QSize(grid.cell - 1, grid.cell - 1)};
}

std::optional<int> TopologyStrip::rankAt(QPoint at) const
{
    if (!m_topology)
        return std::nullopt;
    const Grid grid = this->grid();
    for (int node = 0; node < grid.shown; ++node) {
        if (!nodeRect(grid, node).contains(at))
            continue;
        const QPoint inside = at - nodeRect(grid, node).topLeft() - QPoint(kNodePadding, kNodePadding);
        const int column = std::clamp(inside.x() / grid.cell, 0, grid.across - 1);
        const int row = std::clamp(inside.y() / grid.cell, 0, grid.down - 1);
        const int rank = node * m_topology->ranksPerNode + row * grid.across + column;
        if (row * grid.across + column < m_topology->ranksPerNode && rank < m_topology->mesh.ranks())
            return rank;
    }
    return std::nullopt;
}

void TopologyStrip::setRank(std::optional<int> rank)
{
    if (rank == m_rank)
        return;
    m_rank = rank;
    setAccessibleDescription(sentence());
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    update();
}

bool TopologyStrip::sharesExperts(const layout::Coordinates &one, const layout::Coordinates &other) const
{
    return m_topology->mesh.size(Axis::Expert) > 1 && one[Axis::Pipeline] == other[Axis::Pipeline] &&
           one[Axis::Context] == other[Axis::Context] && one[Axis::ExpertData] == other[Axis::ExpertData];
}

std::optional<Axis> TopologyStrip::relationTo(int other) const
{
    const layout::Coordinates mine = m_topology->mesh.coordinatesOf(*m_rank);
    const layout::Coordinates theirs = m_topology->mesh.coordinatesOf(other);
    std::optional<Axis> differing;
    for (const TopologyAxis &axis : m_topology->axes) {
        if (axis.axis == Axis::Expert || mine[axis.axis] == theirs[axis.axis]) // follows from the others
            continue;
        if (differing)
            return sharesExperts(mine, theirs) ? std::optional(Axis::Expert) : std::nullopt;
        differing = axis.axis;
    }
    return differing;
}

void TopologyStrip::paintLines(QPainter &painter) const
{
    const Colours &tones = coloursFor(palette());
    const int line = lineHeight();
    const int room = textWidth() - kTopologyEdge;
    int y = kTopologyEdge;
    const auto write = [&](int x, const QString &text, const QColor &ink) {
        painter.setPen(ink);
        painter.drawText(QRect(x, y, room - x, line), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, room - x));
    };
    painter.setFont(scaled(font(), TypeSize::Text, QFont::DemiBold));
    write(kTopologyEdge, Words::tr("Topology"), tones.ink);
    painter.setFont(font());
    const int title = QFontMetrics(scaled(font(), TypeSize::Text, QFont::DemiBold)).horizontalAdvance(Words::tr("Topology"));
    const QString ranks = countText(m_topology->mesh.ranks());
    write(kTopologyEdge + title + kTopologyEdge,
          m_topology->nodes == 1 ? Words::tr("%1 ranks on one node").arg(ranks)
                                 : Words::tr("%1 ranks on %2 nodes of %3")
                                       .arg(ranks, countText(m_topology->nodes), countText(m_topology->ranksPerNode)),
          tones.muted);
    y += line;
    for (const TopologyAxis &axis : m_topology->axes) {
        painter.fillRect(QRect(kTopologyEdge, y + (line - kTopologySwatch) / 2, kTopologySwatch, kTopologySwatch),
                         axisColour(tones, axis.axis));
        write(kTopologyEdge + kTopologySwatch + 6, axisLine(axis, *m_topology), tones.ink);
        y += line;
    }
}

void TopologyStrip::paintNodes(QPainter &painter) const
{
    const Colours &tones = coloursFor(palette());
    const Grid grid = this->grid();
    for (int node = 0; node < grid.shown; ++node) {
        painter.setPen(tones.panelEdge);
        painter.setBrush(tones.lane);
        painter.drawRoundedRect(nodeRect(grid, node).adjusted(0, 0, -1, -1), 2, 2);
    }
    const int ranks = std::min(m_topology->mesh.ranks(), grid.shown * m_topology->ranksPerNode);
    for (int rank = 0; rank < ranks; ++rank) {
        const QRect cell = cellOf(rank);
        if (!m_rank) {
            painter.fillRect(cell, tones.idle);
        } else if (rank == *m_rank) {
            painter.fillRect(cell, tones.ink);
        } else {
            const auto relation = relationTo(rank);
            painter.fillRect(cell, relation ? axisColour(tones, *relation) : tones.idle);
        }
    }
    if (grid.shown < m_topology->nodes) {
        painter.setPen(tones.muted);
        painter.drawText(QRect(grid.area.left(), grid.area.bottom() + 1, grid.area.width(), lineHeight()),
                         Qt::AlignRight | Qt::AlignVCenter,
                         Words::tr("and %1 more nodes").arg(countText(m_topology->nodes - grid.shown)));
    }
}

void TopologyStrip::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    const Colours &tones = coloursFor(palette());
    painter.fillRect(rect(), tones.background);
    if (m_topology) {
        paintLines(painter);
        paintNodes(painter);
    }
    painter.setFont(font());
    painter.setPen(m_rank ? tones.ink : tones.muted);
    const int high = kSentenceLines * lineHeight();
    // Below what it explains, also where there is height to spare.
    const int axes = m_topology ? static_cast<int>(m_topology->axes.size()) : 0;
    const int texts = 2 * kTopologyEdge + (1 + axes) * lineHeight();
    const int nodes = m_topology ? nodesBottom() + kTopologyEdge : 0;
    const int lowest = height() - kTopologyEdge - high;
    const QRect bottom(kTopologyEdge, std::min(std::max(texts, nodes), lowest), width() - 2 * kTopologyEdge, high);
    painter.drawText(bottom, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, sentence());
    if (hasFocus()) {
        painter.setPen(QPen(tones.focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void TopologyStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_isFixed)
        setRank(rankAt(event->position().toPoint()));
    setToolTip(plainTip(m_rank ? sentence() : QString()));
}

void TopologyStrip::mousePressEvent(QMouseEvent *event)
{
    const auto rank = rankAt(event->position().toPoint());
    m_isFixed = rank.has_value() && !(m_isFixed && rank == m_rank);
    setRank(rank);
}

void TopologyStrip::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    if (!m_isFixed)
        setRank(std::nullopt);
}

void TopologyStrip::keyPressEvent(QKeyEvent *event)
{
    if (!m_topology)
        return QWidget::keyPressEvent(event);
    const int across = grid().across;
    int step = 0;
    switch (event->key()) {
    case Qt::Key_Right: step = 1; break;
    case Qt::Key_Left: step = -1; break;
    case Qt::Key_Down: step = across; break;
    case Qt::Key_Up: step = -across; break;
    case Qt::Key_Escape: m_isFixed = false; return setRank(std::nullopt);
    default: return QWidget::keyPressEvent(event);
    }
    m_isFixed = true;
    setRank(m_rank ? std::clamp(*m_rank + step, 0, m_topology->mesh.ranks() - 1) : 0);
}

} // namespace stagelens::ui
