#include "ui/timeline/rows/legs.h"

#include "ui/timeline/overlay.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagelens::ui {
namespace {

constexpr int kWidestWithout = 120; ///< logical pixels of a pass: above it there is room for its operators
constexpr int kLabel = 12;          ///< height above the strip that is left to the label of the pass
constexpr int kLowestStrip = 4;
constexpr int kLowestText = 10;
constexpr int kHighestStrip = 14;

/// Where the operators of a pass are drawn.
struct Strip {
    base::Nanos begin; ///< of the pass; of the pair if it overlaps with another
    base::Nanos end;
    int top;
    int height;
    bool isOfPair;
};

/// Returns the strip at the foot of a pass, or of its half of an overlapped pair; nothing if it has no room for one.
std::optional<Strip> stripOf(const Scene &scene, const TimelineLayout::Row &row, std::size_t slice)
{
    if (!scene.group(row.group).legs)
        return std::nullopt;
    const timeline::Lane &lane = scene.lane(row);
    Strip strip{lane.begin[slice], lane.end[slice], row.lane.top(), row.lane.height(), false};
    if (const auto pair = pairOf(lane, slice)) {
        const int upper = row.lane.height() / 2;
        const bool isFirst = slice == pair->first;
        strip = {lane.begin[pair->first], lane.end[pair->second], isFirst ? strip.top : strip.top + upper,
                 isFirst ? upper : row.lane.height() - upper, true};
    }
    const int height = std::min(strip.height - kLabel, kHighestStrip);
    if (height < kLowestStrip || scene.widthOf(strip.end - strip.begin) <= kWidestWithout)
        return std::nullopt;
    strip.top += strip.height - height;
    strip.height = height;
    return strip;
}

std::vector<simulate::PassLeg> legsOf(const Scene &scene, const TimelineLayout::Row &row, std::size_t slice, const Strip &strip)
{
    return scene.group(row.group).legs(row.device, scene.lane(row).pass[slice], strip.end - strip.begin);
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

void paintPass(QPainter &painter, const Scene &scene, const TimelineLayout::Row &row, std::size_t slice, const Strip &strip)
{
    const timeline::Lane &lane = scene.lane(row);
    const int height = strip.height;
    const QColor pass = scene.colours->pass(lane.pass[slice].kind);
    QFont font = scene.font;
    font.setPixelSize(std::max(height - 2, 1));
    const QFontMetrics metrics(font);
    painter.setFont(font);
    bool isOdd = false;
    for (const simulate::PassLeg &leg : legsOf(scene, row, slice, strip)) {
        const double left = std::max(scene.xAt(strip.begin + leg.begin), scene.layout.axis.left() - 1.0);
        const double right = std::min(scene.xAt(strip.begin + leg.end), scene.layout.axis.right() + 1.0);
        isOdd = !isOdd;
        if (right <= left)
            continue;
        const QRectF place(left, strip.top, right - left, height);
        const QColor fill = fillOf(scene, leg, pass, isOdd);
        painter.fillRect(place, fill);
        if (height < kLowestText || place.width() < height)
            continue;
        painter.setPen(inkOn(fill));
        painter.drawText(place, Qt::AlignCenter, nameIn(QString::fromStdString(leg.name), metrics, place.width() - 4));
    }
    const double from = std::max(scene.xAt(strip.begin), static_cast<double>(scene.layout.axis.left()));
    const double to = std::min(scene.xAt(strip.end), static_cast<double>(scene.layout.axis.right()));
    painter.fillRect(QRectF(from, strip.top - 1, to - from, 1), scene.colours->ink);
}

/// The operator at the time of a hit, with its strip.
std::optional<std::pair<simulate::PassLeg, Strip>> find(const Scene &scene, const Hit &hit)
{
    const TimelineLayout::Row *row = scene.layout.rowOf(hit.group, hit.device);
    if (row == nullptr || !hit.slice || hit.count != 1)
        return std::nullopt;
    const std::optional<Strip> strip = stripOf(scene, *row, *hit.slice);
    if (!strip)
        return std::nullopt;
    const base::Nanos time = hit.time - strip->begin;
    for (simulate::PassLeg &leg : legsOf(scene, *row, *hit.slice, *strip))
        if (leg.begin <= time && time < leg.end)
            return std::pair(std::move(leg), *strip);
    return std::nullopt;
}

} // namespace

int legsHeight(const Scene &scene, const TimelineLayout::Row &row, std::size_t slice)
{
    const std::optional<Strip> strip = stripOf(scene, row, slice);
    return strip ? strip->height + 1 : 0;
}

void paintLegs(QPainter &painter, const Scene &scene)
{
    for (std::size_t i = 0; i < scene.layout.rows.size(); ++i) {
        const TimelineLayout::Row &row = scene.layout.rows[i];
        if (!scene.group(row.group).legs)
            continue;
        for (const SliceBox &box : scene.boxes[i])
            if (const auto strip = box.count == 1 ? stripOf(scene, row, box.first) : std::nullopt)
                paintPass(painter, scene, row, box.first, *strip);
    }
}

std::optional<simulate::PassLeg> legAt(const Scene &scene, const Hit &hit)
{
    const auto found = find(scene, hit);
    return found ? std::optional(found->first) : std::nullopt;
}

QString describeLeg(const Scene &scene, const Hit &hit)
{
    const auto found = find(scene, hit);
    if (!found)
        return {};
    const simulate::PassLeg *leg = &found->first;
    const base::Nanos time = leg->end - leg->begin;
    const bool isPredicted = scene.group(hit.group).timeline->provenance == timeline::Provenance::Predicted;
    QString words =
        (found->second.isOfPair ? isPredicted ? Words::tr("Operator %1: %2 of the overlapped pair (predicted)")
                                              : Words::tr("Operator %1: %2 of the overlapped pair (measured, typical of "
                                                          "such passes)")
         : isPredicted ? Words::tr("Operator %1: %2 of the pass (predicted)")
                                : Words::tr("Operator %1: %2 of the pass (measured, typical of such passes)"))
            .arg(QString::fromStdString(leg->name), durationText(time, scene.content->teachingUnits));
    if (leg->flops > 0 && time > 0)
        words += Words::tr(", %1 of a rank at %2/s")
                     .arg(flopsText(leg->flops), flopsText(leg->flops * base::kNanosPerSecond / static_cast<double>(time)));
    return words;
}

} // namespace stagelens::ui
