#include "ui/words/time_axis.h"

#include "ui/words/tr.h"

#include "engine/base/text.h"
#include "engine/timeline/timeline.h"

#include <QFontMetrics>

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::ui {
namespace {

struct Unit {
    base::Nanos nanos;
    const char16_t *name;
};
constexpr base::Nanos kMinute = 60 * base::kNanosPerSecond;
constexpr base::Nanos kHour = 60 * kMinute;
constexpr base::Nanos kDay = 24 * kHour;
/// From there on times are written in minutes, then in hours, then in days.
constexpr base::Nanos kLeastInMinutes = 1000 * base::kNanosPerSecond;
constexpr base::Nanos kLeastInHours = 2 * kHour;
constexpr base::Nanos kLeastInDays = 2 * kDay;
constexpr std::array kUnits{Unit{base::kNanosPerSecond, u"s"}, Unit{base::kNanosPerMilli, u"ms"},
                            Unit{base::kNanosPerMicro, u"µs"}, Unit{1, u"ns"}};
constexpr Unit kTeachingUnit{base::kNanosPerMilli, u""};

/// The greatest unit that is not greater than the time; hours and days only where there are two of them.
Unit unitFor(base::Nanos time)
{
    if (time >= kLeastInMinutes)
        return time >= kLeastInDays ? Unit{kDay, u"d"} : time >= kLeastInHours ? Unit{kHour, u"h"} : Unit{kMinute, u"min"};
    for (const Unit unit : kUnits)
        if (time >= unit.nanos)
            return unit;
    return kUnits.back();
}

/// The least of 1, 2, 5, 10, 20 ... tenths, hundredths ... of a unit that is not less.
base::Nanos niceTimeStep(double least, base::Nanos unit)
{
    base::Nanos decade = unit;
    while (static_cast<double>(decade) > least && decade % 10 == 0)
        decade /= 10;
    while (static_cast<double>(decade) * 10 <= least)
        decade *= 10;
    for (const base::Nanos factor : {1, 2, 5})
        if (static_cast<double>(decade * factor) >= least)
            return decade * factor;
    return decade * 10;
}

int digitsFor(base::Nanos step, base::Nanos unit)
{
    int digits = 0;
    for (base::Nanos part = unit; step % part != 0 && part >= 10; part /= 10)
        ++digits;
    return digits;
}

QString withUnit(const QString &number, const QString &unit)
{
    return unit.isEmpty() ? number : number + QChar(u' ') + unit;
}

} // namespace

base::Nanos lastEnd(const timeline::Timeline &timeline)
{
    base::Nanos end = 0;
    for (const timeline::Lane &lane : timeline.lanes) {
        end = std::max({end, lane.end.empty() ? 0 : lane.end.back(), lane.tailEnd});
        for (const timeline::AnchoredSlice &slice : lane.anchored)
            end = std::max(end, slice.end);
    }
    return end;
}

base::Nanos lengthOf(const timeline::Timeline &timeline)
{
    return timeline.iterations > 1 ? lastEnd(timeline) : timeline.iteration();
}

TimeScale timeScale(base::Nanos begin, base::Nanos end, int pixels, int distance, bool teachingUnits)
{
    const double visible = static_cast<double>(std::max<base::Nanos>(end - begin, 1));
    TimeScale scale;
    const Unit unit = teachingUnits ? kTeachingUnit : unitFor(std::max(std::abs(begin), std::abs(end)) / 2);
    scale.step = niceTimeStep(visible * distance / std::max(pixels, 1), unit.nanos);
    scale.unit = unit.nanos;
    scale.unitName = QString::fromUtf16(unit.name);
    scale.digits = digitsFor(scale.step, scale.unit);
    return scale;
}

TimeScale timeScale(base::Nanos begin, base::Nanos end, int pixels, const QFont &font, bool teachingUnits)
{
    constexpr int kDistance = 90;
    constexpr int kGap = 16;
    const TimeScale scale = timeScale(begin, end, pixels, kDistance, teachingUnits);
    const QFontMetrics metrics(font);
    int widest = 0;
    for (const base::Nanos time : marks(scale, begin, end))
        widest = std::max(widest, metrics.horizontalAdvance(markText(scale, time)));
    return timeScale(begin, end, pixels, std::max(kDistance, widest + kGap), teachingUnits);
}

std::vector<base::Nanos> marks(const TimeScale &scale, base::Nanos begin, base::Nanos end)
{
    std::vector<base::Nanos> times;
    base::Nanos first = begin / scale.step * scale.step;
    if (first < begin)
        first += scale.step;
    for (base::Nanos time = first; time <= end; time += scale.step)
        times.push_back(time);
    return times;
}

QString markText(const TimeScale &scale, base::Nanos time)
{
    if (time == 0)
        return QStringLiteral("0");
    const double value = static_cast<double>(time) / static_cast<double>(scale.unit);
    return withUnit(QString::number(value, 'f', scale.digits), scale.unitName);
}

QString durationText(base::Nanos duration, bool teachingUnits)
{
    const Unit unit = teachingUnits ? kTeachingUnit : unitFor(std::abs(duration));
    const double value = static_cast<double>(duration) / static_cast<double>(unit.nanos);
    const double size = std::abs(value);
    int digits = unit.nanos == 1 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
    // Zeros at the end say that the number is rounded: 86.0 ms is not 86 ms.
    base::Nanos last = unit.nanos;
    for (int digit = 0; digit < digits; ++digit)
        last /= 10;
    const bool isExact = duration % last == 0;
    while (isExact && digits > 0 && duration % (last * 10) == 0) {
        last *= 10;
        --digits;
    }
    return withUnit(QString::number(value, 'f', digits), QString::fromUtf16(unit.name));
}

QString percentText(double ratio)
{
    const double percent = ratio * 100;
    const int digits = std::abs(percent) < 9.95 ? 1 : 0;
    const QString number = QString::number(std::abs(percent), 'f', digits);
    const bool nothing = number.toDouble() == 0;
    return (nothing ? QString() : QString(percent < 0 ? QChar(u'−') : QChar(u'+'))) + number + QStringLiteral(" %");
}

QString bytesWords(base::Bytes bytes)
{
    return QString::fromStdString(base::bytesText(bytes));
}

QString needsText(base::Bytes needed, base::Bytes capacity)
{
    static constexpr std::array kSizes{u"B", u"KiB", u"MiB", u"GiB", u"TiB", u"PiB"};
    double size = 1;
    std::size_t unit = 0;
    for (; static_cast<double>(capacity) / size >= 1024 && unit + 1 < kSizes.size(); ++unit)
        size *= 1024;
    const auto number = [size](base::Bytes bytes, int digits) {
        return QString::number(static_cast<double>(bytes) / size, 'f', digits);
    };
    constexpr int kMostDigits = 3;
    int digits = 0;
    while (digits < kMostDigits && number(needed, digits) == number(capacity, digits))
        ++digits;
    return Words::tr("needs %1 of %2 %3")
        .arg(number(needed, digits), number(capacity, digits), QString::fromUtf16(kSizes[unit]));
}

} // namespace stagelens::ui
