// The lever board in words.
#pragma once

#include "engine/service/search/levers.h"

#include <QString>

namespace stagelens::ui {

/// "Recomputed layers"
[[nodiscard]] QString leverKindText(service::LeverKind kind);
/// What a plan has of that kind: "3/1/0/0", "V-Half", "ZeRO-1".
[[nodiscard]] QString leverText(service::LeverKind kind, const model::Experiment &plan);
/// Kind and value of a lever, or of each part of a combination.
[[nodiscard]] QString leverText(const service::Lever &lever, const service::LeverBoard &board);
/// Numbers of stages: "3/1/0/0".
[[nodiscard]] QString countsText(const std::vector<int> &counts);

/// "Same bits", "Same mathematics", "Other mathematics"
[[nodiscard]] QString numbersText(service::Numbers numbers);
/// Returns what those words mean for the training.
[[nodiscard]] QString numbersTip(service::Numbers numbers);
/// "Predicted: the plan takes 331 ms and needs 30.9 MiB on its fullest device, which has 80 GiB."
[[nodiscard]] QString boardText(const service::LeverBoard &board);

} // namespace stagelens::ui
