// The whole iteration, small.
#include "ui/timeline/scene.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagelens::ui {
namespace {

constexpr int kMinimapColumn = 3; ///< pixels of the minimap's columns
constexpr double kShadePower = 0.6;

} // namespace

QColor columnColour(const DensityColumn &column, const Colours &colours)
{
    const auto &kinds = column.work.kinds;
    const auto most = std::max_element(kinds.begin(), kinds.end());
    const bool vocabulary = column.work.hiddenVocabulary > *most;
    const base::Nanos busy = std::accumulate(kinds.begin(), kinds.end(), column.work.hiddenVocabulary);
    const QColor &colour = vocabulary ? colours.vocabulary : colours.passes[static_cast<std::size_t>(most - kinds.begin())];
    const double share = std::round(16.0 * static_cast<double>(busy) / static_cast<double>(column.span)) / 16.0;
    // A lane of a few pixels that is busy for a tenth of the time is still seen.
    return mix(colour, colours.lane, std::pow(std::min(share, 1.0), kShadePower));
}

QColor mixedColour(const DensityColumn &column, const Colours &colours, const std::vector<QColor> &classes)
{
    const auto &times = column.work.kinds;
    base::Nanos sum = std::max<base::Nanos>(column.span - std::accumulate(times.begin(), times.end(), base::Nanos{0}), 0);
    QColor mixed = colours.lane; // idle time first; each class then takes its share of all so far
    for (std::size_t each = 0; each < times.size(); ++each) {
        sum += times[each];
        if (times[each] > 0)
            mixed = mix(each < classes.size() ? classes[each] : colours.muted, mixed,
                        static_cast<double>(times[each]) / static_cast<double>(sum));
    }
    return mixed;
}

void paintMinimap(QPainter &painter, const Scene &scene)
{
    const QRect &map = scene.layout.minimap;
    painter.fillRect(map, scene.colours->lane);
    if (map.isEmpty() || scene.content->groups.empty() || scene.span <= 0)
        return;
    int lanes = 0;
    for (const GroupSums &sums : *scene.sums)
        lanes += static_cast<int>(sums.lanes.size());
    // Of more lanes than pixels some stand for all.
    const int step = std::max(1, (lanes + map.height() - 1) / map.height());
    const double pitch = static_cast<double>(map.height()) / ((lanes + step - 1) / step + 0.0);
    int line = 0;
    for (const GroupSums &sums : *scene.sums) {
        for (std::size_t device = 0; device < sums.lanes.size(); device += static_cast<std::size_t>(step), ++line) {
            const LaneWindow window{0, scene.span, map.width(), 2, 0};
            const base::Nanos gap = timeAt(window, 2 * kMinimapColumn);
            const double top = map.top() + line * pitch;
            for (const DensityColumn &column :
                 densityColumns(sums.timeline->lanes[device], sums.lanes[device], window, kMinimapColumn, gap))
                painter.fillRect(QRectF(map.left() + column.x, top, column.width, std::max(pitch - 0.5, 1.0)),
                                 columnColour(column, *scene.colours));
        }
    }
}

} // namespace stagelens::ui
