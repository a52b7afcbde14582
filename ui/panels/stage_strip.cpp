#include "ui/panels/stage_strip.h"
#include "ui/words/plain_text.h"

#include "engine/operators/stage_layers.h"
#include "ui/canvas/colours.h"
#include "ui/state/experiment_document.h"
#include "ui/words/tr.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kHeight = 34;
constexpr int kReach = 7; ///< pixels beside a border in which it is taken
const QString kStageLayers = u"parallel.stage_layers"_s;
QString stageLayersCaption()
{
    return Words::tr("Layers of each stage");
}
} // namespace

StageStrip::StageStrip(ExperimentDocument *document, QWidget *parent) : QWidget(parent), m_document(document)
{
    setObjectName(u"stage.strip"_s);
    setAccessibleName(Words::tr("Layers of each stage, as a strip"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(m_document, &ExperimentDocument::changed, this, &StageStrip::refresh);
    refresh();
}

void StageStrip::refresh()
{
    const model::Experiment &experiment = m_document->experiment();
    m_cut.clear();
    if (experiment.hasModel && model::validate(experiment).empty())
        m_cut = operators::stageLayers(experiment);
    m_devices = std::max(1, experiment.parallel.devices);
    m_border = std::clamp(m_border, 0, std::max(0, static_cast<int>(m_cut.size()) - 2));
    QStringList words;
    for (const int count : m_cut)
        words << QString::number(count);
    setAccessibleDescription(m_cut.empty()
                                 ? Words::tr("No cut: the experiment is not sound")
                                 : Words::tr("Layers: %1. Border behind stage %2").arg(words.join(u'/')).arg(m_border));
    update();
}

QSize StageStrip::sizeHint() const
{
    return {180, kHeight};
}

QRect StageStrip::inside() const
{
    return rect().adjusted(3, 3, -3, -3);
}

int StageStrip::layers() const
{
    return std::accumulate(m_cut.begin(), m_cut.end(), 0);
}

int StageStrip::layersBefore(int stage) const
{
    return std::accumulate(m_cut.begin(), m_cut.begin() + stage, 0);
}

double StageStrip::xOf(int layersBefore) const
{
    return inside().left() + static_cast<double>(inside().width()) * layersBefore / std::max(1, layers());
}

QPoint StageStrip::borderAt(int stage) const
{
    return {static_cast<int>(std::lround(xOf(layersBefore(stage + 1)))), inside().center().y()};
}

std::optional<int> StageStrip::nearestBorder(QPoint at) const
{
    std::optional<int> nearest;
    double least = kReach;
    for (int stage = 0; stage + 1 < static_cast<int>(m_cut.size()); ++stage) {
        const double distance = std::abs(xOf(layersBefore(stage + 1)) - at.x());
        if (distance > least || (distance == least && nearest))
            continue;
        least = distance;
        nearest = stage;
    }
    return nearest;
}

void StageStrip::moveBorder(int stage, int wanted)
{
    if (stage < 0 || stage + 1 >= static_cast<int>(m_cut.size()))
        return;
    const auto at = static_cast<std::size_t>(stage);
    const int both = m_cut[at] + m_cut[at + 1];
    const int before = std::clamp(wanted - layersBefore(stage), 0, both);
    if (before == m_cut[at])
        return;
    model::Experiment next = m_document->experiment();
    next.parallel.stageLayers = m_cut;
    next.parallel.stageLayers[at] = before;
    next.parallel.stageLayers[at + 1] = both - before;
    if (model::validate(next).empty()) // a stage that must not be empty keeps its last layer
        m_document->edit(kStageLayers, stageLayersCaption(), std::move(next));
}

QString StageStrip::stageText(int stage) const
{
    const int count = m_cut[static_cast<std::size_t>(stage)];
    return Words::tr("Stage %1: %2 %3").arg(stage).arg(count).arg(count == 1 ? Words::tr("layer") : Words::tr("layers"));
}

void StageStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Colours &colours = coloursFor(palette());
    if (m_cut.empty()) {
        painter.setPen(colours.muted);
        painter.drawText(inside(), Qt::AlignCenter, Words::tr("No sound cut to show"));
        return;
    }
    const QRect all = inside();
    for (int stage = 0; stage < static_cast<int>(m_cut.size()); ++stage) {
        const int before = layersBefore(stage);
        const QRectF place(xOf(before), all.top(), xOf(before + m_cut[static_cast<std::size_t>(stage)]) - xOf(before),
                           all.height());
        // A device's stages have the shades that they have in the picture; neighbours of one shade are parted by a line.
        const QColor fill = chunkShade(colours.pass(schedule::PassKind::F), stage / m_devices);
        painter.fillRect(place, stage % 2 == 0 ? fill : mix(fill, colours.background, 0.8));
        const QString text = QString::number(m_cut[static_cast<std::size_t>(stage)]);
        if (place.width() >= fontMetrics().horizontalAdvance(text) + 4) {
            painter.setPen(inkOn(fill));
            painter.drawText(place, Qt::AlignCenter, text);
        }
    }
    for (int stage = 0; stage + 1 < static_cast<int>(m_cut.size()); ++stage) {
        const bool chosen = stage == m_border && (hasFocus() || m_dragging);
        const double x = xOf(layersBefore(stage + 1));
        painter.fillRect(QRectF(x - (chosen ? 2 : 1), all.top() - 1, chosen ? 4 : 2, all.height() + 2),
                         chosen ? colours.focus : colours.background);
    }
    if (hasFocus()) {
        painter.setPen(QPen(colours.focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

bool StageStrip::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QString text = Words::tr("Drag a border, or choose one with ↑ ↓ and move it with ← →. A double click cuts automatically.");
    for (int stage = 0; stage < static_cast<int>(m_cut.size()); ++stage)
        if (help->pos().x() >= xOf(layersBefore(stage)) && help->pos().x() < xOf(layersBefore(stage + 1)))
            text = stageText(stage) + u'\n' + text;
    QToolTip::showText(help->globalPos(), plainTip(text), this);
    return true;
}

void StageStrip::mousePressEvent(QMouseEvent *event)
{
    const std::optional<int> border = nearestBorder(event->pos());
    if (event->button() != Qt::LeftButton || !border)
        return;
    m_border = *border;
    m_dragging = true;
    m_document->closeGesture();
    update();
}

void StageStrip::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_dragging) {
        setCursor(nearestBorder(event->pos()) ? Qt::SplitHCursor : Qt::ArrowCursor);
        return;
    }
    const double share = (event->position().x() - inside().left()) / std::max(1, inside().width());
    moveBorder(m_border, static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * layers())));
}

void StageStrip::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_dragging)
        return;
    m_dragging = false;
    m_document->closeGesture();
    update();
}

void StageStrip::mouseDoubleClickEvent(QMouseEvent *)
{
    m_dragging = false;
    model::Experiment next = m_document->experiment();
    next.parallel.stageLayers.clear();
    m_document->closeGesture();
    m_document->edit(kStageLayers, stageLayersCaption(), std::move(next));
    m_document->closeGesture();
}

void StageStrip::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_cut.size()) - 2;
    switch (event->key()) {
    case Qt::Key_Up: m_border = std::max(0, m_border - 1); break;
    case Qt::Key_Down: m_border = std::max(0, std::min(last, m_border + 1)); break;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (last >= 0)
            moveBorder(m_border, layersBefore(m_border + 1) + (event->key() == Qt::Key_Left ? -1 : 1));
        break;
    case Qt::Key_Escape:
        if (!m_document->revertGesture(kStageLayers))
            QWidget::keyPressEvent(event);
        return;
    default: QWidget::keyPressEvent(event); return;
    }
    refresh();
}

void StageStrip::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    update();
}

void StageStrip::focusOutEvent(QFocusEvent *event)
{
    QWidget::focusOutEvent(event);
    m_document->closeGesture();
    update();
}

} // namespace stagelens::ui
