#include "ui/timeline/box_painter.h"

#include "ui/canvas/pass_pattern.h"
#include "ui/state/lane_groups.h"
#include "ui/timeline/rows/legs.h"
#include "ui/timeline/rows/streams.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

using schedule::PassKind;

constexpr int kLowStep = 6; ///< width of the columns of such a low lane,
constexpr int kColumn = 2;  ///< and of one that has room for shares
constexpr int kDigit = 4;   ///< narrower than any digit of a label

} // namespace

BoxPainter::BoxPainter(const Scene &scene, int group, const Colours &colours, bool faded)
    : m_scene(scene), m_colours(colours), m_faded(faded), m_unit(std::max(1, static_cast<int>(std::lround(scene.ratio)))),
      m_axis(scene.deviceAxis()), m_batches(m_unit), m_labels(scene, colours)
{
    std::vector<const std::vector<SliceBox> *> lanes;
    for (std::size_t i = 0; i < scene.layout.rows.size(); ++i)
        if (scene.layout.rows[i].group == group && !scene.boxes[i].empty())
            lanes.push_back(&scene.boxes[i]);
    m_dense = areNarrow(lanes, kDensityBelow * m_unit, scene.content->colourBy != ColourBy::Kind);
}

ColourBatches::Batch &BoxPainter::kindBatch(PassKind kind, int chunk)
{
    const int shade = std::min(chunk, kChunks - 1);
    ColourBatches::Batch *&known = m_kindBatches[static_cast<std::size_t>(kind)][static_cast<std::size_t>(shade)];
    if (known == nullptr)
        known = &m_batches.batch(chunkShade(m_colours.pass(kind), shade));
    return *known;
}

ColourBatches::Batch &BoxPainter::partBatch(std::size_t part)
{
    if (m_scene.content->colourBy == ColourBy::Kind)
        return kindBatch(static_cast<PassKind>(part));
    const std::vector<QColor> &list = m_colours.classes(m_scene.content->colourBy == ColourBy::Slack);
    const QColor &colour = part < list.size() ? list[part] : m_colours.muted;
    return m_batches.batch(m_faded ? mix(colour, m_colours.lane, 0.5) : colour);
}

ColourBatches::Batch &BoxPainter::batchOf(const timeline::Lane &lane, std::size_t slice)
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
            append(m_batches.marks(colourOfColumn(column)), rect);
        else
            hatchFolds(addFold(column.work, column.span, rect));
    }
    hatchFolds({});
}

void BoxPainter::hatchFolds(QRect vocabulary)
{
    const int least = kShareHatchFrom * m_unit;
    const QRect common(m_hatched.left(), std::max(m_hatched.top(), vocabulary.top()), vocabulary.right() + 1 - m_hatched.left(),
                       std::min(m_hatched.bottom(), vocabulary.bottom()) + 1 - std::max(m_hatched.top(), vocabulary.top()));
    const bool continues = !m_hatched.isEmpty() && !vocabulary.isEmpty() && vocabulary.left() <= m_hatched.right() + 1 &&
                           common.height() >= least &&
                           4 * common.height() >= 3 * std::max(m_hatched.height(), vocabulary.height());
    if (continues) {
        m_hatched = common;
        return;
    }
    if (m_hatched.width() >= least && m_hatched.height() >= least)
        m_batches.addHatch(m_hatched, m_colours.vocabularyHatch);
    m_hatched = vocabulary;
}

QRect BoxPainter::addFold(const WorkShares &work, base::Nanos span, QRect rect)
{
    // A column of shares from the bottom, idle time left free at the top: a fold shows what is in it, and how much.
    base::Nanos below = 0;
    int bottom = rect.bottom() + 1;
    const double scale = rect.height() / static_cast<double>(std::max<base::Nanos>(span, 1));
    const auto stack = [&](base::Nanos part, QVector<QRect> &fills) -> QRect {
        below += part;
        const auto filled = static_cast<int>(static_cast<double>(below) * scale + 0.5);
        const int y = rect.bottom() + 1 - std::min(filled, rect.height());
        const QRect piece(rect.left(), y, rect.width(), bottom - y);
        bottom = y;
        if (!piece.isEmpty())
            append(fills, piece);
        return piece;
    };
    for (std::size_t part = 0; part < work.kinds.size(); ++part) {
        if (work.kinds[part] <= 0)
            continue;
        QVector<QRect> *&fills = m_foldFills[part];
        if (fills == nullptr)
            fills = &partBatch(part).fills;
        stack(work.kinds[part], *fills);
    }
    if (work.hiddenVocabulary <= 0)
        return {};
    const QRect vocabulary = stack(work.hiddenVocabulary, m_batches.marks(m_colours.vocabulary));
    return m_scene.content->colourBy == ColourBy::Kind ? vocabulary : QRect();
}

void BoxPainter::addPass(const SliceBox &box, const timeline::Lane &lane, QRect rect)
{
    const bool byKind = m_scene.content->colourBy == ColourBy::Kind;
    ColourBatches::Batch &own = batchOf(lane, box.first);
    m_batches.addFill(rect, own);
    const std::vector<bool> &again = m_scene.group(m_row->group).recomputedStages;
    const std::size_t stage = lane.pass[box.first].stage;
    if (box.kind == PassKind::F && rect.width() >= 8 * m_unit && stage < again.size() && again[stage])
        m_batches.addDashes(rect);
    const bool edged = rect.width() >= kEdgeFrom * m_unit && rect.height() >= kDensityBelow * m_unit;
    const int edge = edged ? m_unit : 0;
    if (box.vocabularyWidth > 0) {
        QRect share(rect.left() + box.vocabularyX - box.x, rect.top(), box.vocabularyWidth, rect.height());
        share = share.intersected(rect.adjusted(0, edge, -edge, -edge));
        if (byKind)
            m_batches.marks(m_colours.vocabulary).push_back(share);
        if (m_scene.widthOf(lane.vocabulary[box.first]) >= kShareHatchFrom)
            m_batches.addHatch(share, byKind ? m_colours.vocabularyHatch : own.ink);
    } else if (m_scene.widthOf(lane.end[box.first] - lane.begin[box.first]) >= kPatternFrom) {
        const QRect inner = rect.adjusted(edge, edge, -edge, -edge);
        const PassPattern pattern = patternOf(box.kind);
        if (pattern == PassPattern::Hatch)
            m_batches.addHatch(inner, own.edge);
        else if (pattern == PassPattern::Dots)
            m_batches.addDots(inner, m_colours.vocabularyHatch);
        else if (pattern == PassPattern::Notch && rect.height() >= kNotchFrom * m_unit)
            for (int step = 0; step < kNotch * m_unit; ++step)
                m_batches.marks(m_colours.lane).push_back(QRect(rect.left(), rect.top() + step, kNotch * m_unit - step, 1));
    }
    if (byKind) {
        const int share = addRecomputed(box, lane, rect.adjusted(edge, edge, -edge, -edge));
        if (share > 0 && box.vocabularyWidth == 0 && rect.width() - share >= m_labels.numberWidth())
            rect.setLeft(rect.left() + share);
    }
    if (!m_labels.fits(rect.width()))
        return;
    const int legs = legsHeight(m_scene, *m_row, box.first); // the label is above them
    m_labels.add(box, rect.adjusted(0, 0, 0, -static_cast<int>(std::lround(legs * m_scene.ratio))), own, m_batches);
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
    m_batches.marks(recomputedShade(batchOf(lane, box.first).fill)).push_back(share);
    if (m_scene.widthOf(time) >= kShareHatchFrom)
        m_batches.addHatch(share, m_colours.pass(PassKind::F));
    return share.width();
}

bool BoxPainter::isUnlabelled(std::size_t index) const
{
    // Each half of an overlapped pair is drawn as wide as both.
    return m_dense || std::ranges::all_of(m_scene.boxes[index], [least = kDigit * m_unit / 2](const SliceBox &box) {
               return box.isFold() || box.width < least;
           });
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
        if (isUnlabelled(index))
            m_labels.leaveLaneOut();
        else
            m_labels.setLane(row, height, m_scene.boxes[index]);
        addBoxes(index, place);
    }
    for (const auto &[begin, end] : m_scene.group(row.group).timeline->tails(row.device))
        addTail(begin, end, place);
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
            hatchFolds(addFold(sums.work(lane, box.first, box.count), span, rect));
        } else {
            addPass(box, lane, halfOfPair(lane, box.first, rect));
        }
    }
    hatchFolds({});
}

void BoxPainter::addTail(base::Nanos begin, base::Nanos end, QRect place)
{
    const LaneWindow window = m_scene.window(*m_row);
    const int from = static_cast<int>(std::clamp(pixelAt(window, begin), -1.0, window.width + 1.0));
    const int to = static_cast<int>(std::clamp(pixelAt(window, end), -1.0, window.width + 1.0));
    if (to > from)
        m_batches.addFill(QRect(place.left() + from, place.top(), to - from, place.height()), kindBatch(PassKind::O));
}

/// What replicas exchange and what is copied to the host: a strip at the bottom of the lane, as low as that of messages. The
/// average of weights, for which a device has nothing else to do, is as high as a pass and hatched.
void BoxPainter::addAnchored(const timeline::Lane &lane, QRect place)
{
    const LaneWindow window = m_scene.window(*m_row);
    for (const timeline::AnchoredSlice &slice : lane.anchored) {
        const bool isAverage = slice.kind == timeline::AnchoredKind::AverageParameters;
        const int height = isAverage ? place.height() : std::max(place.height() / 3, 1);
        const QColor colour = colourOf(streamOf(slice.kind), m_colours);
        QVector<QRect> &fills = m_batches.marks((m_faded ? mix(colour, m_colours.lane, 0.5) : colour));
        const int from = static_cast<int>(std::clamp(pixelAt(window, slice.begin), -1.0, window.width + 1.0));
        const int to = static_cast<int>(std::clamp(pixelAt(window, slice.end), -1.0, window.width + 1.0));
        if (slice.end <= slice.begin || to < 0 || from > window.width)
            continue;
        const QRect strip(place.left() + from, place.top() + place.height() - height, std::max(to - from, 1), height);
        append(fills, strip);
        if (isAverage && strip.width() >= 4 * m_unit)
            m_batches.addHatch(strip, m_colours.lane);
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
    QVector<QRect> &fills = m_batches.marks((m_faded ? mix(m_colours.message, m_colours.lane, 0.5) : m_colours.message));
    LaneWindow window = m_scene.window(row);
    window.fold = 1; // short messages stay single ticks
    for (const SliceBox &box : laneBoxes(lanes[static_cast<std::size_t>(row.device)].stretches, window))
        append(fills, QRect(left + box.x, top, box.width, height));
}

void BoxPainter::draw(QPainter &painter) const
{
    painter.save();
    painter.scale(1 / m_scene.ratio, 1 / m_scene.ratio);
    m_batches.draw(painter, m_colours.background);
    painter.restore();
    m_labels.draw(painter);
}

} // namespace stagelens::ui
