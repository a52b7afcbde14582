// From a sweep's results to what its two plots draw.
#pragma once

#include "ui/sweep/sweep_plot.h"
#include "ui/sweep/sweep_table.h"

#include <span>

namespace stagelens::ui {

/// Whether the second parameter makes small multiples. The colours of both plots then mean methods alone.
[[nodiscard]] bool hasMultiples(const SweepSetup &setup);
/// A metric over the first parameter: one plot, or one for each value of the second parameter (small multiples).
[[nodiscard]] std::vector<SweepContent> metricContents(const SweepSetup &setup, const SweepMetric &metric,
                                                       std::span<const SweepResult> results);
/// A metric over the first parameter.
[[nodiscard]] SweepContent metricContent(const SweepSetup &setup, const SweepMetric &metric,
                                         std::span<const SweepResult> results);
/// Iteration against peak memory, with the Pareto front and the least capacity.
[[nodiscard]] SweepContent memoryContent(const SweepSetup &setup, std::span<const SweepResult> results);
/// What the best result is.
struct SweepGoal {
    bool leastMemory = false; ///< else the fastest
    double allowance = 0;     ///< of the fastest one's time: 0.05 lets the one with the least memory be 5 % slower
};
/// The number of the possible result that is best among those that do the plan's work; none if no result does it, unless all
/// results do one and the same work.
[[nodiscard]] std::optional<int> bestResult(const model::Experiment &plan, std::span<const SweepResult> results,
                                            const SweepGoal &goal);
/// "Vocabulary size 64,000 · VOCAB-2 · Predicted: 12.3 ms, 39 MiB, bubble 12 %", or why it is impossible.
[[nodiscard]] QString sweepWords(const SweepEntry &entry, const service::SweepPoint &point);
/// Puts the signs of the series, and what the fillings mean, into a widget that has a layout. `lacksFigures`: there are
/// impossible points without a value, which the plot shows at its lower edge.
void fillSweepLegend(QWidget &legend, const QStringList &series, bool published, bool lacksFigures);

} // namespace stagelens::ui
