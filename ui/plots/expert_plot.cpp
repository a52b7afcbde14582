#include "ui/plots/expert_plot.h"

#include "ui/canvas/painted_layer.h"
#include "ui/canvas/vector_plot.h"
#include "ui/plots/copied_figures.h"
#include "ui/plots/plot_style.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using timeline::RouterCounts;
using timeline::RouterStepPtr;

namespace {

/// Loads drawn with the full colour, relative to the mean.
constexpr double kFullLoad = 2;
/// Rows of the picture: of more experts, adjacent ones are drawn as one.
constexpr int kMostBands = 512;
/// Columns of the picture: of more steps, consecutive ones are drawn as one.
constexpr std::size_t kMostColumns = 1024;
constexpr std::array kCurveNames{QT_TRANSLATE_NOOP("Words", "busiest above the mean"),
                                 QT_TRANSLATE_NOOP("Words", "router entropy"), QT_TRANSLATE_NOOP("Words", "dropped rows")};

double total(const std::vector<std::int64_t> &rows)
{
    return static_cast<double>(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
}

} // namespace

class ExpertPlot::Private {
public:
    /// The layers of consecutive steps added up.
    struct Column {
        int first = 0; ///< step, from 0
        int last = 0;
        std::vector<RouterCounts> layers;
    };

    static std::vector<Column> columnsOf(const std::vector<RouterStepPtr> &steps);
    explicit Private(ExpertPlot *plotWidget);
    void arrange();
    void refresh();
    void fillLoads();
    void fillCurves();
    void paintAround(QPainter &painter);
    void paintCurveNames(QPainter &painter, int line);
    /// Returns the loads of a layer's parts in a column; empty if the layer has no experts.
    [[nodiscard]] std::vector<double> loads(std::size_t column, std::size_t layer) const;
    [[nodiscard]] double greatestLoad(std::size_t column) const;
    [[nodiscard]] QString partName() const { return ranks > 1 ? Words::tr("expert rank") : Words::tr("expert"); }
    [[nodiscard]] int bands() const { return static_cast<int>(layers.size()) * parts; }

    ExpertPlot *q;
    QCustomPlot *plot;
    QCPAxisRect *right;
    QCPColorMap *map;
    std::array<QCPGraph *, kCurveNames.size()> curves{};
    const Colours *colours = nullptr;
    std::vector<Column> columns;
    std::vector<std::size_t> layers; ///< that have experts
    int ranks = 1;
    int parts = 1; ///< of a layer: expert ranks, or experts
    QString caption;
};

ExpertPlot::Private::Private(ExpertPlot *plotWidget)
    : q(plotWidget), plot(new VectorPlot(q)), right(new QCPAxisRect(plot)), map(new QCPColorMap(plot->xAxis, plot->yAxis))
{
    plot->setAttribute(Qt::WA_TransparentForMouseEvents);
    plot->setFocusPolicy(Qt::NoFocus);
    plot->plotLayout()->addElement(0, 1, right);
    plot->plotLayout()->setColumnStretchFactor(0, 1.6);
    plot->plotLayout()->setColumnSpacing(0);
    for (QCPAxisRect *rect : {plot->axisRect(), right}) {
        rect->setAutoMargins(QCP::msNone);
        QCPAxis *steps = rect->axis(QCPAxis::atBottom);
        steps->setTicker(QSharedPointer<IntegerTicker>::create());
        steps->ticker()->setTickCount(5);
        steps->grid()->setVisible(false);
        steps->setTickLength(0);
        rect->axis(QCPAxis::atLeft)->setTickLength(0);
    }
    plot->yAxis->setRangeReversed(true); // the first layer is on top
    plot->yAxis->setTicks(false);
    plot->yAxis->setTickLabels(false);
    plot->yAxis->grid()->setVisible(false);
    right->axis(QCPAxis::atLeft)->setTicker(QSharedPointer<PercentTicker>::create());
    map->setInterpolate(false);
    map->setTightBoundary(false);
    for (QCPGraph *&curve : curves)
        curve = plot->addGraph(right->axis(QCPAxis::atBottom), right->axis(QCPAxis::atLeft));
    new PaintedLayer(plot, u"axes"_s, [this](QPainter &painter) { paintAround(painter); });
}

std::vector<ExpertPlot::Private::Column> ExpertPlot::Private::columnsOf(const std::vector<RouterStepPtr> &steps)
{
    std::vector<Column> columns;
    const std::size_t each = (steps.size() + kMostColumns - 1) / kMostColumns;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i % each == 0)
            columns.push_back({steps[i]->step, steps[i]->step, steps[i]->layers});
        columns.back().last = steps[i]->step;
        for (std::size_t layer = 0; i % each != 0 && layer < std::min(columns.back().layers.size(), steps[i]->layers.size());
             ++layer)
            columns.back().layers[layer].add(steps[i]->layers[layer]);
    }
    return columns;
}

std::vector<double> ExpertPlot::Private::loads(std::size_t column, std::size_t layer) const
{
    const std::vector<RouterCounts> &all = columns[column].layers;
    return layer < all.size() ? timeline::relativeLoads(all[layer], parts) : std::vector<double>();
}

double ExpertPlot::Private::greatestLoad(std::size_t column) const
{
    double most = 0;
    for (const std::size_t layer : layers)
        for (const double load : loads(column, layer))
            most = std::max(most, load);
    return most;
}

void ExpertPlot::Private::arrange()
{
    const QFontMetrics metrics(q->font());
    const int line = metrics.height();
    const int left = leftMargin(metrics, Words::tr("layer"));
    plot->axisRect()->setMargins(QMargins(left, line + 12, 12, line + 8));
    right->setMargins(QMargins(left, 2 * line + 14, 12, line + 8));
    plot->setGeometry(q->rect()); // last: a new size paints at once
}

void ExpertPlot::Private::fillLoads()
{
    map->data()->clear();
    if (bands() == 0)
        return;
    map->data()->setSize(static_cast<int>(columns.size()), bands());
    map->data()->setRange(QCPRange(columns.front().first + 1, std::max(columns.back().first, columns.front().first) + 1),
                          QCPRange(0, bands() - 1));
    for (std::size_t column = 0; column < columns.size(); ++column) {
        int band = 0;
        for (const std::size_t layer : layers) {
            std::vector<double> each = loads(column, layer);
            each.resize(static_cast<std::size_t>(parts));
            for (const double load : each)
                map->data()->setCell(static_cast<int>(column), band++, load);
        }
    }
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setColorStopAt(0, colours->lane);
    gradient.setColorStopAt(1 / kFullLoad, mix(colours->expert, colours->lane, 0.45));
    gradient.setColorStopAt(1, mix(colours->expert, colours->ink, 0.75));
    map->setGradient(gradient);
    map->setDataRange(QCPRange(0, kFullLoad));
    const double half = columns.size() > 1 ? 0.5 * (columns[1].first - columns[0].first) : 0.5;
    plot->xAxis->setRange(columns.front().first + 1 - half, columns.back().first + 1 + half);
    plot->yAxis->setRange(-0.5, bands() - 0.5);
}

void ExpertPlot::Private::fillCurves()
{
    std::array<QVector<double>, kCurveNames.size()> values;
    QVector<double> keys;
    double most = 5;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        double entropy = 0;
        double dropped = 0;
        double rows = 0;
        for (const std::size_t layer : layers) {
            if (layer >= columns[column].layers.size())
                continue;
            const RouterCounts &counts = columns[column].layers[layer];
            entropy += timeline::relativeEntropy(counts) / static_cast<double>(layers.size());
            dropped += static_cast<double>(counts.dropped);
            rows += total(counts.rows);
        }
        keys.push_back(columns[column].first + 1);
        const std::array shares{std::max(greatestLoad(column) - 1, 0.0), entropy, rows > 0 ? dropped / rows : 0};
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i].push_back(100 * shares[i]);
            most = std::max(most, values[i].back());
        }
    }
    for (std::size_t i = 0; i < curves.size(); ++i) {
        curves[i]->setData(keys, values[i], true);
        curves[i]->setPen(QPen(curveColour(*colours, i), 1.8));
        curves[i]->setScatterStyle(keys.size() == 1 ? QCPScatterStyle(QCPScatterStyle::ssDisc, 5) : QCPScatterStyle());
    }
    right->axis(QCPAxis::atLeft)->setRange(0, 1.05 * most);
    right->axis(QCPAxis::atBottom)->setRange(plot->xAxis->range());
}

void ExpertPlot::Private::refresh()
{
    colours = &coloursFor(q->palette());
    applyStyle(*plot, *colours);
    for (QCPAxisRect *rect : {plot->axisRect(), right})
        rect->axis(QCPAxis::atLeft)->setBasePen(Qt::NoPen);
    const bool shown = bands() > 0;
    plot->axisRect()->setVisible(shown);
    right->setVisible(shown);
    map->setVisible(shown);
    fillLoads();
    if (shown)
        fillCurves();
    arrange();
    plot->replot(QCustomPlot::rpQueuedRefresh);
}

void ExpertPlot::Private::paintCurveNames(QPainter &painter, int line)
{
    const QFontMetrics metrics(q->font());
    int x = right->outerRect().left() + 12;
    int y = 4;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const auto &data = *curves[i]->data();
        const double last = data.isEmpty() ? 0 : std::prev(data.constEnd())->value;
        const QString text = u"%1 %2 %"_s.arg(Words::tr(kCurveNames[i])).arg(last, 0, 'f', last < 9.95 ? 1 : 0);
        const int needed = 22 + metrics.horizontalAdvance(text);
        if (x + needed > right->outerRect().right() && x > right->outerRect().left() + 12) {
            x = right->outerRect().left() + 12;
            y += line;
        }
        if (y > line + 4)
            break;
        painter.fillRect(QRect(x, y + line / 2 - 1, 16, 2), curveColour(*colours, i));
        painter.setPen(colours->muted);
        painter.drawText(QRect(x + 22, y, needed, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += needed + 14;
    }
}

void ExpertPlot::Private::paintAround(QPainter &painter)
{
    if (bands() == 0) {
        paintSentence(painter, *q, *colours, Words::tr("No load of experts yet: F5 trains this plan and records its routers."));
        return;
    }
    const QFontMetrics metrics(q->font());
    const int line = metrics.height();
    const QRect area = plot->axisRect()->rect();
    QFont bold = q->font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(colours->ink);
    const QString head = Words::tr("Load of experts");
    const int used = QFontMetrics(bold).horizontalAdvance(head) + 12;
    painter.drawText(QRect(10, 0, area.right(), line + 8), Qt::AlignLeft | Qt::AlignVCenter, head);
    painter.setFont(q->font());
    painter.setPen(colours->muted);
    const int room = area.right() - 10 - used;
    const QString of = Words::tr("%1 · full colour: %2x the mean of the layer").arg(caption).arg(kFullLoad);
    painter.drawText(QRect(10 + used, 0, room, line + 8), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(of, Qt::ElideRight, room));
    paintCurveNames(painter, line);
    painter.setPen(colours->muted);
    for (const QCPAxisRect *rect : {plot->axisRect(), right})
        painter.drawText(QRect(rect->outerRect().left(), rect->rect().bottom() + 4,
                               rect->rect().left() - rect->outerRect().left() - 8, line),
                         Qt::AlignRight | Qt::AlignVCenter, Words::tr("step"));
    // Names of layers as far as there is room, and lines between layers.
    const double height = static_cast<double>(area.height()) / static_cast<double>(layers.size());
    int free = area.top() - line;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const double top = area.top() + static_cast<double>(i) * height;
        if (i > 0 && height >= 6)
            painter.fillRect(QRectF(area.left(), std::floor(top), area.width(), 1), colours->background);
        const int y = static_cast<int>(std::lround(top + height / 2)) - line / 2;
        if (y < free)
            continue;
        const QString name = i == 0 ? Words::tr("layer %1").arg(layers[i]) : QString::number(layers[i]);
        painter.drawText(QRect(0, y, area.left() - 8, line), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.horizontalAdvance(name) <= area.left() - 8 ? name : QString::number(layers[i]));
        free = y + line;
    }
}

ExpertPlot::ExpertPlot(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    setAccessibleName(Words::tr("Load of experts"));
    setMinimumHeight(90);
    new CopiedFigures(this, [this] { return figures(); });
    m_private->refresh();
}

ExpertPlot::~ExpertPlot() = default;

void ExpertPlot::setSteps(std::vector<RouterStepPtr> steps, int ranks, QString caption)
{
    Private &d = *m_private;
    d.columns = Private::columnsOf(steps);
    d.caption = std::move(caption);
    d.ranks = std::max(ranks, 1);
    d.layers.clear();
    std::size_t experts = 1;
    for (std::size_t layer = 0; !steps.empty() && layer < steps.back()->layers.size(); ++layer)
        if (const auto &rows = steps.back()->layers[layer].rows; !rows.empty()) {
            d.layers.push_back(layer);
            experts = rows.size();
        }
    d.parts = d.ranks > 1 ? d.ranks : static_cast<int>(experts);
    while (d.bands() > kMostBands && d.parts % 2 == 0)
        d.parts /= 2;
    d.refresh();
    QString value = Words::tr("No load of experts yet");
    if (d.bands() > 0)
        value = Words::tr("%1: the busiest %2 of step %3 has %4 the mean of its layer")
                    .arg(d.caption, d.partName())
                    .arg(d.columns.back().last + 1)
                    .arg(factorText(d.greatestLoad(d.columns.size() - 1)));
    setAccessibleDescription(value);
}

QString ExpertPlot::textAt(QPoint point) const
{
    const Private &d = *m_private;
    const QRect area = d.plot->axisRect()->rect();
    if (d.bands() == 0 || !area.contains(point))
        return {};
    int column = 0;
    int band = 0;
    d.map->data()->coordToCell(d.plot->xAxis->pixelToCoord(point.x()), d.plot->yAxis->pixelToCoord(point.y()), &column, &band);
    column = std::clamp(column, 0, static_cast<int>(d.columns.size()) - 1);
    band = std::clamp(band, 0, d.bands() - 1);
    const Private::Column &shown = d.columns[static_cast<std::size_t>(column)];
    const std::size_t layer = d.layers[static_cast<std::size_t>(band / d.parts)];
    const std::vector<double> loads = d.loads(static_cast<std::size_t>(column), layer);
    const auto part = static_cast<std::size_t>(band % d.parts);
    if (part >= loads.size())
        return {};
    const RouterCounts &counts = shown.layers[layer];
    const double rows = loads[part] * total(counts.rows) / d.parts;
    const QString when = shown.first == shown.last ? Words::tr("step %1").arg(shown.first + 1)
                                                   : Words::tr("steps %1 to %2").arg(shown.first + 1).arg(shown.last + 1);
    QString text = Words::tr("%1, layer %2, %3 %4: %5 rows, %6 the mean of its layer")
                       .arg(when, QString::number(layer), d.partName(), QString::number(part), countText(std::round(rows)),
                            factorText(loads[part]));
    text += Words::tr("; entropy %1 % of the greatest").arg(100 * timeline::relativeEntropy(counts), 0, 'f', 1);
    if (counts.dropped > 0)
        text += Words::tr("; %1 rows of the layer dropped").arg(countText(static_cast<double>(counts.dropped)));
    return text;
}

QString ExpertPlot::figures() const
{
    const Private &d = *m_private;
    if (d.bands() == 0)
        return {};
    QString names = Words::tr("layer");
    for (int part = 0; part < d.parts; ++part)
        names += u"\t%1 %2"_s.arg(d.partName()).arg(part);
    QStringList lines{accessibleDescription(), names};
    for (const std::size_t layer : d.layers) {
        QString line = QString::number(layer);
        for (const double load : d.loads(d.columns.size() - 1, layer))
            line += u'\t' + factorText(load);
        lines << line;
    }
    for (std::size_t i = 0; i < d.curves.size(); ++i)
        if (const auto &points = *d.curves[i]->data(); !points.isEmpty())
            lines << u"%1\t%2 %"_s.arg(Words::tr(kCurveNames[i])).arg(std::prev(points.constEnd())->value, 0, 'f', 1);
    return lines.join(u'\n');
}

void ExpertPlot::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->arrange();
}

void ExpertPlot::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        m_private->refresh();
}

bool ExpertPlot::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const QString text = textAt(help->pos()); text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), plainTip(text), this);
    return true;
}

} // namespace stagelens::ui
