#include "ui/timeline/timeline_canvas.h"

#include "ui/canvas/painted_layer.h"
#include "ui/canvas/vector_plot.h"
#include "ui/timeline/held_activations.h"
#include "ui/words/tr.h"

#include <QPainter>

#include <algorithm>

namespace stagelens::ui {
namespace {

/// The lanes as a plottable of the time axis: clipped to it and drawn on the main layer.
class LanePlottable : public QCPAbstractPlottable {
public:
    LanePlottable(QCPAxis *time, QCPAxis *lanes, const Scene &scene) : QCPAbstractPlottable(time, lanes), m_scene(scene) {}
    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; } // TimelineView tests for hits itself
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        found = true;
        return {0, static_cast<double>(m_scene.span)};
    }
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        found = false;
        return {};
    }

protected:
    void draw(QCPPainter *painter) override { paintLanes(*painter, m_scene); }
    void drawLegendIcon(QCPPainter *, const QRectF &) const override {}

private:
    const Scene &m_scene;
};

void paintEmpty(QPainter &painter, const Scene &scene)
{
    painter.setPen(scene.colours->muted);
    painter.setFont(scene.font);
    painter.drawText(QRect({0, 0}, scene.layout.size), Qt::AlignCenter,
                     Words::tr("No plan to draw yet: it appears when the experiment is valid."));
}

bool isEmpty(const TimelineContent &content)
{
    return std::none_of(content.groups.begin(), content.groups.end(),
                        [](const LaneGroup &group) { return group.timeline && group.timeline->devices() > 0; });
}

void paintPicture(QPainter &painter, const Scene &scene)
{
    paintChrome(painter, scene);
    paintLanes(painter, scene);
    if (isEmpty(*scene.content))
        paintEmpty(painter, scene);
    paintFlags(painter, scene);
    if (!scene.layout.minimap.isEmpty()) {
        paintMinimap(painter, scene);
        paintMinimapFrame(painter, scene);
    }
}

} // namespace

TimelineCanvas::TimelineCanvas(QWidget *widget, ViewState *viewState)
    : m_widget(widget), m_viewState(viewState), m_plot(new QCustomPlot(widget))
{
    makeLayers();
}

/// A replot computes the scene (beforeReplot), then paints the layers: background, lanes (QCustomPlot's "main"), axes, overlay.
void TimelineCanvas::makeLayers()
{
    m_plot->setAttribute(Qt::WA_TransparentForMouseEvents); // the view itself answers the mouse
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setBackground(Qt::NoBrush);
    m_plot->setNotAntialiasedElements(QCP::aeAll);
    m_plot->axisRect()->setAutoMargins(QCP::msNone);
    for (QCPAxis *axis : m_plot->axisRect()->axes())
        axis->setVisible(false);
    new PaintedLayer(m_plot, QStringLiteral("background"), [this](QPainter &painter) {
        paintChrome(painter, m_scene);
        if (isEmpty(m_content))
            paintEmpty(painter, m_scene);
    });
    new LanePlottable(m_plot->xAxis, m_plot->yAxis, m_scene);
    new PaintedLayer(m_plot, QStringLiteral("axes"), [this](QPainter &painter) {
        paintFlags(painter, m_scene);
        paintMinimapImage(painter);
    });
    new PaintedLayer(m_plot, QStringLiteral("overlay"),
                     [this](QPainter &painter) { paintOverlay(painter, m_scene, m_overlay); });
    m_overlayLayer = m_plot->layer(QStringLiteral("overlay"));
    m_overlayLayer->setMode(QCPLayer::lmBuffered);
    m_plot->installEventFilter(m_widget);
    QObject::connect(m_plot, &QCustomPlot::afterReplot, m_widget, [this] { m_drawn = !isEmpty(m_content); });
    QObject::connect(m_plot, &QCustomPlot::beforeReplot, m_widget, [this] {
        m_scene = makeScene(m_widget->size(), m_widget->devicePixelRatioF(), Extent::Scrolled);
        const QRect &axis = m_scene.layout.axis;
        m_plot->setBackground(QBrush(m_scene.colours->background));
        m_plot->axisRect()->setMargins(QMargins(axis.left(), axis.top(), m_widget->width() - axis.right() - 1, 0));
        m_plot->xAxis->setRange(static_cast<double>(m_scene.begin), static_cast<double>(m_scene.end));
    });
}

Scene TimelineCanvas::makeScene(QSize size, double ratio, Extent extent) const
{
    Scene made;
    made.content = &m_content;
    made.sums = &m_sums;
    made.colours = &coloursFor(m_widget->palette());
    // In pixels, so that a printer's resolution does not change the size of text against the rest.
    made.font = m_widget->font();
    made.font.setPixelSize(QFontInfo(m_widget->font()).pixelSize());
    made.begin = m_viewState->begin();
    made.end = std::max(m_viewState->end(), m_viewState->begin() + 1);
    made.span = m_viewState->span();
    const bool all = extent == Extent::All;
    const LaneView view{all ? 0 : m_pitch, all ? 0 : m_scroll, m_viewState->pinned()};
    made.layout = layoutTimeline(m_content, size, QFontMetrics(made.font), view, made.isZoomed());
    made.ratio = ratio;
    made.prepare();
    return made;
}

void TimelineCanvas::paintMinimapImage(QPainter &painter)
{
    const QRect &map = m_scene.layout.minimap;
    if (map.isEmpty())
        return;
    if (!m_minimap.current || m_minimap.size != map.size() || m_minimap.colours != m_scene.colours ||
        m_minimap.span != m_scene.span) {
        m_minimap = {QImage(map.size() * m_scene.ratio, QImage::Format_RGB32), map.size(), m_scene.colours, m_scene.span, true};
        m_minimap.image.setDevicePixelRatio(m_scene.ratio);
        QPainter small(&m_minimap.image);
        small.translate(-map.topLeft());
        paintMinimap(small, m_scene);
    }
    painter.drawImage(map.topLeft(), m_minimap.image);
    paintMinimapFrame(painter, m_scene);
}

void TimelineCanvas::setContent(TimelineContent content)
{
    const bool hasSameLanes =
        std::ranges::equal(content.groups, m_content.groups, {}, &LaneGroup::timeline, &LaneGroup::timeline);
    m_content = std::move(content);
    m_scene.layout.rows.clear(); // until the next drawing it is unknown where a lane is
    std::vector<GroupSums> sums;
    for (const LaneGroup &group : m_content.groups) {
        // Only a new timeline is summed.
        const auto known =
            std::find_if(m_sums.begin(), m_sums.end(), [&](const GroupSums &old) { return old.timeline == group.timeline; });
        sums.push_back(known != m_sums.end() ? std::move(*known) : GroupSums::of(group.timeline));
        sums.back().colour(group, m_content.colourBy);
    }
    m_sums = std::move(sums);
    m_minimap.current = m_minimap.current && hasSameLanes;
}

void TimelineCanvas::countHeld()
{
    m_overlay.mostHeld = 0;
    for (const LaneGroup &group : m_content.groups)
        if (group.timeline)
            m_overlay.mostHeld = std::max(m_overlay.mostHeld, mostHeld(*group.timeline));
}

void TimelineCanvas::redraw()
{
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineCanvas::redrawOverlay()
{
    m_overlayLayer->replot();
}

void TimelineCanvas::scrollTo(int scroll)
{
    m_scroll = std::clamp(scroll, 0, m_scene.layout.greatestScroll());
    redraw();
}

void TimelineCanvas::scrollToLane(int group, int device)
{
    const TimelineLayout::Row *row = m_scene.layout.rowOf(group, device);
    if (row == nullptr || row->pinned)
        return;
    const TimelineLayout &layout = m_scene.layout;
    const int first = layout.axis.top() + layout.fixed;
    const int top = row->lane.top() + (row->covered ? layout.size.height() : 0);
    if (top < first)
        scrollTo(layout.scroll - (first - top));
    else if (row->lane.bottom() > layout.axis.bottom())
        scrollTo(layout.scroll + row->lane.bottom() - layout.axis.bottom());
}

void TimelineCanvas::arrangeLanes(int pitch, int device)
{
    m_pitch = pitch;
    m_scroll = std::max(pitch * device, 0); // the next drawing limits it to what is there
    redraw();
}

void TimelineCanvas::changePitch(int by)
{
    m_pitch = std::clamp(m_scene.layout.pitch + by, 6, 200);
    redraw();
}

void TimelineCanvas::render(QPainter &painter, QSize size) const
{
    const double ratio = isVector(painter.paintEngine()) ? 2 : painter.device()->devicePixelRatioF();
    Scene scene = makeScene(size, ratio, Extent::All);
    TimelineContent content = *scene.content;
    for (LaneGroup &group : content.groups)
        group.next.reset(); // an exported picture has nothing to click
    scene.content = &content;
    paintPicture(painter, scene);
}

} // namespace stagelens::ui
