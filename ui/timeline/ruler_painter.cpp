// The ruler above the lanes, and the flags on it whose poles go through them.
#include "ui/timeline/scene.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

using timeline::Provenance;

class RulerPainter {
public:
    RulerPainter(QPainter &painter, const Scene &scene)
        : m_painter(painter), m_scene(scene), m_layout(scene.layout), m_colours(*scene.colours), m_metrics(scene.font)
    {}

    void ruler();
    void flags();

private:
    struct Label {
        QPointF baseline;
        double width = 0;
        QString text;
    };
    void steps();
    /// What stands on the ruler.
    [[nodiscard]] std::vector<Label> rulerLabels(const TimeScale &scale) const;
    /// A pole through the lanes; the ruler's text is left whole.
    void pole(base::Nanos end, const QColor &colour, Qt::PenStyle style);
    /// The band in which the end lies, through the lanes.
    void band(const EndBand &band);
    /// Draws a pole's text beside it where that covers no earlier one; true if it stands there.
    bool flag(base::Nanos end, const QString &text, const QColor &colour, Qt::PenStyle style, bool preferLeft);

    QPainter &m_painter;
    const Scene &m_scene;
    const TimelineLayout &m_layout;
    const Colours &m_colours;
    QFontMetrics m_metrics;
    std::vector<QRectF> m_flagTexts;
};

std::vector<RulerPainter::Label> RulerPainter::rulerLabels(const TimeScale &scale) const
{
    std::vector<Label> labels;
    for (const base::Nanos mark : marks(scale, m_scene.begin, m_scene.end)) {
        const QString text = markText(scale, mark);
        const int width = m_metrics.horizontalAdvance(text);
        // The first label stands right of its mark, so that it does not reach into the lane names.
        const double left = std::max(std::floor(m_scene.xAt(mark)) - width / 2.0, m_layout.ruler.left() + 0.0);
        if (left + width <= m_layout.size.width())
            labels.push_back({QPointF(left, m_layout.ruler.bottom() - 8), width + 0.0, text});
    }
    return labels;
}

void RulerPainter::ruler()
{
    const QRect &ruler = m_layout.ruler;
    const bool units = m_scene.content->teachingUnits;
    const TimeScale scale = m_scene.timeScale();
    m_painter.setFont(m_scene.font);
    m_painter.setPen(m_colours.muted);
    m_painter.drawText(QPointF(14, ruler.bottom() - 8), units ? Words::tr("Units") : Words::tr("Time"));
    const QString busy = Words::tr("busy");
    m_painter.drawText(QPointF(ruler.left() - 8 - m_metrics.horizontalAdvance(busy), ruler.bottom() - 8), busy);
    for (const base::Nanos mark : marks(scale, m_scene.begin, m_scene.end))
        m_painter.fillRect(QRectF(std::floor(m_scene.xAt(mark)), ruler.bottom() - 5, 1, 5), m_colours.muted);
    for (const Label &label : rulerLabels(scale))
        m_painter.drawText(label.baseline, label.text);
    if (!m_scene.content->groups.empty() && m_scene.content->groups.front().timeline)
        steps();
}

/// Marks where the steps after the first begin: their first pass, of any device.
void RulerPainter::steps()
{
    constexpr int kWide = 3;
    const QRect &ruler = m_layout.ruler;
    const int bottom = m_layout.rows.empty() ? ruler.bottom() : m_layout.rows.back().lane.bottom();
    for (const base::Nanos begin : m_scene.sumsOf(0).stepBegins) {
        if (begin < m_scene.begin || begin > m_scene.end)
            continue;
        const double x = std::floor(m_scene.xAt(begin));
        m_painter.fillRect(QRectF(x - kWide / 2, ruler.bottom() - 8, kWide, 8), m_colours.ink);
        m_painter.setPen(QPen(m_colours.ink, 1, Qt::DotLine));
        m_painter.drawLine(QPointF(x + 0.5, ruler.bottom()), QPointF(x + 0.5, std::min(bottom, m_layout.axis.bottom())));
    }
}

void RulerPainter::pole(base::Nanos end, const QColor &colour, Qt::PenStyle style)
{
    if (end < m_scene.begin || end > m_scene.end)
        return;
    const double x = std::floor(m_scene.xAt(end)) + 0.5;
    const QRect &ruler = m_layout.ruler;
    m_painter.setPen(QPen(colour, 1, style));
    const auto labels = rulerLabels(m_scene.timeScale());
    const bool crosses = std::ranges::any_of(
        labels, [x](const Label &label) { return x > label.baseline.x() - 2 && x < label.baseline.x() + label.width + 2; });
    const double below = crosses ? ruler.bottom() - 5.0 : m_layout.flags.top() + 2.0;
    if (crosses)
        m_painter.drawLine(QPointF(x, m_layout.flags.top() + 2), QPointF(x, ruler.bottom() - 8 - m_metrics.ascent()));
    m_painter.drawLine(QPointF(x, below), QPointF(x, m_layout.size.height()));
}

void RulerPainter::band(const EndBand &band)
{
    const double left = m_layout.axis.left();
    const double from = std::clamp(std::floor(m_scene.xAt(band.from)), left, m_layout.size.width() + 0.0);
    const double to = std::clamp(std::ceil(m_scene.xAt(band.to)), left, m_layout.size.width() + 0.0);
    if (to <= left || from >= m_layout.size.width())
        return;
    QColor veil = m_colours.focus;
    veil.setAlphaF(0.18F);
    const double top = m_layout.ruler.bottom() - 4.0;
    m_painter.fillRect(QRectF(from, top, std::max(to - from, 2.0), m_layout.size.height() - top), veil);
}

bool RulerPainter::flag(base::Nanos end, const QString &text, const QColor &colour, Qt::PenStyle style, bool preferLeft)
{
    if (end < m_scene.begin || end > m_scene.end)
        return false;
    const double x = std::floor(m_scene.xAt(end)) + 0.5;
    const QRect &row = m_layout.flags;
    const double width = m_metrics.horizontalAdvance(text) + 10.0;
    // Beside its pole, or where both sides are taken, before all others.
    double before = x - width;
    for (const QRectF &taken : m_flagTexts)
        before = std::min(before, taken.left() - width - 4);
    for (const double at : {preferLeft ? x - width : x, preferLeft ? x : x - width, before}) {
        const QRectF place(at, row.top() + 1, width, row.height() - 2);
        const bool fits = place.left() >= row.left() && place.right() <= m_layout.size.width();
        const bool isFree =
            std::none_of(m_flagTexts.begin(), m_flagTexts.end(), [&](const QRectF &taken) { return taken.intersects(place); });
        if (!fits || !isFree)
            continue;
        m_painter.fillRect(place, style == Qt::SolidLine ? colour : m_colours.background);
        m_painter.setPen(QPen(colour, 1, style));
        if (style != Qt::SolidLine)
            m_painter.drawRect(place.adjusted(0, 0, -1, -1));
        m_painter.setPen(style == Qt::SolidLine ? inkOn(colour) : colour);
        m_painter.drawText(place, Qt::AlignCenter, text);
        m_flagTexts.push_back(place);
        return true;
    }
    return false;
}

void RulerPainter::flags()
{
    const TimelineContent &content = *m_scene.content;
    m_painter.save();
    m_painter.setClipRect(QRect(m_layout.axis.left(), 0, m_layout.size.width() - m_layout.axis.left(), m_layout.size.height()));
    m_painter.setFont(m_scene.font);
    // Only a prediction's end is compared with the baseline's, which is one.
    const bool isPredicted = !content.groups.empty() && content.groups.front().timeline &&
                             content.groups.front().timeline->provenance == Provenance::Predicted;
    const base::Nanos now = isPredicted ? endOf(content.groups.front()) : 0;
    const base::Nanos base = content.baseline ? content.baseline->end : 0;
    const bool differs = now > 0 && base > 0 && now != base;
    const QColor &light = m_colours.muted;
    // The poles first: none runs through a text.
    if (content.band)
        band(*content.band);
    if (content.baseline)
        pole(base, light, Qt::SolidLine);
    if (content.measuredBaseline)
        pole(content.measuredBaseline->end, light, Qt::DashDotLine);
    if (differs)
        pole(now, m_colours.ink, Qt::SolidLine);
    if (content.published)
        pole(content.published->end, m_colours.ink, Qt::DotLine);
    if (content.ghost)
        pole(content.ghost->end, light, Qt::DashLine);
    // The baseline's flag says both ends; where it is out of sight, the plan's own end says it.
    const bool said = content.baseline && flag(base, content.baseline->text, light, Qt::SolidLine, false);
    if (differs && !said) {
        const double change = static_cast<double>(now) / static_cast<double>(base) - 1;
        flag(now, Words::tr("now %1, %2").arg(durationText(now, content.teachingUnits), percentText(change)), m_colours.ink,
             Qt::SolidLine, now < base);
    }
    if (content.measuredBaseline)
        flag(content.measuredBaseline->end, content.measuredBaseline->text, light, Qt::DashDotLine, true);
    if (content.published)
        flag(content.published->end, content.published->text, m_colours.ink, Qt::DotLine,
             content.published->end < std::max(now, base));
    if (content.band)
        flag(std::min(content.band->to, m_scene.end), content.band->text, m_colours.focus, Qt::DashLine, true);
    if (content.ghost)
        flag(content.ghost->end, content.ghost->text, light, Qt::DashLine, false);
    m_painter.restore();
}

/// The bar of a bookmark; empty where none of it is visible.
QRectF bookmarkBar(const Scene &scene, const ViewState::Mark &bookmark)
{
    constexpr double kHeight = 5;
    constexpr double kLeastWidth = 6;
    const QRect &ruler = scene.layout.ruler;
    if (bookmark.end < scene.begin || bookmark.begin > scene.end)
        return {};
    const double from = std::clamp(scene.xAt(bookmark.begin), ruler.left() + 0.0, ruler.right() + 1 - kLeastWidth);
    const double to = std::clamp(scene.xAt(bookmark.end), from + kLeastWidth, ruler.right() + 1.0);
    return {from, ruler.bottom() + 1 - kHeight, to - from, kHeight};
}

} // namespace

void paintBookmarks(QPainter &painter, const Scene &scene, const std::vector<ViewState::Mark> &bookmarks)
{
    for (const ViewState::Mark &bookmark : bookmarks)
        if (const QRectF bar = bookmarkBar(scene, bookmark); !bar.isEmpty()) {
            painter.fillRect(bar, scene.colours->background); // apart from its neighbours
            painter.fillRect(bar.adjusted(0.5, 0, -0.5, 0), scene.colours->focus);
        }
}

const ViewState::Mark *bookmarkAt(const Scene &scene, const std::vector<ViewState::Mark> &bookmarks, QPoint point)
{
    constexpr double kReach = 4; // above the bar
    const ViewState::Mark *found = nullptr;
    for (const ViewState::Mark &bookmark : bookmarks)
        if (const QRectF bar = bookmarkBar(scene, bookmark);
            bar.adjusted(0, -kReach, 0, 1).contains(point) &&
            (!found || bookmark.end - bookmark.begin < found->end - found->begin))
            found = &bookmark;
    return found;
}

void paintRuler(QPainter &painter, const Scene &scene)
{
    RulerPainter(painter, scene).ruler();
}

void paintFlags(QPainter &painter, const Scene &scene)
{
    painter.save();
    RulerPainter(painter, scene).flags();
    paintExcesses(painter, scene);
    painter.restore();
}

} // namespace stagelens::ui
