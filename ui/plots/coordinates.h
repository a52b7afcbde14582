// Parallel coordinates without a widget: an upright axis for each quantity, a line through the figures of each thing that has
// them, and ranges of the axes that lines must pass.
#pragma once

#include <QPointF>
#include <QRect>
#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

namespace stagelens::ui {

struct CoordinateAxis {
    QString name;
    QStringList names;                   ///< of the values 0, 1, …; empty: the values are figures
    std::function<QString(double)> text; ///< of a figure
    double unit = 1;                     ///< marks are round multiples of it: 1024 * 1024 for memory
};

struct CoordinateLine {
    qint64 id = 0;
    std::vector<std::optional<double>> values; ///< one for each axis; an unknown one is drawn below the axis
    std::size_t series = 0;                    ///< decides the colour
    QString words;                             ///< of the hover panel
};

struct CoordinateContent {
    std::vector<CoordinateAxis> axes;
    std::vector<CoordinateLine> lines;
    QStringList series;
    QString empty; ///< the sentence in the place of lines
};

/// Where the values of an axis stand, from 0 at its foot to 1.
struct CoordinateScale {
    double from = 0;
    double to = 1;
    bool isLogarithmic = false; ///< the greatest figure is many times the least
    std::vector<double> marks;

    [[nodiscard]] double share(double value) const;
};

/// A part of an axis, from 0 at its foot to 1.
struct CoordinateRange {
    double from = 0;
    double to = 1;
};

class Coordinates {
public:
    /// Ranges stay on axes that have the same names.
    void setContent(CoordinateContent content);
    [[nodiscard]] const CoordinateContent &content() const { return m_content; }
    [[nodiscard]] const std::vector<CoordinateScale> &scales() const { return m_scales; }
    /// One for each axis.
    [[nodiscard]] const std::vector<std::optional<CoordinateRange>> &ranges() const { return m_ranges; }
    void setRange(std::size_t axis, std::optional<CoordinateRange> range);
    void clearRanges();
    /// Whether a line passes all ranges, by its index. An unknown value is in no range.
    [[nodiscard]] bool isKept(std::size_t line) const { return m_kept[line]; }
    /// Returns the lines that do, in their order.
    [[nodiscard]] std::vector<qint64> kept() const;
    [[nodiscard]] const CoordinateLine *find(std::optional<qint64> id) const;

    /// The axes' rectangle: from the first axis to the right end of the last one's names, in pixels.
    void setPlace(QRect axes, int unknownY);
    [[nodiscard]] const QRect &place() const { return m_place; }
    [[nodiscard]] int unknownY() const { return m_unknownY; }
    [[nodiscard]] double xOf(std::size_t axis) const;
    [[nodiscard]] double yOf(std::size_t axis, double value) const;
    [[nodiscard]] QPointF pointOf(const CoordinateLine &line, std::size_t axis) const;
    [[nodiscard]] double shareAt(int y) const;
    /// The axis near a point.
    [[nodiscard]] std::optional<std::size_t> axisAt(QPoint point) const;
    /// The nearest line that is kept, within a few pixels; null if there is none.
    [[nodiscard]] const CoordinateLine *lineAt(QPoint point) const;

private:
    void sort();

    CoordinateContent m_content;
    std::vector<CoordinateScale> m_scales;
    std::vector<std::optional<CoordinateRange>> m_ranges;
    std::vector<bool> m_kept;
    QRect m_place;
    int m_unknownY = 0;
};

} // namespace stagelens::ui
