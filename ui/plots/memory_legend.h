// Where the names of the memory's categories stand, in as many lines as they need.
#pragma once

#include "engine/simulate/memory.h"

#include <QFontMetrics>
#include <QPoint>
#include <QString>

#include <vector>

namespace stagelens::ui {

/// A category beside a box of its colour; `place` is its x and its row.
struct MemoryLegendEntry {
    std::size_t category;
    QString text;
    QPoint place;
};

/// The categories that hold something at the peak, from x = `from` in the first row and from `left` in the others, none beyond
/// `right`. With their figures if two rows hold them.
[[nodiscard]] std::vector<MemoryLegendEntry> memoryLegend(const simulate::MemoryByCategory &peak, const QFontMetrics &metrics,
                                                          int left, int from, int right);

/// "4 microbatches", of an amount in units of kMicrobatch.
[[nodiscard]] QString microbatchesText(base::Bytes held);
/// "Device 3 holds the activations of at most 4 microbatches".
[[nodiscard]] QString heldPeakText(int device, base::Bytes held);
/// "Device 3: peak 20.8 GiB, activations of 4 microbatches". `activations`: microbatches by device; may be empty.
[[nodiscard]] QString memoryPeakText(int device, base::Bytes peak, const std::vector<double> &activations);

/// What a device holds at one time.
struct MemoryMoment {
    QString name; ///< "at the peak"
    simulate::MemoryByCategory bytes;
};
/// Returns a line for each category that holds something at one of the times, and one for the total: "parameters\t3.0 MiB".
/// Above them the names of the times, if there are several. Tabs are between columns.
[[nodiscard]] QString memoryTable(const std::vector<MemoryMoment> &moments);

} // namespace stagelens::ui
