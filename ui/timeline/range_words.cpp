// What was done in a marked range of time.
#include "ui/timeline/scene.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"

#include <QStringList>

#include <numeric>

namespace stagelens::ui {
namespace {

constexpr int kMostNamed = 8;

QString percent(base::Nanos part, base::Nanos whole)
{
    return QStringLiteral("%1 %").arg(whole > 0 ? qRound(100.0 * static_cast<double>(part) / static_cast<double>(whole)) : 0);
}

base::Nanos busyOf(const WorkShares &work)
{
    return std::accumulate(work.kinds.begin(), work.kinds.end(), work.hiddenVocabulary);
}

QString kindsText(const WorkShares &all, bool units)
{
    QStringList parts;
    for (std::size_t kind = 0; kind < all.kinds.size(); ++kind)
        if (all.kinds[kind] > 0)
            parts << QStringLiteral("%1 %2").arg(
                QString::fromStdString(std::string(schedule::name(static_cast<schedule::PassKind>(kind)))),
                durationText(all.kinds[kind], units));
    if (all.hiddenVocabulary > 0)
        parts << Words::tr("vocabulary layers inside them ") + durationText(all.hiddenVocabulary, units);
    return parts.join(QStringLiteral(", "));
}

} // namespace

QString rangeWords(const Scene &scene, base::Nanos begin, base::Nanos end)
{
    const bool units = scene.content->teachingUnits;
    QStringList lines{Words::tr("Range %1 to %2: %3")
                          .arg(durationText(begin, units), durationText(end, units), durationText(end - begin, units))};
    for (std::size_t index = 0; index < scene.sums->size(); ++index) {
        const GroupSums &sums = (*scene.sums)[index];
        if (sums.lanes.empty())
            continue;
        WorkShares all;
        std::size_t passes = 0;
        QStringList devices;
        for (std::size_t device = 0; device < sums.lanes.size(); ++device) {
            const timeline::Lane &lane = sums.timeline->lanes[device];
            const LaneWindow window{begin, end, 1, 1, 0};
            const auto columns = densityColumns(lane, sums.lanes[device], window, 1);
            const WorkShares work = columns.empty() ? WorkShares() : columns.front().work;
            all += work;
            if (static_cast<int>(device) < kMostNamed)
                devices << Words::tr("Device %1: busy %2").arg(device).arg(percent(busyOf(work), end - begin));
            const auto before = std::lower_bound(lane.begin.begin(), lane.begin.end(), end) - lane.begin.begin();
            passes += static_cast<std::size_t>(
                std::max<std::ptrdiff_t>(before - static_cast<std::ptrdiff_t>(timeline::firstEndingAfter(lane, begin)), 0));
        }
        const base::Nanos room = (end - begin) * static_cast<base::Nanos>(sums.lanes.size());
        lines << scene.content->groups[index].caption + Words::tr(": %1 passes, busy %2, idle %3")
                                                            .arg(passes)
                                                            .arg(percent(busyOf(all), room), percent(room - busyOf(all), room));
        if (busyOf(all) > 0)
            lines << Words::tr("Device time: ") + kindsText(all, units);
        lines << devices;
        if (static_cast<int>(sums.lanes.size()) > kMostNamed)
            lines << Words::tr("and %1 more devices").arg(sums.lanes.size() - kMostNamed);
    }
    return lines.join(QChar(u'\n'));
}

} // namespace stagelens::ui
