#include "ui/canvas/layout.h"
#include "ui/canvas/painted_layer.h"
#include "ui/canvas/vector_plot.h"
#include "ui/plots/copied_figures.h"
#include "ui/plots/memory_legend.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plots.h"
#include "ui/plots/stack_plottable.h"
#include "ui/state/view_state.h"
#include "ui/words/plain_text.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr int kLegendGap = 18;
constexpr int kMostTicks = 4;
/// A capacity further above what is held would press the stack flat: it is named, and not drawn.
constexpr double kCapacityWithin = 1.5;

} // namespace

class MemoryPlot::Private {
public:
    Private(MemoryPlot *plotWidget, ViewState *viewState);

    void refresh();
    void updateStyle();
    void arrange();
    [[nodiscard]] int left() const { return laneHeaderWidth(QFontMetrics(q->font())); }
    /// Of "Memory" before the caption.
    [[nodiscard]] int titleWidth() const
    {
        QFont bold = q->font();
        bold.setBold(true);
        return QFontMetrics(bold).horizontalAdvance(Words::tr("Memory "));
    }
    void fillDevices();
    [[nodiscard]] int shownDevice() const;
    [[nodiscard]] int worstDevice() const;
    void paintAround(QPainter &painter);
    void paintLegend(QPainter &painter);
    /// Places the names of the categories, in a second line where the first is full.
    void layoutLegend();
    void paintPeak(QPainter &painter);
    void paintLineNames(QPainter &painter);
    [[nodiscard]] QString peakText() const;
    [[nodiscard]] QString capacityText() const;
    /// Returns the words of the first row if they are cut off: where the profiles come from, the peak, the capacity.
    [[nodiscard]] QString hiddenWords() const;
    void paintPointer(QPainter &painter);
    [[nodiscard]] const simulate::MemoryStep *stepAt(base::Nanos time) const;
    /// The time under the pointer, if it is over the plot.
    [[nodiscard]] std::optional<base::Nanos> pointerTime() const;
    /// What is held at a time; null beside the iteration.
    [[nodiscard]] const simulate::MemoryStep *heldAt(base::Nanos time) const;
    /// "Peak: 3.2 GiB at 12 ms".
    [[nodiscard]] QString heldText(const simulate::MemoryStep &step, base::Nanos time) const;
    [[nodiscard]] QString description() const;

    MemoryPlot *q;
    ViewState *state;
    QCustomPlot *plot;
    QComboBox *devices;
    StackPlottable *stack;
    std::shared_ptr<const simulate::MemoryProfiles> profiles;    ///< null: none
    std::shared_ptr<const simulate::MemoryProfile> shownProfile; ///< what the stack draws
    MemoryGhost ghost;
    base::Bytes capacity = 0;
    base::Bytes baseline = 0;
    base::Bytes top = 1; ///< of the axis
    bool inMicrobatches = false;
    std::vector<double> activations;
    QString caption;
    std::vector<MemoryLegendEntry> legend;
    std::optional<int> pointer; ///< x of the mouse
    std::optional<int> dragFrom;
};

MemoryPlot::Private::Private(MemoryPlot *plotWidget, ViewState *viewState)
    : q(plotWidget), state(viewState), plot(new VectorPlot(q)), devices(new QComboBox(q)),
      stack(new StackPlottable(plot->xAxis, plot->yAxis))
{
    plot->setAttribute(Qt::WA_TransparentForMouseEvents);
    plot->setFocusPolicy(Qt::NoFocus);
    plot->axisRect()->setAutoMargins(QCP::msNone);
    plot->xAxis->setTickLabels(false);
    plot->xAxis->setTicks(false);
    plot->xAxis->grid()->setVisible(false);
    plot->yAxis->setTickLength(0);
    stack->state = state;
    new PaintedLayer(plot, QStringLiteral("axes"), [this](QPainter &painter) { paintAround(painter); });
    new PaintedLayer(plot, QStringLiteral("overlay"), [this](QPainter &painter) { paintPointer(painter); });
    plot->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    devices->setAccessibleName(Words::tr("Device whose memory is shown"));
    devices->setToolTip(Words::tr("Device whose memory is shown; it follows the selected pass"));
    connect(devices, &QComboBox::currentIndexChanged, q, [this] { refresh(); });
    connect(state, &ViewState::rangeChanged, q, [this] { plot->replot(QCustomPlot::rpQueuedReplot); });
    connect(state, &ViewState::selectionChanged, q, [this] {
        if (devices->currentIndex() <= 0)
            refresh();
    });
    connect(plot, &QCustomPlot::beforeReplot, q,
            [this] { plot->xAxis->setRange(static_cast<double>(state->begin()), static_cast<double>(state->end())); });
}

int MemoryPlot::Private::worstDevice() const
{
    const std::vector<base::Bytes> &peaks = profiles->peaks();
    return static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin());
}

int MemoryPlot::Private::shownDevice() const
{
    if (const int chosen = devices->currentIndex() - 1; chosen >= 0 && chosen < profiles->devices())
        return chosen;
    const auto &selection = state->selection();
    if (selection && selection->slice.device >= 0 && selection->slice.device < profiles->devices())
        return selection->slice.device;
    return worstDevice();
}

void MemoryPlot::Private::fillDevices()
{
    const int wanted = (profiles ? profiles->devices() : 0) + 1;
    if (devices->count() == wanted)
        return;
    const QSignalBlocker quiet(devices);
    const int before = devices->currentIndex();
    devices->clear();
    devices->addItem(Words::tr("Fullest"));
    for (int device = 0; device + 1 < wanted; ++device)
        devices->addItem(Words::tr("Device %1").arg(device));
    devices->setCurrentIndex(std::clamp(before, 0, wanted - 1));
}

void MemoryPlot::Private::refresh()
{
    devices->setVisible(profiles != nullptr);
    plot->axisRect()->setVisible(profiles != nullptr);
    shownProfile = profiles ? profiles->of(shownDevice()) : nullptr;
    // The list says which rule chose the device.
    const bool isSelected = state->selection() && profiles && state->selection()->slice.device < profiles->devices();
    devices->setItemText(0, isSelected ? Words::tr("Selected") : Words::tr("Fullest"));
    ghost.show(profiles ? shownDevice() : -1);
    stack->profile = shownProfile.get();
    stack->ghost = ghost.profile ? &*ghost.profile : nullptr;
    stack->capacity = capacity;
    stack->baseline = baseline;
    top = std::max<base::Bytes>({shownProfile ? shownProfile->peak() : 1, ghost.peak(), baseline, 1});
    if (profiles)
        top = std::max(top, *std::ranges::max_element(profiles->peaks()));
    if (static_cast<double>(capacity) <= kCapacityWithin * static_cast<double>(top))
        top = std::max(top, capacity);
    plot->yAxis->setRange(0, static_cast<double>(top) * 1.08);
    q->setAccessibleDescription(description());
    arrange();
    plot->replot(QCustomPlot::rpQueuedRefresh);
}

void MemoryPlot::Private::updateStyle()
{
    const Colours &colours = coloursFor(q->palette());
    stack->colours = &colours;
    applyStyle(*plot, colours);
    plot->yAxis->setBasePen(Qt::NoPen);
    arrange();
}

void MemoryPlot::Private::arrange()
{
    const QFontMetrics metrics(q->font());
    const int line = metrics.height();
    layoutLegend();
    q->setToolTip(plainTip(hiddenWords()));
    const int rows = legend.empty() ? 1 : legend.back().place.y() + 1;
    const int above = rows * line + 12;
    plot->axisRect()->setMargins(QMargins(left(), above, kRightMargin, 8));
    plot->yAxis->ticker()->setTickCount(std::clamp((q->height() - above - 8) / line, 2, kMostTicks)); // labels do not touch
    devices->setGeometry(8, line + 10, left() - metrics.horizontalAdvance(QStringLiteral("1000 MiB")) - 22,
                         devices->sizeHint().height());
    plot->setGeometry(q->rect()); // last: a new size paints at once
}

const simulate::MemoryStep *MemoryPlot::Private::stepAt(base::Nanos time) const
{
    const auto &steps = stack->profile->steps;
    const auto next = std::upper_bound(steps.begin(), steps.end(), time,
                                       [](base::Nanos at, const simulate::MemoryStep &step) { return at < step.time; });
    return next == steps.begin() ? nullptr : &*std::prev(next);
}

QString MemoryPlot::Private::peakText() const
{
    return inMicrobatches ? heldPeakText(shownDevice(), stack->profile->peak())
                          : memoryPeakText(shownDevice(), stack->profile->peak(), activations);
}

void MemoryPlot::Private::paintPeak(QPainter &painter)
{
    const QRect area = plot->axisRect()->rect();
    const double x = plot->xAxis->coordToPixel(static_cast<double>(peakTime(*stack->profile)));
    if (x < area.left() - 1 || x > area.right())
        return;
    const double y = plot->yAxis->coordToPixel(static_cast<double>(stack->profile->peak()));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(stack->colours->background, 1));
    painter.setBrush(stack->profile->peak() > capacity && capacity > 0 ? stack->colours->alarm : stack->colours->ink);
    painter.drawPolygon(QPolygonF{QPointF(x, y), QPointF(x - 5, y - 8), QPointF(x + 5, y - 8)});
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Names the lines across the plot, at their right end and above them where there is room.
void MemoryPlot::Private::paintLineNames(QPainter &painter)
{
    const QRect area = plot->axisRect()->rect();
    const QFontMetrics metrics(q->font());
    const auto write = [&](base::Bytes bytes, const QString &text) {
        const int y = static_cast<int>(std::floor(plot->yAxis->coordToPixel(static_cast<double>(bytes))));
        const int width = metrics.horizontalAdvance(text) + 8;
        const bool isAbove = y - metrics.height() >= area.top() - 2;
        const QRect place(area.right() - width, isAbove ? y - metrics.height() : y + 3, width, metrics.height());
        painter.setPen(stack->colours->muted);
        painter.fillRect(place, stack->colours->background);
        painter.drawText(place, Qt::AlignCenter, text);
    };
    const base::Bytes peak = stack->profile->peak();
    const auto highest = static_cast<base::Bytes>(plot->yAxis->range().upper);
    constexpr double kNear = 0.02; // then the line is the plan's own upper edge
    const auto differs = [&](base::Bytes line) {
        return std::abs(static_cast<double>(line - peak)) > kNear * static_cast<double>(std::max<base::Bytes>(peak, 1));
    };
    if (inMicrobatches)
        return;
    if (baseline > 0 && differs(baseline))
        write(baseline, Words::tr("baseline %1").arg(bytesText(static_cast<double>(baseline))));
    if (capacity > 0 && capacity <= highest)
        write(capacity, Words::tr("capacity %1").arg(bytesText(static_cast<double>(capacity))));
}

QString MemoryPlot::Private::capacityText() const
{
    return capacity > 0 ? Words::tr(" · capacity %1").arg(bytesText(static_cast<double>(capacity))) : QString();
}

QString MemoryPlot::Private::hiddenWords() const
{
    if (stack->profile == nullptr)
        return {};
    const QFontMetrics metrics(q->font());
    const QString words = peakText() + capacityText();
    const bool isCut = metrics.horizontalAdvance(words) > q->width() - kRightMargin - left() ||
                       titleWidth() + metrics.horizontalAdvance(caption) > left() - 16;
    return !isCut ? QString() : caption.isEmpty() ? words : caption + u'\n' + words;
}

void MemoryPlot::Private::layoutLegend()
{
    legend.clear();
    if (stack->profile == nullptr)
        return;
    const QFontMetrics metrics(q->font());
    const int from = left() + metrics.horizontalAdvance(peakText() + capacityText()) + kLegendGap + ghost.width(metrics);
    if (!inMicrobatches) // else there are activations only
        legend = memoryLegend(stack->profile->atPeak(), metrics, left(), from, q->width() - kRightMargin);
}

void MemoryPlot::Private::paintLegend(QPainter &painter)
{
    const Colours &colours = *stack->colours;
    const QFontMetrics metrics(q->font());
    const int size = metrics.ascent();
    const auto write = [&](int x, int row, const QString &text, const QColor &ink) {
        painter.setPen(ink);
        painter.drawText(QRect(x, row * metrics.height(), q->width() - x, metrics.height() + 8),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    const int room = q->width() - kRightMargin - left();
    const QString peak = elidedAtWords(peakText(), metrics, room);
    write(left(), 0, peak, colours.ink);
    if (peak == peakText()) {
        const int used = metrics.horizontalAdvance(peak);
        write(left() + used, 0, elidedAtWords(capacityText(), metrics, room - used),
              stack->profile->peak() > capacity ? colours.alarm : colours.muted);
    }
    ghost.paint(painter, colours, left() + metrics.horizontalAdvance(peakText() + capacityText()) + kLegendGap,
                metrics.height() + 8);
    for (const MemoryLegendEntry &entry : legend) {
        const QRect box(entry.place.x(), entry.place.y() * metrics.height() + (metrics.height() + 8 - size) / 2 + 1, size,
                        size);
        painter.fillRect(box, edgeOf(colours.memory[entry.category]));
        painter.fillRect(box.adjusted(1, 1, -1, -1), colours.memory[entry.category]);
        write(box.right() + 6, entry.place.y(), entry.text, colours.muted);
    }
}

void MemoryPlot::Private::paintAround(QPainter &painter)
{
    const Colours &colours = *stack->colours;
    if (stack->profile == nullptr) {
        paintSentence(painter, *q, colours, Words::tr("No plan to draw yet: it appears when the experiment is valid."));
        return;
    }
    QFont bold = q->font();
    bold.setBold(true);
    const QFontMetrics metrics(q->font());
    painter.setFont(bold);
    painter.setPen(colours.ink);
    const QRect title(8, 0, plot->axisRect()->left() - 16, metrics.height() + 8);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, Words::tr("Memory"));
    painter.setFont(q->font());
    painter.setPen(colours.muted);
    const int used = titleWidth();
    painter.drawText(title.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     elidedAtWords(caption, metrics, title.width() - used));
    paintLegend(painter);
    paintLineNames(painter);
    paintPeak(painter);
}

std::optional<base::Nanos> MemoryPlot::Private::pointerTime() const
{
    const QRect area = plot->axisRect()->rect();
    if (!pointer || stack->profile == nullptr || *pointer < area.left() || *pointer > area.right())
        return std::nullopt;
    return state->begin() + std::llround(static_cast<double>(*pointer - area.left()) *
                                         static_cast<double>(state->end() - state->begin()) / area.width());
}

const simulate::MemoryStep *MemoryPlot::Private::heldAt(base::Nanos time) const
{
    return time >= 0 && time <= stack->end ? stepAt(time) : nullptr;
}

QString MemoryPlot::Private::heldText(const simulate::MemoryStep &step, base::Nanos time) const
{
    const bool atPeak = step.total() == stack->profile->peak();
    return Words::tr("%1%2 at %3")
        .arg(atPeak ? Words::tr("Peak: ") : QString(),
             inMicrobatches ? microbatchesText(step.total()) : bytesText(static_cast<double>(step.total())),
             durationText(time, inMicrobatches));
}

QString MemoryPlot::Private::description() const
{
    if (stack->profile == nullptr)
        return Words::tr("No memory figures");
    if (inMicrobatches)
        return peakText();
    QString values = memoryTable({{{}, stack->profile->atPeak()}});
    return peakText() + capacityText() + QStringLiteral("; ") +
           values.replace(u'\t', u' ').replace(u'\n', QStringLiteral("; "));
}

void MemoryPlot::Private::paintPointer(QPainter &painter)
{
    const std::optional<base::Nanos> time = pointerTime();
    if (!time)
        return;
    const QRect area = plot->axisRect()->rect();
    const simulate::MemoryStep *step = heldAt(*time);
    const Colours &colours = *stack->colours;
    QColor line = colours.ink;
    line.setAlpha(110);
    painter.fillRect(QRect(*pointer, area.top(), 1, area.height()), line);
    if (step == nullptr)
        return;
    const QFontMetrics metrics(q->font());
    const QString text = heldText(*step, *time);
    const int width = metrics.horizontalAdvance(text) + 12;
    QRect tag(*pointer + 8, area.top() + 4, width, metrics.height() + 6);
    if (tag.right() > area.right())
        tag.moveRight(*pointer - 8);
    painter.fillRect(tag, colours.ink);
    painter.setPen(colours.background);
    painter.setFont(q->font());
    painter.drawText(tag, Qt::AlignCenter, text);
}

MemoryPlot::MemoryPlot(ViewState *state, QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this, state))
{
    setAccessibleName(Words::tr("Memory"));
    setMouseTracking(true);
    setMinimumHeight(90);
    new CopiedFigures(this, [this] { return figures(); });
    m_private->updateStyle();
    m_private->refresh();
}

MemoryPlot::~MemoryPlot() = default;

base::Bytes MemoryPlot::top() const
{
    return m_private->top;
}

void MemoryPlot::setContent(MemoryContent content)
{
    Private &d = *m_private;
    d.profiles = content.profiles && content.profiles->devices() > 0 ? std::move(content.profiles) : nullptr;
    d.inMicrobatches = content.inMicrobatches;
    d.plot->yAxis->setTicker(content.inMicrobatches ? QSharedPointer<QCPAxisTicker>(new MicrobatchTicker)
                                                    : QSharedPointer<QCPAxisTicker>(new BytesTicker));
    d.capacity = content.capacity;
    d.baseline = content.baseline;
    d.activations = std::move(content.activations);
    d.ghost.make = std::move(content.ghost);
    d.ghost.words = std::move(content.ghostWords);
    d.stack->end = content.end;
    d.caption = std::move(content.caption);
    d.fillDevices();
    d.refresh();
}

QString MemoryPlot::figures() const
{
    const Private &d = *m_private;
    if (d.stack->profile == nullptr)
        return {};
    QStringList lines{d.peakText() + d.capacityText()};
    if (!d.caption.isEmpty())
        lines.back() += QStringLiteral(" · ") + d.caption;
    const std::optional<base::Nanos> time = d.pointerTime();
    const simulate::MemoryStep *held = time ? d.heldAt(*time) : nullptr;
    if (d.inMicrobatches)
        return held == nullptr ? lines.front() : lines.front() + u'\n' + d.heldText(*held, *time);
    std::vector<MemoryMoment> moments{
        {Words::tr("at the peak, %1").arg(durationText(peakTime(*d.stack->profile))), d.stack->profile->atPeak()}};
    if (held != nullptr)
        moments.push_back({Words::tr("at %1").arg(durationText(*time)), held->bytes});
    lines << memoryTable(moments);
    if (d.baseline > 0)
        lines << Words::tr("baseline %1").arg(bytesText(static_cast<double>(d.baseline)));
    if (d.ghost.profile)
        lines << d.ghost.text();
    return lines.join(u'\n');
}

void MemoryPlot::keyPressEvent(QKeyEvent *event)
{
    const int by = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (by == 0 || m_private->profiles == nullptr)
        return QWidget::keyPressEvent(event);
    QComboBox &devices = *m_private->devices;
    devices.setCurrentIndex(std::clamp(devices.currentIndex() + by, 0, devices.count() - 1));
}

base::Bytes MemoryPlot::ghostPeak() const
{
    return m_private->ghost.peak();
}

void MemoryPlot::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->arrange();
}

void MemoryPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_private->updateStyle();
        m_private->plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

void MemoryPlot::wheelEvent(QWheelEvent *event)
{
    const QRect area = m_private->plot->axisRect()->rect();
    ViewState &state = *m_private->state;
    const double nanos = static_cast<double>(state.end() - state.begin()) / std::max(area.width(), 1);
    if ((event->modifiers() & Qt::ShiftModifier) != 0)
        state.pan(-std::llround(event->angleDelta().y() * nanos));
    else
        state.zoom(state.begin() + std::llround((event->position().x() - area.left()) * nanos),
                   std::pow(1.25, event->angleDelta().y() / 120.0));
    event->accept();
}

void MemoryPlot::mousePressEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        m_private->dragFrom = event->pos().x();
}

void MemoryPlot::mouseReleaseEvent(QMouseEvent *)
{
    m_private->dragFrom.reset();
}

void MemoryPlot::mouseMoveEvent(QMouseEvent *event)
{
    Private &d = *m_private;
    const int x = event->pos().x();
    if (d.dragFrom) {
        const double nanos = static_cast<double>(d.state->end() - d.state->begin()) / std::max(d.plot->axisRect()->width(), 1);
        d.state->pan(std::llround((*d.dragFrom - x) * nanos));
        d.dragFrom = x;
    }
    d.pointer = x;
    d.plot->layer(QStringLiteral("overlay"))->replot();
}

void MemoryPlot::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_private->pointer.reset();
    m_private->plot->layer(QStringLiteral("overlay"))->replot();
}

} // namespace stagelens::ui
