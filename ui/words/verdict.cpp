#include "ui/words/verdict.h"

#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// The first steps pay for cold caches and allocations.
constexpr std::size_t kWarmUpSteps = 2;
constexpr double kSmallestDifference = 0.01;
/// Fewer steps tell nothing of the noise.
constexpr std::size_t kFewestSteps = 3;

QString unclearWords()
{
    return Words::tr("no clear difference");
}

QString words(bool better, const QString &change)
{
    return (better ? Words::tr("better ") : Words::tr("worse ")) + change;
}

/// Whether the quartiles of two times of a unit of work keep apart by more than the least difference worth a word.
bool areApart(const Spread &first, double firstWork, const Spread &second, double secondWork)
{
    for (const Spread *spread : {&first, &second})
        if (spread->steps > 0 && spread->steps < kFewestSteps)
            return false;
    const auto time = [](base::Nanos nanos, double work) { return static_cast<double>(nanos) / work; };
    const double ratio = time(second.median, secondWork) / time(first.median, firstWork);
    return std::abs(ratio - 1) >= kSmallestDifference && (time(second.upper, secondWork) < time(first.lower, firstWork) ||
                                                          time(first.upper, firstWork) < time(second.lower, secondWork));
}

} // namespace

bool isBetter(const QString &verdict)
{
    return verdict.startsWith(Words::tr("better "));
}

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

QString quartilesText(const Spread &spread)
{
    if (spread.steps == 0)
        return u"–"_s;
    QString lower = durationText(spread.lower);
    const QString upper = durationText(spread.upper);
    if (const QString unit = upper.sliced(upper.lastIndexOf(u' ') + 1); lower.endsWith(u' ' + unit)) // once is enough
        lower.chop(unit.size() + 1);
    return u"%1 – %2"_s.arg(lower, upper);
}

QString iterationVerdict(const Spread &first, const Spread &second)
{
    if (first.median <= 0 || second.median <= 0)
        return {};
    if (!areApart(first, 1, second, 1))
        return unclearWords();
    return words(second.median < first.median,
                 changeText(static_cast<double>(second.median), static_cast<double>(first.median)));
}

QString rateVerdict(const Spread &first, double firstTokens, const Spread &second, double secondTokens)
{
    if (first.median <= 0 || second.median <= 0 || firstTokens <= 0 || secondTokens <= 0)
        return {};
    if (!areApart(first, firstTokens, second, secondTokens))
        return unclearWords();
    const double before = firstTokens / static_cast<double>(first.median);
    const double now = secondTokens / static_cast<double>(second.median);
    return words(now > before, changeText(now, before));
}

QString figureVerdict(double second, double first, bool moreIsBetter)
{
    if (first <= 0 || std::abs(second / first - 1) < kSmallestDifference)
        return unclearWords();
    return words((second > first) == moreIsBetter, changeText(second, first));
}

QString shareVerdict(double second, double first)
{
    if (std::abs(second - first) < kSmallestDifference)
        return unclearWords();
    return words(second < first, pointsText(second, first));
}

} // namespace stagelens::ui
