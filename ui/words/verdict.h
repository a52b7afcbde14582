// Which of two is better, said only where it is clear.
#pragma once

#include "engine/base/units.h"

#include <QString>

#include <vector>

namespace stagelens::ui {

/// Median and quartiles of the steps after the first two.
struct Spread {
    base::Nanos lower = 0;
    base::Nanos median = 0;
    base::Nanos upper = 0;
    std::size_t steps = 0;
};
[[nodiscard]] Spread spreadOf(const std::vector<base::Nanos> &iterations);
/// The times between which the middle half of the steps took: "215 – 226 ms".
[[nodiscard]] QString quartilesText(const Spread &spread);
/// Of the second against the first: "better −47 %", "worse +12 %", or "no clear difference" while the quartiles overlap or
/// too few steps were measured to know them. A spread of 0 steps is a prediction, which has no noise.
[[nodiscard]] QString iterationVerdict(const Spread &first, const Spread &second);
/// The same of tokens a second, where a step of each trains so many tokens.
[[nodiscard]] QString rateVerdict(const Spread &first, double firstTokens, const Spread &second, double secondTokens);
/// The same of a single figure; below one percent there is no clear difference.
[[nodiscard]] QString figureVerdict(double second, double first, bool moreIsBetter);
/// The same of a share of the time, of which less is better, in points.
[[nodiscard]] QString shareVerdict(double second, double first);
[[nodiscard]] bool isBetter(const QString &verdict);

} // namespace stagelens::ui
