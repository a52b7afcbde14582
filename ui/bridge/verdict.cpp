#include "ui/bridge/verdict.h"

#include "ui/bridge/words.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// The first steps pay for cold caches and allocations.
constexpr std::size_t kWarmUpSteps = 2;
constexpr double kSmallestDifference = 0.01;

QString words(bool secondIsBetter, const QString &change)
{
    return (secondIsBetter ? u"B better ▲ "_s : u"A better ▼ "_s) + change;
}

} // namespace

Spread spreadOf(const std::vector<base::Nanos> &iterations)
{
    const std::size_t skipped = iterations.size() > kWarmUpSteps ? kWarmUpSteps : 0;
    std::vector<base::Nanos> sorted(iterations.begin() + static_cast<std::ptrdiff_t>(skipped), iterations.end());
    std::sort(sorted.begin(), sorted.end());
    Spread spread;
    spread.steps = sorted.size();
    if (!sorted.empty()) {
        const auto at = [&sorted](std::size_t quarter) { return sorted[(sorted.size() - 1) * quarter / 4]; };
        spread.lower = at(1);
        spread.median = at(2);
        spread.upper = at(3);
    }
    return spread;
}

QString spreadText(const Spread &spread)
{
    if (spread.steps == 0)
        return u"–"_s;
    return u"%1 (%2 – %3), %4 steps"_s.arg(durationText(spread.median), durationText(spread.lower), durationText(spread.upper))
        .arg(spread.steps);
}

QString iterationVerdict(const Spread &first, const Spread &second)
{
    if (first.steps == 0 || second.steps == 0)
        return {};
    const bool apart = second.upper < first.lower || first.upper < second.lower;
    if (!apart)
        return u"no clear difference"_s;
    return words(second.median < first.median,
                 changeText(static_cast<double>(second.median), static_cast<double>(first.median)));
}

QString figureVerdict(double second, double first, bool moreIsBetter)
{
    if (first <= 0 || std::abs(second / first - 1) < kSmallestDifference)
        return u"no clear difference"_s;
    return words((second > first) == moreIsBetter, changeText(second, first));
}

} // namespace stagelens::ui
