// The nodes of a cluster with their ranks: who works with whom, and over which link.
#pragma once

#include "ui/words/topology.h"

#include <QWidget>

#include <optional>

namespace stagelens::ui {

/// On the left a line for each dimension with its link, traffic and wait; on the right nodes as boxes with a cell for each
/// rank. The rank under the pointer, or chosen with the arrow keys, lights up its groups in the colours of their dimensions,
/// and a sentence explains them. Nodes that have no room are counted.
class TopologyStrip : public QWidget {
    Q_OBJECT
public:
    explicit TopologyStrip(QWidget *parent = nullptr);

    /// Nothing: a sentence says that there is no cluster to show.
    void setTopology(std::optional<Topology> topology);
    [[nodiscard]] const std::optional<Topology> &topology() const { return m_topology; }
    /// The rank that is explained; nothing: none.
    [[nodiscard]] std::optional<int> rank() const { return m_rank; }
    /// The cell of a rank; empty if its node has no room.
    [[nodiscard]] QRect cellOf(int rank) const;
    /// What is explained at the bottom.
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    /// Where nodes and cells are placed.
    struct Grid {
        QRect area;
        int cell = 0;    ///< edge of a cell
        int across = 1;  ///< cells of a node side by side
        int down = 1;    ///< rows of cells of a node
        int columns = 1; ///< nodes side by side
        int shown = 0;   ///< nodes
    };
    [[nodiscard]] Grid grid() const;
    [[nodiscard]] int lineHeight() const;
    /// Of the dimensions at the left of the nodes.
    [[nodiscard]] int textWidth() const;
    [[nodiscard]] int nodesBottom() const;
    [[nodiscard]] QRect nodeRect(const Grid &grid, int node) const;
    [[nodiscard]] std::optional<int> rankAt(QPoint at) const;
    void setRank(std::optional<int> rank);
    void paintLines(QPainter &painter) const;
    void paintNodes(QPainter &painter) const;
    /// Returns whether two ranks share the experts of their layers.
    [[nodiscard]] bool sharesExperts(const layout::Coordinates &one, const layout::Coordinates &other) const;
    /// The axis in which another rank differs from the one that is explained, if it is only one; Expert for other ranks that
    /// share its experts.
    [[nodiscard]] std::optional<layout::Axis> relationTo(int other) const;

    std::optional<Topology> m_topology;
    std::optional<int> m_rank;
    bool m_isFixed = false; ///< chosen by a click or a key: the pointer does not change it
};

} // namespace stagelens::ui
