// Lanes with their passes.
#include "ui/canvas/beside.h"
#include "ui/canvas/vector_plot.h"
#include "ui/timeline/box_painter.h"
#include "ui/timeline/rows/legs.h"
#include "ui/words/time_axis.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace stagelens::ui {
namespace {

/// Half opacity without alpha: edges do not shine through fills.
Colours pale(Colours colours)
{
    for (QColor &colour : colours.passes)
        colour = mix(colour, colours.lane, 0.5);
    colours.vocabulary = mix(colours.vocabulary, colours.lane, 0.5);
    colours.vocabularyHatch = mix(colours.vocabularyHatch, colours.lane, 0.5);
    colours.ink = mix(colours.ink, colours.lane, 0.5);
    return colours;
}

/// "+3.1 %" behind the end of each measured lane.
void paintExcess(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row)
{
    const QFontMetrics metrics(scene.font);
    if (row.group != 1 || row.lane.height() < metrics.ascent() || !isMeasuredBesidePredicted(*scene.content))
        return;
    const timeline::Lane &measured = scene.lane(row);
    const timeline::Lane &predicted = scene.group(0).timeline->lanes[static_cast<std::size_t>(row.device)];
    if (measured.end.empty() || predicted.end.empty() || predicted.end.back() <= 0)
        return;
    const base::Nanos end = std::max(measured.end.back(), measured.tailEnd);
    const double ratio = static_cast<double>(measured.end.back()) / static_cast<double>(predicted.end.back()) - 1;
    painter.setPen(scene.colours->ink);
    painter.setFont(scene.font);
    const QString text = percentText(ratio);
    const int width = metrics.horizontalAdvance(text);
    const double latest = scene.layout.axis.right() - width - 3.0;
    const QRectF place(std::min(scene.xAt(end) + 5, latest), row.lane.top(), width, row.lane.height());
    const int line = metrics.height();
    painter.fillRect(place.left() == latest // the lane ends at the window's edge: the figure stands on it
                         ? place.adjusted(-3, 0, 3, 0)
                         : QRectF(place.left() - 2, place.center().y() - line / 2.0, width + 4, line),
                     scene.colours->lane);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
}

void paintTracks(QPainter &painter, const Scene &scene)
{
    for (const TimelineLayout::Row &row : scene.layout.rows) {
        painter.fillRect(row.lane, scene.colours->lane);
        painter.fillRect(row.messages, scene.colours->band);
    }
    for (const base::Nanos mark : marks(scene.timeScale(), scene.begin, scene.end))
        for (const TimelineLayout::Row &row : scene.layout.rows)
            painter.fillRect(QRectF(std::floor(scene.xAt(mark)), row.lane.top(), 1, row.lane.height()), scene.colours->grid);
}

/// Where thousands of boxes have no labels, the lower half of the lanes is added by another thread.
void paintGroup(QPainter &painter, const Scene &scene, int group)
{
    constexpr std::size_t kMany = 4000;
    const bool faded = scene.group(group).faded || scene.content->stale;
    const Colours colours = faded ? pale(*scene.colours) : *scene.colours;
    BoxPainter upper(scene, group, colours, faded);
    std::vector<std::size_t> rows;
    std::size_t boxes = 0;
    for (std::size_t i = 0; i < scene.layout.rows.size(); ++i)
        if (scene.layout.rows[i].group == group && !scene.boxes[i].empty()) {
            rows.push_back(i);
            boxes += scene.boxes[i].size();
        }
    const auto add = [](BoxPainter &to, std::span<const std::size_t> some) {
        for (const std::size_t row : some)
            to.add(row);
    };
    if (isVector(painter.paintEngine()) || boxes < kMany ||
        !std::ranges::all_of(rows, [&](std::size_t row) { return upper.isUnlabelled(row); })) {
        add(upper, rows);
        return upper.draw(painter);
    }
    BoxPainter lower(scene, group, colours, faded);
    const std::span all(rows);
    const std::size_t half = all.size() / 2;
    runBeside([&] { add(upper, all.first(half)); }, [&] { add(lower, all.subspan(half)); });
    upper.draw(painter);
    lower.draw(painter);
}

} // namespace

void paintLanes(QPainter &painter, const Scene &scene)
{
    painter.save();
    painter.setClipRect(scene.layout.axis);
    paintTracks(painter, scene);
    for (int group = 0; group < static_cast<int>(scene.content->groups.size()); ++group)
        paintGroup(painter, scene, group);
    paintLegs(painter, scene);
    paintRowsBelow(painter, scene);
    if (scene.content->critical)
        paintCriticalPath(painter, scene);
    painter.restore();
}

void paintExcesses(QPainter &painter, const Scene &scene)
{
    if (!scene.layout.paired || scene.content->stale)
        return;
    painter.save();
    painter.setClipRect(scene.layout.axis);
    for (const TimelineLayout::Row &row : scene.layout.rows)
        paintExcess(painter, scene, row);
    painter.restore();
}

} // namespace stagelens::ui
