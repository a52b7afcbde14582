#include "ui/timeline/timeline_view.h"

#include "ui/canvas/vector_plot.h"

#include "ui/canvas/painted_layer.h"
#include "ui/state/links.h"
#include "ui/timeline/accessible_timeline.h"
#include "ui/timeline/held_activations.h"
#include "ui/timeline/search_line.h"
#include "ui/timeline/timeline_private.h"
#include "ui/words/tr.h"

#include <QPainter>

#include <algorithm>
#include <utility>

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
                     Words::tr("No plan to draw yet: choose a model and a schedule in the experiment."));
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

TimelineView::Private::Private(TimelineView *view, ViewState *viewState)
    : q(view), state(viewState), plot(new QCustomPlot(view))
{
    plot->setAttribute(Qt::WA_TransparentForMouseEvents); // the view itself answers the mouse
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setBackground(Qt::NoBrush);
    plot->setNotAntialiasedElements(QCP::aeAll);
    plot->axisRect()->setAutoMargins(QCP::msNone);
    for (QCPAxis *axis : plot->axisRect()->axes())
        axis->setVisible(false);
    new PaintedLayer(plot, QStringLiteral("background"), [this](QPainter &painter) {
        paintChrome(painter, scene);
        if (isEmpty(content))
            paintEmpty(painter, scene);
    });
    new LanePlottable(plot->xAxis, plot->yAxis, scene);
    new PaintedLayer(plot, QStringLiteral("axes"), [this](QPainter &painter) {
        paintFlags(painter, scene);
        paintMinimapPicture(painter);
    });
    new PaintedLayer(plot, QStringLiteral("overlay"), [this](QPainter &painter) { paintOverlay(painter, scene, overlay); });
    overlayLayer = plot->layer(QStringLiteral("overlay"));
    overlayLayer->setMode(QCPLayer::lmBuffered);
    plot->installEventFilter(q);
    connect(plot, &QCustomPlot::afterReplot, q, [this] { drawn = !isEmpty(content); });
    connect(plot, &QCustomPlot::beforeReplot, q, [this] {
        scene = makeScene(q->size(), q->devicePixelRatioF(), Extent::Scrolled);
        const QRect &axis = scene.layout.axis;
        plot->setBackground(QBrush(scene.colours->background));
        plot->axisRect()->setMargins(QMargins(axis.left(), axis.top(), q->width() - axis.right() - 1, 0));
        plot->xAxis->setRange(static_cast<double>(scene.begin), static_cast<double>(scene.end));
    });
}

Scene TimelineView::Private::makeScene(QSize size, double ratio, Extent extent) const
{
    Scene made;
    made.content = &content;
    made.sums = &sums;
    made.colours = &coloursFor(q->palette());
    // In pixels, so that a printer's resolution does not change the size of text against the rest.
    made.font = q->font();
    made.font.setPixelSize(QFontInfo(q->font()).pixelSize());
    made.begin = state->begin();
    made.end = std::max(state->end(), state->begin() + 1);
    made.span = state->span();
    const bool all = extent == Extent::All;
    made.layout = layoutTimeline(content, size, QFontMetrics(made.font), all ? 0 : pitch, all ? 0 : scroll, made.isZoomed());
    made.ratio = ratio;
    made.prepare();
    return made;
}

void TimelineView::Private::paintMinimapPicture(QPainter &painter)
{
    const QRect &map = scene.layout.minimap;
    if (map.isEmpty())
        return;
    if (!minimap.current || minimap.size != map.size() || minimap.colours != scene.colours || minimap.span != scene.span) {
        minimap = {QImage(map.size() * scene.ratio, QImage::Format_RGB32), map.size(), scene.colours, scene.span, true};
        minimap.image.setDevicePixelRatio(scene.ratio);
        QPainter small(&minimap.image);
        small.translate(-map.topLeft());
        paintMinimap(small, scene);
    }
    painter.drawImage(map.topLeft(), minimap.image);
    paintMinimapFrame(painter, scene);
}

void TimelineView::Private::placeSearch()
{
    search->adjustSize();
    search->move(q->width() - search->width() - kRightMargin, scene.layout.ruler.bottom() + 6);
}

void TimelineView::Private::countHeld()
{
    overlay.mostHeld = 0;
    for (const LaneGroup &group : content.groups)
        if (group.timeline)
            overlay.mostHeld = std::max(overlay.mostHeld, mostHeld(*group.timeline));
}

void TimelineView::Private::redraw()
{
    plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimelineView::Private::redrawOverlay()
{
    overlayLayer->replot();
}

const timeline::Timeline *TimelineView::Private::selectedTimeline() const
{
    const auto &selection = state->selection();
    if (!selection || selection->group < 0 || selection->group >= static_cast<int>(content.groups.size()))
        return nullptr;
    const timeline::TimelinePtr &timeline = content.groups[static_cast<std::size_t>(selection->group)].timeline;
    const timeline::SliceId slice = selection->slice;
    if (!timeline || slice.device < 0 || slice.device >= timeline->devices() ||
        slice.index >= timeline->lanes[static_cast<std::size_t>(slice.device)].size())
        return nullptr;
    return timeline.get();
}

void TimelineView::Private::keepSelection()
{
    const auto selection = state->selection();
    if (!selection)
        return;
    std::optional<timeline::SliceId> found;
    const auto group = static_cast<std::size_t>(selection->group);
    if (selectedPass && group < content.groups.size() && content.groups[group].timeline &&
        selection->slice.device < content.groups[group].timeline->devices())
        found = timeline::findSlice(*content.groups[group].timeline, *selectedPass, selection->slice.device);
    if (found)
        state->select(ViewState::Selection{selection->group, *found});
    else
        state->select(std::nullopt);
}

TimelineView::TimelineView(ViewState *state, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, state))
{
    registerAccessibleTimeline();
    setAccessibleName(Words::tr("Timeline"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    m_private->search = new SearchLine(this);
    connect(m_private->search, &SearchLine::found, this, [this, state](timeline::SliceId slice) {
        m_private->selectAndShow(state->selection() ? state->selection()->group : 0, slice);
    });
    connect(m_private->search, &SearchLine::closed, this, [this] { setFocus(Qt::ShortcutFocusReason); });
    connect(state, &ViewState::rangeChanged, this, [this] { m_private->redraw(); });
    connect(state, &ViewState::markChanged, this, [this, state] {
        m_private->overlay.mark = state->mark();
        m_private->redrawOverlay();
        announceSelection(this);
    });
    connect(state, &ViewState::playheadChanged, this, [this, state] {
        const bool begins = !m_private->overlay.playhead && state->playhead();
        m_private->overlay.playhead = state->playhead();
        if (begins)
            m_private->countHeld();
        m_private->redrawOverlay();
    });
    connect(state, &ViewState::followedChanged, this, [this, state] {
        m_private->overlay.followed = state->followed();
        m_private->redrawOverlay();
    });
    connect(state, &ViewState::selectionChanged, this, [this, state] {
        Private &d = *m_private;
        d.overlay.selection = d.selectedTimeline() != nullptr ? state->selection() : std::nullopt;
        d.selectedPass.reset();
        if (const timeline::Timeline *timeline = d.selectedTimeline()) {
            const timeline::SliceId slice = state->selection()->slice;
            d.selectedPass = timeline->lanes[static_cast<std::size_t>(slice.device)].pass[slice.index];
        }
        d.redrawOverlay();
        announceSelection(this);
    });
}

TimelineView::~TimelineView() = default;

void TimelineView::setContent(TimelineContent content)
{
    Private &d = *m_private;
    const auto timelineOf = [](const TimelineContent &of, int group) {
        const auto index = static_cast<std::size_t>(group);
        return index < of.groups.size() ? of.groups[index].timeline : nullptr;
    };
    const auto &gap = d.overlay.gap;
    const bool gapStays = gap && timelineOf(content, gap->group) == timelineOf(d.content, gap->group);
    const bool sameLanes = std::ranges::equal(content.groups, d.content.groups, {}, &LaneGroup::timeline, &LaneGroup::timeline);
    d.content = std::move(content);
    d.passHeld.reset();
    d.overlay.passDrag.reset();
    d.scene.layout.rows.clear(); // what stands where is not known again before the next drawing
    if (!gapStays)
        d.setGap(std::nullopt);
    std::vector<GroupSums> sums;
    base::Nanos span = d.content.baseline ? d.content.baseline->end : 0;
    if (d.content.band)
        span = std::max(span, d.content.band->to);
    if (d.content.published)
        span = std::max(span, d.content.published->end);
    for (const LaneGroup &group : d.content.groups) {
        // Only a timeline that was not there before is summed again.
        const auto known =
            std::find_if(d.sums.begin(), d.sums.end(), [&](const GroupSums &old) { return old.timeline == group.timeline; });
        sums.push_back(known != d.sums.end() ? std::move(*known) : GroupSums::of(group.timeline));
        sums.back().colour(group, d.content.colourBy);
        span = std::max(span, endOf(group));
    }
    d.sums = std::move(sums);
    d.minimap.current = d.minimap.current && sameLanes;
    d.search->setTimeline(d.content.groups.empty() ? nullptr : d.content.groups.front().timeline);
    d.keepSelection();
    if (d.overlay.playhead)
        d.countHeld();
    d.state->setSpan(span);
    d.plot->replot(QCustomPlot::rpQueuedRefresh);
}

const TimelineContent &TimelineView::content() const
{
    return m_private->content;
}

QString TimelineView::describe(QPoint position) const
{
    const std::optional<Hit> hit = hitTest(m_private->scene, position);
    return hit ? ui::describe(m_private->scene, *hit) : QString();
}

QString TimelineView::describeRange() const
{
    const Private &d = *m_private;
    if (!d.state->mark() || d.content.groups.empty())
        return {};
    Scene scene;
    scene.content = &d.content;
    scene.sums = &d.sums;
    return rangeWords(scene, d.state->mark()->begin, d.state->mark()->end);
}

void TimelineView::showLane(int device)
{
    m_private->scrollToLane(0, device);
    setFocus(Qt::OtherFocusReason);
}

void TimelineView::find()
{
    m_private->search->open();
    m_private->placeSearch();
}

QString TimelineView::describeSelection() const
{
    const Private &d = *m_private;
    if (d.state->mark())
        return describeRange();
    if (d.selectedTimeline() == nullptr)
        return Words::tr("No pass is selected: click one.");
    const ViewState::Selection selection = *d.state->selection();
    const LaneGroup &group = d.content.groups[static_cast<std::size_t>(selection.group)];
    return describeSlice(group, selection.slice, d.content.teachingUnits);
}

QRect TimelineView::placeOf(int group, timeline::SliceId slice) const
{
    const std::optional<QRectF> rect = rectOf(m_private->scene, group, slice);
    return rect ? rect->toAlignedRect() : QRect();
}

QSize TimelineView::sizeHint() const
{
    return {900, 420};
}

QSize TimelineView::minimumSizeHint() const
{
    return {laneHeaderWidth(fontMetrics()) + 160, 160};
}

void TimelineView::render(QPainter *painter, QSize size)
{
    const double ratio = isVector(painter->paintEngine()) ? 2 : painter->device()->devicePixelRatioF();
    paintPicture(*painter, m_private->makeScene(size, ratio, Private::Extent::All));
}

bool TimelineView::eventFilter(QObject *watched, QEvent *event)
{
    // Queued, so that it comes when the window system has the picture.
    if (watched == m_private->plot && event->type() == QEvent::Paint && std::exchange(m_private->drawn, false))
        QMetaObject::invokeMethod(this, &TimelineView::painted, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->plot->setGeometry(rect());
    if (m_private->search->isVisible())
        m_private->placeSearch();
}

void TimelineView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        m_private->redraw();
}

} // namespace stagelens::ui
