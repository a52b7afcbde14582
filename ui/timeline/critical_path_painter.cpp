// The critical path, as one line through the lanes.
#include "ui/timeline/scene.h"

#include <QLineF>
#include <QList>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

namespace stagelens::ui {
namespace {

constexpr double kTouching = 1.5; ///< pixels between two pieces of a lane that are drawn as one
constexpr double kApart = 8;      ///< pixels between two ways to the same lane; more of them would hide it
constexpr double kPathWidth = 2.5;
constexpr double kLeastLabelled = 24; ///< height of a lane whose labels the path passes below
constexpr double kBelowLabels = 3.5;

/// What of the path is in sight, as lines of their own: to stroke one line of thousands of corners takes a raster engine a
/// time that grows with their square.
class PathLines {
public:
    PathLines(const Scene &scene, int group) : m_scene(scene), m_group(group), m_zero(scene.xAt(0))
    {
        m_open.resize(scene.group(group).timeline->lanes.size());
        m_stretch.resize(m_open.size(), -1);
    }

    void add(const simulate::PathStep &step)
    {
        const bool isPass = step.kind == simulate::PathStep::Kind::Pass;
        const int device = isPass ? step.slice.device : step.to.device;
        const TimelineLayout::Row *row = m_scene.layout.rowOf(m_group, device);
        if (row == nullptr)
            return;
        const double y = row->lane.height() < kLeastLabelled ? row->lane.center().y() + 0.5 : row->lane.bottom() - kBelowLabels;
        if (isPass)
            goTo({m_scene.xAt(step.begin), y}, device);
        goTo({m_scene.xAt(step.end), y}, device);
    }

    [[nodiscard]] QList<QLineF> take()
    {
        for (const std::optional<QLineF> &line : m_open)
            if (line)
                m_lines.push_back(*line);
        return std::move(m_lines);
    }

private:
    void goTo(QPointF point, int device)
    {
        if (m_last && m_last->y() == point.y())
            along({*m_last, point}, device);
        else if (m_last)
            across({*m_last, point}, device);
        m_last = point;
    }

    void along(const QLineF &piece, int device)
    {
        std::optional<QLineF> &open = m_open[static_cast<std::size_t>(device)];
        if (open && piece.x1() - open->x2() > kTouching) {
            m_lines.push_back(*open);
            open.reset();
        }
        open = open ? QLineF(open->p1(), piece.p2()) : piece;
    }

    /// The first in each stretch of the time axis, so that moving along the axis shows the same ones.
    void across(const QLineF &way, int device)
    {
        const double stretch = std::floor((way.x2() - m_zero) / kApart);
        double &last = m_stretch[static_cast<std::size_t>(device)];
        if (stretch != last)
            m_lines.push_back(way);
        last = stretch;
    }

    const Scene &m_scene;
    int m_group;
    double m_zero;
    std::optional<QPointF> m_last;
    // Of each device:
    std::vector<std::optional<QLineF>> m_open; ///< the piece that the next one may lengthen
    std::vector<double> m_stretch;             ///< where a way to it was drawn last
    QList<QLineF> m_lines;
};

} // namespace

void paintCriticalPath(QPainter &painter, const Scene &scene)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (int index = 0; index < static_cast<int>(scene.content->groups.size()); ++index) {
        const LaneGroup &group = scene.group(index);
        if (!group.why)
            continue;
        // The steps follow each other without a gap: those in sight are found by bisection.
        const std::vector<simulate::PathStep> &steps = group.why->path.steps;
        PathLines path(scene, index);
        for (auto step =
                 std::partition_point(steps.begin(), steps.end(), [&](const auto &at) { return at.end <= scene.begin; });
             step != steps.end() && step->begin < scene.end; ++step)
            path.add(*step);
        const QList<QLineF> lines = path.take();
        const double width =
            std::min(kPathWidth, scene.layout.rows.empty() ? kPathWidth : scene.layout.rows.front().lane.height() / 5.0);
        painter.setPen(QPen(scene.colours->background, 2 * width, Qt::SolidLine, Qt::SquareCap));
        painter.drawLines(lines);
        painter.setPen(QPen(scene.colours->alarm, width, Qt::SolidLine, Qt::SquareCap));
        painter.drawLines(lines);
    }
    painter.restore();
}

} // namespace stagelens::ui
