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
/// "219 ms (215 ms – 226 ms), 48 steps".
[[nodiscard]] QString spreadText(const Spread &spread);
/// "B better ▲ −47 %", "A better ▼ +12 %", or "no clear difference" while the quartiles overlap.
[[nodiscard]] QString iterationVerdict(const Spread &first, const Spread &second);
/// The same of a single figure; below one percent there is no clear difference.
[[nodiscard]] QString figureVerdict(double second, double first, bool moreIsBetter);

} // namespace stagelens::ui
