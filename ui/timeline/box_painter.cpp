// Rectangles are gathered by colour and drawn in device pixels, so that edges are sharp at any scaling.
#include "ui/timeline/box_painter.h"
#include "ui/words/words.h"

#include "ui/state/lane_groups.h"

#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

using schedule::PassKind;

constexpr int kEdgeFrom = 3;       ///< narrower rectangles have no edge
constexpr int kHatchFrom = 12;     ///< narrower passes have no pattern
constexpr int kShareHatchFrom = 6; ///< a vocabulary share is hatched wherever a line can be seen; plain it would look like S
constexpr int kHatchStep = 6;
constexpr int kSmallestLabel = 8; ///< pixels of a label's font
constexpr int kDensityBelow = 6;  ///< width of passes and height of lanes that show density
constexpr int kLowStep = 6;       ///< width of the columns of such a low lane,
constexpr int kColumn = 2;        ///< and of one that has room for shares

/// Adds a rectangle, or lengthens the last one: in a steady phase neighbours are alike.
void append(QVector<QRect> &rects, QRect rect)
{
    if (!rects.isEmpty() && rects.back().top() == rect.top() && rects.back().height() == rect.height() &&
        rects.back().right() + 1 == rect.left())
        rects.back().setRight(rect.right());
    else
        rects.push_back(rect);
}

} // namespace

BoxPainter::BoxPainter(const Scene &scene, int group, const Colours &colours, bool faded)
    : m_scene(scene), m_colours(colours), m_faded(faded), m_unit(std::max(1, static_cast<int>(std::lround(scene.ratio)))),
      m_axis(static_cast<int>(std::lround(scene.layout.axis.left() * scene.ratio)), 0,
             static_cast<int>(std::lround(scene.layout.axis.width() * scene.ratio)), 1),
      m_metrics(scene.font)
{
    m_vocabularyInk = inkOn(colours.vocabulary);
    std::vector<const std::vector<SliceBox> *> lanes;
    for (std::size_t i = 0; i < scene.layout.rows.size(); ++i)
        if (scene.layout.rows[i].group == group && !scene.boxes[i].empty())
            lanes.push_back(&scene.boxes[i]);
    m_dense = areNarrow(lanes, kDensityBelow * m_unit, scene.content->colourBy != ColourBy::Kind);
}

BoxPainter::Batch &BoxPainter::batch(const QColor &fill)
{
    Batch *&known = m_batchOf[fill.rgb()];
    if (known == nullptr) {
        m_batches.push_back({fill, edgeOf(fill), inkOn(fill), {}, {}});
        known = &m_batches.back();
    }
    return *known;
}

BoxPainter::Batch &BoxPainter::kindBatch(PassKind kind, int chunk)
{
    const int shade = std::min(chunk, kChunks - 1);
    Batch *&known = m_kindBatches[static_cast<std::size_t>(kind)][static_cast<std::size_t>(shade)];
    if (known == nullptr)
        known = &batch(chunkShade(m_colours.pass(kind), shade));
    return *known;
}

BoxPainter::Batch &BoxPainter::partBatch(std::size_t part)
{
    if (m_scene.content->colourBy == ColourBy::Kind)
        return kindBatch(static_cast<PassKind>(part));
    const std::vector<QColor> &list = m_colours.classes(m_scene.content->colourBy == ColourBy::Slack);
    const QColor &colour = part < list.size() ? list[part] : m_colours.muted;
    return batch(m_faded ? mix(colour, m_colours.lane, 0.5) : colour);
}

BoxPainter::Batch &BoxPainter::batchOf(const timeline::Lane &lane, std::size_t slice)
{
    const GroupSums &sums = m_scene.sumsOf(m_row->group);
    if (m_scene.content->colourBy != ColourBy::Kind)
        return partBatch(sums.painted(m_row->device).classOf(slice));
    const schedule::Pass &pass = lane.pass[slice];
    return kindBatch(pass.kind, sums.chunks > 1 && !schedule::isVocabularyPass(pass.kind) ? m_scene.chunkOf(*m_row, pass) : 0);
}

QRect BoxPainter::halfOfPair(const timeline::Lane &lane, std::size_t slice, QRect rect) const
{
    const auto pair = pairOf(lane, slice);
    if (!pair)
        return rect;
    const LaneWindow window = m_scene.window(*m_row);
    const auto pixel = [&](base::Nanos time) {
        return m_axis.left() + static_cast<int>(std::floor(std::clamp(pixelAt(window, time), -1.0, window.width + 1.0)));
    };
    const int from = pixel(lane.begin[pair->first]);
    const int to = std::max(pixel(lane.end[pair->second]), from + 1);
    const int upper = rect.height() / 2;
    return slice == pair->first ? QRect(from, rect.top(), to - from, upper)
                                : QRect(from, rect.top() + upper, to - from, rect.height() - upper);
}

void BoxPainter::setLabelSize(int height, const timeline::Lane &lane)
{
    const int size = std::min(QFontInfo(m_scene.font).pixelSize(), static_cast<int>(height / m_scene.ratio) - 2);
    m_labelSize = size < kSmallestLabel ? 0 : size;
    if (m_labelSize == 0 || lane.size() == 0)
        return;
    QFont font = m_scene.font;
    font.setPixelSize(m_labelSize);
    m_metrics = QFontMetrics(font);
    // The last pass of a lane has the last microbatch, in every schedule that accumulates in order.
    const auto digits = microbatchText(lane.pass.back().microbatch, m_scene.group(m_row->group).timeline->slices).size();
    m_numberWidth = m_metrics.horizontalAdvance(QString(digits, QChar(u'0')));
    m_kindWidth = m_metrics.horizontalAdvance(QStringLiteral("F "));
}

QColor BoxPainter::colourOfColumn(const DensityColumn &column) const
{
    const ColourBy by = m_scene.content->colourBy;
    if (by == ColourBy::Kind)
        return columnColour(column, m_colours);
    const QColor mixed = mixedColour(column, m_colours, m_colours.classes(by == ColourBy::Slack));
    return m_faded ? mix(mixed, m_colours.lane, 0.5) : mixed;
}

void BoxPainter::addDensity(const TimelineLayout::Row &row, QRect place)
{
    const bool low = place.height() < kDensityBelow * m_unit;
    const LaneWindow window = m_scene.window(row);
    const LaneSums &sums = m_scene.sumsOf(row.group).painted(row.device);
    const base::Nanos gap = timeAt(window, 2.0 * kDensityBelow * m_unit) - window.begin;
    for (const DensityColumn &column :
         densityColumns(m_scene.lane(row), sums, window, (low ? kLowStep : kColumn) * m_unit, gap)) {
        const QRect rect(place.left() + column.x, place.top(), column.width, place.height());
        if (low)
            append(m_marks[colourOfColumn(column).rgb()], rect);
        else
            addFold(column.work, column.span, rect);
    }
}

void BoxPainter::addFill(QRect rect, Batch &batch)
{
    if (rect.width() < kEdgeFrom * m_unit || rect.height() < kDensityBelow * m_unit) {
        batch.fills.push_back(rect);
        return;
    }
    batch.edges.push_back(rect);
    // Narrow ones keep their colour: an edge on one side is enough to tell neighbours apart.
    const int rim = rect.width() < 8 * m_unit ? 0 : m_unit;
    batch.fills.push_back(rect.adjusted(rim, rim, -m_unit, -rim));
}

void BoxPainter::addHatch(QRect rect, const QColor &colour)
{
    m_lines[colour.rgb()] += hatchLines(rect, kHatchStep * m_unit);
}

void BoxPainter::addDots(QRect rect)
{
    const int step = kHatchStep * m_unit;
    QVector<QRect> &dots = m_marks[m_colours.vocabularyHatch.rgb()];
    for (int y = rect.top() + step / 2; y + m_unit < rect.bottom(); y += step)
        for (int x = rect.left() + step / 2; x + m_unit < rect.right(); x += step)
            dots.push_back(QRect(x, y, 2 * m_unit, 2 * m_unit));
}

void BoxPainter::addFold(const WorkShares &work, base::Nanos span, QRect rect)
{
    // A column of shares from the bottom, idle time left free at the top: a fold shows what is in it, and how much.
    base::Nanos below = 0;
    int bottom = rect.bottom() + 1;
    const double scale = rect.height() / static_cast<double>(std::max<base::Nanos>(span, 1));
    const auto stack = [&](base::Nanos part, QVector<QRect> &fills) {
        below += part;
        const auto filled = static_cast<int>(static_cast<double>(below) * scale + 0.5);
        const int y = rect.bottom() + 1 - std::min(filled, rect.height());
        const QRect piece(rect.left(), y, rect.width(), bottom - y);
        bottom = y;
        if (!piece.isEmpty())
            append(fills, piece);
    };
    for (std::size_t kind = 0; kind < work.kinds.size(); ++kind)
        if (work.kinds[kind] > 0)
            stack(work.kinds[kind], partBatch(kind).fills);
    if (work.hiddenVocabulary > 0)
        stack(work.hiddenVocabulary, m_marks[m_colours.vocabulary.rgb()]);
}

double BoxPainter::exactWidth(base::Nanos duration) const
{
    return static_cast<double>(duration) * m_axis.width() / m_scene.ratio / static_cast<double>(m_scene.end - m_scene.begin);
}

void BoxPainter::addLabel(const SliceBox &box, const timeline::Lane &lane, QRect rect)
{
    const schedule::Pass &pass = lane.pass[box.first];
    const base::Nanos share = box.vocabularyWidth > 0 ? lane.vocabulary[box.first] : 0;
    const base::Nanos rest = lane.end[box.first] - lane.begin[box.first] - share;
    // The label stands in the greater part of a pass that is part vocabulary.
    const bool onShare = share > rest;
    const double nominal = exactWidth(onShare ? share : rest);
    if (nominal < m_numberWidth + 4)
        return;
    QRect room = rect;
    if (onShare)
        room = QRect(rect.left() + box.vocabularyX - box.x, rect.top(), box.vocabularyWidth, rect.height());
    else if (box.vocabularyWidth > 0 && box.vocabularyX > box.x)
        room.setWidth(box.vocabularyX - box.x);
    else
        room.setLeft(rect.left() + box.vocabularyWidth);
    // What is cut off at the window's edge is no room.
    room = room.intersected(QRect(m_axis.left(), rect.top(), m_axis.width(), rect.height()));

    QString text = microbatchText(pass.microbatch, m_scene.group(m_row->group).timeline->slices);
    if (nominal >= m_numberWidth + m_kindWidth + 12) {
        const std::string_view kind = schedule::name(pass.kind);
        text = QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())) + QChar(u' ') + text;
        if (m_scene.sumsOf(m_row->group).chunks > 1 && !schedule::isVocabularyPass(pass.kind))
            text += chunkLetter(m_scene.chunkOf(*m_row, pass));
    }
    const int textWidth = m_metrics.horizontalAdvance(text);
    if (textWidth + 2 > room.width() / m_scene.ratio)
        return;
    const QPointF middle = QRectF(QPointF(room.topLeft()) / m_scene.ratio, QSizeF(room.size()) / m_scene.ratio).center();
    const Batch &own = batchOf(lane, box.first);
    const QColor &fill = onShare ? m_colours.vocabulary : own.fill;
    const bool hatched = (onShare && nominal >= kShareHatchFrom) || pass.kind == PassKind::T;
    if (hatched) {
        const QRectF patch(middle.x() - textWidth / 2.0 - 2, middle.y() - m_metrics.ascent() / 2.0 - 1, textWidth + 4,
                           m_metrics.ascent() + 2);
        m_patches[fill.rgb()].push_back(
            QRectF(patch.topLeft() * m_scene.ratio, patch.size() * m_scene.ratio).toRect().intersected(room));
    }
    m_labels.push_back({{middle.x() - textWidth / 2.0, middle.y() + (m_metrics.ascent() - m_metrics.descent()) / 2.0 + 0.5},
                        text,
                        onShare ? m_vocabularyInk : own.ink,
                        m_labelSize});
}

void BoxPainter::addPass(const SliceBox &box, const timeline::Lane &lane, QRect rect)
{
    const bool byKind = m_scene.content->colourBy == ColourBy::Kind;
    Batch &own = batchOf(lane, box.first);
    addFill(rect, own);
    const std::vector<bool> &again = m_scene.group(m_row->group).recomputedStages;
    const std::size_t stage = lane.pass[box.first].stage;
    if (box.kind == PassKind::F && rect.width() >= 8 * m_unit && stage < again.size() && again[stage])
        m_dashes.push_back(rect);
    const bool edged = rect.width() >= kEdgeFrom * m_unit && rect.height() >= kDensityBelow * m_unit;
    const int edge = edged ? m_unit : 0;
    if (box.vocabularyWidth > 0) {
        QRect share(rect.left() + box.vocabularyX - box.x, rect.top(), box.vocabularyWidth, rect.height());
        share = share.intersected(rect.adjusted(0, edge, -edge, -edge));
        if (byKind)
            m_marks[m_colours.vocabulary.rgb()].push_back(share);
        if (exactWidth(lane.vocabulary[box.first]) >= kShareHatchFrom)
            addHatch(share, byKind ? m_colours.vocabularyHatch : own.ink);
    } else if (exactWidth(lane.end[box.first] - lane.begin[box.first]) >= kHatchFrom) {
        const QRect inner = rect.adjusted(edge, edge, -edge, -edge);
        if (box.kind == PassKind::T)
            addHatch(inner, own.edge);
        else if (box.kind == PassKind::U)
            addDots(inner);
        else if (box.kind == PassKind::I && rect.height() >= 9 * m_unit)
            for (int step = 0; step < 4 * m_unit; ++step) // the notch
                m_marks[m_colours.lane.rgb()].push_back(QRect(rect.left(), rect.top() + step, 4 * m_unit - step, 1));
    }
    if (byKind) {
        const int share = addRecomputed(box, lane, rect.adjusted(edge, edge, -edge, -edge));
        if (share > 0 && box.vocabularyWidth == 0 && rect.width() - share >= m_numberWidth)
            rect.setLeft(rect.left() + share);
    }
    if (m_labelSize > 0 && rect.width() >= m_numberWidth)
        addLabel(box, lane, rect);
}

/// Recomputed work is drawn as one part at the start of a backward, after the output layer's; each layer really has its own.
/// Returns how many pixels it takes.
int BoxPainter::addRecomputed(const SliceBox &box, const timeline::Lane &lane, QRect inner)
{
    const base::Nanos time = recomputedTime(m_scene.group(m_row->group), {m_row->device, box.first});
    if (time <= 0 || inner.width() < 2)
        return 0;
    const LaneWindow window = m_scene.window(*m_row);
    const bool isAfterOutput = box.vocabularyWidth > 0 && box.vocabularyX <= box.x;
    const base::Nanos begin = lane.begin[box.first] + (isAfterOutput ? lane.vocabulary[box.first] : 0);
    const auto pixel = [&](base::Nanos at) {
        return m_axis.left() + static_cast<int>(std::lround(std::clamp(pixelAt(window, at), -1.0, window.width + 1.0)));
    };
    QRect share = QRect(pixel(begin), inner.top(), pixel(begin + time) - pixel(begin), inner.height()).intersected(inner);
    if (timeline::isPaired(lane, box.first)) { // the two of a pair are drawn over each other, each as long as both
        const auto duration = static_cast<double>(lane.end[box.first] - lane.begin[box.first]);
        share = inner;
        share.setWidth(static_cast<int>(std::lround(inner.width() * static_cast<double>(time) / duration)));
    }
    if (share.isEmpty())
        return 0;
    m_marks[recomputedShade(batchOf(lane, box.first).fill).rgb()].push_back(share);
    if (exactWidth(time) >= kShareHatchFrom)
        addHatch(share, m_colours.pass(PassKind::F));
    return share.width();
}

void BoxPainter::add(std::size_t index)
{
    const TimelineLayout::Row &row = m_scene.layout.rows[index];
    m_row = &row;
    const timeline::Lane &lane = m_scene.lane(row);
    const int left = static_cast<int>(std::lround(row.lane.left() * m_scene.ratio));
    const int top = static_cast<int>(std::lround(row.lane.top() * m_scene.ratio));
    const int height = static_cast<int>(std::lround((row.lane.bottom() + 1) * m_scene.ratio)) - top;
    const QRect place(left, top, m_axis.width(), height);
    addMessages(index, left);
    if (m_dense) {
        addDensity(row, place);
    } else {
        setLabelSize(height, lane);
        addBoxes(index, place);
    }
    if (lane.tailEnd > lane.tailBegin)
        addTail(lane, place);
    addAnchored(lane, place);
}

void BoxPainter::addBoxes(std::size_t index, QRect place)
{
    const timeline::Lane &lane = m_scene.lane(*m_row);
    const LaneSums &sums = m_scene.sumsOf(m_row->group).painted(m_row->device);
    for (const SliceBox &box : m_scene.boxes[index]) {
        const QRect rect(place.left() + box.x, place.top(), box.width, place.height());
        if (box.isFold()) {
            const base::Nanos span = lane.end[box.first + box.count - 1] - lane.begin[box.first];
            addFold(sums.work(lane, box.first, box.count), span, rect);
        } else {
            addPass(box, lane, halfOfPair(lane, box.first, rect));
        }
    }
}

void BoxPainter::addTail(const timeline::Lane &lane, QRect place)
{
    const LaneWindow window = m_scene.window(*m_row);
    const int from = static_cast<int>(std::clamp(pixelAt(window, lane.tailBegin), -1.0, window.width + 1.0));
    const int to = static_cast<int>(std::clamp(pixelAt(window, lane.tailEnd), -1.0, window.width + 1.0));
    if (to > from)
        addFill(QRect(place.left() + from, place.top(), to - from, place.height()), kindBatch(PassKind::O));
}

/// What replicas exchange and what is copied to the host: a strip at the bottom of the lane, as low as that of messages.
void BoxPainter::addAnchored(const timeline::Lane &lane, QRect place)
{
    const LaneWindow window = m_scene.window(*m_row);
    const int height = std::max(place.height() / 3, 1);
    for (const timeline::AnchoredSlice &slice : lane.anchored) {
        const QColor &colour = timeline::isCopy(slice.kind) ? m_colours.copy : m_colours.message;
        QVector<QRect> &fills = m_marks[(m_faded ? mix(colour, m_colours.lane, 0.5) : colour).rgb()];
        const int from = static_cast<int>(std::clamp(pixelAt(window, slice.begin), -1.0, window.width + 1.0));
        const int to = static_cast<int>(std::clamp(pixelAt(window, slice.end), -1.0, window.width + 1.0));
        if (slice.end > slice.begin && to >= 0 && from <= window.width)
            append(fills, QRect(place.left() + from, place.top() + place.height() - height, std::max(to - from, 1), height));
    }
}

void BoxPainter::addMessages(std::size_t index, int left)
{
    const TimelineLayout::Row &row = m_scene.layout.rows[index];
    const std::vector<MessageLane> &lanes = m_scene.sumsOf(row.group).messages;
    if (row.messages.isEmpty() || static_cast<std::size_t>(row.device) >= lanes.size())
        return;
    const int top = static_cast<int>(std::lround(row.messages.top() * m_scene.ratio));
    const int height = static_cast<int>(std::lround((row.messages.bottom() + 1) * m_scene.ratio)) - top;
    QVector<QRect> &fills = m_marks[(m_faded ? mix(m_colours.message, m_colours.lane, 0.5) : m_colours.message).rgb()];
    LaneWindow window = m_scene.window(row);
    window.fold = 1; // short messages stay single ticks
    for (const SliceBox &box : laneBoxes(lanes[static_cast<std::size_t>(row.device)].stretches, window))
        append(fills, QRect(left + box.x, top, box.width, height));
}

void BoxPainter::draw(QPainter &painter) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.scale(1 / m_scene.ratio, 1 / m_scene.ratio);
    const auto drawRects = [&painter](const QColor &colour, const QVector<QRect> &rects) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawRects(rects);
    };
    for (const Batch &batch : m_batches)
        drawRects(batch.edge, batch.edges);
    for (const Batch &batch : m_batches)
        drawRects(batch.fill, batch.fills);
    for (const auto &[colour, rects] : m_marks)
        drawRects(QColor::fromRgb(colour), rects);
    for (const auto &[colour, lines] : m_lines) {
        painter.setPen(QPen(QColor::fromRgb(colour), m_unit));
        painter.drawLines(lines);
    }
    for (const auto &[colour, rects] : m_patches)
        drawRects(QColor::fromRgb(colour), rects);
    if (!m_dashes.isEmpty()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_colours.background, m_unit, Qt::DashLine));
        for (const QRect &rect : m_dashes)
            painter.drawRect(rect.adjusted(0, 0, -m_unit, -m_unit));
    }
    painter.restore();
    drawLabels(painter);
}

void BoxPainter::drawLabels(QPainter &painter) const
{
    std::map<std::pair<int, QRgb>, std::vector<const Label *>> groups;
    for (const Label &label : m_labels)
        groups[{label.size, label.ink.rgb()}].push_back(&label);
    QFont font = m_scene.font;
    for (const auto &[style, labels] : groups) {
        font.setPixelSize(style.first);
        painter.setFont(font);
        painter.setPen(QColor::fromRgb(style.second));
        if (painter.paintEngine()->type() != QPaintEngine::Raster) { // an export keeps its text as text
            for (const Label *label : labels)
                painter.drawText(label->baseline, label->text);
            continue;
        }
        // All labels of a style in one run of glyphs: laying out each text would cost more than the rest of the picture.
        const QRawFont raw = QRawFont::fromFont(font);
        QVector<quint32> glyphs;
        QVector<QPointF> places;
        for (const Label *label : labels) {
            const QVector<quint32> indexes = raw.glyphIndexesForString(label->text);
            const QVector<QPointF> advances = raw.advancesForGlyphIndexes(indexes);
            QPointF at = label->baseline;
            for (qsizetype i = 0; i < indexes.size(); at += advances[i++]) {
                glyphs.push_back(indexes[i]);
                places.push_back(at);
            }
        }
        QGlyphRun run;
        run.setRawFont(raw);
        run.setGlyphIndexes(glyphs);
        run.setPositions(places);
        painter.drawGlyphRun({0, 0}, run);
    }
}

} // namespace stagelens::ui
