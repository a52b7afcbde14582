#include "ui/timeline/pass_search.h"

#include <QRegularExpression>

#include <algorithm>
#include <tuple>

namespace stagelens::ui {

bool PassQuery::matches(const schedule::Pass &pass, int onDevice) const
{
    return (!kind || pass.kind == *kind) && (!microbatch || pass.microbatch == *microbatch) &&
           (!stage || pass.stage == *stage) && (!device || onDevice == *device);
}

std::optional<PassQuery> parseQuery(const QString &text)
{
    static const QRegularExpression parts(QStringLiteral("[A-Za-z]+|[0-9]+|[^\\sA-Za-z0-9]"));
    PassQuery query;
    std::optional<int> *next = &query.microbatch; // what a number means
    bool expectsNumber = false;
    bool any = false;
    for (auto match = parts.globalMatch(text); match.hasNext();) {
        const QString word = match.next().captured();
        bool isNumber = false;
        const int number = word.toInt(&isNumber);
        if (isNumber) {
            *next = number;
            next = &query.microbatch;
            expectsNumber = false;
            any = true;
            continue;
        }
        const QString lower = word.toLower();
        const auto names = [&lower](QLatin1StringView name) { return lower.size() >= 2 && QString(name).startsWith(lower); };
        if (expectsNumber)
            return std::nullopt;
        if (names(QLatin1StringView("stage")) || names(QLatin1StringView("device")) || names(QLatin1StringView("microbatch")) ||
            lower == QStringLiteral("d") || lower == QStringLiteral("m")) {
            next = lower.startsWith(u's') ? &query.stage : lower.startsWith(u'd') ? &query.device : &query.microbatch;
            expectsNumber = true;
        } else if (const auto kind = schedule::parsePassKind(word.toUpper().toStdString()); kind && !query.kind) {
            query.kind = kind;
            any = true;
        } else {
            return std::nullopt;
        }
    }
    return any && !expectsNumber ? std::optional(query) : std::nullopt;
}

std::vector<timeline::SliceId> findPasses(const timeline::Timeline &timeline, const PassQuery &query)
{
    std::vector<timeline::SliceId> found;
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        for (std::size_t i = 0; i < lane.size(); ++i)
            if (query.matches(lane.pass[i], device))
                found.push_back({device, i});
    }
    const auto place = [&timeline](const timeline::SliceId &slice) {
        return std::tuple(timeline.lanes[static_cast<std::size_t>(slice.device)].begin[slice.index], slice.device, slice.index);
    };
    std::sort(found.begin(), found.end(), [&](const auto &a, const auto &b) { return place(a) < place(b); });
    return found;
}

} // namespace stagelens::ui
