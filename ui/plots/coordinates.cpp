#include "ui/plots/coordinates.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagelens::ui {
namespace {

constexpr int kAxisReach = 9;         ///< left and right of an axis, in pixels
constexpr int kLineReach = 6;         ///< around a line
constexpr std::size_t kMostMarks = 4; ///< values of figures that each have a mark; of more there are round ones
constexpr int kSteps = 5;             ///< between round marks at most
constexpr double kWideRange = 30;     ///< greatest over least from which a scale is logarithmic

/// The least of 1, 2 and 5 times a power of ten that is not below a figure.
double roundStep(double least)
{
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double digit : {1, 2, 5})
        if (digit * power >= least)
            return digit * power;
    return 10 * power;
}

CoordinateScale scaleOf(const CoordinateAxis &axis, std::vector<double> values)
{
    CoordinateScale scale;
    if (!axis.names.isEmpty()) {
        scale.to = static_cast<double>(axis.names.size() - 1);
        for (qsizetype i = 0; i < axis.names.size(); ++i)
            scale.marks.push_back(static_cast<double>(i));
        return scale;
    }
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    if (values.empty())
        return scale;
    scale.from = values.front();
    scale.to = values.back();
    scale.isLogarithmic = scale.from > 0 && scale.to / scale.from >= kWideRange;
    if (values.size() <= kMostMarks) {
        scale.marks = std::move(values);
        return scale;
    }
    if (scale.isLogarithmic) {
        for (double power = std::pow(10, std::floor(std::log10(scale.from))); power <= scale.to; power *= 10)
            for (const double digit : {1, 2, 5})
                if (digit * power >= scale.from && digit * power <= scale.to)
                    scale.marks.push_back(digit * power);
        return scale;
    }
    const double step = roundStep((scale.to - scale.from) / axis.unit / kSteps) * axis.unit;
    const double first = std::ceil(scale.from / step) * step;
    for (int i = 0; i <= kSteps && first + i * step <= scale.to; ++i)
        scale.marks.push_back(first + i * step);
    return scale;
}

} // namespace

double CoordinateScale::share(double value) const
{
    if (to <= from)
        return 0.5;
    return isLogarithmic ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
}

void Coordinates::setContent(CoordinateContent content)
{
    std::map<QString, CoordinateRange> known;
    for (std::size_t axis = 0; axis < m_ranges.size(); ++axis)
        if (m_ranges[axis])
            known[m_content.axes[axis].name] = *m_ranges[axis];
    m_content = std::move(content);
    m_scales.clear();
    m_ranges.clear();
    for (std::size_t axis = 0; axis < m_content.axes.size(); ++axis) {
        std::vector<double> values;
        for (const CoordinateLine &line : m_content.lines)
            if (line.values[axis])
                values.push_back(*line.values[axis]);
        m_scales.push_back(scaleOf(m_content.axes[axis], std::move(values)));
        const auto range = known.find(m_content.axes[axis].name);
        m_ranges.push_back(range == known.end() ? std::nullopt : std::optional(range->second));
    }
    sort();
}

void Coordinates::setRange(std::size_t axis, std::optional<CoordinateRange> range)
{
    m_ranges[axis] = range;
    sort();
}

void Coordinates::clearRanges()
{
    std::ranges::fill(m_ranges, std::nullopt);
    sort();
}

void Coordinates::sort()
{
    constexpr double kRounding = 1e-9;
    m_kept.assign(m_content.lines.size(), true);
    for (std::size_t axis = 0; axis < m_ranges.size(); ++axis) {
        if (!m_ranges[axis])
            continue;
        for (std::size_t i = 0; i < m_kept.size(); ++i) {
            const std::optional<double> &value = m_content.lines[i].values[axis];
            const double share = value ? m_scales[axis].share(*value) : -1;
            if (share < m_ranges[axis]->from - kRounding || share > m_ranges[axis]->to + kRounding)
                m_kept[i] = false;
        }
    }
}

std::vector<qint64> Coordinates::kept() const
{
    std::vector<qint64> ids;
    for (std::size_t i = 0; i < m_content.lines.size(); ++i)
        if (m_kept[i])
            ids.push_back(m_content.lines[i].id);
    return ids;
}

const CoordinateLine *Coordinates::find(std::optional<qint64> id) const
{
    const auto found = id ? std::ranges::find(m_content.lines, *id, &CoordinateLine::id) : m_content.lines.end();
    return found == m_content.lines.end() ? nullptr : &*found;
}

void Coordinates::setPlace(QRect axes, int unknownY)
{
    m_place = axes;
    m_unknownY = unknownY;
}

double Coordinates::xOf(std::size_t axis) const
{
    // Names of values stand right of their axis: the last one needs as much room as the others.
    const auto count = static_cast<double>(std::max<std::size_t>(m_scales.size(), 1));
    return m_place.left() + m_place.width() * static_cast<double>(axis) / count;
}

double Coordinates::yOf(std::size_t axis, double value) const
{
    return m_place.bottom() - m_scales[axis].share(value) * m_place.height();
}

QPointF Coordinates::pointOf(const CoordinateLine &line, std::size_t axis) const
{
    const std::optional<double> &value = line.values[axis];
    return {xOf(axis), value ? yOf(axis, *value) : m_unknownY};
}

double Coordinates::shareAt(int y) const
{
    return std::clamp((m_place.bottom() - y) / static_cast<double>(std::max(m_place.height(), 1)), 0.0, 1.0);
}

std::optional<std::size_t> Coordinates::axisAt(QPoint point) const
{
    if (point.y() < m_place.top() - kAxisReach || point.y() > m_place.bottom() + kAxisReach)
        return std::nullopt;
    for (std::size_t axis = 0; axis < m_scales.size(); ++axis)
        if (std::abs(point.x() - xOf(axis)) <= kAxisReach)
            return axis;
    return std::nullopt;
}

const CoordinateLine *Coordinates::lineAt(QPoint point) const
{
    const CoordinateLine *nearest = nullptr;
    double least = kLineReach;
    for (std::size_t axis = 0; axis + 1 < m_scales.size(); ++axis) {
        const double left = xOf(axis);
        const double right = xOf(axis + 1);
        if (point.x() < left || point.x() > right)
            continue;
        const double part = (point.x() - left) / (right - left);
        for (std::size_t i = 0; i < m_content.lines.size(); ++i) {
            const CoordinateLine &line = m_content.lines[i];
            if (!m_kept[i])
                continue;
            const QPointF way = pointOf(line, axis + 1) - pointOf(line, axis);
            const double y = pointOf(line, axis).y() + part * way.y();
            const double distance = std::abs(y - point.y()) * way.x() / std::hypot(way.x(), way.y());
            if (distance < least) {
                least = distance;
                nearest = &line;
            }
        }
    }
    return nearest;
}

} // namespace stagelens::ui
