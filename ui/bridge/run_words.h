// Between the words of a person and the table of runs.
#pragma once

#include "engine/service/engine_service.h"

#include <QString>

namespace stagelens::ui {

/// What a filter's text asks for: every word must be found; "8k", "rebalancing" and the like are known as the table shows them.
[[nodiscard]] std::vector<std::vector<std::string>> filterWords(const QString &filter);
/// In what a run's plan differs from the baseline's: "VOCAB-2; Devices 8", "as the baseline". Both must be resolved.
[[nodiscard]] QString differenceWords(const model::Experiment &baseline, const model::Experiment &run);

} // namespace stagelens::ui
