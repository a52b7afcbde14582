// Changes of a plan's order of passes, which make it the experiment's own.
#pragma once

#include "engine/model/experiment.h"
#include "engine/service/plans/schedule_text.h"

#include <QStringList>

namespace stagelens::ui {

/// Returns an experiment with the order of its plan after a move. Fails with the cause if the order would be invalid. May be
/// called on any thread. O(passes).
[[nodiscard]] base::Result<model::Experiment> withMove(const model::Experiment &experiment, const schedule::Schedule &order,
                                                       const service::PassMove &move);
/// Returns why a move is not possible, as a sentence; empty if it is. O(passes).
[[nodiscard]] QString moveRefusal(const schedule::Schedule &order, const service::PassMove &move);
/// Returns an experiment with the order of its plan, in which devices have other orders, each "DEVICE: F0 F1 B0 B1" as a line
/// of the text form. Fails with the cause if the order is invalid. O(passes).
[[nodiscard]] base::Result<model::Experiment> withOrders(const model::Experiment &experiment, const QStringList &orders);

} // namespace stagelens::ui
