// Shapes as the values of a sweep: degrees of the ranks, with the sequences of a step kept.
#pragma once

#include "engine/model/experiment.h"

#include <QString>

#include <optional>

namespace stagelens::ui {

/// Reads "8x4x2" (pipeline, tensor, data) or "8x4x1x2" (with context before data). The same text is always the same number.
[[nodiscard]] std::optional<int> parseSweepShape(const QString &text);
/// "8 × 4 × 2", or "8 × 4 × c 2 × 2" with context ranks.
[[nodiscard]] QString sweepShapeText(int shape);
/// Divides the ranks of a plan so; it keeps the sequences of a step and of a microbatch. Where the replicas do not divide them,
/// the plan has no microbatches, which validation refuses.
void setSweepShape(model::Experiment &plan, int shape);
/// "8x4x2, 16x2x2": shapes of as many ranks as a plan has, whose tensor ranks divide its heads and whose replicas its
/// sequences.
[[nodiscard]] QString offeredSweepShapes(const model::Experiment &plan);

} // namespace stagelens::ui
