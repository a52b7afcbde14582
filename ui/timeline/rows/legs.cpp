#include "ui/timeline/rows/legs.h"

#include "ui/timeline/overlay.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {
namespace {

constexpr int kWidestWithout = 120; ///< logical pixels of a pass: above it there is room for its operators
constexpr int kLabel = 16;          ///< height in the middle of a lane that is left to the label of the pass
constexpr int kLowestStrip = 4;
constexpr int kLowestText = 11;
constexpr int kHighestStrip = 14;

int heightOf(const TimelineLayout::Row &row)
{
    return std::min((row.lane.height() - kLabel) / 2, kHighestStrip);
}

bool isDrawn(const Scene &scene, const TimelineLayout::Row &row)
{
    return scene.group(row.group).legs && heightOf(row) >= kLowestStrip;
}

bool isWide(const Scene &scene, const timeline::Lane &lane, std::size_t slice)
{
    return !timeline::isPaired(lane, slice) && scene.widthOf(lane.end[slice] - lane.begin[slice]) > kWidestWithout;
}

std::vector<simulate::PassLeg> legsOf(const Scene &scene, const TimelineLayout::Row &row, std::size_t slice)
{
    const timeline::Lane &lane = scene.lane(row);
    return scene.group(row.group).legs(row.device, lane.pass[slice], lane.end[slice] - lane.begin[slice]);
}

QColor fillOf(const Scene &scene, const simulate::PassLeg &leg, const QColor &pass, bool isOdd)
{
    if (leg.isExchange)
        return axisColour(*scene.colours, leg.isExpert    ? layout::Axis::Expert
                                          : leg.isContext ? layout::Axis::Context
                                                          : layout::Axis::Tensor);
    if (leg.isVocabulary)
        return mix(scene.colours->vocabulary, scene.colours->background, isOdd ? 0.75 : 0.5);
    return mix(pass, scene.colours->background, isOdd ? 0.75 : 0.55);
}

/// The name as far as it fits: "layer 3 qkv", "qkv", or nothing.
QString nameIn(const QString &name, const QFontMetrics &metrics, double room)
{
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    const qsizetype layer = name.startsWith(QStringLiteral("layer ")) ? name.indexOf(u' ', 6) : -1;
    const QString own = name.mid(layer + 1);
    return layer > 0 && metrics.horizontalAdvance(own) <= room ? own : QString();
}

void paintPass(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row, std::size_t slice)
{
    const timeline::Lane &lane = scene.lane(row);
    const int height = heightOf(row);
    const QColor pass = scene.colours->pass(lane.pass[slice].kind);
    QFont font = scene.font;
    font.setPixelSize(std::max(height - 2, 1));
    const QFontMetrics metrics(font);
    painter.setFont(font);
    const int top = row.lane.bottom() + 1 - height;
    bool isOdd = false;
    for (const simulate::PassLeg &leg : legsOf(scene, row, slice)) {
        const double left = std::max(scene.xAt(lane.begin[slice] + leg.begin), scene.layout.axis.left() - 1.0);
        const double right = std::min(scene.xAt(lane.begin[slice] + leg.end), scene.layout.axis.right() + 1.0);
        isOdd = !isOdd;
        if (right <= left)
            continue;
        const QRectF place(left, top, right - left, height);
        const QColor fill = fillOf(scene, leg, pass, isOdd);
        painter.fillRect(place, fill);
        if (height < kLowestText || place.width() < height)
            continue;
        painter.setPen(inkOn(fill));
        painter.drawText(place, Qt::AlignCenter, nameIn(QString::fromStdString(leg.name), metrics, place.width() - 4));
    }
    const double from = std::max(scene.xAt(lane.begin[slice]), static_cast<double>(scene.layout.axis.left()));
    const double to = std::min(scene.xAt(lane.end[slice]), static_cast<double>(scene.layout.axis.right()));
    painter.fillRect(QRectF(from, top - 1, to - from, 1), scene.colours->ink);
}

} // namespace

void paintLegs(QPainter &painter, const Scene &scene)
{
    for (std::size_t i = 0; i < scene.layout.rows.size(); ++i) {
        const TimelineLayout::Row &row = scene.layout.rows[i];
        if (!isDrawn(scene, row))
            continue;
        for (const SliceBox &box : scene.boxes[i])
            if (box.count == 1 && isWide(scene, scene.lane(row), box.first))
                paintPass(painter, scene, row, box.first);
    }
}

std::optional<simulate::PassLeg> legAt(const Scene &scene, const Hit &hit)
{
    const TimelineLayout::Row *row = scene.layout.rowOf(hit.group, hit.device);
    if (row == nullptr || !hit.slice || hit.count != 1 || !isDrawn(scene, *row) || !isWide(scene, scene.lane(*row), *hit.slice))
        return std::nullopt;
    const base::Nanos time = hit.time - scene.lane(*row).begin[*hit.slice];
    for (simulate::PassLeg &leg : legsOf(scene, *row, *hit.slice))
        if (leg.begin <= time && time < leg.end)
            return std::move(leg);
    return std::nullopt;
}

QString describeLeg(const Scene &scene, const Hit &hit)
{
    const auto leg = legAt(scene, hit);
    if (!leg)
        return {};
    const base::Nanos time = leg->end - leg->begin;
    const bool isPredicted = scene.group(hit.group).timeline->provenance == timeline::Provenance::Predicted;
    QString words = (isPredicted ? Words::tr("Operator %1: %2 of the pass (predicted)")
                                 : Words::tr("Operator %1: %2 of the pass (measured, typical of such passes)"))
                        .arg(QString::fromStdString(leg->name), durationText(time, scene.content->teachingUnits));
    if (leg->flops > 0 && time > 0)
        words += Words::tr(", %1 of a rank at %2/s")
                     .arg(flopsText(leg->flops), flopsText(leg->flops * base::kNanosPerSecond / static_cast<double>(time)));
    return words;
}

} // namespace stagelens::ui
