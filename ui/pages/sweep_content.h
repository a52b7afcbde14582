// From a sweep's results to what its two plots draw.
#pragma once

#include "ui/plots/sweep_plot.h"
#include "ui/state/sweep_table.h"

#include <span>

namespace stagelens::ui {

/// A metric over the first parameter.
[[nodiscard]] SweepContent metricContent(const SweepSetup &setup, const SweepMetric &metric,
                                         std::span<const SweepResult> results);
/// Iteration against peak memory, with the Pareto front and the least capacity.
[[nodiscard]] SweepContent memoryContent(const SweepSetup &setup, std::span<const SweepResult> results);
/// "Vocabulary size 64,000 · VOCAB-2 · Predicted: 12.3 ms, 39 MiB, bubble 12 %", or why it is impossible.
[[nodiscard]] QString sweepWords(const SweepEntry &entry, const service::SweepPoint &point);
/// The signs of the series, and what the fillings mean, into a widget that has a layout.
void fillSweepLegend(QWidget &legend, const QStringList &series, bool published);

} // namespace stagelens::ui
