#include "ui/timeline/pass_labels.h"

#include "ui/words/words.h"

#include <QGlyphRun>
#include <QPainter>
#include <QRawFont>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace stagelens::ui {
namespace {

constexpr int kSmallestLabel = 8; ///< pixels of a label's font

/// All labels of a style in one run of glyphs: laying out each text would cost more than the rest of the picture.
QGlyphRun glyphsOf(const QFont &font, const std::vector<std::pair<QPointF, QString>> &texts)
{
    const QRawFont raw = QRawFont::fromFont(font);
    QVector<quint32> glyphs;
    QVector<QPointF> places;
    for (const auto &[baseline, text] : texts) {
        const QVector<quint32> indexes = raw.glyphIndexesForString(text);
        const QVector<QPointF> advances = raw.advancesForGlyphIndexes(indexes);
        QPointF at = baseline;
        for (qsizetype i = 0; i < indexes.size(); at += advances[i++]) {
            glyphs.push_back(indexes[i]);
            places.push_back(at);
        }
    }
    QGlyphRun run;
    run.setRawFont(raw);
    run.setGlyphIndexes(glyphs);
    run.setPositions(places);
    return run;
}

} // namespace

PassLabels::PassLabels(const Scene &scene, const Colours &colours)
    : m_scene(scene), m_colours(colours), m_vocabularyInk(inkOn(colours.vocabulary)), m_metrics(scene.font)
{}

PassLabels::Place PassLabels::placeOf(const SliceBox &box) const
{
    const timeline::Lane &lane = m_scene.lane(*m_row);
    const base::Nanos share = box.vocabularyWidth > 0 ? lane.vocabulary[box.first] : 0;
    const base::Nanos rest = lane.end[box.first] - lane.begin[box.first] - share;
    const bool isOnVocabulary = share > rest;
    return {isOnVocabulary, m_scene.widthOf(isOnVocabulary ? share : rest),
            2 * static_cast<std::size_t>(box.kind) + (share > 0 ? 1 : 0)};
}

void PassLabels::setLane(const TimelineLayout::Row &row, int height, const std::vector<SliceBox> &boxes)
{
    m_row = &row;
    const timeline::Lane &lane = m_scene.lane(row);
    const int size = std::min(QFontInfo(m_scene.font).pixelSize(), static_cast<int>(height / m_scene.ratio) - 2);
    m_size = size < kSmallestLabel ? 0 : size;
    if (m_size == 0 || lane.size() == 0)
        return;
    QFont font = m_scene.font;
    font.setPixelSize(m_size);
    m_metrics = QFontMetrics(font);
    // The last pass of a lane has the last microbatch, in every schedule that accumulates in order.
    const auto digits = microbatchText(lane.pass.back().microbatch, m_scene.group(row.group).timeline->slices).size();
    m_numberWidth = m_metrics.horizontalAdvance(QString(digits, QChar(u'0')));
    m_kindWidth = m_metrics.horizontalAdvance(QStringLiteral("F "));
    struct Counts {
        int passes = 0;
        int numbers = 0;
        int kinds = 0;
    };
    std::array<Counts, std::tuple_size_v<decltype(m_styles)>> counts{};
    for (const SliceBox &box : boxes) {
        if (box.isFold())
            continue;
        const Place place = placeOf(box);
        Counts &alike = counts[place.alike];
        ++alike.passes;
        alike.numbers += place.width >= m_numberWidth + 4 ? 1 : 0;
        alike.kinds += place.width >= m_numberWidth + m_kindWidth + 12 ? 1 : 0;
    }
    std::ranges::transform(counts, m_styles.begin(), [](const Counts &alike) {
        if (8 * alike.numbers < 7 * alike.passes)
            return Style::None;
        return alike.kinds < alike.passes ? Style::Number : Style::KindAndNumber;
    });
    // Letters on all that is named in a lane, or on none: "0" beside "B 0" would look like two kinds of names.
    if (std::ranges::find(m_styles, Style::Number) != m_styles.end())
        std::ranges::replace(m_styles, Style::KindAndNumber, Style::Number);
}

QRect PassLabels::roomIn(QRect rect, const SliceBox &box, bool isOnVocabulary) const
{
    QRect room = rect;
    if (isOnVocabulary)
        room = QRect(rect.left() + box.vocabularyX - box.x, rect.top(), box.vocabularyWidth, rect.height());
    else if (box.vocabularyWidth > 0 && box.vocabularyX > box.x)
        room.setWidth(box.vocabularyX - box.x);
    else
        room.setLeft(rect.left() + box.vocabularyWidth);
    // The part that the window's edge cuts off is no room.
    const QRect axis = m_scene.deviceAxis();
    return room.intersected(QRect(axis.left(), rect.top(), axis.width(), rect.height()));
}

QString PassLabels::textOf(const schedule::Pass &pass, Style style) const
{
    QString text = microbatchText(pass.microbatch, m_scene.group(m_row->group).timeline->slices);
    if (style == Style::Number)
        return text;
    const std::string_view kind = schedule::name(pass.kind);
    text = QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())) + QChar(u' ') + text;
    if (m_scene.sumsOf(m_row->group).chunks > 1 && !schedule::isVocabularyPass(pass.kind))
        text += chunkLetter(m_scene.chunkOf(*m_row, pass));
    return text;
}

void PassLabels::add(const SliceBox &box, QRect rect, const ColourBatches::Batch &own, ColourBatches &batches)
{
    const timeline::Lane &lane = m_scene.lane(*m_row);
    const schedule::Pass &pass = lane.pass[box.first];
    const Place place = placeOf(box);
    if (m_styles[place.alike] == Style::None || place.width < m_numberWidth + 4)
        return;
    const QRect room = roomIn(rect, box, place.isOnVocabulary);
    const QString text = textOf(pass, m_styles[place.alike]);
    // Above operators less height is left than the lane has.
    const int size = std::min(m_size, static_cast<int>(room.height() / m_scene.ratio) - 1);
    const double scale = static_cast<double>(size) / m_size;
    const double textWidth = m_metrics.horizontalAdvance(text) * scale;
    const double ascent = m_metrics.ascent() * scale;
    const double descent = m_metrics.descent() * scale;
    if (size < kSmallestLabel || textWidth + 2 > room.width() / m_scene.ratio)
        return;
    const QPointF middle = QRectF(QPointF(room.topLeft()) / m_scene.ratio, QSizeF(room.size()) / m_scene.ratio).center();
    const bool isYellow = place.isOnVocabulary && m_scene.content->colourBy == ColourBy::Kind;
    const bool isHatched = (place.isOnVocabulary && place.width >= kShareHatchFrom) || pass.kind == schedule::PassKind::T;
    if (isHatched) {
        const QRectF patch(middle.x() - textWidth / 2.0 - 2, middle.y() - ascent / 2.0 - 1, textWidth + 4, ascent + 2);
        batches.addPatch(QRectF(patch.topLeft() * m_scene.ratio, patch.size() * m_scene.ratio).toRect().intersected(room),
                         isYellow ? m_colours.vocabulary : own.fill);
    }
    m_labels.push_back({{middle.x() - textWidth / 2.0, middle.y() + (ascent - descent) / 2.0 + 0.5},
                        text,
                        isYellow ? m_vocabularyInk : own.ink,
                        size});
}

void PassLabels::draw(QPainter &painter) const
{
    std::map<std::pair<int, QRgb>, std::vector<std::pair<QPointF, QString>>> styles;
    for (const Label &label : m_labels)
        styles[{label.size, label.ink.rgb()}].emplace_back(label.baseline, label.text);
    QFont font = m_scene.font;
    for (const auto &[style, texts] : styles) {
        font.setPixelSize(style.first);
        painter.setFont(font);
        painter.setPen(QColor::fromRgb(style.second));
        if (painter.paintEngine()->type() == QPaintEngine::Raster)
            painter.drawGlyphRun({0, 0}, glyphsOf(font, texts));
        else // an export keeps its text as text
            for (const auto &[baseline, text] : texts)
                painter.drawText(baseline, text);
    }
}

} // namespace stagelens::ui
