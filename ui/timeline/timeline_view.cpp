#include "ui/timeline/timeline_view.h"

#include "ui/state/links.h"
#include "ui/timeline/accessible_timeline.h"
#include "ui/timeline/search_line.h"
#include "ui/timeline/timeline_input.h"
#include "ui/words/tr.h"

#include <QKeyEvent>

#include <algorithm>
#include <utility>

namespace stagelens::ui {
namespace {

/// What "fit" shows: until the latest end of groups, baseline, band and published result, and what the content asks for.
base::Nanos spanOf(const TimelineContent &content)
{
    base::Nanos span = content.baseline ? std::max(content.axis, content.baseline->end) : content.axis;
    if (content.measuredBaseline)
        span = std::max(span, content.measuredBaseline->end);
    if (content.band)
        span = std::max(span, content.band->to);
    if (content.published)
        span = std::max(span, content.published->end);
    for (const LaneGroup &group : content.groups)
        span = std::max(span, endOf(group));
    return span;
}

timeline::TimelinePtr timelineOf(const TimelineContent &content, int group)
{
    const auto index = static_cast<std::size_t>(group);
    return index < content.groups.size() ? content.groups[index].timeline : nullptr;
}

} // namespace

TimelineView::TimelineView(ViewState *state, QWidget *parent)
    : QWidget(parent), m_viewState(state), m_canvas(std::make_unique<TimelineCanvas>(this, state)),
      m_selection(std::make_unique<PassSelection>(m_canvas.get(), state)),
      m_mover(std::make_unique<PassMover>(this, state, m_canvas.get(), m_selection.get())),
      m_puller(std::make_unique<PassPuller>(this, state, m_canvas.get())),
      m_input(std::make_unique<TimelineInput>(this, state, m_canvas.get(), m_selection.get(), m_mover.get(), m_puller.get())),
      m_search(new SearchLine(this))
{
    registerAccessibleTimeline();
    setAccessibleName(Words::tr("Timeline"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(m_search, &SearchLine::found, this, [this](timeline::SliceId slice) {
        m_selection->show(m_viewState->selection() ? m_viewState->selection()->group : 0, slice);
    });
    connect(m_search, &SearchLine::closed, this, [this] { setFocus(Qt::ShortcutFocusReason); });
    connect(m_viewState, &ViewState::rangeChanged, this, [this] { m_canvas->redraw(); });
    connect(m_viewState, &ViewState::markChanged, this, [this] {
        m_canvas->overlay().mark = m_viewState->mark();
        m_canvas->redrawOverlay();
        announceSelection(this);
    });
    connect(m_viewState, &ViewState::bookmarksChanged, this, [this] {
        m_canvas->overlay().bookmarks = m_viewState->bookmarks();
        m_canvas->redrawOverlay();
    });
    connect(m_viewState, &ViewState::pinnedChanged, this, [this] { m_canvas->redraw(); });
    connect(m_viewState, &ViewState::playheadChanged, this, [this] {
        const bool begins = !m_canvas->overlay().playhead && m_viewState->playhead();
        m_canvas->overlay().playhead = m_viewState->playhead();
        if (begins)
            m_canvas->countHeld();
        m_canvas->redrawOverlay();
    });
    connect(m_viewState, &ViewState::followedChanged, this, [this] {
        m_canvas->overlay().followed = m_viewState->followed();
        m_canvas->redrawOverlay();
    });
    connect(m_viewState, &ViewState::selectionChanged, this, [this] {
        m_selection->update();
        announceSelection(this);
    });
}

TimelineView::~TimelineView() = default;

void TimelineView::setContent(TimelineContent content)
{
    const auto &gap = m_canvas->overlay().gap;
    const bool gapStays = gap && timelineOf(content, gap->group) == timelineOf(m_canvas->content(), gap->group);
    m_canvas->setContent(std::move(content));
    m_mover->forget();
    m_puller->keep();
    if (!gapStays)
        m_input->setGap(std::nullopt);
    m_search->setTimeline(timelineOf(m_canvas->content(), 0));
    m_selection->keep();
    if (m_canvas->overlay().playhead)
        m_canvas->countHeld();
    m_viewState->setSpan(spanOf(m_canvas->content()));
    m_canvas->plot()->replot(QCustomPlot::rpQueuedRefresh);
}

const TimelineContent &TimelineView::content() const
{
    return m_canvas->content();
}

QString TimelineView::describe(QPoint position) const
{
    return ui::describe(m_canvas->scene(), position);
}

QString TimelineView::describeRange() const
{
    if (!m_viewState->mark() || m_canvas->content().groups.empty())
        return {};
    Scene scene;
    scene.content = &m_canvas->content();
    scene.sums = &m_canvas->sums();
    return rangeWords(scene, m_viewState->mark()->begin, m_viewState->mark()->end);
}

void TimelineView::showLane(int device)
{
    m_canvas->scrollToLane(0, device);
    setFocus(Qt::OtherFocusReason);
}

void TimelineView::arrangeLanes(int pitch, int device)
{
    m_canvas->arrangeLanes(pitch, device);
}

void TimelineView::find()
{
    m_search->open();
    placeSearch();
}

QString TimelineView::describeSelection() const
{
    if (m_viewState->mark())
        return describeRange();
    if (m_selection->timeline() == nullptr)
        return Words::tr("No pass is selected: click one.");
    const ViewState::Selection selection = *m_viewState->selection();
    const LaneGroup &group = m_canvas->content().groups[static_cast<std::size_t>(selection.group)];
    return describeSlice(group, selection.slice, m_canvas->content().teachingUnits);
}

std::optional<NextStep> TimelineView::nextStep(const Headline &verdict) const
{
    return m_viewState->mark() ? std::nullopt : m_selection->nextStep(verdict);
}

void TimelineView::showPass(int group, timeline::SliceId pass)
{
    m_input->setGap(std::nullopt);
    m_selection->show(group, pass);
}

QRect TimelineView::placeOf(int group, timeline::SliceId slice) const
{
    const std::optional<QRectF> rect = rectOf(m_canvas->scene(), group, slice);
    return rect ? rect->toAlignedRect() : QRect();
}

QSize TimelineView::sizeHint() const
{
    // No higher than it must be: a page that wraps text is scrolled where the heights its parts ask for are missing.
    return {900, minimumSizeHint().height()};
}

QSize TimelineView::minimumSizeHint() const
{
    return {laneHeaderWidth(fontMetrics()) + 160, 160};
}

void TimelineView::setMoveJudge(MoveJudge judge)
{
    m_mover->setJudge(std::move(judge));
}

void TimelineView::answerMove(const service::PassMove &move, const QString &refusal)
{
    m_mover->answer(move, refusal);
}

void TimelineView::setPullable(bool on)
{
    m_puller->setEnabled(on);
}

void TimelineView::placeSearch()
{
    m_search->adjustSize();
    m_search->move(width() - m_search->width() - kRightMargin, m_canvas->scene().layout.ruler.bottom() + 6);
}

void TimelineView::render(QPainter *painter, QSize size)
{
    m_canvas->render(*painter, size);
}

bool TimelineView::eventFilter(QObject *watched, QEvent *event)
{
    // Queued, so that it comes when the window system has the picture.
    if (watched == m_canvas->plot() && event->type() == QEvent::Paint && m_canvas->takeDrawn())
        QMetaObject::invokeMethod(this, &TimelineView::painted, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_canvas->plot()->setGeometry(rect());
    if (m_search->isVisible())
        placeSearch();
}

void TimelineView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        m_canvas->redraw();
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    // The keypad's digits and arrows are those of the keyboard.
    if (!m_input->handleKey(event->key(), event->modifiers() & ~Qt::KeypadModifier))
        QWidget::keyPressEvent(event);
}

void TimelineView::wheelEvent(QWheelEvent *event)
{
    event->accept();
    m_input->wheel(*event);
}

void TimelineView::mousePressEvent(QMouseEvent *event)
{
    m_input->press(*event);
}

void TimelineView::mouseMoveEvent(QMouseEvent *event)
{
    m_input->move(*event);
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event)
{
    m_input->release(*event);
}

void TimelineView::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_input->leave();
}

void TimelineView::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    // The ring is for those who came with the keyboard.
    m_canvas->overlay().focused = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                                  event->reason() == Qt::ShortcutFocusReason;
    m_canvas->redrawOverlay();
}

void TimelineView::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    m_canvas->overlay().focused = false;
    m_canvas->redrawOverlay();
}

} // namespace stagelens::ui
