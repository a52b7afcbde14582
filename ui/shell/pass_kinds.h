// Where a run differs from its prediction: by kind of pass, and whether the machine was busy.
#pragma once

#include "engine/simulate/metrics.h"
#include "engine/timeline/timeline.h"

#include <QString>

#include <optional>
#include <vector>

class QDialog;
class QWidget;

namespace stagelens::ui {

/// The passes of one kind that both timelines have.
struct PassKindRow {
    schedule::PassKind kind = schedule::PassKind::F;
    std::size_t count = 0;
    base::Nanos predicted = 0; ///< median of a pass
    base::Nanos measured = 0;
    double lower = 0; ///< quartiles of measured over predicted, pass by pass
    double upper = 0;
    base::Nanos gained = 0;               ///< measured less predicted, of all passes together
    std::optional<double> processor = {}; ///< part of the measured time in which the threads had a processor
};
/// In the order of the kinds; kinds without a pass in both are left out.
[[nodiscard]] std::vector<PassKindRow> passKindRows(const timeline::Timeline &predicted, const timeline::Timeline &measured);
/// A sentence if other programs had the processors for a noticeable part of the time, or if the middle half of the steps
/// differs by more than a tenth, which the same work on an idle machine does not. Empty if it was idle, or if there are fewer
/// than four steps after the warm-up.
[[nodiscard]] QString busyMachineText(const simulate::Metrics &metrics, const std::vector<base::Nanos> &iterations);

/// Shows the durations of the steps and the table in a dialog, which deletes itself when it is closed.
QDialog *showPassKinds(QWidget *parent, const timeline::Timeline &predicted, const timeline::Timeline &measured,
                       const simulate::Metrics &metrics, const std::vector<base::Nanos> &iterations);

} // namespace stagelens::ui
